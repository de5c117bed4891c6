/** Sends a request again without what the vendor rejects. */

import type { Adapter, VendorRequest } from "../providers/contract/adapter.ts";
import type { VendorResponse } from "../upstream/transport.ts";
import {
  applyRepair,
  type CallerRequest,
  MAX_REPAIRS,
  type RepairedRequest,
} from "./learned_rejections.ts";
import type { VendorSession } from "./vendor_session.ts";

/** A request, and how its answer is read. */
export interface RepairableRequest<Result> {
  readonly request: VendorRequest;
  readonly session: VendorSession;
  /** Whether the body is written in slices of time. */
  readonly isLarge: boolean;
  /** The caller's request; called after a refusal. */
  readonly caller: () => CallerRequest;
  /** As in adapters; that of the session's adapter when absent. */
  readonly toError?: Adapter["toError"];
  /** Reads a 2xx. */
  readonly read: (response: VendorResponse) => Promise<Result>;
  /** Handles another answer, in place of the error that it stands for; undefined if it cannot. */
  readonly handle?: ((response: VendorResponse) => Promise<Result> | undefined) | undefined;
}

/**
 * Sends a request and reads the answer. If the vendor rejects a part, the request is sent again
 * without it at once, within the same attempt; the last rejection is kept if that request succeeds.
 *
 * @throws {GatewayError} the vendor's error.
 */
export async function sendRepaired<Result>(
  { request, session, isLarge, caller: toCaller, toError, read, handle }: RepairableRequest<Result>,
): Promise<Result> {
  const { attempt, deps: { clock, state }, receipt, strict, target } = session;
  let sent = request;
  let caller: CallerRequest | undefined;
  let repaired: RepairedRequest | undefined;
  for (let repairs = 0;; repairs++) {
    const response = await session.send(sent, isLarge);
    if (response.ok) {
      const result = await read(response);
      if (repaired !== undefined && caller !== undefined) {
        state.rejectionsOf(target).confirm(repaired.repair, caller, clock);
      }
      return result;
    }
    const handled = handle?.(response);
    if (handled !== undefined) return await handled;
    const error = await session.readError(response, toError);
    caller ??= toCaller();
    const repair = strict || repairs === MAX_REPAIRS ? undefined : error.repair;
    repaired = applyRepair(repair, sent, caller, receipt);
    if (repaired === undefined) throw session.toCallerError(error, caller.body, response);
    (attempt.corrections ??= []).push(repaired.repair);
    sent = repaired.request;
  }
}
