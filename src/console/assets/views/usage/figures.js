/** Computes the figures of charts and tables from the API's entries. */

import { count, countOf, duration, short, usd } from "../../lib/format.js";
import { offsetAt } from "../../lib/zone.js";
import { nameOf } from "./choice.js";

/** The maximum number of groups with a separate series; the others share one. */
const MAX_SERIES = 5;

/**
 * The metrics of the chart. `of` returns null for unknown values; `isWhole` means that values are
 * whole numbers.
 */
export const METRICS = [
  { id: "requests", name: "Requests", of: (entry) => entry.requests, format: count, isWhole: true },
  { id: "errors", name: "Errors", of: (entry) => entry.errors, format: count, isWhole: true },
  {
    id: "tokens",
    name: "Tokens",
    of: (entry) => entry.input_tokens + entry.output_tokens,
    format: short,
    isWhole: true,
  },
  { id: "cost", name: "Cost", of: costOf, format: usd, isWhole: false },
  { id: "latency", name: "Duration", format: durationText, isWhole: false, isLines: true },
];

/** The axis of durations begins with 0, which has no unit. */
function durationText(ms) {
  return ms === 0 ? "0" : duration(ms);
}

/** The metric with this ID. */
function metricOf(id) {
  return METRICS.find((metric) => metric.id === id);
}

/** The known cost of an entry in US dollars; null if no price is known. */
export function costOf({ cost_usd, unpriced_requests }) {
  return unpriced_requests > 0 && cost_usd === 0 ? null : cost_usd;
}

/** The cost of an entry as text. An unknown cost is shown as unknown, never as 0. */
export function costText(entry) {
  if (entry === undefined) return usd(0);
  const cost = costOf(entry);
  if (cost === null) return "unknown";
  return entry.unpriced_requests > 0 ? `≥ ${usd(cost)}` : usd(cost);
}

/** The prefixes of tags such as `team:search`, the most used first. */
export function prefixesOf(entries) {
  const requests = new Map();
  for (const { requests: number, tag } of entries) {
    const [, prefix] = /^([^:]+):./.exec(tag ?? "") ?? [];
    if (prefix !== undefined) requests.set(prefix, (requests.get(prefix) ?? 0) + number);
  }
  return [...requests].sort(([, one], [, other]) => other - one).map(([prefix]) => prefix);
}

/** The tags with a prefix, without the prefix. */
export function withPrefix(entries, prefix) {
  const start = `${prefix}:`;
  return entries.flatMap((entry) =>
    entry.tag?.startsWith(start) ? [{ ...entry, tag: entry.tag.slice(start.length) }] : []
  );
}

/**
 * The sum of the tag rows: a request with several tags is in several rows.
 *
 * @param {any} total the entry of all requests
 * @param {any[]} groups an entry for each tag
 * @param {boolean} hasMore whether some tags are missing
 */
export function tagNote(total, groups, hasMore) {
  const rule = "A request with several tags counts for each of them";
  const requests = groups.reduce((sum, group) => sum + group.requests, 0);
  if (hasMore || total === undefined || requests <= total.requests) {
    return `${rule}, so the rows may add up to more than the total.`;
  }
  const sums = add(...groups);
  return `${rule}: the rows add up to ${count(sums.requests)} requests and ${costText(sums)}, ` +
    `all requests are ${count(total.requests)} and ${costText(total)}.`;
}

/** The name of a group as the page shows it. `by` is null if there is only one group. */
export function groupName(value, by) {
  if (value !== null && value !== undefined) return value;
  if (by === null) return "all";
  return by === "tag" ? "untagged" : `no ${by.replace("_", " ")}`;
}

/**
 * The series of a chart: the largest groups, and all others combined. A time without requests has
 * 0; one with only unknown costs has null.
 *
 * @returns {{ metric: object, unit: string, times: number[], unpriced: number, series: { name:
 * string, isOther: boolean, values: (number | null)[], total: number | null, isPartial: boolean }[]
 * }} times in Unix seconds; a partial total lacks unknown costs
 */
export function toChart(entries, period, { by, show }) {
  const { unit } = period;
  const metric = metricOf(show);
  const { times, positions } = timesIn(period);
  const groups = new Map();
  for (const entry of entries) {
    const index = positions.get(entry[unit]);
    if (index === undefined) continue;
    // A group's name may equal the label for "none", so the value itself is the key.
    const key = entry[by] ?? null;
    let group = groups.get(key);
    if (group === undefined) {
      group = { name: groupName(key, by), values: times.map(() => 0), sums: add() };
      groups.set(key, group);
    }
    group.values[index] = metric.of(entry);
    group.sums = add(group.sums, entry);
  }
  const rank = ({ sums }) => metric.of(sums) ?? -1;
  const sorted = [...groups.values()].sort((one, other) => rank(other) - rank(one));
  const kept = sorted.slice(0, MAX_SERIES).map((group) => toSeries(group, metric));
  const others = sorted.slice(MAX_SERIES);
  const all = add(...sorted.map(({ sums }) => sums));
  return {
    ...{ metric, unit, zone: period.zone, isOpen: period.isOpen },
    times: shownTimes(times, period),
    unpriced: show === "cost" ? all.unpriced_requests : 0,
    series: others.length === 0 ? kept : [...kept, toSeries(merge(others), metric, true)],
  };
}

/** The durations over time. Percentiles cannot be added, so they cover all groups. */
export function toLatencyChart(entries, period, total) {
  const { times, positions } = timesIn(period);
  const lines = LATENCIES.map(({ name, member }) => ({
    ...{ name, isOther: false, isPartial: false, total: total?.[member] ?? null },
    values: times.map(() => null),
  }));
  for (const entry of entries) {
    const index = positions.get(entry[period.unit]);
    if (index === undefined) continue;
    LATENCIES.forEach(({ member }, line) => lines[line].values[index] = entry[member] ?? null);
  }
  return {
    ...{ metric: metricOf("latency"), unit: period.unit, zone: period.zone, isOpen: false },
    ...{ times: shownTimes(times, period), unpriced: 0, series: lines },
  };
}

const LATENCIES = [
  { name: "p95", member: "p95_ms" },
  { name: "p50", member: "p50_ms" },
  { name: "First token, p50", member: "first_token_p50_ms" },
];

/** The times of a chart in milliseconds, and their positions by the label in entries. */
function timesIn(period) {
  const { starts } = period;
  const positions = new Map(starts.map((start, index) => [nameOf(start, period), index]));
  return { times: starts, positions };
}

/** The local times of the zone in seconds, as if they were UTC. */
function shownTimes(times, { zone }) {
  return times.map((time) => (time + offsetAt(time, zone)) / 1000);
}

/** The change of a figure, such as `+12 %`; empty without an earlier value. */
export function changeText(now, before) {
  if (!before || now === null || now === undefined) return "";
  const share = Math.round(100 * (now - before) / before);
  return `${share > 0 ? "+" : share < 0 ? "−" : "±"}${count(Math.abs(share))} %`;
}

function toSeries({ name, values, sums }, metric, isOther = false) {
  const isPartial = metric.id === "cost" && sums.unpriced_requests > 0;
  return { name, isOther, values, total: metric.of(sums), isPartial };
}

/** Combines several groups. */
function merge(groups) {
  return {
    name: countOf(groups.length, "other"),
    values: groups[0].values.map((_, index) => sum(groups.map((group) => group.values[index]))),
    sums: add(...groups.map(({ sums }) => sums)),
  };
}

const SUMMED = [
  "requests",
  "errors",
  "input_tokens",
  "output_tokens",
  "cost_usd",
  "unpriced_requests",
  "unused_cost_usd",
  "cached_input_tokens",
];

/** Adds up entries. */
export function add(...entries) {
  return Object.fromEntries(
    SUMMED.map((name) => [name, entries.reduce((total, entry) => total + (entry[name] ?? 0), 0)]),
  );
}

/** The sum of the known values; null if there are none. */
function sum(values) {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
