/** Events of transcription by vendors whose events are not OpenAI's. */

import { assertEquals } from "@std/assert";
import OpenAI, { toFile } from "openai";
import { TranscriptStreamReader } from "../../src/apis/transcriptions/transcriptions.ts";
import { eventMembers, transcriptEvents } from "../../src/providers/mistral/speech.ts";
import { foldPieces } from "../support/native_pieces.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { serveGateway, serveVendor } from "../support/server.ts";

const MODEL = "voxtral-mini-2602";
const USAGE = { prompt_audio_seconds: 6, prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const SENT = [
  { type: "transcription.language", audio_language: "en" },
  { type: "transcription.text.delta", text: "Good " },
  { type: "transcription.text.delta", text: "däy" },
  { type: "transcription.segment", text: "Good", start: 0, end: 0.5, speaker_id: "speaker_1" },
  { type: "transcription.segment", text: "däy", start: 0.5, end: null, speaker_id: null },
  { type: "transcription.done", model: MODEL, text: "Good däy", language: "en", usage: USAGE },
];
const RECEIVED = [
  SENT[0],
  { type: "transcript.text.delta", delta: "Good " },
  { type: "transcript.text.delta", delta: "däy" },
  ...[
    { id: "seg_0", text: "Good", start: 0, end: 0.5, speaker: "speaker_1" },
    { id: "seg_1", text: "däy", start: 0.5, end: null },
  ].map((segment) => ({ type: "transcript.text.segment", ...segment })),
  { type: "transcript.text.done", text: "Good däy", model: MODEL, language: "en", usage: USAGE },
];

const TEXT = SENT.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(
  "",
);

function readEvents(text: string): unknown[] {
  return text.split("\n\n").filter(Boolean).map((event) => {
    const [name = "", data = ""] = event.split("\n");
    const value = JSON.parse(data.replace("data: ", ""));
    assertEquals(name, `event: ${value.type}`);
    return value;
  });
}

Deno.test("Mistral's events cut at every byte get OpenAI's names", () => {
  const bytes = new TextEncoder().encode(TEXT);
  for (let at = 1; at < bytes.length; at++) {
    const reader = new TranscriptStreamReader(MODEL, () => undefined);
    const pieces = [bytes.slice(0, at), bytes.slice(at)];
    const text = foldPieces(pieces, { reader, unwrap: transcriptEvents() });
    assertEquals(readEvents(text), RECEIVED, `cut at ${at}`);
    assertEquals([reader.complete, reader.outputChars], [true, 8]);
  }
});

Deno.test("an event that is expensive to read is not converted, and does not pass", () => {
  const delta = `{"type":"transcription.text.delta","text":"a","x":[${"{},".repeat(100_000)}{}]}`;
  assertEquals(eventMembers({ data: delta }), {});
  const reader = new TranscriptStreamReader(MODEL, () => undefined);
  const bytes = new TextEncoder().encode(`data: ${delta}\n\n`);
  assertEquals(foldPieces([bytes], { reader, unwrap: transcriptEvents() }), "");
  assertEquals(reader.started, false);
});

Deno.test("openai package: a stream of Mistral's transcript is charged by its seconds", async () => {
  const models = [{ id: MODEL, prices: { minute: 0.6 } }];
  await using vendor = serveVendor(async (request) => {
    assertEquals((await request.formData()).get("stream"), "true");
    return new Response(TEXT, { headers: { "content-type": "text/event-stream" } });
  });
  const base_url = `${vendor.url}/v1`;
  const provider = { kind: "mistral", api_key: VENDOR_KEY, base_url, models };
  await using served = serveGateway({ config: { providers: { mistral: provider } } });
  const { fetch, gateway, url } = served;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const file = await toFile(new Uint8Array(100), "a.mp3");
  let text = "";
  for await (
    const event of await client.audio.transcriptions.create({ file, model: MODEL, stream: true })
  ) {
    if (event.type === "transcript.text.delta") text += event.delta;
  }
  assertEquals(text, "Good däy");
  const { cost_usd, outcome, seconds } = gateway.lines.at(-1) ?? {};
  assertEquals([outcome, seconds, cost_usd], ["done", 6, 0.06]);
});
