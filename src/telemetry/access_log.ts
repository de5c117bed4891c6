/** The access log: one line for each request, as JSON or as readable text for a terminal. */

import { isLogged, LOG_LEVELS, type LogLevel } from "../core/log_level.ts";
import { printable, shortened } from "../core/text.ts";
import { UNITS } from "../core/units.ts";
import type { RequestRecord } from "../gateway/request_record.ts";
import type { RequestChanges } from "../contract/request_changes.ts";
import { type AttemptRecord, describeNextStep } from "../gateway/attempt_state.ts";

/** The maximum length of a path, and of an ID or name in readable lines, in UTF-16 units. */
const MAX_PATH_CHARS = 200;
const MAX_ID_CHARS = 128;
const MAX_NAME_CHARS = 80;

/** The access log. */
export interface AccessLog {
  /** Writes the lines of requests that have ended. */
  record(ended: readonly RequestRecord[]): void;
}

/** The settings of an access log, which may change at run time. */
export interface AccessLogSettings {
  /** Whether lines are readable text instead of JSON. Default: they are JSON. */
  readonly readable?: () => boolean;
  /** The lowest level of written lines. Default: `info`. */
  readonly level?: () => LogLevel;
}

/**
 * Creates an access log.
 *
 * @param write receives complete lines, each with its newline
 */
export function createAccessLog(
  write: (lines: string) => void,
  { readable = () => false, level = () => "info" }: AccessLogSettings = {},
): AccessLog {
  return {
    record(ended) {
      const isReadable = readable();
      const lowest = level();
      const logged = new Set(LOG_LEVELS.filter((level) => isLogged(level, lowest)));
      const isDebug = lowest === "debug";
      const format = isReadable ? toText : toJson;
      let lines = "";
      for (const record of ended) {
        // Unless debugging, a single attempt is described by its request's line.
        if (isDebug || record.attemptRecords.length > 1) {
          lines += attemptLines(record, lowest, isReadable);
        }
        const level = levelOf(record);
        if (logged.has(level)) lines += format(record, level, isDebug) + "\n";
      }
      // Escapes control characters from callers and vendors. The JSON value stays the same.
      if (lines !== "") write(printable(lines));
    },
  };
}

/** One line per attempt. */
function attemptLines(record: RequestRecord, lowest: LogLevel, isReadable: boolean): string {
  const format = isReadable ? attemptToText : attemptToJson;
  return record.attemptRecords.map((attemptRecord, index) =>
    isLogged(levelOfAttempt(attemptRecord), lowest)
      ? format(record, attemptRecord, index + 1) + "\n"
      : ""
  ).join("");
}

/** The line that reports how many preceding lines were dropped. */
export function toLossLine(count: number, now: number, readable: boolean): string {
  const message = `${count} lines were dropped: they could not be written in time`;
  if (readable) return `${toTime(now)} ${message}\n`;
  const line = { time: new Date(now).toISOString(), level: "warn", message, dropped: count };
  return JSON.stringify(line) + "\n";
}

/** The routes that load balancers probe. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** `error` for 5xx and failed streams, `warn` for 4xx, `debug` for probes, otherwise `info`. */
function levelOf({ outcome, status, route }: RequestRecord): LogLevel {
  if (outcome !== "failed") return PROBES.has(route) ? "debug" : "info";
  return status >= 400 && status < 500 ? "warn" : "error";
}

function levelOfAttempt({ outcome }: AttemptRecord): LogLevel {
  return outcome === "done" ? "info" : "warn";
}

function attemptToJson(
  { endedAt, endTime, id, traceId }: RequestRecord,
  attemptRecord: AttemptRecord,
  attempt: number,
): string {
  const { provider, upstream, outcome, at, began, ms, next, cause } = attemptRecord;
  return JSON.stringify({
    time: new Date(at ?? endTime - (endedAt - began - ms)).toISOString(),
    level: levelOfAttempt(attemptRecord),
    id,
    trace_id: traceId,
    attempt,
    provider,
    upstream_model: upstream,
    outcome,
    cause,
    ms: toTenths(ms),
    next: next && describeNextStep(next),
  });
}

function attemptToText(
  { id }: RequestRecord,
  attemptRecord: AttemptRecord,
  attempt: number,
): string {
  const { provider, upstream, outcome, ms, next, cause } = attemptRecord;
  const target = `${quoted(upstream)}@${provider}`;
  return [
    ` attempt ${attempt} -> ${target} ${outcome} ${Math.round(ms)} ms`,
    ...(next === undefined ? [] : [describeNextStep(next)]),
    ...(cause === undefined ? [] : [`cause=${JSON.stringify(cause)}`]),
    quoted(id, MAX_ID_CHARS),
  ].join(" ");
}

function toJson(record: RequestRecord, level: LogLevel, hasMessage: boolean): string {
  const { attempt, path, startedAt, used: { source, usage, usd } } = record;
  const { ignored, converted } = attempt?.changes ?? NO_CHANGES;
  const firstTokenAt = attempt?.firstTokenAt;
  return JSON.stringify({
    time: new Date(record.endTime).toISOString(),
    level,
    id: record.id,
    trace_id: record.traceId,
    client_address: record.connection?.address,
    method: record.method,
    path: path.length > MAX_PATH_CHARS ? shortened(path, MAX_PATH_CHARS) : path,
    route: record.route,
    key: record.key,
    model: record.model,
    provider: attempt?.provider,
    upstream_model: attempt?.upstream,
    stream: record.stream || undefined,
    status: record.status,
    outcome: record.outcome,
    error: record.error?.kind,
    error_code: record.error?.code ?? undefined,
    cause: record.error?.cause,
    error_message: hasMessage ? record.error?.message : undefined,
    attempts: record.requests || undefined,
    ms: toTenths(record.endedAt - startedAt),
    first_token_ms: firstTokenAt === undefined ? undefined : toTenths(firstTokenAt - startedAt),
    prompt_tokens: usage?.prompt_tokens,
    completion_tokens: usage?.completion_tokens,
    ...usage?.[UNITS],
    usage_estimated: source === "estimated" || undefined,
    cost_usd: usage === undefined ? undefined : usd,
    upstream_request_id: attempt?.upstreamRequestId,
    ignored: ignored.size === 0 ? undefined : [...ignored],
    converted: converted.size === 0 ? undefined : [...converted],
    audit: record.audit && auditOf(record),
  });
}

/** The lists for a request without a target. */
const NO_CHANGES: Pick<RequestChanges, "ignored" | "converted"> = {
  ignored: new Set(),
  converted: new Set(),
};

function toText(record: RequestRecord, _level: LogLevel, hasMessage: boolean): string {
  const { attempt, startedAt, used: { source, usage } } = record;
  const estimated = source === "estimated" ? "about " : "";
  const parts = [
    toTime(record.endTime),
    String(record.status),
    record.outcome === "done" ? "" : record.outcome,
    `${quoted(record.method)} ${quoted(record.path, MAX_PATH_CHARS)}`,
    record.model === undefined ? "" : quoted(record.model),
    attempt === undefined ? "" : `-> ${quoted(attempt.upstream)}@${attempt.provider}`,
    `${toTenths(record.endedAt - startedAt)} ms`,
    attempt?.firstTokenAt === undefined
      ? ""
      : `(first token ${toTenths(attempt.firstTokenAt - startedAt)} ms)`,
    usage === undefined
      ? ""
      : `${estimated}${usage.prompt_tokens}+${usage.completion_tokens} tokens`,
    record.error === undefined ? "" : `error=${quoted(record.error.code ?? record.error.kind)}`,
    record.error?.cause === undefined ? "" : `cause=${JSON.stringify(record.error.cause)}`,
    !hasMessage || record.error === undefined
      ? ""
      : `message=${JSON.stringify(record.error.message)}`,
    namedList("ignored", attempt?.changes.ignored),
    namedList("converted", attempt?.changes.converted),
    ...auditToText(record),
    quoted(record.id, MAX_ID_CHARS),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** The admin action, its target and its result. */
function auditOf({ audit, outcome, error }: RequestRecord) {
  return { ...audit, result: outcome === "done" ? "done" : error?.code ?? error?.kind ?? outcome };
}

function auditToText(record: RequestRecord): string[] {
  if (record.audit === undefined) return [];
  return [`key=${quoted(record.key ?? "")}`, JSON.stringify(auditOf(record))];
}

function toTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** Shortens an external value, and quotes it if it could be mistaken for another part. */
function quoted(name: string, max = MAX_NAME_CHARS): string {
  const short = shortened(name, max);
  return /^[\w.@/:+-]+$/.test(short) ? short : JSON.stringify(short);
}

function namedList(title: string, entries: ReadonlySet<string> | undefined): string {
  return entries === undefined || entries.size === 0
    ? ""
    : `${title}=${quoted([...entries].join(","))}`;
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
