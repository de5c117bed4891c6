/** Facts about vendors age: each has a date and a source, and the old ones are listed. */

import { assert, assertEquals, assertThrows, fail } from "@std/assert";
import { adapters } from "../../src/providers/registry.ts";
import { listFacts, toFactsText } from "../../src/providers/support_matrix.ts";
import { citationsIn, readCitations } from "../support/citations.ts";

/** Kinds that are no vendor's. */
const NO_VENDOR = ["openai_compatible", "mock"];

const MODELS = listFacts();
const SOURCES = readCitations();

Deno.test("every vendor has sources", () => {
  const known = new Set(SOURCES.map(({ vendor }) => vendor));
  const unknown = [...adapters.keys()].filter((kind) => !known.has(kind));
  assertEquals(unknown, NO_VENDOR);
});

Deno.test("every fact has a source, and a date that is not in the future", () => {
  for (const { checked, source } of [...MODELS, ...SOURCES]) {
    assert(source.length > 0);
    const at = Date.parse(checked);
    assert(at > Date.parse("2024") && at <= Date.now(), `${checked} ${source}`);
  }
  for (const { checked, id } of MODELS) assert(/^\d{4}-\d\d-\d\d$/.test(checked), id);
});

Deno.test("listFacts() lists what was checked before a moment", () => {
  const days = [...new Set(MODELS.map(({ checked }) => checked))].sort();
  const [first = fail(), ...later] = days;
  assertEquals(listFacts(Date.parse(first)), []);
  assertEquals(
    new Set(listFacts(Date.parse(later.at(-1) ?? fail())).map(({ checked }) => checked)),
    new Set(days.slice(0, -1)),
  );
  assertEquals(listFacts(Date.parse("2100-01-01")).length, MODELS.length);
});

Deno.test("toFactsText() prints a table, if it has rows", () => {
  const model = MODELS[0] ?? fail();
  const text = toFactsText([{ ...model, context_window: null, price_input_per_mtok: 0.5 }]);
  const [head, row, ...rest] = text.split("\n");
  assertEquals(head?.split(/ +/)[0], "VENDOR");
  assertEquals(row?.split(/ +/).slice(0, 3), [model.vendor, model.id, "?"]);
  assert(row?.includes(` 0.5/${model.price_output_per_mtok} `));
  assertEquals(rest, []);
  assertEquals(toFactsText([]), "No facts found.");
});

/** Comments, and what they cite. */
const COMMENTS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  ["/** Docs (https://a.example/x, 2026-11-20). */", [["https://a.example/x", "2026-11-20"]]],
  ["// https://a.example/x (2026-11).\n", [["https://a.example/x", "2026-11"]]],
  [
    "/**\n * https://a.example/x and\n * https://b.example (v2.3.0, 2026).\n */",
    [["https://a.example/x", "2026"], ["https://b.example", "2026"]],
  ],
  [
    "  // Probes (https://a.example, 2026-07; https://b.example,\n  // 2026-05-03).\n",
    [["https://a.example", "2026-07"], ["https://b.example", "2026-05-03"]],
  ],
  ["/** It does (observed 2026-08). */", [["observed", "2026-08"]]],
  ["/** GLM was seen to (2026-08). */", [["observed", "2026-08"]]],
  ["/** So (any-llm, 2026-08-19). */", [["any-llm", "2026-08-19"]]],
  ["/** https://www.rfc-editor.org/rfc/rfc9923 (2026-02). */", []],
  ["/** Version 2026-10-21 has none. */", []],
  ['const url = "https://a.example";\n', []],
];

Deno.test("citationsIn() reads URLs, other sources, and their dates", () => {
  for (const [comment, expected] of COMMENTS) {
    const found = citationsIn(comment).map(({ source, checked }) => [source, checked]);
    assertEquals(found, expected.map((citation) => [...citation]), comment);
  }
});

Deno.test("citationsIn() rejects a URL without a date", () => {
  for (
    const comment of ["/** https://a.example */", "/** Since 2026-11-20: https://a.example. */"]
  ) assertThrows(() => citationsIn(comment), Error, "A citation without a date: https://a.example");
});
