/** Form requests with a file that is sent as it arrives. */

import type { JsonObject } from "../core/json/object.ts";

/** A file from the caller. */
export interface UploadedFile {
  /** The file's name, from which vendors infer its format. */
  readonly filename: string;
  /** The media type. */
  readonly type: string;
  /** The whole file, if it arrived before the request could be sent. */
  readonly whole: Uint8Array<ArrayBuffer> | undefined;
  /** The bytes that had arrived when the form was read. */
  readonly head: Uint8Array;
  /** Whether the file can still be read from its start. */
  readonly isKept: boolean;
  /** Estimated bytes. */
  readonly size: number;
  /**
   * Reads the file from its beginning.
   *
   * @throws {GatewayError} when it has not been buffered; `client_gone` and `request_timeout` for
   * the caller.
   */
  read(): AsyncIterable<Uint8Array>;
  /**
   * Receives and buffers the whole file, for a vendor that does not accept forms.
   *
   * @throws {GatewayError} `too_large` or `overloaded`; `client_gone` and `request_timeout` of the
   * caller.
   */
  keep(): Promise<void>;
  /** The fields after the file, once it has been read. */
  readonly lateFields: readonly FormField[];
}

/** The name and value of a field. */
export type FormField = readonly [name: string, value: string];

/** A file that has arrived. */
export interface FormImage {
  /** The name of the file's field. */
  readonly name: string;
  readonly filename: string;
  /** The media type. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A form in the vendor's format. */
export interface VendorForm {
  readonly fields: readonly FormField[];
  /** Files that are sent before {@linkcode file}. */
  readonly images?: readonly FormImage[];
  /** The file that is sent as it arrives, if any. */
  readonly file?: UploadedFile;
  /** Converts a field that arrived after the file; undefined to omit it. */
  toLateField?(field: FormField): FormField | undefined;
}

/** A file that is the whole body of a request, and is sent as it arrives. */
export interface VendorUpload {
  readonly file: UploadedFile;
  /** Receives a field that arrived after the file. */
  onLateField(field: FormField): void;
}

/** @param listMark the suffix of a list's name */
export function toFormFields(body: JsonObject, listMark = "[]"): readonly FormField[] {
  return Object.entries(body).flatMap(([name, value]): readonly FormField[] =>
    Array.isArray(value)
      ? value.map((entry) => [`${name}${listMark}`, toText(entry)])
      : [[name, toText(value)]]
  );
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
