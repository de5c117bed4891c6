/** Reads the body of a request by a schema. */

import * as z from "zod";
import { isObject, type JsonObject } from "../core/json/object.ts";
import { GatewayError, invalidValue } from "../core/errors.ts";
import { copyTexts, withTextsOf } from "../core/json/number_texts.ts";
import { sentenceOf, shortPathOf, worstIssue } from "../core/validation_messages.ts";
import { snakeCase } from "../core/text.ts";
import type { FormField } from "../contract/form.ts";

/** The maximum number of fallback models of one request. */
const MAX_MODELS = 16;

/** The members that choose the models of a request. */
export const modelMembers = {
  model: z.string().min(1),
  models: z.array(z.string().min(1)).max(MAX_MODELS).nullish(),
};

/**
 * A body that is an object.
 *
 * @throws {GatewayError} `invalid_request` for any other.
 */
export function readObject(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw new GatewayError("invalid_request", "The request body must be a JSON object");
}

/**
 * Checks the members of a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readFields<Schema extends z.ZodObject>(
  members: JsonObject,
  schema: Schema,
): z.infer<Schema> {
  const result = schema.safeParse(members, { reportInput: true });
  if (result.success) return withTextsOf(members, result.data);
  const issue = worstIssue(result.error.issues);
  throw invalidValue(shortPathOf(issue.path), sentenceOf(issue));
}

/** A copy without members that are null, which means that they are absent. */
export function withoutNulls(members: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const name in members) if (members[name] !== null) copy[name] = members[name];
  copyTexts(members, copy);
  return copy;
}

/**
 * A member under its name in camelCase, or else in snake_case. Null counts as absent.
 *
 * https://protobuf.dev/programming-guides/json/ (2026-11-24): parsers accept both names.
 */
export function memberOf(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeName(name)] ?? undefined;
}

/** The spelling of a member that an object uses, for paths in errors. */
export function spellingOf(object: JsonObject, name: string): string {
  return object[name] === undefined && object[snakeName(name)] !== undefined
    ? snakeName(name)
    : name;
}

/** A cache of names. They come from the code of this folder, so there are few. */
const SNAKE_NAMES = new Map<string, string>();

function snakeName(name: string): string {
  let snake = SNAKE_NAMES.get(name);
  if (snake === undefined) SNAKE_NAMES.set(name, snake = snakeCase(name));
  return snake;
}

/** The error for content that cannot be sent to the target. */
export function unsupportedContent(param: string, why: string): GatewayError {
  return new GatewayError("unsupported_content", `'${param}' cannot be conveyed: ${why}`, {
    param,
  });
}

/** The path of a member, spelled as the caller spells it. */
export function pathIn(path: string, object: JsonObject, name: string): string {
  const spelling = spellingOf(object, name);
  return path === "" ? spelling : `${path}.${spelling}`;
}

/** A list; undefined if it is absent. @throws {GatewayError} `invalid_value` for anything else. */
export function listIn(
  object: JsonObject,
  name: string,
  path: string,
): readonly unknown[] | undefined {
  const value = memberOf(object, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw invalidValue(pathIn(path, object, name), "must be an array");
}

/** An object; undefined if it is absent. @throws {GatewayError} `invalid_value` otherwise. */
export function objectIn(object: JsonObject, name: string, path: string): JsonObject | undefined {
  const value = memberOf(object, name);
  if (value === undefined || isObject(value)) return value;
  throw invalidValue(pathIn(path, object, name), "must be an object");
}

/** A string; undefined if it is absent. @throws {GatewayError} `invalid_value` otherwise. */
export function stringIn(object: JsonObject, name: string, path: string): string | undefined {
  const value = memberOf(object, name);
  if (value === undefined || typeof value === "string") return value;
  throw invalidValue(pathIn(path, object, name), "must be a string");
}

/** The limits of a number. */
export interface NumberRule {
  readonly min: number;
  readonly max?: number;
  readonly isInteger?: boolean;
}

/**
 * Seeds are forwarded with all of their digits, since they may exceed the precision of a double.
 */
export const SEED: NumberRule = {
  min: -Number.MAX_VALUE,
  max: Number.MAX_VALUE,
  isInteger: true,
};

/** A number; undefined if it is absent. @throws {GatewayError} `invalid_value` otherwise. */
export function numberIn(
  object: JsonObject,
  name: string,
  path: string,
  { min, max, isInteger = false }: NumberRule,
): number | undefined {
  const value = memberOf(object, name);
  if (value === undefined) return undefined;
  const most = max ?? (isInteger ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE);
  const isValid = typeof value === "number" && value >= min && value <= most &&
    (!isInteger || Number.isInteger(value));
  if (isValid) return value;
  const isTooLarge = typeof value === "number" && value > most;
  const range = max === undefined && !isTooLarge ? `of at least ${min}` : `from ${min} to ${most}`;
  const kind = isInteger ? "an integer" : "a number";
  throw invalidValue(pathIn(path, object, name), `must be ${kind} ${range}`);
}

/** Texts, and lists of texts for names that are repeated or end in `[]`. */
export function toFieldMembers(fields: readonly FormField[]): JsonObject {
  const values = new Map<string, string | string[]>();
  for (const [written, value] of fields) {
    const name = written.replace(/\[\]$/, "");
    const before = values.get(name);
    if (before === undefined && name === written) values.set(name, value);
    else values.set(name, [...(before === undefined ? [] : [before].flat()), value]);
  }
  return Object.fromEntries(values);
}

const QUOTE = '"';
const BACKSLASH = 92;

/**
 * The raw length of the string value of a member, in UTF-16 units, escapes included.
 *
 * @param name the member's name in quotes; the first one after `from` counts
 * @returns undefined without such a member, or if its value is not a string
 */
export function stringLengthAfter(json: string, name: string, from = 0): number | undefined {
  const named = json.indexOf(name, from);
  if (named === -1) return undefined;
  const open = json.indexOf(QUOTE, named + name.length);
  if (open === -1 || !/^\s*:\s*$/.test(json.slice(named + name.length, open))) return undefined;
  for (let close = json.indexOf(QUOTE, open + 1); close !== -1;) {
    if (!isEscaped(json, close)) return close - open - 1;
    close = json.indexOf(QUOTE, close + 1);
  }
  return undefined;
}

/** Whether an odd number of backslashes stands before this position. */
function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
