/**
 * Values of metrics: the bucket boundaries of histograms in seconds, the sources of gauges, classes
 * of errors, and bounded labels.
 */

import type { BreakerGauge, RejectionGauge, TargetGauge } from "../gateway/state.ts";
import { ERROR_KINDS, type ErrorKind, type FailureClass } from "../core/errors.ts";
import type { RequestRecord } from "../gateway/request_record.ts";
import type { AttemptRecord, AttemptState } from "../gateway/attempt_state.ts";
import type { ServiceKey } from "../config/keys.ts";
import type { BudgetState } from "../core/budget_period.ts";

/** Returns the spent share of a key's budget; undefined if unknown. */
export type BudgetSource = (key: ServiceKey) => BudgetState | undefined;

/** The duration of a request or an attempt: long reasoning can take many minutes. */
export const DURATION_BUCKETS = [
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  20,
  30,
  60,
  120,
  300,
  600,
  1800,
];
/** The time to an answer's first token. */
export const TTFT_BUCKETS = [
  0.05,
  0.1,
  0.2,
  0.3,
  0.5,
  0.75,
  1,
  1.5,
  2,
  3,
  5,
  10,
  20,
  30,
  60,
  120,
  300,
];
/** The time between two events of a stream. */
export const GAP_BUCKETS = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.02,
  0.03,
  0.05,
  0.075,
  0.1,
  0.15,
  0.25,
  0.5,
  1,
  5,
  30,
];
/** The gateway's overhead. */
export const OVERHEAD_BUCKETS = [
  0.0001,
  0.00025,
  0.0005,
  0.001,
  0.002,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.5,
  1,
];

/** Reads the current values. */
export interface GaugeSources {
  /** The number of open requests. */
  readonly inFlight: () => number;
  /** The number of requests waiting for limits. */
  readonly queued: () => number;
  /** Whether the current configuration differs from the file. */
  readonly stale: () => boolean;
  readonly breakers: () => Iterable<BreakerGauge>;
  readonly rejections: () => Iterable<RejectionGauge>;
  readonly budgetOf: BudgetSource;
  readonly targets: () => Iterable<TargetGauge>;
}

/**
 * The class of an error, which shows who can fix it: a failure class of fallback chains for target
 * failures, `limit` for limits and budgets of the gateway, `client_gone` for a client that
 * disconnected, `request` for other faults in a request, and `gateway` for faults of the gateway
 * itself.
 */
type ErrorClass = FailureClass | "limit" | "client_gone" | "request" | "gateway";

/** The kinds of limits that the gateway enforces. */
const LIMITS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "limit_exceeded",
  "model_limit_exceeded",
  "budget_exceeded",
  "price_unknown",
  "over_max_price",
  "too_many_tokens",
]);

/** Returns the class of a request's failure; empty if it did not fail. */
export function errorClassOf(
  { error, outcome }: Pick<RequestRecord, "error" | "outcome">,
): ErrorClass | "" {
  if (outcome === "client_gone") return "client_gone";
  return error === undefined ? "" : toClass(error.kind);
}

function toClass(kind: ErrorKind): ErrorClass {
  if (LIMITS.has(kind)) return "limit";
  if (kind === "client_gone") return kind;
  const { failureClass, status } = ERROR_KINDS[kind];
  return failureClass ?? (status < 500 ? "request" : "gateway");
}

/** The consecutive attempts. */
export function inSequence({ attemptRecords, hedge }: RequestRecord): readonly AttemptRecord[] {
  if (hedge === undefined) return attemptRecords;
  return attemptRecords.filter(({ isHedge, outcome }) => !isHedge && outcome !== "abandoned");
}

/** A second target, and whether it answered first. */
interface Hedge {
  readonly attempt: AttemptState;
  readonly outcome: "won" | "lost" | "failed";
}

/** A request's second target, if one was called. */
export function hedgeOf({ attempt, endedAttempts, hedge }: RequestRecord): Hedge | undefined {
  const second = hedge && endedAttempts.find(({ isHedge }) => isHedge);
  if (second === undefined) return undefined;
  if (!attempt?.hasAnswered) return { attempt: second, outcome: "failed" };
  return { attempt: second, outcome: attempt === second ? "won" : "lost" };
}

/** The maximum number of model labels per provider. */
const MAX_MODELS = 1000;

/** The label for all other models. */
const OTHER = "other";

/** Limits the number of model names per provider. */
export class ModelLabels {
  readonly #known = new Map<string, Set<string>>();

  /** The name itself, unless the provider's labels are exhausted. */
  of(provider: string, model: string): string {
    let models = this.#known.get(provider);
    if (models === undefined) this.#known.set(provider, models = new Set());
    if (models.has(model)) return model;
    if (models.size >= MAX_MODELS) return OTHER;
    models.add(model);
    return model;
  }
}
