/**
 * The mock's embeddings: unit vectors that depend only on the words, so similar texts have similar
 * vectors.
 */

import { crc32 } from "node:zlib";
import { isObject, type JsonObject } from "../../chat/chat.ts";
import { ignored } from "../contract/support.ts";
import type { DialectEmbeddings } from "../openai_compatible/embeddings.ts";

/** Numbers of a vector unless the request says otherwise, and the most that it may ask for. */
const USUAL_DIMENSIONS = 64;
const MAX_DIMENSIONS = 4096;

/** How many numbers of a vector one word changes. */
const PLACES_PER_WORD = 4;

const UNTOUCHED = ignored("the vectors depend only on the words");

/** What the mock takes. */
export const MOCK_EMBEDDINGS: DialectEmbeddings = {
  limits: { inputs: 2048 },
  parameters: {
    user: UNTOUCHED,
    input_type: UNTOUCHED,
    title: UNTOUCHED,
    truncate: ignored("no text is too long"),
  },
  extensions: {},
};

/** The answer to a request for embeddings. */
export function toEmbeddings(
  { model, input, dimensions, encoding_format }: JsonObject,
): JsonObject {
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
  const size = Math.min(Number(dimensions ?? USUAL_DIMENSIONS), MAX_DIMENSIONS);
  let tokens = 0;
  const data = inputs.map((entry, index) => {
    const words = wordsOf(entry);
    tokens += words.length;
    const numbers = toUnitVector(words, size);
    const embedding = encoding_format === "base64" ? toBase64(numbers) : [...numbers];
    return { object: "embedding", index, embedding };
  });
  return { object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** The words of a text; each token counts as a word. */
function wordsOf(input: unknown): readonly string[] {
  if (Array.isArray(input)) return input.flatMap((part) => isObject(part) ? [] : [String(part)]);
  const words = String(input).toLowerCase().split(/\s+/).filter((word) => word !== "");
  return words.length === 0 ? [" "] : words;
}

/** A vector of length 1, in numbers that float32 holds exactly. */
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

/** The next number of a sequence that looks like chance. */
function next(number: number): number {
  return (Math.imul(number, 1_664_525) + 1_013_904_223) >>> 0;
}

function toBase64(numbers: Float32Array<ArrayBuffer>): string {
  return new Uint8Array(numbers.buffer).toBase64();
}
