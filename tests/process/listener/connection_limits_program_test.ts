/**
 * Callers who hold connections: the gateway answers the others, and closes what has had its time.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../../support/elapse.ts";
import { addressOf, type Program, SOURCES, startSluice } from "../../support/process.ts";
import { RawCaller, RawCallers } from "../../support/raw_caller.ts";
import { Samples } from "../../support/samples.ts";
import { sayHello } from "../../support/scripted_vendor.ts";
import { Gate, serveVendor } from "../../support/server.ts";
import { certificateFiles, TlsCaller } from "../../support/tls/files.ts";

/** Longer than anything takes here; no test waits for it unless something is wrong. */
const PATIENCE_MS = 45_000;

const HEALTH = "GET /healthz HTTP/1.1\nhost: localhost\n\n";
const CHAT = "POST /v1/chat/completions HTTP/1.1\nhost: localhost\n";
const KEY = "authorization: Bearer sk-own\n";

const configFor = (server: Record<string, unknown>, vendor = "http://127.0.0.1:1") =>
  JSON.stringify({
    server: {
      ...{ port: 0, workers: 1, metrics: "public", keys: [{ name: "own", key: "sk-own" }] },
      ...server,
    },
    providers: {
      mock: { kind: "mock", models: ["mock-echo", "mock-stall"] },
      v: { kind: "lmstudio", base_url: vendor, models: ["m"] },
    },
  });

/** A chat request that is whole. */
function toChat(members: Record<string, unknown>): string {
  const body = JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...members });
  return `${CHAT}${KEY}content-length: ${body.length}\n\n${body}`;
}

/** The text of an answer to a request on a new connection. */
async function ask(base: string, path: string): Promise<string> {
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return await (await fetch(`${base}${path}`, { client, signal })).text();
  } finally {
    client.close();
  }
}

/** The same from a gateway whose port is closed for a moment. */
async function askAgain(base: string, path: string): Promise<string> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask(base, path);
    } catch (thrown) {
      if (performance.now() > end) throw thrown;
    }
  }
}

async function metricsOf(base: string): Promise<Samples> {
  return new Samples(await ask(base, "/metrics"));
}

/** The product on a runtime that serves no single connection. */
const PLAIN: Program = {
  path: SOURCES.path,
  args: SOURCES.args.flatMap((arg) =>
    arg.endsWith("main.ts")
      ? ["--preload", new URL("../../support/plain_runtime.ts", import.meta.url).pathname, arg]
      : [arg]
  ),
};

for (
  const [what, workers, program] of [
    ["1 worker", 1, SOURCES],
    ["2 workers", 2, SOURCES],
    ["a runtime that serves no single connection", 1, PLAIN],
  ] as const
) {
  Deno.test(`when file descriptors run out, callers are answered and the process lives (${what})`, async () => {
    await using running = startSluice([], {
      files: { "config.yaml": configFor({ workers }) },
      descriptors: workers === 1 ? 80 : 120,
      program,
    });
    const base = await addressOf(running);
    await using callers = new RawCallers();
    const [early] = await callers.open(base, 1, HEALTH);
    await until(() => early?.text.includes('"ok"') ?? false, PATIENCE_MS);
    const stream = await RawCaller.connect(base);
    await stream.send(toChat({ model: "mock-stall", stream: true }));
    await until(() => stream.text.includes("data: "), PATIENCE_MS);
    for (let wave = 0; wave < 3; wave++) {
      // Some are idle, some have sent half a head: each holds a descriptor.
      await callers.open(base, 60).catch(() => {});
      await callers.open(base, 60, "GET /healthz HTTP/1.1\nhost").catch(() => {});
      await running.logged("cannot accept connections: ");
      assertMatch(await (program === SOURCES ? ask : askAgain)(base, "/healthz"), /"ok"/);
      assertEquals(stream.isClosed, false, "a stream was closed");
    }
    await running.logged("accepting connections again after ");
    const reported = running.stderr().match(/^sluice: .*(?:accepted).*$/gm) ?? [];
    assert(reported.length <= 2 * workers, reported.join("\n"));
    const samples = await metricsOf(base);
    assert(samples.sum("sluice_accept_failures_total") > 0);
    if (program === SOURCES) {
      assert(samples.sum("sluice_connections_closed_total", { reason: "room" }) > 0);
    } else {
      assertStringIncludes(running.stderr(), "server.max_connections, max_connections_per_address");
    }
    await stream[Symbol.asyncDispose]();
    running.signal("SIGTERM");
    assertEquals((await running.finished).code, 0);
  });
}

Deno.test("when file descriptors run out behind TLS, callers are answered and the process lives", async () => {
  const config = JSON.parse(configFor({ workers: 1 }));
  config.server.tls = { cert: "cert.pem", key: "key.pem" };
  await using running = startSluice([], {
    files: { "config.yaml": JSON.stringify(config), ...certificateFiles("localhost") },
    descriptors: 90,
  });
  await running.logged("\n    -d ");
  const port = Number(/^Sluice listens on https:\S+:(\d+)$/m.exec(running.stderr())?.[1]);
  const base = `http://127.0.0.1:${port}`;
  const ask = async () => {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        using caller = await TlsCaller.connect(port, "localhost");
        return await caller.ask("/healthz");
      } catch (thrown) {
        if (performance.now() > end) throw thrown;
      }
    }
  };
  await using callers = new RawCallers();
  for (let wave = 0; wave < 3; wave++) {
    await callers.open(base, 100).catch(() => {});
    await running.logged("cannot accept connections: ");
    assertMatch(await ask(), /^HTTP\/1\.1 200/);
  }
  assert(!/rejection/i.test(running.stderr()), running.stderr());
  running.signal("SIGTERM");
  assertEquals((await running.finished).code, 0);
});

Deno.test("when no file descriptor is free for a vendor, idle client connections are closed", async () => {
  const gate = new Gate();
  let asked = 0;
  await using vendor = serveVendor(async () => {
    if (++asked === 20) gate.open();
    await gate.opened;
    return sayHello({ url: "", body: {} });
  });
  await using running = startSluice([], {
    files: { "config.yaml": configFor({}, vendor.url) },
    // The process itself takes about 26.
    descriptors: 100,
  });
  const base = await addressOf(running);
  await using callers = new RawCallers();
  await callers.open(base, 46);
  const busy = await callers.open(base, 20, HEALTH);
  await until(() => busy.every(({ text }) => text.includes('"ok"')), PATIENCE_MS);
  assert(!running.stderr().includes("cannot accept connections"));
  for (const caller of busy) await caller.send(toChat({ model: "m" }));
  // A head and its body can arrive in two reads: the last words of the answer are waited for.
  await until(
    () => busy.every(({ text, isClosed }) => isClosed || text.includes("Hello.")),
    PATIENCE_MS,
  );
  for (const { text } of busy) assertStringIncludes(text, "Hello.");
});

Deno.test("idle connections and half-sent heads are closed after head_timeout, kept ones after idle_timeout", async () => {
  await using running = startSluice([], {
    files: { "config.yaml": configFor({ head_timeout: "1s", idle_timeout: "3s" }) },
  });
  const base = await addressOf(running);
  await using callers = new RawCallers();
  const kept = await callers.open(base, 100, HEALTH);
  const silent = await callers.open(base, 100);
  const halves = await callers.open(base, 100, "GET /healthz HTTP/1.1\nhost: localhost\nx-half");
  const again = await callers.open(base, 1, HEALTH);
  await until(() => [...silent, ...halves].every(({ isClosed }) => isClosed), PATIENCE_MS);
  for (const { text } of [...silent, ...halves]) assertEquals(text, "");
  for (const caller of again) await caller.send(HEALTH);
  await until(() => kept.every(({ isClosed }) => isClosed), PATIENCE_MS);
  for (const { text } of kept) assertMatch(text, /^HTTP\/1\.1 200 OK\r\n[^]*"ok"/);
  for (const { text } of again) assertEquals(text.match(/"ok"/g)?.length, 2);
  const samples = await metricsOf(base);
  const closed = (reason: string) => samples.sum("sluice_connections_closed_total", { reason });
  assertEquals([closed("head_timeout"), closed("idle_timeout") >= 100], [200, true]);
});

Deno.test("after 401, 408 and 413 the connection is closed although the body was not sent", async () => {
  await using running = startSluice([], {
    files: { "config.yaml": configFor({ body_timeout: "1s", max_body: "1MB" }) },
  });
  const base = await addressOf(running);
  await using callers = new RawCallers();
  const cases = [
    [401, `${CHAT}content-length: 100000\n\n{"model`],
    [401, `${CHAT}content-length: 100\n\n{"model`],
    [401, `${CHAT}transfer-encoding: chunked\n\n`],
    [404, `POST /v1/nothing HTTP/1.1\nhost: localhost\ncontent-length: 100000\n\n{`],
    [405, `PUT /v1/models HTTP/1.1\nhost: localhost\ncontent-length: 100000\n\n{`],
    [408, `${CHAT}${KEY}content-length: 100000\n\n{"model`],
    [408, `${CHAT}${KEY}content-length: 100\n\n{"model`],
    [413, `${CHAT}${KEY}content-length: 2000000\n\n{"model`],
    [413, `${CHAT}${KEY}transfer-encoding: chunked\n\n1e8480\n${"x".repeat(1_500_000)}`],
  ] as const;
  for (const [status, text] of cases) {
    const [caller] = await callers.open(base, 1);
    await caller?.send(text);
    const what = text.slice(0, 150);
    await until(() => caller?.text.includes("\r\n\r\n") ?? false, PATIENCE_MS);
    assertStringIncludes(caller?.text ?? "", `HTTP/1.1 ${status} `, what);
    // The runtime says it again, sometimes.
    assertMatch(caller?.text ?? "", /^connection: close\r$/im, what);
  }
  await until(() => callers.all.every(({ isClosed }) => isClosed), PATIENCE_MS);
});

Deno.test("after an error about a body that was read, the connection stays open", async () => {
  await using running = startSluice([], { files: { "config.yaml": configFor({}) } });
  const base = await addressOf(running);
  await using callers = new RawCallers();
  const [caller] = await callers.open(base, 1, `${CHAT}${KEY}content-length: 2\n\n{}`);
  await until(() => caller?.text.includes("HTTP/1.1 400") ?? false, PATIENCE_MS);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  await caller?.send(HEALTH);
  await until(() => caller?.text.includes('"ok"') ?? false, PATIENCE_MS);
  assert(!/connection: close/i.test(caller?.text ?? ""));
});

Deno.test("the connection of a client that does not read a stream is closed after write_timeout", async () => {
  const event = `data: ${
    JSON.stringify({ choices: [{ delta: { content: "x".repeat(60_000) } }] })
  }\n\n`;
  const bytes = new TextEncoder().encode(event);
  let cancelled = 0;
  await using vendor = serveVendor(() => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => controller.enqueue(bytes),
      cancel: () => void cancelled++,
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  await using running = startSluice([], {
    files: { "config.yaml": configFor({ write_timeout: "1s" }, vendor.url) },
  });
  const base = await addressOf(running);
  const request = toChat({ model: "m", stream: true });
  const callers = await Promise.all(
    Array.from({ length: 5 }, () => RawCaller.connect(base, false)),
  );
  for (const caller of callers) await caller.send(request);
  await until(() => cancelled === 5, PATIENCE_MS);
  const end = performance.now() + PATIENCE_MS;
  let samples = await metricsOf(base);
  while (samples.sum("sluice_open_connections") > 1 && performance.now() < end) {
    samples = await metricsOf(base);
  }
  assertEquals(samples.sum("sluice_open_connections"), 1);
  const reason = "write_timeout";
  assertEquals(samples.sum("sluice_connections_closed_total", { reason }), 5);
  assertEquals(samples.sum("sluice_in_flight_requests"), 0);
  for (const caller of callers) await caller[Symbol.asyncDispose]();
  // What the gateway did on purpose is no error of the runtime.
  assert(!running.stderr().includes("stopped reading"), running.stderr());
});

Deno.test("the connection of a client that sends requests but reads no answers is closed after idle_timeout", async () => {
  await using running = startSluice([], {
    files: { "config.yaml": configFor({ idle_timeout: "2s" }) },
  });
  const base = await addressOf(running);
  const caller = await RawCaller.connect(base, false);
  // Tens of megabytes of answers, of which the system takes a few.
  const asking = caller.send(`GET /v1/providers HTTP/1.1\nhost: localhost\n${KEY}\n`.repeat(2000));
  const end = performance.now() + PATIENCE_MS;
  let samples = await metricsOf(base);
  while (samples.sum("sluice_open_connections") > 1 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    samples = await metricsOf(base);
  }
  assertEquals(samples.sum("sluice_open_connections"), 1);
  const answered = samples.sum("sluice_requests_total", { route: "/v1/providers" });
  assert(answered > 0 && answered < 2000, `${answered} answers`);
  const reason = "idle_timeout";
  assertEquals(samples.sum("sluice_connections_closed_total", { reason }) > 0, true);
  await asking.catch(() => {});
  await caller[Symbol.asyncDispose]();
});

Deno.test("over max_connections a new connection is closed at once if no other one is idle", async () => {
  await using running = startSluice([], {
    files: { "config.yaml": configFor({ max_connections: 4 }) },
  });
  const base = await addressOf(running);
  await using callers = new RawCallers();
  const request = toChat({ model: "mock-stall", stream: true });
  const streams = await callers.open(base, 3, request);
  await until(() => streams.every(({ text }) => text.includes("data: ")), PATIENCE_MS);
  const [idle] = await callers.open(base, 1);
  const [fourth] = await callers.open(base, 1, request);
  await until(() => fourth?.text.includes("data: ") ?? false, PATIENCE_MS);
  assertEquals(idle?.isClosed, true);
  const [fifth] = await callers.open(base, 1);
  await until(() => fifth?.isClosed ?? false, PATIENCE_MS);
  assertEquals(streams.filter(({ isClosed }) => isClosed), []);
});

Deno.test("SIGTERM ends a gateway at once if no connection has an open request", async () => {
  await using running = startSluice([], { files: { "config.yaml": configFor({ drain: "60s" }) } });
  const base = await addressOf(running);
  await using callers = new RawCallers();
  await callers.open(base, 20);
  await callers.open(base, 20, "GET /healthz HTTP/1.1\nhost");
  await callers.open(base, 20, HEALTH);
  await callers.open(base, 20, `${CHAT}content-length: 100000\n\n{"model`);
  const began = performance.now();
  running.signal("SIGTERM");
  assertEquals((await running.finished).code, 0);
  assert(performance.now() - began < PATIENCE_MS);
});
