/** Callers of media that leave: within their upload, and within the answer. */

import { assertEquals } from "@std/assert";
import { until } from "../../support/elapse.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../../support/gateway.ts";
import { serveGateway, serveVendor } from "../../support/server.ts";

const PIECE = new Uint8Array(5000).fill(97);
const HEADERS = { authorization: `Bearer ${SERVICE_KEY}` };

/** A vendor that sends the beginning of an answer, and then nothing until it is left. */
function createVendor(type: string, start: string | Uint8Array<ArrayBuffer>) {
  const state = { requests: 0, isLeft: false };
  const vendor = serveVendor(async (request) => {
    state.requests++;
    await request.bytes().catch(() => {});
    const body = new ReadableStream({
      start: (controller) =>
        controller.enqueue(typeof start === "string" ? new TextEncoder().encode(start) : start),
      cancel: () => {
        state.isLeft = true;
      },
    });
    return new Response(body, { headers: { "content-type": type } });
  });
  return { state, vendor };
}

const EVENT = "text/event-stream";
const ANSWERS: readonly (readonly [
  kind: string,
  model: string,
  path: string,
  type: string,
  start: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string | boolean>,
  unit: readonly [string, number],
])[] = [
  [
    ...["elevenlabs", "eleven_v3", "/v1/audio/speech", "audio/mpeg", PIECE] as const,
    ...[{ input: "Hello", voice: "a" }, ["characters", 5]] as const,
  ],
  [
    ...["openai", "tts-2", "/v1/audio/speech", EVENT] as const,
    'data: {"type":"speech.audio.delta","audio":"YQ=="}\n\n',
    ...[{ input: "Hello", voice: "a", stream_format: "sse" }, ["characters", 5]] as const,
  ],
  [
    ...["openai", "gpt-image-1", "/v1/images/generations", EVENT] as const,
    'data: {"type":"image_generation.partial_image","b64_json":"YQ=="}\n\n',
    ...[{ prompt: "a cat", stream: true }, ["images", 1]] as const,
  ],
  [
    ...["openai", "gpt-image-1", "/v1/images/edits", EVENT] as const,
    'data: {"type":"image_edit.partial_image","b64_json":"YQ=="}\n\n',
    ...[{ prompt: "a cat", stream: true }, ["images", 1]] as const,
  ],
  [
    ...["openai", "gpt-4o-transcribe", "/v1/audio/transcriptions", EVENT] as const,
    'data: {"type":"transcript.text.delta","delta":"Hel"}\n\n',
    ...[{ stream: true }, ["seconds", 1]] as const,
  ],
];

function toBody(path: string, fields: Record<string, string | boolean>): FormData | string {
  const file = { "/v1/images/edits": "image", "/v1/audio/transcriptions": "file" }[path];
  if (file === undefined) return JSON.stringify(fields);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append(file, new File([PIECE], "a.bin"));
  return form;
}

for (const [kind, model, path, type, start, fields, [unit, amount]] of ANSWERS) {
  Deno.test(`a caller that leaves within ${type} of ${path} ends the vendor's answer`, async () => {
    const { state, vendor } = createVendor(type, start);
    await using _ = vendor;
    const base_url = `${vendor.url}/v1`;
    const models = [{ id: model, prices: { image: 0.1, million_characters: 10, minute: 1 } }];
    const providers = { p: { kind, api_key: VENDOR_KEY, base_url, models } };
    await using served = serveGateway({ config: { providers } });
    const { gateway } = served;
    const caller = new AbortController();
    const { signal } = caller;
    const body = toBody(path, { model, ...fields });
    const options = { method: "POST", headers: HEADERS, body, signal };
    const response = await served.fetch(`${served.url}${path}`, options);
    assertEquals(response.status, 200);
    const reader = response.body?.getReader();
    await reader?.read();
    caller.abort();
    await reader?.cancel().catch(() => {});
    await until(() => state.isLeft && gateway.lines.length > 0);
    const line = gateway.lines[0] ?? {};
    // What was begun is charged.
    assertEquals([line.outcome, line.usage_estimated, line[unit]], ["client_gone", true, amount]);
    assertEquals([gateway.app.inFlight(), gateway.clock.pending, gateway.bugs], [0, 0, []]);
  });
}

const UPLOADS = [
  // Files of these are kept until they are complete.
  ["openai", "gpt-image-1", "/v1/images/edits", "image", 0],
  ["gemini", "gemini-2.5-flash", "/v1/audio/transcriptions", "file", 0],
  // The file goes on as it arrives.
  ["deepgram", "nova-3", "/v1/audio/transcriptions", "file", 1],
  ["openai", "whisper-1", "/v1/audio/translations", "file", 1],
] as const;

for (const [kind, model, path, file, requests] of UPLOADS) {
  Deno.test(`a caller that leaves within its upload to ${path} for ${kind} leaves nothing`, async () => {
    const { state, vendor } = createVendor("application/json", "{}");
    await using _ = vendor;
    const base_url = `${vendor.url}/v1`;
    const providers = { p: { kind, api_key: VENDOR_KEY, base_url, models: [model], retries: 0 } };
    await using served = serveGateway({ config: { providers } });
    const { gateway } = served;
    const caller = new AbortController();
    const head = `--b\r\ncontent-disposition: form-data; name="model"\r\n\r\n${model}\r\n` +
      `--b\r\ncontent-disposition: form-data; name="${file}"; filename="a"\r\n\r\n`;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(head));
        for (let index = 0; index < 20; index++) controller.enqueue(PIECE);
      },
    });
    const pending = served.fetch(`${served.url}${path}`, {
      method: "POST",
      headers: { ...HEADERS, "content-type": "multipart/form-data; boundary=b" },
      body,
      signal: caller.signal,
    }).catch(() => {});
    // The gateway has the file's beginning when its vendor has, or it waits for the rest.
    await until(() => gateway.clock.pending > 0 && state.requests >= requests);
    caller.abort();
    await pending;
    await until(() => gateway.lines.length > 0);
    assertEquals(gateway.lines[0]?.outcome, "client_gone");
    assertEquals(state.requests, requests);
    assertEquals([gateway.app.inFlight(), gateway.clock.pending, gateway.bugs], [0, 0, []]);
  });
}
