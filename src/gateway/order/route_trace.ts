/**
 * Records the reasons for the order of a request's targets, for the response header, the ledger and
 * explanations.
 */

import type { FallbackTarget, Target } from "../../config/config.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import type { Balance, MaxPrice } from "../../config/routing_schema.ts";

/** The caller's choices for one request. */
export interface RouteOptions {
  /** Overrides the `balance` of groups. */
  readonly balance?: Balance | undefined;
  /** The IDs or kinds of providers to try first, in lower case. */
  readonly order?: readonly string[] | undefined;
  /** The IDs or kinds of the only providers to try, in lower case. */
  readonly only?: readonly string[] | undefined;
  readonly maxPrice?: MaxPrice | undefined;
}

/** A target that a request does not use. */
export interface SkippedTarget {
  readonly target: Target;
  readonly reason: string;
}

/** The maximum number of notes per request. */
const MAX_NOTES = 20;

/**
 * Collects the decisions of one request as short ASCII text, such as `p2c, max-price=1`. A number
 * states how many targets were skipped or postponed for that reason.
 */
export class RouteTrace {
  readonly skipped: SkippedTarget[] = [];
  /** The groups that were ordered by price, each in config.yaml order. */
  priceOrders: (readonly FallbackTarget[])[] | undefined;
  readonly #counts = new Map<string, number>();
  readonly #columns: { route?: string | undefined };

  /** @param columns receive the text as `route` after each note */
  constructor(columns: { route?: string | undefined } = {}) {
    this.#columns = columns;
  }

  /** The text; undefined without a decision. */
  get text(): string | undefined {
    return this.#columns.route;
  }

  /** Records a decision about the whole request, once. */
  add(note: string): void {
    if (this.#counts.has(note)) return;
    this.#count(note, 0);
  }

  /** Records a request's cache breakpoints. */
  addMarks({ promptMarks: marks }: Pick<RequestChanges, "promptMarks">): void {
    if (marks !== undefined) this.add(marks === "all" ? "marks" : `marks-${marks}`);
  }

  /** Records a postponed target. */
  postpone(reason: string): void {
    this.#count(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** Records a skipped target. */
  skip(target: Target, reason: string): void {
    this.skipped.push({ target, reason });
    this.postpone(reason);
  }

  #count(note: string, count: number): void {
    if (this.#counts.size >= MAX_NOTES && !this.#counts.has(note)) return;
    const isNew = !this.#counts.has(note);
    this.#counts.set(note, count);
    if (isNew) {
      const text = count === 0 ? note : `${note}=${count}`;
      const { route } = this.#columns;
      this.#columns.route = route === undefined ? text : `${route}, ${text}`;
      return;
    }
    this.#columns.route = [...this.#counts]
      .map(([name, number]) => number === 0 ? name : `${name}=${number}`).join(", ");
  }
}

// The caller's choice of targets. It can only reorder or skip targets that the key may use.

/** The same choices with another `balance`, if there is one. */
export function withBalance(
  options: RouteOptions | undefined,
  balance: Balance | undefined,
): RouteOptions | undefined {
  return balance === undefined ? options : { ...options, balance };
}
