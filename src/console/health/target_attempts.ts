/** A request's attempts that are relevant to the health of their targets. */

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
  /** Its request's ID. */
  readonly request: string;
  /** Undefined for an attempt that answered. */
  readonly failure?: {
    readonly error: string;
    readonly status: number;
    /** Host, port and cause, if the vendor could not be reached. */
    readonly cause: string | undefined;
    /** The vendor's message; undefined if there is none. */
    readonly text?: string | undefined;
    /** Whether another attempt answered the request. */
    readonly isRescued: boolean;
    /** When the request ended, which locates it in the ledger. */
    readonly ended: number;
  };
  readonly firstContent?: FirstContent | undefined;
}

/**
 * The attempts of a request that count: those that answered, and target failures. Failures caused
 * by a caller are not counted against a target.
 *
 * @param records the request's attempts with the vendors' messages; none for ledger rows
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
      request,
      time: Math.min(time, arrived + ms),
      firstContent: { ms: firstMs, isStream },
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
  // The row for a request with a single attempt has no separate times for it.
  const end = Math.min(isStream ? firstTokenMs : ms, endOf(attempt));
  return { ms: Math.max(0, end - attempt.startedMs), isStream };
}

/** The vendor's message from the latest attempt at the target, ready to be shown. */
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

/** Spellings of separators: in HTML, in URLs, and in strings within JSON. */
const ENCODED: readonly (readonly [RegExp, string])[] = [
  [/&(?:#x0*3a|#0*58|colon);|%3a/gi, ":"],
  [/&(?:#x0*2f|#0*47|sol);|%2f|\\+\//gi, "/"],
  [/&(?:#x0*40|#0*64|commat);|%40/gi, "@"],
  [/&(?:#x0*2e|#0*46|period);|%2e/gi, "."],
  [/&(?:#x0*3d|#0*61|equals);|%3d/gi, "="],
  [/&(?:#x0*22|#0*34|quot);|%22|\\+"/gi, '"'],
  [/&(?:#x0*27|#0*39|apos);|%27/gi, "'"],
  [/&amp;/gi, "&"],
];

/** The last part of host names. Parameter paths, such as `tools.function.name`, end differently. */
const TOP_DOMAINS =
  "com|net|org|io|ai|dev|app|cloud|co|us|eu|uk|de|fr|nl|ch|it|es|se|pl|cn|jp|kr|in|sg|au|ca|br|ru|" +
  "info|biz|tech|gov|edu|mil|internal|intranet|local|localdomain|lan|corp|home|private|consul|svc|" +
  "arpa|onion|test|example|invalid|xn--[a-z0-9-]{2,40}";

/** The replacements, in this order. */
const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN[^]*?(?:-----END[^-]*-----|$)/g, "[secret]"],
  [/\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>)\]]+/gi, "[url]"],
  [/\barn:[\w-]+:[^\s"',;]+/gi, "[address]"],
  // A model version, such as `@20250514`, is not a host.
  [/(?:"[^"]{1,64}"|[^\s"'<>()[\],;:=]{1,64})@(?!\d{8}\b)[^\s"'<>()\],;]{1,255}/g, "[address]"],
  [
    /\b(?:authorization["']?\s*[:=]\s*["']?)?(?:bearer|basic)\s+["']?[^\s"',;]{6,}/gi,
    "[secret]",
  ],
  [
    new RegExp(
      "[\\w-]{0,40}(?:secret|passw(?:or)?d|pwd|token|credential|api[-_ ]?key|access[-_ ]?key|" +
        "authorization|cookie|signature)(?:[-_ ]?id)?[\"']?\\s*[:=]\\s*[\"']?(?!\\d+\\b)[^\\s\"',;]{3,}",
      "gi",
    ),
    "[secret]",
  ],
  [/\b(?:api[-_ ]?key|token)\b["']?\s+["']?(?=[^\s"',;]*[\d*\u2026_-])[^\s"',;]{6,}/gi, "[secret]"],
  [
    /\b(?:sk|pk|rk|gsk|csk|ghp|gho|ghs|hf|r8|pplx|nvapi|sess|glpat|xox[abp]|AKIA|ASIA|AIza|ya29|eyJ)[-_.]?[A-Za-z0-9_\-./+*\u2026]{8,}/gi,
    "[secret]",
  ],
  [/\b(?:key|org|proj|fw|tok)[-_](?=[\w-]*\d|\w{12})[\w*\u2026-]{8,}/gi, "[secret]"],
  [/(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/gi, "[secret]"],
  // Tokens without a known prefix. Model names have shorter parts.
  [
    /(?<![\w/+-])(?=[\w/+=-]*\d)(?=[\w/+=-]*[a-z])(?=[\w/+=-]*[A-Z])(?=[\w/+=-]*[A-Za-z0-9]{12})[\w/+=-]{16,}/g,
    "[secret]",
  ],
  [/(?<![\w/+-])[0-9a-fA-F]{32,}(?![\w/+-])/g, "[secret]"],
  [
    /(?<![\w:.])\[?(?:(?=[0-9a-f:]*::)[0-9a-f:]{2,45}|(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4})(?:\.\d{1,3}){0,3}(?:%[\w.-]{1,32})?\]?(?::\d{1,5})?(?![\w:])/gi,
    "[address]",
  ],
  [/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?!\.?\w)/g, "[address]"],
  [
    /(?<![\p{L}\p{N}.@-])(?:[\p{L}\p{N}_-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5}|\/[^\s"']*)/giu,
    "[address]",
  ],
  [
    new RegExp(
      `(?<![\\p{L}\\p{N}.@_-])(?:[\\p{L}\\p{N}_-]{1,63}\\.){1,8}(?:${TOP_DOMAINS})(?![\\w-]|\\.\\w)`,
      "giu",
    ),
    "[address]",
  ],
  [
    /(?<=\b(?:host|hostname|lookup|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN)[: ]\s?["']?)(?!(?:is|was|of|not|has|had|and|or|for|name|did|does|could|returned|failed)\b)[\w-][\w.-]*(?::\d{1,5})?/gi,
    "[address]",
  ],
  // A name with a digit or hyphen, and a port.
  [/(?<![\w.-])(?=[\w-]*[\d-])[a-z][\w-]{1,62}:\d{2,5}(?![\w:])/gi, "[address]"],
  [/\blocalhost(?::\d{1,5})?/gi, "[address]"],
];

/**
 * A vendor's message without secrets, addresses and URLs, truncated to 300 characters. Exported for
 * tests.
 */
export function toVendorText(message: string): string {
  let text = message.slice(0, MAX_EXAMINED).normalize("NFKC")
    .replace(/[\p{Cc}\s]+/gu, " ").replace(/\p{Cf}+/gu, "");
  for (const [pattern, word] of [...ENCODED, ...HIDDEN]) text = text.replace(pattern, word);
  text = text.trim();
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
}
