/**
 * The size of stored items that a short request refers to: including them, the request has the same
 * limits as one that contains them.
 */

import { GatewayError } from "../../core/errors.ts";

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

/** What stored items may still add to a request. */
export class ExpansionBudget {
  #length: number;
  #elements: number;

  /** @param most what `server.max_body` and `server.max_elements` leave for stored items */
  constructor({ length, elements }: ItemsSize) {
    this.#length = length;
    this.#elements = elements;
  }

  /** @throws {GatewayError} `too_large` if the items exceed what is left. */
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
