/**
 * SIGTERM under load: no answer is aborted before the time limit, every caller gets a response, and
 * the process exits with 0.
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { startSluice } from "../support/process.ts";

const STREAMS = 200;

const configFor = (drain: string, workers: number, delay = "0s") =>
  JSON.stringify({
    server: { port: 0, drain, drain_delay: delay, workers, keys: [{ name: "own", key: "sk-own" }] },
    providers: { mock: { kind: "mock", models: ["mock-stall", "mock-echo"] } },
  });

async function atWork(drain: string, workers = 1) {
  const running = startSluice([], { files: { "config.yaml": configFor(drain, workers) } });
  await running.logged("\n    -d ");
  const base = /^Sluice listens on (http:\S+)$/m.exec(running.stderr())?.[1] ?? "";
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: STREAMS + 10 });
  const chat = (model: string) =>
    fetch(`${base}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sk-own" },
      body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hi" }] }),
      client,
    });
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => chat("mock-stall")));
  const texts = streams.map((answer) => answer.text());
  return { running, base, client, chat, texts };
}

Deno.test("SIGTERM with 200 open streams: open connections are served, and streams end with an error after the drain", async () => {
  const { running, base, client, chat, texts } = await atWork("2s");
  await using _ = running;
  const { hostname, port } = new URL(base);
  using open = await Deno.connect({ hostname, port: Number(port) });
  await ask(open, "/healthz");
  let firstEnd: number | undefined;
  for (const text of texts) text.then(() => firstEnd ??= performance.now());
  const began = performance.now();
  running.signal("SIGTERM");
  await running.logged("draining");
  const answer = await ask(open, "/v1/models");
  assertStringIncludes(answer, "HTTP/1.1 401");
  assertStringIncludes(answer, "connection: close");
  // The port is closed.
  await assertRejects(() => chat("mock-echo"));
  for (const text of await Promise.all(texts)) {
    const events = text.split("\n\n").slice(0, -1);
    assertStringIncludes(events.at(-1) ?? "", '"code":"overloaded"');
    assertEquals(events.filter((event) => event.includes('"error"')).length, 1);
  }
  const streamed = (firstEnd ?? 0) - began;
  assert(streamed >= 1900, `a stream was cut after ${streamed} ms, before the end of the drain`);
  const { code, stdout } = await running.finished;
  assertEquals(code, 0);
  assertEquals(stdout.match(/"error_code":"overloaded"/g)?.length, STREAMS);
  client.close();
});

/** Sends a request on an open connection; returns the response. */
async function ask(connection: Deno.Conn, path: string): Promise<string> {
  await connection.write(
    new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`),
  );
  const bytes = new Uint8Array(10_000);
  return new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
}

for (const workers of [1, 2]) {
  Deno.test(`before the drain, requests are served for a time that a second signal ends (workers: ${workers})`, async () => {
    const running = startSluice([], {
      files: { "config.yaml": configFor("30s", workers, "60s") },
    });
    await using _ = running;
    await running.logged("\n    -d ");
    const base = /^Sluice listens on (http:\S+)$/m.exec(running.stderr())?.[1] ?? "";
    const client = Deno.createHttpClient({});
    running.signal("SIGTERM");
    await running.logged("leaving: ");
    // Each worker gets the message separately.
    for (let isReady = true; isReady;) {
      const ready = await fetch(`${base}/readyz`, { client });
      isReady = ready.status === 200;
      await ready.body?.cancel();
    }
    for (let count = 0; count < 10; count++) {
      const models = await fetch(`${base}/v1/models`, {
        client,
        headers: { authorization: "Bearer sk-own" },
      });
      assertEquals(models.status, 200);
      await models.body?.cancel();
    }
    assert(!running.stderr().includes("draining"));
    running.signal("SIGINT");
    assertEquals((await running.finished).code, 0);
    assertStringIncludes(running.stderr(), "draining");
    client.close();
  });
}

for (const workers of [1, 2]) {
  Deno.test(`a second signal ends the process at once, with 0, under 200 open streams (workers: ${workers})`, async () => {
    const { running, client, texts } = await atWork("30s", workers);
    await using _ = running;
    const reported = Promise.allSettled(texts);
    running.signal("SIGTERM");
    await running.logged("draining");
    const began = performance.now();
    // Another SIGTERM so soon would count as a copy of the first.
    running.signal("SIGINT");
    const { code } = await running.finished;
    assertEquals(code, 0);
    // Without it, the streams would have the 30 seconds.
    assert(performance.now() - began < 15_000);
    await reported;
    client.close();
  });
}
