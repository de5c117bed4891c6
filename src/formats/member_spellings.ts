/** Members of JSON that callers may write in either of the two spellings of protobuf. */

import type { JsonObject } from "../core/json/object.ts";
import { snakeCase } from "../core/snake_case.ts";

/**
 * A member under its name in camelCase, or else in snake_case. Null counts as absent.
 *
 * https://protobuf.dev/programming-guides/json/ (2026-11-24): parsers accept both names.
 */
export function memberOf(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeName(name)] ?? undefined;
}

/** The spelling of a member that an object has, for paths in errors. */
export function spellingOf(object: JsonObject, name: string): string {
  return object[name] === undefined && object[snakeName(name)] !== undefined
    ? snakeName(name)
    : name;
}

/** The names that were asked for: the code of this folder, so they are few. */
const SNAKE_NAMES = new Map<string, string>();

function snakeName(name: string): string {
  let snake = SNAKE_NAMES.get(name);
  if (snake === undefined) SNAKE_NAMES.set(name, snake = snakeCase(name));
  return snake;
}
