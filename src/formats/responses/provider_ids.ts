/**
 * IDs that a provider has made, as clients see them: with the ID of the provider behind `@`, like
 * the pinned form of a model. Requests that refer to such an ID go only to that provider.
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";

/** An ID, and the provider that made it. */
export interface OwnedId {
  /** The provider's own ID. */
  readonly id: string;
  /** Absent for an ID that no provider has made. */
  readonly provider?: string;
}

/** Splits an ID at its last `@`: a provider's own ID contains none. */
export function parseOwnedId(id: string): OwnedId {
  const at = id.lastIndexOf("@");
  if (at <= 0 || at === id.length - 1) return { id };
  return { id: id.slice(0, at), provider: id.slice(at + 1) };
}

/** Puts the provider into the IDs of a response. */
export class IdMarker {
  readonly #suffix: string;

  /** @param provider the ID of the provider in the configuration */
  constructor(provider: string) {
    this.#suffix = `@${provider}`;
  }

  /** An ID, marked. */
  id(id: string): string {
    return id + this.#suffix;
  }

  /** A response with its own ID and those of its items marked. */
  response(response: JsonObject): JsonObject {
    const { previous_response_id: previous, output } = response;
    return {
      ...this.#object(response),
      ...(typeof previous === "string" && { previous_response_id: previous + this.#suffix }),
      ...(Array.isArray(output) && { output: output.map((item: unknown) => this.item(item)) }),
    };
  }

  /** An item with its ID marked. */
  item(item: unknown): unknown {
    return isObject(item) ? this.#object(item) : item;
  }

  /**
   * An event as JSON text with the ID of its item marked. The first `"item_id"` that is not within
   * a string is that of the event: quotes within strings are escaped.
   */
  eventText(data: string): string {
    const found = ITEM_ID.exec(data);
    if (found === null) return data;
    const end = found.index + found[0].length - 1;
    return `${data.slice(0, end)}${this.#suffix}${data.slice(end)}`;
  }

  #object(object: JsonObject): JsonObject {
    return typeof object.id === "string" ? { ...object, id: object.id + this.#suffix } : object;
  }
}

const ITEM_ID = /"item_id": ?"[^"\\]{1,200}"/;
