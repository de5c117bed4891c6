/**
 * Maps that keep the newest entry last, and a linked list for entries that come and go with
 * requests.
 */

/** Sets a map entry and makes it the newest one. */
export function setNewest<Name, Value>(
  entries: Map<Name, Value>,
  name: Name,
  value: Value,
  most: number,
): void {
  entries.delete(name);
  entries.set(name, value);
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}

/**
 * Returns a map entry and makes it the newest one. Returns a map entry, and creates it if it is
 * missing.
 */
export function touch<Name, Value>(
  entries: Map<Name, Value>,
  name: Name,
  most: number,
  create: () => Value,
): Value {
  const value = entries.get(name) ?? create();
  setNewest(entries, name, value, most);
  return value;
}

/** A value in a list. */
export interface ListEntry<Value> {
  readonly value: Value;
  readonly isRemoved: boolean;
}

interface Link<Value> extends ListEntry<Value> {
  previous: Link<Value> | undefined;
  next: Link<Value> | undefined;
  isRemoved: boolean;
}

/**
 * A list in insertion order. Adding and removing take constant time.
 *
 * A `Set` with frequent changes copies its table repeatedly, and each replaced table keeps its
 * entries alive until the next full garbage collection. An entry removed from this list does not
 * keep others alive.
 */
export class LinkedList<Value> implements Iterable<Value> {
  #first: Link<Value> | undefined;
  #last: Link<Value> | undefined;
  /** The number of entries. Only the list changes it. */
  size = 0;

  /** The oldest entry. */
  get first(): ListEntry<Value> | undefined {
    return this.#first;
  }

  /** Appends a value. */
  add(value: Value): ListEntry<Value> {
    const last = this.#last;
    const link: Link<Value> = { value, previous: last, next: undefined, isRemoved: false };
    if (last === undefined) this.#first = link;
    else last.next = link;
    this.#last = link;
    this.size++;
    return link;
  }

  /** Removes an entry from this list; false if it was removed before. */
  remove(entry: ListEntry<Value>): boolean {
    const link = entry as Link<Value>;
    if (link.isRemoved) return false;
    const { previous, next } = link;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    link.isRemoved = true;
    // A removed entry must not keep its neighbors in memory.
    link.previous = link.next = undefined;
    this.size--;
    return true;
  }

  /** Removes all entries. */
  clear(): void {
    for (let entry = this.#first; entry !== undefined; entry = this.#first) this.remove(entry);
  }

  /** The values in order. The list must not change during iteration. */
  *[Symbol.iterator](): Generator<Value> {
    for (let link = this.#first; link !== undefined; link = link.next) yield link.value;
  }

  /** The oldest entry that meets the condition. */
  find(fits: (value: Value) => boolean): ListEntry<Value> | undefined {
    let link = this.#first;
    while (link !== undefined && !fits(link.value)) link = link.next;
    return link;
  }
}

/**
 * Returns a function that converts names and never returns the same name twice. It appends a number
 * to a name that is already in use.
 *
 * @param fix converts a name to one that the vendor accepts
 * @param maxLength the maximum length of a name, in characters
 */
export function uniquely(fix: (name: string) => string, maxLength = 64): (name: string) => string {
  const used = new Set<string>();
  let nextNumbers: Map<string, number> | undefined;
  return (name) => {
    const fixed = fix(name);
    let unique = fixed;
    // Names with the same prefix share a counter, so that no number is tried twice.
    for (let digits = 1; used.has(unique); digits++) {
      const start = fixed.slice(0, maxLength - digits - 1);
      const [first, end] = [Math.max(2, 10 ** (digits - 1)), 10 ** digits];
      const key = `${digits}_${start}`;
      nextNumbers ??= new Map();
      let number = nextNumbers.get(key) ?? first;
      while (number < end && used.has(unique = `${start}_${number}`)) number++;
      nextNumbers.set(key, number);
    }
    used.add(unique);
    return unique;
  };
}
