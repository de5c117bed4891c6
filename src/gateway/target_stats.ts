/** Measurements of a target: speed, open requests and failures. */

import type { TokenCounts } from "../apis/chat/token_counts.ts";
import { ERROR_KINDS, type GatewayError } from "../core/errors.ts";
import type { AnswerFold } from "../streaming/fold.ts";
import {
  FailurePenalty,
  TimedMean,
  TimedPeak,
  type TypicalUsage,
  UsageMeans,
} from "./timed_figures.ts";

/** The decay time for latencies and failures in load balancing, which must react quickly. */
const LOAD_DECAY_MS = 10_000;
/**
 * The decay time of the measurements that select the fastest target, which should not react to
 * noise.
 */
const SPEED_DECAY_MS = 60_000;
/** After this time without an attempt, one request tests whether a target is still failing. */
const RETRY_MS = 5000;
/** Output that arrived in fewer milliseconds than this was buffered, so its rate is meaningless. */
const MIN_OUTPUT_MS = 20;

/** Timers fire up to this many milliseconds early. */
const EARLY_MS = 2;

/** Measurements for one kind of answer. Streams and complete answers are measured separately. */
class AnswerSpeed {
  /** Milliseconds to the first content of a stream, or to the end of a complete answer. */
  readonly latency = new TimedPeak(LOAD_DECAY_MS);
  /** The share of requests that failed, from 0 to 1. */
  readonly failures = new TimedMean(LOAD_DECAY_MS);
  /** The penalty that these failures add to the other measurements. */
  readonly penalty = new FailurePenalty();
  /** The same as a mean. */
  readonly firstContent = new TimedMean(SPEED_DECAY_MS);
  /** Milliseconds per output token. */
  readonly perToken = new TimedMean(SPEED_DECAY_MS);

  /** Called when a target has answered or has started to. */
  answered(ms: number, now: number): void {
    this.latency.add(ms, now);
    this.failures.add(0, now);
    if (this.penalty.failures > 0) this.penalty.answered(now);
    this.firstContent.add(ms, now);
  }
}

/** The statistics of one model at one provider. Times are in milliseconds by the clock. */
export class TargetStats {
  readonly streams = new AnswerSpeed();
  readonly answers = new AnswerSpeed();
  /** The answers' usage as reported by the vendor. */
  readonly used = new UsageMeans();
  /** The number of attempts whose answers have not ended. */
  inFlight = 0;
  /** The number of failures since the last answer. */
  failuresInRow = 0;
  /** When the last attempt began or failed. */
  lastAt = -Infinity;
  /** The last failure that a caller's prompt may have caused. */
  #suspect = { caller: "", at: -Infinity };

  /** The measurements of streams or of complete answers. */
  speedOf(stream: boolean): AnswerSpeed {
    return stream ? this.streams : this.answers;
  }

  /** The average usage; undefined without a recent answer. */
  usage(now: number): TypicalUsage | undefined {
    return this.used.value(now);
  }

  /**
   * Whether a failure counts. Failures that a prompt may have caused count once per caller and
   * decay time, so that one caller cannot make the target look worse to all others.
   */
  counts(suspect: string | undefined, now: number): boolean {
    if (suspect === undefined) return true;
    const { caller, at } = this.#suspect;
    if (caller === suspect && now < at + LOAD_DECAY_MS) return false;
    this.#suspect = { caller: suspect, at: now };
    return true;
  }

  /** Whether the target may receive one request despite its measurements. */
  isProbeDue(afterMs: number, now: number): boolean {
    return this.inFlight === 0 && now - this.lastAt >= afterMs;
  }

  /** Whether the last attempts failed and the next request may test the target again. */
  isRetryDue(now: number): boolean {
    return this.failuresInRow > 0 && this.isProbeDue(RETRY_MS, now);
  }

  /**
   * Called when an attempt begins. The caller must end it once.
   *
   * @param caller the name of the service key, whose prompt may make the target fail
   */
  begin(stream: boolean, now: number, caller?: string): AttemptTimer {
    this.lastAt = Math.max(this.lastAt, now);
    this.inFlight++;
    return new AttemptTimer(this, stream ? this.streams : this.answers, now, caller);
  }
}

/** Measures one attempt. Only the first call that ends it has an effect. */
export class AttemptTimer {
  // Set only in the constructor, since each attempt has a timer.
  declare readonly stats: TargetStats;
  declare readonly speed: AnswerSpeed;
  declare readonly began: number;
  declare readonly caller: string;
  declare contentAt: number | undefined;
  declare isOpen: boolean;

  constructor(stats: TargetStats, speed: AnswerSpeed, now: number, caller = "") {
    this.stats = stats;
    this.speed = speed;
    this.began = now;
    this.caller = caller;
    this.contentAt = undefined;
    this.isOpen = true;
  }

  /** Called when a stream's first content has arrived; the attempt continues. */
  firstContent(now: number): void {
    if (!this.isOpen || this.contentAt !== undefined) return;
    this.contentAt = now;
    this.stats.failuresInRow = 0;
    this.speed.answered(now - this.began, now);
  }

  /**
   * Called when the answer has ended.
   *
   * @param its usage counts; undefined if unknown
   */
  answered(counts: TokenCounts | undefined, now: number): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const stats = this.stats;
    stats.inFlight--;
    if (this.contentAt === undefined) {
      stats.failuresInRow = 0;
      this.speed.answered(now - this.began, now);
    }
    if (counts === undefined) return;
    stats.used.add(counts, now);
    const ms = now - (this.contentAt ?? this.began);
    if (counts.output <= 0 || ms < MIN_OUTPUT_MS) return;
    this.speed.perToken.add(ms / counts.output, now);
  }

  /**
   * Called when the attempt has ended with an error.
   *
   * @param end when the caller's deadline ends the request
   */
  endedWith(error: GatewayError, now: number, end = Infinity): void {
    if (now >= end - EARLY_MS || error.kind === "client_gone") return this.abandoned(now);
    const { breaker, failureClass } = ERROR_KINDS[error.kind];
    // Otherwise the caller is at fault rather than the target.
    const isOfTarget = breaker !== "ignores" || failureClass === "auth" || failureClass === "quota";
    if (!isOfTarget) return this.left();
    this.failed(now, breaker === "per request" ? this.caller : undefined);
  }

  /** Called when a stream has ended. @param its usage counts */
  streamEnded(
    { ended, failure }: Pick<AnswerFold, "ended" | "failure">,
    counts: TokenCounts | undefined,
    now: number,
  ): void {
    if (failure !== undefined && failure.kind !== "client_gone") this.endedWith(failure, now);
    else if (ended) this.answered(counts, now);
    else this.left();
  }

  /**
   * Called when the target has failed.
   *
   * @param suspect the service key of the request, if its prompt may have caused the failure
   */
  failed(now: number, suspect?: string): void {
    if (!this.#leave() || !this.stats.counts(suspect, now)) return;
    this.stats.failuresInRow++;
    this.stats.lastAt = Math.max(this.stats.lastAt, now);
    this.speed.failures.add(1, now);
    this.speed.penalty.failed(now - this.began, now);
  }

  /**
   * Called when the attempt has ended without evidence about the target, for example because of the
   * caller.
   */
  left(): void {
    this.#leave();
  }

  /**
   * Called when the client has disconnected. If it waited longer than usual, the target is at least
   * that slow.
   */
  abandoned(now: number): void {
    if (!this.#leave() || this.contentAt !== undefined) return;
    const { latency } = this.speed;
    const waited = now - this.began;
    if (latency.last !== undefined && waited > latency.last) latency.add(waited, now);
  }

  #leave(): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.stats.inFlight--;
    return true;
  }
}
