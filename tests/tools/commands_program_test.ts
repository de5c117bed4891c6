/** Commands that need a process: its streams, its folder, and gateways that do not start. */

import { assertEquals, assertMatch } from "@std/assert";
import { runSluice, SOURCES } from "../support/process.ts";
import { readRoot } from "../support/read_root.ts";

const CONFIG = readRoot("config.yaml");

interface Run {
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly stdin?: string;
  readonly code: number;
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
}

const REQUEST = { model: "mock-echo", messages: [{ role: "user", content: "Hello" }] };

/** Commands and their expected results. */
const RUNS: Readonly<Record<string, Run>> = {
  "check prints the targets of each model": {
    args: ["check"],
    files: { "config.yaml": CONFIG },
    code: 0,
    stdout:
      /^\.\/config\.yaml is valid\n.*mock-echo +mock +mock-echo\n.*OPENAI_API_KEY is not set/s,
  },
  "check uses the built-in configuration, which equals config.yaml, without a file": {
    args: ["check"],
    code: 0,
    stdout: /^built-in is valid\n.*mock-echo +mock +mock-echo\n.*OPENAI_API_KEY is not set/s,
  },
  "check shows a provider as enabled if its key is in .env": {
    args: ["check"],
    files: { "config.yaml": CONFIG, ".env": "OPENAI_API_KEY=sk-of-env\nANTHROPIC_API_KEY=\n" },
    code: 0,
    stdout:
      /gpt-5\.4 +openai +gpt-5\.4\n.*fast +openai +gpt-5\.4-mini\n.*DISABLED +REASON.*\n +anthropic/s,
  },
  "explain reads standard input": {
    args: ["explain", "-"],
    stdin: JSON.stringify(REQUEST),
    code: 0,
    stdout: /"model": "mock-echo",.*"provider": "mock"/s,
  },
  "serve exits before it listens if the configuration is invalid": {
    args: ["--config=invalid.yaml"],
    files: { "invalid.yaml": "server: { prot: 1 }\nproviders: {}" },
    code: 1,
    stderr: /^sluice: Cannot load invalid\.yaml:\n/,
  },
  "a configuration file that does not exist": {
    args: ["--config", "nowhere.yaml"],
    code: 1,
    stderr: "sluice: Cannot read nowhere.yaml: the file does not exist\n",
  },
  "an address that does not belong to this machine": {
    args: ["--host", "192.0.2.1", "--port", "0"],
    env: { SLUICE_API_KEY: "sk-own" },
    code: 1,
    stderr: "sluice: Cannot listen on 192.0.2.1:0: Cannot assign requested address\n",
  },
  "a generated key that other machines could use": {
    args: ["--host", "0.0.0.0", "--port", "0"],
    code: 1,
    stderr: "sluice: No service key is set, and other machines can connect to 0.0.0.0: " +
      "set SLUICE_API_KEY, or listen on 127.0.0.1\n",
  },
  "a host that does not exist": {
    args: ["--host", "a..b", "--port", "0"],
    env: { SLUICE_API_KEY: "sk-own" },
    code: 1,
    stderr: "sluice: Cannot listen on a..b:0: unknown host\n",
  },
  "an invalid port in SLUICE_PORT": {
    args: [],
    env: { SLUICE_PORT: "http" },
    code: 1,
    stderr: "sluice: SLUICE_PORT must be a number from 0 to 65535, not 'http'\n",
  },
};

for (const [what, { args, code, stdout = "", stderr = "", ...around }] of Object.entries(RUNS)) {
  Deno.test(`sluice: ${what} (exit code ${code})`, async () => {
    const finished = await runSluice(args, around);
    expectText(finished.stderr, stderr);
    expectText(finished.stdout, stdout);
    assertEquals(finished.code, code);
  });
}

function expectText(text: string, expected: string | RegExp): void {
  if (typeof expected === "string") assertEquals(text, expected);
  else assertMatch(text, expected);
}

Deno.test("sluice: a reader that closes the pipe early causes no error", async () => {
  const { path, args } = SOURCES;
  const child = new Deno.Command(path, {
    args: [...args, "schema"],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  const [{ code }, stderr] = await Promise.all([child.status, new Response(child.stderr).text()]);
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("sluice: a port that is already in use (exit code 1)", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  const finished = await runSluice(["--port", String(port)], {});
  assertEquals(finished, {
    code: 1,
    stdout: "",
    stderr:
      `sluice: Cannot listen on 127.0.0.1:${port}: the port is in use; choose another with --port\n`,
  });
});

Deno.test("sluice health connects directly to the configured port and ignores proxy settings", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => new Response("{}", { status: request.url.endsWith("/healthz") ? 200 : 404 }),
  );
  const { port } = server.addr;
  const proxy = "http://127.0.0.1:1";
  const finished = await runSluice(["health"], {
    files: { "config.yaml": `server: { port: ${port} }\nproviders: { broken` },
    env: { SLUICE_PORT: String(port), HTTP_PROXY: proxy, http_proxy: proxy },
  });
  assertEquals(finished, { code: 0, stdout: "ok\n", stderr: "" });
});
