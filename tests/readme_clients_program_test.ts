/** README's example in Python, as it is. */

import { assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { SERVICE_KEY } from "./support/gateway.ts";
import { PYTHON, PYTHON_CLIENTS } from "./support/python_clients.ts";
import { readRoot } from "./support/read_root.ts";
import { serveGateway } from "./support/server.ts";

const ORIGIN = "http://127.0.0.1:8787";

const hasPython = PYTHON_CLIENTS.some(({ name, isInstalled }) =>
  name === "Python openai" && isInstalled
);

Deno.test({
  name: `README's Python example prints the answer${hasPython ? "" : " (needs Python's openai)"}`,
  ignore: !hasPython,
  async fn() {
    const [, example = ""] = /```python\n([^]*?)```/.exec(readRoot("README.md")) ?? [];
    const { server: _, ...shipped } = parse(readRoot("config.yaml")) as Record<string, unknown>;
    await using served = serveGateway({ config: shipped });
    const { stdout, stderr } = await new Deno.Command(PYTHON, {
      args: ["-c", example.replace(ORIGIN, served.url)],
      env: { SLUICE_API_KEY: SERVICE_KEY },
    }).output();
    const printed = new TextDecoder().decode(stdout);
    assertEquals(printed, "You said: Hello\n", new TextDecoder().decode(stderr));
  },
});
