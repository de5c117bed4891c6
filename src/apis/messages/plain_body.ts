/**
 * Recognizes plain bodies: blocks of text, calls of tools and their results, and the usual
 * parameters. Most conversations with agents are plain. They are valid without the schema, which
 * copies each value: 120 messages with 40 tools take 10 instead of 110 µs (2026-11-29). A test
 * compares both.
 */

import {
  type Check,
  isBetween,
  isBoolean,
  isCount,
  isName,
  isString,
} from "../chat/read_request.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";

const isNullish: Check = (value) => value === undefined || value === null;

/** An object as the schema copies it: without a member that its copy does not have. */
const isCopied = (value: unknown): value is JsonObject =>
  isObject(value) && !Object.hasOwn(value, "__proto__");

const isTextBlock: Check = (value) =>
  isCopied(value) && value.type === "text" && typeof value.text === "string";

const isListOf = (isEntry: Check): Check => (value) => {
  if (!Array.isArray(value)) return false;
  for (let at = 0; at < value.length; at++) if (!isEntry(value[at])) return false;
  return true;
};
const isTextBlocks = isListOf(isTextBlock);

const isBlock: Check = (value) => {
  if (!isCopied(value)) return false;
  switch (value.type) {
    case "text":
      return typeof value.text === "string";
    case "tool_use":
      return isName(value.id) && isName(value.name) && Object.hasOwn(value, "input");
    case "tool_result": {
      const { content, is_error: isError } = value;
      return isName(value.tool_use_id) && (isNullish(isError) || isBoolean(isError)) &&
        (isNullish(content) || isString(content) || isTextBlocks(content));
    }
    case "thinking":
      return isString(value.thinking) && (isNullish(value.signature) || isString(value.signature));
    default:
      return false;
  }
};
const isBlocks = isListOf(isBlock);

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);
const isMessages: Check = (value) =>
  Array.isArray(value) && value.length > 0 &&
  value.every((message) =>
    isCopied(message) && ROLES.has(message.role) &&
    (isString(message.content) || isBlocks(message.content))
  );

const isTool: Check = (value) =>
  isCopied(value) && isName(value.name) &&
  (isNullish(value.type) || isString(value.type)) &&
  (isNullish(value.description) || isString(value.description)) &&
  (isNullish(value.input_schema) || isCopied(value.input_schema)) &&
  (isNullish(value.strict) || isBoolean(value.strict));

const isMetadata: Check = (value) =>
  isCopied(value) && (isNullish(value.user_id) || isString(value.user_id));

/** In the order of the schema, which decides the order of receipts. */
const MEMBERS: ReadonlyMap<string, Check> = new Map([
  ["model", isName],
  ["messages", isMessages],
  ["max_tokens", isCount],
  ["stream", isBoolean],
  ["system", (value) => isString(value) || isTextBlocks(value)],
  ["temperature", isBetween(0, 1)],
  ["stop_sequences", isListOf(isString)],
  ["tools", isListOf(isTool)],
  ["metadata", isMetadata],
]);
const REQUIRED = ["model", "messages"];

/**
 * The members of a plain body in the order of the schema; undefined for any other body, which may be
 * valid, too. Nothing within them may be changed.
 */
export function toPlainBody(body: JsonObject): JsonObject | undefined {
  for (const name in body) if (!MEMBERS.has(name)) return undefined;
  for (const name of REQUIRED) if (!Object.hasOwn(body, name)) return undefined;
  const plain: JsonObject = {};
  for (const [name, isPlain] of MEMBERS) {
    if (!Object.hasOwn(body, name)) continue;
    if (!isPlain(body[name])) return undefined;
    plain[name] = body[name];
  }
  return plain;
}
