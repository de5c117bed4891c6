/** Answers of vendors that HTTP does not allow, and errors that repeat the gateway's key. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { serveGateway, serveGatewayOn } from "../support/server.ts";

const PROXY = "/v1/providers/vendor/proxy/files";
const CHAT = "/v1/chat/completions";
const HELLO = { model: "m", messages: [{ role: "user", content: "Hi" }] };

/** A vendor that writes these bytes to every connection. */
function serveBytes(text: string): { readonly port: number; close(): void } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  void (async () => {
    for await (const connection of listener) {
      void connection.read(new Uint8Array(16_384))
        .then(() => connection.write(new TextEncoder().encode(text)))
        .catch(() => {}).finally(() => connection.close());
    }
  })().catch(() => {});
  return { port: listener.addr.port, close: () => listener.close() };
}

for (const status of ["000", "099", "600", "999"]) {
  Deno.test(`the status ${status} of a vendor is a 502, passed through and converted`, async () => {
    const vendor = serveBytes(`HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\n{}`);
    const openai = {
      kind: "openai",
      api_key: VENDOR_KEY,
      base_url: `http://127.0.0.1:${vendor.port}/v1`,
      models: ["m"],
      passthrough: true,
      retries: 0,
    };
    const gateway = serveGateway({ config: { providers: { vendor: openai } } });
    const headers = { authorization: `Bearer ${SERVICE_KEY}` };
    const body = JSON.stringify(HELLO);
    for (const [path, init] of [[PROXY, {}], [CHAT, { method: "POST", body }]] as const) {
      const response = await fetch(`${gateway.url}${path}`, { headers, ...init });
      const text = await response.text();
      assertEquals(response.status, 502, text);
      assert(JSON.parse(text).error.message.length > 0);
    }
    await gateway[Symbol.asyncDispose]();
    vendor.close();
  });
}

for (
  const head of ["101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade", "101 Odd"]
) {
  Deno.test(`a vendor that switches protocols unasked (${head.length}) is a 502`, async () => {
    const vendor = serveBytes(`HTTP/1.1 ${head}\r\n\r\nnot http`);
    const openai = {
      ...{ kind: "openai", api_key: VENDOR_KEY, models: ["m"], passthrough: true, retries: 0 },
      base_url: `http://127.0.0.1:${vendor.port}/v1`,
    };
    const config = { providers: { vendor: openai } };
    const gateway = serveGatewayOn(new ManualClock(), { config });
    const headers = { authorization: `Bearer ${SERVICE_KEY}` };
    const response = await gateway.fetch(`${gateway.url}${PROXY}`, { headers });
    const { error } = await response.json();
    assertEquals([response.status, error.type], [502, "api_error"], error.message);
    await gateway[Symbol.asyncDispose]();
    vendor.close();
  });
}

async function askFailing(body: BodyInit, headers: Record<string, string> = {}) {
  const vendor = { kind: "openai", api_key: VENDOR_KEY, models: ["m"], passthrough: true };
  const gateway = createTestGateway({
    config: { providers: { vendor } },
    fetch: () => Promise.resolve(new Response(body, { status: 400, headers })),
  });
  const response = await gateway.call(PROXY);
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0);
  return { response, text };
}

for (
  const form of [VENDOR_KEY, VENDOR_KEY.toUpperCase(), btoa(VENDOR_KEY), btoa(`u:${VENDOR_KEY}`)]
) {
  Deno.test(`a passed error that repeats the key as ${form.slice(0, 6)}… is redacted`, async () => {
    const { response, text } = await askFailing(`{"error":"é bad ${form}."}`, {
      "content-length": "99",
    });
    assertEquals(response.status, 400);
    assertStringIncludes(text, "é bad ");
    assertStringIncludes(text, "[redacted]");
    assert(!text.includes(form.slice(-12, -3)), text);
    assertEquals(response.headers.get("content-length"), null);
  });
}

Deno.test("a passed error without a key keeps its bytes, also if it is long or no text", async () => {
  const bytes = new Uint8Array(300_000).map((_, index) => index * 7);
  for (const size of [0, 100, 65_536, 300_000]) {
    const part = bytes.slice(0, size);
    const { response } = await askFailing(new Blob([part]).stream(), { "x-a": "1" });
    assertEquals(response.status, 400);
  }
  const { text } = await askFailing("plain".repeat(40_000));
  assertEquals(text, "plain".repeat(40_000));
});
