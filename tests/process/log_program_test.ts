/** The log of the process: its format, its level, and the end of the process by signals. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../support/elapse.ts";
import { needs } from "../support/needs.ts";
import { addressOf, type Running, runSluice, SOURCES, startSluice } from "../support/process.ts";
import { Samples } from "../support/samples.ts";

const CONFIG = {
  server: { port: 0, workers: 2, keys: [{ name: "own", key: "sk-own" }] },
  providers: { mock: { kind: "mock", models: ["mock-echo", "mock-slow"] } },
};

/** The lines of a text as JSON. */
function parsed(text: string): Record<string, unknown>[] {
  return text.trimEnd().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

async function ask(base: string, path: string, init: RequestInit = {}): Promise<string> {
  const client = Deno.createHttpClient({});
  const headers = { authorization: "Bearer sk-own" };
  try {
    return await (await fetch(`${base}${path}`, { client, headers, ...init })).text();
  } finally {
    client.close();
  }
}

Deno.test("with log.format json, all lines are JSON on one stream, with time and level", async () => {
  const files = {
    "config.yaml": JSON.stringify({ ...CONFIG, log: { stream: "stderr" } }),
    ".env": "SLUICE_LOG_FORMAT=json",
  };
  await using running = startSluice([], { files });
  await running.logged("listens on");
  const base = /listens on (http:[^"]+)/.exec(running.stderr())?.[1] ?? "";
  await ask(base, "/v1/models");
  running.write("config.yaml", JSON.stringify({ ...CONFIG, log: { stream: "stderr" }, pins: 1 }));
  running.signal("SIGHUP");
  await running.logged("stays in use");
  running.signal("SIGTERM");
  const { stdout, stderr, code } = await running.finished;
  assertEquals([code, stdout], [0, ""]);
  const lines = parsed(stderr);
  for (const { time, level } of lines) {
    assertMatch(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assertMatch(String(level), /^(?:info|warn|error)$/);
  }
  const levels = (part: string) =>
    lines.filter(({ message, path }) => String(message ?? path).includes(part))
      .map(({ level }) => level);
  assertEquals(levels("/v1/models"), ["info"]);
  // The change of the file may be seen before the signal.
  assertEquals(new Set(levels("stays in use")), new Set(["error"]));
  assertEquals(levels("draining"), ["info"]);
});

Deno.test("an error of the start is a line of JSON too", async () => {
  const env = { SLUICE_LOG_FORMAT: "json" };
  const files = { "config.yaml": "server: { prt: 1 }" };
  const { code, stdout, stderr } = await runSluice([], { files, env });
  assertEquals([code, stderr], [1, ""]);
  const [{ level, message } = {}] = parsed(stdout);
  assertEquals(level, "error");
  assertStringIncludes(String(message), "server.prt: is not a known key");
  const wrong = await runSluice([], { env: { SLUICE_LOG_LEVEL: "loud" } });
  assertEquals(
    [wrong.code, wrong.stderr],
    [1, "sluice: SLUICE_LOG_LEVEL must be one of debug, info, warn, error\n"],
  );
});

Deno.test("SIGUSR2 and a reload change the level of all workers at run time", async () => {
  const file = (level?: string) => JSON.stringify({ ...CONFIG, log: { level } });
  await using running = startSluice([], { files: { "config.yaml": file() } });
  const base = await addressOf(running);
  /** The routes that are logged for probes and requests over both workers. */
  const routes = async (mark: string) => {
    const before = running.stdout().length;
    for (let count = 0; count < 8; count++) await ask(base, "/readyz");
    await ask(base, `/${mark}`);
    await until(() => running.stdout().includes(`/${mark}`));
    return new Set(
      parsed(running.stdout().slice(before)).map(({ level, route }) => `${level} ${route}`),
    );
  };
  assertEquals(await routes("a"), new Set(["warn unknown"]));
  running.signal("SIGUSR2");
  await running.logged("the log level is now debug");
  assertEquals(await routes("b"), new Set(["debug /readyz", "warn unknown"]));
  running.signal("SIGUSR2");
  await running.logged("the log level is now info");
  assertEquals(await routes("c"), new Set(["warn unknown"]));
  running.write("config.yaml", file("debug"));
  running.signal("SIGHUP");
  await running.logged("Loaded ./config.yaml");
  assertEquals(await routes("d"), new Set(["debug /readyz", "warn unknown"]));
  running.signal("SIGTERM");
  assertEquals((await running.finished).code, 0);
});

/** A stream that does not end by itself, and what came of it. */
async function openStream(running: Running): Promise<{ readonly text: Promise<string> }> {
  const base = await addressOf(running);
  const client = Deno.createHttpClient({});
  const messages = [{ role: "user", content: "word ".repeat(2000) }];
  const response = await fetch(`${base}/v1/chat/completions`, {
    client,
    method: "POST",
    headers: { authorization: "Bearer sk-own" },
    body: JSON.stringify({ model: "mock-slow", stream: true, messages }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? "";
  const rest = async () => {
    for (;;) {
      const { done = true, value = "" } = await reader?.read() ?? {};
      if (done) break;
      text += value;
    }
    client.close();
    return text;
  };
  return { text: rest() };
}

/** The longest time from the second signal to the end: 2000 would be a drain. */
const MAX_END_MS = 1500;

/** Interrupts a process with an open stream twice; gives the milliseconds from the second to its end. */
async function interruptTwice(workers: number): Promise<number> {
  const server = { ...CONFIG.server, workers };
  const files = { "config.yaml": JSON.stringify({ ...CONFIG, server }) };
  await using running = startSluice([], { files });
  const { text } = await openStream(running);
  running.signal("SIGINT");
  await running.logged("draining");
  await new Promise((resolve) => setTimeout(resolve, 600));
  const start = performance.now();
  running.signal("SIGINT");
  assertMatch(await text, /data: \{"error":.*\n\n$/);
  const { code, stdout } = await running.finished;
  const ms = performance.now() - start;
  assertEquals(code, 0);
  const [line] = parsed(stdout);
  assertEquals([line?.route, line?.outcome], ["/v1/chat/completions", "failed"]);
  return ms;
}

for (const workers of [1, 2]) {
  Deno.test(`a second Ctrl-C ends streams with an error and logs them: ${workers} workers`, async () => {
    const times = [await interruptTwice(workers)];
    // A busy machine makes it slow now and then.
    while (Math.min(...times) >= MAX_END_MS && times.length < 5) {
      times.push(await interruptTwice(workers));
    }
    assert(Math.min(...times) < MAX_END_MS, `it took ${times} ms`);
  });
}

/** `script` of util-linux gives a program a terminal. */
function hasScript(): boolean {
  try {
    return new Deno.Command("script", { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  ...needs(
    "the program script",
    hasScript(),
    "SIGHUP ends a gateway on a terminal, since its terminal was closed",
  ),
  async fn() {
    const folder = Deno.makeTempDirSync({ prefix: "sluice-terminal-" });
    Deno.writeTextFileSync(`${folder}/config.yaml`, JSON.stringify(CONFIG));
    const quoted = [SOURCES.path, ...SOURCES.args].map((word) => `'${word}'`).join(" ");
    const command = `exec ${quoted} --config ${folder}/config.yaml`;
    await using running = startSluice([], {
      program: { path: "script", args: ["-qefc", command, "/dev/null"] },
    });
    await until(() => running.stdout().includes("Next steps"));
    const [pid] = new TextDecoder().decode(
      new Deno.Command("pgrep", { args: ["-P", String(running.pid)] }).outputSync().stdout,
    ).trim().split("\n");
    Deno.kill(Number(pid), "SIGHUP");
    assertEquals((await running.finished).code, 0);
    Deno.removeSync(folder, { recursive: true });
  },
});

/** The least processor time of a warm-up of a process, in seconds. */
const MIN_WARM_UP_SECONDS = 0.2;

Deno.test("the warm-up of a process leaves nothing in the log and in the metrics", async () => {
  const config = {
    server: { port: 0, metrics: "public", keys: [{ name: "own", key: "sk-own" }] },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  };
  const figures: number[] = [];
  let enough = Infinity;
  for (const wanted of ["off", "on"]) {
    await using running = startSluice([], {
      files: { "config.yaml": JSON.stringify(config) },
      env: { SLUICE_WARM_UP: wanted },
    });
    const base = await addressOf(running);
    const cpu = async () => {
      const text = await (await fetch(`${base}/metrics`)).text();
      const samples = new Samples(text);
      assertEquals(samples.sum("sluice_requests_total", { route: "/v1/chat/completions" }), 0);
      return samples.sum("process_cpu_seconds_total");
    };
    const before = await cpu();
    // A busy machine gives the process less of its time.
    let used = 0;
    for (let left = wanted === "on" ? 6 : 1; left > 0 && used < enough; left--) {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      used = await cpu() - before;
    }
    figures.push(used);
    enough = used + MIN_WARM_UP_SECONDS;
    assertEquals(running.stdout().split("\n").filter((line) => line.includes("/v1/")), []);
  }
  const [off = 0, on = 0] = figures;
  assert(
    on >= off + MIN_WARM_UP_SECONDS,
    `${on} s of processor time with a warm-up, ${off} s without`,
  );
});
