/** One request to a vendor, which is sent again without what the vendor rejects. */

import type { Adapter, VendorRequest } from "../providers/contract/adapter.ts";
import { GatewayError } from "../core/errors.ts";
import type { FieldPaths } from "../chat/field_paths.ts";
import type { VendorResponse } from "../upstream/transport.ts";
import {
  applyRepair,
  type CallerRequest,
  MAX_REPAIRS,
  type RepairedRequest,
} from "./learned_rejections.ts";
import type { AttemptResult, PreparedAttempt } from "./operation.ts";
import type { OpenRequest, VendorSession } from "./vendor_session.ts";

/** A request, and how its answer is read. */
export interface RepairableRequest<Result = AttemptResult> {
  readonly request: VendorRequest;
  /** Whether the body is written in slices of time. */
  readonly isLarge: boolean;
  /** The caller's request; called after a refusal. */
  readonly caller: () => CallerRequest;
  /** As in adapters; that of the session's adapter when absent. */
  readonly toError?: Adapter["toError"];
  /** Reads a 2xx. */
  read(response: VendorResponse, session: VendorSession): Result | Promise<Result>;
  /** Handles another answer, in place of the error that it stands for; undefined if it cannot. */
  handle?(response: VendorResponse, session: VendorSession): Promise<Result> | undefined;
}

/**
 * Sends a request and reads the answer. If the vendor rejects a part, the request is sent again
 * without it at once, within the same attempt; the last rejection is kept if that request succeeds.
 */
export class RepairedExchange<Result extends object> implements OpenRequest {
  isCounted = false;
  isWaiting = false;
  readonly #parts: RepairableRequest<Result>;
  readonly #session: VendorSession;
  #sent: VendorRequest;
  #caller: CallerRequest | undefined;
  #repaired: RepairedRequest | undefined;
  #repairs = 0;

  constructor(parts: RepairableRequest<Result>, session: VendorSession) {
    this.#parts = parts;
    this.#session = session;
    this.#sent = parts.request;
  }

  /** Sends the request; {@linkcode received} must get the response. */
  send(): Promise<VendorResponse> {
    return this.#session.start(this.#sent, this.#parts.isLarge, this);
  }

  /** There is no response. */
  failed(): void {
    this.#session.failed(this);
  }

  /**
   * Takes the response.
   *
   * @returns the result; undefined if the repaired request has to be sent
   * @throws {GatewayError} the vendor's error.
   */
  received(response: VendorResponse): Result | Promise<Result | undefined> {
    const session = this.#session;
    session.received(response, this);
    if (!response.ok) return this.#refused(response);
    const result = this.#parts.read(response, session);
    if (this.#repaired === undefined) return result;
    return result instanceof Promise
      ? result.then((read) => this.#confirm(read))
      : this.#confirm(result);
  }

  #confirm(result: Result): Result {
    const { deps: { clock, state }, target } = this.#session;
    if (this.#repaired !== undefined && this.#caller !== undefined) {
      state.rejectionsOf(target).confirm(this.#repaired.repair, this.#caller, clock);
    }
    return result;
  }

  async #refused(response: VendorResponse): Promise<Result | undefined> {
    const session = this.#session;
    const handled = this.#parts.handle?.(response, session);
    if (handled !== undefined) return await handled;
    const error = await session.readError(response, this.#parts.toError);
    const caller = this.#caller ??= this.#parts.caller();
    const repair = session.strict || this.#repairs === MAX_REPAIRS ? undefined : error.repair;
    const repaired = applyRepair(repair, this.#sent, caller, session.receipt);
    if (repaired === undefined) throw session.toCallerError(error, caller.body, response);
    (session.attempt.corrections ??= []).push(repaired.repair);
    this.#repaired = repaired;
    this.#sent = repaired.request;
    this.#repairs++;
    return undefined;
  }
}

/**
 * Runs an attempt that has been prepared, as a part of another one.
 *
 * @throws {GatewayError} the vendor's error.
 */
export async function execute(
  prepared: PreparedAttempt,
  session: VendorSession,
): Promise<AttemptResult> {
  if (prepared.execute !== undefined) return await prepared.execute(session);
  const exchange = new RepairedExchange(prepared.exchange, session);
  try {
    for (;;) {
      const result = await exchange.received(await exchange.send());
      if (result !== undefined) return result;
    }
  } catch (thrown) {
    exchange.failed();
    throw located(thrown, prepared.origins);
  }
}

/** An error that names the caller's own fields. */
export function located(thrown: unknown, origins: FieldPaths | undefined): unknown {
  return origins !== undefined && thrown instanceof GatewayError ? origins.locate(thrown) : thrown;
}
