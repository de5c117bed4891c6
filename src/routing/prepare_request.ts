/** A request on its way into a target's own words: what the target supports, then its conversion. */

import type { ChatRequest } from "../chat/chat.ts";
import type { Target } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { Adapter, Call, VendorRequest } from "../providers/contract/adapter.ts";
import { applySupport, checkContent, type Receipt } from "../providers/contract/support.ts";

/** A request that a target can take, as far as its tables say. */
export interface Checked {
  /** The adapter that serves this call. */
  readonly adapter: Adapter;
  readonly call: Call;
}

/** A request in a target's own words. */
export interface Prepared extends Checked {
  readonly unsigned: VendorRequest;
}

/**
 * Converts a request for one target, without sending anything.
 *
 * @param receipt is told of all that is ignored or converted
 * @throws {GatewayError} with status 400 for what cannot be conveyed.
 */
export function prepare(
  target: Target,
  asked: ChatRequest,
  receipt: Receipt,
  newId: Call["newId"],
): Prepared {
  return convert(check(target, asked, receipt, newId));
}

/**
 * The first half of {@linkcode prepare}: what the target's tables say.
 *
 * @throws {GatewayError} `unsupported_content` for what has no place there.
 */
export function check(
  target: Target,
  asked: ChatRequest,
  receipt: Receipt,
  newId: Call["newId"],
): Checked {
  const { provider, model, params } = target;
  const request: ChatRequest = params === undefined ? asked : { ...params, ...asked };
  const outline: Call = {
    request,
    fields: {},
    model,
    provider: provider.settings,
    receipt,
    stream: request.stream ?? false,
    newId,
  };
  const adapter = provider.adapter.route?.(outline) ?? provider.adapter;
  return withinDepth(() => {
    checkContent(request.messages, adapter.supports, model.facts.capabilities?.vision);
    const overrides = adapter.supportFor?.(request, model) ?? {};
    const fields = applySupport(request, adapter.supports, overrides, receipt);
    return { adapter, call: { ...outline, fields } };
  });
}

/** The second half of {@linkcode prepare}. */
export function convert({ adapter, call }: Checked): Prepared {
  return { adapter, call, unsigned: withinDepth(() => adapter.toRequest(call)) };
}

/** JSON nested some thousand levels deep overflows the stack of whatever walks it. */
export function withinDepth<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new GatewayError("invalid_request", "The request is nested too deeply", {
      cause: thrown,
    });
  }
}

/** @throws {GatewayError} `unsupported_parameter` when anything was left out. */
export function refuseIgnored(receipt: Receipt): void {
  const [first] = receipt.ignored;
  if (first === undefined) return;
  const names = [...receipt.ignored].map((name) => `'${name}'`).join(", ");
  throw new GatewayError("unsupported_parameter", `The provider does not support ${names}`, {
    param: first,
  });
}
