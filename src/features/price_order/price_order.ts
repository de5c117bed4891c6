/** The `balance: price` feature: orders groups, and measures the usage of answers. */

import type { FallbackTarget, Route, Target } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Feature, TargetName } from "../../gateway/feature.ts";
import { type TypicalUsage, UsageMeans } from "../../gateway/timed_figures.ts";
import {
  type OrderContext,
  type Strategy,
  SWITCH_FACTOR,
  withFirst,
} from "../../gateway/order/strategy.ts";
import { rank } from "../../gateway/order/rank.ts";
import { costOf } from "../../gateway/order/prices.ts";
import type { Usage } from "../../contract/chat.ts";
import { readCounts } from "../../apis/chat/token_counts.ts";
import { setNewest, touch } from "../../core/collections.ts";
import { isObject } from "../../core/json/object.ts";
import { countInput } from "../../apis/chat/token_estimate.ts";
import { tokenFamilyOf } from "../../apis/token_families.ts";

/** Orders groups by price, if config.yaml or the caller selects it. */
export function priceOrder(clock: Pick<Clock, "now">): Feature {
  const measured = new MeasuredUsage();
  return {
    name: "price_order",
    plan({ configuredName: model, hasOneTarget, route, routes }) {
      if (hasOneTarget) return undefined;
      const isDefault = isByPrice(route);
      return {
        ...(!routes.some(isByPrice) && { wakes: { balance: "price" } }),
        start({ chosen, key, sent, session }) {
          const isUsed = isDefault || chosen?.balance === "price";
          const usage = sent && isUsed
            ? new RequestUsage({ measured, key, model, session: session?.id, body: sent.body })
            : undefined;
          const order = {
            strategies: { price: price(usage) },
          };
          if (usage === undefined) return { order };
          return {
            order,
            end({ complete, target, usage: used }) {
              if (complete && target !== undefined) usage.answered(target, used, clock.now());
            },
          };
        },
      };
    },
  };
}

function isByPrice({ groups }: Pick<Route, "groups">): boolean {
  return groups.some(({ balance }) => balance === "price");
}

/** The assumed usage until there are measurements: three input tokens per output token. */
const ASSUMED: TypicalUsage = { input: 3000, cached: 0, written: 0, writtenHour: 0, output: 1000 };

/**
 * Compares all targets by the request's tokens: an estimate of its input, and the average output.
 * Cache reads and writes are measured: for the session at the target of its last turn; otherwise
 * for the alias at each target, for the target, or for the group. Targets whose price is unknown
 * come last. Exported for tests.
 *
 * @param usage the request's expected usage; undefined if unknown
 */
export const price = (usage: RequestUsage | undefined): Strategy => (targets, context) => {
  const now = context.clock.now();
  const measured = measure(targets, context, usage, now);
  const turn = usage?.lastTurn(now);
  const warm = turn && targets.find(({ target }) => targetName(target) === turn.target);
  if (turn === undefined || warm === undefined) {
    return rank(targets, targets.map((entry, index) => usualCost(entry, measured[index])), context);
  }
  const costs = new Map(targets.map((entry, index) => [
    entry,
    entry === warm
      ? warmCost(entry, turn, measured[index])
      : moveCost(entry, turn, measured[index]),
  ]));
  const costAt = (entry: FallbackTarget) => costs.get(entry) ?? Infinity;
  const sorted = [...targets].sort((one, other) => compare(costAt(one), costAt(other)));
  const [best] = sorted;
  const stays = best === undefined || costAt(best) >= costAt(warm) * SWITCH_FACTOR;
  return withFirst(stays ? warm : best, sorted);
};

/** The request's expected usage at each target. */
function measure(
  targets: readonly FallbackTarget[],
  { state }: OrderContext,
  usage: RequestUsage | undefined,
  now: number,
): readonly TypicalUsage[] {
  const known = targets.map(({ target }) =>
    usage?.ofModel(target, now) ?? state.statsOf(target).usage(now)
  );
  const typical = averageOf(known.filter((one) => one !== undefined));
  const input = usage?.tokens || typical.input;
  return known.map((own) => {
    const shares = own === undefined || own.input === 0 ? typical : own;
    return { ...scaledTo(input, shares), output: typical.output };
  });
}

function usualCost({ target }: FallbackTarget, usage: TypicalUsage = ASSUMED): number {
  return costOf(target, usage) ?? Infinity;
}

/** The cost at the last turn's target, where that turn's reads and writes are cached. */
function warmCost(
  { target }: FallbackTarget,
  { usage: last }: LastTurn,
  measured: TypicalUsage = ASSUMED,
): number {
  const { input } = measured;
  const cached = Math.min(input, Math.max(last.cached + last.written, measured.cached));
  const usage = withWritten(measured, cached, last.written > 0 ? input - cached : 0);
  return costOf(target, usage) ?? Infinity;
}

/**
 * The average cost of a turn after a move: the first turn reads nothing from the cache, and writes
 * the prefix that later turns read. A session is expected to last for as many more turns as it has
 * had so far.
 */
function moveCost(
  { target }: FallbackTarget,
  { turns }: LastTurn,
  measured: TypicalUsage = ASSUMED,
): number {
  const { cached, written } = measured;
  const isBilled = target.model.facts.prices?.cache_write !== undefined;
  const cold = withWritten(measured, 0, isBilled ? cached + written : 0);
  const [first, later] = [costOf(target, cold), costOf(target, measured)];
  return first === undefined || later === undefined ? Infinity : later + (first - later) / turns;
}

/**
 * The same usage with other cached tokens. The share of writes with a one-hour lifetime is
 * unchanged.
 */
function withWritten(usage: TypicalUsage, cached: number, written: number): TypicalUsage {
  const share = usage.written === 0 ? 0 : usage.writtenHour / usage.written;
  return { ...usage, cached, written, writtenHour: written * share };
}

/** The same shares, applied to a different input. */
function scaledTo(input: number, usage: TypicalUsage): TypicalUsage {
  const factor = usage.input === 0 ? 0 : input / usage.input;
  return {
    ...usage,
    input,
    cached: usage.cached * factor,
    written: usage.written * factor,
    writtenHour: usage.writtenHour * factor,
  };
}

function averageOf(known: readonly TypicalUsage[]): TypicalUsage {
  if (known.length === 0) return ASSUMED;
  const average = (name: keyof TypicalUsage) =>
    known.reduce((sum, usage) => sum + usage[name], 0) / known.length;
  return {
    input: average("input"),
    cached: average("cached"),
    written: average("written"),
    writtenHour: average("writtenHour"),
    output: average("output"),
  };
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

/** The parts of a request that determine its price. */
interface UsageInput {
  readonly measured: MeasuredUsage;
  /** The name of the service key. */
  readonly key: string;
  /** The alias or model as named in config.yaml. */
  readonly model: string;
  /** The body in the caller's format. */
  readonly body: unknown;
  /** The session's pseudonym, if the model has session affinity. */
  readonly session: string | undefined;
}

/** A session's last turn. */
interface LastTurn {
  /** The target that answered it, as named by {@linkcode targetName}. */
  readonly target: string;
  readonly usage: TypicalUsage;
  /** The number of answers in the session so far. */
  readonly turns: number;
  /** When it ended, in milliseconds by the clock. */
  readonly at: number;
}

/** The minimum time for which vendors keep the prompt after the last turn, in milliseconds. */
const CACHE_MS = 300_000;

/** The maximum numbers of model names, of service keys with sessions, and of sessions per key. */
const MAX_MODELS = 1000;
const MAX_KEYS = 500;
const MAX_SESSIONS = 500;

/** A target's name, which stays the same after a reload. */
function targetName({ provider, model }: Target): string {
  return nameOf({ provider: provider.settings.id, model: model.upstream });
}

function nameOf({ provider, model }: TargetName): string {
  return `${model}@${provider}`;
}

/** The measurements of one process. Exported for tests. */
export class MeasuredUsage {
  /** Keyed by the alias or model as named in config.yaml, and by target. */
  readonly #models = new Map<string, Map<string, UsageMeans>>();
  /** Keyed by service key and session. */
  readonly #keys = new Map<string, Map<string, LastTurn>>();

  ofModel(model: string, target: Target, now: number): TypicalUsage | undefined {
    return this.#models.get(model)?.get(targetName(target))?.value(now);
  }

  /** A session's last turn, as long as its prompt is likely to be cached. */
  lastTurn(key: string, session: string, now: number): LastTurn | undefined {
    const turn = this.#keys.get(key)?.get(session);
    return turn !== undefined && now < turn.at + CACHE_MS ? turn : undefined;
  }

  /** Records that a target has answered a request for a model. */
  answered(model: string, target: TargetName, usage: Usage, now: number): void {
    const targets = touch(this.#models, model, MAX_MODELS, () => new Map<string, UsageMeans>());
    touch(targets, nameOf(target), MAX_MODELS, () => new UsageMeans()).add(
      readCounts(usage),
      now,
    );
  }

  /** Records that a target has answered a turn of a session. */
  turnEnded(key: string, session: string, target: TargetName, usage: Usage, at: number): void {
    const sessions = touch(this.#keys, key, MAX_KEYS, () => new Map<string, LastTurn>());
    const turns = (this.lastTurn(key, session, at)?.turns ?? 0) + 1;
    const turn = { target: nameOf(target), usage: readCounts(usage), turns, at };
    setNewest(sessions, session, turn, MAX_SESSIONS);
  }
}

/** One request's expected usage. Exported for tests. */
export class RequestUsage {
  readonly #input: UsageInput;
  #tokens: number | undefined;

  constructor(input: UsageInput) {
    this.#input = input;
  }

  /** An estimate of its input tokens; 0 if the body is unknown. */
  get tokens(): number {
    return this.#tokens ??= estimateOf(this.#input.body);
  }

  ofModel(target: Target, now: number): TypicalUsage | undefined {
    const { measured, model } = this.#input;
    return measured.ofModel(model, target, now);
  }

  lastTurn(now: number): LastTurn | undefined {
    const { key, measured, session } = this.#input;
    return session === undefined ? undefined : measured.lastTurn(key, session, now);
  }

  /** Records that a target has answered it. */
  answered(target: TargetName, usage: Usage | undefined, now: number): void {
    if (usage === undefined) return;
    const { key, measured, model, session } = this.#input;
    measured.answered(model, target, usage, now);
    if (session !== undefined) measured.turnEnded(key, session, target, usage, now);
  }
}

/** The members that contain text, in all caller formats. */
function estimateOf(body: unknown): number {
  if (!isObject(body)) return 0;
  const { messages, input, contents, system, instructions, systemInstruction, tools } = body;
  const content = [messages, input, contents, system, instructions, systemInstruction];
  return countInput(content, [tools]).tokens(tokenFamilyOf(""));
}
