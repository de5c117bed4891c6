/**
 * Faults that no single member has: names given twice, names that lead nowhere.
 * They are looked for in the document as it came, so that a fault of its shape
 * elsewhere does not hide them.
 */

import { isObject, type JsonObject } from "../chat.ts";
import { didYouMean } from "../faults.ts";
import { writtenAt } from "./env.ts";
import type { Path, PlacedFault } from "./faults.ts";
import { digestOf } from "./keys.ts";
import { pinnedForm } from "./names.ts";

/**
 * Every fault between the members of a document.
 *
 * @param raw the document before its references were filled in, for quoting
 */
export function crossCheck(document: unknown, raw: unknown): PlacedFault[] {
  if (!isObject(document)) return [];
  const quote = (path: Path) => `'${writtenAt(raw, path)}'`;
  const listed = listModels(document, raw);
  return [
    ...twice(keyNames(document), (path) => `${quote(path)} is the name of another key too`),
    ...twice(keyDigests(document), () => "is the same key as another one"),
    ...[...listed.values()].flatMap((models) =>
      twice(models, (path) => `this provider lists ${quote(path)} more than once`)
    ),
    ...checkPins(document, listed, quote),
    ...checkAliases(document, listed, quote),
  ];
}

/** One item of a provider's models, unchecked. */
export interface ListedModel {
  readonly provider: string;
  readonly model: unknown;
  readonly path: Path;
}

/** Every model of every provider in a document that may have any shape. */
export function modelsOf(document: unknown): ListedModel[] {
  const providers = isObject(document) ? membersOf(document.providers) : [];
  return providers.flatMap(([provider, members]) => {
    const models = isObject(members) ? members.models : undefined;
    if (!Array.isArray(models)) return [];
    return models.map((model: unknown, index) => ({
      provider,
      model,
      path: ["providers", provider, "models", index],
    }));
  });
}

/** A phrase that names the nearest candidate, or all of them where they are few. */
export function hint(name: string, candidates: Iterable<string>): string {
  const all = [...new Set(candidates)];
  const nearest = didYouMean(name, all);
  if (nearest !== undefined) return `; did you mean '${nearest}'?`;
  const known = all.map((candidate) => `'${candidate}'`);
  return all.length === 0 || all.length > MOST_LISTED ? "" : `; known: ${known.join(", ")}`;
}

const MOST_LISTED = 30;

interface Named {
  readonly name: string;
  readonly path: Path;
}

interface NamedModel extends Named {
  /** Whether the name stands in the file as it is, so that it can be printed. */
  readonly isWritten: boolean;
}

/** The models of each provider, by its ID. */
type Listed = ReadonlyMap<string, readonly NamedModel[]>;

type Quote = (path: Path) => string;

function twice(named: readonly Named[], words: (path: Path) => string): PlacedFault[] {
  const seen = new Set<string>();
  return named.flatMap(({ name, path }) => {
    if (seen.has(name)) return [{ path, message: words(path) }];
    seen.add(name);
    return [];
  });
}

function keyNames(document: JsonObject): Named[] {
  return keysIn(document).flatMap(({ key, path }) => named(key.name, [...path, "name"]));
}

function keyDigests(document: JsonObject): Named[] {
  return keysIn(document).flatMap(({ key, path }) =>
    typeof key.key === "string" ? named(digestOf(key.key).toString("hex"), [...path, "key"]) : []
  );
}

/** Service keys and admin keys: no key is both, and no two have one name. */
function keysIn(document: JsonObject): { readonly key: JsonObject; readonly path: Path }[] {
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

function listModels(document: JsonObject, raw: unknown): Listed {
  const listed = new Map<string, NamedModel[]>();
  for (const [id] of membersOf(document.providers)) listed.set(id, []);
  for (const { provider, model, path } of modelsOf(document)) {
    const names = isObject(model) ? named(model.id, [...path, "id"]) : named(model, path);
    listed.get(provider)?.push(...names.map(({ name, path }) => ({
      name,
      path,
      isWritten: writtenAt(raw, path) === name,
    })));
  }
  return listed;
}

function checkPins(document: JsonObject, listed: Listed, quote: Quote): PlacedFault[] {
  const all = [...listed.values()].flat();
  return membersOf(document.pins).flatMap(([model, provider]): PlacedFault[] => {
    const path = ["pins", model];
    if (!all.some(({ name }) => name === model)) {
      const candidates = all.filter(({ isWritten }) => isWritten).map(({ name }) => name);
      return [{ path, message: `no provider lists this model${hint(model, candidates)}` }];
    }
    if (typeof provider !== "string") return [];
    const models = listed.get(provider);
    if (models === undefined) {
      const near = hint(provider, listed.keys());
      return [{ path, message: `unknown provider ${quote(path)}${near}` }];
    }
    if (models.some(({ name }) => name === model)) return [];
    return [{ path, message: `provider ${quote(path)} does not list this model` }];
  });
}

function checkAliases(document: JsonObject, listed: Listed, quote: Quote): PlacedFault[] {
  const known = new Set<string>();
  const candidates = new Set<string>();
  for (const [provider, models] of listed) {
    for (const { name, isWritten } of models) {
      for (const form of [name, pinnedForm(name, provider)]) {
        known.add(form);
        if (isWritten) candidates.add(form);
      }
    }
  }
  const aliases = membersOf(document.aliases);
  const isAlias = new Set(aliases.map(([name]) => name));
  return aliases.flatMap(([alias, models]) => {
    const path = ["aliases", alias];
    const targets = Array.isArray(models)
      ? models.flatMap((model: unknown, index) =>
        isObject(model)
          ? named(model.model, [...path, index, "model"])
          : named(model, [...path, index])
      )
      : named(models, path);
    return targets.filter(({ name }) => !known.has(name)).map(({ name, path }) => ({
      path,
      message: isAlias.has(name)
        ? `${quote(path)} is an alias, and aliases never name aliases`
        : `unknown model ${quote(path)}${hint(name, candidates)}`,
    }));
  });
}

/** Empty names have a fault of their own. */
function named(name: unknown, path: Path): Named[] {
  return typeof name === "string" && name !== "" ? [{ name, path }] : [];
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}
