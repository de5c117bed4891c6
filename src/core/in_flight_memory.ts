/**
 * Accounts for the memory that large requests and answers take across the workers of the process. Every
 * step is atomic; none waits.
 */

/** Sums are kept in KiB, so that 32 bits count up to 2 TiB. */
const UNIT = 1024;

/** Keys in the same bucket share their quota. */
const BUCKETS = 1024;

/** A row contains the total and each bucket's sum. The first row is the sum over all workers. */
const ROW = 1 + BUCKETS;

/**
 * A key may hold this multiple of the free memory. A single key can hold at most three quarters of
 * the limit, and some memory always remains free.
 */
const SHARE = 3;

/** Memory that workers can share by message. */
export type InFlightBuffer = SharedArrayBuffer;

/** Allocates the sums for workers, numbered from 1. */
export function allocateInFlight(maxWorkers: number): InFlightBuffer {
  return new SharedArrayBuffer((1 + maxWorkers) * ROW * Int32Array.BYTES_PER_ELEMENT);
}

/** The reason why a reservation failed. */
export type Refused = "request" | "answer";

/**
 * The kinds of reservations. Data that is `stored` for later requests is discarded if it does not
 * fit.
 */
type Held = Refused | "stored";

/**
 * Each service key's account for data that outlives a request, which is part of the key's share.
 */
export interface MemoryAccount {
  /** Reserves bytes for a key. Returns false, without reserving any, if they do not fit. */
  take(key: string, bytes: number): boolean;
  /** Releases bytes that one call has reserved. */
  giveBack(key: string, bytes: number): void;
}

/** The options of {@linkcode InFlightMemory}. */
export interface InFlightOptions {
  /** The default limit in bytes. */
  readonly defaultLimit: number;
  readonly onRefused: (refused: Refused) => void;
}

/** The memory for requests and answers, as seen by one worker. */
export class InFlightMemory {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #own: number;
  readonly #options: InFlightOptions;

  /** @param worker this worker's number, from 1 */
  constructor(buffer: InFlightBuffer, worker: number, options: InFlightOptions) {
    this.#cells = new Int32Array(buffer);
    this.#own = worker * ROW;
    this.#options = options;
  }

  /** The bytes that all workers hold. */
  get bytes(): number {
    return Atomics.load(this.#cells, 0) * UNIT;
  }

  /**
   * Begins a request, which holds no memory yet.
   *
   * @param limit in bytes, if one is configured
   */
  begin(key: string, limit: number | undefined): MemoryLease {
    return new MemoryLease(this, key, limit ?? this.#options.defaultLimit);
  }

  /**
   * Creates accounts for data that outlives a request.
   *
   * @param limit in bytes, if one is configured
   */
  accountFor(kind: "request" | "stored", limit: () => number | undefined): MemoryAccount {
    return {
      take: (key, bytes) =>
        this.take(unitsOf(bytes), 0, bucketOf(key), limit() ?? this.#options.defaultLimit, kind),
      giveBack: (key, bytes) => this.giveBack(unitsOf(bytes), bucketOf(key)),
    };
  }

  /** Reserves units for a key. Returns whether they fit. Called by {@linkcode MemoryLease}. */
  take(units: number, held: number, bucket: number, limit: number, kind: Held): boolean {
    for (;;) {
      const before = Atomics.load(this.#cells, 0);
      const after = before + units;
      const ofKey = Atomics.load(this.#cells, bucket) + units;
      const free = Math.floor(limit / UNIT) - after;
      // The only request always fits, since no other request could end and free memory.
      const fits = before <= held || (kind === "answer" ? free >= 0 : ofKey <= SHARE * free);
      if (!fits) {
        if (kind !== "stored") this.#options.onRefused(kind);
        return false;
      }
      if (Atomics.compareExchange(this.#cells, 0, before, after) !== before) continue;
      Atomics.add(this.#cells, bucket, units);
      Atomics.add(this.#cells, this.#own, units);
      Atomics.add(this.#cells, this.#own + bucket, units);
      return true;
    }
  }

  /** Returns units. Called by {@linkcode MemoryLease}. */
  giveBack(units: number, bucket: number): void {
    for (const index of [0, bucket, this.#own, this.#own + bucket]) {
      Atomics.sub(this.#cells, index, units);
    }
  }

  /** Releases a crashed worker's memory. */
  static releaseWorker(buffer: InFlightBuffer, worker: number): void {
    const cells = new Int32Array(buffer);
    for (let index = 0; index < ROW; index++) {
      const held = Atomics.exchange(cells, worker * ROW + index, 0);
      if (held !== 0) Atomics.sub(cells, index, held);
    }
  }
}

/** The memory of a single worker, unlimited unless a limit is configured. */
export function unlimitedMemory(): InFlightMemory {
  const options = { defaultLimit: Number.MAX_SAFE_INTEGER, onRefused: () => {} };
  return new InFlightMemory(allocateInFlight(1), 1, options);
}

/** The memory for one request and its answer. */
export class MemoryLease {
  readonly #memory: InFlightMemory;
  readonly #key: string;
  readonly #limit: number;
  #units = 0;
  #bucket = 0;
  #isReleased = false;

  constructor(memory: InFlightMemory, key: string, limit: number) {
    this.#memory = memory;
    this.#key = key;
    this.#limit = limit;
  }

  /** Reserves more bytes. Returns false, without reserving any, if they do not fit. */
  take(bytes: number, kind: Refused): boolean {
    if (this.#isReleased) return true;
    this.#bucket ||= bucketOf(this.#key);
    const units = unitsOf(bytes);
    if (!this.#memory.take(units, this.#units, this.#bucket, this.#limit, kind)) return false;
    this.#units += units;
    return true;
  }

  /** Releases everything. Later calls reserve nothing. */
  release(): void {
    this.#isReleased = true;
    if (this.#units === 0) return;
    this.#memory.giveBack(this.#units, this.#bucket);
    this.#units = 0;
  }
}

function unitsOf(bytes: number): number {
  return Math.ceil(bytes / UNIT);
}

/** From 1 to {@linkcode BUCKETS}. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return 1 + (hash >>> 0) % BUCKETS;
}
