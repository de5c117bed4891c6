/** Calls the targets of a request, and waits for limits if allowed. */

import type { AdmittedRequest } from "./feature_attempts.ts";
import { Failover, type Taker, type TargetsRequest } from "./failover.ts";
import type { RequestLimits } from "./request_limits.ts";

/**
 * Admits the request to the limits of its key, and calls its targets.
 *
 * @throws {GatewayError} the error of the last target, or that of a limit.
 */
export function askTargets<Result, Request extends TargetsRequest>(
  request: Request,
  taker: Taker<Result, Request>,
): Promise<Result> {
  const { chain, limits, record: { features } } = request;
  if (features.mayWait) return askWaiting(request, taker);
  let admitting: ReturnType<RequestLimits["admit"]>;
  try {
    admitting = limits.admit(chain);
  } catch (thrown) {
    taker.onFailure?.(request);
    throw thrown;
  }
  const failover = new Failover(request, taker, features);
  return admitting === undefined
    ? failover.run()
    : admitting.then(() => failover.run(), (thrown) => {
      taker.onFailure?.(request);
      throw thrown;
    });
}

/** Does the same for a request that features may queue for limits. */
async function askWaiting<Result, Request extends TargetsRequest>(
  request: Request,
  { take, onFailure }: Taker<Result, Request>,
): Promise<Result> {
  const { chain, limits, options, record } = request;
  const { features } = record;
  const admitted = toAdmitted(request);
  const admit = () => features.admit("key", admitted, async () => await limits.admit(chain));
  try {
    await admit();
    return await features.admit("model", admitted, async () => {
      // A request that a limit of its models refused is admitted again after the wait.
      if (!limits.isAdmitted) await admit();
      const waits = { ...options, waitsInQueue: true };
      const failover = new Failover({ ...request, options: waits }, { take }, features);
      try {
        return await failover.run();
      } finally {
        admitted.vendorWait = failover.vendorWait;
      }
    });
  } catch (thrown) {
    // A failure is final only after the wait has failed too.
    onFailure?.(request);
    throw thrown;
  }
}

function toAdmitted(
  { chain: [first], deps: { shutdown }, options: { deadline = Infinity }, record }: TargetsRequest,
): AdmittedRequest & { vendorWait: number } {
  return {
    record,
    shutdown,
    end: record.startedAt + deadline,
    vendorWait: Infinity,
    inputTokens: () => first === undefined ? 0 : record.forecast?.input(first.target) ?? 0,
  };
}
