/** Composes features that do nothing, and records which requests have features. */

import type { Feature, PlannedFeature, RequestFeature } from "../../src/gateway/feature.ts";

/** Takes part everywhere, and changes nothing. */
const IDLE: RequestFeature = {
  request: (body) => body,
  ready: () => undefined,
  chat: (request) => ({
    request,
    call: (call) => call,
    completion: (body) => body,
    decoder: (decoder) => decoder,
  }),
  native: { request: ({ body }) => body, answers: (answers) => answers },
  send: (request) => request,
  answer: (body) => body,
  events: () => ({ push: (event) => [event], end: () => [] }),
  end() {},
};

const IDLE_FEATURE: Feature = { name: "idle", plan: () => ({ start: () => IDLE }) };

/**
 * The features, each surrounded by features that do nothing; all are always active, so every
 * request passes through them.
 */
export function composed(features: readonly Feature[]): readonly Feature[] {
  return [IDLE_FEATURE, ...features.flatMap((feature) => [awake(feature), IDLE_FEATURE])];
}

function awake(feature: Feature): Feature {
  return planning(feature, (planned) => ({ start: (request) => planned.start(request) }));
}

/** The features, and how many of them took part in requests. */
export class CountedFeatures {
  started = 0;

  readonly of = (features: readonly Feature[]): readonly Feature[] =>
    features.map((feature) =>
      planning(feature, (planned) => ({
        ...(planned.wakes && { wakes: planned.wakes }),
        start: (request) => {
          const started = planned.start(request);
          if (started !== undefined) this.started++;
          return started;
        },
      }))
    );
}

function planning(
  feature: Feature,
  change: (planned: PlannedFeature) => PlannedFeature,
): Feature {
  return {
    name: feature.name,
    plan(model, api) {
      const planned = feature.plan(model, api);
      return planned && change(planned);
    },
  };
}
