/** Members of Gemini's JSON, which callers may write in either of protobuf's two spellings. */

import type { JsonObject } from "../../core/json/object.ts";

/**
 * A member under its name in camelCase, or else in snake_case. Null counts as absent.
 *
 * https://protobuf.dev/programming-guides/json/ (2026-11-24): parsers accept both names.
 */
export function memberOf(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeCase(name)] ?? undefined;
}

/** The spelling of a member that an object has, for paths in errors. */
export function spellingOf(object: JsonObject, name: string): string {
  return object[name] === undefined && object[snakeCase(name)] !== undefined
    ? snakeCase(name)
    : name;
}

/** The names that were asked for: the code of this folder, so they are few. */
const SNAKE_NAMES = new Map<string, string>();

function snakeCase(name: string): string {
  let snake = SNAKE_NAMES.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    SNAKE_NAMES.set(name, snake);
  }
  return snake;
}
