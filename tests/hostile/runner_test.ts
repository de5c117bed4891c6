/** The runner of the attacks, and its failures. */

import { assert, assertEquals } from "@std/assert";
import { runAll } from "./runner.ts";
import type { Scenario } from "./trial.ts";

const OPTIONS = { start: unexpected, short: true, patience: 1 };

function unexpected(): never {
  throw new Error("No scenario here starts a gateway");
}

async function run(...scenarios: Scenario[]): Promise<{ passed: boolean; text: string }> {
  let text = "";
  const passed = await runAll(scenarios, OPTIONS, (more) => text += more);
  return { passed, text };
}

function scenario(name: string, run: Scenario["run"], seconds = 5): Scenario {
  return { name, seconds, run };
}

Deno.test("runAll() passes when every result is within its limit, and prints each result", async () => {
  const { passed, text } = await run(
    scenario("one", (trial) => {
      trial.report("a", "at most 2", "1", true);
      trial.note("b", "slow");
      return Promise.resolve();
    }),
  );
  assert(passed, text);
  assertEquals(text.match(/ok|noted/g), ["ok", "noted"]);
});

Deno.test("runAll() fails for a result over its limit, and for a scenario that throws or does not end", async () => {
  const over = scenario("over", (trial) => {
    trial.report("", "at most 1", "2", false);
    return Promise.resolve();
  });
  const broken = scenario("broken", () => Promise.reject(new Error("It broke")));
  const { promise, resolve } = Promise.withResolvers<void>();
  const hanging = scenario("hanging", () => promise, 0.05);
  for (const one of [over, broken, hanging]) {
    const { passed, text } = await run(one);
    assertEquals([passed, text.match(/FAIL/g)?.length], [false, 1], text);
  }
  resolve();
});

Deno.test("runAll() stops the processes of a scenario, also after a failure", async () => {
  const ended: string[] = [];
  const start = (name: string, fails: boolean) =>
    scenario(name, (trial) => {
      trial.own({ [Symbol.dispose]: () => void ended.push(name) });
      return fails ? Promise.reject(new Error(name)) : Promise.resolve();
    });
  await run(start("well", false), start("ill", true));
  assertEquals(ended.sort(), ["ill", "well"]);
});
