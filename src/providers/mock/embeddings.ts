/**
 * The mock's embeddings: unit vectors that depend only on the words, so similar texts have similar
 * vectors.
 */

import { crc32 } from "node:zlib";
import { isObject, type JsonObject } from "../../contract/chat.ts";
import { TimeSlice } from "../../core/clock.ts";
import { ignored } from "../../contract/support.ts";
import { dialectEmbeddings } from "../openai_compatible/embeddings.ts";
import { countWords } from "./words.ts";

/** The default and the maximum length of a vector. */
const USUAL_DIMENSIONS = 64;
const MAX_DIMENSIONS = 4096;

/** The number of a vector's elements that one word changes. */
const PLACES_PER_WORD = 4;

const UNTOUCHED = ignored("the vectors depend only on the words");

/** The limits of the mock. */
export const MOCK_EMBEDDINGS = dialectEmbeddings({
  limits: { inputs: 2048 },
  parameters: {
    user: UNTOUCHED,
    input_type: UNTOUCHED,
    title: UNTOUCHED,
    truncate: ignored("no text is too long"),
  },
  extensions: {},
});

/** The maximum number of words that a vector depends on. Real models also have such limits. */
const MAX_WORDS = 8192;
/** The UTF-16 units of a text that are searched for these words. */
const MAX_SEARCHED = 16 * MAX_WORDS;

/** The answer to a request for embeddings, as JSON. Other requests run between the vectors. */
export async function toEmbeddings(
  { model, input, dimensions, encoding_format }: JsonObject,
): Promise<string> {
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  const size = Math.min(Number(dimensions ?? USUAL_DIMENSIONS), MAX_DIMENSIONS);
  const slice = new TimeSlice();
  const data: string[] = [];
  let tokens = 0;
  for (const [index, entry] of inputs.entries()) {
    if (slice.isOver) await slice.next();
    tokens += countOf(entry);
    const numbers = toUnitVector(wordsOf(entry), size);
    const embedding = encoding_format === "base64" ? toBase64(numbers) : [...numbers];
    data.push(JSON.stringify({ object: "embedding", index, embedding }));
  }
  const usage = JSON.stringify({ prompt_tokens: tokens, total_tokens: tokens });
  const end = `"model":${JSON.stringify(model)},"usage":${usage}`;
  return `{"object":"list","data":[${data.join()}],${end}}`;
}

/** The number of words of a text; each token counts as a word. */
function countOf(input: unknown): number {
  return Array.isArray(input) ? input.length : Math.max(1, countWords([String(input)]));
}

/** The first words of a text, or its first tokens. */
function wordsOf(input: unknown): readonly string[] {
  if (Array.isArray(input)) {
    return input.slice(0, MAX_WORDS).flatMap((part) => isObject(part) ? [] : [String(part)]);
  }
  const words = String(input).slice(0, MAX_SEARCHED).toLowerCase().split(/\s+/)
    .filter((word) => word !== "").slice(0, MAX_WORDS);
  return words.length === 0 ? [" "] : words;
}

/** A vector of length 1, with elements that float32 represents exactly. */
function toUnitVector(words: readonly string[], size: number): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(size);
  for (const word of words) {
    let hash = crc32(word);
    for (let place = 0; place < PLACES_PER_WORD; place++) {
      hash = next(hash);
      const at = hash % size;
      sums[at] = (sums[at] ?? 0) + (hash & 0x10000 ? 1 : -1);
    }
  }
  const length = Math.hypot(...sums.filter((number) => number !== 0));
  if (length === 0) sums[0] = 1;
  return Float32Array.from(sums, (number) => number / (length || 1));
}

/** The next number of a pseudorandom sequence. */
function next(number: number): number {
  return (Math.imul(number, 1_664_525) + 1_013_904_223) >>> 0;
}

function toBase64(numbers: Float32Array<ArrayBuffer>): string {
  return new Uint8Array(numbers.buffer).toBase64();
}
