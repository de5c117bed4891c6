/** One line for each request: JSON for machines, words for a terminal. */

import type { Usage } from "../chat/chat.ts";
import type { Exchange, TryRecord } from "../routing/request_record.ts";
import type { Ended } from "./record_queue.ts";
import { printable } from "../core/printable.ts";
import type { ModelFacts } from "../providers/contract/adapter.ts";

/** The most characters of a path that a line has, and of an id and a name in words. */
const MAX_PATH = 200;
const MAX_ID = 128;
const MAX_NAME = 80;

export interface AccessLog {
  /** Writes the lines of requests that have ended. */
  record(ended: readonly Ended[]): void;
}

/**
 * @param write takes whole lines, each with its newline
 * @param readable words instead of JSON
 */
export function createAccessLog(write: (lines: string) => void, readable: boolean): AccessLog {
  const format = readable ? toWords : toJson;
  const formatTry = readable ? tryToWords : tryToJson;
  return {
    record(ended) {
      let lines = "";
      for (const { exchange, at, time } of ended) {
        // A single attempt is told by the request's own line.
        if (exchange.tries.length > 1) {
          exchange.tries.forEach((one, index) => {
            lines += formatTry(exchange, one, index + 1) + "\n";
          });
        }
        lines += format(exchange, at, time) + "\n";
      }
      // Names, paths and codes come from outside. JSON reads the same from what is escaped.
      write(printable(lines));
    },
  };
}

/** The line that says how many are missing before it. */
export function toLossLine(count: number, now: number, readable: boolean): string {
  const message = `${count} lines were dropped: they could not be written in time`;
  if (readable) return `${toTime(now)} ${message}\n`;
  const line = { time: new Date(now).toISOString(), level: "warn", message, dropped: count };
  return JSON.stringify(line) + "\n";
}

/** How much a line matters: 5xx and streams that broke off, 4xx, and all others. */
function levelOf({ outcome, status }: Exchange): "info" | "warn" | "error" {
  if (outcome !== "failed") return "info";
  return status >= 400 && status < 500 ? "warn" : "error";
}

function tryToJson({ id, traceId }: Exchange, one: TryRecord, attempt: number): string {
  const { provider, upstream, outcome, at, ms, next, cause } = one;
  return JSON.stringify({
    time: new Date(at).toISOString(),
    level: outcome === "done" ? "info" : "warn",
    id,
    trace_id: traceId,
    attempt,
    provider,
    upstream_model: upstream,
    outcome,
    cause,
    ms: Math.round(ms * 10) / 10,
    next,
  });
}

function tryToWords({ id }: Exchange, one: TryRecord, attempt: number): string {
  const { provider, upstream, outcome, ms, next, cause } = one;
  const target = `${quotedName(upstream)}@${provider}`;
  return [
    ` attempt ${attempt} -> ${target} ${outcome} ${Math.round(ms)} ms`,
    ...(next === undefined ? [] : [next]),
    ...(cause === undefined ? [] : [`cause=${JSON.stringify(cause)}`]),
    quotedName(id, MAX_ID),
  ].join(" ");
}

/**
 * USD for these tokens, or undefined where prices are not known. Cached input
 * is counted at its own price, and at the full one when that is not known.
 */
function costOf(usage: Usage, prices: ModelFacts["prices"]): number | undefined {
  if (prices === undefined) return undefined;
  const cached = Number(usage.prompt_tokens_details?.cached_tokens ?? 0) || 0;
  const fresh = Math.max(0, usage.prompt_tokens - cached);
  const micros = fresh * prices.input + cached * (prices.cached_input ?? prices.input) +
    usage.completion_tokens * prices.output;
  return Math.round(micros * 1000) / 1e9;
}

function toJson(exchange: Exchange, endedAt: number, time: number): string {
  const { reached, usage } = exchange;
  return JSON.stringify({
    time: new Date(time).toISOString(),
    level: levelOf(exchange),
    id: exchange.id,
    trace_id: exchange.traceId,
    method: exchange.method,
    path: shortened(exchange.path, MAX_PATH),
    route: exchange.route,
    key: exchange.key,
    model: exchange.model,
    provider: reached?.provider,
    upstream_model: reached?.upstream,
    stream: exchange.stream || undefined,
    status: exchange.status,
    outcome: exchange.outcome,
    error: exchange.error?.kind,
    error_code: exchange.error?.code ?? undefined,
    cause: exchange.error?.cause,
    attempts: exchange.attempts || undefined,
    ms: roundedSince(exchange, endedAt),
    first_token_ms: roundedSince(exchange, exchange.firstTokenAt),
    prompt_tokens: usage?.prompt_tokens,
    completion_tokens: usage?.completion_tokens,
    cost_usd: usage === undefined ? undefined : costOf(usage, reached?.facts.prices),
    upstream_request_id: exchange.upstreamRequestId,
    ignored: listed(reached?.receipt.ignored),
    converted: listed(reached?.receipt.converted),
    audit: exchange.audit,
  });
}

function toWords(exchange: Exchange, endedAt: number, time: number): string {
  const { reached, usage } = exchange;
  const words = [
    toTime(time),
    String(exchange.status),
    exchange.outcome === "done" ? "" : exchange.outcome,
    `${quotedName(exchange.method)} ${quotedName(exchange.path, MAX_PATH)}`,
    exchange.model === undefined ? "" : quotedName(exchange.model),
    reached === undefined ? "" : `-> ${quotedName(reached.upstream)}@${reached.provider}`,
    `${roundedSince(exchange, endedAt)} ms`,
    exchange.firstTokenAt === undefined
      ? ""
      : `(first token ${roundedSince(exchange, exchange.firstTokenAt)} ms)`,
    usage === undefined ? "" : `${usage.prompt_tokens}+${usage.completion_tokens} tokens`,
    exchange.error === undefined
      ? ""
      : `error=${quotedName(exchange.error.code ?? exchange.error.kind)}`,
    exchange.error?.cause === undefined ? "" : `cause=${JSON.stringify(exchange.error.cause)}`,
    noted("ignored", reached?.receipt.ignored),
    noted("converted", reached?.receipt.converted),
    exchange.audit === undefined ? "" : `key=${exchange.key} ${JSON.stringify(exchange.audit)}`,
    quotedName(exchange.id, MAX_ID),
  ];
  return words.filter((word) => word !== "").join(" ");
}

function toTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** Names, ids, paths and codes come from outside: what could be taken for another word is quoted. */
function quotedName(name: string, max = MAX_NAME): string {
  const short = shortened(name, max);
  return /^[\w.@/:+-]+$/.test(short) ? short : JSON.stringify(short);
}

function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

function noted(title: string, entries: ReadonlySet<string> | undefined): string {
  return entries === undefined || entries.size === 0
    ? ""
    : `${title}=${quotedName([...entries].join(","))}`;
}

function listed(entries: ReadonlySet<string> | undefined): string[] | undefined {
  return entries === undefined || entries.size === 0 ? undefined : [...entries];
}

function roundedSince(exchange: Exchange, at: number | undefined): number | undefined {
  return at === undefined ? undefined : Math.round((at - exchange.startedAt) * 10) / 10;
}
