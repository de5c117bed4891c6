/**
 * The maximum cost of all attempts of a request: `x-sluice-max-cost`. A target whose price is
 * unknown, or at which the request may cost more than is left, is skipped. If the caller does not
 * limit the output, the gateway does.
 */

import type { Target } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import {
  MICRO_USD,
  microUsdOfUnits,
  pricesOf as pricesFor,
  type PricesUsed,
} from "../governance/cost.ts";
import { maxOutputOf, type TokenEstimate } from "../governance/reservation.ts";
import type { Receipt } from "../providers/contract/receipt.ts";
import type { AttemptState } from "./attempt_state.ts";
import { type EstimateInput, usedBy } from "./attempt_usage.ts";
import { pricesOf } from "./order/prices.ts";
import type { RouteNotes } from "./order/route_notes.ts";

/** What one attempt may use. */
export interface Allowance {
  /** The target, with a limit of the output if the gateway sets one. */
  readonly target: Target;
  /** The maximum cost of the attempt, in millionths of a US dollar. */
  readonly microUsd: number;
  /** The limit of the output that the gateway sets. */
  readonly maxOutput: number | undefined;
}

/** The inputs of a cap. */
export interface CostInput {
  readonly microUsd: number;
  readonly estimateFor: (target: Target) => TokenEstimate;
  /** The service tier that the caller requests. */
  readonly tier: string | undefined;
  /** For the usage of attempts whose vendor reports none. */
  readonly estimates: EstimateInput;
  /** A model at which the request may fit; for the error. */
  readonly findFitting: (fits: (target: Target) => boolean) => string | undefined;
  readonly notes: RouteNotes;
}

/** The budget of one request. */
export class CostCap {
  readonly #input: CostInput;
  readonly #begun: { readonly attempt: AttemptState; readonly microUsd: number }[] = [];

  constructor(input: CostInput) {
    this.#input = input;
  }

  /**
   * The allowance of an attempt at a target.
   *
   * @throws {GatewayError} `over_max_price` if the request may cost too much there.
   */
  allow(target: Target): Allowance {
    const allowance = this.#find(target);
    if (allowance !== undefined) return allowance;
    this.#input.notes.skip(target, "max-cost");
    throw this.#refusal(target);
  }

  /**
   * Whether a target may be asked while another one is still asked: both together stay within the
   * cap, without a limit of the output by the gateway.
   *
   * @param open the other target, if its attempt has not begun
   */
  allowsBeside(target: Target, open?: Target): boolean {
    const reserved = open === undefined ? 0 : this.#find(open)?.microUsd ?? Infinity;
    const allowance = this.#find(target, this.#left() - reserved);
    return allowance !== undefined && allowance.maxOutput === undefined;
  }

  /** An attempt begins with an allowance. Its receipt gets the limit of the output. */
  begin(attempt: AttemptState, { microUsd, maxOutput }: Allowance): void {
    this.#begun.push({ attempt, microUsd });
    noteLimit(attempt.receipt, maxOutput);
  }

  #find(target: Target, left = this.#left()): Allowance | undefined {
    const { estimateFor, tier } = this.#input;
    const estimate = estimateFor(target);
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

  /** The rest in millionths of a US dollar. An open attempt counts at its maximum cost. */
  #left(): number {
    return this.#begun.reduce(
      (left, { attempt, microUsd }) => left - this.#spentBy(attempt, microUsd),
      this.#input.microUsd,
    );
  }

  /** Usage that the vendor does not report is counted at the full allowance. */
  #spentBy(attempt: AttemptState, allowed: number): number {
    if (!attempt.hasEnded) return allowed;
    const used = usedBy(attempt, this.#input.estimates);
    if (used.source === "vendor") return used.microUsd ?? allowed;
    return attempt.sentAt === undefined ? 0 : allowed;
  }

  #refusal(target: Target): GatewayError {
    const name = `'${target.model.id}' of '${target.provider.settings.id}'`;
    const isKnown = pricesOf(target) !== undefined;
    const problem = isKnown
      ? `may cost more than is left of ${this.#input.microUsd / MICRO_USD} USD`
      : "has no known price";
    const fitting = this.#input.findFitting((other) => this.#find(other) !== undefined);
    const hint = fitting === undefined ? "it fits no model" : `it fits '${fitting}'`;
    const message = `The request is capped by 'x-sluice-max-cost', and ${name} ${problem}; ${hint}`;
    return new GatewayError("over_max_price", message, { param: "x-sluice-max-cost" });
  }
}

/** Notes the limit of the output that the gateway sets. */
export function noteLimit(receipt: Receipt, maxOutput: number | undefined): void {
  if (maxOutput !== undefined) receipt.convert("max_tokens", "unlimited", maxOutput);
}

/** The prices for a prompt of this length. */
function inputPrices(
  target: Target,
  { input }: TokenEstimate,
  tier: string | undefined,
): PricesUsed | undefined {
  const usage = { prompt_tokens: input, completion_tokens: 0, total_tokens: input };
  return pricesFor({ usage, prices: pricesOf(target), tier });
}

/** The same target with a limit of the output, as a default that the caller has not set. */
function withMaxOutput(target: Target, maxOutput: number): Target {
  const { max_completion_tokens: _, ...params } = target.params ?? {};
  return { ...target, params: { ...params, max_tokens: maxOutput } };
}
