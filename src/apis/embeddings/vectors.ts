/** The vectors of answers: as numbers, or as float32 in base64. */

import type { Encoding, Vector } from "../../contract/embeddings.ts";
import type { TimeSlice } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { WrittenAnswer } from "../operation.ts";

/** An answer before it is written. */
export interface EmbeddingsAnswer {
  /** The vendor's, or one that the gateway generates, since some clients require it. */
  readonly id: string;
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[];
  readonly model: string;
  readonly usage: JsonObject;
  /** Further members of the vendor's answer. */
  readonly extra: JsonObject;
  /** The milliseconds since the request arrived. */
  readonly elapsedMs: number;
}

/** Writes an answer, in time slices; undefined for vectors that cannot be read. */
export type WriteVectors = (
  answer: EmbeddingsAnswer,
  encoding: Encoding,
  slice: TimeSlice,
) => Promise<WrittenAnswer["text"] | undefined>;

/** Answers over this many UTF-16 units are encoded in pieces. */
const MAX_TEXT_LENGTH = 256 * 1024;

/** The number of UTF-16 units that are encoded as one piece. */
const MAX_PIECE_LENGTH = 128 * 1024;

const encoder = new TextEncoder();

/**
 * Writes an answer with its vectors in the requested encoding. A vector that is already base64 is
 * not decoded.
 *
 * @param slice splits the work
 * @returns text, or pieces of it in UTF-8 for a long answer; undefined if a vector cannot be read
 */
export async function writeEmbeddings(
  answer: EmbeddingsAnswer,
  encoding: Encoding,
  slice: TimeSlice,
): Promise<string | readonly Uint8Array<ArrayBuffer>[] | undefined> {
  const { id, vectors, model, usage, extra } = answer;
  const body = new Body();
  body.add('{"object":"list","data":[');
  for (const [index, vector] of vectors.entries()) {
    const written = writeVector(vector, encoding);
    if (written === undefined) return undefined;
    body.add(
      `${index > 0 ? "," : ""}{"object":"embedding","index":${index},"embedding":${written}}`,
    );
    if (slice.isOver) await slice.next();
  }
  const rest = JSON.stringify({ model, usage, ...extra, id });
  body.add(`],${rest.slice(1)}`);
  return body.end();
}

/**
 * Writes the numbers of each vector, as JSON.
 *
 * @param slice splits the work
 * @returns undefined if a vector cannot be read
 */
export async function writeEachVector(
  vectors: readonly Vector[],
  slice: TimeSlice,
): Promise<readonly string[] | undefined> {
  const written: string[] = [];
  for (const vector of vectors) {
    const numbers = typeof vector === "string" ? fromFloat32Base64(vector) : vector;
    if (!numbers?.every(Number.isFinite)) return undefined;
    written.push(writeNumbers(numbers));
    if (slice.isOver) await slice.next();
  }
  return written;
}

function writeVector(vector: Vector, encoding: Encoding): string | undefined {
  if (typeof vector === "string") {
    if (encoding === "base64") return JSON.stringify(vector);
    const numbers = fromFloat32Base64(vector);
    return numbers === undefined ? undefined : writeNumbers(numbers);
  }
  if (!vector.every(Number.isFinite)) return undefined;
  return encoding === "base64" ? `"${toFloat32Base64(vector)}"` : writeNumbers(vector);
}

function writeNumbers(numbers: readonly number[]): string {
  return JSON.stringify(numbers);
}

/** Text that is encoded in pieces when it is long. */
class Body {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #text = "";

  add(text: string): void {
    this.#text += text;
    const limit = this.#chunks.length === 0 ? MAX_TEXT_LENGTH : MAX_PIECE_LENGTH;
    if (this.#text.length > limit) this.#flush();
  }

  end(): string | readonly Uint8Array<ArrayBuffer>[] {
    if (this.#chunks.length === 0) return this.#text;
    this.#flush();
    return this.#chunks;
  }

  #flush(): void {
    this.#chunks.push(encoder.encode(this.#text));
    this.#text = "";
  }
}

/** The numbers as float32 in base64. Exported for tests. */
export function toFloat32Base64(numbers: readonly number[]): string {
  const bytes = new Uint8Array(4 * numbers.length);
  if (IS_LITTLE_ENDIAN) new Float32Array(bytes.buffer).set(numbers);
  else {
    const view = new DataView(bytes.buffer);
    numbers.forEach((number, index) => view.setFloat32(4 * index, number, true));
  }
  return bytes.toBase64();
}

/** The numbers of float32 in base64; undefined for any other text. Exported for tests. */
export function fromFloat32Base64(text: string): readonly number[] | undefined {
  let bytes;
  try {
    bytes = Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  if (IS_LITTLE_ENDIAN) return [...new Float32Array(bytes.buffer)];
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.getFloat32(4 * index, true));
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
