/** A streamed answer, from the attempt that started it or the one that continues it. */

import type { FallbackTarget, Target } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { CutStream } from "./feature_attempts.ts";
import type { AnswerFold, OpenStream } from "../streaming/fold.ts";
import type { AttemptAnswer } from "./attempt.ts";
import type { AttemptState } from "./attempt_state.ts";
import { usedBy } from "./attempt_usage.ts";
import { Failover, type TargetsRequest } from "./failover.ts";
import type { StreamContinuation, StreamResult } from "./operation.ts";

/** The attempts behind one stream. Only the last one is read. */
export class AnsweredStream {
  readonly stream: OpenStream;
  readonly #context: TargetsRequest;
  readonly #first: AttemptAnswer;
  #answer: AttemptAnswer;

  constructor(
    answer: AttemptAnswer,
    { continuation, stream }: StreamResult,
    context: TargetsRequest,
  ) {
    this.#answer = this.#first = answer;
    this.#context = context;
    this.stream = continuation === undefined
      ? stream
      : context.record.features.continueStream(this.#toCut(stream, continuation));
  }

  /** Whether another target has continued the stream. */
  get isContinued(): boolean {
    return this.#answer !== this.#first;
  }

  /** The attempt whose events are being read. */
  get answer(): AttemptAnswer {
    return this.#answer;
  }

  /** Called when the stream has ended. */
  ended(fold: AnswerFold, cancelled: boolean): void {
    const { attempt, deadline, timer } = this.#answer;
    deadline.end();
    if (attempt.next?.type === "continued") {
      // No other target has answered, so only this one may still be generating when the client
      // disconnects.
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
    // A vendor reports the final usage with the finish reason.
    attempt.isPartial ||= isCut && fold.summary.finishReasons.length === 0;
  }

  #toCut(stream: OpenStream, continuation: StreamContinuation): CutStream {
    const { chain, record } = this.#context;
    const { notes, endedAttempts } = record;
    return {
      stream,
      notes,
      get isPossible() {
        return continuation.isPossible && !record.ended;
      },
      untried: () =>
        chain.filter(({ target }) => !endedAttempts.some((ended) => isAt(ended, target))),
      ask: (failure, others) => this.#ask(failure, others, stream, continuation),
    };
  }

  async #ask(
    failure: GatewayError,
    others: readonly FallbackTarget[],
    { fold }: OpenStream,
    continuation: StreamContinuation,
  ): Promise<OpenStream> {
    const { record } = this.#context;
    const { attempt } = this.#answer;
    this.ended(fold, false);
    attempt.failed(failure, { type: "continued" });
    record.continuesStreams = false;
    const operation = continuation.createOperation(usedBy(attempt, record).usage);
    const request = { ...this.#context, operation, chain: others };
    const take = (answer: AttemptAnswer) => this.#continueWith(answer);
    return await new Failover(request, { take }).run();
  }

  #continueWith(answer: AttemptAnswer): OpenStream {
    const { result } = answer;
    if (result.type !== "stream") {
      throw new GatewayError("internal", "A continuation is not a stream");
    }
    this.#answer = answer;
    return result.stream;
  }
}

function isAt({ provider, upstream }: AttemptState, target: Target): boolean {
  return provider === target.provider.settings.id && upstream === target.model.upstream;
}
