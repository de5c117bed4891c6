/** Describes the facts about models in words. */

import { price, short } from "./format.js";
import { unitPricesOf } from "./units.js";

/** The kind of a model's name: plain ID, pinned to a provider, or alias. */
export function kindOfName({ id, root }) {
  if (id === root) return "model";
  return id.startsWith(`${root}@`) ? "pinned" : "alias";
}

/** The limits of a model, such as `128k context`. */
export function limitsOf({ context_window, max_output_tokens }) {
  return [
    ...(context_window ? [`${short(context_window)} context`] : []),
    ...(max_output_tokens ? [`${short(max_output_tokens)} output`] : []),
  ];
}

/** Whether tokens have a price: those of a model that is paid by other units have none. */
export function hasTokenPrices(prices) {
  return prices.input > 0 || prices.output > 0 || unitPricesOf(prices).length === 0;
}

/**
 * The prices of a million tokens, such as `$0.25 in, $2.00 out`, or of other units, such as `$0.04
 * per image`; undefined if unknown.
 *
 * @param {{ prices?: any }} model
 */
export function pricesOf({ prices }) {
  if (!prices) return undefined;
  const tokens = hasTokenPrices(prices)
    ? [`${price(prices.input)} in, ${price(prices.output)} out`]
    : [];
  return [...tokens, ...unitPricesOf(prices)].join(", ");
}

const CAPABILITIES = new Map([
  ["tools", "tools"],
  ["vision", "images"],
  ["json_schema", "JSON schema"],
  ["reasoning", "reasoning"],
]);

/** The capabilities of a model in words. */
export function capabilitiesOf({ capabilities }) {
  return [...CAPABILITIES].filter(([name]) => capabilities?.[name]).map(([, word]) => word);
}

/** The capabilities of models without chat. */
const PURPOSES = ["images", "speech", "transcription", "rerank", "embeddings", "moderation"];

/**
 * The purpose of a model: `chat`, or another capability.
 *
 * @param {{ capabilities?: Record<string, boolean>, dimensions?: number }} model
 */
export function purposeOf({ capabilities, dimensions }) {
  const purpose = PURPOSES.find((name) => capabilities?.[name] === true);
  return purpose ?? (dimensions === undefined ? "chat" : "embeddings");
}
