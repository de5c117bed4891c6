/** Asks the targets of a request, and waits for limits if it may. */

import type { FallbackTarget, HedgeRule } from "../config/config.ts";
import type { Answer } from "./attempt.ts";
import type { CostCap } from "./cost_cap.ts";
import { Failover, type PathDeps } from "./failover.ts";
import { Hedger } from "./hedging/hedger.ts";
import type { Operation } from "./operation.ts";
import { type QueueOptions, toQueued } from "./queue/queue_options.ts";
import type { RequestLimits } from "./request_limits.ts";
import type { RequestOptions } from "./request_options.ts";
import type { RequestRecord } from "./request_record.ts";

/** The options of an answer. */
export interface AnswerOptions extends RequestOptions {
  readonly queue?: QueueOptions | undefined;
  /** How a second target may be asked; undefined if it may not. */
  readonly hedge?: HedgeRule | undefined;
}

/** What the targets of a request are asked with. */
interface AskContext {
  readonly cap: CostCap | undefined;
  readonly limits: RequestLimits;
  readonly record: RequestRecord;
  readonly deps: PathDeps;
}

/**
 * Admits the request to the limits of its key, and asks its targets.
 *
 * @throws {GatewayError} the error of the last target, or that of a limit.
 */
export function askTargets(
  operation: Operation,
  chain: readonly FallbackTarget[],
  options: AnswerOptions,
  context: AskContext,
): Promise<Answer> {
  const { cap, limits, record, deps } = context;
  if (options.queue !== undefined) {
    return askQueued(operation, chain, options, options.queue, context);
  }
  const admitting = limits.admit(chain);
  const hedger = options.hedge && toHedger(options, context);
  const failover = new Failover(operation, options, record, deps, limits, cap, hedger);
  return admitting === undefined ? failover.run(chain) : admitting.then(() => failover.run(chain));
}

function toHedger({ hedge }: AnswerOptions, context: AskContext): Hedger | undefined {
  return hedge && new Hedger({ rule: hedge, ...context }, context.deps);
}

async function askQueued(
  operation: Operation,
  chain: readonly FallbackTarget[],
  options: AnswerOptions,
  queue: QueueOptions,
  context: AskContext,
): Promise<Answer> {
  const { cap, limits, record, deps } = context;
  const hedger = toHedger(options, context);
  const targets = chain.map(({ target }) => target);
  const queued = toQueued(queue, targets, record, deps);
  const admit = () => queued.through("key", async () => await limits.admit(chain));
  await admit();
  return await queued.through("model", async () => {
    // A request that a limit of its models refused is admitted again after the wait.
    if (!limits.isAdmitted) await admit();
    const waits = { ...options, waitsInQueue: true };
    const failover = new Failover(operation, waits, record, deps, limits, cap, hedger);
    return await failover.run(chain).finally(() => queued.learnVendorWait(failover.vendorWait));
  });
}
