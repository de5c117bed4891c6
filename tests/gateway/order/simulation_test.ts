/** Load balancing over simulated time: a slow target, one that fails fast, one that restarts. */

import { readCounts } from "../../../src/apis/chat/token_counts.ts";
import { assert, assertEquals } from "@std/assert";
import type { FallbackTarget } from "../../../src/config/config.ts";
import { STRATEGIES } from "../../../src/gateway/order/strategies.ts";
import type { Strategy } from "../../../src/gateway/order/strategy.ts";
import { begin, contextOf, targetsOf, type TestContext } from "../../support/order.ts";
import { Random } from "../../support/random.ts";

const { p2c, throughput, ttft } = STRATEGIES;

const REQUESTS_PER_SECOND = 40;
const SECONDS = 60;

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** How a target answers at a time in milliseconds since the start. */
type Behavior = (at: number, random: Random) => { readonly ms: number; readonly fails?: boolean };

interface Result {
  /** Milliseconds of each answered request, sorted. */
  readonly latencies: readonly number[];
  /** When each request was sent to each target. */
  readonly sent: readonly (readonly number[])[];
  /** The most open requests of each target. */
  readonly mostOpen: readonly number[];
}

const GROUP = targetsOf([undefined, undefined, undefined, undefined]);

/** Sends requests at random times for a minute. A failed request is not repeated. */
function simulate(strategy: Strategy, behaviors: readonly Behavior[]): Result {
  const context = contextOf(7);
  const random = new Random(3);
  const start = context.clock.time;
  const events: { readonly at: number; readonly run: () => void }[] = [];
  const latencies: number[] = [];
  const sent: number[][] = GROUP.map(() => []);
  const mostOpen = GROUP.map(() => 0);
  const ask = (at: number) => {
    const [first] = strategy(GROUP, context);
    const index = GROUP.indexOf(first ?? NOBODY);
    const { ms, fails = false } = behaviors[index]?.(at, random) ?? { ms: 0 };
    const timer = begin(context, first);
    sent[index]?.push(at);
    mostOpen[index] = Math.max(mostOpen[index] ?? 0, openOf(context, first));
    events.push({
      at: at + ms,
      run: () => {
        if (fails) return timer.failed(context.clock.time);
        timer.firstContent(context.clock.time);
        // Each answer has 20 tokens, which come in half of its time to the first content.
        context.clock.time += ms / 2;
        timer.answered(readCounts(USAGE), context.clock.time);
        context.clock.time -= ms / 2;
        latencies.push(ms);
      },
    });
  };
  for (let at = 0; at < SECONDS * 1000; at += exponential(1000 / REQUESTS_PER_SECOND, random)) {
    events.sort((one, other) => one.at - other.at);
    while ((events[0]?.at ?? Infinity) <= at) {
      const event = events.shift();
      context.clock.time = start + (event?.at ?? 0);
      event?.run();
    }
    context.clock.time = start + at;
    ask(at);
  }
  return { latencies: latencies.sort((one, other) => one - other), sent, mostOpen };
}

const [NOBODY = {} as FallbackTarget] = targetsOf([undefined]);

function openOf({ state }: TestContext, entry: FallbackTarget | undefined): number {
  return entry === undefined ? 0 : state.statsOf(entry.target).inFlight;
}

function exponential(mean: number, random: Random): number {
  return -mean * Math.log(1 - random.next());
}

const fast: Behavior = (_, random) => ({ ms: 50 + exponential(150, random) });
const slow: Behavior = (_, random) => ({ ms: 500 + exponential(1500, random) });

const p99 = ({ latencies }: Result) => latencies[Math.floor(latencies.length * 0.99)] ?? 0;

function roundRobin(): Strategy {
  let turn = 0;
  return (targets) => {
    const at = turn++ % targets.length;
    return [...targets.slice(at), ...targets.slice(0, at)];
  };
}

Deno.test("p2c has a much lower p99 than round robin when one target of four is slow", () => {
  const behaviors = [fast, slow, fast, fast];
  const [ours, theirs] = [simulate(p2c, behaviors), simulate(roundRobin(), behaviors)];
  assert(p99(ours) < p99(theirs) / 3, `${p99(ours)} of ${p99(theirs)} ms`);
  const share = (ours.sent[1]?.length ?? 0) / ours.sent.flat().length;
  assert(share > 0 && share < 0.02, `the slow target gets some requests: ${share}`);
});

Deno.test("p2c divides the requests among equal targets", () => {
  const { sent } = simulate(p2c, [fast, fast, fast, fast]);
  const total = sent.flat().length;
  for (const { length } of sent) {
    assert(length > total * 0.18 && length < total * 0.32, `${length} of ${total}`);
  }
});

Deno.test("p2c does not flood a target that fails fast", () => {
  const failsFast: Behavior = () => ({ ms: 1, fails: true });
  const { sent, mostOpen } = simulate(p2c, [fast, failsFast, fast, fast]);
  const count = sent[1]?.length ?? 0;
  // One each five seconds, and some while all others are busy.
  assert(count > 0 && count <= 24, `${count} requests`);
  assertEquals(mostOpen[1], 1);
});

Deno.test("p2c tries a target that restarts with single requests, and uses it again afterwards", () => {
  const restarts: Behavior = (at, random) =>
    at < 2000 ? fast(at, random) : at < 8000
      ? { ms: 1, fails: true }
      // It loads its model, and holds what it gets meanwhile.
      : at < 12_000
      ? { ms: 12_000 - at + 50 }
      : fast(at, random);
  const { sent, mostOpen } = simulate(p2c, [restarts, fast, fast, fast]);
  const down = sent[0]?.filter((at) => at >= 2000 && at < 12_000) ?? [];
  assert(down.length >= 1 && down.length <= 12, `${down.length} requests while it is down`);
  assert((mostOpen[0] ?? 0) <= 12, `${mostOpen[0]} open requests`);
  const late = sent[0]?.filter((at) => at > 0 && at >= 12_000) ?? [];
  assert(late.length > 20, `${late.length} requests afterwards`);
});

Deno.test("p2c begins without any figures, and sends a new target single requests at first", () => {
  const silent: Behavior = () => ({ ms: 20_000 });
  const { sent, mostOpen } = simulate(p2c, [fast, silent, fast, fast]);
  // The first requests come before any answer.
  assert((mostOpen[1] ?? 0) <= 5, `${mostOpen[1]} open requests`);
  const late = sent[1]?.filter((at) => at > 2000) ?? [];
  assert(late.length <= 4, `${late.length} requests later`);
});

/** The share of the requests in a time that a target got, of what it would have as one of four. */
function shareOf({ sent }: Result, index: number, from: number, to: number): number {
  const within = (times: readonly number[] = []) =>
    times.filter((at) => at >= from && at < to).length;
  return within(sent[index]) * GROUP.length / within(sent.flat());
}

const tenTimesSlower: Behavior = (_, random) => ({ ms: 500 + exponential(1500, random) });

/** As another one, but the first request after a time fails. */
function failingOnce(behavior: Behavior, failsAt: number): Behavior {
  let hasFailed = false;
  return (at, random) => {
    if (hasFailed || at < failsAt) return behavior(at, random);
    hasFailed = true;
    return { ms: 20, fails: true };
  };
}

for (
  const [name, strategy, others] of [
    ["p2c", p2c, fast],
    ["ttft", ttft, tenTimesSlower],
    ["throughput", throughput, tenTimesSlower],
  ] as const
) {
  for (const failsAt of [0, 1000, 30_000]) {
    Deno.test(`${name}: one failure after ${failsAt / 1000} s costs a target five seconds at most`, () => {
      const result = simulate(strategy, [failingOnce(fast, failsAt), others, others, others]);
      const share = shareOf(result, 0, failsAt + 5000, failsAt + 10_000);
      assert(share >= 0.25, `${share} of its share`);
    });
  }
}

Deno.test("p2c: targets without figures get single requests, however many there are", () => {
  const context = contextOf(5);
  const [a, b, c, d] = GROUP;
  for (const target of [a, b]) {
    const timer = begin(context, target);
    context.clock.time += 100;
    timer.answered(readCounts(USAGE), context.clock.time);
  }
  const open = new Map<FallbackTarget | undefined, number>();
  for (let count = 0; count < 100; count++) {
    const [first] = p2c(GROUP, context);
    begin(context, first);
    open.set(first, (open.get(first) ?? 0) + 1);
  }
  assertEquals([open.get(c), open.get(d)], [1, 1]);
});

for (const [name, strategy] of [["ttft", ttft], ["throughput", throughput]] as const) {
  Deno.test(`${name}: a target that was slow once is measured again each minute, and found fast`, () => {
    const context = contextOf(5);
    const answerIn = (target: FallbackTarget | undefined, ms: number) => {
      const timer = begin(context, target);
      context.clock.time += ms;
      timer.firstContent(context.clock.time);
      context.clock.time += ms;
      timer.answered(readCounts(USAGE), context.clock.time);
    };
    const [a, b] = GROUP;
    const pair = [a, b].flatMap((target) => target ?? []);
    answerIn(a, 5000);
    answerIn(b, 400);
    const counts: number[] = [];
    for (let minute = 0; minute < 6; minute++) {
      let count = 0;
      const end = context.clock.time + 60_000;
      while (context.clock.time < end) {
        const [first] = strategy(pair, context);
        if (first === a) count++;
        answerIn(first, first === a ? 100 : 400);
      }
      counts.push(count);
    }
    assert(counts.slice(0, 2).every((count) => count >= 1), counts.join());
    assert((counts.at(-1) ?? 0) > 60, counts.join());
  });
}
