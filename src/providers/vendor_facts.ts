/** Facts about models, with their source and the date when they were checked. */

import { aligned } from "./support_matrix.ts";
import { type CatalogueRow, listCatalogue } from "./shared/catalogue.ts";

/**
 * Lists all models, or those whose facts were last checked before a given time.
 *
 * @param before milliseconds since 1970
 */
export function listFacts(before = Infinity): CatalogueRow[] {
  return listCatalogue().filter(({ checked }) => Date.parse(checked) < before);
}

/** The facts as a table for a terminal. */
export function toFactsText(models: readonly CatalogueRow[]): string {
  if (models.length === 0) return "No facts found.";
  const head = ["VENDOR", "MODEL", "CONTEXT", "OUTPUT", "USD/MTOK", "CHECKED", "SOURCE"];
  return aligned([head, ...models.map(toRow)]);
}

function toRow(row: CatalogueRow): string[] {
  const { price_input_per_mtok: input, price_output_per_mtok: output, unit_prices: units } = row;
  const ofUnits = Object.entries(units ?? {}).map(([name, price]) => `${price} ${name}`);
  return [
    row.vendor,
    row.id,
    String(row.context_window ?? "?"),
    String(row.max_output_tokens ?? "?"),
    ofUnits.length > 0 ? ofUnits.join(", ") : `${input ?? "?"}/${output ?? "?"}`,
    row.checked,
    row.source,
  ];
}
