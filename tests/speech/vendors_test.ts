/** Speech by vendors whose audio or events differ from OpenAI's. */

import { assertEquals } from "@std/assert";
import { SpeechStreamReader } from "../../src/apis/speech/speech.ts";
import type { SpeechCall } from "../../src/contract/media.ts";
import { mistral } from "../../src/providers/mistral/mistral_adapter.ts";
import { foldPieces } from "../support/native_pieces.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";

const MISTRAL = "voxtral-mini-tts-2603";
const SPOKEN = Uint8Array.of(1, 2, 3, 250, 251);
const encoder = new TextEncoder();

function createWorld(kind: string, model: string, answer: () => Response) {
  const sent: unknown[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        p: {
          ...{ kind, api_key: VENDOR_KEY, retries: 0 },
          models: [{ id: model, prices: { million_characters: 16 } }],
        },
      },
    },
    fetch: (url, { body }) => {
      sent.push([new URL(url).pathname, JSON.parse(String(body))]);
      return Promise.resolve(answer());
    },
  });
  const ask = (fields: Record<string, unknown>) =>
    gateway.call("/v1/audio/speech", { model, input: "Hello", voice: "own", ...fields });
  return { ask, gateway, sent };
}

const FORMATS = [["wav", "audio/wav"], ["flac", "audio/flac"], ["opus", "audio/ogg"], [
  undefined,
  "audio/mpeg",
]] as const;

for (const [format, type] of FORMATS) {
  Deno.test(`Mistral's base64 becomes ${type}, and its characters are charged`, async () => {
    const audio_data = SPOKEN.toBase64();
    const world = createWorld("mistral", MISTRAL, () => Response.json({ audio_data }));
    const response = await world.ask({ response_format: format });
    assertEquals(response.headers.get("content-type"), type);
    assertEquals(await response.bytes(), SPOKEN);
    assertEquals(world.sent, [["/v1/audio/speech", {
      model: MISTRAL,
      input: "Hello",
      voice_id: "own",
      ...(format && { response_format: format }),
    }]]);
    world.gateway.flush();
    const { characters, cost_usd } = world.gateway.lines[0] ?? {};
    assertEquals([characters, cost_usd], [5, 0.00008]);
  });
}

/** 0, 0.5, -1 and a number that is too large. */
const FLOATS = new Uint8Array(new Float32Array([0, 0.5, -1, 1.5]).buffer);
const INTEGERS = [0, 0, 0, 64, 1, 128, 255, 127];

Deno.test("Mistral's PCM becomes OpenAI's, of 16-bit integers", async () => {
  const audio_data = FLOATS.toBase64();
  const world = createWorld("mistral", MISTRAL, () => Response.json({ audio_data }));
  const response = await world.ask({ response_format: "pcm" });
  assertEquals(response.headers.get("content-type"), "audio/pcm");
  assertEquals([...await response.bytes()], INTEGERS);
});

function toEvents(pieces: readonly Uint8Array[], usage: Record<string, unknown>): string {
  const events = [
    ...pieces.map((bytes) => ({ type: "speech.audio.delta", audio_data: bytes.toBase64() })),
    { type: "speech.audio.done", usage },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function readEvents(text: string): Record<string, unknown>[] {
  return text.split("\n\n").filter(Boolean).map((event) =>
    JSON.parse(event.slice(event.indexOf("data: ") + 6))
  );
}

Deno.test("Mistral's events cut at every byte get OpenAI's members, also with cut samples", () => {
  const usage = { prompt_tokens: 7, completion_tokens: 20, total_tokens: 27 };
  const text = encoder.encode(toEvents([FLOATS.subarray(0, 6), FLOATS.subarray(6)], usage));
  const call = { request: { response_format: "pcm" } } as SpeechCall;
  for (let at = 1; at < text.length; at++) {
    const reader = new SpeechStreamReader(MISTRAL, 0, (tokens) => tokens);
    const unwrap = mistral.apis.speech?.convertEvents?.(call);
    const events = foldPieces([text.slice(0, at), text.slice(at)], { reader, unwrap });
    assertEquals(readEvents(events), [
      { type: "speech.audio.delta", audio: Uint8Array.from(INTEGERS.slice(0, 2)).toBase64() },
      { type: "speech.audio.delta", audio: Uint8Array.from(INTEGERS.slice(2)).toBase64() },
      {
        type: "speech.audio.done",
        usage: { input_tokens: 7, output_tokens: 20, total_tokens: 27 },
      },
    ], `cut at ${at}`);
    assertEquals([reader.complete, reader.usage?.completion_tokens], [true, 20]);
  }
});

Deno.test("a piece of Mistral's audio reaches the caller before the next one is made", async () => {
  const pieces = [SPOKEN, Uint8Array.of(9), Uint8Array.of(8)];
  const events = toEvents(pieces, { prompt_tokens: 0, total_tokens: 0 });
  let read = Promise.withResolvers<void>();
  const world = createWorld("mistral", MISTRAL, () => {
    const body = new ReadableStream({
      async start(controller) {
        for (const event of events.split("\n\n").filter(Boolean)) {
          controller.enqueue(encoder.encode(`${event}\n\n`));
          await read.promise;
          read = Promise.withResolvers<void>();
        }
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const response = await world.ask({ stream_format: "sse" });
  assertEquals(
    response.headers.get("x-sluice-converted"),
    "stream_format sse->stream, voice->voice_id",
  );
  const audio: unknown[] = [];
  for await (const bytes of response.body ?? []) {
    audio.push(...readEvents(new TextDecoder().decode(bytes)).map((event) => event.audio));
    read.resolve();
  }
  assertEquals(audio, [...pieces.map((bytes) => bytes.toBase64()), undefined]);
  // Zeros are no counts of a model that is paid by characters.
  const { characters, cost_usd } = world.gateway.lines[0] ?? {};
  assertEquals([characters, cost_usd], [5, 0.00008]);
});

Deno.test("Deepgram's audio passes as it arrives, with its characters", async () => {
  const world = createWorld("deepgram", "aura-2-thalia-en", () => {
    const body = ReadableStream.from([SPOKEN.slice(0, 2), SPOKEN.slice(2)]);
    return new Response(body, { headers: { "content-type": "audio/mpeg" } });
  });
  const response = await world.ask({ voice: "nova" });
  assertEquals(response.headers.get("x-sluice-converted"), "voice nova->aura-2-thalia-en");
  assertEquals(await response.bytes(), SPOKEN);
  assertEquals(world.sent, [["/v1/speak", { text: "Hello" }]]);
  assertEquals(world.gateway.lines[0]?.characters, 5);
});
