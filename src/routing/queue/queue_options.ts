/** Whether and how a request waits for limits. */

import type { ModelPlan } from "../../gateway/plan.ts";
import type { AttemptTarget } from "../attempt_state.ts";
import type { RequestRecord } from "../request_record.ts";
import { type QueueDeps, QueuedRequest, type QueueInput } from "./queued_request.ts";

/** How a request waits, as config.yaml and its headers say. */
export type QueueOptions = Omit<QueueInput, "tokens">;

/**
 * How a request for a model waits.
 *
 * @param deadline milliseconds from its arrival
 */
export function toQueueOptions(
  { alias, model }: Pick<ModelPlan, "alias" | "model">,
  rules: QueueOptions["rules"],
  deadline: number | undefined,
  { startedAt }: RequestRecord,
): QueueOptions {
  // A pattern of an alias has any number of names, but one line.
  return { rules, model: alias ?? model, end: startedAt + (deadline ?? Infinity) };
}

/** The request in the queue. Its tokens are those of the first target. */
export function toQueued(
  options: QueueOptions,
  [first]: readonly AttemptTarget[],
  record: RequestRecord,
  deps: QueueDeps,
): QueuedRequest {
  const tokens = () => first === undefined ? 0 : record.forecast?.input(first) ?? 0;
  return new QueuedRequest({ ...options, tokens }, record, deps);
}
