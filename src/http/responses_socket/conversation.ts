/** The last response of a connection, which the next request may continue although it is not stored. */

/** The text that all connections keep together, in UTF-16 units. */
export class ConversationBudget {
  readonly #limit: () => number;
  #used = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Exchanges a text for another one. Returns false if that exceeds the limit. */
  exchange(released: number, taken: number): boolean {
    const used = this.#used - released + taken;
    if (taken > released && used > this.#limit()) return false;
    this.#used = used;
    return true;
  }
}

/** The conversation of one connection. */
export class Conversation {
  readonly #budget: ConversationBudget;
  #id: string | undefined;
  /** The entries of its input and its output, without brackets. */
  #entries = "";

  constructor(budget: ConversationBudget) {
    this.#budget = budget;
  }

  /** The entries of the conversation that ends with a response; undefined if it is not kept. */
  find(id: string | undefined): string | undefined {
    return id !== undefined && id === this.#id ? this.#entries : undefined;
  }

  /** Keeps a response in place of the last one. Without space for it, nothing is kept. */
  keep(id: string, entries: string): void {
    if (!this.#budget.exchange(this.#entries.length, entries.length)) return this.forget();
    this.#id = id;
    this.#entries = entries;
  }

  forget(): void {
    this.#budget.exchange(this.#entries.length, 0);
    this.#id = undefined;
    this.#entries = "";
  }
}
