/** Which memory of moved sessions a worker shares. */

import { assertEquals } from "@std/assert";
import { loadConfig } from "../../../src/config/config.ts";
import { MovedSessions } from "../../../src/features/affinity/moved_sessions.ts";
import { LocalCounters } from "../../../src/governance/local_counters.ts";
import { allocateCounters, SharedCounters } from "../../../src/governance/shared_counters.ts";
import { createSharedMoves } from "../../../src/process/stores/shared_store.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { until } from "../../support/elapse.ts";

const PROVIDERS = { mock: { kind: "mock", models: ["mock-echo"] } };

function load(sections: Record<string, unknown>) {
  const text = JSON.stringify({ server: { keys: [] }, providers: PROVIDERS, ...sections });
  const readFile = () => {
    throw new TypeError("There are no files");
  };
  return loadConfig(text, {
    ...{ env: () => undefined, readFile, adapters, source: "test", now: () => 0 },
    newKey: () => "generated",
  });
}

const inAlias = { aliases: { a: { targets: ["mock-echo"], affinity: {} } } };

Deno.test("a configuration has affinity if its routing or an alias has", () => {
  const has = (sections: Record<string, unknown>) => load(sections).hasAffinity;
  assertEquals([has({}), has({ routing: { affinity: "off" } })], [false, false]);
  assertEquals([has({ routing: { affinity: {} } }), has(inAlias)], [true, true]);
});

Deno.test("the workers of a process share moved sessions", async () => {
  const memory = allocateCounters(2);
  const start = (worker: number) => {
    const moved = new MovedSessions();
    const context = {
      config: () => load(inAlias),
      counters: new SharedCounters(memory, worker),
      moved,
    };
    return { moved, shared: createSharedMoves(undefined, context) };
  };
  const [one, other] = [start(1), start(2)];
  const now = Date.now();
  one.moved.moved("a", "s m", { target: "x@p", until: now + 60_000 }, now);
  await until(() => other.moved.find("a", () => "s m", now)?.target === "x@p");
  for (const { shared } of [one, other]) await shared?.close();
  // A single worker has no one to tell.
  const context = { config: () => load(inAlias), counters: new LocalCounters(), moved: one.moved };
  assertEquals(createSharedMoves(undefined, context), undefined);
});
