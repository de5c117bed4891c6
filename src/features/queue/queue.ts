/** The queue feature: requests wait for limits instead of being refused at once. */

import type { Feature, RequestFeature } from "../../gateway/feature.ts";
import type { AdmittedRequest, LimitScope } from "../../gateway/feature_attempts.ts";
import { type QueueDeps, QueuedRequest, type QueueInput } from "./queued_request.ts";
import { modelLine } from "./waiting_line.ts";

/** Queues requests, if their model's policy enables it. */
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

/** A request that may wait. */
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

  /** The request's maximum wait, and the number of waiting requests. */
  explain() {
    const { model, rules: { max_requests, max_wait } } = this.#input;
    const waiting = this.#deps.queues.find(modelLine(model))?.size ?? 0;
    return { queue: { max_wait_ms: max_wait, max_requests, waiting } };
  }
}
