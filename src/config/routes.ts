/** The route for a name: groups of equal targets in order, and a policy. */

import type { FailureClass } from "../core/errors.ts";
import type { AliasRule } from "./alias_schema.ts";
import type { Target } from "./providers.ts";
import type { Balance, RoutingPolicy } from "./routing_schema.ts";

/** One target of a fallback chain, and the failures after which it is used. */
export interface FallbackTarget {
  readonly target: Target;
  /** Its share of requests as the first target of its group, relative to other weights. */
  readonly weight?: number | undefined;
  /** The failures of earlier targets after which this target is tried. */
  readonly onFailures: ReadonlySet<FailureClass>;
}

/** Equal targets, whose order is chosen for each request. */
export interface TargetGroup {
  readonly targets: readonly FallbackTarget[];
  readonly balance: Balance;
}

/** The groups of a name, none of them empty, and how its requests are routed. */
export interface Route {
  readonly groups: readonly TargetGroup[];
  readonly policy: RoutingPolicy;
  /** Other providers of an unpinned plain model ID, which callers may choose. */
  readonly others?: readonly FallbackTarget[];
  /** The plain model IDs behind the name: a request may select another of their providers. */
  readonly movable: readonly string[];
}

/**
 * The failures after which a target is tried unless its entry has `when`. Excluded are
 * `context_length` and `content_filter`, which are likely to fail at any target.
 */
export const DEFAULT_ON_FAILURES: ReadonlySet<FailureClass> = new Set([
  "rate_limited",
  "quota",
  "auth",
  "not_found",
  "unavailable",
  "timeout",
]);

/**
 * A model's route at the providers that may answer: all of them if they are balanced, otherwise the
 * first one.
 */
export function toModelRoute(
  targets: readonly Target[],
  policy: RoutingPolicy,
  movable: readonly string[] = [],
): Route {
  const { balance = "in_order" } = policy;
  const entries = targets.map((target) => ({ target, onFailures: DEFAULT_ON_FAILURES }));
  if (balance !== "in_order" || entries.length === 1) {
    return { groups: [{ targets: entries, balance }], policy, movable };
  }
  const groups = [{ targets: entries.slice(0, 1), balance }];
  return { groups, policy, movable, others: entries.slice(1) };
}

/**
 * The usable groups of an alias. If any vendor is enabled, simulated models after a vendor's model
 * are removed: their responses would hide the vendor's failure, or the disabled provider.
 *
 * @param groupOf finds the targets of a model; undefined if its providers are disabled
 */
export function toGroups(
  { groups, policy }: Pick<AliasRule, "groups" | "policy">,
  groupOf: (model: string) => TargetGroup | undefined,
  hasVendor: boolean,
): readonly TargetGroup[] {
  let followsVendor = false;
  return groups.flatMap(({ entries, balance }) => {
    // A chain entry with a plain model ID uses all of its providers if they are balanced.
    const isStep = entries.length === 1 && policy.balance !== "in_order";
    const targets = entries.flatMap(({ model, weight, when }): FallbackTarget[] => {
      const [first, ...others] = groupOf(model)?.targets ?? [];
      const isFallback = followsVendor;
      followsVendor ||= first === undefined || !isSimulated(first.target);
      if (first === undefined || hasVendor && isFallback && isSimulated(first.target)) return [];
      const onFailures = when ? new Set(when) : DEFAULT_ON_FAILURES;
      return [first, ...isStep ? others : []].map(({ target }) => ({ target, weight, onFailures }));
    });
    if (targets.length === 0) return [];
    return [{
      targets,
      balance: targets.length > entries.length ? policy.balance ?? balance : balance,
    }];
  });
}

/** Whether an adapter answers in-process, without a vendor. */
export function isSimulated({ provider }: Target): boolean {
  return provider.adapter.simulated === true;
}
