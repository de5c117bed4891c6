/** Converts OpenAI's `service_tier` to a vendor's tier. */

import type { Call } from "../contract/adapter.ts";

/**
 * The vendor's tier for the caller's; undefined if none is sent. The receipt records the
 * difference.
 *
 * @param tiers the vendor's tiers by the caller's; without `auto`, nothing is sent for it
 */
export function toServiceTier(
  { receipt, request: { service_tier: tier } }: Call,
  tiers: ReadonlyMap<string, string>,
): string | undefined {
  if (tier === undefined) return undefined;
  const sent = tiers.get(tier);
  if (sent === undefined && tier !== "auto") receipt.ignore("service_tier");
  else if (sent !== undefined && sent !== tier) receipt.convert("service_tier", tier, sent);
  return sent;
}
