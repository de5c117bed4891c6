/** Hedging as a feature: a second target is asked if the first one takes too long. */

import type { FallbackTarget, HedgeRule, Target } from "../../config/config.ts";
import type { CallerRequest, Feature, RequestFeature } from "../../gateway/feature.ts";
import type { AttemptRules, TargetAnswer, TargetAsking } from "../../gateway/feature_attempts.ts";
import { explainHedge, none } from "./explain_hedge.ts";
import { Hedger, type HedgerDeps } from "./hedger.ts";
import { mayHedge } from "./may_hedge.ts";

/** Hedges requests, where the policy of their model says so. */
export function hedging(deps: HedgerDeps): Feature {
  return {
    name: "hedging",
    plan({ policy: { hedge: rule } }, { copies }) {
      if (rule === undefined) return undefined;
      return {
        start: (request) =>
          copies !== undefined && mayHedge(request.body, copies === "unless_stored")
            ? new HedgedRequest(rule, request, deps)
            : { explain: () => ({ hedge: none("stateful_request") }) },
      };
    },
  };
}

/** One request that may be hedged. */
class HedgedRequest implements RequestFeature {
  readonly #rule: HedgeRule;
  readonly #request: CallerRequest;
  readonly #deps: HedgerDeps;
  #hedger: Hedger | undefined;

  constructor(rule: HedgeRule, request: CallerRequest, deps: HedgerDeps) {
    this.#rule = rule;
    this.#request = request;
    this.#deps = deps;
  }

  target<Answer extends TargetAnswer>(
    target: Target,
    asking: TargetAsking<Answer>,
  ): Promise<Answer> {
    this.#hedger ??= new Hedger(this.#rule, asking, this.#deps);
    return this.#hedger.ask(target, asking);
  }

  explain(chain: readonly FallbackTarget[], rules: AttemptRules | undefined) {
    return { hedge: explainHedge(this.#rule, this.#request, chain, { ...this.#deps, rules }) };
  }
}
