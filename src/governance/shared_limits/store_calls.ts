/** The calls that settle and admit requests in the store, and the handling of their replies. */

import { MAX_WAIT_MS } from "../../memory/shared_store/connection.ts";
import type { StoreLink } from "../../memory/shared_store/shared_store.ts";
import {
  type AdmissionRequest,
  type AdmissionResult,
  Batch,
  type LimitsState,
  MAX_COLLECT_MS,
  type Settlement,
} from "./batch.ts";
import { earlierKeys } from "./commands.ts";
import type { ScriptName, StoreReply } from "./scripts.ts";
import type { StoreCopy } from "./store_copy.ts";
import type { AppliedLimits } from "../counters.ts";

/** Receives the late result of an admission, or undefined if none will arrive. */
export type OnLate = (request: AdmissionRequest, result: AdmissionResult | undefined) => void;

/** A call's results. */
export interface RunResult {
  readonly results: ReadonlyMap<AdmissionRequest, AdmissionResult>;
  readonly unconfirmed: readonly Settlement[];
}

export class StoreCalls {
  readonly #link: StoreLink<ScriptName, StoreReply>;
  readonly #copy: StoreCopy;

  /** @param copy receives the state from replies */
  constructor(link: StoreLink<ScriptName, StoreReply>, copy: StoreCopy) {
    this.#link = link;
    this.#copy = copy;
  }

  /** Sends a call for each owner of limits, all of them at once. */
  async run(
    settlements: readonly Settlement[],
    requests: readonly AdmissionRequest[] = [],
    onLate: OnLate = () => {},
  ): Promise<RunResult> {
    const results = new Map<AdmissionRequest, AdmissionResult>();
    const unconfirmed: Settlement[] = [];
    const parts = [...byOwner(settlements, requests).values()];
    await Promise.all(parts.map(async (part) => {
      const found = await this.#runPart(part, [], onLate);
      if (found === undefined) unconfirmed.push(...part.settlements);
      for (const [index, request] of part.requests.entries()) {
        const result = found?.[index];
        if (result !== undefined) results.set(request, result);
      }
    }));
    return { results, unconfirmed };
  }

  /** Rereads the state of limits, which releases crashed replicas' reservations. Never rejects. */
  async read(limits: readonly AppliedLimits[]): Promise<void> {
    await Promise.all(limits.map((one) => this.#runPart({ settlements: [], requests: [] }, [one])));
  }

  /** @returns the requests' results; undefined if the store did not reply in time */
  async #runPart(
    { settlements, requests }: BatchPart,
    read: readonly AppliedLimits[] = [],
    onLate: OnLate = () => {},
  ): Promise<readonly AdmissionResult[] | undefined> {
    const batch = new Batch(
      settlements,
      requests,
      this.#copy.wallTime(),
      (budget) => this.#copy.lastKnown(budget),
      read,
    );
    const { keys, args } = batch.toCall();
    const reply = await this.#link.ask("batch", keys, args, {
      waitMs: MAX_WAIT_MS - MAX_COLLECT_MS,
      onLate: (late) => {
        const found = late && batch.read(late).results;
        for (const [index, one] of requests.entries()) onLate(one, found?.[index]);
      },
    });
    if (reply === undefined) return undefined;
    const { now, states, results } = batch.read(reply);
    this.#copy.setTime(now);
    for (const state of states) this.#update(state, now);
    return results;
  }

  #update(state: LimitsState, now: number): void {
    const { isNew, missing } = this.#copy.update(state, now);
    // If it fails, the connection was lost, and the next one restores all budgets.
    if (missing !== undefined) void this.#link.ask("restore", missing.keys, missing.args);
    if (isNew) void this.#takeOver(state.limits);
  }

  /** Raises a budget to the amount that an earlier version stored, if that is higher. */
  async #takeOver({ id, budget }: AppliedLimits): Promise<void> {
    if (budget === undefined) return;
    const spent = (await this.#link.ask("earlier", earlierKeys(budget), []))?.[0]?.[0] ?? 0;
    if (spent === 0) return;
    const { keys, args } = this.#copy.raise(id, budget, spent);
    await this.#link.ask("restore", keys, args);
  }
}

/** One owner's settlements and requests. */
interface BatchPart {
  readonly settlements: Settlement[];
  readonly requests: AdmissionRequest[];
}

/** A script call uses the limits of only one owner. */
function byOwner(
  settlements: readonly Settlement[],
  requests: readonly AdmissionRequest[],
): ReadonlyMap<string, BatchPart> {
  const parts = new Map<string, BatchPart>();
  const partOf = ({ id }: AppliedLimits) => {
    const part = parts.get(id) ?? { settlements: [], requests: [] };
    parts.set(id, part);
    return part;
  };
  for (const settlement of settlements) partOf(settlement.limits).settlements.push(settlement);
  for (const request of requests) partOf(request.limits).requests.push(request);
  return parts;
}
