/** Checks of single members, with their path in the error. */

import { GatewayError } from "../core/errors.ts";
import { invalidValue } from "../core/invalid_value.ts";
import { toPlainNumber } from "../core/json/exact_numbers.ts";
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

/** A number; undefined if it is absent. @throws {GatewayError} `invalid_value` otherwise. */
export function numberIn(
  object: JsonObject,
  name: string,
  path: string,
  { min, max = Infinity, isInteger = false }: NumberRule,
): number | undefined {
  const value = toPlainNumber(memberOf(object, name));
  if (value === undefined) return undefined;
  const isValid = typeof value === "number" && value >= min && value <= max &&
    (!isInteger || Number.isInteger(value));
  if (isValid) return value;
  const kind = isInteger ? "an integer" : "a number";
  const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
  throw invalidValue(pathIn(path, object, name), `must be ${kind} ${range}`);
}
