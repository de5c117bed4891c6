import { assertEquals, assertStringIncludes } from "@std/assert";
import { toReport } from "../../src/tools/banner.ts";
import { toWarnings } from "../../src/config/warnings.ts";
import { BUILT_IN } from "../../src/providers/shared/catalogue.ts";
import catalogue from "../../src/providers/shared/catalogue.json" with { type: "json" };
import { errorsOf, load } from "../support/sample_config.ts";

const TEXT = `catalogue: models.json
providers: { openai: { kind: openai, api_key: sk-vendor-0123, models: [gpt-5.4, gpt-new, gpt-5.5] } }`;

const ROW = {
  ...{ id: "gpt-new", vendor: "openai", created: null, context_window: 77 },
  ...{ max_output_tokens: null, price_input_per_mtok: 1, price_output_per_mtok: 2 },
  ...{ price_cached_input_per_mtok: null, capabilities: { tools: true, vision: null } },
  ...{ rejects_sampling_params: null, source: "here", checked: "2030-01-02" },
};
const around = (content: unknown) => ({
  files: { "models.json": typeof content === "string" ? content : JSON.stringify(content) },
});

Deno.test("entries of the file replace the built-in ones, and the others stay", () => {
  const files = around([ROW, { ...ROW, id: "gpt-5.4", context_window: 5 }]);
  const config = load(TEXT, files);
  const windowOf = (id: string) => config.find(id)?.target.model.facts.context_window;
  assertEquals([windowOf("gpt-new"), windowOf("gpt-5.4")], [77, 5]);
  assertEquals(
    windowOf("gpt-5.5"),
    load(TEXT.replace(/.*\n/, "")).find("gpt-5.5")?.target.model.facts.context_window,
  );
  assertEquals(config.find("gpt-new")?.target.model.facts.prices, { input: 1, output: 2 });
  assertEquals(config.catalogue, { path: "models.json", date: "2030-01-02", isOlder: false });
  assertStringIncludes(toReport(config), "Facts about models: models.json, of 2030-01-02\n");
});

Deno.test("without a file the built-in catalog is used, which has a date", () => {
  const config = load(TEXT.replace(/.*\n/, ""));
  assertEquals(config.catalogue, { path: undefined, date: BUILT_IN.date, isOlder: false });
  assertStringIncludes(toReport(config), `Facts about models: built in, of ${BUILT_IN.date}\n`);
});

Deno.test("an older file gets a warning", () => {
  const config = load(TEXT, around([{ ...ROW, checked: "2020-01-01" }]));
  assertEquals(toWarnings(config), [
    "catalogue: the file is from 2020-01-01, and the built-in catalog is newer",
  ]);
});

Deno.test("catalogue.json itself is such a file", () => {
  assertEquals(errorsOf(TEXT, around(catalogue)), []);
});

for (
  const [what, content, expected] of [
    ["no JSON", "[", "it is not JSON"],
    ["no list", "{}", "it is not a list of models"],
    ["a row of another type", [5], "entry 0 is not an object"],
    ["a row without an ID", [ROW, { ...ROW, id: "" }], "entry 1 has no 'id' or no 'vendor'"],
    ["a row without a date", [{ ...ROW, checked: "today" }], "entry 0 has no date in 'checked'"],
    [
      "a price that is text",
      [{ ...ROW, price_input_per_mtok: "1" }],
      "entry 0 has a 'price_input_per_mtok' that is neither a positive number nor null",
    ],
    [
      "other capabilities",
      [{ ...ROW, capabilities: { tools: "yes" } }],
      "entry 0 has 'capabilities' that are not true, false or null",
    ],
    [
      "half of the prices of long prompts",
      [{ ...ROW, long_context: { above: 5 } }],
      "entry 0 has a 'long_context' without its prices",
    ],
  ] as const
) {
  Deno.test(`loadConfig() refuses a catalog with ${what}`, () => {
    assertEquals(errorsOf(TEXT, around(content)), [
      `catalogue: is not a model catalog: ${expected}`,
    ]);
  });
}

Deno.test("loadConfig() refuses a catalog that cannot be read", () => {
  assertEquals(errorsOf(TEXT), ["catalogue: cannot be read"]);
});
