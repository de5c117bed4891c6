import { assert, assertEquals, assertRejects } from "@std/assert";
import { firstSeed, fuzz, SCALE } from "./fuzz.ts";

const DAY_MS = 86_400_000;

Deno.test("the seeds of a day are the same, and those of two days differ by more than a test takes", () => {
  assertEquals(firstSeed(5 * DAY_MS, undefined), firstSeed(6 * DAY_MS - 1, undefined));
  assertEquals(firstSeed(6 * DAY_MS, undefined) - firstSeed(5 * DAY_MS, undefined), 1_000_000);
  assertEquals(firstSeed(5 * DAY_MS, "42"), 42);
});

Deno.test("an input that fails is named by its seed, and the others are counted", async () => {
  const first = firstSeed(Date.now());
  const fails = (_: unknown, index: number) => {
    if (index === 3) throw new Error("It fails");
  };
  const { message } = await assertRejects(() => fuzz(20, fails), Error);
  assertEquals(message, `It fails\nSLUICE_TEST_SEED=${first + 3} begins with this input`);
  const drawn: number[] = [];
  const tried = await fuzz(5, (random) => drawn.push(random.next()));
  assert(tried >= 5 * SCALE && new Set(drawn).size === tried, `${tried} inputs`);
});
