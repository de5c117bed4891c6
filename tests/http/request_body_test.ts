import { assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";

const REQUEST = { model: "m", messages: [{ role: "user", content: "Hi" }] };
const BYTES = new TextEncoder().encode(JSON.stringify(REQUEST));

/** Sends a body, with its length or in pieces without one. */
async function post(body: BodyInit | null, headers: Record<string, string> = {}, limit = "32MiB") {
  const gateway = createTestGateway({
    config: { providers: { mock: { kind: "mock", models: ["m"] } }, server: { max_body: limit } },
  });
  const response = await gateway.app.handle(
    new Request("http://gateway.test/v1/chat/completions", {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}`, ...headers },
      body,
    }),
  );
  const { error } = await response.json();
  assertEquals(gateway.bugs, []);
  return { response, error };
}

function pieces(...all: Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(all);
}

/** Bodies that are not JSON objects, and their error messages. */
const MALFORMED: readonly (readonly [string, BodyInit | null, string])[] = [
  ["no body", null, "is empty"],
  ["an empty body", "", "is empty"],
  ["an empty body in pieces", pieces(), "is empty"],
  ["white space", "  \n", "not valid JSON"],
  ["half an object", "{", "not valid JSON"],
  ["two objects", "{}{}", "not valid JSON"],
  ["single quotes", "{'model': 'm'}", "not valid JSON"],
  ["a form", "model=m", "not valid JSON"],
  ["a byte that is no UTF-8", Uint8Array.of(0x22, 0xff, 0x22), "not valid JSON in UTF-8"],
  ["half a character", Uint8Array.of(0x22, 0xe2, 0x82, 0x22), "not valid JSON in UTF-8"],
  ["UTF-16", Uint8Array.from(JSON.stringify(REQUEST), (c) => c.charCodeAt(0) << 8), "not valid"],
  ["an array", "[]", "must be a JSON object"],
  ["a string", '"Hi"', "must be a JSON object"],
  ["a number", "5", "must be a JSON object"],
  ["null", "null", "must be a JSON object"],
];

for (const [what, body, message] of MALFORMED) {
  Deno.test(`${what} is a 400 that describes the error`, async () => {
    const { response, error } = await post(body);
    assertEquals(response.status, 400);
    assertStringIncludes(error.message, message);
    assertEquals([error.type, error.param, error.code], ["invalid_request_error", null, null]);
  });
}

/** A body as a client compresses it. */
async function compressed(format: CompressionFormat): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([BYTES]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

Deno.test("a compressed body is a 415 that names the encoding, whole or in pieces", async () => {
  const gzip = await compressed("gzip");
  const zstd = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00);
  const sent: readonly (readonly [string, BodyInit])[] = [
    ["gzip", gzip],
    ["gzip", pieces(gzip.slice(0, 5), gzip.slice(5))],
    ["deflate", await compressed("deflate")],
    ["zstd", zstd],
  ];
  for (const [encoding, body] of sent) {
    const { response, error } = await post(body, { "content-encoding": encoding });
    assertEquals([response.status, error.code], [415, "unsupported_media_type"]);
    const message =
      `The request body has content-encoding '${encoding}'; send it without compression`;
    assertEquals(error.message, message);
  }
  // A body that is sent as it is needs no compression, whatever the header says.
  for (const encoding of ["identity", "gzip"]) {
    assertEquals((await post(BYTES, { "content-encoding": encoding })).response.status, 200);
  }
  assertEquals((await post("{", { "content-encoding": "identity" })).response.status, 400);
});

Deno.test("a compressed form is a 415, too", async () => {
  const gateway = createTestGateway({
    config: { providers: { v: { kind: "openai", api_key: "k", models: ["m"] } } },
  });
  const response = await gateway.app.handle(
    new Request("http://gateway.test/v1/audio/transcriptions", {
      method: "POST",
      headers: {
        authorization: `Bearer ${SERVICE_KEY}`,
        "content-type": "multipart/form-data; boundary=x",
        "content-encoding": "gzip",
      },
      body: await compressed("gzip"),
    }),
  );
  const { error } = await response.json();
  assertEquals([response.status, error.code], [415, "unsupported_media_type"]);
  assertEquals(gateway.bugs, []);
});

for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded", "?"]) {
  Deno.test(`a request is read whatever its Content-Type: ${type}`, async () => {
    const { response } = await post(BYTES, { "content-type": type });
    assertEquals(response.status, 200);
  });
}

Deno.test("a request needs no Content-Type, and may come in pieces", async () => {
  assertEquals((await post(BYTES)).response.status, 200);
  const cut = pieces(BYTES.slice(0, 20), BYTES.slice(20, 21), BYTES.slice(21));
  assertEquals((await post(cut)).response.status, 200);
});

Deno.test("a byte order mark before the JSON is ignored", async () => {
  const { response } = await post(pieces(Uint8Array.of(0xef, 0xbb, 0xbf), BYTES));
  assertEquals(response.status, 200);
});

Deno.test("a character may be split between two packets", async () => {
  const text = JSON.stringify({ ...REQUEST, messages: [{ role: "user", content: "ü€😀" }] });
  const bytes = new TextEncoder().encode(text);
  const { response } = await post(pieces(...[...bytes].map((byte) => Uint8Array.of(byte))));
  assertEquals(response.status, 200);
});

for (const [what, length] of [["with its length", true], ["in pieces", false]] as const) {
  Deno.test(`a body ${what} is a 413 from the first byte over the limit`, async () => {
    const send = (limit: number) =>
      length
        ? post(BYTES, { "content-length": String(BYTES.length) }, `${limit}B`)
        : post(pieces(BYTES.slice(0, 9), BYTES.slice(9)), {}, `${limit}B`);
    assertEquals((await send(BYTES.length)).response.status, 200);
    const { response, error } = await send(BYTES.length - 1);
    assertEquals(response.status, 413);
    assertEquals(error.type, "invalid_request_error");
    assertEquals(error.code, "request_too_large");
    assertStringIncludes(error.message, String(BYTES.length - 1));
  });
}

Deno.test("a body over the limit is not read to its end", async () => {
  let cancelled = false;
  let pulls = 0;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      pulls++;
      controller.enqueue(new Uint8Array(1000));
    },
    cancel() {
      cancelled = true;
    },
  });
  const { response } = await post(endless, {}, "10kB");
  assertEquals(response.status, 413);
  assertEquals(cancelled, true);
  assertEquals(pulls <= 13, true);
});

Deno.test("an interrupted body is a client error, and its cause is not shown", async () => {
  const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(new TypeError("connection reset by 10.0.0.1")),
  });
  const { response, error } = await post(broken);
  assertEquals(Math.floor(response.status / 100), 4);
  assertEquals(error.message, "The client disconnected while it sent the body");
});
