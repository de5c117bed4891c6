/** When garbage is collected for good: in a time of the test's own. */

import { assertEquals } from "@std/assert";
import {
  findCollector,
  IdleTime,
  releaseWhenIdle,
} from "../../../src/process/memory/idle_memory.ts";
import { ManualClock } from "../../support/manual_clock.ts";

function begin() {
  const clock = new ManualClock();
  const load = { inFlight: 0, requests: 0 };
  const heap = { bytes: 40, collections: 0, warmUps: 0, warm: 30 };
  const process = { workers: 1 };
  releaseWhenIdle({
    clock,
    idleTime: new IdleTime(clock, () => load),
    workers: () => process.workers,
    heapBytes: () => heap.bytes,
    collect: () => {
      heap.collections++;
      heap.bytes = 30;
    },
    warmUp: () => {
      heap.warmUps++;
      heap.bytes = heap.warm;
      return Promise.resolve();
    },
  });
  return { clock, load, heap, process };
}

Deno.test("after load, garbage is collected once, when nothing has happened for 30 seconds", () => {
  const { clock, load, heap } = begin();
  clock.advance(60_000);
  assertEquals(heap.collections, 0);
  for (let second = 0; second < 5; second++) {
    load.requests++;
    heap.bytes = 80;
    clock.advance(1000);
  }
  clock.advance(29_000);
  assertEquals(heap.collections, 0);
  clock.advance(1000);
  assertEquals(heap.collections, 1);
  clock.advance(60_000);
  assertEquals(heap.collections, 1);
});

Deno.test("after a collection the code is compiled again, whose memory is no reason for another", async () => {
  const { clock, load, heap } = begin();
  heap.warm = 60;
  heap.bytes = 80;
  load.requests++;
  clock.advance(1000);
  assertEquals(heap.warmUps, 0);
  clock.advance(30_000);
  await Promise.resolve();
  assertEquals([heap.collections, heap.warmUps], [1, 1]);
  clock.advance(120_000);
  assertEquals([heap.collections, heap.warmUps], [1, 1]);
  heap.bytes = 91;
  clock.advance(30_000);
  await Promise.resolve();
  clock.advance(60_000);
  assertEquals([heap.collections, heap.warmUps], [2, 2]);
});

Deno.test("garbage is not collected while a request is open, nor for a heap that has hardly grown", () => {
  const { clock, load, heap } = begin();
  heap.bytes = 80;
  load.inFlight = 1;
  clock.advance(60_000);
  assertEquals(heap.collections, 0);
  load.inFlight = 0;
  load.requests = 1;
  clock.advance(31_000);
  assertEquals(heap.collections, 1);
  heap.bytes = 45;
  load.requests = 2;
  clock.advance(60_000);
  assertEquals(heap.collections, 1);
  heap.bytes = 46;
  load.requests = 3;
  clock.advance(31_000);
  assertEquals(heap.collections, 2);
});

Deno.test("a heap that grows without requests to models is collected at most twice a minute", () => {
  const { clock, heap } = begin();
  for (let second = 0; second < 60; second++) {
    heap.bytes = 80;
    clock.advance(1000);
  }
  assertEquals(heap.collections, 2);
  clock.advance(60_000);
  assertEquals(heap.collections, 2);
});

Deno.test("what a worker that has ended left behind is collected once, when the gateway is idle", () => {
  const { clock, load, heap, process } = begin();
  process.workers = 4;
  clock.advance(60_000);
  assertEquals(heap.collections, 0);
  process.workers = 1;
  load.inFlight = 1;
  clock.advance(60_000);
  assertEquals(heap.collections, 0);
  load.inFlight = 0;
  clock.advance(30_000);
  assertEquals(heap.collections, 1);
  clock.advance(60_000);
  assertEquals(heap.collections, 1);
});

Deno.test("the idle time begins with the call that finds a new or an open request", () => {
  const clock = new ManualClock();
  const load = { inFlight: 0, requests: 7 };
  const idleTime = new IdleTime(clock, () => load);
  const after = (ms: number) => {
    clock.advance(ms);
    return idleTime.read();
  };
  assertEquals([after(500), after(500)], [500, 1000]);
  load.requests++;
  assertEquals([after(1000), after(1000)], [0, 1000]);
  load.inFlight++;
  assertEquals([after(1000), after(1000)], [0, 0]);
  load.inFlight--;
  load.requests++;
  assertEquals([after(1000), after(1000), after(1000)], [0, 1000, 2000]);
});

Deno.test("the collector is the engine's, where a flag exposes it", () => {
  const asked: unknown[] = [];
  findCollector({ gc: (options: unknown) => asked.push(options) })?.();
  assertEquals(asked, [{ type: "major", execution: "sync", flavor: "last-resort" }]);
  assertEquals(findCollector({}), undefined);
});
