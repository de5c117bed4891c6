/** The attempts of a request as the timeline shows them. */

/**
 * @typedef {{ provider: string, model: string, start: number, ms: number, outcome: string,
 *   isFailed: boolean, next?: string }} Attempt times are in milliseconds from the request's start
 */

/**
 * Reads the attempts from the ledger; without them, one attempt is what the headers say.
 *
 * @returns {{ attempts: Attempt[], total: number }} the total is never 0
 */
export function toAttempts({ record, headers, state, error, timing }) {
  const list = Array.isArray(record?.attempts) ? record.attempts : record?.attempt_details ?? [];
  const total = Math.max(1, record?.ms ?? timing.total ?? 1);
  if (list.length > 0) {
    const attempts = list.map((entry, index) => toAttempt(entry, list[index + 1]));
    const last = attempts.at(-1);
    return { attempts, total: Math.max(total, last.start + last.ms) };
  }
  if (!headers?.provider) return { attempts: [], total };
  const isFailed = state === "failed";
  const one = {
    provider: headers.provider,
    model: headers.model ?? "",
    start: 0,
    ms: total,
    outcome: isFailed
      ? error?.code ?? error?.type ?? "failed"
      : state === "stopped"
      ? "stopped"
      : "done",
    isFailed,
    ...(headers.attempts > 1 && { next: `the last of ${headers.attempts} attempts` }),
  };
  return { attempts: [one], total };
}

function toAttempt({ provider, model, started_ms, ms, status, error, retry_after_ms }, following) {
  const isFailed = error !== null && error !== undefined;
  const outcome = isFailed ? words(error) : "done";
  return {
    provider: provider ?? "",
    model: model ?? "",
    start: started_ms ?? 0,
    ms: ms ?? 0,
    outcome: isFailed && status ? `${outcome} (${status})` : outcome,
    isFailed,
    ...(isFailed && { next: nextOf({ provider, model, retry_after_ms }, following) }),
  };
}

function nextOf({ provider, model, retry_after_ms }, following) {
  const wait = retry_after_ms > 0 ? `, after a wait of ${retry_after_ms} ms` : "";
  if (following === undefined) return "no further attempt";
  const isSame = following.provider === provider && following.model === model;
  return isSame ? `tried again${wait}` : `went on to ${following.provider}${wait}`;
}

function words(code) {
  return String(code).replaceAll("_", " ");
}
