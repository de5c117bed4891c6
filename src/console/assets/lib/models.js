/** Describes the facts about models in words. */

import { price, short } from "./format.js";

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

/** Billing units other than tokens: the quantity that a price is for, and its name. */
const UNITS = new Map([
  ["images", [1, "image"]],
  ["searches", [1000, "1,000 searches"]],
  ["characters", [1_000_000, "million characters"]],
  ["seconds", [60, "minute"]],
]);

/** The price of a unit, such as `$0.04 per image`. @param {string} unit of {@linkcode UNITS} */
export function unitPriceText(unit, price) {
  const [count, name] = UNITS.get(unit) ?? [1, unit];
  return `$${Number((price * count).toPrecision(3))} per ${name}`;
}

/** The prices of other units than tokens, as texts. @param {any} prices */
export function unitPricesOf(prices) {
  return [...UNITS.keys()].filter((unit) => prices?.units?.[unit] !== undefined)
    .map((unit) => unitPriceText(unit, prices.units[unit]));
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
