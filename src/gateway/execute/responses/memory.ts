/**
 * The recent answers of targets that do not store answers themselves, so that clients can refer to
 * them by `previous_response_id` and `item_reference`; separate for each service key. Measures
 * their items, limits their size in a request, and lists their input.
 */

import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { TimeSlice } from "../../../core/clock.ts";
import { JsonReader, parsePassed } from "../../../core/json/reader.ts";
import { isText, toList } from "../../../core/json/values.ts";
import { toJsonText } from "../../../core/json/writer.ts";
import type { StateStore } from "../../../memory/store.ts";
import {
  inputItemId,
  type ItemPlace,
  parseItemId,
  textPart,
} from "../../../apis/responses/output_items.ts";
import { GatewayError, invalidValue } from "../../../core/errors.ts";
import { itemNotFound } from "../../../apis/responses/native_body.ts";

/** The size of items as JSON. */
export interface ItemsSize {
  /** UTF-16 units, without escapes. */
  readonly length: number;
  /** List entries and object members. */
  readonly elements: number;
}

/** Quotes, a comma or a colon. */
const PUNCTUATION_LENGTH = 3;
/** A number or a literal. */
const SCALAR_LENGTH = 5;

/** Measures items. */
export function sizeOf(items: readonly unknown[]): ItemsSize {
  let length = 0;
  let elements = 0;
  const pending: unknown[] = [items];
  while (pending.length > 0) {
    const value = pending.pop();
    length += PUNCTUATION_LENGTH;
    if (typeof value === "string") length += value.length;
    else if (Array.isArray(value)) {
      elements += value.length;
      for (const entry of value) pending.push(entry);
    } else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        elements++;
        length += name.length + PUNCTUATION_LENGTH;
        pending.push(member);
      }
    } else length += SCALAR_LENGTH;
  }
  return { length, elements };
}

/** The budget for stored items in a request. */
export class ExpansionBudget {
  #length: number;
  #elements: number;

  /** Takes what remains of `server.max_body` and `server.max_elements` for stored items. */
  constructor({ length, elements }: ItemsSize) {
    this.#length = length;
    this.#elements = elements;
  }

  /** @throws {GatewayError} `too_large` if the items exceed the rest. */
  take({ length, elements }: ItemsSize): void {
    this.#length -= length;
    this.#elements -= elements;
    if (this.#length >= 0 && this.#elements >= 0) return;
    const limit = this.#length < 0 ? "server.max_body" : "server.max_elements";
    throw new GatewayError(
      "too_large",
      `The request and the stored items that it refers to together exceed '${limit}'. ` +
        "Begin a new conversation, or send fewer items",
    );
  }
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/**
 * A page of the input items, the newest first unless `order` is `asc`.
 *
 * @param query with its `?`, or empty
 * @throws {GatewayError} `invalid_value` for a parameter, `response_not_found` for an unknown item.
 */
export function toInputItemList({ response, input }: KeptAnswer, query: string): JsonObject {
  const given = new URLSearchParams(query);
  const limit = given.get("limit") ?? String(DEFAULT_LIMIT);
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > MAX_LIMIT) {
    throw invalidValue("limit", `must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  const order = given.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalidValue("order", "must be 'asc' or 'desc'");
  const idOf = (item: JsonObject, index: number) =>
    isText(item.id) ? item.id : inputItemId(String(response.id), item, index);
  const ids = input.map(idOf);
  const positions = order === "asc" ? [...ids.keys()] : [...ids.keys()].reverse();
  const after = given.get("after");
  const last = after === null ? -1 : positions.findIndex((position) => ids[position] === after);
  if (after !== null && last === -1) throw itemNotFound(after, "after");
  const page = positions.slice(last + 1, last + 1 + Number(limit));
  const data = page.map((position) => toListed(input[position] ?? {}, ids[position] ?? ""));
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: last + 1 + page.length < positions.length,
  };
}

/** An item with its ID, and with parts instead of a text. */
function toListed(item: JsonObject, id: string): JsonObject {
  const { role, content } = item;
  if ((item.type ?? "message") !== "message") return { ...item, id };
  const isAnswer = role === "assistant";
  const parts = typeof content === "string"
    ? [isAnswer ? textPart(content) : { type: "input_text", text: content }]
    : content;
  return { type: "message", status: "completed", ...item, id, content: parts };
}

/** An item of the input by its ID. */
function findInputItem(
  { response, input }: KeptAnswer,
  id: string,
  index: number,
): JsonObject | undefined {
  const item = input[index];
  if (!isObject(item)) return undefined;
  return inputItemId(String(response.id), item, index) === id ? item : undefined;
}

/** One stored answer. */
export interface KeptAnswer {
  readonly response: JsonObject;
  /** The model that its request named; absent in entries of an earlier version. */
  readonly model?: string;
  /** The input of its request, without the earlier answers. */
  readonly input: readonly JsonObject[];
  /** The IDs of the earlier answers of the conversation, the oldest first. */
  readonly earlier: readonly string[];
}

/** An answer as it is stored. */
interface StoredAnswer extends KeptAnswer {
  /** The size of its input and its output. */
  readonly size?: ItemsSize;
}

/** The conversation that ends with an answer. */
export interface KeptConversation {
  /** The IDs of its answers, the oldest first. */
  readonly ids: readonly string[];
  readonly items: readonly JsonObject[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Larger answers, in UTF-16 units, are written and read in time slices. */
const MAX_LENGTH_AT_ONCE = 256 * 1024;

/** The cost of an element in addition to its length, in UTF-16 units. */
const LENGTH_PER_ELEMENT = 16;

/** The number of UTF-16 units that are parsed between time checks. */
const PIECE_LENGTH = 16 * 1024;

/** The gateway wrote the entries itself, from values within narrower limits. */
const NO_LIMITS = { elements: Infinity, members: Infinity, depth: Infinity };

/** The answers that are being written to each store, by ID. */
const writing = new WeakMap<StateStore, Map<string, Promise<void>>>();

/** The answers of one service key. */
export class AnswerMemory {
  readonly #store: StateStore;
  readonly #owner: string;

  constructor(store: StateStore, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Stores an answer if there is space for it: at once, or in time slices if it is large. */
  keep(answer: KeptAnswer): void {
    const size = sizeOf([answer.input, answer.response.output]);
    const stored: StoredAnswer = { size, ...answer };
    const id = String(answer.response.id);
    if (size.length + LENGTH_PER_ELEMENT * size.elements <= MAX_LENGTH_AT_ONCE) {
      this.#put(id, JSON.stringify(stored));
      return;
    }
    const pending = writingTo(this.#store);
    const write = async () => {
      try {
        this.#put(id, await toJsonText(stored));
      } finally {
        pending.delete(id);
      }
    };
    pending.set(id, write());
  }

  #put(id: string, text: string): void {
    this.#store.put(this.#owner, id, encoder.encode(text));
  }

  /** The answer with this ID, if it is still stored. */
  async find(id: string): Promise<KeptAnswer | undefined> {
    const bytes = (await this.#read([id])).get(id);
    return bytes && await parse(bytes, new TimeSlice());
  }

  /** Removes an answer. */
  remove(id: string): void {
    this.#store.remove(this.#owner, id);
  }

  /**
   * The conversation that ends with an answer; undefined if any part of it is no longer stored.
   *
   * @throws {GatewayError} `too_large` if it exceeds the budget.
   */
  async conversation(id: string, budget: ExpansionBudget): Promise<KeptConversation | undefined> {
    const last = await this.find(id);
    if (last === undefined) return undefined;
    const found = last.earlier.length === 0 ? NOTHING : await this.#read(last.earlier);
    const parts: KeptAnswer[] = [];
    const slice = new TimeSlice();
    for (const earlier of last.earlier) {
      const bytes = found.get(earlier);
      if (bytes === undefined) return undefined;
      const answer = await parse(bytes, slice);
      budget.take(sizeOfAnswer(answer));
      parts.push(answer);
    }
    budget.take(sizeOfAnswer(last));
    const items = [...parts, last].flatMap(({ input, response }) => [
      ...input,
      ...toList(response.output).filter(isObject),
    ]);
    return { ids: [...last.earlier, id], items };
  }

  /**
   * The items with these IDs that are still stored.
   *
   * @throws {GatewayError} `too_large` if they exceed the budget.
   */
  async items(
    ids: readonly string[],
    budget: ExpansionBudget,
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const places = new Map<string, (ItemPlace & { readonly id: string })[]>();
    for (const id of ids) {
      const place = parseItemId(id);
      if (place === undefined) continue;
      const { response } = place;
      const known = places.get(response);
      if (known === undefined) places.set(response, [{ id, ...place }]);
      else known.push({ id, ...place });
    }
    const found = new Map<string, JsonObject>();
    if (places.size === 0) return found;
    const slice = new TimeSlice();
    for (const [response, bytes] of await this.#read([...places.keys()])) {
      const answer = await parse(bytes, slice);
      for (const place of places.get(response) ?? []) {
        const item = itemAt(answer, place);
        if (item === undefined) continue;
        budget.take(sizeOf([item]));
        found.set(place.id, item);
        if (slice.isOver) await slice.next();
      }
    }
    return found;
  }

  /** The stored bytes of answers, after pending writes. */
  async #read(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const pending = writing.get(this.#store);
    if (pending !== undefined && pending.size > 0) {
      await Promise.all(ids.map((id) => pending.get(id)));
    }
    return await this.#store.get(this.#owner, ids);
  }
}

const NOTHING: ReadonlyMap<string, Uint8Array> = new Map();

function writingTo(store: StateStore): Map<string, Promise<void>> {
  let pending = writing.get(store);
  if (pending === undefined) writing.set(store, pending = new Map());
  return pending;
}

async function parse(bytes: Uint8Array, slice: TimeSlice): Promise<StoredAnswer> {
  if (bytes.length <= MAX_LENGTH_AT_ONCE) {
    const answer = parsePassed(decoder.decode(bytes)) as StoredAnswer;
    if (slice.isOver) await slice.next();
    return answer;
  }
  const text = decoder.decode(bytes);
  const reader = new JsonReader(NO_LIMITS);
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    reader.push(text.slice(at, at + PIECE_LENGTH));
    if (slice.isOver) await slice.next();
  }
  return reader.end() as StoredAnswer;
}

/** Entries of an earlier version lack the size. */
function sizeOfAnswer({ size, input, response }: StoredAnswer): ItemsSize {
  return size ?? sizeOf([input, response.output]);
}

function itemAt(
  answer: KeptAnswer,
  { id, isInput, index }: ItemPlace & { readonly id: string },
): JsonObject | undefined {
  if (isInput) return findInputItem(answer, id, index);
  const item = toList(answer.response.output)[index];
  return isObject(item) && item.id === id ? item : undefined;
}
