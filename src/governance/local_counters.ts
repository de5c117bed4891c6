/** A single thread's counters. Shared counters are several times slower. */

import { systemClock } from "../core/clock.ts";
import { type Counters, isSum, type Rate, type Slot } from "./counters.ts";

/** The number of unused counters that are examined for a new name. */
const MAX_EXAMINED = 16;

export class LocalCounters implements Counters {
  readonly workers = 1;
  readonly threads = 1;
  readonly maxWorkers = 1;
  readonly #slots = new Map<string, Slot>();
  /** The use count of each counter, and the names of unused counters. */
  readonly #uses: number[] = [];
  readonly #unused = new Set<string>();
  /**
   * The time at which a bucket is full (its GCRA arrival time), the number of taken slots, or a
   * period's sum.
   */
  readonly #values: number[] = [];
  /** The period of each sum. */
  readonly #periods: number[] = [];
  /** The reserved part of each sum, by slot. */
  readonly #reserved = new Map<Slot, { period: number; sum: number }>();

  slotOf(name: string): Slot {
    let slot = this.#slots.get(name);
    if (slot === undefined) {
      slot = this.#takeUnused() ?? this.#values.length;
      this.#values[slot] = 0;
      this.#periods[slot] = 0;
      this.#uses[slot] = 0;
      this.#slots.set(name, slot);
    }
    this.#unused.delete(name);
    this.#uses[slot] = (this.#uses[slot] ?? 0) + 1;
    return slot;
  }

  release(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined || this.#uses[slot] === 0) return;
    this.#uses[slot] = (this.#uses[slot] ?? 0) - 1;
    if (this.#uses[slot] === 0) this.#unused.add(name);
  }

  /** An unused, idle counter. */
  #takeUnused(): Slot | undefined {
    const nowUs = systemClock.now() * 1000;
    let examined = 0;
    for (const name of this.#unused) {
      const slot = this.#slots.get(name);
      if (slot !== undefined && (isSum(name) || this.#value(slot) <= nowUs)) {
        this.#unused.delete(name);
        this.#slots.delete(name);
        return slot;
      }
      if (++examined === MAX_EXAMINED) break;
    }
    return undefined;
  }

  take(slot: Slot, units: number, { perUnit, burst }: Rate, now: number): number {
    const full = Math.max(this.#value(slot), now) + Math.ceil(units * perUnit);
    const wait = full - now - burst;
    if (wait > 0) return wait;
    this.#values[slot] = full;
    return 0;
  }

  adjust(slot: Slot, units: number, { perUnit }: Rate, now: number): void {
    this.#values[slot] = Math.max(this.#value(slot), now) + Math.round(units * perUnit);
  }

  setFillTime(slot: Slot, microseconds: number, now: number): void {
    this.#values[slot] = Math.round(now + microseconds);
  }

  fillTime(slot: Slot, now: number): number {
    return Math.max(0, this.#value(slot) - now);
  }

  enter(slot: Slot, limit: number): boolean {
    if (this.#value(slot) >= limit) return false;
    this.hold(slot);
    return true;
  }

  hold(slot: Slot): number {
    return this.#values[slot] = this.#value(slot) + 1;
  }

  leave(slot: Slot): number {
    return this.#values[slot] = this.#value(slot) - 1;
  }

  taken(slot: Slot): number {
    return this.#value(slot);
  }

  spend(slot: Slot, period: number, amount: number, max: number): boolean {
    const sum = this.spent(slot, period) + amount;
    if (sum > max) return false;
    this.setSpent(slot, period, sum);
    return true;
  }

  reserve(slot: Slot, period: number, amount: number, max: number): boolean {
    const before = this.reserved(slot, period);
    const sum = this.spent(slot, period);
    if (sum + amount > max && (sum >= max || before > 0)) return false;
    this.setSpent(slot, period, sum + amount);
    this.#reserved.set(slot, { period, sum: before + Math.round(amount) });
    return true;
  }

  reserved(slot: Slot, period: number): number {
    const found = this.#reserved.get(slot);
    return found?.period === period ? found.sum : 0;
  }

  settle(slot: Slot, period: number, reserved: number, used: number): void {
    const found = this.#reserved.get(slot);
    if (found?.period === period) found.sum = Math.max(0, found.sum - Math.round(reserved));
    this.correct(slot, period, used - reserved);
  }

  correct(slot: Slot, period: number, amount: number): void {
    if (this.#periods[slot] !== period) return;
    this.#values[slot] = Math.max(0, this.#value(slot) + Math.round(amount));
  }

  setSpent(slot: Slot, period: number, sum: number): void {
    this.#periods[slot] = period;
    this.#values[slot] = Math.max(0, Math.round(sum));
  }

  spent(slot: Slot, period: number): number {
    return this.#periods[slot] === period ? this.#value(slot) : 0;
  }

  #value(slot: Slot): number {
    return this.#values[slot] ?? 0;
  }
}
