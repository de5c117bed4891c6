/** The calls that settle and admit requests in the store, and what their replies are used for. */

import { MAX_WAIT_MS } from "../../shared_store/connection.ts";
import type { StoreLink } from "../../shared_store/shared_store.ts";
import type { AppliedLimits } from "../admission.ts";
import { MAX_COLLECT_MS } from "./admission_batch.ts";
import {
  type Application,
  Batch,
  type LimitsState,
  type Outcome,
  type Settlement,
} from "./batch.ts";
import { earlierKeys } from "./commands.ts";
import type { ScriptName, StoreReply } from "./scripts.ts";
import type { StoreCopy } from "./store_copy.ts";

/** Receives the outcome of an application that came late, or undefined if none will come. */
export type OnLate = (application: Application, outcome: Outcome | undefined) => void;

/** What became of applications and settlements. */
export interface RunResult {
  readonly outcomes: ReadonlyMap<Application, Outcome>;
  readonly unconfirmed: readonly Settlement[];
}

export class StoreCalls {
  readonly #link: StoreLink<ScriptName, StoreReply>;
  readonly #copy: StoreCopy;

  /** @param copy learns what replies say */
  constructor(link: StoreLink<ScriptName, StoreReply>, copy: StoreCopy) {
    this.#link = link;
    this.#copy = copy;
  }

  /** Sends a call for each owner of limits, all of them at once. */
  async run(
    settlements: readonly Settlement[],
    applications: readonly Application[] = [],
    onLate: OnLate = () => {},
  ): Promise<RunResult> {
    const outcomes = new Map<Application, Outcome>();
    const unconfirmed: Settlement[] = [];
    const parts = [...byOwner(settlements, applications).values()];
    await Promise.all(parts.map(async (part) => {
      const found = await this.#runPart(part, onLate);
      if (found === undefined) unconfirmed.push(...part.settlements);
      for (const [index, application] of part.applications.entries()) {
        const outcome = found?.[index];
        if (outcome !== undefined) outcomes.set(application, outcome);
      }
    }));
    return { outcomes, unconfirmed };
  }

  /** @returns what became of the applications; undefined if the store did not reply in time */
  async #runPart(
    { settlements, applications }: BatchPart,
    onLate: OnLate,
  ): Promise<readonly Outcome[] | undefined> {
    const batch = new Batch(
      settlements,
      applications,
      this.#copy.wallTime(),
      (budget) => this.#copy.heard(budget),
    );
    const { keys, args } = batch.toCall();
    const reply = await this.#link.ask("batch", keys, args, {
      waitMs: MAX_WAIT_MS - MAX_COLLECT_MS,
      onLate: (late) => {
        const found = late && batch.read(late).outcomes;
        for (const [index, one] of applications.entries()) onLate(one, found?.[index]);
      },
    });
    if (reply === undefined) return undefined;
    const { now, states, outcomes } = batch.read(reply);
    this.#copy.setTime(now);
    for (const state of states) this.#learn(state, now);
    return outcomes;
  }

  #learn(state: LimitsState, now: number): void {
    const { isNew, missing } = this.#copy.learn(state, now);
    // If it fails, the connection has ended, and the next one restores all budgets.
    if (missing !== undefined) void this.#link.ask("restore", missing.keys, missing.args);
    if (isNew) void this.#takeOver(state.limits);
  }

  /** Gives a budget what an earlier version has counted in this store, if that is more. */
  async #takeOver({ id, budget }: AppliedLimits): Promise<void> {
    if (budget === undefined) return;
    const spent = (await this.#link.ask("earlier", earlierKeys(budget), []))?.[0]?.[0] ?? 0;
    if (spent === 0) return;
    const { keys, args } = this.#copy.raise(id, budget, spent);
    await this.#link.ask("restore", keys, args);
  }
}

/** The settlements and applications of one owner. */
interface BatchPart {
  readonly settlements: Settlement[];
  readonly applications: Application[];
}

/** A script call uses the limits of one owner only. */
function byOwner(
  settlements: readonly Settlement[],
  applications: readonly Application[],
): ReadonlyMap<string, BatchPart> {
  const parts = new Map<string, BatchPart>();
  const partOf = ({ id }: AppliedLimits) => {
    const part = parts.get(id) ?? { settlements: [], applications: [] };
    parts.set(id, part);
    return part;
  };
  for (const settlement of settlements) partOf(settlement.limits).settlements.push(settlement);
  for (const application of applications) partOf(application.limits).applications.push(application);
  return parts;
}
