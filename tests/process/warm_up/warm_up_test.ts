/** What warms a process up: its requests are answered, and those of callers come first. */

import { assert, assertEquals, assertLess } from "@std/assert";
import { SystemClock } from "../../../src/core/clock.ts";
import { LocalVendor } from "../../../src/process/warm_up/local_vendor.ts";
import { createWarmUpGateway, listRequests, warmUp } from "../../../src/process/warm_up/warm_up.ts";
import { adapters } from "../../../src/providers/registry.ts";

const ECHO = "You said: Say hello to the world, please.";

Deno.test("each request of the warm-up is answered through the adapter of its model", async () => {
  const clock = new SystemClock();
  const gateway = createWarmUpGateway(adapters.keys(), clock);
  assertEquals([...gateway.models].sort(), ["anthropic", "gemini", "openai_compatible"]);
  const requests = listRequests(gateway);
  assertEquals(requests.length, 3 * 7);
  for (const create of requests) {
    const request = create();
    const { model, stream } = await request.clone().json();
    const response = await gateway.app.handle(request);
    const text = await response.text();
    const what = `${request.url} ${model}: ${text}`;
    assertEquals(response.status, 200, what);
    assertEquals(response.headers.get("x-sluice-provider"), model, what);
    assertEquals(text.startsWith("{"), !stream, what);
    // Streams have a word in each event.
    assert(stream ? text.includes("hello") : text.includes(ECHO), what);
  }
  await gateway.app.drain();
  clock.close();
});

Deno.test("only the adapters that are in use are warmed", () => {
  const models = (...kinds: string[]) => createWarmUpGateway(kinds, new SystemClock()).models;
  assertEquals(models(), []);
  assertEquals(models("groq", "azure", "mistral"), ["openai_compatible"]);
  assertEquals(models("gemini", "groq"), ["gemini", "openai_compatible"]);
});

Deno.test("the warm-up waits while a request is open, and ends once callers have sent enough", async () => {
  const load = { inFlight: 1, requests: 7 };
  let reads = 0;
  const read = () => {
    reads++;
    if (reads === 20) load.requests = 1007;
    return load;
  };
  const began = performance.now();
  await warmUp({ kinds: ["openai_compatible"], load: read });
  assertLess(reads, 30);
  assert(performance.now() - began > 300, "it polls slowly");
});

Deno.test("the warm-up ends by itself, also without a provider", async () => {
  const load = () => ({ inFlight: 0, requests: 0 });
  await warmUp({ kinds: ["openai_compatible"], load });
  await warmUp({ kinds: [], load });
});

Deno.test("a local vendor answers over HTTP/1.1, whatever parts are written and read", async () => {
  const seen: string[] = [];
  const vendor = new LocalVendor(async (request) => {
    seen.push(`${request.method} ${request.url} ${await request.text()}`);
    return request.url.endsWith("/stream")
      ? new Response("data: 1\n\n", { headers: { "content-type": "text/event-stream" } })
      : Response.json({ ok: true });
  });
  const bytes = (text: string) => new TextEncoder().encode(text);
  const ask = async (message: string, size: number) => {
    const connection = vendor.open();
    for (const byte of bytes(message)) await connection.write(Uint8Array.of(byte));
    const expected = message.includes("/stream") ? "0\r\n\r\n" : "}";
    let text = "";
    const into = new Uint8Array(size);
    while (!text.endsWith(expected)) {
      const count = await connection.read(into);
      text += new TextDecoder().decode(into.subarray(0, count ?? 0));
    }
    connection.close();
    assertEquals(await connection.read(into), null);
    return text;
  };
  const message = (path: string) =>
    `POST ${path} HTTP/1.1\r\nhost: v.test\r\nContent-Length: 2\r\n\r\n{}`;
  const json = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n" +
    '{"ok":true}';
  const stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" +
    "transfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n";
  for (const size of [1, 7, 4096]) {
    assertEquals(await ask(message("/v1/a"), size), json);
    assertEquals(await ask(message("/v1/stream"), size), stream);
  }
  assertEquals(seen, ["POST http://v.test/v1/a {}", "POST http://v.test/v1/stream {}"]);
});
