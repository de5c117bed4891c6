/** The attempts of a request as the timeline shows them. */

/**
 * @typedef {{ provider: string, model: string, start: number, ms: number, writing: number,
 *   outcome: string, isFailed: boolean, next?: string }} Attempt times are in milliseconds:
 *   `start` from the request's start, `ms` until the first event, `writing` from there to the end
 */

/**
 * Reads the attempts from the ledger; without them, one attempt is what the headers say.
 *
 * @param {any} run
 * @returns {{ attempts: Attempt[], total: number }} the total is never 0
 */
export function toAttempts({ record, headers, state, error, timing }) {
  const total = Math.max(1, record?.ms ?? timing.total ?? 1);
  if (Array.isArray(record?.attempts)) {
    const attempts = record.attempts.map((entry, index, all) => toAttempt(entry, all[index + 1]));
    const last = attempts.at(-1);
    if (last === undefined) return { attempts, total };
    // The last attempt streamed the answer until the end of the request.
    if (last.ms > 0) last.writing = Math.max(0, total - last.start - last.ms);
    return { attempts, total: Math.max(total, last.start + last.ms) };
  }
  if (!headers?.provider || headers.attempts === 0) return { attempts: [], total };
  const isFailed = state === "failed";
  const one = {
    provider: headers.provider,
    model: headers.model ?? "",
    start: 0,
    ms: total,
    writing: 0,
    outcome: isFailed ? words(error?.code ?? error?.type ?? "failed") : state,
    isFailed,
    ...(headers.attempts > 1 && { next: `the last of ${headers.attempts} attempts` }),
  };
  return { attempts: [one], total };
}

function toAttempt(entry, following) {
  const { provider, model, started_ms, ms, status, error } = entry;
  const isFailed = error !== null && error !== undefined;
  const next = isFailed ? nextOf(entry, following) : undefined;
  return {
    provider: String(provider ?? ""),
    model: String(model ?? ""),
    start: Number(started_ms ?? 0),
    ms: Number(ms ?? 0),
    writing: 0,
    outcome: isFailed ? `${words(error)} (${status})` : "done",
    isFailed,
    ...(next !== undefined && { next }),
  };
}

/** What followed a failure, in words. */
function nextOf({ next, reason, wait_ms }, following) {
  const why = REASONS.get(reason)?.(wait_ms) ?? (reason ? words(reason) : undefined);
  switch (next) {
    case "retry":
      return `tried again after ${Math.round(wait_ms ?? 0)} ms`;
    case "other_key":
      return "tried again with another key";
    case "resent":
      return "sent again on a new connection";
    case "continued":
      return "continued by another target";
    case "next_target": {
      const target = following === undefined ? "the next target" : nameOf(following);
      return why === undefined ? `tried ${target} next` : `${why}; tried ${target} next`;
    }
    default:
      return why;
  }
}

const REASONS = new Map([
  ["wait_too_long", (ms) => `asked to wait ${Math.ceil((ms ?? 0) / 1000)} s`],
  ["deadline", () => "the deadline is too near"],
  ["breaker_open", () => "its breaker is open"],
]);

function nameOf({ provider, model }) {
  return `${provider} / ${model}`;
}

function words(code) {
  return String(code).replaceAll("_", " ");
}
