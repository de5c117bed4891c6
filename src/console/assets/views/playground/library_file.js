/** All that is saved in the browser as one file, and the reading of such a file. */

import { parseJson } from "../../lib/json_text.js";
import { MAX_ENTRIES, MAX_NAME_CHARS } from "./library.js";
import { MAX_CHARS, readPortable } from "./portable.js";

/** The member that says what the text is; its value is the version. */
const VERSION_MEMBER = "sluice_playground_library";
const VERSION = 1;

/**
 * Writes what is saved.
 *
 * @param {readonly { name: string, time: number, text: string }[]} entries
 * @returns {string}
 */
export function toLibraryFile(entries) {
  return JSON.stringify({
    [VERSION_MEMBER]: VERSION,
    entries: entries.map(({ name, time, text }) => ({ name, time, saved: JSON.parse(text) })),
  });
}

/**
 * Reads such a text. Each entry is checked as one that comes alone.
 *
 * @param {string} text
 * @returns {{ error: string } | { error?: undefined,
 *   entries: { name: string, time: number, text: string }[] } | undefined} undefined for a text that
 *   is something else, such as a single conversation
 */
export function readLibraryFile(text) {
  if (text.length > MAX_CHARS) return undefined;
  const read = parseJson(text);
  if ("error" in read || !isObject(read.value) || !(VERSION_MEMBER in read.value)) return undefined;
  const { [VERSION_MEMBER]: version, entries } = read.value;
  if (version !== VERSION) return { error: "It was written by another version of the console" };
  if (!Array.isArray(entries)) return { error: "'entries' must be a list" };
  if (entries.length > MAX_ENTRIES) return { error: `It has more than ${MAX_ENTRIES} entries` };
  const found = [];
  for (const [index, entry] of entries.entries()) {
    const fault = faultOf(entry);
    if (fault !== undefined) return { error: `entries[${index}]: ${fault}` };
    const { name, time, saved } = entry;
    found.push({ name, time, text: JSON.stringify(saved) });
  }
  return { entries: found };
}

/** What is wrong with an entry. */
function faultOf(entry) {
  if (!isObject(entry)) return "must be an object";
  const { name, time, saved } = entry;
  if (typeof name !== "string" || name.trim() === "" || name.length > MAX_NAME_CHARS) {
    return `'name' must have 1 to ${MAX_NAME_CHARS} characters`;
  }
  if (!Number.isSafeInteger(time) || time < 0) return "'time' must be milliseconds";
  return readPortable(JSON.stringify(saved) ?? "").error;
}

/**
 * What is saved with the entries of a file. Nothing is replaced: an entry that differs from the one
 * of the same name gets another name.
 *
 * @param {readonly { name: string, time: number, text: string }[]} saved
 * @param {readonly { name: string, time: number, text: string }[]} added
 * @returns {{ entries: { name: string, time: number, text: string }[], count: number }} the newest
 *   first; `count` is the number of those that were not there
 */
export function merged(saved, added) {
  const texts = new Map(saved.map(({ name, text }) => [name, text]));
  const news = [];
  for (const entry of added) {
    const name = freeName(entry, texts);
    if (name === undefined) continue;
    texts.set(name, entry.text);
    news.push({ ...entry, name });
  }
  const entries = [...saved, ...news].sort((one, other) => other.time - one.time);
  return { entries, count: news.length };
}

/** The name that an entry gets; undefined if it is there already, also under such a name. */
function freeName({ name, text }, texts) {
  for (let copy = 1;; copy++) {
    const suffix = copy === 1 ? "" : ` (${copy})`;
    const tried = name.slice(0, MAX_NAME_CHARS - suffix.length) + suffix;
    const known = texts.get(tried);
    if (known === text) return undefined;
    if (known === undefined) return tried;
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
