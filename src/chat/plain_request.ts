/**
 * Recognizes plain requests: text messages and simple parameters. Most requests are plain. They are
 * valid without the schema, whose check takes 3 µs instead of 0.5 µs for two messages, and 220 µs
 * instead of 45 µs for 1,000 (2026-11-24). A test compares both.
 */

import { type ChatRequest, isObject, type JsonObject } from "./chat.ts";

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isName: Check = (value) => typeof value === "string" && value !== "";
const isBoolean: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const isBetween = (min: number, max: number): Check => (value) =>
  typeof value === "number" && value >= min && value <= max;

const ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant"]);

/** A loop without functions: conversations have many messages. */
const isMessages: Check = (value) => {
  if (!Array.isArray(value) || value.length === 0) return false;
  for (const message of value) {
    if (!isObject(message) || !ROLES.has(message.role)) return false;
    if (typeof message.content !== "string") return false;
    for (const name in message) {
      if (name === "name" ? typeof message.name !== "string" : !MESSAGE_MEMBERS.has(name)) {
        return false;
      }
    }
  }
  return true;
};
const isStreamOptions: Check = (value) => isObject(value) && hasOnly(value, STREAM_OPTIONS);

const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(["role", "content"]);

const STREAM_OPTIONS: ReadonlyMap<string, Check> = new Map([["include_usage", isBoolean]]);

/** In the order of the schema, which decides the order of receipts. */
const MEMBERS: ReadonlyMap<string, Check> = new Map([
  ["model", isName],
  ["messages", isMessages],
  ["stream", isBoolean],
  ["stream_options", isStreamOptions],
  ["temperature", isBetween(0, 2)],
  ["top_p", isBetween(0, 1)],
  ["max_tokens", isCount],
  ["max_completion_tokens", isCount],
  ["frequency_penalty", isBetween(-2, 2)],
  ["presence_penalty", isBetween(-2, 2)],
  ["user", isString],
]);

/** A plain request as the schema returns it; undefined for every other request. */
export function toPlainRequest(body: JsonObject): ChatRequest | undefined {
  if (body.model === undefined || body.messages === undefined) return undefined;
  if (!hasOnly(body, MEMBERS)) return undefined;
  const request: JsonObject = {};
  for (const name of MEMBERS.keys()) {
    const value = body[name];
    if (value !== undefined) request[name] = value;
  }
  return request as ChatRequest;
}

/** Whether an object has no other members than these, each with a valid value. */
function hasOnly(object: JsonObject, members: ReadonlyMap<string, Check>): boolean {
  for (const name in object) if (members.get(name)?.(object[name]) !== true) return false;
  return true;
}
