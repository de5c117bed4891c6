/** The modules of comparisons that need no browser: medians, chosen answers, settings, estimates. */

import { assert, assertEquals } from "@std/assert";
import {
  asRuns,
  bestOf,
  firstPair,
  mediansOf,
} from "../../src/console/assets/views/playground/comparison.js";
import {
  budgetVerdict,
  estimateOf,
  sumOf,
} from "../../src/console/assets/views/playground/compare/estimate.js";
import { ownTexts, settingsOf } from "../../src/console/assets/views/playground/request_body.js";
import {
  runsOfTurn,
  samplesOf,
  withChosen,
  withSteps,
} from "../../src/console/assets/views/playground/samples.js";

function run(total: number | null, cost: number | null, state = "done", output = 10) {
  const isOpen = state === "streaming" || state === "queued";
  const fold = { usage: { completion_tokens: output } };
  return { isOpen, state, fold, timing: { first: total && total / 2, total }, cost };
}

Deno.test("medians are of the answers that are done, and the sum is of all that were sent", () => {
  const samples = [
    [run(10, 1, "done", 5)],
    [run(30, 3, "done", 7)],
    // With a tool call, an answer has two requests.
    [run(8, 1, "done", 1), run(12, 1, "done", 2)],
    [run(99, 7, "failed")],
    [run(null, null, "queued")],
  ];
  assertEquals(mediansOf(samples), {
    ...{ isOpen: true, count: 5, done: 3, failed: 1, first: 5, total: 20, output: 5, cost: 2 },
    ...{ spent: 13, unknownCosts: 0 },
  });
  const even = mediansOf([[run(10, 1)], [run(20, 4)]]);
  assertEquals([even.total, even.cost], [15, 2.5]);
  const unknown = mediansOf([[run(10, 1)], [run(20, null)]]);
  assertEquals([unknown.total, unknown.cost, unknown.spent, unknown.unknownCosts], [
    15,
    null,
    1,
    1,
  ]);
  assertEquals(mediansOf([]).total, null);
});

Deno.test("the fastest model is the one with the lowest median", () => {
  const steady = [[run(20, 2)], [run(22, 2)], [run(24, 2)]];
  const lucky = [[run(5, 3)], [run(60, 3)], [run(70, 3)]];
  assertEquals(bestOf([asRuns(steady), asRuns(lucky)]), { fastest: 0, cheapest: 0 });
  const open = [...lucky, [run(null, null, "streaming")]];
  assertEquals(bestOf([asRuns(steady), asRuns(open)]), { fastest: -1, cheapest: -1 });
  assertEquals(bestOf([asRuns(steady), asRuns([[run(1, 1, "failed")], [run(1, 1, "failed")]])]), {
    ...{ fastest: -1, cheapest: -1 },
  });
});

Deno.test("answers of different models are compared first", () => {
  const [a, b, c] = [{ column: 0, id: "a" }, { column: 0, id: "b" }, { column: 1, id: "c" }];
  assertEquals(firstPair([a, b, c]), [a, c]);
  assertEquals(firstPair([a, b]), [a, b]);
});

Deno.test("another answer is chosen without losing the steps of the one before", () => {
  const [a, b, c, more] = ["a", "b", "c", "more"];
  const samples = new Map([[1, { list: [[a], [b], [c]], at: 0 }]]);
  let turn: Parameters<typeof samplesOf>[0] = { runs: new Map([[1, [a]]]), samples } as never;
  turn = withSteps(turn, 1, [a, more]);
  turn = withChosen(turn, 1, 2);
  assertEquals(turn.runs.get(1), [c] as never);
  assertEquals(samplesOf(turn, 1), { list: [[a, more], [b], [c]], at: 2 } as never);
  turn = withSteps(turn, 1, []);
  assertEquals(samplesOf(turn, 1), { list: [[a, more], [b]], at: 0 } as never);
  assertEquals(runsOfTurn(turn), [a, more, b] as never);
  turn = withSteps(withChosen(turn, 1, 1), 1, []);
  assertEquals(samplesOf(turn, 1), { list: [[a, more]], at: 0 } as never);
  assertEquals(turn.samples?.has(1), false);
  // A column without several answers.
  assertEquals(
    samplesOf({ runs: new Map([[7, [b]]]) } as never, 7),
    { list: [[b]], at: 0 } as never,
  );
  assertEquals(samplesOf({ runs: new Map() }, 7), { list: [], at: 0 });
});

Deno.test("a model's own settings replace those of the page", () => {
  const page = {
    ...{ system: "Be kind", tools: "[1]", stream: true, streamUsage: false },
    parameters: {
      ...{ temperature: "1", top_p: "0.5", max_completion_tokens: "9" },
      ...{ tool_choice: "auto", parallel_tool_calls: "true" },
    },
  };
  assertEquals(settingsOf(page, {}), page);
  const own = {
    ...{ system: "", tools: false as const },
    parameters: { temperature: "0.2", max_tokens: "5", reasoning_effort: " " },
  };
  assertEquals(settingsOf(page, { own }), {
    ...page,
    system: "",
    tools: "",
    parameters: { temperature: "0.2", top_p: "0.5", max_tokens: "5" },
  });
  assertEquals(ownTexts({ own }), [
    ...["own system message", "temperature 0.2", "max_tokens 5", "no tools"],
  ]);
  assertEquals(ownTexts({}), []);
});

const explained = (cost: number | null, error?: object) => ({
  targets: [
    {
      ...{ provider: "p", model: "m", error },
      estimate: error ? undefined : {
        ...{ input_tokens: 10, output_tokens: 20, max_output_tokens: 100 },
        ...{ cost_usd: cost, max_cost_usd: cost === null ? null : 10 * cost },
      },
    },
  ],
});

Deno.test("an estimate is that of the first target that can answer, summed over the answers", () => {
  const able = estimateOf(explained(2));
  const [refused] = explained(null, { message: "No price" }).targets;
  assertEquals(estimateOf({ targets: [refused, ...explained(2).targets] }), able);
  assertEquals(estimateOf({ targets: [refused] }), { error: "No price" });
  assertEquals(sumOf([able, able, { error: "No price" }], 3), {
    ...{ requests: 6, input: 60, output: 120, most: 600, cost: 12, maxCost: 120 },
  });
  assertEquals(sumOf([able, estimateOf(explained(null))], 1).cost, null);
});

Deno.test("the budget says what it would refuse", () => {
  const estimates = [estimateOf(explained(2)), estimateOf(explained(3))];
  const budget = (remaining_usd: number) => ({
    ...{ limit_usd: 100, remaining_usd, is_used_up: remaining_usd === 0 },
  });
  const tone = (left: number, count = 1, list = estimates) =>
    budgetVerdict(budget(left), list, count)?.tone;
  assertEquals(budgetVerdict(null, estimates, 1), undefined);
  assertEquals(tone(0), "bad");
  assertEquals(tone(4), "bad");
  assertEquals(tone(40), "warn");
  assertEquals(tone(60), "good");
  // All answers count for the cost; those of one model are not written at the same time.
  assertEquals(tone(60, 13), "bad");
  assertEquals(tone(60, 9), "good");
  // A single request is admitted if anything is left.
  assertEquals(tone(4, 1, estimates.slice(0, 1)), "good");
  assert(budgetVerdict(budget(40), estimates, 1)?.text.includes("$50.00"));
});
