/** WebSockets of a whole process: only with the setting, and until a signal ends it. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { addressOf, startSluice } from "../support/process.ts";
import { certificateFiles } from "../support/tls/files.ts";

const AUTHORIZED = { authorization: "Bearer sk-own" };

async function start(websockets: "off" | "on", isTls = false) {
  const tls = isTls ? { tls: { cert: "cert.pem", key: "key.pem" } } : {};
  const config = {
    server: { port: 0, websockets, keys: [{ name: "own", key: "sk-own" }], ...tls },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  };
  const files = { "config.yaml": JSON.stringify(config), ...certificateFiles("localhost") };
  const running = startSluice([], { files });
  const base = await addressOf(running);
  // The certificate is that of the name.
  const named = isTls ? base.replace("127.0.0.1", "localhost") : base;
  return { running, base: named, url: `${named.replace("http", "ws")}/v1/responses` };
}

for (const isTls of [false, true]) {
  Deno.test(`WebSockets of a process${isTls ? " with TLS" : ""} answer, and close at its end`, async () => {
    const { running, base, url } = await start("on", isTls);
    await using _ = running;
    const caCerts = [certificateFiles("localhost")["cert.pem"]];
    using client = Deno.createHttpClient({ caCerts });
    const socket = new WebSocket(url, { headers: AUTHORIZED, client });
    const types: string[] = [];
    const completed = Promise.withResolvers<void>();
    const closed = new Promise<CloseEvent>((resolve) => socket.onclose = resolve);
    socket.onopen = () =>
      socket.send(JSON.stringify({ type: "response.create", model: "mock-echo", input: "Hi" }));
    socket.onmessage = ({ data }) => {
      const { type } = JSON.parse(data);
      types.push(type);
      if (type === "response.completed") completed.resolve();
    };
    await Promise.race([completed.promise, closed]);
    assertEquals([types[0], types.at(-1)], ["response.created", "response.completed"]);
    // Other requests are served at the same port, with TLS over HTTP/2 and HTTP/1.1.
    for (const version of isTls ? [{ http1: false }, { http2: false }] : [{}]) {
      using plain = Deno.createHttpClient({ caCerts, ...version });
      const response = await fetch(`${base}/v1/models`, { headers: AUTHORIZED, client: plain });
      assertEquals((await response.json()).data[0].id, "mock-echo");
    }
    running.signal("SIGTERM");
    assertEquals((await closed).code, 1001);
    const { code, stdout } = await running.finished;
    assertEquals(code, 0);
    assertStringIncludes(stdout, '"status":101');
  });
}

Deno.test("a process without server.websockets refuses WebSockets, so that clients use POST", async () => {
  const { running, url } = await start("off");
  await using _ = running;
  const socket = new WebSocket(url, { headers: AUTHORIZED });
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.onopen = () => resolve(true);
    socket.onclose = () => resolve(false);
  });
  assertEquals(isOpen, false);
  running.signal("SIGTERM");
  const { stdout } = await running.finished;
  assertStringIncludes(stdout, '"status":426');
});
