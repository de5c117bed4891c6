/** What is known of vendors and their models, from where, and as of when: such facts age. */

import { aligned } from "./support_matrix.ts";
import { type CatalogueRow, listCatalogue } from "./shared/catalogue.ts";
import sources from "./shared/sources.json" with { type: "json" };

/** Where facts in a file of a vendor come from; the comments at the facts say the same. */
export interface VendorSource {
  readonly vendor: string;
  /** The file that holds the facts, below src. */
  readonly file: string;
  readonly source: string;
  /** A year, a month, or a day. */
  readonly checked: string;
}

/** Facts of two kinds: what the catalogue says of models, and what vendors' files were made from. */
export interface VendorFacts {
  readonly models: readonly CatalogueRow[];
  readonly sources: readonly VendorSource[];
}

/**
 * The facts that were last checked before a moment, or all.
 *
 * @param before milliseconds since 1970
 */
export function listFacts(before = Infinity): VendorFacts {
  const isOlder = ({ checked }: { readonly checked: string }) => Date.parse(checked) < before;
  return { models: listCatalogue().filter(isOlder), sources: sources.filter(isOlder) };
}

/** The facts for a terminal, as two tables. */
export function toFactsText({ models, sources }: VendorFacts): string {
  const tables = [
    [
      ["VENDOR", "MODEL", "CONTEXT", "OUTPUT", "USD/MTOK", "CHECKED", "SOURCE"],
      ...models.map(toRow),
    ],
    [
      ["VENDOR", "FILE", "CHECKED", "SOURCE"],
      ...sources.map(({ vendor, file, checked, source }) => [vendor, file, checked, source]),
    ],
  ];
  const filled = tables.filter(({ length }) => length > 1);
  return filled.length === 0 ? "Nothing is that old." : filled.map(aligned).join("\n\n");
}

function toRow(row: CatalogueRow): string[] {
  const { price_input_per_mtok: input, price_output_per_mtok: output } = row;
  return [
    row.vendor,
    row.id,
    String(row.context_window ?? "?"),
    String(row.max_output_tokens ?? "?"),
    `${input ?? "?"}/${output ?? "?"}`,
    row.checked,
    row.source,
  ];
}
