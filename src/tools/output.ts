import { isObject, type JsonObject } from "../core/json/object.ts";

/** What a command prints. */
export interface AdminOutput {
  /** For standard output. */
  readonly text: string;
  /** For standard error. */
  readonly note?: string;
}

/** The entries of a list. */
export function entriesOf({ data }: JsonObject): JsonObject[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}

/** A value in a table. */
export function cell(value: unknown): string {
  return value === undefined || value === null ? "-" : String(value);
}

/** A value as lines of JSON. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) + "\n";
}

/** Thrown for an invalid command line. The message says what is valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
