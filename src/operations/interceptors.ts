/** All interceptors: a new one is added here. */

import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { Interceptor } from "../interceptors/contract.ts";
import { promptCaching } from "../prompt_caching/interceptor.ts";
import type { StateCarrier } from "../reasoning_state/carrier.ts";
import { reasoningState } from "../reasoning_state/interceptor.ts";

/** What interceptors are made of. */
export interface InterceptorDeps {
  readonly reasoning: StateCarrier;
  readonly clock: Clock;
}

/** The interceptors of one thread. A request passes them in this order, its answer in reverse. */
export function createInterceptors(
  { reasoning, clock }: InterceptorDeps,
): readonly Interceptor<Config>[] {
  return [
    reasoningState(reasoning),
    promptCaching(clock),
  ];
}
