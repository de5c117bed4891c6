/** One attempt in a ledger row. */

/** A change to the request after the vendor rejected it. */
interface Correction {
  /** Paths in the vendor's request, such as `generationConfig.logprobs`, or the name of a rewrite. */
  readonly fields: readonly string[];
  /** The new name of the field; undefined if the fields were removed. */
  readonly as?: string | undefined;
}

/** One attempt of a request. Names are those in config.yaml and of the gateway's errors. */
export interface AttemptRow {
  readonly provider: string;
  /** The upstream name of the model. */
  readonly upstream: string;
  /** Milliseconds from the arrival of the request. */
  readonly startedMs: number;
  /** Its duration in milliseconds; for a stream, until its first event. */
  readonly ms: number;
  /**
   * The error kind, or `abandoned` if another target answered first; undefined for an attempt that
   * answered.
   */
  readonly error?: string | undefined;
  /** The HTTP status that callers receive for the error. */
  readonly status: number;
  /** Host, port and cause, if the vendor could not be reached. */
  readonly cause?: string | undefined;
  /** The step after a failure. */
  readonly next?: string | undefined;
  /** Why the target was not retried, if it could have been. */
  readonly reason?: string | undefined;
  /** Milliseconds that the gateway waited, or was required to wait, before the next attempt. */
  readonly waitMs?: number | undefined;
  /** True for a hedge: an attempt at a second target while the first call is pending. */
  readonly hedge?: boolean | undefined;
  /** The changes made before the request was sent again, within the same attempt. */
  readonly corrections?: readonly Correction[] | undefined;
  /** Tokens that the vendor may bill for it; undefined if it bills none. */
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  /** Parts of these tokens; undefined for none. */
  readonly cachedInput?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
  /** US dollars; undefined if the price is unknown, or if nothing is billed. */
  readonly usd?: number | undefined;
  /** The source of the tokens; undefined if nothing is billed. */
  readonly source?: UsageSource | undefined;
  /** The sizes of both bodies in bytes, for a pass-through request. */
  readonly sentBytes?: number | undefined;
  readonly receivedBytes?: number | undefined;
}

/**
 * An attempt in reports and exports.
 *
 * @param isAdmin whether the reader may see which hosts could not be reached
 */
export function toAttemptReport(
  attempt: AttemptRow,
  isAdmin: boolean,
): Readonly<Record<string, unknown>> {
  return {
    provider: attempt.provider,
    model: attempt.upstream,
    started_ms: attempt.startedMs,
    ms: attempt.ms,
    status: attempt.status,
    error: attempt.error ?? null,
    next: attempt.next ?? null,
    reason: attempt.reason ?? null,
    wait_ms: attempt.waitMs ?? null,
    input_tokens: attempt.input ?? 0,
    output_tokens: attempt.output ?? 0,
    usage_source: attempt.source ?? "none",
    cost_usd: attempt.source === undefined ? 0 : attempt.usd ?? null,
    ...(attempt.hedge && { hedge: true }),
    ...(attempt.corrections && {
      corrections: attempt.corrections.map(({ fields, as }) => ({ fields, sent_as: as ?? null })),
    }),
    ...(attempt.sentBytes !== undefined &&
      { sent_bytes: attempt.sentBytes, received_bytes: attempt.receivedBytes }),
    ...(isAdmin && { cause: attempt.cause ?? null }),
  };
}

/** The source of a row's token counts. */
export type UsageSource =
  /** The vendor reported them. */
  | "vendor"
  /** The vendor reported none; they are estimated from the text. */
  | "estimated"
  /** There was no answer, so nothing is billed. */
  | "none";
