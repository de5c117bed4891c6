import { assertEquals, assertRejects } from "@std/assert";
import { turn } from "../support/elapse.ts";
import { untilAborted } from "../../src/core/stop_signal.ts";

/** A signal that counts the listeners it has. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener, signal.removeEventListener];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove.apply(signal, args);
  };
  return { controller, signal, count: () => listeners };
}

Deno.test("untilAborted() settles like the work, and removes its listener", async () => {
  const { signal, count } = countedSignal();
  const work = Promise.withResolvers<number>();
  const result = untilAborted(work.promise, signal);
  assertEquals(count(), 1);
  work.resolve(7);
  assertEquals([await result, count()], [7, 0]);
  await assertRejects(() => untilAborted(Promise.reject(new RangeError("no")), signal), RangeError);
  assertEquals(count(), 0);
});

Deno.test("untilAborted() rejects with the signal's reason, and ignores a later error", async () => {
  const { controller, signal, count } = countedSignal();
  const work = Promise.withResolvers<number>();
  const result = untilAborted(work.promise, signal);
  controller.abort(new RangeError("aborted"));
  await assertRejects(() => result, RangeError, "aborted");
  assertEquals(count(), 0);
  // An unhandled rejection would fail this test.
  work.reject(new TypeError("late"));
  await turn();
  await assertRejects(() => untilAborted(new Promise(() => {}), signal), RangeError, "aborted");
  assertEquals(count(), 0);
});
