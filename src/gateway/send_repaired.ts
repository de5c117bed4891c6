/** Sends a request to a vendor, and sends it again without rejected fields if necessary. */

import { GatewayError } from "../core/errors.ts";
import type { FieldPaths } from "../apis/chat/field_paths.ts";
import type { VendorResponse } from "../upstream/transport.ts";
import {
  applyRepair,
  type CallerRequest,
  MAX_REPAIRS,
  RejectedFields,
  type RepairedRequest,
} from "./rejected_fields.ts";
import type { AttemptResult, PreparedAttempt, RepairableRequest } from "./operation.ts";
import type { OpenRequest, VendorSession } from "./vendor_session.ts";
import type { VendorRequest } from "../contract/vendor_request.ts";

/**
 * Repairs a request that the vendor has rejected: it is sent again at once without the rejected
 * part, within the same attempt; the last rejection is stored if that request succeeds.
 */
export class Repairs<Result> {
  readonly #parts: RepairableRequest<Result>;
  readonly #session: VendorSession;
  readonly #caller: CallerRequest;
  #repaired: RepairedRequest | undefined;
  #count = 0;

  constructor(parts: RepairableRequest<Result>, session: VendorSession) {
    this.#parts = parts;
    this.#session = session;
    this.#caller = parts.caller();
  }

  /** The request to send. */
  get request(): VendorRequest {
    return this.#repaired?.request ?? this.#parts.request;
  }

  /** Called when the repaired request has been answered. */
  confirm(result: Result): Result {
    const { deps: { clock, state }, target } = this.#session;
    if (this.#repaired !== undefined) {
      const known = state.targetOf(target);
      known.rejections ??= new RejectedFields();
      known.rejections.confirm(this.#repaired.repair, this.#caller, clock);
    }
    return result;
  }

  /** @throws {GatewayError} the vendor's error, unless the request can be repaired. */
  async refused(response: VendorResponse): Promise<undefined> {
    const session = this.#session;
    const error = await session.readError(response, this.#parts.toError);
    const repair = session.strict || this.#count === MAX_REPAIRS ? undefined : error.repair;
    const repaired = applyRepair(repair, this.request, this.#caller, session.changes);
    if (repaired === undefined) throw session.toCallerError(error, this.#caller.body, response);
    (session.attempt.corrections ??= []).push(repaired.repair);
    this.#repaired = repaired;
    this.#count++;
  }
}

/** A request that is sent until there is a result. */
export interface Exchange<Result> extends OpenRequest {
  repairs: Repairs<Result> | undefined;
}

/**
 * Handles the response to an exchange's request.
 *
 * @returns the result; undefined if a repaired request must be sent
 * @throws {GatewayError} the vendor's error.
 */
export function receive<Result>(
  exchange: Exchange<Result>,
  parts: RepairableRequest<Result>,
  session: VendorSession,
  response: VendorResponse,
): Result | Promise<Result | undefined> {
  session.arrived(response, exchange);
  if (!response.ok) {
    return parts.handle?.(response, session) ??
      (exchange.repairs ??= new Repairs(parts, session)).refused(response);
  }
  const result = parts.read(response, session);
  const { repairs } = exchange;
  if (repairs === undefined) return result;
  return result instanceof Promise
    ? result.then((read) => repairs.confirm(read))
    : repairs.confirm(result);
}

/**
 * Runs a prepared attempt as part of another one.
 *
 * @throws {GatewayError} the vendor's error.
 */
export async function execute(
  prepared: PreparedAttempt,
  session: VendorSession,
): Promise<AttemptResult> {
  if (prepared.execute !== undefined) return await prepared.execute(session);
  const parts = prepared.exchange;
  const exchange: Exchange<AttemptResult> = {
    repairs: undefined,
    isCounted: false,
    isWaiting: false,
  };
  try {
    for (;;) {
      const request = exchange.repairs?.request ?? parts.request;
      const response = await session.start(request, parts.isLarge, exchange);
      const result = await receive(exchange, parts, session, response);
      if (result !== undefined) return result;
    }
  } catch (thrown) {
    const error = session.abandon(exchange, thrown, parts.request.url);
    throw located(error, prepared.origins);
  }
}

/** An error that names the caller's fields. */
export function located(thrown: unknown, origins: FieldPaths | undefined): unknown {
  return origins !== undefined && thrown instanceof GatewayError ? origins.locate(thrown) : thrown;
}
