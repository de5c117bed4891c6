/**
 * The mock's images, speech, transcripts, rankings and moderations. They depend only on the
 * request, and identify themselves as a mock's where possible.
 */

import { crc32 } from "node:zlib";
import type { JsonObject } from "../../core/json/object.ts";
import type { UploadedFile } from "../../contract/form.ts";
import { converted, ignored } from "../../contract/support.ts";
import type { OperationApis } from "../../contract/operations.ts";
import { dialectImages } from "../openai_compatible/images.ts";
import { dialectModerations } from "../openai_compatible/moderations.ts";
import { dialectRerank } from "../openai_compatible/rerank.ts";
import { dialectSpeech, dialectTranscriptions } from "../openai_compatible/audio.ts";
import { ALWAYS_DATA, writeGrayPng } from "../shared/images.ts";
import { toWav } from "../shared/speech.ts";
import { countWords, wordsOf } from "./words.ts";
import type { VendorRequest } from "../../contract/vendor_request.ts";

const UNTOUCHED = ignored("the answer is always the same");
const MISSING = ignored("a mock has none");

/** The limits of the mock. */
export const MOCK_MEDIA: OperationApis = {
  images: dialectImages({
    parameters: {
      size: ignored("always 64x64"),
      quality: UNTOUCHED,
      style: UNTOUCHED,
      background: UNTOUCHED,
      moderation: MISSING,
      output_format: ignored("always PNG"),
      output_compression: UNTOUCHED,
      response_format: ALWAYS_DATA,
      user: MISSING,
    },
    extensions: {},
  }),
  speech: dialectSpeech({
    parameters: {
      voice: UNTOUCHED,
      instructions: UNTOUCHED,
      response_format: converted("wav or pcm; wav for others"),
      speed: UNTOUCHED,
    },
    extensions: {},
    request(body, { changes, request: { response_format: format = USUAL_FORMAT } }) {
      if (format === "pcm" || format === "wav") return { ...body, response_format: format };
      changes.convert("response_format", format, "wav");
      return body;
    },
  }),
  transcriptions: dialectTranscriptions({
    parameters: {
      language: UNTOUCHED,
      prompt: UNTOUCHED,
      temperature: UNTOUCHED,
      timestamp_granularities: MISSING,
      include: MISSING,
      chunking_strategy: MISSING,
    },
    extensions: {},
  }),
  rerank: dialectRerank({}, { texts: true, extensions: {} }),
  moderations: dialectModerations(true, {}),
};

/** OpenAI's format of speech without `response_format`. */
const USUAL_FORMAT = "mp3";

/** An answer in pieces. */
interface Media {
  readonly pieces: readonly (string | Uint8Array<ArrayBuffer>)[];
  /** Whether the pieces are sent one by one. */
  readonly stream?: boolean;
  readonly type?: string;
}

/** The answer to a request that is neither a chat nor embeddings. */
export async function toMedia({ body, form, url }: VendorRequest): Promise<Media> {
  const [, path = ""] = /^mock:\/(.*)$/.exec(url) ?? [];
  switch (path) {
    case "images/generations":
    case "images/edits":
      return toImages(body, path.endsWith("edits") ? "image_edit" : "image_generation");
    case "audio/speech":
      return toSpeech(body);
    case "rerank":
      return json(toRanking(body));
    case "moderations":
      return json(toJudgments(body));
    default:
      return await toTranscript(body, form?.file);
  }
}

function json(answer: JsonObject): Media {
  return { pieces: [JSON.stringify(answer)] };
}

function toEvent(event: JsonObject): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const CREATED = 1_700_000_000;
/** The side length of an image in pixels. */
const SIDE = 64;

function toImages({ model, prompt, n, stream, partial_images }: JsonObject, name: string): Media {
  const count = Number(n ?? 1);
  const input = countWords([String(prompt)]);
  const usage = { input_tokens: input, output_tokens: count, total_tokens: input + count };
  const images = Array.from({ length: count }, (_, index) => draw(`${prompt} ${index}`).toBase64());
  if (stream !== true) {
    const data = images.map((b64_json) => ({ b64_json }));
    return json({ created: CREATED, data, model, usage });
  }
  const partial = Array.from({ length: Number(partial_images ?? 0) }, (_, index) =>
    toEvent({
      type: `${name}.partial_image`,
      b64_json: draw(`${prompt} part ${index}`).toBase64(),
      partial_image_index: index,
      created_at: CREATED,
    }));
  const whole = images.map((b64_json) =>
    toEvent({ type: `${name}.completed`, b64_json, created_at: CREATED, usage })
  );
  return { pieces: [...partial, ...whole], stream: true };
}

/** A gray pattern of the bits of a text's checksum, mirrored. */
function draw(text: string): Uint8Array<ArrayBuffer> {
  const bits = crc32(text);
  const lines = new Uint8Array(SIDE * (SIDE + 1));
  for (let at = 0; at < SIDE * SIDE; at++) {
    const [row, column] = [Math.floor(at / SIDE), at % SIDE];
    const cell = Math.floor(row / 8) * 4 + Math.floor(Math.min(column, SIDE - 1 - column) / 8);
    lines[row * (SIDE + 1) + column + 1] = (bits >>> cell) & 1 ? 224 : 64;
  }
  return writeGrayPng(SIDE, SIDE, lines);
}

const RATE = 24_000;
/** Samples of a tone for each character, and their minimum and maximum in an answer. */
const SAMPLES_PER_CHARACTER = RATE / 15;
const MIN_SAMPLES = RATE / 4;
const MAX_SAMPLES = 10 * RATE;
/** The size of a piece of audio in bytes. */
const PIECE_BYTES = 16_384;

/** A tone with the duration of the spoken text, at most ten seconds. */
function toSpeech({ input, response_format: format, stream_format }: JsonObject): Media {
  const text = String(input);
  const requested = Math.round(text.length * SAMPLES_PER_CHARACTER);
  const tone = sound(Math.min(MAX_SAMPLES, Math.max(MIN_SAMPLES, requested)));
  const audio = format === "pcm" ? tone : toWav(tone, RATE);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < audio.length; at += PIECE_BYTES) {
    pieces.push(audio.slice(at, at + PIECE_BYTES));
  }
  if (stream_format !== "sse") {
    return { pieces, stream: true, type: format === "pcm" ? "audio/pcm" : "audio/wav" };
  }
  const [words, length] = [countWords([text]), pieces.length];
  const usage = { input_tokens: words, output_tokens: length, total_tokens: words + length };
  const deltas = pieces.map((piece) => {
    const delta = { type: "speech.audio.delta", audio: piece.toBase64() };
    return `data: ${JSON.stringify(delta)}\n\n`;
  });
  const done = `data: ${JSON.stringify({ type: "speech.audio.done", usage })}\n\n`;
  return { pieces: [...deltas, done], stream: true };
}

/** 16-bit samples of a 440 Hz tone. */
function sound(samples: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < samples; at++) {
    view.setInt16(2 * at, Math.round(3000 * Math.sin(2 * Math.PI * 440 * at / RATE)), true);
  }
  return bytes;
}

/** Bytes per second of audio: 128 kbit/s. */
const BYTES_PER_SECOND = 16_000;

/** Describes the received audio. */
async function toTranscript(body: JsonObject, file: UploadedFile | undefined): Promise<Media> {
  let bytes = 0;
  if (file !== undefined) { for await (const packet of file.read()) bytes += packet.length; }
  const name = (file?.filename ?? "").slice(0, 100);
  const text = `This is a mock: it received ${bytes} bytes of the file '${name}'.`;
  const usage = { type: "duration", seconds: Math.max(1, Math.ceil(bytes / BYTES_PER_SECOND)) };
  const { response_format: format, stream } = body;
  if (stream === true) {
    const deltas = wordsOf(text).map((delta) => toEvent({ type: "transcript.text.delta", delta }));
    return { pieces: [...deltas, toEvent({ type: "transcript.text.done", text, usage })], stream };
  }
  if (format === "text") return { pieces: [text], type: "text/plain; charset=utf-8" };
  return json({ text, usage });
}

/** The maximum number of words to compare: real models also have such limits. */
const MAX_COMPARED = 8192;

/** The score of a document is the share of the query's words that it contains. */
function toRanking({ documents, model, query }: JsonObject): JsonObject {
  const requested = [...wordSet(String(query))];
  const list: readonly unknown[] = Array.isArray(documents) ? documents : [];
  const texts = list.map(String);
  const results = texts.map((text, index) => {
    const words = wordSet(text);
    const shared = requested.filter((word) => words.has(word)).length;
    return { index, relevance_score: requested.length === 0 ? 0 : shared / requested.length };
  });
  return { model, results, usage: { total_tokens: countWords([String(query), ...texts]) } };
}

function wordSet(text: string): ReadonlySet<string> {
  const words = text.slice(0, 16 * MAX_COMPARED).toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.slice(0, MAX_COMPARED));
}

const CATEGORIES = ["harassment", "hate", "self-harm", "sexual", "violence"];

/** A text is flagged for each category whose name it contains. */
function toJudgments({ input, model }: JsonObject): JsonObject {
  const list: readonly unknown[] = Array.isArray(input) ? input : [input];
  const isParts = list.some((entry) => typeof entry === "object");
  const texts = isParts ? [JSON.stringify(list)] : list.map(String);
  const results = texts.map((text) => {
    const words = text.toLowerCase();
    const entries = CATEGORIES.map((name) => [name, words.includes(name)] as const);
    const scores = entries.map(([name, has]) => [name, has ? 0.99 : 0.01]);
    return {
      flagged: entries.some(([, has]) => has),
      categories: Object.fromEntries(entries),
      category_scores: Object.fromEntries(scores),
    };
  });
  return { id: "modr-mock", model, results };
}
