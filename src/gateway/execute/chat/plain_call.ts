/**
 * Plain chat requests for adapters whose changes depend only on the presence of members: each shape
 * is converted once. The first request of each shape uses the regular conversion, so that the rules
 * stay in one place; shapes with further changes are always converted.
 */

import type { ChatRequest, JsonObject } from "../../../contract/chat.ts";
import { hasTraits } from "../../../apis/chat/web_search.ts";
import type { Target } from "../../../config/config.ts";
import { copyTexts } from "../../../core/json/number_texts.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import { RequestChanges } from "../../../contract/request_changes.ts";
import { prepare, type Prepared } from "./prepare_request.ts";
import type { Call, VendorRequest } from "../../../contract/vendor_request.ts";

/** The members of plain requests. Parameters with two bits have a separate shape for each value. */
const MEMBERS: ReadonlyMap<string, number> = new Map(
  [
    ...["model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens"],
    ...["frequency_penalty", "presence_penalty", "user", "seed", "stream", "stream_options"],
  ].map((name, index) => [name, 1 << index]),
);
const STREAMS = 1 << 12;
const INCLUDES_USAGE = 1 << 13;
const ROLES: ReadonlyMap<string, number> = new Map(
  ["system", "developer", "user", "assistant"].map((role, index) => [role, 1 << (14 + index)]),
);

/** The maximum number of shapes per target. */
const MAX_SHAPES = 64;

/** The result of an adapter for a shape. */
interface PlainShape {
  readonly adapter: Adapter;
  readonly head: Omit<VendorRequest, "body">;
  /** The model in the vendor's body. */
  readonly model: unknown;
  /** Members of the body that are the same for all requests of the shape. */
  readonly constants: Readonly<JsonObject>;
  readonly added: readonly string[];
}

/** The shapes of each target; undefined for a shape that must be converted. */
const SHAPES = new WeakMap<Target, Map<number, PlainShape | undefined>>();

/**
 * The request for one target, if its shape is known to need no conversion.
 *
 * @returns undefined for any other request, which needs the regular conversion
 */
export function preparePlain(
  target: Target,
  request: ChatRequest,
  changes: RequestChanges,
  newId: Call["newId"],
): Prepared | undefined {
  const { model, params, provider } = target;
  if (provider.adapter.convertsByPresence !== true || params !== undefined) return undefined;
  const shape = shapeOf(request);
  if (shape === undefined) return undefined;
  const plain = knownShape(target, shape, request);
  if (plain === undefined) return undefined;
  const fields: JsonObject = {};
  const body: JsonObject = { model: plain.model, messages: request.messages };
  for (const name in request) {
    if (name === "model" || name === "messages") continue;
    fields[name] = request[name];
    body[name] = request[name];
  }
  for (const name in plain.constants) body[name] = plain.constants[name];
  copyTexts(request, body);
  for (const path of plain.added) changes.add(path);
  const stream = request.stream ?? false;
  const settings = provider.settings;
  const call = { request, fields, model, provider: settings, changes, stream, newId };
  return { adapter: plain.adapter, call, unsigned: { ...plain.head, body } };
}

function knownShape(target: Target, shape: number, request: ChatRequest): PlainShape | undefined {
  let shapes = SHAPES.get(target);
  if (shapes === undefined) SHAPES.set(target, shapes = new Map());
  const known = shapes.get(shape);
  if (known !== undefined || shapes.has(shape)) return known;
  const found = toPlainShape(target, request);
  if (shapes.size < MAX_SHAPES) shapes.set(shape, found);
  return found;
}

/** The result of the regular conversion; undefined if it changes more than the model. */
function toPlainShape(target: Target, request: ChatRequest): PlainShape | undefined {
  const changes = new RequestChanges();
  const { adapter, unsigned: { body, ...head } } = prepare(target, request, changes, (id) => id);
  const { model, messages, ...members } = body;
  const { added, chosen, converted, ignored } = changes;
  if (adapter.convertsByPresence !== true || !areSame(messages, request.messages)) return undefined;
  if (converted.size + ignored.size + chosen.size > 0) return undefined;
  const constants: JsonObject = {};
  for (const name in members) {
    if (isSame(members[name], request[name])) continue;
    // Any other member must be listed in the receipt.
    if (![...added].some((path) => path === name || path.startsWith(`${name}.`))) return undefined;
    constants[name] = members[name];
  }
  for (const name in request) if (body[name] === undefined) return undefined;
  const headers = Object.freeze({ ...head.headers });
  return { adapter, head: { ...head, headers }, model, constants, added: [...added] };
}

/** Whether a list holds the same messages. */
function areSame(list: unknown, messages: readonly unknown[]): boolean {
  return Array.isArray(list) && list.length === messages.length &&
    list.every((entry, index) => entry === messages[index]);
}

/** Whether a value is sent unchanged. The only objects among them are options of streams. */
function isSame(sent: unknown, requested: unknown): boolean {
  return sent === requested || JSON.stringify(sent) === JSON.stringify(requested);
}

/** The members and roles of a plain request as bits; undefined for any other request. */
function shapeOf(request: ChatRequest): number | undefined {
  if (hasTraits(request)) return undefined;
  let shape = 0;
  for (const name in request) {
    const bit = MEMBERS.get(name);
    if (bit === undefined || request[name] === undefined) return undefined;
    shape |= bit;
  }
  if (request.stream === true) shape |= STREAMS;
  const { stream_options: options } = request;
  for (const name in options) {
    if (name !== "include_usage") return undefined;
    if (options.include_usage === true) shape |= INCLUDES_USAGE;
  }
  for (const message of request.messages) {
    const bit = ROLES.get(message.role);
    if (bit === undefined || typeof message.content !== "string") return undefined;
    for (const name in message) if (name !== "role" && name !== "content") return undefined;
    shape |= bit;
  }
  return shape;
}
