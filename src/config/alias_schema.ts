/** The entries of `aliases`: a model, a list of models, or an object with groups and a policy. */

import * as z from "zod";
import { FAILURE_CLASSES } from "../core/errors.ts";
import { labelMembers, type ModelLabel, toLabel } from "./model_patterns.ts";
import {
  type Balance,
  routingMembers,
  type RoutingPolicy,
  toRoutingPolicy,
} from "./routing_schema.ts";

const model = z.string().min(1);

const fallbackEntry = z.strictObject({
  model: model.describe("A model ID, plain or pinned (model@provider)"),
  weight: z.number().min(0).optional()
    .describe("Share of requests that try this entry first, relative to other weights"),
  when: z.array(z.enum(FAILURE_CLASSES)).min(1).optional()
    .describe(
      "Failures of earlier entries after which this entry is tried; by default, all except " +
        "'context_length' and 'content_filter'",
    ),
}).meta({ id: "fallback" });

/** A model in an alias, and when to use it. */
export type FallbackEntry = z.infer<typeof fallbackEntry>;

const entry = z.union([model, fallbackEntry]);

const aliasObject = z.strictObject({
  targets: z.array(z.union([model, fallbackEntry, z.array(entry).min(1)])).min(1).describe(
    "Models that are tried in order; an entry that is a list is a group of equal targets, one of which is tried first. Without such an entry, 'balance' applies to all targets",
  ),
  ...labelMembers,
  ...routingMembers,
}).meta({ id: "alias" });

/** The schema of one entry of `aliases`. */
export const aliasEntry = z.union([model, z.array(entry).min(1), aliasObject]);
export type AliasEntry = z.infer<typeof aliasEntry>;

/** Entries in an alias that are equal alternatives. */
interface GroupRule {
  readonly entries: readonly FallbackEntry[];
  readonly balance: Balance;
}

/** An alias: groups that are tried in order, and its policy. */
export interface AliasRule {
  readonly groups: readonly GroupRule[];
  readonly policy: RoutingPolicy;
  readonly label: ModelLabel | undefined;
}

/**
 * Converts an entry of `aliases`. A string or a list is always a chain in the given order,
 * regardless of the defaults, unless its entries have weights.
 */
export function toAliasRule(alias: AliasEntry, defaults: RoutingPolicy): AliasRule {
  const isObject = typeof alias === "object" && !Array.isArray(alias);
  const { targets, display_name, description, ...own } = isObject
    ? alias
    : { targets: [alias].flat() };
  const label = toLabel({ display_name, description });
  const policy = toRoutingPolicy(own, defaults);
  const whole = toGroup(targets.flat(), own.balance);
  const isWhole = own.balance !== undefined || whole.balance !== "in_order";
  if (isWhole && !targets.some(Array.isArray)) return { groups: [whole], policy, label };
  return { groups: targets.map((one) => toGroup([one].flat(), policy.balance)), policy, label };
}

/** Entries with weights are balanced by weight unless something else is configured. */
function toGroup(models: readonly z.infer<typeof entry>[], balance?: Balance): GroupRule {
  const entries = models.map((one) => typeof one === "string" ? { model: one } : one);
  const byWeight = entries.some(({ weight }) => weight !== undefined) ? "weighted" : "in_order";
  return { entries, balance: entries.length === 1 ? "in_order" : balance ?? byWeight };
}

/** The aliases whose parts before and after the `*` have the same lengths. */
interface Shape<Value> {
  readonly prefix: number;
  readonly suffix: number;
  readonly aliases: Map<string, Value>;
}

/** Whether an alias matches more than its own name. */
export function isAliasPattern(alias: string): boolean {
  return alias.includes("*");
}

/**
 * Finds the alias that matches a name. The longest pattern applies, not counting the `*`; among
 * patterns with the same length, the one with the longer text before the `*`. A name is looked up
 * once for each shape, regardless of the number of aliases.
 */
export class AliasPatterns<Value> {
  /** The names of the aliases, in the order in which they are tried. */
  readonly ids: readonly string[];
  readonly #shapes: readonly Shape<Value>[];

  /** @param aliases with one `*` in each name */
  constructor(aliases: Iterable<readonly [string, Value]>) {
    const shapes = new Map<string, Shape<Value>>();
    for (const [id, value] of aliases) {
      const prefix = id.indexOf("*");
      const suffix = id.length - prefix - 1;
      const text = `${prefix} ${suffix}`;
      let shape = shapes.get(text);
      if (shape === undefined) shapes.set(text, shape = { prefix, suffix, aliases: new Map() });
      shape.aliases.set(id, value);
    }
    this.#shapes = [...shapes.values()].sort((one, other) =>
      other.prefix + other.suffix - one.prefix - one.suffix || other.prefix - one.prefix
    );
    this.ids = this.#shapes.flatMap((shape) => [...shape.aliases.keys()]);
  }

  /** The alias that matches a name. A `*` matches any characters, or none, but no `@`. */
  find(name: string): { readonly id: string; readonly value: Value } | undefined {
    for (const { prefix, suffix, aliases } of this.#shapes) {
      const end = name.length - suffix;
      if (end < prefix || name.slice(prefix, end).includes("@")) continue;
      const id = `${name.slice(0, prefix)}*${name.slice(end)}`;
      const value = aliases.get(id);
      if (value !== undefined) return { id, value };
    }
    return undefined;
  }
}
