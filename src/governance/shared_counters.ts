/**
 * Counters in memory that all workers of a process share, so that a limit holds exactly for all of
 * them together. Every operation is one atomic step or a loop of compare-and-swap; none waits.
 */

import { createHash } from "node:crypto";
import type { Counters, Rate, Slot } from "./counters.ts";

/** The number of counters. Memory of unused counters is never accessed. */
const CAPACITY = 65_536;
/** A counter: its ID, its value, and what each worker holds of it. */
const ID = 0;
const VALUE = 1;
const FIRST_OWNER = 2;

/** Memory that workers can share by message. */
export interface SharedMemory {
  /** The counters, and after them the numbers of workers and of threads. */
  readonly buffer: SharedArrayBuffer;
  /** The maximum number of workers that hold places; their numbers start at 1. */
  readonly maxWorkers: number;
}

/** Allocates the memory of all counters. */
export function allocateCounters(maxWorkers: number, workers: number = maxWorkers): SharedMemory {
  const cells = CAPACITY * (FIRST_OWNER + maxWorkers) + 2;
  const buffer = new SharedArrayBuffer(cells * BigInt64Array.BYTES_PER_ELEMENT);
  const memory = { buffer, maxWorkers };
  new SharedCounters(memory).workers = workers;
  return memory;
}

/** The counters as one worker uses them. */
export class SharedCounters implements Counters {
  readonly #cells: BigInt64Array<SharedArrayBuffer>;
  readonly #width: number;
  readonly #owner: number;
  readonly #slots = new Map<string, Slot>();

  get workers(): number {
    return Number(Atomics.load(this.#cells, CAPACITY * this.#width));
  }

  set workers(count: number) {
    Atomics.store(this.#cells, CAPACITY * this.#width, BigInt(count));
  }

  get threads(): number {
    return Number(Atomics.load(this.#cells, CAPACITY * this.#width + 1));
  }

  set threads(count: number) {
    Atomics.store(this.#cells, CAPACITY * this.#width + 1, BigInt(count));
  }

  get maxWorkers(): number {
    return this.#width - FIRST_OWNER;
  }

  /** @param worker the number of this worker, from 1 */
  constructor({ buffer, maxWorkers }: SharedMemory, worker = 1) {
    this.#cells = new BigInt64Array(buffer);
    this.#width = FIRST_OWNER + maxWorkers;
    this.#owner = FIRST_OWNER + worker - 1;
  }

  slotOf(name: string): Slot {
    let slot = this.#slots.get(name);
    if (slot === undefined) this.#slots.set(name, slot = this.#findSlot(name));
    return slot;
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

  /** Releases the places and reservations of a worker that has ended without releasing them. */
  releaseWorker(worker: number): void {
    const owner = FIRST_OWNER + worker - 1;
    for (let slot = 0; slot < CAPACITY * this.#width; slot += this.#width) {
      // Memory that is only read is not allocated.
      if (Atomics.load(this.#cells, slot + owner) === 0n) continue;
      const held = Atomics.exchange(this.#cells, slot + owner, 0n);
      // A number of places is a sum of period 0.
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
    // Other workers must see the reservation before it is part of the sum, so that of two that do
    // not fit together, the second one finds the first.
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
    for (let owner = FIRST_OWNER; owner < this.#width; owner++) {
      const held = Atomics.load(this.#cells, slot + owner);
      if (isOf(held, period)) sum += sumOf(held);
    }
    return sum;
  }

  /** Adds an amount that exceeds what is left, if nothing else is reserved and something is left. */
  #spendAlone(slot: Slot, period: number, amount: number, max: number): boolean {
    const index = slot + VALUE;
    // This worker's own reservation is there already.
    const hasOthers = () => this.reserved(slot, period) > Math.round(amount);
    for (;;) {
      const before = Atomics.load(this.#cells, index);
      const sum = isOf(before, period) ? sumOf(before) : 0;
      if (sum >= max || hasOthers()) return false;
      if (!this.#swap(index, before, toCell(period, sum + amount))) continue;
      // The sum may have been settled and reserved again meanwhile.
      if (!hasOthers()) return true;
      this.correct(slot, period, -amount);
      return false;
    }
  }

  settle(slot: Slot, period: number, reserved: number, used: number): void {
    // In this order, no worker takes what was reserved for what was spent.
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

  /** Adds to the sum of a period, which never falls below 0, unless another period has begun. */
  #add(index: number, period: bigint, amount: bigint): void {
    for (;;) {
      const before = Atomics.load(this.#cells, index);
      if (before / SUM_RANGE !== period) return;
      const sum = before % SUM_RANGE + amount;
      if (this.#swap(index, before, period * SUM_RANGE + (sum > 0n ? sum : 0n))) return;
    }
  }

  #swap(index: number, before: bigint, after: bigint): boolean {
    return Atomics.compareExchange(this.#cells, index, before, after) === before;
  }

  #findSlot(name: string): Slot {
    const id = createHash("sha256").update(name).digest().readBigInt64BE() | 1n;
    let position = Number(BigInt.asUintN(32, id)) % CAPACITY;
    for (let probes = 0; probes < CAPACITY; probes++) {
      const slot = position * this.#width;
      const found = Atomics.compareExchange(this.#cells, slot + ID, 0n, id);
      if (found === 0n || found === id) return slot;
      position = (position + 1) % CAPACITY;
    }
    throw new RangeError("Every shared counter is in use");
  }
}

/** A sum takes the lower 48 bits of a cell, and the number of its period the bits above. */
const SUM_RANGE = 1n << 48n;
const PERIODS = 1 << 14;

function toCell(period: number, sum: number): bigint {
  return BigInt(period % PERIODS) * SUM_RANGE + BigInt(Math.max(0, Math.round(sum)));
}

function isOf(cell: bigint, period: number): boolean {
  return Number(cell / SUM_RANGE) === period % PERIODS;
}

function sumOf(cell: bigint): number {
  return Number(cell % SUM_RANGE);
}
