/** The attempts behind one streamed answer: the one that began it, and the one that continues it. */

import type { FallbackTarget, Target } from "../../config/config.ts";
import type { FailureClass } from "../../core/errors.ts";
import { ERROR_KINDS, GatewayError } from "../../core/errors.ts";
import type { AnswerFold, OpenStream } from "../../streaming/fold.ts";
import type { Answer } from "../attempt.ts";
import type { AttemptState } from "../attempt_state.ts";
import { usedBy } from "../attempt_usage.ts";
import type { AttemptRules } from "../../gateway/feature.ts";
import { Failover, type FailoverInput, type PathDeps } from "../failover.ts";
import type { RequestOptions } from "../request_options.ts";
import type { StreamContinuation, StreamResult } from "../operation.ts";
import type { RequestLimits } from "../request_limits.ts";
import type { RequestRecord } from "../request_record.ts";
import { ContinuedStream } from "./continued_stream.ts";

/** What a second attempt needs. */
export interface PartsContext {
  readonly chain: readonly FallbackTarget[];
  readonly options: RequestOptions;
  readonly record: RequestRecord;
  readonly deps: PathDeps;
  readonly limits: RequestLimits;
  readonly rules: AttemptRules | undefined;
}

/** The failures after which another target continues: a refused answer is not continued. */
const CONTINUED: ReadonlySet<FailureClass | null> = new Set<FailureClass | null>([
  "rate_limited",
  "quota",
  "unavailable",
  "timeout",
]);

/** A comment that marks the place in the stream; clients ignore it. */
const MARK = new TextEncoder().encode(": continued by another target\n\n");

/** The attempts of one stream. Only the last one is read. */
export class StreamParts {
  readonly stream: OpenStream;
  readonly #context: PartsContext;
  readonly #first: Answer;
  #answer: Answer;

  constructor(answer: Answer, { continuation, stream }: StreamResult, context: PartsContext) {
    this.#answer = this.#first = answer;
    this.#context = context;
    this.stream = continuation === undefined
      ? stream
      : new ContinuedStream(stream, (failure) => this.#openNext(failure, stream, continuation));
  }

  /** Whether another target has gone on with the stream. */
  get isContinued(): boolean {
    return this.#answer !== this.#first;
  }

  /** The attempt whose events are read. */
  get answer(): Answer {
    return this.#answer;
  }

  /** The stream is over. */
  ended(fold: AnswerFold, cancelled: boolean): void {
    const { attempt, deadline, timer } = this.#answer;
    deadline.end();
    if (attempt.next?.type === "continued") {
      // No other target has answered; one may be working on the answer while the client leaves.
      const { record, deps: { clock } } = this.#context;
      if (record.attempt !== attempt && record.attempt?.hasEnded === false) {
        record.attempt.cut(fold.failure, true, clock.now());
      }
      return;
    }
    attempt.report(fold.usage);
    timer?.streamEnded(fold, attempt.counts, this.#context.deps.clock.now());
    attempt.serviceTier = fold.serviceTier;
    attempt.outputChars = fold.outputChars;
    const isCut = cancelled && !fold.ended || fold.failure !== undefined;
    // With the reason why it ended, a vendor reports the final usage.
    attempt.isPartial ||= isCut && fold.summary.finishReasons.length === 0;
  }

  #openNext(
    failure: GatewayError,
    { fold }: OpenStream,
    continuation: StreamContinuation,
  ): Promise<OpenStream> | undefined {
    const { rules, chain, deps, limits, options, record } = this.#context;
    const { attempt } = this.#answer;
    const others = chain.filter(({ target, onFailures }) =>
      isAfter(failure, onFailures) &&
      !record.endedAttempts.some((ended) => isAt(ended, target))
    );
    if (others.length === 0 || !continuation.isPossible || record.ended) return undefined;
    this.ended(fold, false);
    attempt.failed(failure, { type: "continued" });
    record.continuesStreams = false;
    const operation = continuation.createOperation(usedBy(attempt, record).usage);
    const input = { operation, options, record, deps, limits, rules };
    return this.#ask(input, others);
  }

  async #ask(input: FailoverInput, others: readonly FallbackTarget[]): Promise<OpenStream> {
    const take = (answer: Answer) => this.#continueWith(answer);
    return await new Failover(input, { take }).run(others);
  }

  #continueWith(answer: Answer): OpenStream {
    const { result } = answer;
    if (result.type !== "stream") throw new GatewayError("internal", "A continuation is no stream");
    this.#answer = answer;
    this.#context.record.notes.add("continued");
    const { fold, packets, first } = result.stream;
    const marked = new Uint8Array(MARK.length + first.length);
    marked.set(MARK);
    marked.set(first, MARK.length);
    return { fold, packets, first: marked };
  }
}

function isAt({ provider, upstream }: AttemptState, target: Target): boolean {
  return provider === target.provider.settings.id && upstream === target.model.upstream;
}

function isAfter({ kind }: GatewayError, onFailures: FallbackTarget["onFailures"]): boolean {
  const { failureClass } = ERROR_KINDS[kind];
  return failureClass !== null && CONTINUED.has(failureClass) && onFailures.has(failureClass);
}
