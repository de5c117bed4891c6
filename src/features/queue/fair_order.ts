/**
 * The order of waiting requests: fair among service keys according to their weights, as in
 * start-time fair queueing (Goyal, Vin, Cheng, 1996), and by earliest deadline within a key.
 */

/** A waiting request. */
export interface Waiter {
  /** The name of its service key. */
  readonly key: string;
  /** Its key's share relative to other keys. */
  readonly weight: number;
  /** Its input tokens, at least 1. */
  readonly tokens: number;
  /** The deadline for its turn, in milliseconds by the clock. */
  readonly deadline: number;
}

/** One key's requests. */
interface KeyLine<Item extends Waiter> {
  /** Sorted by deadline, then by arrival. */
  readonly waiters: Item[];
  /** The virtual time at which the key's next request starts. */
  start: number;
  tokens: number;
  /** The requests that currently have a turn and may be put back. */
  taken: number;
}

export class FairOrder<Item extends Waiter> {
  /** Keys with waiting requests. */
  readonly #keys = new Map<string, KeyLine<Item>>();
  /** The virtual start of the last request that had its turn, where a new key begins. */
  #time = 0;
  #size = 0;
  #taken = 0;
  #tokens = 0;

  get size(): number {
    return this.#size;
  }

  /** The tokens of all waiting requests. */
  get tokens(): number {
    return this.#tokens;
  }

  sizeOf(key: string): number {
    return this.#keys.get(key)?.waiters.length ?? 0;
  }

  tokensOf(key: string): number {
    return this.#keys.get(key)?.tokens ?? 0;
  }

  add(item: Item): void {
    let line = this.#keys.get(item.key);
    if (line === undefined) {
      this.#keys.set(item.key, line = { waiters: [], start: this.#time, tokens: 0, taken: 0 });
    }
    line.waiters.splice(positionOf(item, line.waiters), 0, item);
    this.#count(line, item, 1);
  }

  /** Takes the request whose turn it is. */
  take(): Item | undefined {
    let next: KeyLine<Item> | undefined;
    for (const [key, line] of this.#keys) {
      if (line.waiters.length === 0) {
        if (line.taken === 0 && line.start <= this.#time) this.#keys.delete(key);
      } else if (next === undefined || line.start < next.start) next = line;
    }
    const item = next?.waiters.shift();
    if (next === undefined || item === undefined) return undefined;
    this.#time = next.start;
    next.start += item.tokens / item.weight;
    next.taken++;
    this.#taken++;
    this.#count(next, item, -1);
    return item;
  }

  /** Called when a request has used its turn. */
  passed(item: Item): void {
    this.#ended(item);
    this.#forget();
  }

  /** Called when a request with a turn was refused again; it keeps its virtual start time. */
  putBack(item: Item): void {
    const line = this.#ended(item);
    if (line !== undefined) line.start -= item.tokens / item.weight;
    this.add(item);
  }

  /** Removes a request that no longer waits. */
  remove(item: Item): void {
    const line = this.#keys.get(item.key);
    const index = line?.waiters.indexOf(item) ?? -1;
    if (line === undefined || index < 0) return;
    line.waiters.splice(index, 1);
    this.#count(line, item, -1);
    this.#forget();
  }

  /** The number of waiting requests that would have their turn before a request that joined now. */
  ahead(item: Waiter): number {
    const own = this.#keys.get(item.key);
    const before = own === undefined ? 0 : positionOf(item, own.waiters);
    let start = own?.start ?? this.#time;
    for (const { tokens, weight } of own?.waiters.slice(0, before) ?? []) start += tokens / weight;
    let ahead = before;
    for (const line of this.#keys.values()) {
      if (line === own) continue;
      let other = line.start;
      for (const { tokens, weight } of line.waiters) {
        if (other > start) break;
        ahead++;
        other += tokens / weight;
      }
    }
    return ahead;
  }

  #ended(item: Item): KeyLine<Item> | undefined {
    const line = this.#keys.get(item.key);
    if (line === undefined) return undefined;
    line.taken--;
    this.#taken--;
    return line;
  }

  /**
   * A key without requests is kept until the others have caught up, because it has used its share.
   */
  #forget(): void {
    if (this.#size === 0 && this.#taken === 0) this.#keys.clear();
  }

  #count(line: KeyLine<Item>, { tokens }: Item, change: 1 | -1): void {
    line.tokens += change * tokens;
    this.#tokens += change * tokens;
    this.#size += change;
  }
}

/** A request's position among those of its key. */
function positionOf({ deadline }: Waiter, waiters: readonly Waiter[]): number {
  let [low, high] = [0, waiters.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((waiters[middle]?.deadline ?? Infinity) <= deadline) low = middle + 1;
    else high = middle;
  }
  return low;
}
