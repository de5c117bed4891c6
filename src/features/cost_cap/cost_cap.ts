/**
 * The maximum cost of all attempts of a request: `x-sluice-max-cost`. A target is skipped if its
 * price is unknown, or if the request may cost more there than the remainder of the cap. If the
 * caller does not limit the output, the gateway does so.
 */

import type { Config, Target } from "../../config/config.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import type { Feature } from "../../gateway/feature.ts";
import type {
  AllowedAttempt,
  AttemptRules,
  RequestAttempts,
} from "../../gateway/feature_attempts.ts";
import { MICRO_USD, microUsdOfUnits, pricesOf, type PricesUsed } from "../../governance/cost.ts";
import { maxOutputOf } from "../../governance/reservation.ts";
import type { TokenEstimate } from "../../core/units.ts";
import type { AttemptState } from "../../gateway/attempt_state.ts";
import { usedBy } from "../../gateway/attempt_usage.ts";
import { cheapestOf } from "../../gateway/order/refused_targets.ts";

const HEADER = "x-sluice-max-cost";

/** Limits the cost of billed requests. */
export const costCap: Feature = {
  name: "cost_cap",
  plan({ config }, { callsNoModel }) {
    if (callsNoModel) return undefined;
    return {
      wakes: { headers: [HEADER] },
      start({ sent }) {
        const text = sent?.headers.get(HEADER) ?? undefined;
        if (text === undefined) return undefined;
        const microUsd = readMaxCost(text);
        return { attempts: (request) => new CostCap(microUsd, request, config) };
      },
    };
  },
};

/** In millionths of a US dollar. */
function readMaxCost(text: string): number {
  if (/^\d{1,6}(\.\d{1,9})?$/.test(text)) return Number(text) * MICRO_USD;
  throw invalidValue(HEADER, "must be a number of US dollars, such as 0.05");
}

/** One attempt's allowance. */
interface Allowance {
  /** The target, with an output limit if the gateway sets one. */
  readonly target: Target;
  /** The maximum cost of the attempt, in millionths of a US dollar. */
  readonly microUsd: number;
  /** The output limit that the gateway sets. */
  readonly maxOutput: number | undefined;
}

/** One request's cap. */
class CostCap implements AttemptRules {
  readonly overNote = "no-hedge-max-cost";
  readonly #microUsd: number;
  readonly #request: RequestAttempts;
  readonly #config: Config;
  readonly #begun: { readonly attempt: AttemptState; readonly microUsd: number }[] = [];

  constructor(microUsd: number, request: RequestAttempts, config: Config) {
    this.#microUsd = microUsd;
    this.#request = request;
    this.#config = config;
  }

  /**
   * The allowance for an attempt at a target.
   *
   * @throws {GatewayError} `over_max_price` if the request may cost too much there.
   */
  allow(target: Target): AllowedAttempt {
    const allowance = this.#find(target);
    if (allowance === undefined) {
      this.#request.notes.skip(target, "max-cost");
      throw this.#refusal(target);
    }
    const { maxOutput, microUsd } = allowance;
    return {
      target: allowance.target,
      begin: (attempt) => void this.#begun.push({ attempt, microUsd }),
      note(changes) {
        if (maxOutput !== undefined) changes.convert("max_tokens", "unlimited", maxOutput);
      },
    };
  }

  /**
   * Whether a target may be called while another call is pending: both together must stay within
   * the cap without an output limit set by the gateway.
   *
   * @param open the other target, if its attempt has not begun
   */
  allowsBeside(target: Target, open?: Target): boolean {
    const reserved = open === undefined ? 0 : this.#find(open)?.microUsd ?? Infinity;
    const allowance = this.#find(target, this.#left() - reserved);
    return allowance !== undefined && allowance.maxOutput === undefined;
  }

  #find(target: Target, left = this.#left()): Allowance | undefined {
    const { tier } = this.#request;
    const estimate = this.#request.estimateFor(target);
    const prices = inputPrices(target, estimate, tier);
    if (prices === undefined) return undefined;
    const { choices = 1, input, maxOutput, units = {} } = estimate;
    const most = maxOutputOf(target, estimate);
    const others = microUsdOfUnits(units, prices);
    if (others === undefined && input * prices.input + most * prices.output === 0) return undefined;
    const inputCost = input * prices.input + (others ?? 0);
    const microUsd = inputCost + most * prices.output;
    if (microUsd <= left) return { target, microUsd, maxOutput: undefined };
    if (maxOutput !== undefined || prices.output === 0) return undefined;
    const each = Math.floor((left - inputCost) / prices.output / choices);
    if (each < 1) return undefined;
    return {
      target: withMaxOutput(target, each),
      microUsd: inputCost + each * choices * prices.output,
      maxOutput: each,
    };
  }

  /**
   * The remainder of the cap, in millionths of a US dollar. An open attempt counts at its maximum
   * cost.
   */
  #left(): number {
    return this.#begun.reduce(
      (left, { attempt, microUsd }) => left - this.#spentBy(attempt, microUsd),
      this.#microUsd,
    );
  }

  /** Usage that the vendor does not report is counted at the full allowance. */
  #spentBy(attempt: AttemptState, allowed: number): number {
    if (!attempt.hasEnded) return allowed;
    const used = usedBy(attempt, this.#request.estimates);
    if (used.source === "vendor") return used.microUsd ?? allowed;
    return attempt.sentAt === undefined ? 0 : allowed;
  }

  #refusal(target: Target): GatewayError {
    const name = `'${target.model.id}' of '${target.provider.settings.id}'`;
    const isKnown = target.model.facts.prices !== undefined;
    const problem = isKnown
      ? `may cost more than what remains of ${this.#microUsd / MICRO_USD} USD`
      : "has no known price";
    const { first, key } = this.#request;
    const fits = (other: Target) => this.#find(other) !== undefined;
    const fitting = cheapestOf(fits, first, key, this.#config);
    const hint = fitting === undefined ? "it fits no model" : `it fits '${fitting}'`;
    const message = `The request is capped by '${HEADER}', and ${name} ${problem}; ${hint}`;
    return new GatewayError("over_max_price", message, { param: HEADER });
  }
}

/** The prices that apply to a prompt of this length. */
function inputPrices(
  target: Target,
  { input }: TokenEstimate,
  tier: string | undefined,
): PricesUsed | undefined {
  const usage = { prompt_tokens: input, completion_tokens: 0, total_tokens: input };
  return pricesOf({ usage, prices: target.model.facts.prices, tier });
}

/** The same target with an output limit, as a default that the caller has not set. */
function withMaxOutput(target: Target, maxOutput: number): Target {
  const { max_completion_tokens: _, ...params } = target.params ?? {};
  return { ...target, params: { ...params, max_tokens: maxOutput } };
}
