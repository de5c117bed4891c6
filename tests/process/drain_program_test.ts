/**
 * SIGTERM under load: no answer is aborted before the time limit, every caller gets a response, and
 * the process exits with 0.
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { until } from "../support/elapse.ts";
import { needs } from "../support/needs.ts";
import { addressOf, startSluice } from "../support/process.ts";
import { RawCaller } from "../support/raw_caller.ts";
import { certificateFiles } from "../support/tls/files.ts";

const STREAMS = 200;

const configFor = (drain: string, workers: number, delay = "0s") =>
  JSON.stringify({
    server: { port: 0, drain, drain_delay: delay, workers, keys: [{ name: "own", key: "sk-own" }] },
    providers: { mock: { kind: "mock", models: ["mock-stall", "mock-echo"] } },
  });

async function atWork(drain: string, workers = 1) {
  const running = startSluice([], { files: { "config.yaml": configFor(drain, workers) } });
  const base = await addressOf(running);
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
    const base = await addressOf(running);
    const client = Deno.createHttpClient({});
    running.signal("SIGTERM");
    await running.logged("shutting down: ");
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

const PATIENCE_MS = 30_000;
const AUTHORIZED = "host: localhost\nauthorization: Bearer sk-own\n";
const MODELS = `GET /v1/models HTTP/1.1\n${AUTHORIZED}\n`;
const UPGRADE = `GET /v1/responses HTTP/1.1\n${AUTHORIZED}upgrade: websocket\n` +
  "connection: upgrade\nsec-websocket-version: 13\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\n\n";
const CA = certificateFiles("localhost")["cert.pem"];

/** A chat request, or the part of it before the last bytes of the body. */
function chatOf(model: string, missing = 0): string {
  const messages = [{ role: "user", content: "Hi" }];
  const body = JSON.stringify({ model, stream: true, messages });
  return `POST /v1/chat/completions HTTP/1.1\n${AUTHORIZED}content-length: ${body.length}\n\n` +
    body.slice(0, body.length - missing);
}

/** Connects to a listener of each kind, by name. */
type Connects = ReadonlyMap<string, () => Promise<Deno.Conn>>;

/** The callers of one listener. All but those of the first phase have connected before the signal. */
class ListenerCallers {
  readonly stream: RawCaller;
  readonly socket: RawCaller;
  /** Idle connections, one for each phase. */
  readonly idle: readonly RawCaller[];

  constructor(readonly name: string, [stream, socket, ...idle]: readonly RawCaller[]) {
    if (stream === undefined || socket === undefined) throw new TypeError();
    [this.stream, this.socket, this.idle] = [stream, socket, idle];
  }

  static async open(name: string, connect: () => Promise<Deno.Conn>): Promise<ListenerCallers> {
    const connections = await Promise.all(Array.from({ length: 5 }, connect));
    const callers = new ListenerCallers(name, connections.map((one) => new RawCaller(one)));
    await callers.stream.send(chatOf("mock-stall"));
    await callers.socket.send(UPGRADE);
    for (const one of callers.idle) await one.send(MODELS);
    await until(
      () =>
        callers.stream.text.includes("data: ") && callers.socket.text.includes(" 101 ") &&
        callers.idle.every(({ text }) => text.includes("mock-echo")),
      PATIENCE_MS,
    );
    for (const { text } of callers.idle) assert(!text.includes("connection: close"), name);
    return callers;
  }

  /** Sends a request on an idle connection, whose answer is the last one. */
  async ask(phase: number, request: string, end: string): Promise<string> {
    const caller = this.idle[phase - 1];
    if (caller === undefined) throw new TypeError();
    const before = caller.text.length;
    await caller.send(request);
    await until(() => caller.text.includes(end, before), PATIENCE_MS);
    const answer = caller.text.slice(before);
    assertStringIncludes(answer, "connection: close", `${this.name}, phase ${phase}`);
    return answer;
  }
}

/** What is answered to a request on a new connection; undefined where none can be opened. */
async function askNew(connect: () => Promise<Deno.Conn>, request: string) {
  let connection: Deno.Conn;
  try {
    connection = await connect();
  } catch {
    return undefined;
  }
  await using caller = new RawCaller(connection);
  await caller.send(request);
  await until(() => caller.isClosed, PATIENCE_MS);
  return caller.text;
}

/** Answers in a row from all workers, but for a chance of 2^-9. */
const MANY = 10;

/** Waits until each answer to a request on a new connection is so. */
async function untilAll(
  connect: () => Promise<Deno.Conn>,
  isSo: (answer: string | undefined) => boolean,
): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let inRow = 0; inRow < MANY;) {
    const answer = await askNew(connect, "GET /readyz HTTP/1.1\nhost: a\nconnection: close\n\n");
    inRow = isSo(answer) ? inRow + 1 : 0;
    if (performance.now() > end) throw new Error(`The answer stays ${answer}`);
  }
}

/** Starts a process with a listener of each kind, and two workers. */
async function startAll(path: string) {
  const config = {
    server: {
      ...{ port: 0, workers: 2, websockets: "on", drain_delay: "90s", drain: "90s" },
      keys: [{ name: "own", key: "sk-own" }],
      listeners: [{ port: 0, tls: { cert: "cert.pem", key: "key.pem" } }, { path }],
    },
    providers: { mock: { kind: "mock", models: ["mock-stall", "mock-echo"] } },
  };
  const files = { "config.yaml": JSON.stringify(config), ...certificateFiles("localhost") };
  const running = startSluice([], { files });
  await running.logged("\n    -d ");
  const [port = 0, tls = 0] = [...running.stderr().matchAll(/(?:listens|also) on\s+\S+:(\d+)/g)]
    .map(([, digits]) => Number(digits));
  const hostname = "127.0.0.1";
  const connects: Connects = new Map<string, () => Promise<Deno.Conn>>([
    ["plain", () => Deno.connect({ hostname, port })],
    ["TLS", async () => {
      const tcp = await Deno.connect({ hostname, port: tls });
      return await Deno.startTls(tcp, { hostname: "localhost", caCerts: [CA] });
    }],
    ["Unix", () => Deno.connect({ transport: "unix", path })],
  ]);
  return { running, connects, url: `wss://localhost:${tls}/v1/responses` };
}

/** A WebSocket that asks for two answers, the second of which does not end. */
async function openBusySocket(url: string) {
  const client = Deno.createHttpClient({ caCerts: [CA] });
  const socket = new WebSocket(url, { headers: { authorization: "Bearer sk-own" }, client });
  const types: string[] = [];
  socket.onmessage = ({ data }) => void types.push(JSON.parse(data).type);
  const closed = new Promise<number>((resolve) => socket.onclose = ({ code }) => resolve(code));
  const ask = async (model: string, type: string) => {
    types.length = 0;
    socket.send(JSON.stringify({ type: "response.create", model, input: "Hi" }));
    await until(() => types.includes(type), PATIENCE_MS);
  };
  await new Promise((resolve) => socket.onopen = resolve);
  return { ask, types, closed: closed.finally(() => client.close()) };
}

Deno.test({
  ...needs(
    "another system than Windows",
    Deno.build.os !== "windows",
    "two workers leave in three phases, with TLS, a Unix socket and WebSockets",
  ),
  async fn() {
    const folder = Deno.makeTempDirSync({ prefix: "sluice-" });
    const path = `${folder}/socket`;
    const { running, connects, url } = await startAll(path);
    await using _ = running;
    const all = await Promise.all([...connects].map((one) => ListenerCallers.open(...one)));
    const busy = await openBusySocket(url);
    // Everything is served, and /readyz is 503.
    running.signal("SIGTERM");
    await running.logged("shutting down: ");
    for (const connect of connects.values()) {
      await untilAll(connect, (answer) => answer?.startsWith("HTTP/1.1 503 ") ?? false);
      const answer = await askNew(connect, chatOf("mock-echo"));
      assertMatch(answer ?? "", /^HTTP\/1\.1 200 [^]*connection: close[^]*\[DONE\]/);
    }
    for (const one of all) {
      assertStringIncludes(await one.ask(1, chatOf("mock-echo"), "[DONE]"), "HTTP/1.1 200 ");
    }
    await busy.ask("mock-echo", "response.completed");
    assertEquals(all.filter(({ socket }) => socket.isClosed), []);
    assert(!running.stderr().includes("draining"));
    // A second signal ends this phase: no connection is accepted, and open ones are served.
    await busy.ask("mock-stall", "response.created");
    running.signal("SIGINT");
    await running.logged("draining");
    for (const connect of connects.values()) await untilAll(connect, (one) => one === undefined);
    // Another process can take the path from now on.
    const successor = Deno.listen({ transport: "unix", path });
    for (const { socket } of all) {
      await until(() => socket.text.includes("the gateway is shutting down"), PATIENCE_MS);
      // The code is 1001.
      assertStringIncludes(socket.text, "\x03\ufffdthe gateway");
    }
    for (const one of all) {
      assertStringIncludes(await one.ask(2, chatOf("mock-echo"), "[DONE]"), "HTTP/1.1 200 ");
      assert(!one.stream.isClosed && !one.stream.text.includes("error"), one.name);
    }
    // A third one ends the second phase: what is open ends with an error.
    const late = all.map((one) => one.ask(3, chatOf("mock-echo", 9), '"overloaded"'));
    running.signal("SIGTERM");
    for (const answer of await Promise.all(late)) assertStringIncludes(answer, "HTTP/1.1 503 ");
    for (const { stream } of all) {
      await until(() => stream.isClosed, PATIENCE_MS);
      assertEquals(stream.text.match(/"code":"overloaded"/g)?.length, 1);
    }
    assertEquals(await busy.closed, 1001);
    assertStringIncludes(busy.types.join(), "response.failed");
    assertEquals((await running.finished).code, 0);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["socket"]);
    successor.close();
    for (const { stream, socket, idle } of all) {
      for (const one of [stream, socket, ...idle]) await one[Symbol.asyncDispose]();
    }
    Deno.removeSync(folder, { recursive: true });
  },
});
