/**
 * Tells vendors which session a request belongs to, as an interceptor: those that take it serve the
 * session where their prompt cache has it. They get a pseudonym, never the caller's own ID.
 */

import type { Config } from "../../config/config.ts";
import type { Interceptor, TargetRequest } from "../../interceptors/contract.ts";
import type { VendorRequest } from "../../providers/contract/adapter.ts";
import type { StateCarrier } from "../../reasoning_state/carrier.ts";

/** Gives vendors the sessions of requests, where requests are kept with their sessions. */
export function sessionHints(carrier: Pick<StateCarrier, "bindingOf">): Interceptor<Config> {
  return {
    name: "session_hints",
    intercept({ key, session }, config) {
      if (session === undefined) return undefined;
      const path = [SESSION, key, session.name];
      return { request: (sent, target) => withHint(sent, target, path, carrier, config) };
    },
  };
}

/** @param path what the pseudonym is made of */
function withHint(
  request: VendorRequest,
  { adapter, provider, receipt }: TargetRequest,
  path: readonly string[],
  carrier: Pick<StateCarrier, "bindingOf">,
  { providers, server }: Config,
): VendorRequest {
  const hint = adapter.sessionHint?.(request, provider);
  const vendorKeys = providers.get(provider.id)?.keys;
  if (hint === undefined || vendorKeys === undefined) return request;
  const isMember = "member" in hint;
  // The caller's own value wins.
  if (isMember && request.body[hint.member] != null) return request;
  const binding = carrier.bindingOf(vendorKeys, server.reasoningState);
  const id = binding.tag(path);
  receipt.addByChoice(isMember ? hint.member : hint.header);
  return isMember
    ? { ...request, body: { ...request.body, [hint.member]: id } }
    : { ...request, headers: { ...request.headers, [hint.header]: id } };
}

/** Tells these pseudonyms from other tags that are made with the same secret. */
const SESSION = "session";
