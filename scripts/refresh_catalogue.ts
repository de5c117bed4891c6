/**
 * Brings the limits and prices in catalogue.json up to date, from a page of models.dev that was
 * downloaded before, such as https://models.dev/api.json. Facts that were read elsewhere stay.
 *
 *     deno run --allow-read --allow-write scripts/refresh_catalogue.ts api.json 2026-11-25
 */

const CATALOGUE = new URL("../src/providers/shared/catalogue.json", import.meta.url);

/** The page's names of vendors, where they differ. */
const PAGE_NAMES = new Map([
  ["fireworks", "fireworks-ai"],
  ["moonshot", "moonshotai"],
  ["novita", "novita-ai"],
  ["qwen", "alibaba"],
  ["together", "togetherai"],
]);

/** The source of the entries that the page updates. */
const SOURCE = "models.dev";

/** An entry of the catalog. */
export interface Row {
  readonly id: string;
  readonly vendor: string;
  readonly source: string;
  readonly checked: string;
  readonly [member: string]: unknown;
}

/** A catalog with the facts of a page. */
export interface Refreshed {
  readonly rows: readonly Row[];
  /** What has changed, one line for each fact. */
  readonly changes: readonly string[];
}

/**
 * Updates the entries that came from the same page.
 *
 * @param date the day on which the page was read, such as `2026-11-25`
 */
export function refresh(rows: readonly Row[], page: unknown, date: string): Refreshed {
  const changes: string[] = [];
  const refreshed = rows.map((row) => {
    const model = modelOf(page, row);
    if (row.source !== SOURCE || model === undefined) return row;
    const facts = factsOf(model);
    for (const [name, value] of facts) {
      if (row[name] !== value) {
        changes.push(`${row.vendor} ${row.id}: ${name} ${row[name]} -> ${value}`);
      }
    }
    return { ...row, ...Object.fromEntries(facts), checked: date };
  });
  return { rows: refreshed, changes };
}

function modelOf(page: unknown, { id, vendor }: Row): unknown {
  const name = PAGE_NAMES.get(vendor) ?? vendor;
  return memberOf(memberOf(memberOf(page, name), "models"), id);
}

/** The members of an entry that the page tells; the others stay. */
function factsOf(model: unknown): readonly (readonly [string, number])[] {
  const [cost, limit] = [memberOf(model, "cost"), memberOf(model, "limit")];
  const told = [
    ["context_window", memberOf(limit, "context")],
    ["max_output_tokens", memberOf(limit, "output")],
    ["price_input_per_mtok", memberOf(cost, "input")],
    ["price_output_per_mtok", memberOf(cost, "output")],
    ["price_cached_input_per_mtok", memberOf(cost, "cache_read")],
  ] as const;
  // A limit of 0 means that it is unknown, and a price of 0 that the page has none.
  return told.flatMap(([name, value]) =>
    typeof value === "number" && Number.isFinite(value) && value > 0 ? [[name, value] as const] : []
  );
}

function memberOf(value: unknown, name: string): unknown {
  const isOwn = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isOwn ? (value as Record<string, unknown>)[name] : undefined;
}

if (import.meta.main) {
  const [path = "", date = new Date().toISOString().slice(0, 10)] = Deno.args;
  const page: unknown = JSON.parse(await Deno.readTextFile(path));
  const rows: readonly Row[] = JSON.parse(await Deno.readTextFile(CATALOGUE));
  const { changes, rows: refreshed } = refresh(rows, page, date);
  await Deno.writeTextFile(CATALOGUE, JSON.stringify(refreshed, null, 2) + "\n");
  const text = changes.map((change) => `${change}\n`).join("");
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
