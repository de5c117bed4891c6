/** Uploads an object whose size is not known, with one part of it in memory. */

import { Buffer } from "node:buffer";
import type { S3Bucket } from "./s3_bucket.ts";

/** Bytes of a part. S3 takes at least 5 MiB, except for the last one, and at most 10,000 parts. */
const PART_BYTES = 16 * 1024 * 1024;

export class S3Upload {
  readonly #bucket: S3Bucket;
  readonly #key: string;
  readonly #metadata: Readonly<Record<string, string>>;
  readonly #partBytes: number;
  readonly #parts: Awaited<ReturnType<S3Bucket["putPart"]>>[] = [];
  #id: string | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #size = 0;

  constructor(
    bucket: S3Bucket,
    key: string,
    metadata: Readonly<Record<string, string>>,
    partBytes = PART_BYTES,
  ) {
    this.#partBytes = partBytes;
    this.#bucket = bucket;
    this.#key = key;
    this.#metadata = metadata;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#size += bytes.length;
    if (this.#waitingBytes >= this.#partBytes) await this.#putPart();
  }

  /** Makes the object visible. Returns its size in bytes. */
  async end(): Promise<number> {
    if (this.#id === undefined) {
      await this.#bucket.put(this.#key, this.#takeWaiting(), this.#metadata);
      return this.#size;
    }
    if (this.#waitingBytes > 0) await this.#putPart();
    await this.#bucket.endUpload(this.#key, this.#id, this.#parts);
    this.#id = undefined;
    return this.#size;
  }

  /** Removes what was uploaded if the object is not complete. */
  async abandon(): Promise<void> {
    if (this.#id !== undefined) await this.#bucket.abandonUpload(this.#key, this.#id);
  }

  async #putPart(): Promise<void> {
    this.#id ??= await this.#bucket.beginUpload(this.#key, this.#metadata);
    const number = this.#parts.length + 1;
    const part = await this.#bucket.putPart(this.#key, this.#id, number, this.#takeWaiting());
    this.#parts.push(part);
  }

  #takeWaiting(): Uint8Array {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }
}
