/** Reads vendors' lists of models. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toList } from "../../core/json/values.ts";
import type { Capability, ModelFacts, ModelPrices } from "../../contract/model_facts.ts";
import { brokenAnswer } from "./errors.ts";
import type { Auth, VendorRequest } from "../../contract/vendor_request.ts";

/** A request for a list: a GET without a body. */
export function listRequest(url: string, auth: Auth): VendorRequest {
  return { method: "GET", url, headers: {}, body: {}, auth };
}

/**
 * The entries of a list that are objects.
 *
 * @param list the member of the answer that contains the list, or the list itself
 * @throws {GatewayError} `upstream_error` when it is not a list.
 */
export function entriesOf(list: unknown): readonly JsonObject[] {
  if (!Array.isArray(list)) throw brokenAnswer("is not a list of models");
  return list.filter(isObject);
}

/**
 * The facts about a model in a list, under the names of {@linkcode ModelFacts}; any may be missing.
 */
export interface ListedFacts {
  /** Unix seconds. */
  readonly created?: unknown;
  readonly name?: unknown;
  /** Tokens. */
  readonly context?: unknown;
  /** Tokens. */
  readonly output?: unknown;
  readonly capabilities?: Readonly<Partial<Record<Capability, boolean | undefined>>>;
  readonly prices?: ModelPrices | undefined;
}

/** The facts that a list contains. Values of other types are omitted. */
export function toFacts(
  { created, name, context, output, capabilities = {}, prices }: ListedFacts,
): ModelFacts {
  const known = Object.entries(capabilities).filter(([, value]) => value !== undefined);
  return {
    ...ifPositive("created", created),
    ...(isText(name) && { display_name: name }),
    ...ifPositive("context_window", context),
    ...ifPositive("max_output_tokens", output),
    ...(known.length > 0 && { capabilities: Object.fromEntries(known) }),
    ...(prices && { prices }),
  };
}

function ifPositive(name: keyof ModelFacts, number: unknown): ModelFacts {
  const value = number;
  const isCount = typeof value === "number" && Number.isSafeInteger(value) && value > 0;
  return isCount ? { [name]: value } : {};
}

/**
 * The prices of a list, in USD per million tokens.
 *
 * @param tokens the number of tokens to which the list's prices apply
 * @returns undefined unless input and output have prices
 */
export function toPrices(
  { input, output, cachedInput, cacheWrite }: {
    readonly input: unknown;
    readonly output: unknown;
    readonly cachedInput?: unknown;
    readonly cacheWrite?: unknown;
  },
  tokens: number,
): ModelPrices | undefined {
  const [inputPrice, outputPrice, cached, write] = [input, output, cachedInput, cacheWrite]
    .map((price) => perMillion(price, tokens));
  if (inputPrice === undefined || outputPrice === undefined) return undefined;
  return {
    input: inputPrice,
    output: outputPrice,
    ...(cached !== undefined && { cached_input: cached }),
    ...(write !== undefined && { cache_write: write }),
  };
}

/** The number of digits of a price to keep, since binary fractions of a cent add noise. */
const PRICE_DIGITS = 10;

function perMillion(price: unknown, tokens: number): number | undefined {
  const value = isText(price) ? Number(price) : price;
  // A negative price means a variable price.
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return undefined;
  return Number((value / tokens * 1e6).toPrecision(PRICE_DIGITS));
}

/** Whether a list of words contains a word; undefined if there is no such list. */
export function includesWord(list: unknown, word: string): boolean | undefined {
  return Array.isArray(list) ? toList(list).includes(word) : undefined;
}

/** The Unix seconds of a date such as `2026-02-04T00:00:00Z`; undefined for other values. */
export function toSeconds(date: unknown): number | undefined {
  const time = isText(date) ? Date.parse(date) : NaN;
  return Number.isFinite(time) ? Math.floor(time / 1000) : undefined;
}
