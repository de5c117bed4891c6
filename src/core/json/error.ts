/** Why a JSON document was refused. */

import type { JsonLimits } from "./limits.ts";

/** Names and indexes that lead to an element. */
export type JsonPath = readonly (string | number)[];

/** A document that is not JSON, or exceeds a limit. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  /** The limit that the document exceeds; undefined when it is not JSON. */
  readonly limit: keyof JsonLimits | undefined;
  /** The first element over the limit. */
  readonly path: JsonPath;

  constructor(message: string, limit?: keyof JsonLimits, path: JsonPath = []) {
    super(message);
    this.limit = limit;
    this.path = path;
  }
}
