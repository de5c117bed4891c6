/** Waiting for limits as a feature: requests wait in lines rather than being refused at once. */

import type { Feature, RequestFeature } from "../../gateway/feature.ts";
import type { AdmittedRequest, LimitScope } from "../../gateway/feature_attempts.ts";
import { type QueueDeps, QueuedRequest, type QueueInput } from "./queued_request.ts";
import { modelLine } from "./waiting_line.ts";

/** Lets requests wait, where the policy of their model says so. */
export function queue(deps: QueueDeps): Feature {
  return {
    name: "queue",
    plan({ configuredName: model, policy: { queue: rules } }) {
      if (rules === undefined || rules === "off") return undefined;
      const input = { rules, model };
      return { start: () => new WaitingRequest(input, deps) };
    },
  };
}

/** One request that may wait. */
class WaitingRequest implements RequestFeature {
  readonly #input: QueueInput;
  readonly #deps: QueueDeps;
  #queued: QueuedRequest | undefined;

  constructor(input: QueueInput, deps: QueueDeps) {
    this.#input = input;
    this.#deps = deps;
  }

  admit<Result>(
    scope: LimitScope,
    request: AdmittedRequest,
    next: () => Promise<Result>,
  ): Promise<Result> {
    this.#queued ??= new QueuedRequest(this.#input, request, this.#deps);
    return this.#queued.through(scope, next);
  }

  /** How long the request would wait at most, and how many requests wait now. */
  explain() {
    const { model, rules: { max_requests, max_wait } } = this.#input;
    const waiting = this.#deps.queues.find(modelLine(model))?.size ?? 0;
    return { queue: { max_wait_ms: max_wait, max_requests, waiting } };
  }
}
