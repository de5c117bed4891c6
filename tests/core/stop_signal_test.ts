/** The signal that an owner gives: listeners are called once, in order, and can leave. */

import { assertEquals, assertThrows } from "@std/assert";
import { Stopper, toAbortSignal } from "../../src/core/stop_signal.ts";

Deno.test("a stop calls each listener once, with the first reason", () => {
  const stopper = new Stopper();
  const called: string[] = [];
  const handler = { handleEvent: () => void called.push(`handler ${stopper.reason}`) };
  const last = () => void called.push("last");
  stopper.addEventListener("abort", () => void called.push("first"));
  stopper.addEventListener("abort", handler);
  stopper.addEventListener("abort", last);
  assertEquals([stopper.aborted, stopper.reason], [false, undefined]);
  stopper.throwIfAborted();
  stopper.stop("gone");
  stopper.stop("again");
  assertEquals(called, ["first", "handler gone", "last"]);
  assertEquals([stopper.aborted, stopper.reason], [true, "gone"]);
  assertThrows(() => stopper.throwIfAborted());
  // As with the platform's signal, it is too late to listen.
  stopper.addEventListener("abort", last);
  assertEquals(called.length, 3);
});

Deno.test("a listener that was removed is not called, wherever it was", () => {
  for (const left of [0, 1, 2]) {
    const stopper = new Stopper();
    const called: number[] = [];
    const listeners = [0, 1, 2].map((number) => () => void called.push(number));
    for (const listener of listeners) stopper.addEventListener("abort", listener);
    stopper.removeEventListener("abort", listeners[left] ?? (() => {}));
    stopper.removeEventListener("abort", () => {});
    stopper.stop("now");
    assertEquals(called, [0, 1, 2].filter((number) => number !== left));
  }
});

Deno.test("the platform's signal for a stop has its reason, before and after", () => {
  const stopper = new Stopper();
  const signal = toAbortSignal(stopper);
  assertEquals(signal.aborted, false);
  stopper.stop("gone");
  assertEquals([signal.aborted, signal.reason], [true, "gone"]);
  assertEquals(toAbortSignal(stopper).reason, "gone");
  assertEquals(toAbortSignal(signal), signal);
});
