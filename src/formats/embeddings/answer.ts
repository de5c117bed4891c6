/** Writes the answer of `POST /v1/embeddings`. */

import type { TimeSlice } from "../../core/clock.ts";
import { fromFloat32Base64, toFloat32Base64 } from "../../core/float32.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { Encoding, Vector } from "../../providers/contract/embeddings.ts";

/** An answer before it is written. */
export interface EmbeddingsAnswer {
  /** The vendor's, or one of the gateway: some clients require it. */
  readonly id: string;
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[];
  readonly model: string;
  readonly usage: JsonObject;
  /** Further members of the vendor's answer. */
  readonly extra: JsonObject;
}

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
