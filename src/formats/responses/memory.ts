/**
 * The recent answers of targets that do not store answers themselves, so that clients can refer to
 * them by `previous_response_id` and `item_reference`. Each service key has its own.
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { toList } from "../../core/json/values.ts";
import type { StateStore } from "../../reasoning_state/store.ts";
import { findInputItem } from "./input_item_list.ts";
import { parseItemId } from "./output_items.ts";

/** One stored answer. */
export interface KeptAnswer {
  readonly response: JsonObject;
  /** The input of its request, without the earlier answers. */
  readonly input: readonly JsonObject[];
  /** The IDs of the earlier answers of the conversation, the oldest first. */
  readonly earlier: readonly string[];
}

/** The conversation that ends with an answer. */
export interface KeptConversation {
  /** The IDs of its answers, the oldest first. */
  readonly ids: readonly string[];
  readonly items: readonly JsonObject[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The answers of one service key. */
export class AnswerMemory {
  readonly #store: StateStore;
  readonly #owner: string;

  constructor(store: StateStore, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Stores an answer if there is space for it. */
  keep(answer: KeptAnswer): void {
    const bytes = encoder.encode(JSON.stringify(answer));
    this.#store.put(this.#owner, String(answer.response.id), bytes);
  }

  /** The answer with this ID, if it is still stored. */
  async find(id: string): Promise<KeptAnswer | undefined> {
    return (await this.#findAll([id])).get(id);
  }

  /** Removes an answer. */
  remove(id: string): void {
    this.#store.remove(this.#owner, id);
  }

  /** The conversation that ends with an answer; undefined if any part of it is no longer stored. */
  async conversation(id: string): Promise<KeptConversation | undefined> {
    const last = await this.find(id);
    if (last === undefined) return undefined;
    const found = last.earlier.length === 0 ? NO_ANSWERS : await this.#findAll(last.earlier);
    const items: JsonObject[] = [];
    for (const answer of [...last.earlier.map((earlier) => found.get(earlier)), last]) {
      if (answer === undefined) return undefined;
      items.push(...answer.input, ...toList(answer.response.output).filter(isObject));
    }
    return { ids: [...last.earlier, id], items };
  }

  /** Those of the items with these IDs that are still stored. */
  async items(ids: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    const places = ids.flatMap((id) => {
      const place = parseItemId(id);
      return place === undefined ? [] : [{ id, ...place }];
    });
    const found = new Map<string, JsonObject>();
    if (places.length === 0) return found;
    const answers = await this.#findAll([...new Set(places.map(({ response }) => response))]);
    for (const { id, response, isInput, index } of places) {
      const answer = answers.get(response);
      if (answer === undefined) continue;
      const item = isInput
        ? findInputItem(answer, id, index)
        : toList(answer.response.output)[index];
      if (isObject(item) && (isInput || item.id === id)) found.set(id, item);
    }
    return found;
  }

  async #findAll(ids: readonly string[]): Promise<ReadonlyMap<string, KeptAnswer>> {
    const found = await this.#store.get(this.#owner, ids);
    return new Map([...found].map(([id, bytes]) => [id, JSON.parse(decoder.decode(bytes))]));
  }
}

const NO_ANSWERS: ReadonlyMap<string, KeptAnswer> = new Map();
