/** The interface of a kind of operation: what all of its requests have in common. */

import type { CallerFormat } from "../apis/chat/caller_format.ts";
import type { EndpointFacts } from "../apis/operation.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { FormImage, UploadedFile } from "../contract/form.ts";
import type { OperationFacts } from "./operation.ts";
import type { OperationSupport } from "../providers/support_matrix.ts";
import type { ParsedRequest } from "./parsed_request.ts";

/** A kind of operation, such as chat. An `Operation` is a single request. */
export interface OperationKind extends OperationFacts {
  readonly endpoints: readonly [OperationEndpoint, ...OperationEndpoint[]];
  /** How each kind of provider handles the fields in its requests. */
  readonly support: OperationSupport;
}

/** One endpoint. */
export interface OperationEndpoint extends EndpointFacts {
  /** The format of its errors. Default: the format that the request's headers indicate. */
  readonly format?: CallerFormat;
  /** @throws {GatewayError} `invalid_value` with the path of the first fault in `param`. */
  read(body: unknown, context: ReadContext): ParsedRequest;
  /**
   * Reads a request that is a form with a file. {@linkcode read} is then used only for the fields
   * of an explanation.
   */
  readForm?(fields: JsonObject, file: UploadedFile): ParsedRequest;
  /** The same for a form whose files are buffered. */
  readFiles?(fields: JsonObject, files: readonly FormImage[]): ParsedRequest;
  /** Reads the JSON that callers may send instead of a form. */
  readJson?(body: unknown): ParsedRequest;
}

/** The context in which the body of a request is read. */
export interface ReadContext {
  /**
   * Returns those of these headers that are present, by their names in lower case. The values,
   * which are printable ASCII, are sent to vendors.
   */
  formatHeaders(names: readonly string[]): ReadonlyMap<string, string>;
  /** Records that the answer is an estimate. */
  noteEstimate(): void;
}

/** The context for a request that has no headers, such as one from a file. */
export const NO_HEADERS: ReadContext = { formatHeaders: () => new Map(), noteEstimate() {} };
