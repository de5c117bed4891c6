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
import { readUsage } from "./usage_report.ts";

const KEYS = "/v1/admin/keys";
/** Keys per page of the list. */
const PAGE = 1000;

/**
 * Runs a command.
 *
 * @throws {AdminError} when the gateway cannot be reached or refuses.
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

/** A number, or else the text as it is: the API says what is wrong with it. */
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
    note: `This is the text of ${titleOf(key)}; it is shown only once`,
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

/** Finds a key by its name, else by its ID. */
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
