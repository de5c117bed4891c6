/** The service tiers of Google's APIs. */

import type { Call } from "../contract/adapter.ts";
import { toServiceTier } from "../shared/service_tier.ts";

const SERVICE_TIERS = new Map([
  ["flex", "flex"],
  ["priority", "priority"],
  ["default", "standard"],
  ["standard", "standard"],
]);

/**
 * The vendor's service tier; undefined if none is sent.
 *
 * @param to the vendor's field, for the receipt
 */
export function toGeminiTier(call: Call, to: string): string | undefined {
  const sent = toServiceTier(call, SERVICE_TIERS);
  const isSame = sent !== undefined && sent === call.request.service_tier;
  if (isSame) call.receipt.rename("service_tier", to);
  return sent;
}
