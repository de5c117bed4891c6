/** The error for an invalid JSON document. */

import type { JsonLimits } from "./limits.ts";

/** Names and indexes that lead to an element. */
export type JsonPath = readonly (string | number)[];

/** The document is not valid JSON or exceeds a limit. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  /** The exceeded limit; undefined when the document is not valid JSON. */
  readonly limit: keyof JsonLimits | undefined;
  /** The first element over the limit. */
  readonly path: JsonPath;

  constructor(message: string, limit?: keyof JsonLimits, path: JsonPath = []) {
    super(message);
    this.limit = limit;
    this.path = path;
  }
}

/** The states of the parser, and the expected token of each state for error messages. */
export const EXPECTED = {
  value: "a value",
  firstEntry: "a value or ']'",
  firstName: "a member name in double quotes or '}'",
  name: "a member name in double quotes",
  colon: "':'",
  nextEntry: "',' or ']'",
  nextMember: "',' or '}'",
  end: "the end",
} as const;

/** A state of the parser. */
export type State = keyof typeof EXPECTED;
