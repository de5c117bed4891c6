/** Waiting for limits as a feature: requests wait in lines rather than being refused at once. */

import type { QueueRules } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Feature, RequestFeature } from "../../gateway/feature.ts";
import type { AdmittedRequest, LimitScope } from "../../gateway/feature_attempts.ts";
import { QueuedRequest } from "./queued_request.ts";
import { modelLine, type RequestQueues } from "./request_queues.ts";

/** Lets requests wait, where the policy of their model says so. */
export function queue(queues: RequestQueues, clock: Clock): Feature {
  return {
    name: "queue",
    plan({ alias, model, policy: { queue: rules } }) {
      if (rules === undefined || rules === "off") return undefined;
      // A pattern of an alias has any number of names, but one line.
      const line = alias ?? model;
      return { start: () => new WaitingRequest(rules, line, queues, clock) };
    },
  };
}

/** One request that may wait. */
class WaitingRequest implements RequestFeature {
  readonly #rules: QueueRules;
  readonly #model: string;
  readonly #queues: RequestQueues;
  readonly #clock: Clock;
  #queued: QueuedRequest | undefined;

  /** @param model the alias or the model that it names */
  constructor(rules: QueueRules, model: string, queues: RequestQueues, clock: Clock) {
    this.#rules = rules;
    this.#model = model;
    this.#queues = queues;
    this.#clock = clock;
  }

  admit<Result>(
    scope: LimitScope,
    request: AdmittedRequest,
    next: () => Promise<Result>,
  ): Promise<Result> {
    const input = { rules: this.#rules, model: this.#model };
    const deps = { clock: this.#clock, queues: this.#queues };
    this.#queued ??= new QueuedRequest(input, request, deps);
    return this.#queued.through(scope, next);
  }

  /** How long the request would wait at most, and how many requests wait now. */
  explain() {
    const { max_requests, max_wait } = this.#rules;
    const waiting = this.#queues.find(modelLine(this.#model))?.size ?? 0;
    return { queue: { max_wait_ms: max_wait, max_requests, waiting } };
  }
}
