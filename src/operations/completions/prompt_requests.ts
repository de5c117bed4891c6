/** The requests of one attempt at a list of prompts: a chat for each, one after the other. */

import { AttemptState } from "../../routing/attempt_state.ts";
import { addUsed, NOT_USED, type Used, usedBy } from "../../routing/attempt_usage.ts";
import type { AttemptResult, PreparedAttempt } from "../../routing/operation.ts";
import type { RequestRecord } from "../../routing/request_record.ts";
import { execute } from "../../routing/send_repaired.ts";
import type { VendorSession } from "../../routing/vendor_session.ts";
import type { AnswerFold } from "../../streaming/fold.ts";

/** The request for one prompt. */
export interface PromptRequest {
  readonly prepared: PreparedAttempt;
  /** The tokens of the prompt, for an estimate. */
  readonly input: () => number;
}

/** A request that was sent. Each has its own state, so that each is billed. */
interface SentRequest {
  readonly state: AttemptState;
  readonly input: () => number;
  isWaiting: boolean;
  /** Of a stream. */
  fold: AnswerFold | undefined;
}

/** Sends the requests, and adds up what they use. */
export class PromptRequests {
  readonly #requests: readonly PromptRequest[];
  readonly #session: VendorSession;
  readonly #record: RequestRecord;
  readonly #sent: SentRequest[] = [];

  constructor(
    requests: readonly PromptRequest[],
    session: VendorSession,
    record: RequestRecord,
  ) {
    this.#requests = requests;
    this.#session = session;
    this.#record = record;
  }

  /** Whether all requests were sent. */
  get isOver(): boolean {
    return this.#sent.length === this.#requests.length;
  }

  /**
   * Sends the next request and reads its answer; of a stream, up to its first event.
   *
   * @throws {GatewayError} the vendor's error, or the reason why it did not answer.
   */
  async send(): Promise<AttemptResult> {
    const { attempt, deadline, deps: { clock }, target } = this.#session;
    const request = this.#requests[this.#sent.length];
    if (request === undefined) throw new TypeError("All prompts have been sent");
    const { prepared, input } = request;
    const state = new AttemptState(target, attempt.format, clock, attempt.receipt);
    const sent: SentRequest = { state, input, isWaiting: true, fold: undefined };
    this.#sent.push(sent);
    try {
      const session = this.#session.forRequest(prepared.adapter, state);
      const result = await execute(prepared, session);
      state.hasAnswered = true;
      if (result.type === "stream") sent.fold = result.stream.fold;
      else state.report(result.usage);
      return result;
    } catch (thrown) {
      state.cut(thrown, deadline.signal.aborted, clock.now());
      throw thrown;
    } finally {
      sent.isWaiting = false;
      this.#report(state);
    }
  }

  /** What was used so far, with estimates for what the vendor does not report. */
  get used(): Used {
    return this.#sent.map((sent) => this.#usedBy(sent)).reduce(addUsed, NOT_USED);
  }

  /** No more is read: the attempt is billed for what was used so far. */
  settle(): void {
    const { usage, source } = this.used;
    const { attempt } = this.#session;
    attempt.report(usage);
    attempt.isPartial = source === "estimated";
  }

  /** Adds to the attempt what the log and the caller get of all requests. */
  #report(state: AttemptState): void {
    const { attempt } = this.#session;
    const isFirst = this.#sent.length === 1;
    // The first request of the attempt is counted when it begins.
    attempt.requests += isFirst ? state.requests : state.requests + 1;
    attempt.headers = state.headers;
    attempt.upstreamRequestId = state.upstreamRequestId;
    attempt.isAccepted ||= state.isAccepted;
    if (isFirst) attempt.sentAt = state.sentAt;
    if (state.corrections) (attempt.corrections ??= []).push(...state.corrections);
    if (state.resent) (attempt.resent ??= []).push(...state.resent);
  }

  #usedBy({ state, input, isWaiting, fold }: SentRequest): Used {
    if (isWaiting) state.cut(undefined, true, this.#session.deps.clock.now());
    if (fold !== undefined) {
      state.report(fold.usage);
      state.outputChars = fold.outputChars;
      const isCut = !fold.ended || fold.failure !== undefined;
      // With the reason why it ended, a vendor reports the final usage.
      state.isPartial = isCut && fold.summary.finishReasons.length === 0;
    }
    const { bodyBytes, forecast } = this.#record;
    const output: NonNullable<typeof forecast>["output"] = (target) =>
      Math.ceil((forecast?.output(target) ?? 0) / this.#requests.length);
    return usedBy(state, { bodyBytes, forecast: { input, output } });
  }
}
