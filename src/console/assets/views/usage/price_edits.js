/** The edits of config.yaml that give a model its prices. */

import { usedUnits } from "../../lib/units.js";

const TOKEN_FIELDS = [
  { name: "input", label: "US dollars per million input tokens" },
  { name: "output", label: "US dollars per million output tokens" },
  { name: "cached_input", label: "Per million cached input tokens", isOptional: true },
];

/** The prices that the requests of an entry need: those of the units that they used. */
export function priceFields(entry) {
  const units = usedUnits([entry])
    .map(({ per, setting }) => ({ name: setting, label: `US dollars per ${per}` }));
  const hasTokens = units.length === 0 || entry.input_tokens + entry.output_tokens > 0;
  // A price of another unit makes those of tokens optional.
  const tokens = TOKEN_FIELDS.map((field) =>
    units.length > 0 ? { ...field, isOptional: true } : field
  );
  return [...units, ...hasTokens ? tokens : []];
}

/**
 * The IDs of the models of a provider that a requested name leads to.
 *
 * @param {any} routes the answer of `/v1/admin/routes`
 * @param {string} model the name as the ledger has it
 * @returns {string[]}
 */
export function targetsOf({ data, targets }, model, provider) {
  const upstreams = (data.find(({ id }) => id === model)?.steps ?? [])
    .flatMap((step) => step.targets)
    .filter((target) => target.provider === provider).map(({ upstream }) => upstream);
  const found = targets.filter((target) =>
    target.provider === provider && upstreams.includes(target.upstream)
  );
  return found.length > 0 ? found.map(({ id }) => id) : model === null ? [] : [model];
}

/**
 * The edits for the forms' route, or why there are none.
 *
 * @param {readonly any[]} objects the objects of the text
 * @param {string | undefined} model the ID of a model of the provider
 * @param {readonly any[]} fields of {@linkcode priceFields}
 * @param {Record<string, string>} texts the typed prices by the names of fields
 * @returns {{ edits?: object[], fault?: string }}
 */
export function priceEdits(objects, provider, model, fields, texts) {
  const object = objects.find(({ path }) => path[0] === "providers" && path[1] === provider);
  if (object === undefined || model === undefined) {
    return { fault: "config.yaml has no such provider: change its text." };
  }
  const list = object.fields.find(({ path }) => path.length === 1 && path[0] === "models");
  if (list?.items === undefined) {
    return { fault: "The provider has no list of models: name the model in 'models' first." };
  }
  const values = fields.map(({ isOptional, name }) => [name, texts[name] ?? "", isOptional]);
  const isComplete = values.every(([, text, isOptional]) =>
    /^\d+(\.\d+)?$/.test(text) || isOptional && text === ""
  );
  if (!isComplete) return {};
  const prices = Object.fromEntries(
    values.filter(([, text]) => text !== "").map(([name, text]) => [name, Number(text)]),
  );
  const found = list.items.findIndex(({ name }) => name === model);
  const path = [...object.path, "models", found === -1 ? list.items.length : found];
  // An entry with other members keeps them.
  return found !== -1 && list.items[found].is_text
    ? { edits: [{ path: [...path, "prices"], value: prices }] }
    : { edits: [{ path, value: { id: model, prices } }] };
}
