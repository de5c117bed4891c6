/**
 * The recent answers of targets that do not store answers themselves, so that clients can refer to
 * them by `previous_response_id` and `item_reference`. Each service key has its own.
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { toList } from "../../core/json/values.ts";
import type { StateStore } from "../../reasoning_state/store.ts";
import { parseItemId } from "./output_items.ts";

/** One stored answer. */
export interface KeptAnswer {
  readonly response: JsonObject;
  /** The input of its request, without the earlier answers. */
  readonly input: readonly JsonObject[];
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
    const found = await this.#store.get(this.#owner, [id]);
    const bytes = found.get(id);
    return bytes === undefined ? undefined : JSON.parse(decoder.decode(bytes));
  }

  /** Removes an answer. */
  remove(id: string): void {
    this.#store.remove(this.#owner, id);
  }

  /**
   * The items of the conversation that ends with an answer; undefined if any part of it is no
   * longer stored.
   */
  async conversation(id: string): Promise<readonly JsonObject[] | undefined> {
    const answers: KeptAnswer[] = [];
    for (let next: unknown = id; typeof next === "string";) {
      const answer = await this.find(next);
      if (answer === undefined) return undefined;
      answers.push(answer);
      next = answer.response.previous_response_id;
    }
    return answers.reverse().flatMap(({ input, response }) => [
      ...input,
      ...toList(response.output).filter(isObject),
    ]);
  }

  /** Those of the items with these IDs that are still stored. */
  async items(ids: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    const found = new Map<string, JsonObject>();
    const answers = new Map<string, KeptAnswer | undefined>();
    for (const id of ids) {
      const place = parseItemId(id);
      if (place === undefined) continue;
      const { response, index } = place;
      if (!answers.has(response)) answers.set(response, await this.find(response));
      const item = toList(answers.get(response)?.response.output)[index];
      if (isObject(item) && item.id === id) found.set(id, item);
    }
    return found;
  }
}
