/**
 * Reads a form with a file: first its fields, then the file while it is being sent. If the model
 * comes after the file, the file must be buffered.
 */

import { Buffer } from "node:buffer";
import { GatewayError, invalidValue } from "../core/errors.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { MemoryLease } from "../core/in_flight_memory.ts";
import type { FormField, FormImage, UploadedFile } from "../contract/form.ts";
import { toFieldMembers } from "../apis/read_fields.ts";
import type { FormPart, MultipartReader } from "./multipart.ts";
import { MEMORY_PER_BYTE } from "./request_body.ts";

/** The number of file bytes to keep while it is sent, so that it can be sent to another target. */
const MAX_REPLAYED_BYTES = 256 * 1024;
/** The maximum length of a field's value, in bytes, and the maximum number of fields. */
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 64;
/** The maximum number of files, the same as OpenAI's for edits (2026-11). */
const MAX_IMAGES = 17;
/** Memory for a buffered file is reserved in steps of this many bytes. */
const MEMORY_STEP = 256 * 1024;

/** The limits for a buffered file. */
export interface FileLimits {
  readonly maxBytes: number;
  readonly memory: MemoryLease | undefined;
  /** The size of the body in bytes, if the caller declares it. */
  readonly declared: number | undefined;
}

/** A form whose model is known. */
export interface Form {
  /** Strings, or lists of strings for names that are repeated or end in `[]`. */
  readonly fields: JsonObject;
  readonly file: FormFile;
}

/**
 * Reads the parts of a form up to its file, and further if they do not name the model.
 *
 * @throws {GatewayError} `invalid_value` for a form without a file; `too_large`.
 */
export async function readForm(reader: MultipartReader, limits: FileLimits): Promise<Form> {
  const fields: FormField[] = [];
  for (;;) {
    const part = await reader.nextPart();
    if (part === undefined) throw invalidValue("file", "is required");
    if (part.filename === undefined) {
      fields.push(await readField(part, fields.length));
      continue;
    }
    if (part.name !== "file") throw invalidValue(part.name.slice(0, 100), "must not be a file");
    const file = new FormFile(part, reader, limits);
    if (fields.some(([name]) => name === "model")) {
      await file.readHead();
      return { fields: toFieldMembers(fields), file };
    }
    await file.keep();
    await file.readHead();
    return { fields: toFieldMembers([...fields, ...file.lateFields]), file };
  }
}

/** A form whose files have arrived. */
export interface WholeForm {
  readonly fields: JsonObject;
  readonly images: readonly FormImage[];
}

/**
 * Reads all parts of a form.
 *
 * @throws {GatewayError} `too_large` or `overloaded` for files that cannot be buffered.
 */
export async function readWholeForm(
  reader: MultipartReader,
  limits: FileLimits,
): Promise<WholeForm> {
  const fields: FormField[] = [];
  const images: FormImage[] = [];
  const kept = new KeptBytes(limits);
  for (let part; (part = await reader.nextPart()) !== undefined;) {
    if (part.filename === undefined) {
      fields.push(await readField(part, fields.length));
      continue;
    }
    const { name, filename, type = "application/octet-stream" } = part;
    if (images.length >= MAX_IMAGES) {
      throw invalidValue(name.slice(0, 100), "contains too many files");
    }
    const packets: Uint8Array[] = [];
    for (let bytes; (bytes = await part.read()) !== undefined;) {
      kept.add(bytes.length);
      packets.push(bytes);
    }
    const bytes = Buffer.concat(packets);
    images.push({ name: name.replace(/\[\]$/, ""), filename: filename || "file", type, bytes });
  }
  return { fields: toFieldMembers(fields), images };
}

async function readField(part: FormPart, count: number): Promise<FormField> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let bytes = await part.read(); bytes !== undefined; bytes = await part.read()) {
    size += bytes.length;
    if (size > MAX_FIELD_BYTES) throw invalidValue(part.name.slice(0, 100), "is too long");
    pieces.push(bytes);
  }
  if (count >= MAX_FIELDS) {
    throw new GatewayError("invalid_request", "The form has too many fields");
  }
  return [part.name, Buffer.concat(pieces).toString("utf8")];
}

/** A form's file. */
class FormFile implements UploadedFile {
  readonly filename: string;
  readonly type: string;
  readonly lateFields: FormField[] = [];
  readonly #part: FormPart;
  readonly #reader: MultipartReader;
  readonly #limits: FileLimits;
  /** The packets from number {@linkcode #first} on. */
  #packets: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;
  /** Set if the whole file is buffered. */
  #kept: KeptBytes | undefined;
  #isOver = false;
  #pending: Promise<void> | undefined;
  #head: Uint8Array = new Uint8Array();
  #whole: Uint8Array<ArrayBuffer> | undefined;

  constructor(part: FormPart, reader: MultipartReader, limits: FileLimits) {
    this.filename = part.filename || "file";
    this.type = part.type ?? "application/octet-stream";
    this.#part = part;
    this.#reader = reader;
    this.#limits = limits;
  }

  get size(): number {
    return this.#isOver ? this.#bytes : Math.max(this.#bytes, this.#limits.declared ?? 0);
  }

  get isKept(): boolean {
    return this.#first === 0;
  }

  get whole(): Uint8Array<ArrayBuffer> | undefined {
    if (!this.#isOver || this.#first > 0) return undefined;
    return this.#whole ??= Buffer.concat(this.#packets);
  }

  get head(): Uint8Array {
    return this.#head;
  }

  /** Reads the packets of the file that have arrived, at least one. */
  async readHead(): Promise<void> {
    if (!this.#isOver && this.#packets.length === 0) await this.#advance();
    const [first = this.#head] = this.#packets;
    this.#head = this.#isOver ? this.whole ?? first : first;
  }

  async keep(): Promise<void> {
    if (this.#first > 0) throw new TypeError("The beginning of the file has not been kept");
    if (this.#kept === undefined) {
      this.#kept = new KeptBytes(this.#limits);
      this.#kept.add(this.#bytes);
    }
    while (!this.#isOver) await this.#advance();
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0;;) {
      if (at < this.#first) throw new TypeError("The beginning of the file has not been kept");
      const packet = this.#packets[at - this.#first];
      if (packet !== undefined) {
        at++;
        yield packet;
        this.#forget(at);
      } else if (this.#isOver) return;
      else await this.#advance();
    }
  }

  /** Reads one packet. Concurrent readers get the same packet. */
  #advance(): Promise<void> {
    return this.#pending ??= this.#receive().finally(() => this.#pending = undefined);
  }

  async #receive(): Promise<void> {
    const packet = await this.#part.read();
    if (packet !== undefined) {
      this.#bytes += packet.length;
      this.#kept?.add(packet.length);
      this.#packets.push(packet);
      return;
    }
    for (let part; (part = await this.#reader.nextPart()) !== undefined;) {
      if (part.filename !== undefined) {
        throw invalidValue(part.name.slice(0, 100), "must not be a second file");
      }
      this.lateFields.push(await readField(part, this.lateFields.length));
    }
    this.#isOver = true;
  }

  /** Drops the packets already read if the file is too large to be sent again. */
  #forget(read: number): void {
    if (this.#kept !== undefined || this.#bytes <= MAX_REPLAYED_BYTES || read <= this.#first) {
      return;
    }
    this.#packets.splice(0, read - this.#first);
    this.#first = read;
  }
}

/** Counts buffered bytes. */
class KeptBytes {
  readonly #limits: FileLimits;
  #bytes = 0;
  #counted = 0;

  constructor(limits: FileLimits) {
    this.#limits = limits;
  }

  /** @throws {GatewayError} `too_large` or `overloaded`. */
  add(bytes: number): void {
    this.#bytes += bytes;
    const { maxBytes, memory } = this.#limits;
    if (this.#bytes > maxBytes) {
      const message = `The file is over ${maxBytes} bytes; if a file may be longer, send the ` +
        "field 'model' before it";
      throw new GatewayError("too_large", message, { headers: { connection: "close" } });
    }
    if (this.#bytes <= this.#counted) return;
    const step = this.#bytes - this.#counted + MEMORY_STEP;
    if (memory?.take(step * MEMORY_PER_BYTE, "request") === false) {
      const message = "The gateway holds too many large requests at the moment; try again";
      throw new GatewayError("overloaded", message, {
        headers: { "retry-after": "1", connection: "close" },
      });
    }
    this.#counted += step;
  }
}
