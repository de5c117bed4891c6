/** Resolves model names: plain IDs, pinned forms (`model@provider`) and aliases. */

import { AliasPatterns, isAliasPattern } from "./alias_patterns.ts";
import {
  aliasReason,
  disabledAlias,
  type DisabledModel,
  disabledModelNames,
  type DisabledName,
  explainDisabled,
} from "./disabled_names.ts";
import { type ModelLabel, toLabel } from "./model_label.ts";
import { isAllowed, ModelPattern, type ServiceKey } from "./keys.ts";
import { pinnedForm, type Target } from "./providers.ts";
import type { AliasRule } from "./alias_schema.ts";
import { type FallbackTarget, isSimulated, type Route, toGroups, toModelRoute } from "./routes.ts";
import type { RoutingPolicy } from "./routing_schema.ts";
import { UnlistedModels, type UnlistedSource } from "./unlisted_models.ts";
import { type Candidate, Suggestions } from "./suggestions.ts";

/** A model under one of its names: one row of `GET /v1/models`. */
export interface ModelEntry {
  /** The name under which it was looked up. */
  readonly id: string;
  /** The first target of a request. */
  readonly target: Target;
  /** The plain model ID; differs from {@linkcode id} for aliases and pinned forms. */
  readonly root: string;
  /** Release date in Unix seconds. */
  readonly created: number;
  /** How people see it, if config.yaml says so. */
  readonly label: ModelLabel | undefined;
}

/** An alias without any usable model. This is not an error. */
export interface DisabledAlias {
  readonly id: string;
  /** For the operator. */
  readonly reason: string;
}

/** The parts of a configuration that define model names. */
export interface NameSources {
  /** The targets of the enabled providers, in the order of config.yaml. */
  readonly targets: readonly Target[];
  /** The providers that take models that are not listed. */
  readonly unlisted: readonly UnlistedSource[];
  /** The models of the disabled providers, in the same order. */
  readonly disabledModels: readonly DisabledModel[];
  /** Provider IDs by plain model ID. */
  readonly pins: ReadonlyMap<string, string>;
  readonly aliases: ReadonlyMap<string, AliasRule>;
  /** The policy of all names that are not aliases. */
  readonly routing: RoutingPolicy;
  /** Unix seconds; used for models without a release date. */
  readonly loadedAt: number;
}

interface Name {
  readonly entry: ModelEntry;
  readonly route: Route;
  /** The targets of all groups. */
  readonly chain: readonly FallbackTarget[];
  readonly form: "alias" | "plain" | "pinned";
}

/**
 * Looks up names. Aliases take precedence over plain IDs, and plain IDs over pinned forms. Aliases
 * with a `*` stand for names that none of these is.
 */
export class Names {
  /** Plain IDs, then pinned forms of models that several providers offer, then exact aliases. */
  readonly models: readonly ModelEntry[];
  readonly disabledAliases: readonly DisabledAlias[];
  readonly #names: ReadonlyMap<string, Name>;
  /** Names that resolve to disabled providers only. */
  readonly #disabled: ReadonlyMap<string, DisabledName>;
  readonly #patterns: AliasPatterns<Name>;
  readonly #disabledPatterns: AliasPatterns<DisabledName>;
  readonly #suggestions: Suggestions;
  readonly #unlisted: UnlistedModels;
  readonly #sources: NameSources;

  constructor(sources: NameSources) {
    this.#sources = sources;
    this.#unlisted = new UnlistedModels(sources.unlisted);
    const plain = plainNames(sources);
    // Provider IDs contain no '@', so a pinned form splits unambiguously at its last '@'.
    const pinned = pinnedNames(sources);
    const modelNames = new Map([...pinned, ...plain]);
    const disabledNames = disabledModelNames(sources.disabledModels);
    const all = aliasNames(sources, this.#unlisted, modelNames, disabledNames);
    const [aliases, patterns] = byForm(all.aliases);
    const [disabled, disabledPatterns] = byForm(all.disabled);
    const names = new Map([...modelNames, ...aliases]);
    this.#names = names;
    this.#patterns = new AliasPatterns(patterns);
    this.#disabled = new Map([...disabledNames, ...disabled].filter(([id]) => !names.has(id)));
    this.#disabledPatterns = new AliasPatterns(disabledPatterns);
    this.disabledAliases = [...all.disabled]
      .map(([id, alias]) => ({ id, reason: aliasReason(alias) }));
    this.#suggestions = new Suggestions(candidatesOf(names, this.#disabled));
    const counts = new Map<string, number>();
    for (const { model } of sources.targets) counts.set(model.id, (counts.get(model.id) ?? 0) + 1);
    const shared = [...pinned].filter(([, { entry }]) => (counts.get(entry.root) ?? 0) > 1);
    this.models = [...plain, ...shared, ...aliases]
      .filter(([id, name]) => this.#names.get(id) === name)
      .map(([, { entry }]) => entry);
  }

  /** The groups of a name's targets, and its policy; undefined if unknown. */
  route(model: string): Route | undefined {
    return this.#nameOf(model)?.route;
  }

  /** The targets of a name as config.yaml lists them; undefined if unknown. */
  resolve(model: string): readonly FallbackTarget[] | undefined {
    return this.#nameOf(model)?.chain;
  }

  /** The model of a name; undefined if unknown. */
  find(model: string): ModelEntry | undefined {
    const entry = this.#names.get(model)?.entry;
    if (entry !== undefined) return entry;
    const found = this.#patterns.find(model)?.value ?? this.#unlistedName(model);
    return found && { ...found.entry, id: model };
  }

  #nameOf(model: string): Name | undefined {
    return this.#names.get(model) ?? this.#patterns.find(model)?.value ?? this.#unlistedName(model);
  }

  /** A model that only the caller names. Names of disabled providers stay theirs. */
  #unlistedName(model: string): Name | undefined {
    if (this.#sources.unlisted.length === 0 || this.#disabled.has(model)) return undefined;
    const target = this.#unlisted.find(model);
    if (target === undefined) return undefined;
    const route = toModelRoute([target], undefined, this.#sources.routing);
    const form = model === target.model.id ? "plain" : "pinned";
    return nameFor(model, route, form, this.#sources);
  }

  /** The usable aliases with a `*`, in the order in which they are tried. */
  get patterns(): readonly string[] {
    return this.#patterns.ids;
  }

  /** The alias with a `*` that a name resolves by; undefined for all other names. */
  patternOf(model: string): string | undefined {
    return this.#names.has(model) ? undefined : this.#patterns.find(model)?.id;
  }

  /** The alias that a name is, or resolves by; undefined for all other names. */
  aliasOf(model: string): string | undefined {
    return this.#names.get(model)?.form === "alias" ? model : this.patternOf(model);
  }

  /** Whether a key may use this name: a name that only an alias with a `*` has, by its `models`. */
  isAllowed(key: ServiceKey, model: string): boolean {
    if (isAllowed(key, model)) return true;
    if (this.#names.has(model)) return false;
    const found = this.#patterns.find(model) ?? this.#disabledPatterns.find(model) ??
      this.#unlistedName(model);
    return found !== undefined &&
      (key.patterns ?? []).some((pattern) => new ModelPattern(pattern).matches(model));
  }

  /** All names that match a pattern, in full or by the plain ID of a pinned form. */
  matching(patterns: readonly ModelPattern[]): Set<string> {
    const matches = (name: string) => patterns.some((pattern) => pattern.matches(name));
    const names = [...this.#names].filter(([id, { entry, form }]) =>
      matches(id) || (form === "pinned" && matches(entry.root))
    );
    const disabled = [...this.#disabled].filter(([id, { form }]) =>
      matches(id) || (form === "pinned" && matches(id.slice(0, id.lastIndexOf("@"))))
    );
    return new Set([...names, ...disabled].map(([id]) => id));
  }

  /** Why a configured name cannot be used; undefined for all other names. */
  explainDisabled(model: string): string | undefined {
    const found = this.#disabled.get(model);
    if (found !== undefined) return explainDisabled(model, found);
    const pattern = this.#disabledPatterns.find(model);
    return pattern && explainDisabled(pattern.id, pattern.value);
  }

  /** The most similar name to an unknown one, among those that the key may use. */
  suggest(model: string, key: ServiceKey): string | undefined {
    const isKnown = (name: string) => isAllowed(key, name);
    const isUsable = (name: string) => this.#names.has(name) && isKnown(name);
    const usable = this.#suggestions.spelledAs(model, isUsable);
    // A configured name is not a misspelling, but `vendor/model` may be both a listed name and a
    // variant of another.
    if (usable !== undefined || this.#disabled.has(model)) return usable;
    return this.#suggestions.spelledAs(model, isKnown) ??
      this.#suggestions.nearest(model, isUsable) ??
      this.#suggestions.nearest(model, isKnown);
  }
}

/** The exact aliases, and those with a `*`. */
function byForm<Value>(
  aliases: ReadonlyMap<string, Value>,
): [exact: [string, Value][], patterns: [string, Value][]] {
  const all = [...aliases];
  return [all.filter(([id]) => !isAliasPattern(id)), all.filter(([id]) => isAliasPattern(id))];
}

function plainNames(sources: NameSources): Map<string, Name> {
  const byId = Map.groupBy(sources.targets, ({ model }) => model.id);
  return new Map([...byId].map(([id, targets]) => {
    const route = toModelRoute(targets, sources.pins.get(id), sources.routing);
    return [id, nameFor(id, route, "plain", sources)];
  }));
}

function pinnedNames(sources: NameSources): Map<string, Name> {
  return new Map(sources.targets.map((target) => {
    const id = pinnedForm(target.model.id, target.provider.settings.id);
    return [id, nameFor(id, toModelRoute([target], undefined, sources.routing), "pinned", sources)];
  }));
}

function aliasNames(
  sources: NameSources,
  unlisted: UnlistedModels,
  modelNames: ReadonlyMap<string, Name>,
  disabledNames: ReadonlyMap<string, DisabledName>,
) {
  const aliases = new Map<string, Name>();
  const disabled = new Map<string, DisabledName>();
  const hasVendor = sources.targets.some((target) => !isSimulated(target));
  const groupOf = (model: string) => {
    const group = modelNames.get(model)?.route.groups[0];
    const target = group === undefined ? unlisted.find(model) : undefined;
    if (target === undefined || disabledNames.has(model)) return group;
    return toModelRoute([target], undefined, sources.routing).groups[0];
  };
  for (const [id, { groups: rules, policy, label }] of sources.aliases) {
    const groups = toGroups({ groups: rules, policy }, groupOf, hasVendor);
    if (groups.length > 0) {
      const name = nameFor(id, { groups, policy }, "alias", sources);
      aliases.set(id, { ...name, entry: { ...name.entry, label } });
    } else disabled.set(id, disabledAlias(rules.flatMap(({ entries }) => entries), disabledNames));
  }
  return { aliases, disabled };
}

/** Enabled names first; of each group plain IDs, then aliases, then pinned forms. */
function candidatesOf(
  names: ReadonlyMap<string, Name>,
  disabled: ReadonlyMap<string, DisabledName>,
): readonly Candidate[] {
  const order: readonly Name["form"][] = ["plain", "alias", "pinned"];
  const all = [...names].map(([name, { entry: { target }, form }]) => ({
    name,
    form,
    // The model IDs of an alias's first target do not stand for the alias.
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

function nameFor(
  id: string,
  route: Route,
  form: Name["form"],
  { loadedAt }: NameSources,
): Name {
  const chain = route.groups.flatMap(({ targets }) => targets);
  const [first] = chain;
  if (first === undefined) throw new TypeError("A name needs at least one target");
  const { target } = first;
  const { facts, id: root } = target.model;
  const entry = { id, target, root, created: facts.created ?? loadedAt, label: toLabel(facts) };
  return { entry, route, chain, form };
}
