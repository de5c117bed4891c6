/** Chooses the second target of a request. */

import type { FallbackTarget, Provider, Target } from "../../config/config.ts";
import type { State } from "../../gateway/state.ts";

/** Whether a target may be asked while another one is still asked. */
export function isSecondTarget(
  { target, onFailures }: FallbackTarget,
  first: Target,
  state: State,
  now: number,
): boolean {
  return onFailures.has("timeout") && !isSameAccount(target.provider, first.provider) &&
    state.breakerOf(target).state(now) === "closed";
}

/** Whether two providers share quotas, as far as config.yaml shows. */
function isSameAccount(one: Provider, other: Provider): boolean {
  if (one.settings.id === other.settings.id) return true;
  if (one.settings.baseUrl !== other.settings.baseUrl) return false;
  return one.keys.length === 0 || one.keys.some((key) => other.keys.includes(key));
}
