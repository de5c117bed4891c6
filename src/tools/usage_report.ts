/** Fetches all pages of the report that `sluice usage` prints. */

import type { JsonObject } from "../contract/chat.ts";
import { aligned } from "../providers/support_matrix.ts";
import type { AdminCommand } from "./admin_arguments.ts";
import { type AdminClient, type AdminOutput, cell, entriesOf, toJson } from "./admin_client.ts";

const USAGE = "/v1/admin/usage";
/** Groups per page: the maximum that the gateway returns. */
const PAGE_SIZE = 5000;
/** The maximum number of pages of one report. */
const MAX_PAGES = 20;

/**
 * Reads all pages of a report, up to a limit that the note names.
 *
 * @throws {AdminError} when the gateway cannot be reached or refuses.
 */
export async function readUsage(
  { options, flags }: AdminCommand,
  client: AdminClient,
): Promise<AdminOutput> {
  const query = new URLSearchParams();
  for (const option of ["group-by", "key", "from", "to"]) {
    const value = options.get(option);
    if (value !== undefined) query.set(option.replaceAll("-", "_"), value);
  }
  if (flags.has("csv")) return await readCsv(query, client);
  const { report, hasMore } = await readReport(query, client);
  const text = flags.has("json") ? toJson(report) : toUsageTable(report);
  return { text, ...(hasMore && { note: TOO_MANY }) };
}

const TOO_MANY = `There are more groups than the first ${PAGE_SIZE * MAX_PAGES}: ` +
  "choose a shorter time, one key, or another grouping";

/** The pages as one report; `next` of the last one stays. */
async function readReport(
  query: URLSearchParams,
  client: AdminClient,
): Promise<{ readonly report: JsonObject; readonly hasMore: boolean }> {
  const entries: JsonObject[][] = [];
  let report: JsonObject = {};
  const hasMore = await readPages(query, async (path) => {
    report = await client.json("GET", path);
    entries.push(entriesOf(report));
    // Later pages cover the same period.
    for (const name of ["from", "to"]) query.set(name, String(report[name]));
    return report.has_more === true ? String(report.next) : undefined;
  });
  return { report: { ...report, data: entries.flat() }, hasMore };
}

async function readCsv(query: URLSearchParams, client: AdminClient): Promise<AdminOutput> {
  if (!query.has("from") || !query.has("to")) {
    // All pages cover the same period, which CSV does not contain.
    const { from, to } = await client.json("GET", `${USAGE}?${timesIn(query)}`);
    for (const [name, time] of Object.entries({ from, to })) query.set(name, String(time));
  }
  const texts: string[] = [];
  query.set("format", "csv");
  const hasMore = await readPages(query, async (path) => {
    const { text, next } = await client.page("GET", path);
    // Each page begins with the names of the columns.
    texts.push(texts.length === 0 ? text : text.slice(text.indexOf("\n") + 1));
    return next;
  });
  return { text: texts.join(""), ...(hasMore && { note: TOO_MANY }) };
}

/** The times of a query, for a report of one group. */
function timesIn(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => name === "from" || name === "to"));
}

/**
 * Calls a function with the path of each page; it returns the position of the next one.
 *
 * @returns whether there are more pages than are read
 */
async function readPages(
  query: URLSearchParams,
  read: (path: string) => Promise<string | undefined>,
): Promise<boolean> {
  query.set("limit", String(PAGE_SIZE));
  for (let count = 0; count < MAX_PAGES; count++) {
    const next = await read(`${USAGE}?${query}`);
    if (next === undefined) return false;
    query.set("after", next);
  }
  return true;
}

/** The columns of the table of usage after those of the groups. */
const USAGE_COLUMNS: readonly (readonly [string, string])[] = [
  ["requests", "REQUESTS"],
  ["errors", "ERRORS"],
  ["input_tokens", "INPUT"],
  ["output_tokens", "OUTPUT"],
  ["cost_usd", "USD"],
  ["p50_ms", "P50 MS"],
  ["p95_ms", "P95 MS"],
  ["first_token_p50_ms", "FIRST TOKEN MS"],
];

function toUsageTable(report: JsonObject): string {
  const groups = Array.isArray(report.group_by) ? report.group_by.map(String) : [];
  const entries = entriesOf(report);
  const period = `From ${report.from} to ${report.to}\n`;
  if (entries.length === 0) return `${period}\nNo requests\n`;
  const isUnpriced = ({ unpriced_requests: count }: JsonObject) =>
    typeof count === "number" && count > 0;
  const rows = entries.map((entry) => [
    ...groups.map((group) => cell(entry[group])),
    ...USAGE_COLUMNS.map(([name]) =>
      name === "cost_usd" && isUnpriced(entry) ? `${cell(entry[name])}*` : cell(entry[name])
    ),
  ]);
  const head = [
    ...groups.map((group) => group.toUpperCase()),
    ...USAGE_COLUMNS.map(([, name]) => name),
  ];
  const note = entries.some(isUnpriced) ? "\n* without requests whose price is unknown\n" : "";
  return `${period}\n${aligned([head, ...rows])}\n${note}`;
}
