/** Explains a request: a summary, its timeline, its cost and its route. */

import { count, duration, usd } from "../../lib/format.js";
import { UNITS } from "../../lib/units.js";

/** An attempt that lost against a hedge. */
const ABANDONED = "abandoned";

/** Whether an attempt failed; one that was abandoned did not. */
function hasFailed({ error, status }) {
  return error !== ABANDONED && ((error ?? null) !== null || status >= 400);
}

/** The attempt that answered; undefined if none did. */
function answerOf({ attempts = [] }) {
  return attempts.findLast((attempt) => attempt.error === null && attempt.status < 400);
}

/**
 * Summarizes the result and the duration of a request in one or two sentences.
 *
 * @param {any} row of `/v1/requests/{id}`
 */
export function sentenceOf(row) {
  const { attempts = [], error, queued_ms: queued, response_cache: cache, status } = row;
  const wait = queued > 0 ? `Waited ${duration(queued)} in the queue. ` : "";
  if (cache === "hit" && attempts.length === 0) {
    const saved = row.saved_usd > 0 ? `, which saved ${usd(row.saved_usd)}` : "";
    return `${wait}Answered by the cache${saved}.`;
  }
  if (status === 499) return `${wait}The client stopped after ${duration(row.ms)}.`;
  if (error !== null) return wait + failureSentence(row);
  return wait + answerSentence(row);
}

function failureSentence({ attempts = [], error, status }) {
  const end = `the client got ${status} ${error}`;
  if (attempts.length === 0) return `No provider was tried: ${end}.`;
  const names = [...new Set(attempts.map(({ provider }) => provider))];
  if (attempts.length === 1) {
    return `${names[0]} failed with ${attempts[0].error ?? error}: ${end}.`;
  }
  return names.length === 1
    ? `All ${attempts.length} attempts at ${names[0]} failed: ${end}.`
    : `All ${attempts.length} attempts failed, at ${listText(names)}: ${end}.`;
}

function answerSentence(row) {
  const { attempts = [] } = row;
  const answer = answerOf(row);
  const provider = answer?.provider ?? row.provider ?? "The target";
  const first = row.first_token_ms ?? row.ms;
  if (row.hedged && answer !== undefined) {
    const other = attempts.find((attempt) => attempt !== answer && !hasFailed(attempt));
    const loser = other?.provider ?? "the first target";
    return answer.hedge
      ? `${loser} was slow; the hedge at ${provider} won after ${duration(first)}.`
      : `${provider} answered after ${duration(first)}; the hedge at ${loser} was not used.`;
  }
  const failed = attempts.filter(hasFailed);
  if (failed.length === 0) return `Answered by ${provider} after ${duration(first)}.`;
  const others = [...new Set(failed.map((attempt) => attempt.provider))];
  if (others.every((name) => name === provider)) {
    return `${provider} answered after ${duration(first)}, at attempt ${attempts.length}.`;
  }
  return `${listText(others)} failed (${failed[0].error ?? failed[0].status}); ${provider} ` +
    `answered after ${duration(first)}.`;
}

function listText(names) {
  return names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/**
 * The phases in the order of their start: the wait in the queue, the attempts, and the stream.
 *
 * @returns {{ kind: "queue" | "attempt" | "hedge" | "stream", tone: string, start: number, length:
 * number, attempt?: any }[]} milliseconds from the arrival
 */
export function lanesOf(row) {
  const { attempts = [], first_token_ms: first, ms, queued_ms: queued } = row;
  const lanes = attempts.map((attempt) => ({
    kind: attempt.hedge ? "hedge" : "attempt",
    tone: attempt.error === ABANDONED ? "unused" : hasFailed(attempt) ? "bad" : "good",
    start: attempt.started_ms,
    length: attempt.ms,
    attempt,
  })).toSorted((one, other) => one.start - other.start);
  if (queued > 0) lanes.unshift({ kind: "queue", tone: "wait", start: 0, length: queued });
  if (first != null && ms > first) {
    lanes.push({ kind: "stream", tone: "stream", start: first, length: ms - first });
  }
  return lanes;
}

const MILLION = 1_000_000;

/** Differences below this amount in US dollars are ignored. */
const EXACT_USD = 1e-9;

/**
 * The itemized cost of a request. Prices are in US dollars per million tokens or per unit. A
 * separate line shows the rest that these prices do not explain.
 *
 * @returns {{ name: string, amount: number | null, price: number | null, usd: number,
 *   unit?: (typeof UNITS)[number] }[]} `unit` is absent for tokens
 */
export function costLinesOf(row) {
  const { prices } = row;
  if (prices == null) return [];
  const cached = row.cached_input_tokens ?? 0;
  const written = row.cache_write_tokens ?? 0;
  const reasoning = row.reasoning_tokens ?? 0;
  const line = (name, amount, price) => ({
    ...{ name, amount, price },
    usd: amount * price / MILLION,
  });
  const lines = [
    line("Input", (row.input_tokens ?? 0) - cached - written, prices.input),
    line("Input, cached", cached, prices.cachedInput ?? prices.input),
    line("Input, written to the cache", written, prices.cacheWrite ?? prices.input),
    line("Output", (row.output_tokens ?? 0) - reasoning, prices.output),
    line("Output, reasoning", reasoning, prices.output),
    ...UNITS.filter(({ id }) => prices.units?.[id] !== undefined).map((unit) => {
      const [amount, price] = [row[unit.id] ?? 0, prices.units[unit.id]];
      return { name: unit.title, amount, price, unit, usd: amount * price };
    }),
  ].filter(({ amount }) => amount > 0);
  const rest = (row.cost_usd ?? 0) - lines.reduce((sum, { usd }) => sum + usd, 0);
  if (row.cost_usd != null && Math.abs(rest) > EXACT_USD) {
    const name = "Other attempts and rates";
    lines.push({ name, amount: null, price: null, usd: rest });
  }
  return lines;
}

/** Further values of the ledger, without empty ones. */
export function routeFactsOf(row) {
  const sessions = new Map([
    ["hit", "stayed at its target"],
    ["moved", "moved to another target"],
    ["new", "began here"],
  ]);
  return [
    ["Alias", row.alias],
    ["Why this target", row.route],
    ["Session", sessions.get(row.affinity) ?? row.affinity],
    ["Chosen by price", row.price_ordered && savedText(row.price_order_saved_usd)],
    ["Waited in the queue", row.queued_ms > 0 && duration(row.queued_ms)],
    ["Response cache", row.response_cache],
    ["Saved", row.saved_usd > 0 && usd(row.saved_usd)],
    ["Hedge", row.hedged && `cost ${usd(row.hedge_usd ?? 0)}`],
    ["Writing the cache", row.cache_write_usd > 0 && usd(row.cache_write_usd)],
    ["Service tier", row.prices?.tier],
    ["Prices of long prompts", row.prices?.long && "yes"],
  ].filter(([, value]) => value);
}

/** Members of a request that a vendor refused, as they were sent then. @param {any} row */
export function correctionFactsOf({ attempts = [] }) {
  return attempts.flatMap(({ corrections = [], provider }) =>
    corrections.map(({ fields, sent_as: name }) => [
      name === null ? "Left out" : "Sent under another name",
      name === null
        ? `${fields.join(", ")}: ${provider} refuses it`
        : `${fields.join(", ")} as ${name} at ${provider}`,
    ])
  );
}

/**
 * The times of a request against those of its model. The band reaches from the median to the 95th
 * percentile; positions are in percent of the longest time.
 *
 * @param {any} row
 * @param {any} [sums] the report of its model
 * @returns {{ name: string, value: number, usual?: number, most?: number, at: number,
 *   band?: [number, number] }[]}
 */
export function usualTimesOf(row, sums) {
  if (sums === undefined || sums.requests < MIN_REQUESTS) return [];
  const lines = [
    { name: "Queue", value: row.queued_ms ?? 0 },
    { name: "First content", value: row.first_token_ms ?? 0, usual: sums.first_token_p50_ms },
    { name: "All", value: row.ms, usual: sums.p50_ms, most: sums.p95_ms },
  ].filter(({ value }) => value > 0);
  const longest = Math.max(
    ...lines.flatMap(({ value, usual, most }) => [value, usual ?? 0, most ?? 0]),
  );
  const at = (ms) => Math.round(1000 * ms / longest) / 10;
  return lines.map((line) => ({
    ...{ ...line, at: at(line.value) },
    ...(line.usual != null && { band: [at(line.usual), at(line.most ?? line.usual)] }),
  }));
}

/** The fewest requests that say what is usual. */
const MIN_REQUESTS = 5;

/** The times against usual in a sentence. @param {readonly any[]} times of {@linkcode usualTimesOf} */
export function usualText(times) {
  return times.filter(({ usual }) => usual != null).map(({ most, name, usual, value }) => {
    const subject = name === "All" ? "The whole request" : "The first content";
    const verb = name === "All" ? "took" : "came after";
    const share = value / usual;
    const against = most !== undefined && value > most
      ? "longer than 95 % of the requests"
      : share >= 1.1
      ? `${share.toFixed(1)} times the usual ${duration(usual)}`
      : `usually ${duration(usual)}`;
    return `${subject} ${verb} ${duration(value)}, ${against}.`;
  }).join(" ");
}

function savedText(saved) {
  return saved > 0 ? `saved ${usd(saved)}` : "yes";
}

/** The tokens and the cost of an attempt; an empty string if nothing was billed. */
export function billText(
  { cost_usd: cost, input_tokens: input, output_tokens: output, usage_source },
) {
  if (usage_source === undefined || usage_source === "none") return "";
  const price = cost === null ? "price unknown" : usd(cost);
  return `${count(input)} + ${count(output)} tokens, ${price}`;
}
