/** An unread pipe delays neither answers nor the exit of the process. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { addressOf, type Running, startSluice } from "../../support/process.ts";
import { freePort } from "../../support/free_port.ts";

const MESSAGES = [{ role: "user", content: "Hi" }];

/** About 300 bytes of log each: many times what a pipe holds. */
const REQUESTS = 1500;

/** Longer than any answer of this test takes, shorter than the drain of the configuration. */
const PATIENCE_MS = 25_000;

const configFor = (workers: number, models: readonly string[] = ["mock-echo"]) =>
  JSON.stringify({
    server: { port: 0, workers, metrics: "public", keys: [{ name: "own", key: "sk-own" }] },
    providers: { mock: { kind: "mock", models } },
  });

class Caller implements Disposable {
  readonly #client = Deno.createHttpClient({ poolMaxIdlePerHost: 20 });

  /** The text of an answer, which must come in time. */
  async text(url: string, ms = PATIENCE_MS, init: RequestInit = {}): Promise<string> {
    const signal = AbortSignal.timeout(ms);
    return await (await fetch(url, { ...init, client: this.#client, signal })).text();
  }

  /** Sends this many chat requests, 20 at a time. */
  async chat(base: string, count: number): Promise<void> {
    let left = count;
    const one = async () => {
      while (left-- > 0) {
        const text = await this.text(`${base}/v1/chat/completions`, PATIENCE_MS, {
          method: "POST",
          headers: { authorization: "Bearer sk-own" },
          body: JSON.stringify({ model: "mock-echo", messages: MESSAGES }),
        });
        assertMatch(text, /You said: Hi/);
      }
    };
    await Promise.all(Array.from({ length: 20 }, one));
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/** The code that the process exits with, if it does so in time. */
async function codeOf(running: Running): Promise<number | string> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve("the process did not end"), PATIENCE_MS);
  const code = await Promise.race([running.exited, late.promise]);
  clearTimeout(timer);
  return code;
}

for (const workers of [1, 2]) {
  Deno.test(`an unread log delays no answer and no exit (workers: ${workers})`, async () => {
    using caller = new Caller();
    await using running = startSluice([], {
      files: { "config.yaml": configFor(workers) },
      unread: "stdout",
    });
    const base = await addressOf(running);
    await caller.chat(base, REQUESTS);
    assertMatch(await caller.text(`${base}/healthz`), /"ok"/);
    running.signal("SIGTERM");
    assertEquals(await codeOf(running), 0);
    running.resume();
    const lines = (await running.finished).stdout.split("\n").slice(0, -1);
    assert(lines.length > 50, `${lines.length} lines`);
    for (const line of lines) assertEquals(JSON.parse(line).route, "/v1/chat/completions");
  });

  Deno.test(`a log that is read late has every line complete (workers: ${workers})`, async () => {
    using caller = new Caller();
    await using running = startSluice([], {
      files: { "config.yaml": configFor(workers) },
      unread: "stdout",
    });
    await caller.chat(await addressOf(running), REQUESTS);
    running.resume();
    running.signal("SIGTERM");
    const { code, stdout } = await running.finished;
    assertEquals(code, 0);
    const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.length, REQUESTS);
  });
}

Deno.test("unread standard error delays no answer, no reload and no exit", async () => {
  using caller = new Caller();
  const port = freePort();
  const models = Array.from({ length: 2000 }, (_, index) => `model-${index}-of-a-long-list`);
  await using running = startSluice(["--port", `${port}`], {
    files: { "config.yaml": configFor(1, ["mock-echo", ...models]) },
    unread: "stderr",
  });
  const base = `http://127.0.0.1:${port}`;
  await whenUp(caller, base);
  const faults = Object.fromEntries(models.map((name) => [name, "nowhere"]));
  running.write("config.yaml", JSON.stringify({ pins: faults }));
  for (let reloads = 0; reloads < 5; reloads++) running.signal("SIGHUP");
  await caller.chat(base, 20);
  await whenAnswers(caller, `${base}/readyz`, /"stale"/);
  running.signal("SIGTERM");
  assertEquals(await codeOf(running), 0);
});

function whenUp(caller: Caller, base: string): Promise<void> {
  return whenAnswers(caller, `${base}/healthz`, /./);
}

async function whenAnswers(caller: Caller, url: string, pattern: RegExp): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  let text = "";
  while (performance.now() < end) {
    text = await caller.text(url, 1000).catch(() => "");
    if (pattern.test(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer ${pattern}, but '${text}'`);
}
