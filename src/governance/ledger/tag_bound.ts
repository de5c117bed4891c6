/**
 * Bounds the number of tags per key and day that have sums, because callers choose tags freely.
 * Requests with more tags count as "(other)".
 */

import type { CountedRow } from "./row.ts";
import { dayOf, toName } from "./summary.ts";

/** The tags of a key and a day that have sums. */
const MAX_TAGS = 100;
/** Days whose tags are known at the same time: rows of one batch have few of them. */
const MAX_DAYS = 4;

/** Replaces tags beyond the bound. */
const OTHER_TAGS = "(other)";

/** The tags of a day, by key. */
type TagsOfDay = Map<string, Set<string>>;

export class TagBound {
  readonly #days = new Map<number, TagsOfDay>();

  /** The days of some rows whose tags must be given to {@linkcode setDay} first. */
  unknownDays(rows: readonly CountedRow[]): readonly number[] {
    const days = new Set(rows.filter(({ tags }) => tags.length > 0).map(({ time }) => dayOf(time)));
    return [...days].filter((day) => !this.#days.has(day));
  }

  /** Sets what a day has sums of: keys with their tags. */
  setDay(day: number, tags: Iterable<readonly [string, string]>): void {
    const byKey: TagsOfDay = new Map();
    this.#days.set(day, byKey);
    for (const [key, tag] of tags) tagsOfKey(byKey, key).add(tag);
    if (this.#days.size <= MAX_DAYS) return;
    const oldest = Math.min(...this.#days.keys());
    this.#days.delete(oldest === day ? Math.max(...this.#days.keys()) : oldest);
  }

  /** The tags of a row, within the bound of its key and day. */
  tagsOf({ time, key = "", tags }: CountedRow): readonly string[] {
    const day = dayOf(time);
    let byKey = this.#days.get(day);
    if (byKey === undefined) this.#days.set(day, byKey = new Map());
    const known = tagsOfKey(byKey, toName(key));
    return tags.map((tag) => {
      if (known.has(tag)) return tag;
      if (known.size >= MAX_TAGS) return OTHER_TAGS;
      known.add(tag);
      return tag;
    });
  }
}

function tagsOfKey(byKey: TagsOfDay, key: string): Set<string> {
  let tags = byKey.get(key);
  if (tags === undefined) byKey.set(key, tags = new Set());
  return tags;
}
