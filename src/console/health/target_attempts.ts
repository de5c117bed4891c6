/** The attempts of a request that are relevant to the health of their targets. */

import { attemptsOf, isTargetFailure } from "../../governance/ledger/attempts.ts";
import type { AttemptRow } from "../../governance/ledger/attempt_row.ts";
import type { LedgerRow } from "../../governance/ledger/row.ts";
import { toName } from "../../governance/ledger/summary.ts";
import type { AttemptRecord } from "../../gateway/attempt_state.ts";

/** The time until a target answered; for a stream, until its first content. */
export interface FirstContent {
  readonly ms: number;
  readonly isStream: boolean;
}

/** One attempt at a target. It can be sent between threads. */
export interface TargetAttempt {
  readonly provider: string;
  /** The upstream name, as in reports. */
  readonly upstream: string;
  /** When it ended, in milliseconds since the Unix epoch. */
  readonly time: number;
  /** The ID of its request. */
  readonly request: string;
  /** Undefined for an attempt that answered. */
  readonly failure?: {
    readonly error: string;
    readonly status: number;
    /** Host, port and cause, if the vendor was not reached. */
    readonly cause: string | undefined;
    /** The vendor's message; undefined if there is none. */
    readonly text?: string | undefined;
    /** Whether another attempt answered the request after all. */
    readonly isRescued: boolean;
    /** When the request ended, by which it is found in the ledger. */
    readonly ended: number;
  };
  readonly firstContent?: FirstContent | undefined;
}

/**
 * The attempts of a request that count: those that answered, and failures of the target. Failures
 * that a caller caused are not relevant to a target.
 *
 * @param records the attempts of the request with the vendors' messages; none for rows of the
 * ledger
 */
export function targetAttemptsOf(
  row: LedgerRow,
  records: readonly AttemptRecord[] = [],
): readonly TargetAttempt[] {
  const arrived = row.time - row.ms;
  const isRescued = row.status < 400 && row.error === undefined;
  if (isRescued && row.attemptRows === undefined && row.attempts > 0) {
    // The common case: the only attempt answered.
    const { firstTokenMs, id: request, ms, provider = "", time, upstream = "" } = row;
    const isStream = firstTokenMs !== undefined;
    const firstMs = Math.max(0, isStream ? Math.min(firstTokenMs, ms) : ms);
    return [{
      provider: toName(provider),
      upstream: toName(upstream),
      ...{ request, time: Math.min(time, arrived + ms), firstContent: { ms: firstMs, isStream } },
    }];
  }
  const attempts = attemptsOf(row);
  return attempts.flatMap((attempt, index) => {
    const hasFailed = isTargetFailure(attempt);
    if (!hasFailed && (attempt.error !== undefined || attempt.status >= 400)) return [];
    const isLast = index === attempts.length - 1;
    const shared = {
      provider: toName(attempt.provider),
      upstream: toName(attempt.upstream),
      request: row.id,
      // A stream that breaks after its first event fails at the end of the request.
      time: isLast && hasFailed ? row.time : Math.min(row.time, arrived + endOf(attempt)),
    };
    if (!hasFailed) return { ...shared, firstContent: firstContentOf(attempt, row) };
    const { error, status, cause } = attempt;
    return {
      ...shared,
      failure: {
        ...{ error: error ?? String(status), status, cause, isRescued, ended: row.time },
        text: textOf(attempt, records),
      },
    };
  });
}

function endOf({ startedMs, ms }: AttemptRow): number {
  return startedMs + ms;
}

function firstContentOf(attempt: AttemptRow, { firstTokenMs, ms }: LedgerRow): FirstContent {
  const isStream = firstTokenMs !== undefined;
  // The row of a request with one attempt has no times per attempt.
  const end = Math.min(isStream ? firstTokenMs : ms, endOf(attempt));
  return { ms: Math.max(0, end - attempt.startedMs), isStream };
}

/** The vendor's message of the latest attempt at the target, ready to be shown. */
function textOf(
  { provider, upstream }: AttemptRow,
  records: readonly AttemptRecord[],
): string | undefined {
  const record = records.findLast((one) =>
    one.message !== undefined && one.provider.startsWith(provider) &&
    one.upstream.startsWith(upstream)
  );
  return record?.message === undefined ? undefined : toVendorText(record.message);
}

/** The maximum length of a text, in UTF-16 units. */
const MAX_CHARS = 300;

/**
 * Text beyond this is not examined: removing secrets may shorten a text, but rarely by this much.
 */
const MAX_EXAMINED = 1000;

/** The replacements, in this order. */
const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>)\]]+/gi, "[url]"],
  [/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g, "[address]"],
  [
    /\b(?:bearer|basic|api[-_ ]?key|token|authorization)\b["']?\s*[:= ]\s*["']?[^\s"',;]{6,}/gi,
    "[secret]",
  ],
  [
    /\b(?:sk|pk|rk|key|ghp|gho|xox[abp]|AKIA|AIza|ya29|eyJ)[-_.]?[A-Za-z0-9_\-./+*\u2026]{8,}/g,
    "[secret]",
  ],
  // Tokens without a known prefix. Names of models have no capitals, or are shorter.
  [/(?<![\w/+-])(?=[\w/+=-]*\d)(?=[\w/+=-]*[a-z])(?=[\w/+=-]*[A-Z])[\w/+=-]{20,}/g, "[secret]"],
  [/(?<![\w/+-])[0-9a-fA-F]{32,}(?![\w/+-])/g, "[secret]"],
  [/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])/g, "[address]"],
  [/(?<![\w:])\[?(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\]?(?::\d{1,5})?(?![\w:])/gi, "[address]"],
  [/(?<![\w.@-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5}|\/[^\s"']*)/gi, "[address]"],
  [/\blocalhost(?::\d{1,5})?/gi, "[address]"],
];

/** A vendor's message without secrets, addresses and URLs, truncated to 300 characters. */
function toVendorText(message: string): string {
  let text = message.slice(0, MAX_EXAMINED);
  for (const [pattern, word] of HIDDEN) text = text.replace(pattern, word);
  text = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
}
