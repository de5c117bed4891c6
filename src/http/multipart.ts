/**
 * Reads a body of `multipart/form-data` part by part (RFC 7578,
 * https://www.rfc-editor.org/rfc/rfc7578, 2015-07).
 */

import { Buffer } from "node:buffer";
import { GatewayError } from "../core/errors.ts";
import type { PassedUpload } from "../gateway/passed_request.ts";

/** One part of a form. It must be read to its end before the next part. */
export interface FormPart {
  readonly name: string;
  /** Undefined for a field without a file. */
  readonly filename: string | undefined;
  readonly type: string | undefined;
  /** Returns the next bytes, which are never empty; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
}

/** The maximum length of a part's headers, in bytes. */
const MAX_HEAD_BYTES = 16 * 1024;

/** The boundary of a form; undefined for other media types. */
export function boundaryOf(type: string | null): string | undefined {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i
      .exec(type ?? "") ?? [];
  return quoted ?? plain;
}

/** The maximum number of bytes before the first part of a form, and after its end. */
const MAX_REST_BYTES = 64 * 1024;
/** The maximum length of a part's media type, in characters. */
const MAX_TYPE_CHARS = 256;

/** Reads parts. */
export class MultipartReader {
  readonly #next: () => Promise<Uint8Array | undefined>;
  readonly #delimiter: Buffer;
  /** Bytes that have arrived but have not been returned. */
  #bytes: Buffer = Buffer.from("\r\n");
  #isOver = false;

  /** @param next returns the next bytes of the body; undefined at its end */
  constructor(next: () => Promise<Uint8Array | undefined>, boundary: string) {
    this.#next = next;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /**
   * Returns the next part, after the previous one has been read completely; undefined after the
   * last one.
   *
   * @throws {GatewayError} `invalid_request` for a form that is not complete.
   */
  async nextPart(): Promise<FormPart | undefined> {
    if (this.#isOver) return undefined;
    await this.#skipPreamble();
    this.#bytes = this.#bytes.subarray(this.#delimiter.length);
    while (this.#bytes.length < 2) await this.#fill();
    if (this.#bytes.toString("latin1", 0, 2) === "--") {
      this.#isOver = true;
      await this.#readRest();
      return undefined;
    }
    const head = await this.#readHead();
    return { ...parseHead(head), read: () => this.#readBytes() };
  }

  /** Skips the data before the first part, which may be endless. */
  async #skipPreamble(): Promise<void> {
    let size = 0;
    for (let bytes; (bytes = await this.#readBytes()) !== undefined;) {
      size += bytes.length;
      if (size > MAX_REST_BYTES) throw faulty("has bytes before its first part");
    }
  }

  /** Reads the data after the form, up to the end of the body. */
  async #readRest(): Promise<void> {
    let size = 0;
    for (let bytes; (bytes = await this.#next()) !== undefined;) {
      size += bytes.length;
      if (size > MAX_REST_BYTES) throw faulty("has bytes after its end");
    }
  }

  async #readHead(): Promise<string> {
    for (let searched = 0;;) {
      const end = this.#bytes.indexOf("\r\n\r\n", searched);
      if (end !== -1) {
        const head = this.#bytes.toString("utf8", 0, end);
        this.#bytes = this.#bytes.subarray(end + 4);
        return head;
      }
      if (this.#bytes.length > MAX_HEAD_BYTES) {
        throw faulty("has a part whose headers are too long");
      }
      searched = Math.max(0, this.#bytes.length - 3);
      await this.#fill();
    }
  }

  /** The bytes before the next delimiter; undefined if the delimiter follows. */
  async #readBytes(): Promise<Uint8Array | undefined> {
    for (;;) {
      const at = this.#bytes.indexOf(this.#delimiter);
      if (at === 0) return undefined;
      const end = at === -1 ? this.#bytes.length - this.#delimiter.length + 1 : at;
      if (end > 0) {
        const bytes = this.#bytes.subarray(0, end);
        this.#bytes = this.#bytes.subarray(end);
        return bytes;
      }
      await this.#fill();
    }
  }

  async #fill(): Promise<void> {
    const packet = await this.#next();
    if (packet === undefined) throw faulty("is not complete");
    this.#bytes = Buffer.concat([this.#bytes, packet]);
  }
}

function parseHead(head: string): Omit<FormPart, "read"> {
  const lines = head.split("\r\n");
  const valueOf = (name: string) => {
    const line = lines.find((text) => text.toLowerCase().startsWith(`${name}:`));
    return line?.slice(name.length + 1).trim();
  };
  const disposition = valueOf("content-disposition") ?? "";
  const name = parameterOf(disposition, "name");
  if (name === undefined) throw faulty("has a part without a name");
  const filename = extendedName(disposition) ?? parameterOf(disposition, "filename");
  return { name, filename, type: mediaType(valueOf("content-type")) };
}

/**
 * The name of a file in `filename*`; some clients send only this for non-ASCII names (RFC 5987,
 * 3.2; https://github.com/urllib3/urllib3/issues/303, 2026-11).
 */
function extendedName(disposition: string): string | undefined {
  const [, encoded] = /;\s*filename\*=utf-8'[\w-]*'([^;\s]*)/i.exec(disposition) ?? [];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return "";
  }
}

/** A media type that can be a header in the vendor's request. */
function mediaType(text: string | undefined): string | undefined {
  const isValid = text !== undefined && text.length <= MAX_TYPE_CHARS &&
    /^[\x20-\x7e]+$/.test(text);
  return isValid ? text : undefined;
}

function parameterOf(text: string, name: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;"\\s]+))`, "i").exec(text) ?? [];
  return quoted?.replace(/\\(.)/g, "$1") ?? plain;
}

function faulty(what: string): GatewayError {
  return new GatewayError("invalid_request", `The form ${what}`);
}

/** The maximum length of a field that is checked, in bytes. */
const MAX_FIELD_BYTES = 64 * 1024;

/** A body of `multipart/form-data`. Files are forwarded; a rejected field ends the request. */
export class CheckedForm implements PassedUpload {
  readonly #body: PassedUpload;
  readonly #boundary: string;
  readonly #check: (name: string, value: string) => void;

  /** @param check called with each field. @throws {GatewayError} for a rejected field. */
  constructor(
    body: PassedUpload,
    boundary: string,
    check: (name: string, value: string) => void,
  ) {
    this.#body = body;
    this.#boundary = boundary;
    this.#check = check;
  }

  get bytes(): number {
    return this.#body.bytes;
  }

  get isComplete(): boolean {
    return this.#body.isComplete;
  }

  get onVendorStalled(): () => void {
    return this.#body.onVendorStalled;
  }

  set onVendorStalled(run: () => void) {
    this.#body.onVendorStalled = run;
  }

  /** Packets are sent once their parts have been checked. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const packets = this.#body[Symbol.asyncIterator]();
    const checked: Uint8Array[] = [];
    const form = new MultipartReader(async () => {
      const { done, value } = await packets.next();
      if (done) return undefined;
      checked.push(value);
      return value;
    }, this.#boundary);
    try {
      for (let part; (part = await form.nextPart()) !== undefined;) {
        let value: Buffer | undefined = part.filename === undefined ? Buffer.alloc(0) : undefined;
        for (let bytes; (bytes = await part.read()) !== undefined;) {
          if (value === undefined) yield* checked.splice(0);
          else value = Buffer.concat([value, bytes]);
          if (value !== undefined && value.length > MAX_FIELD_BYTES) throw tooLong(part.name);
        }
        if (value !== undefined) this.#check(part.name, value.toString());
      }
      yield* checked;
    } finally {
      await packets.return?.();
    }
  }
}

function tooLong(name: string): GatewayError {
  const shown = name.slice(0, MAX_SHOWN_CHARS);
  return new GatewayError(
    "too_large",
    `The form field '${shown}' is too long to be checked`,
  );
}

const MAX_SHOWN_CHARS = 100;
