/** When garbage is collected for good: in a time of the test's own. */

import { assertEquals } from "@std/assert";
import { findCollector, releaseWhenIdle } from "../../src/process/idle_memory.ts";
import { ManualClock } from "../support/manual_clock.ts";

function begin() {
  const clock = new ManualClock();
  const load = { inFlight: 0, requests: 0 };
  const heap = { bytes: 40, collections: 0 };
  releaseWhenIdle({
    clock,
    load: () => load,
    heapBytes: () => heap.bytes,
    collect: () => {
      heap.collections++;
      heap.bytes = 30;
    },
  });
  return { clock, load, heap };
}

Deno.test("after load, garbage is collected once, when nothing has happened for two seconds", () => {
  const { clock, load, heap } = begin();
  clock.advance(10_000);
  assertEquals(heap.collections, 0);
  for (let second = 0; second < 5; second++) {
    load.requests++;
    heap.bytes = 80;
    clock.advance(1000);
  }
  clock.advance(1000);
  assertEquals(heap.collections, 0);
  clock.advance(1000);
  assertEquals(heap.collections, 1);
  clock.advance(60_000);
  assertEquals(heap.collections, 1);
});

Deno.test("garbage is not collected while a request is open, nor for a heap that has hardly grown", () => {
  const { clock, load, heap } = begin();
  heap.bytes = 80;
  load.inFlight = 1;
  clock.advance(10_000);
  assertEquals(heap.collections, 0);
  load.inFlight = 0;
  load.requests = 1;
  clock.advance(3000);
  assertEquals(heap.collections, 1);
  heap.bytes = 45;
  load.requests = 2;
  clock.advance(10_000);
  assertEquals(heap.collections, 1);
  heap.bytes = 46;
  load.requests = 3;
  clock.advance(3000);
  assertEquals(heap.collections, 2);
});

Deno.test("the collector is the engine's, where a flag exposes it", () => {
  const asked: unknown[] = [];
  findCollector({ gc: (options: unknown) => asked.push(options) })?.();
  assertEquals(asked, [{ type: "major", execution: "sync", flavor: "last-resort" }]);
  assertEquals(findCollector({}), undefined);
});
