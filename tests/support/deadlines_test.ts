/** Every wait of a test ends, and says what it waited for. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { withDeadline } from "./deadlines.ts";
import { elapse, until, untilReply } from "./elapse.ts";
import { ManualClock } from "./manual_clock.ts";

const FN = () => {};

Deno.test("each form of a test gets a deadline, unless it has one", () => {
  const registered: unknown[][] = [];
  const test = withDeadline((...args) => registered.push([...args]), 500);
  test({ name: "a", fn: FN });
  test({ name: "a", fn: FN, timeout: 20 });
  test("a", FN);
  test("a", { ignore: true }, FN);
  test({ ignore: true }, FN);
  test(FN);
  assertEquals(registered, [
    [{ timeout: 500, name: "a", fn: FN }],
    [{ timeout: 20, name: "a", fn: FN }],
    ["a", { timeout: 500 }, FN],
    ["a", { timeout: 500, ignore: true }, FN],
    [{ timeout: 500, ignore: true }, FN],
    [{ timeout: 500 }, FN],
  ]);
});

Deno.test("a wait that fails names its condition and its time", async () => {
  const isReady = () => false;
  const unready = await assertRejects(() => until(isReady, 10), Error, "Not true after 0.01 s: ");
  assertStringIncludes(unready.message, String(isReady));
  const ask = () => Promise.reject(new Error("refused"));
  const refused = await assertRejects(() => untilReply(ask, 10), Error, String(ask));
  assertEquals((refused.cause as Error).message, "refused");
  const never = new Promise(() => {});
  const pending = "The promise is pending after 0.01 s and ";
  await assertRejects(() => elapse(new ManualClock(), never, 10), Error, pending);
});
