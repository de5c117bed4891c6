/** Resolves model names: plain IDs, pinned forms (`model@provider`) and aliases. */

import { AliasPatterns, isAliasPattern } from "./alias_schema.ts";
import {
  aliasReason,
  disabledModelNames,
  type DisabledName,
  explainDisabled,
  pinnedForm,
  type PinnedName,
  readPinned,
} from "./disabled_names.ts";
import { eachInSteps, type Steps } from "../core/steps.ts";
import type { ModelPatterns } from "./model_patterns.ts";
import type { ServiceKey } from "./keys.ts";
import type { Target } from "./providers.ts";
import { type FallbackTarget, type Route, toModelRoute } from "./routes.ts";
import { UnlistedModels } from "./model_sources.ts";
import { Suggestions } from "./suggestions.ts";
import {
  aliasNames,
  candidatesOf,
  type ModelEntry,
  type Name,
  nameFor,
  type NameSources,
  pinnedNames,
  plainNames,
} from "./name_tables.ts";

/** An alias without any usable model. This is not an error. */
export interface DisabledAlias {
  readonly id: string;
  /** For the operator. */
  readonly reason: string;
}

/** The tables of {@linkcode Names}. */
interface NameParts extends Pick<Names, "disabledAliases" | "models"> {
  readonly names: ReadonlyMap<string, Name>;
  readonly pinned: ReadonlyMap<string, Name>;
  readonly disabled: ReadonlyMap<string, DisabledName>;
  readonly patterns: AliasPatterns<Name>;
  readonly disabledPatterns: AliasPatterns<DisabledName>;
  readonly suggestions: Suggestions;
  readonly unlisted: UnlistedModels;
}

/**
 * Looks up names. Aliases take precedence over plain IDs, and plain IDs over pinned forms. Aliases
 * with a `*` match the remaining names that do not name a provider.
 */
export class Names {
  /** Plain IDs, then pinned forms of models that several providers offer, then exact aliases. */
  readonly models: readonly ModelEntry[];
  readonly disabledAliases: readonly DisabledAlias[];
  readonly #names: ReadonlyMap<string, Name>;
  /** The pinned forms of all enabled models, including those that are also other names. */
  readonly #pinned: ReadonlyMap<string, Name>;
  /** Names that resolve only to disabled providers. */
  readonly #disabled: ReadonlyMap<string, DisabledName>;
  readonly #patterns: AliasPatterns<Name>;
  readonly #disabledPatterns: AliasPatterns<DisabledName>;
  readonly #suggestions: Suggestions;
  readonly #unlisted: UnlistedModels;
  readonly #sources: NameSources;
  /** All configured names in order, sorted when first needed. */
  #sorted: readonly string[] | undefined;

  private constructor(sources: NameSources, parts: NameParts) {
    this.#sources = sources;
    this.#unlisted = parts.unlisted;
    this.#pinned = parts.pinned;
    this.#names = parts.names;
    this.#patterns = parts.patterns;
    this.#disabled = parts.disabled;
    this.#disabledPatterns = parts.disabledPatterns;
    this.#suggestions = parts.suggestions;
    this.disabledAliases = parts.disabledAliases;
    this.models = parts.models;
  }

  /** Creates the names in steps. */
  static *create(sources: NameSources): Steps<Names> {
    const pins = withoutDisabled(sources);
    const unlisted = new UnlistedModels(sources.unlisted, pins, sources.ids);
    const pinned = yield* pinnedNames(sources);
    const plain = yield* plainNames(sources, pins, unlisted);
    const names = new Map(pinned);
    yield* eachInSteps(plain.names, ([id, name]) => names.set(id, name));
    const disabledNames = new Map([
      ...disabledModelNames(sources.disabledModels),
      ...plain.withoutTarget,
    ]);
    yield;
    const all = yield* aliasNames(sources, unlisted, names, disabledNames);
    const [aliases, patterns] = byForm(all.aliases);
    const [disabled, disabledPatterns] = byForm(all.disabled);
    for (const [id, name] of aliases) names.set(id, name);
    yield;
    const unusable = new Map([...disabledNames, ...disabled].filter(([id]) => !names.has(id)));
    const counts = new Map<string, number>();
    for (const { model } of sources.targets) counts.set(model.id, (counts.get(model.id) ?? 0) + 1);
    yield;
    const shared = [...pinned].filter(([, { entry }]) => (counts.get(entry.root) ?? 0) > 1);
    const models: ModelEntry[] = [];
    for (const rows of [plain.names, shared, aliases]) {
      yield* eachInSteps(rows, ([id, name]) => {
        if (names.get(id) === name) models.push(name.entry);
      });
    }
    const candidates = yield* candidatesOf(names, unusable);
    return new Names(sources, {
      ...{ names, pinned, unlisted, models, disabled: unusable },
      patterns: new AliasPatterns(patterns),
      disabledPatterns: new AliasPatterns(disabledPatterns),
      disabledAliases: [...all.disabled].map(([id, alias]) => ({ id, reason: aliasReason(alias) })),
      suggestions: yield* Suggestions.create(candidates),
    });
  }

  /** The groups of a name's targets, and its policy; undefined if unknown. */
  route(model: string): Route | undefined {
    return this.#nameOf(model)?.route;
  }

  /** A name's targets as listed in config.yaml; undefined if unknown. */
  resolve(model: string): readonly FallbackTarget[] | undefined {
    return this.#nameOf(model)?.chain;
  }

  /** The target for a model at one provider, regardless of other names; undefined if none. */
  targetAt(model: string, provider: string): Target | undefined {
    return this.#pinned.get(pinnedForm(model, provider))?.entry.target ??
      this.#unlisted.at({ model, provider });
  }

  /** The model of a name; undefined if unknown. */
  find(model: string): ModelEntry | undefined {
    const entry = this.#names.get(model)?.entry;
    if (entry !== undefined) return entry;
    const found = this.#patternFor(model)?.value ?? this.#unlistedName(model);
    return found && { ...found.entry, id: model };
  }

  #nameOf(model: string): Name | undefined {
    return this.#names.get(model) ?? this.#patternFor(model)?.value ?? this.#unlistedName(model);
  }

  /** The wildcard alias for a name that is not another alias and does not name a provider. */
  #patternFor(model: string): { readonly id: string; readonly value: Name } | undefined {
    const found = this.#patterns.find(model);
    if (found === undefined || this.readPinned(model) !== undefined) return undefined;
    const { form, pin } = this.#disabled.get(model) ?? {};
    return form === "alias" || pin !== undefined ? undefined : found;
  }

  #disabledPatternFor(model: string) {
    return this.readPinned(model) === undefined ? this.#disabledPatterns.find(model) : undefined;
  }

  /** A model that only the caller names. Names of disabled providers do not match. */
  #unlistedName(model: string): Name | undefined {
    if (this.#sources.unlisted.length === 0 || this.#disabled.has(model)) return undefined;
    const target = this.#unlisted.find(model);
    if (target === undefined) return undefined;
    const route = toModelRoute([target], this.#sources.routing);
    const form = model === target.model.id ? "plain" : "pinned";
    return nameFor(model, route, form, this.#sources);
  }

  /** The usable aliases with a `*`, in the order in which they are tried. */
  get patterns(): readonly string[] {
    return this.#patterns.ids;
  }

  /** The wildcard alias that a name matches; undefined for all other names. */
  patternOf(model: string): string | undefined {
    return this.#names.has(model) ? undefined : this.#patternFor(model)?.id;
  }

  /** The alias with this name, or that the name matches; undefined for all other names. */
  aliasOf(model: string): string | undefined {
    return this.#names.get(model)?.form === "alias" ? model : this.patternOf(model);
  }

  /** Whether an alias or an enabled model has exactly this name. */
  has(model: string): boolean {
    return this.#names.has(model);
  }

  /**
   * The parts of a name that is sent to one provider only, unless an alias or a model has exactly
   * this name.
   */
  readPinned(model: string): PinnedName | undefined {
    const known = this.#names.get(model) ?? this.#disabled.get(model);
    return known === undefined || known.form === "pinned"
      ? readPinned(model, this.#sources.ids)
      : undefined;
  }

  /**
   * Whether a key may use a known name: a pattern matches the name, or the plain ID of a pinned
   * form.
   */
  isAllowed({ models }: ServiceKey, model: string): boolean {
    if (models === undefined) return true;
    const known = this.#names.get(model);
    if (known !== undefined) {
      const { entry: { id, root }, form } = known;
      return models.matchesConfigured(id) || (form === "pinned" && models.matches(root));
    }
    const root = this.readPinned(model)?.model;
    if (!models.matches(model) && (root === undefined || !models.matches(root))) return false;
    return this.#disabled.has(model) || this.#nameOf(model) !== undefined ||
      this.#disabledPatternFor(model) !== undefined;
  }

  /** Whether a key may use a model at one provider. */
  isAllowedAt({ models }: ServiceKey, model: string, provider: string): boolean {
    return models === undefined || models.matches(model) ||
      models.matches(pinnedForm(model, provider));
  }

  /**
   * The configured names that a list of patterns allows. Only names with a matching prefix are
   * compared.
   */
  *allowedBy({ exact, wildcards }: ModelPatterns): Iterable<string> {
    const isConfigured = (name: string) => this.#names.has(name) || this.#disabled.has(name);
    for (const name of exact) if (isConfigured(name)) yield name;
    if (wildcards.length === 0) return;
    this.#sorted ??= [...this.#names.keys(), ...this.#disabled.keys()].sort();
    for (const pattern of wildcards) {
      const { prefix } = pattern;
      for (let index = firstFrom(this.#sorted, prefix);; index++) {
        const name = this.#sorted[index];
        if (name === undefined || !name.startsWith(prefix)) break;
        if (pattern.matches(name)) yield name;
      }
    }
  }

  /** Why a configured name cannot be used; undefined for all other names. */
  explainDisabled(model: string): string | undefined {
    const found = this.#disabled.get(model);
    if (found !== undefined) return explainDisabled(model, found);
    const pattern = this.#disabledPatternFor(model);
    return pattern && explainDisabled(pattern.id, pattern.value);
  }

  /** The most similar name to an unknown one, among those that the key may use. */
  suggest(model: string, key: ServiceKey): string | undefined {
    const isKnown = (name: string) => this.isAllowed(key, name);
    const isUsable = (name: string) => this.#names.has(name) && isKnown(name);
    const usable = this.#suggestions.spelledAs(model, isUsable);
    // A configured name is not a misspelling, but `vendor/model` may be both a listed name and a
    // variant of another name.
    if (usable !== undefined || this.#disabled.has(model)) return usable;
    return this.#suggestions.spelledAs(model, isKnown) ??
      this.#suggestions.nearest(model, isUsable) ??
      this.#suggestions.nearest(model, isKnown);
  }
}

/** The index of the first sorted string that is not less than another string. */
function firstFrom(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The pins to enabled providers. Pins to providers without credentials are ignored. */
function withoutDisabled({ pins, disabled }: NameSources): ReadonlyMap<string, string> {
  const ids = new Set(disabled.map(({ id }) => id));
  return new Map([...pins].filter(([, provider]) => !ids.has(provider)));
}

/** The exact aliases, and those with a `*`. */
function byForm<Value>(
  aliases: ReadonlyMap<string, Value>,
): [exact: [string, Value][], patterns: [string, Value][]] {
  const all = [...aliases];
  return [all.filter(([id]) => !isAliasPattern(id)), all.filter(([id]) => isAliasPattern(id))];
}
