/** Checks of single members, with their path in the error. */

import { GatewayError } from "../core/errors.ts";
import { invalidValue } from "../core/invalid_value.ts";
import { isObject, type JsonObject } from "../core/json/object.ts";
import { memberOf, spellingOf } from "./member_spellings.ts";

/** The error for content that the target cannot get. */
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

/** Seeds are passed on with all of their digits, so that they may be larger than a double holds. */
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
