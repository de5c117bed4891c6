/** Configurations with many keys and models, and how long the event loop is held by them. */

import type { Config } from "../../../src/config/config.ts";
import { loadConfigInSteps } from "../../../src/config/config.ts";
import { toWarnings } from "../../../src/config/warnings.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { threadCpuMs } from "../thread_cpu.ts";

/** The text of a configuration whose keys may use some of its models. */
export function manyKeys(models: number, keys: number): string {
  const entries = Array.from({ length: keys }, (_, index) =>
    [
      `    - name: key-${index}`,
      `      key: ${keyOf(index)}`,
      `      models: ["m1*", "*9", m${index % models}]`,
    ].join("\n"));
  const ids = Array.from({ length: models }, (_, index) => `      - m${index}`);
  return [
    ...["server:", "  keys:", ...entries, "providers:", "  p:", "    kind: openai_compatible"],
    ...["    base_url: http://127.0.0.1:1/v1", "    models:", ...ids, ""],
  ].join("\n");
}

/** The text of a key. */
export function keyOf(index: number): string {
  return `sk-${String(index).padStart(30, "0")}`;
}

/** Loads a text as a reload does, with the CPU time of all steps and of the longest one. */
export function loadInSteps(text: string): { config: Config; allMs: number; longestMs: number } {
  const steps = loadConfigInSteps(text, {
    ...{ adapters, source: "test", env: () => undefined, newKey: () => "sk-made", now: () => 0 },
    readFile: () => "",
  });
  let allMs = 0;
  let longestMs = 0;
  for (;;) {
    const began = threadCpuMs();
    const { done, value } = steps.next();
    if (done) toWarnings(value);
    const ms = threadCpuMs() - began;
    allMs += ms;
    longestMs = Math.max(longestMs, ms);
    if (done) return { config: value, allMs, longestMs };
  }
}

/** The shortest of several runs, in CPU milliseconds per call. */
export function msPerCall(calls: number, call: (index: number) => void): number {
  let shortest = Infinity;
  for (let round = 0; round < 3; round++) {
    const began = threadCpuMs();
    for (let index = 0; index < calls; index++) call(index + round * calls);
    shortest = Math.min(shortest, (threadCpuMs() - began) / calls);
  }
  return shortest;
}
