/** Requests for speech: audio and events, unbuffered; failures, failover, limits and costs. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import OpenAI from "openai";
import type { Fetch } from "../../src/upstream/transport.ts";
import {
  createTestGateway,
  SERVICE_KEY,
  type TestGateway,
  VENDOR_KEY,
} from "../support/gateway.ts";
import { serveGateway, serveVendor } from "../support/server.ts";

const REQUEST = { model: "tts-1", input: "Hello 👋", voice: "alloy" };
const AUDIO = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
const MODELS = [
  { id: "tts-1", prices: { million_characters: 15 } },
  { id: "gpt-4o-mini-tts", prices: { input: 0.6, output: 12 } },
];

function gatewayOf(fetch: Fetch, members: Record<string, unknown> = {}): TestGateway {
  const openai = { kind: "openai", api_key: VENDOR_KEY, models: MODELS, retries: 0 };
  const gemini = { kind: "gemini", api_key: VENDOR_KEY, models: ["gemini-2.5-flash-preview-tts"] };
  return createTestGateway({ config: { providers: { openai, gemini }, ...members }, fetch });
}

/** An answer whose body is cut into pieces; it fails at the end if `fails`. */
function audioOf(pieces: readonly Uint8Array[], fails = false, type = "audio/mpeg"): Response {
  const left = [...pieces];
  const body = new ReadableStream({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (fails) controller.error(new Error("cut"));
      else controller.close();
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "content-type": type } });
}

const FAULTS: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ input: "" }, "input"],
  [{ voice: undefined }, "voice"],
  [{ speed: 5 }, "speed"],
  [{ stream_format: "wav" }, "stream_format"],
];

for (const [change, param] of FAULTS) {
  Deno.test(`speech with ${JSON.stringify(change)} is refused before anything is sent`, async () => {
    const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
    const response = await gateway.call("/v1/audio/speech", { ...REQUEST, ...change });
    assertEquals(response.status, 400);
    assertEquals((await response.json()).error.param, param);
  });
}

Deno.test("audio passes unchanged with its type, and its characters are charged", async () => {
  const gateway = gatewayOf(() => Promise.resolve(audioOf([AUDIO.slice(0, 7), AUDIO.slice(7)])));
  const response = await gateway.call("/v1/audio/speech", REQUEST);
  assertEquals(response.headers.get("content-type"), "audio/mpeg");
  assertEquals(response.headers.get("x-sluice-provider"), "openai");
  assertEquals(await response.bytes(), AUDIO);
  const { characters, prompt_tokens, cost_usd, usage_estimated } = gateway.lines[0] ?? {};
  assertEquals([characters, prompt_tokens, cost_usd], [7, 0, 0.000105]);
  assertEquals(usage_estimated, undefined);
});

Deno.test("a model that is paid by tokens is charged an estimate of its audio", async () => {
  const gateway = gatewayOf(() => Promise.resolve(audioOf([AUDIO])));
  const response = await gateway.call("/v1/audio/speech", { ...REQUEST, model: "gpt-4o-mini-tts" });
  await response.bytes();
  const { characters, completion_tokens, cost_usd, usage_estimated } = gateway.lines[0] ?? {};
  assertEquals([characters, completion_tokens, usage_estimated], [7, 10, true]);
  assert(Number(cost_usd) > 0.0001);
});

Deno.test("audio that breaks off breaks the response off, without text at its end", async () => {
  const gateway = gatewayOf(() => Promise.resolve(audioOf([AUDIO], true)));
  const response = await gateway.call("/v1/audio/speech", REQUEST);
  const reader = response.body?.getReader();
  const read: number[] = [];
  await assertRejects(async () => {
    for (let packet = await reader?.read(); packet?.value; packet = await reader?.read()) {
      read.push(...packet.value);
    }
  });
  assertEquals(AUDIO.subarray(0, read.length), Uint8Array.from(read));
  assertEquals(gateway.lines[0]?.outcome, "failed");
  assertEquals([gateway.lines[0]?.characters, gateway.lines[0]?.usage_estimated], [7, true]);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("an answer without audio is an error with a status", async () => {
  const gateway = gatewayOf(() => Promise.resolve(audioOf([])));
  const response = await gateway.call("/v1/audio/speech", REQUEST);
  assertEquals(response.status, 502);
  assertEquals((await response.json()).error.code, "upstream_error");
});

Deno.test("another vendor speaks when the first one is unavailable: PCM becomes WAV", async () => {
  const data = AUDIO.toBase64();
  const gateway = gatewayOf(
    (url) =>
      Promise.resolve(
        url.includes("openai.com") ? new Response("{}", { status: 503 }) : Response.json({
          candidates: [{
            content: { parts: [{ inlineData: { mimeType: "audio/L16;rate=16000", data } }] },
          }],
          usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 40, totalTokenCount: 43 },
        }),
      ),
    { aliases: { speak: ["tts-1", "gemini-2.5-flash-preview-tts"] } },
  );
  const response = await gateway.call("/v1/audio/speech", { ...REQUEST, model: "speak", speed: 2 });
  assertEquals(response.headers.get("content-type"), "audio/wav");
  assertEquals(response.headers.get("x-sluice-ignored"), "speed");
  assertEquals(
    response.headers.get("x-sluice-converted"),
    "response_format mp3->wav, voice alloy->Kore",
  );
  const wav = await response.bytes();
  const view = new DataView(wav.buffer);
  assertEquals(new TextDecoder().decode(wav.subarray(0, 4)), "RIFF");
  assertEquals([view.getUint32(4, true), view.getUint32(24, true)], [336, 16_000]);
  assertEquals([view.getUint32(28, true), view.getUint32(40, true)], [32_000, 300]);
  assertEquals(wav.subarray(44), AUDIO);
  const line = gateway.lines.at(-1);
  assertEquals([line?.prompt_tokens, line?.completion_tokens, line?.characters], [3, 40, 7]);
});

const DELTA = { type: "speech.audio.delta", audio: AUDIO.toBase64() };
const USAGE = { input_tokens: 3, output_tokens: 50, total_tokens: 53 };
const EVENTS = [DELTA, { type: "speech.audio.done", usage: USAGE }].map((event) =>
  `data: ${JSON.stringify(event)}\n\n`
).join("");

Deno.test("events cut at every byte pass unchanged, with the vendor's tokens", async () => {
  const bytes = new TextEncoder().encode(EVENTS);
  for (let at = 1; at < bytes.length; at += 1) {
    const pieces = [bytes.slice(0, at), bytes.slice(at)];
    const gateway = gatewayOf(() => Promise.resolve(audioOf(pieces, false, "text/event-stream")));
    const request = { ...REQUEST, model: "gpt-4o-mini-tts", stream_format: "sse" };
    const response = await gateway.call("/v1/audio/speech", request);
    assertEquals(await response.text(), EVENTS, `cut at ${at}`);
    const { completion_tokens, characters, usage_estimated } = gateway.lines[0] ?? {};
    assertEquals([completion_tokens, characters, usage_estimated], [50, 7, undefined]);
  }
});

Deno.test("audio of a model without events becomes events, also when it breaks off", async () => {
  for (const fails of [false, true]) {
    const pieces = [AUDIO.slice(0, 100), AUDIO.slice(100)];
    const gateway = gatewayOf(() => Promise.resolve(audioOf(pieces, fails)));
    const response = await gateway.call("/v1/audio/speech", { ...REQUEST, stream_format: "sse" });
    assertEquals(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const events = (await response.text()).trim().split("\n\n").map((event) =>
      JSON.parse(event.slice("data: ".length))
    );
    const last = events.pop();
    if (fails) assertEquals(last.error.code, "upstream_error");
    else {
      assertEquals(last, { type: "speech.audio.done" });
      const bytes = events.flatMap(({ audio }) => [...Uint8Array.fromBase64(audio)]);
      assertEquals(Uint8Array.from(bytes), AUDIO);
    }
  }
});

Deno.test("a key's limit of characters counts code points", async () => {
  const gateway = gatewayOf(() => Promise.resolve(audioOf([AUDIO])), {
    limits: { characters_per_minute: 10 },
  });
  const statuses: number[] = [];
  for (let index = 0; index < 2; index++) {
    const response = await gateway.call("/v1/audio/speech", REQUEST);
    await response.bytes();
    statuses.push(response.status);
  }
  assertEquals(statuses, [200, 429]);
});

Deno.test("openai package: audio.speech.create() gets audio while the vendor still speaks", async () => {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  const sent: unknown[] = [];
  await using vendor = serveVendor(async (request) => {
    sent.push([new URL(request.url).pathname, await request.json()]);
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(AUDIO.slice(0, 100));
        await isRead;
        controller.enqueue(AUDIO.slice(100));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "audio/mpeg" } });
  });
  const base_url = `${vendor.url}/v1`;
  const openai = { kind: "openai", api_key: VENDOR_KEY, base_url, models: MODELS };
  const server = { keep_alive: "1ms" };
  await using served = serveGateway({ config: { server, providers: { openai } } });
  const { url, fetch } = served;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const response = await client.audio.speech.create(REQUEST);
  const read: number[] = [];
  for await (const bytes of response.body ?? []) {
    read.push(...bytes);
    served.gateway.clock.advance(60_000);
    resolve();
  }
  assertEquals(Uint8Array.from(read), AUDIO);
  assertEquals(sent, [["/v1/audio/speech", REQUEST]]);
});

Deno.test("an explanation of speech shows the request", async () => {
  const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
  const response = await gateway.call("/v1/audio/speech", { ...REQUEST, instructions: "slowly" }, {
    "x-sluice-explain": "true",
  });
  const { targets: [{ request, receipt }] } = await response.json();
  assertStringIncludes(request.url, "/audio/speech");
  assertEquals(receipt.map(({ parameter, fate }: Record<string, unknown>) => [parameter, fate]), [
    ["voice", "as is"],
    ["instructions", "ignored"],
  ]);
});
