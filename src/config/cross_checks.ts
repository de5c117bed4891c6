/**
 * Checks between members: duplicate names, and references to unknown models and
 * providers. They run on the unvalidated document, so that schema errors elsewhere do
 * not hide their errors.
 */

import { isObject, type JsonObject } from "../contract/chat.ts";
import { eachInSteps, type Steps } from "../core/steps.ts";
import { didYouMean } from "../core/validation_messages.ts";
import { rawTextAt } from "./references.ts";
import { digestOf } from "./keys.ts";
import { pinnedForm, readPinned } from "./disabled_names.ts";
import type { Path, PlacedError } from "./positions.ts";
import { isPattern, toSelection } from "./model_patterns.ts";

/**
 * Finds all inconsistencies between a document's members.
 *
 * @param raw the document before its references were resolved; messages quote only this one
 */
export function* crossCheck(document: unknown, raw: unknown): Steps<PlacedError[]> {
  if (!isObject(document)) return [];
  const quote = (path: Path) => `'${rawTextAt(raw, path)}'`;
  const listed = yield* listModels(document, raw);
  const keys = keysIn(document);
  yield;
  const errors = findDuplicates(
    keys.flatMap(({ key, path }) => named(key.name, [...path, "name"])),
    (path) => `another key is also named ${quote(path)}`,
  );
  const digests = yield* keyDigests(keys);
  yield;
  errors.push(...findDuplicates(digests, () => "another entry has the same key"));
  for (const models of listed.values()) {
    yield;
    const toMessage = (path: Path) => `this provider lists ${quote(path)} more than once`;
    errors.push(...findDuplicates(models, toMessage));
  }
  yield;
  const unlisted = unlistedNames(document);
  errors.push(...checkPins(document, listed, quote, unlisted));
  yield;
  errors.push(...yield* checkAliases(document, listed, quote, unlisted));
  yield;
  errors.push(...checkLimits(document, listed, unlisted));
  return [...errors, ...checkEndUsers(document)];
}

/** End user limits require `server.end_users`. */
function checkEndUsers({ server }: JsonObject): PlacedError[] {
  const isOff = isObject(server) && isObject(server.end_users) && server.end_users.ids === "off";
  if (!isOff || !Array.isArray(server.keys)) return [];
  return server.keys.flatMap((key: unknown, index) =>
    isObject(key) && key.end_users !== undefined
      ? [{
        path: ["server", "keys", index, "end_users"],
        message: "needs end users, which 'server.end_users.ids: off' does not record",
      }]
      : []
  );
}

/** One item of a provider's `models` that names a model, not validated. */
export interface ListedModel {
  readonly provider: string;
  readonly model: unknown;
  readonly path: Path;
}

/** All models of all providers in a document with any shape. */
export function modelsOf(document: unknown): ListedModel[] {
  const providers = isObject(document) ? membersOf(document.providers) : [];
  return providers.flatMap(([provider, members]) => {
    const models = isObject(members) ? members.models : undefined;
    if (!Array.isArray(models)) return [];
    return models.map((model: unknown, index) => ({
      provider,
      model,
      path: ["providers", provider, "models", index],
    })).filter(({ model }) => !isPattern(model));
  });
}

/** The end of a message that names the most similar candidate, or all if there are few. */
export function suggestionFor(name: string, candidates: Iterable<string>): string {
  const all = [...new Set(candidates)];
  const nearest = didYouMean(name, all);
  if (nearest !== undefined) return `; did you mean '${nearest}'?`;
  const known = all.map((candidate) => `'${candidate}'`);
  return all.length === 0 || all.length > MAX_LISTED_CANDIDATES
    ? ""
    : `; known: ${known.join(", ")}`;
}

const MAX_LISTED_CANDIDATES = 30;

/** A name and its path in the document. */
interface Named {
  readonly name: string;
  readonly path: Path;
}

interface NamedModel extends Named {
  /** Whether the file contains the name literally, so that it is safe to print. */
  readonly isLiteral: boolean;
}

/** The models of each provider, by provider ID. */
type Listed = ReadonlyMap<string, readonly NamedModel[]>;

type Quote = (path: Path) => string;

function findDuplicates(named: readonly Named[], toMessage: (path: Path) => string): PlacedError[] {
  const seen = new Set<string>();
  return named.flatMap(({ name, path }) => {
    if (seen.has(name)) return [{ path, message: toMessage(path) }];
    seen.add(name);
    return [];
  });
}

function* keyDigests(keys: readonly PlacedKey[]): Steps<readonly Named[]> {
  const digests: Named[] = [];
  yield* eachInSteps(keys, ({ key, path }) => {
    if (typeof key.key !== "string") return;
    digests.push({ name: digestOf(key.key).toString("hex"), path: [...path, "key"] });
  });
  return digests;
}

/** A service key or an admin key, not validated. */
interface PlacedKey {
  readonly key: JsonObject;
  readonly path: Path;
}

/** Service keys and admin keys together, since keys and names must be unique across both. */
function keysIn(document: JsonObject): readonly PlacedKey[] {
  const server = isObject(document.server) ? document.server : {};
  return ["keys", "admin_keys"].flatMap((list) => {
    const keys = server[list];
    if (!Array.isArray(keys)) return [];
    return keys.map((key: unknown, index) => ({
      key: isObject(key) ? key : {},
      path: ["server", list, index],
    }));
  });
}

function* listModels(document: JsonObject, raw: unknown): Steps<Listed> {
  const listed = new Map<string, NamedModel[]>();
  for (const [id] of membersOf(document.providers)) listed.set(id, []);
  yield* eachInSteps(modelsOf(document), ({ provider, model, path }) => {
    const names = isObject(model) ? named(model.id, [...path, "id"]) : named(model, path);
    listed.get(provider)?.push(...names.map(({ name, path }) => ({
      name,
      path,
      isLiteral: rawTextAt(raw, path) === name,
    })));
  });
  return listed;
}

/**
 * Names that a provider's models may have once their errors have been corrected, in addition to the
 * listed ones; otherwise one error would cause others. Undefined if the provider's models have no
 * errors.
 */
function meantModels(provider: unknown): ((name: string) => boolean) | undefined {
  const models: unknown = isObject(provider) ? provider.models : undefined;
  if (models === "auto") return undefined;
  if (!Array.isArray(models)) {
    const text = typeof models === "string" ? models : undefined;
    const names = text === undefined ? Object.keys(isObject(models) ? models : {}) : split(text);
    return names.length === 0 ? () => true : (name) => names.includes(name);
  }
  const names = models.map((model: unknown) => isObject(model) ? model.id : model);
  // The text of a reference without a value is unchanged.
  if (names.some((name) => typeof name === "string" && name.includes("${"))) return () => true;
  if (names.every((name) => typeof name === "string")) return undefined;
  const texts = models.flatMap((model: unknown) => isObject(model) ? Object.values(model) : []);
  return (name) => texts.includes(name);
}

/** The names in a text that should be a list. */
function split(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}

function checkPins(
  document: JsonObject,
  listed: Listed,
  quote: Quote,
  { mayOffer }: UnlistedNames,
): PlacedError[] {
  if (!isObject(document.providers)) return [];
  const all = [...listed.values()].flat();
  const known = new Set(all.map(({ name }) => name));
  return membersOf(document.pins).flatMap(([model, provider]): PlacedError[] => {
    const path = ["pins", model];
    if (!known.has(model) && ![...listed.keys()].some((id) => mayOffer(id, model))) {
      const candidates = all.filter(({ isLiteral }) => isLiteral).map(({ name }) => name);
      return [{ path, message: `no provider lists this model${suggestionFor(model, candidates)}` }];
    }
    if (typeof provider !== "string") return [];
    const models = listed.get(provider);
    if (models === undefined) {
      const near = suggestionFor(provider, listed.keys());
      return [{ path, message: `unknown provider ${quote(path)}${near}` }];
    }
    if (models.some(({ name }) => name === model)) return [];
    if (mayOffer(provider, model)) return [];
    return [{ path, message: `provider ${quote(path)} does not list this model` }];
  });
}

function* checkAliases(
  document: JsonObject,
  listed: Listed,
  quote: Quote,
  { mayExist }: UnlistedNames,
): Steps<readonly PlacedError[]> {
  const aliases = membersOf(document.aliases);
  if (aliases.length === 0) return [];
  const known = new Set<string>();
  const candidates = new Set<string>();
  for (const [provider, models] of listed) {
    yield* eachInSteps(models, ({ name, isLiteral }) => {
      for (const form of [name, pinnedForm(name, provider)]) {
        known.add(form);
        if (isLiteral) candidates.add(form);
      }
    });
  }
  const isAlias = new Set(aliases.map(([name]) => name));
  const errors: PlacedError[] = [];
  yield* eachInSteps(aliases, ([alias, models]) => {
    const path = ["aliases", alias];
    const tooMany = alias.split("*").length > 2
      ? [{ path, message: "may contain only one '*'" }]
      : [];
    const targets = isObject(models)
      ? namedTargets(models.targets, [...path, "targets"])
      : namedTargets(models, path);
    const unknown = targets.filter(({ name }) =>
      !known.has(name) && (isAlias.has(name) || !mayExist(name))
    ).map(({ name, path }) => ({
      path,
      message: isAlias.has(name)
        ? `${quote(path)} is an alias; an alias cannot refer to another alias`
        : `unknown model ${quote(path)}${suggestionFor(name, candidates)}`,
    }));
    errors.push(...tooMany, ...unknown);
  });
  return errors;
}

/** The models in a target, a list of targets or a group. */
function namedTargets(value: unknown, path: Path): Named[] {
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, index) => namedTargets(one, [...path, index]));
  }
  return isObject(value) ? named(value.model, [...path, "model"]) : named(value, path);
}

/**
 * Model limits are found by the ID of the requested model, regardless of the name that a caller
 * uses.
 */
function checkLimits(
  document: JsonObject,
  listed: Listed,
  { mayOffer }: UnlistedNames,
): PlacedError[] {
  const all = [...listed.values()].flat();
  const known = new Set(all.map(({ name }) => name));
  const candidates = all.filter(({ isLiteral }) => isLiteral).map(({ name }) => name);
  const aliases = new Set(membersOf(document.aliases).map(([name]) => name));
  const limits = isObject(document.limits) ? document.limits : {};
  const mayExist = (model: string) =>
    !isObject(document.providers) || [...listed.keys()].some((id) => mayOffer(id, model));
  return membersOf(limits.models).map(([model]) => model)
    .filter((model) => !known.has(model) && (aliases.has(model) || !mayExist(model)))
    .map((model) => ({
      path: ["limits", "models", model],
      message: aliases.has(model)
        ? "is an alias; limits apply to the models that it refers to"
        : `no provider lists this model${suggestionFor(model, candidates)}`,
      isOfName: true,
    }));
}

/** Model names that config.yaml does not list, but that vendors or callers may use. */
interface UnlistedNames {
  /** Whether a model may have this plain or pinned name. */
  readonly mayExist: (name: string) => boolean;
  /** Whether a provider may offer a model under its plain name. */
  readonly mayOffer: (provider: string, model: string) => boolean;
}

function unlistedNames({ providers }: JsonObject): UnlistedNames {
  // Without providers, every name would be an error.
  if (!isObject(providers)) return { mayExist: () => true, mayOffer: () => true };
  const selections = new Map(
    membersOf(providers).map(([id, members]) => {
      const { selects, takes } = toSelection(isObject(members) ? members : {});
      return [id, { selects, takes, means: meantModels(members) }];
    }),
  );
  const mayOffer = (provider: string, model: string) => {
    const selection = selections.get(provider);
    return selection !== undefined &&
      (selection.selects(model) || selection.takes(model) || selection.means?.(model) === true);
  };
  return {
    mayOffer: (provider, model) =>
      readPinned(model, selections) === undefined && mayOffer(provider, model),
    mayExist(name) {
      const pinned = readPinned(name, selections);
      if (pinned !== undefined) return mayOffer(pinned.provider, pinned.model);
      return [...selections.keys()].some((id) => mayOffer(id, name));
    },
  };
}

/** Empty names are skipped: schema validation reports them. */
function named(name: unknown, path: Path): Named[] {
  return typeof name === "string" && name !== "" ? [{ name, path }] : [];
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}
