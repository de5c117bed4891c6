/** Measurements of a target: speed, open requests and failures. */

import type { Usage } from "../chat/chat.ts";
import { toCount } from "../core/json/values.ts";
import { FailurePenalty, TimedMean, TimedPeak } from "./timed_figures.ts";
import { type TypicalUsage, UsageMeans } from "./usage_means.ts";

/** After this time a latency or failure counts for 1/e: load balancing must follow quickly. */
const LOAD_DECAY_MS = 10_000;
/** The same for the figures that choose the fastest target, which should not follow noise. */
const SPEED_DECAY_MS = 60_000;
/** After this time without an attempt, one request finds out whether a target still fails. */
const RETRY_MS = 5000;
/** Output that came within fewer milliseconds was buffered: its rate says nothing. */
const MIN_OUTPUT_MS = 20;

/** Measurements of one kind of answers. Streams and whole answers are never mixed. */
export class AnswerSpeed {
  /** Milliseconds to the first content of a stream, or to the end of a whole answer. */
  readonly latency = new TimedPeak(LOAD_DECAY_MS);
  /** The share of requests that failed, from 0 to 1. */
  readonly failures = new TimedMean(LOAD_DECAY_MS);
  /** What these failures add to the other figures. */
  readonly penalty = new FailurePenalty();
  /** As `latency`, as a mean. */
  readonly firstContent = new TimedMean(SPEED_DECAY_MS);
  /** Milliseconds for each output token. */
  readonly perToken = new TimedMean(SPEED_DECAY_MS);
}

/** The statistics of one model at one provider. Times are milliseconds of the clock. */
export class TargetStats {
  readonly streams = new AnswerSpeed();
  readonly answers = new AnswerSpeed();
  readonly #usage = new UsageMeans();
  /** Attempts that have begun and whose answers have not ended. */
  inFlight = 0;
  /** Failures since the last answer. */
  failuresInRow = 0;
  /** When the last attempt has begun or failed. */
  lastAt = -Infinity;
  /** The last failure that a caller's prompt may have caused. */
  #suspect = { caller: "", at: -Infinity };

  /** The figures of streams or of whole answers. */
  speedOf(stream: boolean): AnswerSpeed {
    return stream ? this.streams : this.answers;
  }

  /** Records the usage of an answer as the vendor reports it. */
  used(usage: Usage, now: number): void {
    this.#usage.add(usage, now);
  }

  /** The average usage; undefined without a recent answer. */
  usage(now: number): TypicalUsage | undefined {
    return this.#usage.value(now);
  }

  /**
   * Whether a failure counts. Prompts that make a target fail count once for each caller and decay
   * time, so that one caller cannot make the target look worse to all others.
   */
  counts(suspect: string | undefined, now: number): boolean {
    if (suspect === undefined) return true;
    const { caller, at } = this.#suspect;
    if (caller === suspect && now < at + LOAD_DECAY_MS) return false;
    this.#suspect = { caller: suspect, at: now };
    return true;
  }

  /** Whether the target may get one request although its figures are against it. */
  isProbeDue(afterMs: number, now: number): boolean {
    return this.inFlight === 0 && now - this.lastAt >= afterMs;
  }

  /** Whether the last attempts have failed, and the next request may find out whether they still do. */
  isRetryDue(now: number): boolean {
    return this.failuresInRow > 0 && this.isProbeDue(RETRY_MS, now);
  }

  /** An attempt begins. The caller ends it once. */
  begin(stream: boolean, now: number): AttemptTimer {
    this.lastAt = Math.max(this.lastAt, now);
    return new AttemptTimer(this, this.speedOf(stream), now);
  }
}

/** Measures one attempt. Only the first call that ends it has an effect. */
export class AttemptTimer {
  readonly #stats: TargetStats;
  readonly #speed: AnswerSpeed;
  readonly #began: number;
  #contentAt: number | undefined;
  #isOpen = true;

  constructor(stats: TargetStats, speed: AnswerSpeed, now: number) {
    this.#stats = stats;
    this.#speed = speed;
    this.#began = now;
    stats.inFlight++;
  }

  /** A stream's first content has arrived; the attempt continues. */
  firstContent(now: number): void {
    if (!this.#isOpen || this.#contentAt !== undefined) return;
    this.#contentAt = now;
    this.#succeeded(now);
  }

  /**
   * The answer has ended.
   *
   * @param usage undefined if unknown
   */
  answered(usage: Usage | undefined, now: number): void {
    if (!this.#leave()) return;
    if (usage !== undefined) this.#stats.used(usage, now);
    if (this.#contentAt === undefined) this.#succeeded(now);
    const ms = now - (this.#contentAt ?? this.#began);
    const tokens = toCount(usage?.completion_tokens);
    if (tokens === 0 || ms < MIN_OUTPUT_MS) return;
    this.#speed.perToken.add(ms / tokens, now);
  }

  /**
   * The target has failed.
   *
   * @param suspect the service key of the request, if its prompt may have caused the failure
   */
  failed(now: number, suspect?: string): void {
    if (!this.#leave() || !this.#stats.counts(suspect, now)) return;
    this.#stats.failuresInRow++;
    this.#stats.lastAt = Math.max(this.#stats.lastAt, now);
    this.#speed.failures.add(1, now);
    this.#speed.penalty.failed(now - this.#began, now);
  }

  /**
   * The attempt has ended without proof that the target works or fails, for example because of the
   * caller.
   */
  left(): void {
    this.#leave();
  }

  /**
   * The client has disconnected. If it waited longer than usual, the target is at least that slow.
   */
  abandoned(now: number): void {
    if (!this.#leave() || this.#contentAt !== undefined) return;
    const { latency } = this.#speed;
    const waited = now - this.#began;
    if (latency.last !== undefined && waited > latency.last) latency.add(waited, now);
  }

  #succeeded(now: number): void {
    this.#stats.failuresInRow = 0;
    const ms = now - this.#began;
    this.#speed.latency.add(ms, now);
    this.#speed.failures.add(0, now);
    this.#speed.penalty.answered(now);
    this.#speed.firstContent.add(ms, now);
  }

  #leave(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.#stats.inFlight--;
    return true;
  }
}
