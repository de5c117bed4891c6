/** A form of the pass-through, whose fields are checked as it is sent. */

import { Buffer } from "node:buffer";
import { GatewayError } from "../core/errors.ts";
import type { PassedUpload } from "../routing/passed_request.ts";
import { MultipartReader } from "./multipart.ts";

/** The longest field that is checked, in bytes. */
const MAX_FIELD_BYTES = 64 * 1024;

/** A body of `multipart/form-data`. Files pass; a field that is refused ends the request. */
export class CheckedForm implements PassedUpload {
  readonly #body: PassedUpload;
  readonly #boundary: string;
  readonly #check: (name: string, value: string) => void;

  /** @param check called with each field. @throws {GatewayError} for a field that is refused. */
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

  /** Packets are sent once the parts in them are checked. */
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
    `The field '${shown}' of the form is too long to be checked`,
  );
}

const MAX_SHOWN_CHARS = 100;
