/** What is measured of targets: decay, failures, callers' faults. */

import { readCounts } from "../../../src/apis/chat/token_counts.ts";
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { TargetStats } from "../../../src/gateway/target_stats.ts";
import { TimedMean, TimedPeak } from "../../../src/gateway/timed_figures.ts";

const usageOf = (output: number) => ({
  prompt_tokens: 1000,
  completion_tokens: output,
  total_tokens: 1000 + output,
  prompt_tokens_details: { cached_tokens: 400 },
});

Deno.test("a mean forgets with time, and is unknown after five decay times", () => {
  const mean = new TimedMean(1000);
  assertEquals(mean.value(0), undefined);
  mean.add(100, 0);
  assertEquals([mean.value(0), mean.value(4999), mean.value(5001)], [100, 100, undefined]);
  mean.add(200, 1000);
  const old = Math.exp(-1);
  assertAlmostEquals(mean.value(1000) ?? 0, (100 * old + 200) / (old + 1));
});

Deno.test("a peak follows a higher value at once and a lower one slowly, and fades to what is usual", () => {
  const peak = new TimedPeak(1000);
  assertEquals([peak.value(70, 0), peak.last], [70, undefined]);
  peak.add(100, 0);
  peak.add(500, 1);
  assertEquals(peak.value(0, 1), 500);
  peak.add(100, 2);
  assertAlmostEquals(peak.last ?? 0, 100 + 400 * Math.exp(-0.001));
  assertAlmostEquals(peak.value(40, 1002), 40 + ((peak.last ?? 0) - 40) * Math.exp(-1));
});

Deno.test("an attempt counts as open until it ends, once", () => {
  const stats = new TargetStats();
  const one = stats.begin(true, 0);
  const other = stats.begin(false, 0);
  assertEquals(stats.inFlight, 2);
  one.firstContent(10);
  one.firstContent(20);
  assertEquals(stats.inFlight, 2);
  one.answered(readCounts(usageOf(100)), 1010);
  one.failed(1020);
  one.left();
  one.abandoned(2000);
  assertEquals(stats.inFlight, 1);
  other.left();
  assertEquals([stats.inFlight, stats.failuresInRow], [0, 0]);
  assertEquals(stats.streams.latency.last, 10);
  assertEquals(stats.streams.perToken.value(1010), 10);
  assertEquals(stats.answers.latency.last, undefined, "streams and whole answers are not mixed");
});

Deno.test("a whole answer has its duration and its time for each token", () => {
  const stats = new TargetStats();
  stats.begin(false, 0).answered(readCounts(usageOf(50)), 1000);
  assertEquals(stats.answers.latency.last, 1000);
  assertEquals(stats.answers.perToken.value(1000), 20);
  stats.begin(false, 1000).answered(undefined, 1500);
  assertEquals(stats.answers.perToken.value(1500), 20);
});

Deno.test("a failure counts as three times the usual duration, or its own if longer, and decays", () => {
  const stats = new TargetStats();
  const { penalty } = stats.streams;
  assertEquals(penalty.of(100, 0), 0);
  stats.begin(true, 0).failed(5);
  assertEquals(stats.streams.failures.value(5), 1);
  assertEquals([stats.failuresInRow, stats.streams.latency.last], [1, undefined]);
  assertEquals(stats.streams.firstContent.value(5), undefined);
  assertEquals([penalty.of(100, 5), penalty.of(1, 5)], [300, 5]);
  assertEquals(penalty.of(100, 10_005), 150, "half after ten seconds");
  stats.begin(true, 10_005).failed(10_005);
  assertEquals(penalty.of(100, 10_005), 450, "a second failure adds to the first");
  stats.begin(true, 10_005).firstContent(10_005);
  assertEquals([stats.failuresInRow, penalty.of(100, 10_005)], [0, 450 / 8]);
});

Deno.test("five seconds after a failure, one request finds out whether the target works", () => {
  const stats = new TargetStats();
  stats.begin(true, 0).failed(1000);
  assertEquals([stats.isRetryDue(5999), stats.isRetryDue(6000)], [false, true]);
  const retry = stats.begin(true, 6000);
  assertEquals(stats.isRetryDue(60_000), false, "one at a time");
  retry.left();
  assertEquals([stats.isRetryDue(10_999), stats.isRetryDue(11_000)], [false, true]);
  stats.begin(true, 11_000).answered(undefined, 11_001);
  assertEquals(stats.isRetryDue(60_000), false);
});

Deno.test("prompts of one caller that fail count once for a while", () => {
  const stats = new TargetStats();
  const failures = () => stats.failuresInRow;
  stats.begin(false, 0).failed(1, "key");
  stats.begin(false, 1).failed(2, "key");
  assertEquals(failures(), 1);
  stats.begin(false, 2).failed(3, "other");
  assertEquals(failures(), 2);
  stats.begin(false, 3).failed(4);
  assertEquals(failures(), 3);
  stats.begin(false, 4).failed(20_000, "other");
  assertEquals(failures(), 4);
  assertEquals(stats.inFlight, 0);
});

Deno.test("a caller who gave up after an unusual wait shows that the target is slow", () => {
  const stats = new TargetStats();
  stats.begin(true, 0).abandoned(9000);
  assertEquals(stats.streams.latency.last, undefined, "nothing is usual yet");
  stats.begin(true, 0).firstContent(100);
  stats.begin(true, 100).abandoned(150);
  assertEquals(stats.streams.latency.last, 100);
  stats.begin(true, 100).abandoned(3100);
  assertEquals(stats.streams.latency.last, 3000);
  assert(stats.failuresInRow === 0);
});

Deno.test("the usage of answers is averaged, and is unknown without a recent answer", () => {
  const stats = new TargetStats();
  assertEquals(stats.usage(0), undefined);
  stats.begin(false, 0).answered(readCounts(usageOf(50)), 1000);
  stats.begin(true, 0).answered(readCounts(usageOf(150)), 1000);
  stats.begin(true, 0).answered(undefined, 1000);
  const average = { input: 1000, cached: 400, written: 0, writtenHour: 0, output: 100 };
  assertEquals(stats.usage(1000), average);
  assertEquals(stats.usage(1000 + 3_600_000), undefined);
});
