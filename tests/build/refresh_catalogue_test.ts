import { assertEquals } from "@std/assert";
import { refresh, type Row } from "../../scripts/refresh_catalogue.ts";
import catalogue from "../../src/providers/shared/catalogue.json" with { type: "json" };
import page from "../fixtures/catalogue/models_dev.json" with { type: "json" };

const ROW: Row = {
  ...{ id: "gpt-5.4", vendor: "openai", source: "models.dev", checked: "2026-07-02" },
  ...{ context_window: 1, max_output_tokens: 128_000, note: "kept" },
  ...{ price_input_per_mtok: 2.5, price_output_per_mtok: 15, price_cached_input_per_mtok: null },
};

Deno.test("refresh() takes limits and prices of the page, and keeps everything else", () => {
  const { changes, rows } = refresh([ROW], page, "2026-11-25");
  assertEquals(rows, [{
    ...ROW,
    ...{ context_window: 1_050_000, price_cached_input_per_mtok: 0.25, checked: "2026-11-25" },
  }]);
  assertEquals(changes, [
    "openai gpt-5.4: context_window 1 -> 1050000",
    "openai gpt-5.4: price_cached_input_per_mtok null -> 0.25",
  ]);
});

Deno.test("refresh() leaves facts of other sources, unknown models and missing facts alone", () => {
  const rows: readonly Row[] = [
    { ...ROW, source: "public pages" },
    { ...ROW, id: "constructor" },
    { ...ROW, id: "no-such-model" },
    { ...ROW, vendor: "nobody" },
  ];
  assertEquals(refresh(rows, page, "2026-11-25"), { rows, changes: [] });
  assertEquals(refresh(rows, "<html>", "2026-11-25"), { rows, changes: [] });
  const { rows: [bare] } = refresh([{ ...ROW, id: "free", context_window: 9 }], page, "2026-11-25");
  assertEquals([bare?.context_window, bare?.price_input_per_mtok], [9, 2.5]);
});

Deno.test("refresh() finds vendors under the names that the page has for them", () => {
  const row = { ...ROW, vendor: "together", id: "zai-org/GLM-5.2" };
  assertEquals(refresh([row], page, "2026-11-25").rows[0]?.price_output_per_mtok, 4.4);
});

Deno.test("refresh() keeps the whole catalog in its format", () => {
  const { rows } = refresh(catalogue, page, "2026-11-25");
  assertEquals(
    rows.map(({ id, vendor }) => `${vendor} ${id}`),
    catalogue.map(({ id, vendor }) => `${vendor} ${id}`),
  );
});
