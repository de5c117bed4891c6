/** Runs `sluice keys` and `sluice usage`. */

import { isObject, type JsonObject } from "../contract/chat.ts";
import { aligned } from "../providers/support_matrix.ts";
import { type AdminCommand, LIMIT_OPTIONS } from "./admin_arguments.ts";
import {
  type AdminClient,
  AdminError,
  type AdminOutput,
  cell,
  entriesOf,
  toJson,
  UsageError,
} from "./admin_client.ts";

const KEYS = "/v1/admin/keys";
/** Keys per page of the list. */
const PAGE = 1000;

/**
 * Runs a command.
 *
 * @throws {AdminError} when the gateway cannot be reached or rejects the request.
 * @throws {UsageError} for an invalid value of an option.
 */
export async function runAdminCommand(
  command: AdminCommand,
  client: AdminClient,
): Promise<AdminOutput> {
  const { action, target = "", options, flags } = command;
  const isJson = flags.has("json");
  switch (action) {
    case "create":
      return toNewKey(await client.json("POST", KEYS, toNewKeyBody(command)), isJson);
    case "list": {
      const keys = await listKeys(client, flags.has("revoked"));
      return { text: isJson ? toJson({ object: "list", data: keys }) : toTable(keys) };
    }
    case "show": {
      const key = await findKey(client, target);
      return { text: isJson ? toJson(key) : toDetails(key) };
    }
    case "revoke": {
      const revoked = await client.json("DELETE", await pathOf(client, target));
      return { text: isJson ? toJson(revoked) : `Revoked ${titleOf(revoked)}\n` };
    }
    case "rotate": {
      const overlap = options.get("overlap");
      const path = `${await pathOf(client, target)}/rotate`;
      return toNewKey(
        await client.json("POST", path, overlap === undefined ? {} : { overlap }),
        isJson,
      );
    }
    case "usage":
      return await readUsage(command, client);
  }
}

function toNewKeyBody({ target, options }: AdminCommand): JsonObject {
  const limits = Object.fromEntries(
    LIMIT_OPTIONS.flatMap((option) => {
      const value = options.get(option);
      return value === undefined ? [] : [[option.replaceAll("-", "_"), value]];
    }),
  );
  const models = options.get("models")?.split(",").map((model) => model.trim());
  const expires = options.get("expires");
  const budget = options.get("budget");
  const unknownPrices = options.get("unknown-prices");
  const priority = options.get("priority");
  const weight = options.get("weight");
  if (budget === undefined && unknownPrices !== undefined) {
    throw new UsageError("--unknown-prices is a part of --budget");
  }
  return {
    name: target,
    ...(models !== undefined && { models }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(budget !== undefined && {
      budget: {
        ...readBudget(budget),
        ...(unknownPrices !== undefined && { unknown_prices: unknownPrices }),
      },
    }),
    ...(expires !== undefined && { expires }),
    ...(priority !== undefined && { priority }),
    ...(weight !== undefined && { weight: toNumber(weight) }),
    ...Object.fromEntries(["owner", "team", "note"].flatMap((name) => {
      const text = options.get(name);
      return text === undefined ? [] : [[name, text]];
    })),
  };
}

/** A number, or the original text, which the API then rejects with a message. */
function toNumber(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

function readBudget(text: string): JsonObject {
  const [, usd, per] = /^([\d.]+)\/(\w+)$/.exec(text) ?? [];
  if (usd === undefined || per === undefined) {
    throw new UsageError("--budget must be US dollars and a period, such as 250/month");
  }
  return { usd, per };
}

/** Only the text of a new key goes to standard output, so that scripts can store it. */
function toNewKey(key: JsonObject, isJson: boolean): AdminOutput {
  if (isJson) return { text: toJson(key) };
  return {
    text: `${key.key}\n`,
    note: `This is ${titleOf(key)}; it is shown only once`,
  };
}

async function listKeys(client: AdminClient, revoked: boolean): Promise<JsonObject[]> {
  const keys: JsonObject[] = [];
  for (let after = "";;) {
    const query = new URLSearchParams({ limit: String(PAGE), revoked: String(revoked) });
    if (after !== "") query.set("after", after);
    const page = await client.json("GET", `${KEYS}?${query}`);
    const data = entriesOf(page);
    keys.push(...data);
    after = String(data.at(-1)?.id ?? "");
    if (page.has_more !== true || after === "") return keys;
  }
}

/** Finds a key by name, then by ID. */
async function findKey(client: AdminClient, target: string): Promise<JsonObject> {
  const query = new URLSearchParams({ name: target, revoked: "true" });
  const [key] = entriesOf(await client.json("GET", `${KEYS}?${query}`));
  if (key !== undefined) return key;
  try {
    return await client.json("GET", `${KEYS}/${encodeURIComponent(target)}`);
  } catch (thrown) {
    if (!(thrown instanceof AdminError) || !/no key with this ID/.test(thrown.message)) {
      throw thrown;
    }
    throw new AdminError(`There is no key with the name or ID '${target}'`);
  }
}

async function pathOf(client: AdminClient, target: string): Promise<string> {
  const { id } = await findKey(client, target);
  return `${KEYS}/${encodeURIComponent(String(id))}`;
}

function toTable(keys: readonly JsonObject[]): string {
  if (keys.length === 0) return "No keys\n";
  const rows = keys.map((key) => [
    ...[cell(key.name), statusOf(key), cell(key.source), cell(key.prefix)],
    ...[budgetOf(key), dateOf(key.expires), dateOf(key.created), cell(key.id)],
  ]);
  return aligned([HEAD, ...rows]) + "\n";
}

const HEAD = ["NAME", "STATUS", "SOURCE", "PREFIX", "BUDGET", "EXPIRES", "CREATED", "ID"];

function toDetails(key: JsonObject): string {
  const { limits } = key;
  const rows = [
    ["name", cell(key.name)],
    ["id", cell(key.id)],
    ["status", statusOf(key)],
    ["source", cell(key.source)],
    ["prefix", cell(key.prefix)],
    ["models", Array.isArray(key.models) ? key.models.join(", ") : "all"],
    ...(isObject(limits) ? Object.entries(limits) : []).map(([name, limit]) => [name, cell(limit)]),
    ["budget", budgetOf(key)],
    ["expires", dateOf(key.expires)],
    ["priority", cell(key.priority)],
    ["weight", cell(key.weight)],
    ["owner", cell(key.owner)],
    ["team", cell(key.team)],
    ["note", cell(key.note)],
    ["created", dateOf(key.created)],
    ["revoked", dateOf(key.revoked)],
  ];
  return aligned(rows) + "\n";
}

function statusOf({ status, reason }: JsonObject): string {
  return cell(status) + (reason === undefined ? "" : `: ${reason}`);
}

function budgetOf({ budget }: JsonObject): string {
  return isObject(budget) ? `${budget.usd} USD/${budget.per}` : "-";
}

/** A time in Unix seconds, as text. */
function dateOf(seconds: unknown): string {
  if (typeof seconds !== "number") return "-";
  return new Date(seconds * 1000).toISOString().replace("T00:00:00.000Z", "").replace(".000Z", "Z");
}

function titleOf({ name, id }: JsonObject): string {
  return `the key '${name}' (${id})`;
}

const USAGE = "/v1/admin/usage";

/** Groups per page: the maximum that the gateway returns. */
const PAGE_SIZE = 5000;

/** The maximum number of pages of one report. */
const MAX_PAGES = 20;

/**
 * Reads all pages of a report, up to a limit that the note mentions.
 *
 * @throws {AdminError} when the gateway cannot be reached or rejects the request.
 */
async function readUsage(
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

/** Joins the pages into one report, with `next` from the last page. */
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

/** The period of a query, for a report of one group. */
function timesIn(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => name === "from" || name === "to"));
}

/**
 * Calls a function with the path of each page; it returns the position of the next one.
 *
 * @returns whether there are more pages than were read
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

/** The columns of the usage table after the group columns. */
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
