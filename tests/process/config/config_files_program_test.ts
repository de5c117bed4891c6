/** Files that are no ordinary configuration: too large, pipes, and aliases without end. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Finished, runSluice, startSluice } from "../../support/process.ts";

const CONFIG = `
server: { port: 0, workers: 1, keys: [{ name: k, key: sk-of-this-test-0123 }] }
providers: { mock: { kind: mock, models: [m] } }
`;

/** Lists of ten aliases each: the last one stands for ten to the power of the levels. */
function bombOf(levels: number): string {
  const lists = Array.from({ length: levels }, (_, level) => {
    const item = level === 0 ? "x" : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array(10).fill(item).join(", ")}]`;
  });
  return lists.join("\n");
}

/** Makes a pipe in a new directory and gives its path. */
async function withPipe(use: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "sluice-" });
  try {
    const path = `${directory}/pipe`;
    const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
    assert(success);
    await use(path);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("aliases that expand to too many values are an error, at once", async () => {
  const began = performance.now();
  const { code, stderr } = await runSluice(["check"], {
    files: { "config.yaml": `${CONFIG}${bombOf(9)}\n` },
  });
  assertEquals(code === 0, false);
  assertStringIncludes(stderr, "more than 200000 values, with all aliases expanded");
  assert(performance.now() - began < 20_000);
});

Deno.test("a configuration over 10 MiB is an error", async () => {
  const { code, stderr } = await runSluice(["check"], {
    files: { "config.yaml": `${CONFIG}#${"x".repeat(10 * 1024 * 1024)}\n` },
  });
  assertEquals(code === 0, false);
  assertStringIncludes(stderr, "Cannot read ./config.yaml: it has more than 10485760 bytes");
});

Deno.test("a pipe is read at the start, and a reload refuses it instead of waiting", async () => {
  await withPipe(async (path) => {
    await using running = startSluice(["serve", "--config", path], {});
    await Deno.writeTextFile(path, CONFIG);
    await running.logged("Sluice listens on");
    running.signal("SIGHUP");
    await running.logged("it is not a regular file");
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(running.stderr())?.[0];
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    const response = await fetch(`${address}/healthz`, { client });
    await response.body?.cancel();
    assertEquals(response.status, 200);
  });
});

Deno.test("a secret is read only from a regular file of at most 1 MiB", async () => {
  const read = (path: string) => () =>
    runSluice(["check"], {
      files: {
        "big": "x".repeat(1024 * 1024 + 1),
        "config.yaml": CONFIG.replace("port: 0", `host: "\${file:${path}}", port: 0`),
      },
    });
  await withPipe(async (path) => {
    assertStringIncludes(outputOf(await read(path)()), `cannot read ${path}`);
  });
  assertStringIncludes(outputOf(await read("./big")()), "cannot read ./big");
});

Deno.test("an ordinary alias is expanded", async () => {
  const providers = "providers:\n  a: &a { kind: mock, models: [m] }\n  b: *a\n";
  const { code, stdout } = await runSluice(["check"], {
    files: { "config.yaml": CONFIG.replace(/providers:.*\n/, providers) },
  });
  assertEquals(code, 0);
  assertStringIncludes(stdout, "b");
});

function outputOf({ stdout, stderr }: Finished): string {
  return stdout + stderr;
}
