/** Evaluates alert conditions. */

import type { AlertName, AlertRules } from "../config/alerts.ts";
import type { Config } from "../config/config.ts";
import type { Budget } from "../config/limits.ts";
import type { StaleConfig } from "../config/snapshot.ts";
import type { TargetReport } from "../console/health/target_health.ts";
import { nextPeriod, periodNumber } from "../core/budget_period.ts";
import type { Clock } from "../core/clock.ts";
import { eachInSteps, runInSlices } from "../core/steps.ts";
import { NANO_USD } from "../governance/cost.ts";
import { budgetCounter, type Counters, NoCounterError } from "../governance/counters.ts";
import type { SpentBudget } from "../governance/ledger/restoring_store.ts";
import { toName } from "../governance/ledger/summary.ts";

/** Alerts with the same rule and object are the same alert. */
export interface Condition {
  /** The rule, the object, and any other distinguishing property. */
  readonly id: string;
  readonly rule: AlertName;
  /** The target, the key or the store; empty for the gateway. */
  readonly object: string;
  readonly text: string;
  /** When it began, in milliseconds since the Unix epoch, if that is known. */
  readonly since?: number | undefined;
  /** How long it must hold before the alert is sent, in milliseconds. */
  readonly afterMs: number;
  /** The alert is sent once within this many milliseconds. */
  readonly periodMs: number;
}

/** A budget and its key. */
export interface BudgetOfKey extends Budget {
  readonly name: string;
}

/** Process-wide state, in addition to this worker's gateway. */
export interface AlertSources {
  /** The targets that were failing or degraded at their last attempt. */
  readonly badTargets: () => readonly TargetReport[];
  /** All keys' budgets. */
  readonly budgets: () => Iterable<BudgetOfKey>;
  /** Each key's end users with the highest spending, according to the ledger. */
  readonly userBudgets: () => Promise<readonly SpentBudget[]>;
  /** Whether the last ledger rows could not be written. */
  readonly isLedgerFailing: () => boolean;
}

export interface ConditionSources extends AlertSources {
  readonly clock: Clock;
  readonly config: () => Config;
  readonly stale: () => StaleConfig | undefined;
  readonly counters: Counters;
  /** Whether the shared store is failing. */
  readonly isSharedStoreLost: () => boolean;
  /** The number of model requests that the workers have completed. */
  readonly countRequests: () => Promise<number>;
  /** Whether any replica had recent requests; undefined if unknown. */
  readonly hasTraffic: (isOwn: boolean) => Promise<boolean | undefined>;
}

/** How long the alert for a budget that never renews is remembered, in milliseconds. */
const MAX_PERIOD_MS = 32 * 86_400_000;

/** How often end users' spending is read from the ledger, in milliseconds. */
const USERS_MS = 60_000;

type Rule = AlertRules["rules"][number];
type BudgetCondition = Pick<Condition, "object" | "text"> & Partial<Condition>;

/** Determines which conditions hold. */
export class Conditions {
  readonly #sources: ConditionSources;
  /** The number of requests at the last reading. */
  #requests: number | undefined;
  /** The targets that may have an open alert, which ends when the target has recovered. */
  #failing = new Set<string>();

  #users: { readonly readAt: number; readonly budgets: readonly SpentBudget[] } = {
    readAt: -Infinity,
    budgets: [],
  };

  constructor(sources: ConditionSources) {
    this.#sources = sources;
  }

  async read({ periodMs, rules }: AlertRules): Promise<readonly Condition[]> {
    const found: Condition[] = [];
    for (const rule of rules) {
      const shared = { rule: rule.name, afterMs: rule.afterMs, periodMs };
      for (const one of await this.#conditionsOf(rule)) {
        found.push({ ...shared, id: `${rule.name}:${one.object}`, ...one });
      }
    }
    return found;
  }

  async #conditionsOf(
    rule: Rule,
  ): Promise<readonly (Pick<Condition, "object" | "text"> & Partial<Condition>)[]> {
    switch (rule.name) {
      case "failing_target":
        return this.#failingTargets();
      case "budget":
        return await this.#spentBudgets(rule.levels);
      case "no_traffic":
        return await this.#noTraffic();
      case "stale_config":
        return this.#staleConfig();
      case "store_down":
        return this.#failingStores();
    }
  }

  /** A target that has failed stays in the list until it is OK again, or no longer configured. */
  #failingTargets() {
    const { badTargets, config } = this.#sources;
    const { providers } = config();
    const targets = badTargets().filter(({ provider, state, upstream }) => {
      const models = providers.get(provider)?.models ?? [];
      return models.some((model) => toName(model.upstream) === upstream) &&
        (state === "failing" || this.#failing.has(`${upstream} at ${provider}`));
    });
    const conditions = targets.map((target) => ({
      object: `${target.upstream} at ${target.provider}`,
      text: textOf(target),
      since: target.incident?.since ?? target.since,
    }));
    this.#failing = new Set(conditions.map(({ object }) => object));
    return conditions;
  }

  async #spentBudgets(levels: readonly number[]) {
    const { budgets, clock, counters } = this.#sources;
    const now = clock.wallTime();
    const found: BudgetCondition[] = [];
    await runInSlices(eachInSteps(budgets(), (budget) => {
      const { name, per } = budget;
      const spent = spentOf(counters, budgetCounter(per, name), periodNumber(per, now));
      const owner = { id: name, object: name, text: `The key '${name}'` };
      found.push(...reachedLevels(owner, budget, spent, levels, now));
    }));
    for (const one of await this.#userBudgets(now)) {
      const { key, user, spent } = one;
      const object = `${user} of ${key}`;
      const text = `The end user '${user}' of the key '${key}'`;
      // No key has a name with a control character.
      const id = `\0${encodeURIComponent(user)} ${key}`;
      found.push(...reachedLevels({ id, object, text }, one, spent, levels, now));
    }
    return found;
  }

  /**
   * End users' spending in their current periods. While the ledger fails, the last known spending
   * is used.
   */
  async #userBudgets(now: number): Promise<readonly SpentBudget[]> {
    if (now - this.#users.readAt >= USERS_MS) {
      const budgets = await this.#sources.userBudgets().catch(() => undefined);
      if (budgets !== undefined) this.#users = { readAt: now, budgets };
    }
    const { budgets, readAt } = this.#users;
    return budgets.filter(({ per }) => periodNumber(per, readAt) === periodNumber(per, now));
  }

  async #noTraffic() {
    const { countRequests, hasTraffic } = this.#sources;
    const requests = await countRequests();
    // The first check only stores the count; a replaced worker counts from 0.
    const isOwn = this.#requests === undefined || requests > this.#requests;
    this.#requests = requests;
    if (await hasTraffic(isOwn) ?? isOwn) return [];
    return [{ object: "", text: "No request for a model has ended lately" }];
  }

  #staleConfig() {
    const stale = this.#sources.stale();
    if (stale === undefined) return [];
    const text = `The configuration file is not used, the one before it is: ${stale.reason}`;
    return [{ object: "", text }];
  }

  #failingStores() {
    const { isLedgerFailing, isSharedStoreLost } = this.#sources;
    return [
      ...(isSharedStoreLost()
        ? [{ object: "shared_store", text: "The shared store cannot be reached" }]
        : []),
      ...(isLedgerFailing()
        ? [{ object: "store", text: "The store of usage fails, and rows are queued in memory" }]
        : []),
    ];
  }
}

function textOf({ last, lastFailure, provider, upstream }: TargetReport): string {
  const reason = lastFailure === undefined ? "" : `, the last one with ${lastFailure.error}`;
  return `${upstream} at ${provider} is failing: ${last.failures} of the last ` +
    `${last.attempts} attempts failed${reason}`;
}

/** A condition for each level that the spending has reached. */
function reachedLevels(
  { id, object, text }: { readonly id: string; readonly object: string; readonly text: string },
  { per, usd }: Budget,
  spent: number,
  levels: readonly number[],
  now: number,
): BudgetCondition[] {
  const share = spent / usd * 100;
  const period = per === "total" ? "" : ` per ${per}`;
  return levels.filter((level) => share >= level).map((level) => ({
    id: `budget:${level}:${per}:${periodNumber(per, now)}:${id}`,
    object,
    text: `${text} has spent ${Math.floor(share)} % of its budget: ` +
      `$${spent.toFixed(2)} of $${usd}${period}`,
    periodMs: Math.min(MAX_PERIOD_MS, (nextPeriod(per, now) ?? Infinity) - now),
  }));
}

/** US dollars, excluding open requests' reservations. */
function spentOf(counters: Counters, name: string, period: number): number {
  try {
    const slot = counters.slotOf(name);
    try {
      return Math.max(0, counters.spent(slot, period) - counters.reserved(slot, period)) /
        NANO_USD;
    } finally {
      counters.release(name);
    }
  } catch (thrown) {
    if (thrown instanceof NoCounterError) return 0;
    throw thrown;
  }
}
