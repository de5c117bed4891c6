/** Groups of targets and a clock, for strategies by themselves. */

import { readCounts } from "../../src/apis/chat/token_counts.ts";
import { DEFAULT_ON_FAILURES, type FallbackTarget } from "../../src/config/config.ts";
import type { OrderContext } from "../../src/gateway/order/strategy.ts";
import type { AttemptTimer } from "../../src/gateway/target_stats.ts";
import { RouteTrace } from "../../src/gateway/order/route_trace.ts";
import { State } from "../../src/gateway/state.ts";
import { loadTestConfig } from "./gateway.ts";
import { Random } from "./random.ts";

const IDS = ["a", "b", "c", "d"];

const CONFIG = loadTestConfig({ providers: { p: { kind: "mock", models: IDS } } });

/** The targets `a`, `b`, … of one group. */
export function targetsOf(weights: readonly (number | undefined)[]): FallbackTarget[] {
  return weights.flatMap((weight, index) =>
    (CONFIG.resolve(IDS[index] ?? "") ?? []).map(({ target }) => ({
      target,
      weight,
      onFailures: DEFAULT_ON_FAILURES,
    }))
  );
}

/** The IDs of targets in their order. */
export function idsOf(targets: readonly FallbackTarget[]): string {
  return targets.map(({ target }) => target.model.id).join("");
}

/** A context whose time the test sets, with seeded draws. */
export interface TestContext extends OrderContext {
  readonly clock: { time: number; now(): number };
  readonly state: State;
  stream: boolean;
}

export function contextOf(seed = 1): TestContext {
  const seeded = new Random(seed);
  const clock = { time: 1_000_000, now: () => clock.time };
  const notes = new RouteTrace();
  return {
    random: () => seeded.next(),
    clock,
    state: new State(),
    stream: true,
    tokens: 100,
    notes,
  };
}

/** The usage of 20 output tokens. */
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** Records an answer that ended now: its time to the first content, then 20 tokens. */
export function answer(
  context: TestContext,
  target: FallbackTarget | undefined,
  ms: number,
  msPerToken = 10,
): void {
  const { clock: { time: now }, stream } = context;
  const whole = ms + 20 * msPerToken;
  const timer = begin(context, target, now - whole);
  if (stream) timer.firstContent(now - whole + ms);
  timer.answered(readCounts(USAGE), now);
}

/** Records a failure that ends now. */
export function failNow(context: TestContext, target: FallbackTarget | undefined): void {
  begin(context, target).failed(context.clock.time);
}

/** Begins an attempt at a target. */
export function begin(
  { clock, state, stream }: TestContext,
  entry: FallbackTarget | undefined,
  at = clock.time,
): AttemptTimer {
  if (entry === undefined) throw new TypeError("There is no such target");
  const { target } = entry;
  return state.statsOf(target).begin(stream, at);
}
