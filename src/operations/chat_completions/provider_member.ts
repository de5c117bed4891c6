/**
 * The member `provider` of chat completions, with which callers choose providers. Its members are
 * OpenRouter's (https://openrouter.ai/docs/features/provider-routing, 2026-11).
 */

import { type Balance, isBalance } from "../../config/routing_schema.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { RouteOptions } from "../../routing/order/route_options.ts";

/** The maximum number of names in a list, and their maximum length. */
const MAX_NAMES = 100;
const MAX_NAME_CHARS = 200;

const SORTS: ReadonlyMap<string, Balance> = new Map([["latency", "ttft"]]);

/**
 * Reads the choices of a caller. Members that the gateway does not know are left to the vendor.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readProviderMember(provider: unknown): RouteOptions | undefined {
  if (!isObject(provider)) return undefined;
  const options = {
    balance: readSort(provider.sort),
    order: readNames(provider.order, "order"),
    only: readNames(provider.only, "only"),
    maxPrice: readMaxPrice(provider.max_price),
  };
  return Object.values(options).some((value) => value !== undefined) ? options : undefined;
}

/** A word, or an object with the word as `by`. Other words are left to the vendor. */
function readSort(sort: unknown): Balance | undefined {
  if (sort == null) return undefined;
  const word = isObject(sort) ? sort.by : sort;
  if (typeof word !== "string") throw invalid("sort", "must be 'price', 'throughput' or 'latency'");
  return SORTS.get(word) ?? (isBalance(word) ? word : undefined);
}

function readNames(names: unknown, member: string): readonly string[] | undefined {
  if (names == null) return undefined;
  const isList = Array.isArray(names) && names.length <= MAX_NAMES &&
    names.every((name) => typeof name === "string" && name.length <= MAX_NAME_CHARS);
  if (!isList) throw invalid(member, `must be a list of at most ${MAX_NAMES} provider names`);
  return names.length === 0 ? undefined : names.map((name: string) => name.toLowerCase());
}

function readMaxPrice(cap: unknown): RouteOptions["maxPrice"] {
  if (cap == null) return undefined;
  if (!isObject(cap)) throw invalid("max_price", "must be an object");
  const input = readPrice(cap, "prompt");
  const output = readPrice(cap, "completion");
  return input === undefined && output === undefined ? undefined : { input, output };
}

/** USD per million tokens; also as text, as OpenRouter's clients send it. */
function readPrice(cap: JsonObject, member: string): number | undefined {
  const value = cap[member];
  if (value == null) return undefined;
  const price = typeof value === "string" && /^\d{1,9}(\.\d{1,9})?$/.test(value)
    ? Number(value)
    : value;
  if (typeof price === "number" && Number.isFinite(price) && price >= 0) return price;
  throw invalid(`max_price.${member}`, "must be a number of USD per million tokens");
}

function invalid(member: string, rule: string): GatewayError {
  const param = `provider.${member}`;
  return new GatewayError("invalid_value", `Invalid value for '${param}': ${rule}`, { param });
}
