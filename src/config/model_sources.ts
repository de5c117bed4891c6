/** Where the models of a provider come from: config.yaml, the vendor's list, or the caller. */

import type { ListedModel } from "../contract/model_list.ts";
import { ModelPattern } from "./model_patterns.ts";
import { type PinnedName, readPinned } from "./disabled_names.ts";
import type { Provider, Target } from "./providers.ts";
import type { ModelConfig, ProviderEntry } from "./schema.ts";
import { touch } from "../core/collections.ts";

/** The word that stands for all models that the vendor lists. */
export const AUTO = "auto";

/** A vendor's list of models, as far as it is known. */
export interface ModelList {
  /** The models of the last list that could be read; none before. */
  readonly models: readonly ListedModel[];
  /** When the last list was read, in milliseconds since 1970; undefined if it never was. */
  readonly readAt?: number | undefined;
  /** Why the last attempt to read it failed; undefined if it succeeded. */
  readonly failure?: string | undefined;
}

/** Looks up the list of a provider; undefined if nothing has tried to read it. */
export type FindList = (provider: Provider) => ModelList | undefined;

/** A provider whose models the vendor lists. */
export interface ModelSource {
  readonly provider: Provider;
  /** How often the list is read, in milliseconds. */
  readonly refreshMs: number;
  /** Whether the provider is absent until its list could be read. */
  readonly isOptional: boolean;
}

/** What config.yaml says about the origin of a provider's models. */
interface ModelSelection {
  /** The models that it names. */
  readonly named: readonly ModelConfig[];
  /** Whether the vendor's list is needed. */
  readonly isListed: boolean;
  /** Whether a model of the vendor's list is selected by its ID. */
  selects(id: string): boolean;
  /** Whether a model that is not listed may be asked for by this name. */
  takes(name: string): boolean;
}

/** Whether an item of `models` is a pattern over the vendor's list, such as `gpt-5*` or `!*-audio*`. */
export function isPattern(item: unknown): item is string {
  return typeof item === "string" && (item.includes("*") || item.startsWith("!"));
}

/** The longest name of a model that is not listed, in UTF-16 units. */
const MAX_UNLISTED_LENGTH = 256;

/** Reads `models` and `allow_unlisted`, which may be invalid. */
export function toSelection(
  { models, allow_unlisted }: { readonly models?: unknown; readonly allow_unlisted?: unknown },
): ModelSelection {
  const items: readonly unknown[] = models === AUTO ? ["*"] : Array.isArray(models) ? models : [];
  const patterns = items.filter(isPattern);
  const isExclusion = (pattern: string) => pattern.startsWith("!");
  const excluded = patterns.filter(isExclusion).map((text) => new ModelPattern(text.slice(1)));
  const included = patterns.filter((text) => !isExclusion(text))
    .map((text) => new ModelPattern(text));
  const isWithin = (name: string) =>
    (included.length === 0 || included.some((one) => one.matches(name))) &&
    !excluded.some((one) => one.matches(name));
  return {
    named: items.filter((item) => !isPattern(item))
      .map((item) => typeof item === "string" ? { id: item } : item as ModelConfig),
    isListed: patterns.length > 0,
    selects: (id) => patterns.length > 0 && isWithin(id),
    takes: (name) =>
      allow_unlisted === true && name.length <= MAX_UNLISTED_LENGTH &&
      /^[^\s\p{C}]+$/u.test(name) && isWithin(name),
  };
}

/**
 * The listed models that a provider offers besides those that config.yaml names. An ID that would
 * stand for a model of another provider, such as `x@other`, is left out.
 */
export function selectListed(
  { named, selects }: ModelSelection,
  models: readonly ListedModel[],
  providers: ReadonlySet<string>,
): readonly ListedModel[] {
  const taken = new Set(named.map(({ id }) => id));
  return models.filter(({ id }) =>
    selects(id) && !taken.has(id) && readPinned(id, providers) === undefined
  );
}

/** How the list of a provider is kept up to date. */
export function toSource(
  provider: Provider,
  { refresh, if_running }: Pick<ProviderEntry, "if_running" | "refresh">,
): ModelSource {
  return { provider, refreshMs: refresh, isOptional: if_running };
}

/** A provider that takes names of models that are not listed. */
export interface UnlistedSource {
  readonly provider: string;
  /** The model of a name; undefined for a name that the provider's patterns exclude. */
  readonly toTarget: (name: string) => Target | undefined;
}

/** The number of names whose targets are kept. */
const MAX_KEPT = 1000;

/** Finds the targets of names that clients choose. */
export class UnlistedModels {
  readonly #sources: ReadonlyMap<string, UnlistedSource>;
  readonly #pins: ReadonlyMap<string, string>;
  readonly #providers: ReadonlySet<string>;
  readonly #kept = new Map<string, { readonly target: Target | undefined }>();

  /**
   * @param pins provider IDs by plain name
   * @param providers the IDs of all providers of config.yaml
   */
  constructor(
    sources: readonly UnlistedSource[],
    pins: ReadonlyMap<string, string>,
    providers: ReadonlySet<string>,
  ) {
    this.#sources = new Map(sources.map((source) => [source.provider, source]));
    this.#pins = pins;
    this.#providers = providers;
  }

  /**
   * The target of `model@provider` at this provider only. A plain name goes to the provider that it
   * is pinned to, or else to the first one that takes it.
   */
  find(name: string): Target | undefined {
    if (this.#sources.size === 0) return undefined;
    return touch(this.#kept, name, MAX_KEPT, () => ({ target: this.#create(name) })).target;
  }

  /** The target at a given provider; undefined if it does not take this model. */
  at({ model, provider }: PinnedName): Target | undefined {
    return this.#sources.get(provider)?.toTarget(model);
  }

  #create(name: string): Target | undefined {
    const pinned = readPinned(name, this.#providers);
    if (pinned !== undefined) return this.at(pinned);
    const provider = this.#pins.get(name);
    if (provider !== undefined) return this.at({ model: name, provider });
    for (const { toTarget } of this.#sources.values()) {
      const target = toTarget(name);
      if (target !== undefined) return target;
    }
    return undefined;
  }
}
