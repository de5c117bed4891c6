/** The filters of sessions as words such as `key:web`, `cost>1` and `moves>0`, in the address. */

import { RANGE_NAMES, readRange } from "../../lib/range.js";
import { splitWords } from "../requests/filter_words.js";

/** The filters of the gateway, with the names of its parameters. */
export const EXACT = ["key", "team", "owner", "model", "provider"];
/** The filters of sums: their words, and the members of a session. */
const AMOUNTS = new Map([
  ["cost", "cost_usd"],
  ["moves", "affinity_moves"],
  ["requests", "requests"],
  ["failed", "errors"],
]);
const NAMES = ["id", ...EXACT, ...AMOUNTS.keys()];

/** Words that are offered beside the exact filters. */
export const OFFERED = ["cost>1", "moves>0", "failed>0"];

/** Reads the filters and the range of an address; an absent filter is an empty string. */
export function readFilters(query) {
  return {
    ...Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""])),
    ...readRange(query),
  };
}

/** The address of the list with these filters, or of a session of it. */
export function addressOfSessions(filters, id) {
  const query = new URLSearchParams();
  for (const name of [...NAMES, ...RANGE_NAMES]) {
    const isImplied = name === "range" && filters.range === "custom";
    if (filters[name] && !isImplied) query.set(name, filters[name]);
  }
  const path = id === undefined ? "#/sessions" : `#/sessions/${encodeURIComponent(id)}`;
  return `${path}?${query}`;
}

/** The same range without any filter. */
export function withoutFilters(filters) {
  return { ...filters, ...Object.fromEntries(NAMES.map((name) => [name, ""])) };
}

/** The filters as words. */
export function wordsOf(filters) {
  return NAMES.filter((name) => filters[name] !== "").map((name) => ({
    ...{ filter: name, name, value: filters[name] },
    sign: AMOUNTS.has(name) ? ">" : ":",
  }));
}

/**
 * The filters after a text was added.
 *
 * @returns {{ filters?: Record<string, string>, fault?: string }}
 */
export function addWords(text, filters) {
  const next = { ...filters };
  for (const word of splitWords(text)) {
    const [, name = "", sign = "", value = ""] = /^([a-z]+)([:>])(.*)$/i.exec(word) ?? [];
    if (sign === ">" && AMOUNTS.has(name)) {
      if (!/^\d{1,9}(\.\d{1,9})?$/.test(value)) return { fault: `'${name}>' needs a number` };
      next[name] = value;
    } else if (sign === ":" && EXACT.includes(name)) {
      if (value === "") return { fault: `'${name}:' needs a value` };
      next[name] = value;
    } else next.id = sign === ":" && name === "id" ? value : word;
  }
  return { filters: next };
}

/** The parameters of the gateway for these filters. */
export function parametersOf(filters) {
  return Object.fromEntries(
    EXACT.filter((name) => filters[name] !== "")
      .map((name) => [name, filters[name]]),
  );
}

/**
 * The sessions of a report by session and hour, each with its last hour, that pass the filters.
 *
 * @param {readonly any[]} entries
 * @param {Record<string, string>} filters
 */
export function toSessions(entries, filters) {
  const sessions = new Map();
  for (const entry of entries) {
    if (entry.session === null) continue;
    const sums = sessions.get(entry.session) ?? { session: entry.session, last: "" };
    for (const [name, value] of Object.entries(entry)) {
      if (typeof value === "number") sums[name] = (sums[name] ?? 0) + value;
    }
    if (entry.hour > sums.last) sums.last = entry.hour;
    sessions.set(entry.session, sums);
  }
  const id = filters.id.toLowerCase();
  const amounts = [...AMOUNTS].filter(([name]) => filters[name] !== "");
  return [...sessions.values()].filter((entry) =>
    entry.session.toLowerCase().includes(id) &&
    amounts.every(([name, member]) => (entry[member] ?? 0) > Number(filters[name]))
  );
}
