/**
 * Random inputs whose seeds change daily and are the same for all runs of a day (UTC).
 * `SLUICE_TEST_SEED` replaces the first seed of the day; failure messages contain its value.
 */

import { Random } from "./random.ts";
import { threadCpuMs } from "./thread_cpu.ts";

const DAY_MS = 86_400_000;
/** More than any test uses in a day, so that no two days share seeds. */
const SEEDS_PER_DAY = 1_000_000;
/** How many times more inputs and CPU time than usual. */
export const SCALE = Number(Deno.env.get("SLUICE_FUZZ_SCALE") ?? "1");
/** CPU time of one test, in milliseconds. */
const MAX_CPU_MS = 1000;
/** The number of inputs that are tried even on a slow machine. */
const LEAST_INPUTS = 20;

/** The first seed for a time in milliseconds since 1970, unless one is given. */
export function firstSeed(now: number, given = Deno.env.get("SLUICE_TEST_SEED")): number {
  return given ? Number(given) : Math.floor(now / DAY_MS) * SEEDS_PER_DAY;
}

/**
 * Calls a function for each of the day's seeds, until the CPU time of a test is used.
 *
 * @param count the number of seeds
 * @param run throws for an input that fails
 * @param offset added to each seed, so that tests with the same generator use different seeds
 * @returns the number of seeds that were tried
 * @throws {Error} names the seed that fails
 */
export async function fuzz(
  count: number,
  run: (random: Random, index: number) => unknown,
  offset = 0,
): Promise<number> {
  const first = firstSeed(Date.now());
  const begin = threadCpuMs();
  const isLate = () => threadCpuMs() - begin > MAX_CPU_MS * SCALE;
  let index = 0;
  for (; index < count * SCALE && (index < LEAST_INPUTS || !isLate()); index++) {
    try {
      await run(new Random(first + index + offset), index);
    } catch (thrown) {
      const text = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Error(`${text}\nSLUICE_TEST_SEED=${first + index} begins with this input`, {
        cause: thrown,
      });
    }
  }
  return index;
}
