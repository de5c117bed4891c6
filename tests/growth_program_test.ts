/**
 * No conversion of a request and no reading of an answer takes longer than in proportion to its
 * input, whatever of it is large: a generator grows every list, map, depth, text and reference.
 * `GROWTH_FULL=1` tries each shape with each target, and larger, which takes many minutes.
 */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { State } from "../src/gateway/state.ts";
import { createFeatures, FeatureState } from "../src/features/list.ts";
import type { ApiKind } from "../src/gateway/feature.ts";
import { Plans } from "../src/gateway/plan.ts";
import { MemoryStore } from "../src/memory/store.ts";
import { createCarrier } from "./support/gateway.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { keyOf, loadInSteps, manyKeys, msPerCall } from "./support/growth/key_lists.ts";
import { GROUPS } from "./support/growth/cases.ts";
import type { Judged } from "./support/growth/main.ts";
import { PLANTED } from "./support/growth/planted.ts";

const MAIN = fileURLToPath(new URL("./support/growth/main.ts", import.meta.url));
/** Fewer cases than this in a group would mean that the generator has lost some. */
const MIN_CASES = 300;
/** The same for groups that are measured without the vendors. */
const MIN_CASES_OF: Readonly<Record<string, number>> = { formats: 120, "large bodies": 20 };
/** CPU time of the short form, in seconds: about 45 on an idle machine, on a slow and busy one more. */
const MAX_CPU_SECONDS = 240;

const CHAT: ApiKind = { format: "chat_completions", idPrefix: "chatcmpl-", operation: "chat" };

const full = Deno.env.get("GROWTH_FULL") === "1";
const judged = new Map<string, Promise<Judged>>();

/** What a group came to; judged once. One thread, so that all that is measured is the work. */
function judge(group: string): Promise<Judged> {
  const found = judged.get(group) ?? run(group);
  judged.set(group, found);
  return found;
}

async function run(group: string): Promise<Judged> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-check", "--v8-flags=--single-threaded", "--allow-read", "--allow-env"],
      ...[MAIN, group, ...(full ? ["--full"] : [])],
    ],
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  assertEquals(code, 0, text.decode(stderr));
  return JSON.parse(text.decode(stdout));
}

Deno.test("only the planted cases of superlinear growth are found", async () => {
  const { found } = await judge("planted");
  const names = found.map((line) => line.split(": ", 2).join(": "));
  assertEquals(names, PLANTED.map(({ name }) => name).filter((name) => name.startsWith("fast")));
});

for (const group of Object.keys(GROUPS)) {
  Deno.test(`time and memory grow linearly with the input: ${group}`, async () => {
    const { found, cases } = await judge(group);
    assertEquals(found, []);
    assert(cases > (MIN_CASES_OF[group] ?? MIN_CASES), `${cases} cases`);
  });
}

Deno.test("10,000 keys with 5,000 models are loaded in short steps, and found by their digests", () => {
  const few = manyKeys(5000, 10);
  const many = manyKeys(5000, 10_000);
  loadInSteps(few);
  const small = loadInSteps(few);
  const large = loadInSteps(many);
  const runs = [large, loadInSteps(many), loadInSteps(many)];
  const longestMs = Math.min(...runs.map((run) => run.longestMs));
  assert(longestMs < 50, `the longest step takes ${longestMs} ms`);
  const moreMs = Math.min(...runs.map((run) => run.allMs)) - small.allMs;
  assert(moreMs < 1500, `${moreMs} ms more`);
  const { config } = large;
  for (const { config: { authenticate } } of [small, large]) {
    const wrong = msPerCall(500, (index) => authenticate(`sk-wrong-${index}`));
    const known = msPerCall(500, (index) => authenticate(keyOf(index % 10_000)));
    assert(wrong < 0.1 && known < 0.1, `${wrong} ms for a wrong key, ${known} ms for a known one`);
  }
  const [key] = config.serviceKeys;
  if (key === undefined) throw new TypeError("There is no key");
  const unknown = msPerCall(20, (index) => config.suggest(`unknown-${index}`, key));
  assert(unknown < 20, `${unknown} ms to suggest a name`);
  assert(config.serviceKeys[5000]?.models === key.models, "equal lists are one value");
});

Deno.test("plans of 5,000 models take little memory, and one that is not there little time", () => {
  const { config } = loadInSteps(manyKeys(5000, 10_000));
  const clock = new ManualClock();
  const reasoning = createCarrier(clock);
  const cache = new MemoryStore(() => ({ bytes: 0, ttlMs: 0 }), () => 0);
  const features = createFeatures({
    ...{ reasoning, clock, cache, secret: new Uint8Array(32) },
    newId: (prefix) => prefix,
    state: new FeatureState(new State()),
  });
  let plans = new Plans(features);
  const find = (index: number) => plans.find(`m${index % 5000}`, config)?.features(CHAT);
  const ms = msPerCall(5000, (index) => {
    if (index % 5000 === 0) plans = new Plans(features);
    find(index);
  });
  assert(ms < 0.2, `${ms} ms to make a plan`);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  plans = new Plans(features);
  collect();
  const before = Deno.memoryUsage().heapUsed;
  for (let index = 0; index < 5000; index++) find(index);
  collect();
  const bytes = Deno.memoryUsage().heapUsed - before;
  assert(bytes < 30 * 1024 * 1024, `${bytes} bytes of plans`);
  assert(find(4999) !== undefined);
});

Deno.test("growth is measured in bounded time", async () => {
  const all = await Promise.all(["planted", ...Object.keys(GROUPS)].map(judge));
  const seconds = all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  assert(full || seconds < MAX_CPU_SECONDS, `${seconds} s of CPU time`);
});
