/** The facts of models in words. */

import { price, short } from "./format.js";

/** How a model is named: by its plain ID, with its provider, or by an alias. */
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

/** Units that models are paid by besides tokens: how many a price is for, and its name. */
const UNITS = new Map([
  ["images", [1, "image"]],
  ["searches", [1000, "1,000 searches"]],
  ["characters", [1_000_000, "million characters"]],
  ["seconds", [60, "minute"]],
]);

/**
 * The prices of a million tokens, such as `$0.25 in, $2.00 out`, or of other units, such as `$0.04
 * per image`; undefined if unknown.
 *
 * @param {{ prices?: any }} model
 */
export function pricesOf({ prices }) {
  if (!prices) return undefined;
  const units = [...UNITS].filter(([unit]) => prices.units?.[unit] !== undefined)
    .map(([unit, [count, name]]) =>
      `$${Number((prices.units[unit] * count).toPrecision(3))} per ${name}`
    );
  const hasTokens = units.length === 0 || prices.input > 0 || prices.output > 0;
  const tokens = hasTokens ? [`${price(prices.input)} in, ${price(prices.output)} out`] : [];
  return [...tokens, ...units].join(", ");
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

/** What models do that do not chat. */
const PURPOSES = ["images", "speech", "transcription", "rerank", "embeddings", "moderation"];

/**
 * What a model is for: `chat`, or the capability of one that does not chat.
 *
 * @param {{ capabilities?: Record<string, boolean>, dimensions?: number }} model
 */
export function purposeOf({ capabilities, dimensions }) {
  const purpose = PURPOSES.find((name) => capabilities?.[name] === true);
  return purpose ?? (dimensions === undefined ? "chat" : "embeddings");
}
