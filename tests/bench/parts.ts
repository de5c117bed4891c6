/** The parts of a run. */

import { measureLargeBodies } from "./bodies.ts";
import { measureDecoders, summarize } from "./decoder.ts";
import { measureEvents } from "./dripping.ts";
import { measureFeatures } from "./feature_costs.ts";
import type { Part } from "./findings.ts";
import { measureLarge } from "./large_bodies.ts";
import { measureFresh, measureGrowth, measureStart } from "./lifetime.ts";
import { measureFirst, measureIdle, measureMixed } from "./streams.ts";
import {
  measureChat,
  measureLatency,
  measurePackets,
  measurePortkey,
  measureRoutes,
  measureWorkers,
} from "./throughput.ts";

export const PARTS: Readonly<Record<string, Part>> = {
  chat: measureChat,
  latency: measureLatency,
  workers: measureWorkers,
  routes: measureRoutes,
  fresh: measureFresh,
  features: measureFeatures,
  large: measureLarge,
  events: measureEvents,
  packets: measurePackets,
  first: measureFirst,
  idle: measureIdle,
  mixed: measureMixed,
  body: measureLargeBodies,
  growth: measureGrowth,
  start: measureStart,
  portkey: measurePortkey,
  decoder() {
    const samples = measureDecoders();
    const title =
      "CPU µs per event in the decoder only (target: 3) and in the fold: median and worst stream";
    return { goals: {}, details: [{ title, lines: summarize(samples) }], raw: samples };
  },
};

/** Those that only run when they are named. */
export const NAMED_ONLY: ReadonlySet<string> = new Set(["portkey"]);
