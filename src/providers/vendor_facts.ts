/** Facts about vendors and models, with their source and the date when they were checked. */

import { aligned } from "./support_matrix.ts";
import { type CatalogueRow, listCatalogue } from "./shared/catalogue.ts";
import sources from "./shared/sources.json" with { type: "json" };

/** A source of the facts in a vendor's file. The comments in the file name it too. */
export interface VendorSource {
  readonly vendor: string;
  /** The path of the file, relative to src. */
  readonly file: string;
  readonly source: string;
  /** A year, a month, or a day. */
  readonly checked: string;
}

/** The facts of the model catalog, and the sources of the vendors' files. */
export interface VendorFacts {
  readonly models: readonly CatalogueRow[];
  readonly sources: readonly VendorSource[];
}

/**
 * Lists all facts, or those that were last checked before a given time.
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
  return filled.length === 0 ? "No facts found." : filled.map(aligned).join("\n\n");
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
