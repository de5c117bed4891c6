/**
 * The template cache as it runs in production: with the threshold that `StreamFold` has by itself,
 * every kind whose decoder reports plain events has a case in which events are not parsed.
 */

import { assert, assertEquals } from "@std/assert";
import type { Adapter } from "../../src/contract/adapter.ts";
import type { StreamDecoder } from "../../src/contract/stream_decoder.ts";
import { type Fixture, readFixtures } from "../support/fixtures.ts";
import { fold, prepared, toValue } from "../support/folding.ts";

/**
 * Kinds whose decoders never report plain events: kinds with their own format, and dialects with
 * rules that inspect every choice.
 */
const WITHOUT_PLAIN_EVENTS = new Set([
  ...["bedrock", "cohere", "gemini", "ollama"],
  ...["lmstudio", "mistral", "openrouter", "perplexity", "sambanova", "together"],
]);

const streams = Map.groupBy(
  readFixtures().filter(({ upstream }) => upstream.type === "stream"),
  ({ vendor }) => vendor,
);

for (const [kind, cases] of streams) {
  if (WITHOUT_PLAIN_EVENTS.has(kind)) {
    Deno.test(`${kind}: the decoder reports no plain events`, () => {
      assertEquals(cases.filter((one) => run(one).plain > 0).map(({ name }) => name), []);
    });
    continue;
  }
  Deno.test(`${kind}: a case is long enough for the template cache, whose output is the same`, () => {
    const saved = cases.map((one) => run(one).saved);
    assert(Math.max(...saved) > 0, "the decoder gets every event of every case");
  });
}

interface Run {
  /** Plain events that the decoder reports if it gets every event. */
  readonly plain: number;
  /** Events that the decoder does not get because of the cache. */
  readonly saved: number;
}

function run(fixture: Fixture): Run {
  const { upstream } = fixture;
  if (upstream.type !== "stream") throw new TypeError(`${fixture.name} is no stream`);
  const one = prepared(fixture);
  const counts = { plain: 0, pushed: 0 };
  const counted = { ...one, adapter: counting(one.adapter, counts) };
  const slow = fold(counted, [upstream.bytes], Infinity);
  const { plain, pushed } = counts;
  counts.pushed = 0;
  const quick = fold(counted, [upstream.bytes], "production");
  assertEquals(quick.split("\n\n").map(toValue), slow.split("\n\n").map(toValue));
  return { plain, saved: pushed - counts.pushed };
}

function counting(adapter: Adapter, counts: { plain: number; pushed: number }): Adapter {
  return {
    ...adapter,
    decoder(call): StreamDecoder {
      const decoder = adapter.decoder(call);
      return {
        push(frame) {
          const step = decoder.push(frame);
          counts.pushed++;
          if (step.plain !== undefined) counts.plain++;
          return step;
        },
        end: () => decoder.end(),
      };
    },
  };
}
