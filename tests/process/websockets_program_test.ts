/** WebSockets of a whole process: only with the setting, and until a signal ends it. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { startSluice } from "../support/process.ts";

const AUTHORIZED = { authorization: "Bearer sk-own" };

async function start(websockets: "off" | "on") {
  const config = {
    server: { port: 0, websockets, keys: [{ name: "own", key: "sk-own" }] },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  };
  const running = startSluice([], { files: { "config.yaml": JSON.stringify(config) } });
  await running.logged("\n    -d ");
  const base = /^Sluice listens on (http:\S+)$/m.exec(running.stderr())?.[1] ?? "";
  return { running, url: `${base.replace("http", "ws")}/v1/responses` };
}

Deno.test("a process with server.websockets answers over a WebSocket, and closes it at its end", async () => {
  const { running, url } = await start("on");
  await using _ = running;
  const socket = new WebSocket(url, { headers: AUTHORIZED });
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
  running.signal("SIGTERM");
  assertEquals((await closed).code, 1001);
  const { code, stdout } = await running.finished;
  assertEquals(code, 0);
  assertStringIncludes(stdout, '"status":101');
});

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
