/**
 * Counters in memory shared by all workers in a process, so that limits are exact across workers.
 * Every operation is one atomic step or a loop of compare-and-swap; none waits.
 */

import { createHash } from "node:crypto";
import { systemClock } from "../core/clock.ts";
import { type Counters, isSum, NoCounterError, type Rate, type Slot } from "./counters.ts";

/** The number of counters. The memory for unused counters is never accessed. */
const CAPACITY = 65_536;
/** A counter: its ID, its value, each worker's reservation, and the threads that use it. */
const ID = 0;
const VALUE = 1;
const FIRST_OWNER = 2;
/** Cells after the counters: the numbers of workers and of threads, and the lock of the IDs. */
const WORKERS = 0;
const THREADS = 1;
const LOCK = 2;
const EXTRA_CELLS = 3;
/** Milliseconds after which a crashed thread's lock is taken over. */
const MAX_LOCK_MS = 100;

/** Memory that workers can share by message. */
export interface SharedMemory {
  /** The counters, followed by some cells for all threads. */
  readonly buffer: SharedArrayBuffer;
  /** The maximum number of workers that hold slots; their numbers start at 1. */
  readonly maxWorkers: number;
}

/** Allocates the memory for all counters. */
export function allocateCounters(maxWorkers: number, workers: number = maxWorkers): SharedMemory {
  const cells = CAPACITY * widthOf(maxWorkers) + EXTRA_CELLS;
  const buffer = new SharedArrayBuffer(cells * BigInt64Array.BYTES_PER_ELEMENT);
  const memory = { buffer, maxWorkers };
  new SharedCounters(memory).workers = workers;
  return memory;
}

/** A counter's cells. The supervisor uses counters as thread 0. */
function widthOf(maxWorkers: number): number {
  return FIRST_OWNER + maxWorkers + maxWorkers + 1;
}

/** A counter that this thread uses. */
interface Used {
  readonly slot: Slot;
  /** Its number of uses. */
  count: number;
}

/** The counters as used by one thread. */
export class SharedCounters implements Counters {
  readonly #cells: BigInt64Array<SharedArrayBuffer>;
  readonly #width: number;
  readonly #owner: number;
  /** The offset of the flag by which this thread marks a counter as used. */
  readonly #user: number;
  readonly #firstUser: number;
  readonly #used = new Map<string, Used>();
  readonly maxWorkers: number;

  get workers(): number {
    return Number(Atomics.load(this.#cells, CAPACITY * this.#width + WORKERS));
  }

  set workers(count: number) {
    Atomics.store(this.#cells, CAPACITY * this.#width + WORKERS, BigInt(count));
  }

  get threads(): number {
    return Number(Atomics.load(this.#cells, CAPACITY * this.#width + THREADS));
  }

  set threads(count: number) {
    Atomics.store(this.#cells, CAPACITY * this.#width + THREADS, BigInt(count));
  }

  /** @param worker this worker's number, from 1; 0 for the supervisor, which reserves nothing */
  constructor({ buffer, maxWorkers }: SharedMemory, worker = 1) {
    this.#cells = new BigInt64Array(buffer);
    this.#width = widthOf(maxWorkers);
    this.maxWorkers = maxWorkers;
    this.#owner = FIRST_OWNER + Math.max(1, worker) - 1;
    this.#firstUser = FIRST_OWNER + maxWorkers;
    this.#user = this.#firstUser + worker;
  }

  slotOf(name: string): Slot {
    const used = this.#used.get(name);
    if (used !== undefined) {
      used.count++;
      return used.slot;
    }
    const slot = this.#locked(() => this.#findSlot(name));
    this.#used.set(name, { slot, count: 1 });
    return slot;
  }

  release(name: string): void {
    const used = this.#used.get(name);
    if (used === undefined || --used.count > 0) return;
    this.#used.delete(name);
    Atomics.store(this.#cells, used.slot + this.#user, 0n);
  }

  take(slot: Slot, units: number, { perUnit, burst }: Rate, now: number): number {
    const index = slot + VALUE;
    const increment = Math.ceil(units * perUnit);
    for (;;) {
      const before = Atomics.load(this.#cells, index);
      const full = Math.max(Number(before), now) + increment;
      const wait = full - now - burst;
      if (wait > 0) return wait;
      if (this.#swap(index, before, BigInt(full))) return 0;
    }
  }

  adjust(slot: Slot, units: number, { perUnit }: Rate, now: number): void {
    const index = slot + VALUE;
    const change = Math.round(units * perUnit);
    for (;;) {
      const before = Atomics.load(this.#cells, index);
      if (this.#swap(index, before, BigInt(Math.max(Number(before), now) + change))) return;
    }
  }

  setFillTime(slot: Slot, microseconds: number, now: number): void {
    Atomics.store(this.#cells, slot + VALUE, BigInt(Math.round(now + microseconds)));
  }

  fillTime(slot: Slot, now: number): number {
    return Math.max(0, Number(Atomics.load(this.#cells, slot + VALUE)) - now);
  }

  enter(slot: Slot, limit: number): boolean {
    const index = slot + VALUE;
    for (;;) {
      const before = Atomics.load(this.#cells, index);
      if (before >= BigInt(limit)) return false;
      if (!this.#swap(index, before, before + 1n)) continue;
      Atomics.add(this.#cells, slot + this.#owner, 1n);
      return true;
    }
  }

  hold(slot: Slot): number {
    Atomics.add(this.#cells, slot + this.#owner, 1n);
    return Number(Atomics.add(this.#cells, slot + VALUE, 1n)) + 1;
  }

  leave(slot: Slot): number {
    Atomics.sub(this.#cells, slot + this.#owner, 1n);
    return Number(Atomics.sub(this.#cells, slot + VALUE, 1n)) - 1;
  }

  taken(slot: Slot): number {
    return Number(Atomics.load(this.#cells, slot + VALUE));
  }

  /** Releases an exited worker's slots, reservations and counters. */
  releaseWorker(worker: number): void {
    const owner = FIRST_OWNER + worker - 1;
    const user = this.#firstUser + worker;
    for (let slot = 0; slot < CAPACITY * this.#width; slot += this.#width) {
      if (Atomics.load(this.#cells, slot + user) !== 0n) {
        Atomics.store(this.#cells, slot + user, 0n);
      }
      // Reading does not make the system allocate memory.
      if (Atomics.load(this.#cells, slot + owner) === 0n) continue;
      const held = Atomics.exchange(this.#cells, slot + owner, 0n);
      // Concurrency is stored as a sum with period 0.
      this.#add(slot + VALUE, held / SUM_RANGE, -(held % SUM_RANGE));
    }
  }

  spend(slot: Slot, period: number, amount: number, max: number): boolean {
    const index = slot + VALUE;
    for (;;) {
      const before = Atomics.load(this.#cells, index);
      const sum = (isOf(before, period) ? sumOf(before) : 0) + amount;
      if (sum > max) return false;
      if (this.#swap(index, before, toCell(period, sum))) return true;
    }
  }

  reserve(slot: Slot, period: number, amount: number, max: number): boolean {
    // Other workers must see the reservation before it is part of the sum, so that of two
    // conflicting reservations, the second one sees the first.
    const held = Atomics.load(this.#cells, slot + this.#owner);
    const sum = (isOf(held, period) ? sumOf(held) : 0) + amount;
    Atomics.store(this.#cells, slot + this.#owner, toCell(period, sum));
    if (this.spend(slot, period, amount, max) || this.#spendAlone(slot, period, amount, max)) {
      return true;
    }
    this.#add(slot + this.#owner, BigInt(period % PERIODS), -BigInt(Math.round(amount)));
    return false;
  }

  reserved(slot: Slot, period: number): number {
    let sum = 0;
    for (let owner = FIRST_OWNER; owner < this.#firstUser; owner++) {
      const held = Atomics.load(this.#cells, slot + owner);
      if (isOf(held, period)) sum += sumOf(held);
    }
    return sum;
  }

  /**
   * Adds an amount that exceeds the remainder, if the remainder is positive and nothing else is
   * reserved.
   */
  #spendAlone(slot: Slot, period: number, amount: number, max: number): boolean {
    const index = slot + VALUE;
    // This worker's own reservation is already included.
    const hasOthers = () => this.reserved(slot, period) > Math.round(amount);
    for (;;) {
      const before = Atomics.load(this.#cells, index);
      const sum = isOf(before, period) ? sumOf(before) : 0;
      if (sum >= max || hasOthers()) return false;
      if (!this.#swap(index, before, toCell(period, sum + amount))) continue;
      // The sum may have been settled and reserved again in the meantime.
      if (!hasOthers()) return true;
      this.correct(slot, period, -amount);
      return false;
    }
  }

  settle(slot: Slot, period: number, reserved: number, used: number): void {
    // This order keeps other workers from counting reservations as spending.
    this.correct(slot, period, used - reserved);
    const part = BigInt(period % PERIODS);
    this.#add(slot + this.#owner, part, -BigInt(Math.round(reserved)));
  }

  correct(slot: Slot, period: number, amount: number): void {
    this.#add(slot + VALUE, BigInt(period % PERIODS), BigInt(Math.round(amount)));
  }

  setSpent(slot: Slot, period: number, sum: number): void {
    Atomics.store(this.#cells, slot + VALUE, toCell(period, sum));
  }

  spent(slot: Slot, period: number): number {
    const cell = Atomics.load(this.#cells, slot + VALUE);
    return isOf(cell, period) ? sumOf(cell) : 0;
  }

  /** Adds to a period's sum, which never falls below 0, unless another period has begun. */
  #add(index: number, period: bigint, amount: bigint): void {
    for (;;) {
      const before = Atomics.load(this.#cells, index);
      if (before / SUM_RANGE !== period) return;
      const sum = BigInt(toSum(Number(before % SUM_RANGE + amount)));
      if (this.#swap(index, before, period * SUM_RANGE + sum)) return;
    }
  }

  #swap(index: number, before: bigint, after: bigint): boolean {
    return Atomics.compareExchange(this.#cells, index, before, after) === before;
  }

  /** Runs exclusively among all threads. It is needed only when a thread begins to use a counter. */
  #locked<Result>(run: () => Result): Result {
    const lock = CAPACITY * this.#width + LOCK;
    const since = systemClock.now();
    while (!this.#swap(lock, 0n, 1n)) {
      if (systemClock.now() - since > MAX_LOCK_MS) break;
    }
    try {
      return run();
    } finally {
      Atomics.store(this.#cells, lock, 0n);
    }
  }

  /** The counter with a name, or an idle one that no thread uses. */
  #findSlot(name: string): Slot {
    const hash = createHash("sha256").update(name).digest().readBigInt64BE();
    const id = (hash & ~3n) | (isSum(name) ? SUM_ID : 1n);
    let position = Number(BigInt.asUintN(32, hash)) % CAPACITY;
    let free: Slot | undefined;
    for (let probes = 0; probes < CAPACITY; probes++) {
      const slot = position * this.#width;
      const found = Atomics.load(this.#cells, slot + ID);
      if (found === id) return this.#use(slot);
      if (found === 0n) {
        free ??= slot;
        break;
      }
      if (free === undefined && this.#isFree(slot, found)) free = slot;
      position = (position + 1) % CAPACITY;
    }
    if (free === undefined) throw new NoCounterError();
    for (let cell = VALUE; cell < this.#width; cell++) {
      // Reading does not make the system allocate memory.
      if (Atomics.load(this.#cells, free + cell) !== 0n) {
        Atomics.store(this.#cells, free + cell, 0n);
      }
    }
    Atomics.store(this.#cells, free + ID, id);
    return this.#use(free);
  }

  #use(slot: Slot): Slot {
    Atomics.store(this.#cells, slot + this.#user, 1n);
    return slot;
  }

  /** Whether a counter is idle: no thread uses it, no slot is taken, and a bucket is full. */
  #isFree(slot: Slot, id: bigint): boolean {
    for (let cell = this.#firstUser; cell < this.#width; cell++) {
      if (Atomics.load(this.#cells, slot + cell) !== 0n) return false;
    }
    for (let cell = FIRST_OWNER; cell < this.#firstUser; cell++) {
      if (Atomics.load(this.#cells, slot + cell) % SUM_RANGE !== 0n) return false;
    }
    if ((id & SUM_ID) === SUM_ID) return true;
    const nowUs = systemClock.now() * 1000;
    return Number(Atomics.load(this.#cells, slot + VALUE)) <= nowUs;
  }
}

/** The lowest bits of a sum's ID; other counters have 1. The ledger restores sums. */
const SUM_ID = 3n;
/**
 * A sum occupies the lower 52 bits of a cell (4.5 million US dollars in nano-dollars), and the
 * number of its period the upper bits.
 */
const SUM_RANGE = 1n << 52n;
const MAX_SUM = 2 ** 52 - 1;
const PERIODS = 1 << 11;

function toCell(period: number, sum: number): bigint {
  return BigInt(period % PERIODS) * SUM_RANGE + BigInt(toSum(sum));
}

/** Limits an integer to what fits into a cell. */
function toSum(sum: number): number {
  return Math.min(MAX_SUM, Math.max(0, Math.round(sum)));
}

function isOf(cell: bigint, period: number): boolean {
  return Number(cell / SUM_RANGE) === period % PERIODS;
}

function sumOf(cell: bigint): number {
  return Number(cell % SUM_RANGE);
}
