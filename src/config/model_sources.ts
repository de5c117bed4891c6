/** Where the models of a provider come from: config.yaml, the vendor's list, or the caller. */

import type { ListedModel } from "../providers/contract/model_list.ts";
import { ModelPattern } from "./model_patterns.ts";
import { readPinned } from "./pinned_names.ts";
import type { Provider } from "./providers.ts";
import type { ModelConfig, ProviderEntry } from "./schema.ts";

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
export interface ModelSelection {
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
