/**
 * The recent answers of targets that do not store answers themselves, so that clients can refer to
 * them by `previous_response_id` and `item_reference`. Each service key has its own.
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { TimeSlice } from "../../core/clock.ts";
import { parsePassed } from "../../core/json/passed_json.ts";
import { JsonReader } from "../../core/json/reader.ts";
import { toList } from "../../core/json/values.ts";
import { toJsonText } from "../../core/json/writer.ts";
import type { StateStore } from "../../memory/store.ts";
import { type ExpansionBudget, type ItemsSize, sizeOf } from "./expansion.ts";
import { findInputItem } from "./input_item_list.ts";
import { type ItemPlace, parseItemId } from "../../formats/responses/output_items.ts";

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

/** Larger answers, in UTF-16 units, are written and read in slices of time. */
const MAX_LENGTH_AT_ONCE = 256 * 1024;

/** The extra cost of an element besides its length, in UTF-16 units. */
const LENGTH_PER_ELEMENT = 16;

/** UTF-16 units that are parsed before the time is checked. */
const PIECE_LENGTH = 16 * 1024;

/** The gateway has written the entries itself, from values within narrower limits. */
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

  /** Stores an answer if there is space for it: at once, or in slices of time if it is large. */
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
   * Those of the items with these IDs that are still stored.
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

  /** The stored bytes of answers, after those that are being written. */
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
