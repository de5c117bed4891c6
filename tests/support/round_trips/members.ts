/** Members that several formats name alike, and the positions of calls. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import type { Call, Conversation } from "./conversation.ts";

const SAME: Readonly<Record<string, keyof Conversation>> = {
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  seed: "seed",
  stop: "stop",
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
  top_logprobs: "logprobs",
};

/** The numbers and words of a request, by their names in a format. */
export function toSampling(
  body: JsonObject,
  names: Readonly<Record<string, keyof Conversation>>,
): Partial<Conversation> {
  const found = Object.entries({ ...SAME, ...names }).filter(([name]) => body[name] !== undefined);
  return Object.fromEntries(found.map(([name, own]) => [own, body[name]]));
}

/** The calls of a conversation in their order; results name them by ID or function. */
export class CallOrder {
  readonly #calls: { readonly id: string | undefined; readonly name: string; open: boolean }[] = [];

  add(
    { id, name, input }: { readonly id?: string; readonly name: string; input: JsonObject },
  ): Call {
    this.#calls.push({ id, name, open: true });
    return { id: id ?? "", name, input };
  }

  idOf(position: number): string {
    return this.#calls[position]?.id ?? "";
  }

  nameOf(position: number): string {
    return this.#calls[position]?.name ?? "";
  }

  /** The position of the call that a result belongs to: the last with the ID, else the first open. */
  positionOf(id: unknown, name?: string): number {
    const at = id === undefined
      ? this.#calls.findIndex((call) => call.open && call.name === name)
      : this.#calls.findLastIndex((call) => call.id === id);
    const call = this.#calls[at];
    if (call === undefined) throw new RangeError(`No call for the result of ${id ?? name}`);
    call.open = false;
    return at;
  }
}
