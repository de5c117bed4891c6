/** Keeps the member `provider`, which the gateway reads itself, from vendors that do not know it. */

import type { ChatRequest } from "../../chat/chat.ts";
import { isObject } from "../../core/json/object.ts";
import type { Adapter, ProviderSettings } from "../../providers/contract/adapter.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";

/** The members that the gateway follows. */
const FOLLOWED: ReadonlySet<string> = new Set(["sort", "order", "only", "max_price"]);

/**
 * The request without `provider`, unless the vendor takes it. The receipt lists followed members as
 * converted and others as ignored.
 */
export function withoutProviderMember(
  request: ChatRequest,
  { takesProviderMember }: Adapter,
  settings: ProviderSettings,
  receipt: Receipt,
): ChatRequest {
  if (!isObject(request.provider) || takesProviderMember?.(settings)) return request;
  const { provider, ...rest } = request;
  for (const [name, value] of Object.entries(provider as object)) {
    if (value == null) continue;
    if (FOLLOWED.has(name)) receipt.convert(`provider.${name}`);
    else receipt.ignore(`provider.${name}`);
  }
  return rest as ChatRequest;
}
