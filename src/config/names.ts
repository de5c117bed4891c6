/** Every name a caller can give a model, and where it leads. */

import {
  aliasReason,
  disabledAlias,
  type DisabledModel,
  disabledModelNames,
  type DisabledName,
  explainDisabled,
} from "./disabled_names.ts";
import { isAllowed, type ModelPattern, type ServiceKey } from "./keys.ts";
import { pinnedForm, type Target } from "./providers.ts";
import type { FailureClass } from "../core/errors.ts";
import type { LinkEntry } from "./schema.ts";
import { type Candidate, Suggestions } from "./suggestions.ts";

/** A model as callers see it: one row of `GET /v1/models`. */
export interface ModelEntry {
  /** The name as it was asked. */
  readonly id: string;
  /** Where a request goes first. */
  readonly target: Target;
  /** The plain model ID: another than {@linkcode id} for an alias and a pinned form. */
  readonly root: string;
  /** Unix seconds. */
  readonly created: number;
}

/** An alias whose models cannot be used, which is no fault. */
export interface OffAlias {
  readonly id: string;
  readonly reason: string;
}

/** What names are made from. */
export interface Naming {
  /** Those of the providers that are on, in the order of config.yaml. */
  readonly targets: readonly Target[];
  /** The models of the others, in the same order. */
  readonly disabled: readonly DisabledModel[];
  /** Provider IDs by plain model ID. */
  readonly pins: ReadonlyMap<string, string>;
  readonly aliases: ReadonlyMap<string, readonly LinkEntry[]>;
  /** Unix seconds; the release date of models that have none. */
  readonly loadedAt: number;
}

/** One target of a chain, and when it is its turn. */
export interface Link {
  readonly target: Target;
  /** Its share of the first choice; the chain keeps its order where nothing has one. */
  readonly weight?: number | undefined;
  /** The failures before it after which it is asked. */
  readonly when: ReadonlySet<FailureClass>;
}

/** Most failures are worth another target; the last two would fail anywhere alike. */
export const USUAL_WHEN: ReadonlySet<FailureClass> = new Set([
  "rate_limited",
  "quota",
  "auth",
  "not_found",
  "unavailable",
  "timeout",
]);

interface Name {
  readonly entry: ModelEntry;
  readonly chain: readonly Link[];
  readonly form: "alias" | "plain" | "pinned";
}

/** Looks up names. An alias hides a model ID, and that a pinned form, of the same spelling. */
export class Names {
  /** Plain IDs, then pinned forms of models that several providers have, then aliases. */
  readonly models: readonly ModelEntry[];
  readonly off: readonly OffAlias[];
  readonly #names: ReadonlyMap<string, Name>;
  /** Names that lead only to providers that are disabled. */
  readonly #disabled: ReadonlyMap<string, DisabledName>;
  readonly #suggestions: Suggestions;

  constructor(naming: Naming) {
    const plain = plainNames(naming);
    const pinned = pinnedNames(naming);
    // Provider IDs hold no '@', so a full name is cut at its last '@' in one way only.
    const ofModels = new Map([...pinned, ...plain]);
    const ofDisabled = disabledModelNames(naming.disabled);
    const { aliases, disabled } = aliasNames(naming, ofModels, ofDisabled);
    const names = new Map([...ofModels, ...aliases]);
    this.#names = names;
    this.#disabled = new Map([...ofDisabled, ...disabled].filter(([id]) => !names.has(id)));
    this.off = [...disabled].map(([id, alias]) => ({ id, reason: aliasReason(alias) }));
    this.#suggestions = new Suggestions(candidatesOf(names, this.#disabled));
    const counts = new Map<string, number>();
    for (const { model } of naming.targets) counts.set(model.id, (counts.get(model.id) ?? 0) + 1);
    const shared = [...pinned].filter(([, { entry }]) => (counts.get(entry.root) ?? 0) > 1);
    this.models = [...plain, ...shared, ...aliases]
      .filter(([id, name]) => this.#names.get(id) === name)
      .map(([, { entry }]) => entry);
  }

  /** Where a request for this model goes: one target, or an alias's chain. */
  resolve(model: string): readonly Link[] | undefined {
    return this.#names.get(model)?.chain;
  }

  find(model: string): ModelEntry | undefined {
    return this.#names.get(model)?.entry;
  }

  /** Every name that fits a pattern: by its spelling, or by the plain ID of a pinned form. */
  matching(patterns: readonly ModelPattern[]): Set<string> {
    const fits = (name: string) => patterns.some((pattern) => pattern.matches(name));
    const names = [...this.#names].filter(([id, { entry, form }]) =>
      fits(id) || (form === "pinned" && fits(entry.root))
    );
    const disabled = [...this.#disabled].filter(([id, { form }]) =>
      fits(id) || (form === "pinned" && fits(id.slice(0, id.lastIndexOf("@"))))
    );
    return new Set([...names, ...disabled].map(([id]) => id));
  }

  /** Why a name that is configured cannot be used; undefined for any other name. */
  explainDisabled(model: string): string | undefined {
    const found = this.#disabled.get(model);
    return found && explainDisabled(model, found);
  }

  /** The name that one that cannot be used may have been meant to be, among those the key may know. */
  suggest(model: string, key: ServiceKey): string | undefined {
    const isKnown = (name: string) => isAllowed(key, name);
    const isUsable = (name: string) => this.#names.has(name) && isKnown(name);
    const usable = this.#suggestions.spelledAs(model, isUsable);
    // A configured name is no misspelling, but `vendor/model` may be listed as well as meant.
    if (usable !== undefined || this.#disabled.has(model)) return usable;
    return this.#suggestions.spelledAs(model, isKnown) ??
      this.#suggestions.nearest(model, isUsable) ??
      this.#suggestions.nearest(model, isKnown);
  }
}

function plainNames(naming: Naming): Map<string, Name> {
  const names = new Map<string, Name>();
  for (const target of naming.targets) {
    const { id } = target.model;
    const isPinned = naming.pins.get(id) === target.provider.settings.id;
    if (isPinned || !names.has(id)) names.set(id, nameFor(id, [linkTo(target)], "plain", naming));
  }
  return names;
}

function pinnedNames(naming: Naming): Map<string, Name> {
  return new Map(naming.targets.map((target) => {
    const id = pinnedForm(target.model.id, target.provider.settings.id);
    return [id, nameFor(id, [linkTo(target)], "pinned", naming)];
  }));
}

function aliasNames(
  naming: Naming,
  ofModels: ReadonlyMap<string, Name>,
  ofDisabled: ReadonlyMap<string, DisabledName>,
) {
  const aliases = new Map<string, Name>();
  const disabled = new Map<string, DisabledName>();
  const hasVendor = naming.targets.some((target) => !isSimulated(target));
  for (const [id, models] of naming.aliases) {
    const links = models.map(({ model, weight, when }) => {
      const target = ofModels.get(model)?.entry.target;
      return target && linkTo(target, weight, when);
    });
    const chain = withoutStandIns(links, hasVendor);
    if (chain.length > 0) aliases.set(id, nameFor(id, chain, "alias", naming));
    else disabled.set(id, disabledAlias(models, ofDisabled));
  }
  return { aliases, disabled };
}

/**
 * The links that can be used. Once a vendor is enabled, a simulated model behind
 * a vendor's model is not one of them: its answer would hide that the vendor
 * failed, or that its provider is disabled.
 */
function withoutStandIns(links: readonly (Link | undefined)[], hasVendor: boolean): Link[] {
  const first = links.findIndex((link) => link === undefined || !isSimulated(link.target));
  return links.flatMap((link, index) => {
    if (link === undefined) return [];
    return hasVendor && first !== -1 && index > first && isSimulated(link.target) ? [] : [link];
  });
}

/** Plain names before pinned ones, and what can be used before what cannot. */
function candidatesOf(
  names: ReadonlyMap<string, Name>,
  disabled: ReadonlyMap<string, DisabledName>,
): readonly Candidate[] {
  const order: readonly Name["form"][] = ["plain", "alias", "pinned"];
  const all = [...names].map(([name, { entry: { target }, form }]) => ({
    name,
    form,
    // An alias is no other name of its first model.
    spellings: form === "alias" ? [] : [target.model.id, target.model.upstream],
    vendors: [target.provider.settings.id, target.provider.adapter.kind],
  }));
  const unusable = [...disabled].map(([name, { form, providers }]) => ({
    name,
    form,
    spellings: [],
    vendors: providers.flatMap(({ id, kind }) => [id, kind]),
  }));
  return [all, unusable].flatMap((part) =>
    part.sort((one, other) => order.indexOf(one.form) - order.indexOf(other.form))
  );
}

function isSimulated({ provider }: Target): boolean {
  return provider.adapter.simulated === true;
}

function linkTo(target: Target, weight?: number, when?: readonly FailureClass[]): Link {
  return { target, weight, when: when === undefined ? USUAL_WHEN : new Set(when) };
}

function nameFor(
  id: string,
  chain: readonly Link[],
  form: Name["form"],
  { loadedAt }: Naming,
): Name {
  const [first] = chain;
  if (first === undefined) throw new TypeError("A name leads to at least one target");
  const { target } = first;
  const { facts, id: root } = target.model;
  return { entry: { id, target, root, created: facts.created ?? loadedAt }, chain, form };
}
