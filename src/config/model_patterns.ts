/** Name patterns such as `gpt-*`, and lists of patterns that restrict keys. */

import { touch } from "../core/collections.ts";
import * as z from "zod";
import type { ModelFacts } from "../contract/model_facts.ts";

/** The keyword for all models that the vendor lists. */
export const AUTO = "auto";

/** A model that config.yaml names. */
interface NamedModel {
  readonly id: string;
}

/** The configured sources for a provider's models. */
export interface ModelSelection<Model = NamedModel> {
  /** The models that it names. */
  readonly named: readonly Model[];
  /** Whether the vendor's list is needed. */
  readonly isListed: boolean;
  /** Whether the ID of a model on the vendor's list is selected. */
  selects(id: string): boolean;
  /** Whether an unlisted model may be requested by this name. */
  takes(name: string): boolean;
}

/** The maximum length of the name of an unlisted model, in UTF-16 units. */
const MAX_UNLISTED_LENGTH = 256;

/** A pattern in which each `*` matches any number of characters. */
export class ModelPattern {
  readonly #first: string;
  readonly #rest: readonly string[];

  /** @param pattern e.g. `gpt-*` */
  constructor(pattern: string) {
    [this.#first = "", ...this.#rest] = pattern.split("*");
  }

  /** The prefix of all matching names. */
  get prefix(): string {
    return this.#first;
  }

  /** Whether the whole name matches. Matches parts from left to right without backtracking. */
  matches(name: string): boolean {
    const last = this.#rest.length - 1;
    const suffix = this.#rest[last];
    if (suffix === undefined) return name === this.#first;
    if (!name.startsWith(this.#first)) return false;
    let position = this.#first.length;
    for (let index = 0; index < last; index++) {
      const part = this.#rest[index] ?? "";
      const found = name.indexOf(part, position);
      if (found < 0) return false;
      position = found + part.length;
    }
    return name.length - suffix.length >= position && name.endsWith(suffix);
  }
}

/** Matching a short list of patterns is as fast as a cache lookup. */
const MIN_REMEMBERED_PATTERNS = 8;
/** The maximum number of cached results per list. */
const MAX_ANSWERS = 256;

/**
 * The names that keys with equal `models` may use. Names are matched on lookup, so the size of a
 * list does not depend on the number of models.
 */
export class ModelPatterns {
  /** The patterns as configured. */
  readonly patterns: readonly string[];
  /** Those without a `*`. */
  readonly exact: ReadonlySet<string>;
  readonly wildcards: readonly ModelPattern[];
  readonly #answers = new Map<string, boolean>();

  constructor(patterns: readonly string[]) {
    this.patterns = patterns;
    this.exact = new Set(patterns.filter((pattern) => !pattern.includes("*")));
    this.wildcards = patterns.filter((pattern) => pattern.includes("*"))
      .map((pattern) => new ModelPattern(pattern));
  }

  /** Whether a pattern matches a name. */
  matches(name: string): boolean {
    return this.exact.has(name) || this.wildcards.some((pattern) => pattern.matches(name));
  }

  /**
   * The same for a configured name; the result is cached. Strings from clients are not cached,
   * since they may keep a whole body in memory.
   */
  matchesConfigured(name: string): boolean {
    if (this.wildcards.length < MIN_REMEMBERED_PATTERNS) return this.matches(name);
    return touch(this.#answers, name, MAX_ANSWERS, () => this.matches(name));
  }
}

/** The descriptive members in a model entry or an alias object. */
export const labelMembers = {
  display_name: z.string().min(1).max(200).optional()
    .describe("The name that clients show in model pickers; defaults to the ID"),
  description: z.string().min(1).max(1000).optional()
    .describe("One sentence for people who choose a model"),
};

/** A name and a description, if known. */
export type ModelLabel = Pick<ModelFacts, "description" | "display_name">;

/** The label in a config.yaml entry or in a model's facts; undefined if there is none. */
export function toLabel(
  { display_name: name, description }: { [Name in keyof ModelLabel]: string | undefined },
): ModelLabel | undefined {
  if (name === undefined && description === undefined) return undefined;
  return {
    ...(name !== undefined && { display_name: name }),
    ...(description !== undefined && { description }),
  };
}

/** Whether an item of `models` is a pattern over the vendor's list, such as `gpt-5*` or `!*-audio*`. */
export function isPattern(item: unknown): item is string {
  return typeof item === "string" && (item.includes("*") || item.startsWith("!"));
}

/** Reads `models` and `allow_unlisted`, which may be invalid. */
export function toSelection<Model extends NamedModel>(
  { models, allow_unlisted }: { readonly models?: unknown; readonly allow_unlisted?: unknown },
): ModelSelection<Model> {
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
      .map((item) => (typeof item === "string" ? { id: item } : item) as Model),
    isListed: patterns.length > 0,
    selects: (id) => patterns.length > 0 && isWithin(id),
    takes: (name) =>
      allow_unlisted === true && name.length <= MAX_UNLISTED_LENGTH &&
      /^[^\s\p{C}]+$/u.test(name) && isWithin(name),
  };
}
