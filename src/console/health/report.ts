/** Target health as reported by the API. */

import type { HealthHistory, HealthReport, VendorText } from "./health_board.ts";
import { targetName } from "../recent_attempts.ts";
import { type TargetReport, THRESHOLDS } from "./target_health.ts";

/** A report, with its targets by name. */
export interface KnownHealth {
  readonly byTarget: ReadonlyMap<string, TargetReport>;
  readonly texts: readonly VendorText[];
}

/** Indexes a report. */
export function toKnownHealth({ targets, texts }: HealthReport): KnownHealth {
  return { byTarget: new Map(targets.map((target) => [nameOf(target), target])), texts };
}

/** One target's health, as shown to a service key: nothing about other keys' requests. */
export function toKeyHealth({ state, since }: TargetReport) {
  return { state, since: toTime(since) };
}

/** One target's health with the evidence for it, for admins. */
export function toAdminHealth(
  target: TargetReport,
  texts: readonly VendorText[],
) {
  const { day, firstContent, incident, last, lastAttempt, lastFailure, recent } = target;
  return {
    ...toKeyHealth(target),
    recent,
    day,
    last,
    incident: incident === undefined ? null : {
      since: toTime(incident.since),
      attempts: incident.attempts,
      failures: incident.failures,
      rescued: incident.rescued,
    },
    last_attempt: toTime(lastAttempt),
    last_failure: lastFailure === undefined ? null : {
      request: lastFailure.request,
      time: toTime(lastFailure.time),
      request_time: toTime(lastFailure.ended),
      error: lastFailure.error,
      status: lastFailure.status,
      cause: lastFailure.cause ?? null,
      vendor_text: textOf(target, texts)?.text ?? null,
    },
    first_content_ms: firstContent?.recent ?? null,
    usual_first_content_ms: firstContent?.usual ?? null,
  };
}

/** The answer of `GET /v1/admin/health`. */
export function toHealthAnswer(
  { isReading, since, targets, texts }: HealthReport,
  { cellMs, changes, targets: histories }: HealthHistory,
  now: number,
) {
  const cells = new Map(histories.map((one) => [nameOf(one), one.cells]));
  return {
    at: toTime(now),
    since: toTime(since),
    reading: isReading,
    thresholds: THRESHOLDS,
    cell_ms: cellMs,
    changes: changes.map(({ kind, text, time }) => ({ time: toTime(time), kind, text })),
    targets: targets.map((target) => ({
      provider: target.provider,
      upstream: target.upstream,
      ...toAdminHealth(target, texts),
      cells: cells.get(nameOf(target)) ?? [],
    })),
  };
}

/** The vendor's message about a request's attempt, if it is its target's last failure. */
export function textOfRequest(
  texts: readonly VendorText[],
  request: string,
  provider: string,
  upstream: string,
): string | undefined {
  return texts.find((one) =>
    one.request === request && one.provider === provider && one.upstream === upstream
  )?.text;
}

function textOf(target: TargetReport, texts: readonly VendorText[]): VendorText | undefined {
  const text = texts.find((one) => nameOf(one) === nameOf(target));
  // The last failure may be a later one without a message.
  return text?.request === target.lastFailure?.request ? text : undefined;
}

function nameOf({ provider, upstream }: Pick<TargetReport, "provider" | "upstream">): string {
  return targetName(provider, upstream);
}

function toTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
