/** The settings of a key: from the API to the fields of a form, and back. */

import { count, usd } from "../../lib/format.js";

/** The periods of a budget, and their names. */
export const PERIODS = [
  ["hour", "hour"],
  ["day", "day"],
  ["week", "week"],
  ["month", "month"],
  ["total", "whole life"],
];

/** The limits: the name in the API, the label of the field, and the unit in lists. */
export const LIMITS = [
  ["requests_per_minute", "Requests per minute", "requests/min"],
  ["tokens_per_minute", "Tokens per minute", "tokens/min"],
  ["concurrent", "Concurrent requests", "concurrent"],
  ["requests_per_hour", "Requests per hour", "requests/h"],
  ["tokens_per_hour", "Tokens per hour", "tokens/h"],
  ["requests_per_day", "Requests per day", "requests/day"],
  ["tokens_per_day", "Tokens per day", "tokens/day"],
  ...["Searches", "Images", "Characters", "Seconds"].flatMap((name) => {
    const unit = name.toLowerCase();
    return [
      [`${unit}_per_minute`, `${name} per minute`, `${unit}/min`],
      [`${unit}_per_day`, `${name} per day`, `${unit}/day`],
    ];
  }),
];

/** The number of limits that a form shows initially. */
export const MAIN_LIMITS = 3;

/** The texts of the fields for a key, or for a new one. */
export function toFields(entry) {
  const { models, limits, budget, expires } = entry ?? {};
  return {
    name: entry?.name ?? "",
    models: (models ?? []).join("\n"),
    ...Object.fromEntries(LIMITS.map(([name]) => [name, String(limits?.[name] ?? "")])),
    usd: String(budget?.usd ?? ""),
    per: budget?.per ?? "month",
    unknownPrices: budget?.unknown_prices,
    expires: expires == null ? "" : new Date(expires * 1000).toISOString().slice(0, 10),
    ...Object.fromEntries(HOLDERS.map((name) => [name, entry?.[name] ?? ""])),
  };
}

/** The members for the owner of a key. */
const HOLDERS = ["owner", "team", "note"];

/** The body of a new key. Empty fields are absent. */
export function toNewKey(fields) {
  const settings = Object.entries(toSettings(fields)).filter(([, value]) => value !== null);
  return { name: fields.name.trim(), ...Object.fromEntries(settings) };
}

/** The body that changes a key: the settings that are different. Null removes a setting. */
export function toChanges(fields, entry) {
  const before = toSettings(toFields(entry));
  return Object.fromEntries(
    Object.entries(toSettings(fields)).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(before[name])
    ),
  );
}

function toSettings(fields) {
  const models = fields.models.split(/[\n,]/).map((model) => model.trim()).filter((model) =>
    model !== ""
  );
  const limits = LIMITS.filter(([name]) => fields[name].trim() !== "");
  return {
    models: models.length === 0 ? null : models,
    limits: limits.length === 0
      ? null
      : Object.fromEntries(limits.map(([name]) => [name, numberOf(fields[name])])),
    budget: fields.usd.trim() === "" ? null : toBudget(fields),
    expires: fields.expires === "" ? null : fields.expires,
    ...Object.fromEntries(HOLDERS.map((name) => [name, fields[name].trim() || null])),
  };
}

/** The form has no field for unknown prices, so that setting is not changed. */
function toBudget({ usd, per, unknownPrices }) {
  const budget = { usd: numberOf(usd), per };
  return unknownPrices === undefined ? budget : { ...budget, unknown_prices: unknownPrices };
}

/** A number, or else the original text, which the API rejects with a message. */
function numberOf(text) {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** The limits of a key as texts; unset ones are the defaults from config.yaml. */
export function limitTexts(limits) {
  return LIMITS.flatMap(([name, , unit]) =>
    limits?.[name] == null ? [] : [`${count(limits[name])} ${unit}`]
  );
}

/** A budget as a text, such as `$150.00 a month`. */
export function budgetText({ usd: limit, per }) {
  const period = per === "total" ? "in total" : per === "hour" ? "an hour" : `a ${per}`;
  return `${usd(limit)} ${period}`;
}

/**
 * A message for the user of a key.
 *
 * @param {any} entry the answer to the creation, with the text of the key
 * @param {{ origin: string, hasKey: boolean }} options the address of the gateway, and whether the
 * message contains the key
 */
export function messageFor(entry, { origin, hasKey }) {
  const { budget, expires, key, models, name, owner } = entry;
  const terms = [
    `It may use ${models === null ? "all models" : models.join(", ")}`,
    budget === null ? "" : `, up to ${budgetText(budget)}`,
    expires === null ? "" : `, until ${new Date(expires * 1000).toISOString().slice(0, 10)}`,
  ];
  return [
    ...owner === null ? [] : [`Hello ${owner},`],
    `your key "${name}" for our model gateway is ready. ${terms.join("")}.`,
    `Address: ${origin}/v1`,
    `Usage and budget: ${origin}/ (sign in with the key)`,
    hasKey ? `Key: ${key}` : "The key itself follows separately.",
  ].join("\n");
}

/**
 * The expiry of the text before the last rotation, in Unix seconds; undefined if it is not valid. A
 * disabled key is refused with either text.
 *
 * @param {{ status: string, previous_valid_until?: number | null }} entry
 * @param {number} now milliseconds since the Unix epoch
 */
export function previousUntil({ status, previous_valid_until: until }, now) {
  return status === "active" && until != null && until * 1000 > now ? until : undefined;
}
