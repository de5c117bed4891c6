/**
 * Any order of admissions, settlements, aborts and crashes of workers leaves the counters of a
 * process as a plain reference model has them.
 */

import { assert, assertEquals } from "@std/assert";
import type { ServiceKey } from "../../src/config/keys.ts";
import type { LimitRules } from "../../src/config/limits.ts";
import { GatewayError } from "../../src/core/errors.ts";
import type { Admission } from "../../src/governance/admission.ts";
import type { LimitedTarget } from "../../src/governance/reservation.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { allocateCounters, SharedCounters } from "../../src/governance/shared_counters.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { fuzz } from "../support/fuzz.ts";

const WORKERS = 3;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Limits whose units are refilled in whole microseconds, so that the model is exact. */
const KEY_LIMITS = { requests_per_minute: 30, tokens_per_minute: 6000, concurrent: 4 };
const MODEL_LIMITS = { requests_per_minute: 60, tokens_per_minute: 12_000, concurrent: 6 };
const BUDGET_USD = 0.05;
const BUDGET_MICRO_USD = BUDGET_USD * 1e6;

const KEYS: readonly ServiceKey[] = ["a", "b"].map((name) => ({
  name,
  limits: KEY_LIMITS,
  budget: { usd: BUDGET_USD, per: "day" as const },
}));
const RULES: LimitRules = { defaults: {}, models: new Map([["m", MODEL_LIMITS]]) };
/** US dollars per million tokens, so that a token costs as many millionths. */
const PRICES = { input: 2, output: 2 };

const TARGET: LimitedTarget = {
  model: { id: "m", facts: { prices: PRICES } },
  params: undefined,
};

/** The limits of one owner. */
class Owner {
  requests: number;
  tokens: number;
  places = 0;
  constructor(readonly id: string, readonly limits: typeof KEY_LIMITS) {
    this.requests = limits.requests_per_minute;
    this.tokens = limits.tokens_per_minute;
  }

  pass(ms: number): void {
    const { requests_per_minute, tokens_per_minute } = this.limits;
    this.requests = Math.min(
      requests_per_minute,
      this.requests + requests_per_minute * ms / MINUTE_MS,
    );
    this.tokens = Math.min(tokens_per_minute, this.tokens + tokens_per_minute * ms / MINUTE_MS);
  }

  /** Returns tokens, never more than the bucket holds; a negative number takes more of them. */
  giveBack(tokens: number): void {
    this.tokens = Math.min(this.limits.tokens_per_minute, this.tokens + tokens);
  }
}

/** A budget of a day. */
class Purse {
  spent = 0;
  /** What is reserved of it, which is part of it. */
  reserved = 0;
  day = -1;

  turn(day: number): void {
    if (day !== this.day) this.spent = this.reserved = 0;
    this.day = day;
  }

  fits(amount: number): boolean {
    return this.spent + amount <= BUDGET_MICRO_USD ||
      this.spent < BUDGET_MICRO_USD && this.reserved === 0;
  }

  /** Replaces a reservation by what was used. */
  settle(reserved: number, used: number): void {
    this.reserved -= reserved;
    this.spent = Math.max(0, this.spent - reserved + used);
  }
}

interface Open {
  readonly worker: number;
  /** Of the key's limits, and of the model's. */
  readonly admissions: readonly Admission[];
  readonly owners: readonly Owner[];
  readonly purse: Purse;
  readonly tokens: number;
  /** Millionths of a US dollar. */
  readonly amount: number;
  readonly day: number;
}

class Stage {
  readonly clock = new ManualClock();
  readonly #memory = allocateCounters(WORKERS);
  readonly #counters = new SharedCounters(this.#memory);
  readonly #limiters = Array.from(
    { length: WORKERS },
    (_, index) => new Limiter(new SharedCounters(this.#memory, index + 1), this.clock),
  );
  readonly model = new Owner("model:m", MODEL_LIMITS);
  readonly owners = new Map(KEYS.map(({ name }) => [name, new Owner(`key:${name}`, KEY_LIMITS)]));
  readonly purses = new Map(KEYS.map(({ name }) => [name, new Purse()]));
  open: Open[] = [];
  admitted = 0;
  refused = 0;

  get day(): number {
    return Math.floor(this.clock.wallTime() / DAY_MS);
  }

  pass(ms: number): void {
    this.clock.advance(ms);
    for (const owner of [this.model, ...this.owners.values()]) owner.pass(ms);
  }

  admit(worker: number, key: ServiceKey, input: number, maxOutput: number): void {
    const owner = this.owners.get(key.name);
    const purse = this.purses.get(key.name);
    if (owner === undefined || purse === undefined) throw new RangeError(`No key '${key.name}'`);
    const owners = [owner, this.model];
    // Without an answer so far, a model is expected to write 500 tokens, but it may write more.
    const tokens = input + Math.min(maxOutput, 500);
    const amount = Math.min(BUDGET_MICRO_USD, (input + maxOutput) * PRICES.input);
    const isNew = purse.day !== this.day;
    const admits = ({ places, requests, tokens: left, limits }: Owner) =>
      places < limits.concurrent && requests >= 1 &&
      left >= Math.min(tokens, limits.tokens_per_minute);
    const takes = admits(owner) && (isNew || purse.fits(amount));
    const fits = takes && admits(this.model);
    const admissions = this.#call(worker, key, input, maxOutput);
    assertEquals(admissions !== undefined, fits);
    if (admissions === undefined) {
      // What the key's limits admit is taken back if the model's do not.
      if (takes && isNew) purse.turn(this.day);
      return void this.refused++;
    }
    this.admitted++;
    purse.turn(this.day);
    purse.spent += amount;
    purse.reserved += amount;
    for (const one of owners) {
      one.places++;
      one.requests--;
      one.tokens -= tokens;
    }
    this.open.push({ worker, admissions, owners, purse, tokens, amount, day: this.day });
  }

  #call(
    worker: number,
    key: ServiceKey,
    input: number,
    maxOutput: number,
  ): readonly Admission[] | undefined {
    const limiter = this.#limiters[worker];
    const estimate = () => ({ input, maxOutput });
    const admissions: Admission[] = [];
    const add = (admission: ReturnType<Limiter["admit"]>) => {
      if (admission instanceof Promise) throw new TypeError("There is no store to wait for");
      if (admission !== undefined) admissions.push(admission);
    };
    try {
      add(limiter?.admit({ key, targets: [TARGET], estimate }, RULES));
      add(limiter?.enter({ key, user: undefined, target: TARGET, estimate }, RULES));
      return admissions;
    } catch (thrown) {
      for (const admission of admissions) admission.cancel();
      if (thrown instanceof GatewayError) return undefined;
      throw thrown;
    }
  }

  /** Ends a request with the tokens that it has used; none for an abort before the answer. */
  settle(index: number, used: number): void {
    const [ended] = this.open.splice(index, 1);
    if (ended === undefined) return;
    const { admissions, owners, purse, tokens, amount: reserved, day } = ended;
    const amount = { tokens: used, microUsd: used * PRICES.output };
    for (const admission of admissions) {
      admission.settle(amount);
      // A second end changes nothing.
      admission.settle({ tokens: 9999, microUsd: 9999 });
      admission.cancel();
    }
    for (const owner of owners) {
      owner.places--;
      owner.giveBack(tokens - used);
    }
    if (purse.day === day) purse.settle(reserved, amount.microUsd);
  }

  /**
   * A worker ends without settling: its places and what it reserved of budgets are released. Tokens
   * stay counted until they are refilled.
   */
  crash(worker: number): void {
    this.#counters.releaseWorker(worker + 1);
    for (const { owners, purse, amount, day } of this.open.filter((one) => one.worker === worker)) {
      for (const owner of owners) owner.places--;
      if (purse.day === day) purse.settle(amount, 0);
    }
    this.open = this.open.filter((one) => one.worker !== worker);
  }

  check(): void {
    const now = this.clock.now() * 1000;
    for (const { id, limits, places, requests, tokens } of [this.model, ...this.owners.values()]) {
      const left = (kind: string, limit: number) => {
        const fillUs = this.#counters.fillTime(this.#counters.slotOf(`${kind}:${id}`), now);
        return limit - fillUs * limit / (MINUTE_MS * 1000);
      };
      const close = (one: number, other: number) => Math.abs(one - other) < 1e-6;
      assert(close(left("requests", limits.requests_per_minute), requests), `requests of ${id}`);
      assert(close(left("tokens", limits.tokens_per_minute), tokens), `tokens of ${id}`);
      assertEquals(this.#counters.taken(this.#counters.slotOf(`concurrent:${id}`)), places);
    }
    for (const [name, { spent, day }] of this.purses) {
      if (day < 0) continue;
      const slot = this.#counters.slotOf(`budget:day:key:${name}`);
      assertEquals(this.#counters.spent(slot, day) / 1000, spent);
    }
  }
}

Deno.test("any order of admissions, settlements, aborts and crashes agrees with a reference model", async () => {
  let admitted = 0;
  let refused = 0;
  await fuzz(60, (random) => {
    const stage = new Stage();
    for (let step = 0; step < 250; step++) {
      const choice = random.next();
      if (choice < 0.45) {
        stage.admit(
          ...[random.below(WORKERS), random.pick(KEYS)] as const,
          ...[1 + random.below(1500), 1 + random.below(8000)] as const,
        );
      } else if (choice < 0.7) stage.settle(random.below(stage.open.length), random.below(2500));
      else if (choice < 0.78) stage.settle(random.below(stage.open.length), 0);
      else if (choice < 0.8) stage.crash(random.below(WORKERS));
      else stage.pass(random.chance(0.03) ? DAY_MS / 2 : random.below(4) * 2000);
      stage.check();
    }
    while (stage.open.length > 0) stage.settle(0, 10);
    stage.check();
    admitted += stage.admitted;
    refused += stage.refused;
  });
  assert(admitted > 1000 && refused > 1000, `${admitted} admitted, ${refused} refused`);
});
