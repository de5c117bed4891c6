/** Whether and how a request waits for limits. */

import type { Config } from "../../config/config.ts";
import type { AttemptTarget } from "../attempt_state.ts";
import type { RequestRecord } from "../request_record.ts";
import { type QueueDeps, QueuedRequest, type QueueInput } from "./queued_request.ts";

/** How a request waits, as config.yaml and its headers say. */
export type QueueOptions = Omit<QueueInput, "tokens">;

/**
 * How a request for a model waits; undefined if it does not.
 *
 * @param deadline milliseconds from its arrival
 */
export function toQueueOptions(
  model: string,
  deadline: number | undefined,
  config: Config,
  { startedAt }: RequestRecord,
): QueueOptions | undefined {
  const rules = config.route(model)?.policy.queue;
  if (rules === undefined || rules === "off") return undefined;
  // A pattern of an alias has any number of names, but one line.
  return { rules, model: config.aliasOf(model) ?? model, end: startedAt + (deadline ?? Infinity) };
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
