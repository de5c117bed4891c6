/**
 * The operations of `POST /v1/responses`: a request that is sent unchanged to targets with this
 * API, else converted, and one that only prepares a conversation (`generate: false`).
 */

import { execute } from "../../send_repaired.ts";
import type { CallerFormat } from "../../../apis/chat/caller_format.ts";
import type { ChatRequest } from "../../../contract/chat.ts";
import type { Target } from "../../../config/config.ts";
import type { TokenFamily } from "../../../core/tokens/token_counter.ts";
import type {
  AskedRequest,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  ReadyResult,
  TokenEstimate,
} from "../../operation.ts";
import { explainNative, type NativeRequest, prepareNative } from "../native.ts";
import { responses } from "../../../apis/responses/format.ts";
import { ResponseRecord } from "../../../apis/responses/response_record.ts";
import { answerReady, toWritten } from "../ready_answer.ts";
import type { AttemptState } from "../../attempt_state.ts";
import type { RequestRecord } from "../../request_record.ts";
import { createNativeResponses, type OnResponse } from "../../../apis/responses/native_answers.ts";
import type { ProviderIds } from "../../../apis/responses/provider_ids.ts";
import type { TargetRequests } from "./target_requests.ts";
import { RESPONSE_PREFIX } from "../../../apis/responses/output_items.ts";
import type { NativeContinuation } from "../continuation/continuable_stream.ts";

/** Watches the answer of one attempt. */
export type WatchBackground = (attempt: AttemptState, record: RequestRecord) => OnResponse;

/** The operation of one request. */
export class ResponsesOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #requests: TargetRequests;
  readonly #ids: ProviderIds;
  readonly #maxOutput: number | undefined;
  readonly #background: WatchBackground | undefined;

  /**
   * @param maxOutput the caller's limit on the output
   * @param background watches an answer that the vendor may finish after the request
   */
  constructor(
    requests: TargetRequests,
    ids: ProviderIds,
    maxOutput: number | undefined,
    background: WatchBackground | undefined,
  ) {
    this.#requests = requests;
    this.#ids = ids;
    this.#maxOutput = maxOutput;
    this.#background = background;
  }

  /** The parameters and messages, for traces; undefined for a request that was not converted. */
  get chat(): ChatRequest | undefined {
    return this.#requests.converted?.chat;
  }

  estimate(family: TokenFamily): TokenEstimate {
    return { input: this.#requests.estimateInput(family), maxOutput: this.#maxOutput };
  }

  answer(request: AskedRequest): Promise<ReadyResult | undefined> | undefined {
    if (!request.record.features.mayAnswer) return undefined;
    const { stream } = this.#requests;
    return answerReady(request, async (type) => {
      const format = type === "written" ? responses : (await this.#requests.convert()).format;
      return { format, stream };
    });
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { attempt, changes, record } = context;
    const api = this.#requests.nativeApiOf(target);
    if (api !== undefined && !(api.mayBeAbsent && this.#isAbsent(target, context))) {
      const marker = this.#ids.marker(target.provider.settings.id);
      const onResponse = this.#background?.(attempt, record);
      const { answers, format } = createNativeResponses(marker, onResponse);
      const continuation = record.continuesStreams && this.#requests.isContinuable
        ? this.#toContinuation(format)
        : undefined;
      attempt.format = continuation?.format ?? format;
      const request = await this.#requests.toNative(target, changes);
      const fallback = api.mayBeAbsent && { onAbsent: this.#fallback(target, context) };
      const native = { ...request, ...fallback, continuation };
      return prepareNative(api, native, answers, target, context);
    }
    return await this.#prepareConverted(target, context);
  }

  /** Continues an interrupted stream, and provides the format to end it if that also fails. */
  #toContinuation(format: CallerFormat): NativeContinuation & { readonly format: CallerFormat } {
    const record = new ResponseRecord();
    return {
      record,
      continuation: this.#requests.toContinuation(record, format),
      format: {
        ...format,
        writeStreamError: (error, requestId) =>
          record.fail(error) ?? format.writeStreamError(error, requestId),
      },
    };
  }

  async #prepareConverted(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { request, format, operation } = await this.#requests.convert();
    for (const name of request.ignored) context.changes.ignore(name);
    context.attempt.format = format;
    return await operation.prepare(target, context);
  }

  #isAbsent(target: Target, { state, clock }: Pick<PrepareContext, "clock" | "state">): boolean {
    return state.lacksNative(target, clock.now());
  }

  /** Converts a request if the server lacks the API, and records this if it then answers. */
  #fallback(target: Target, context: PrepareContext): NonNullable<NativeRequest["onAbsent"]> {
    return async (session) => {
      const converted = await this.#prepareConverted(target, context);
      const result = await execute(converted, session);
      context.state.nativeIsAbsent(target, context.clock.now());
      return result;
    };
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const { changes } = context;
    const api = this.#requests.nativeApiOf(target);
    if (api !== undefined && !(api.mayBeAbsent && this.#isAbsent(target, context))) {
      return explainNative(api, await this.#requests.toNative(target, changes), target, context);
    }
    const { request, operation } = await this.#requests.convert();
    for (const name of request.ignored) changes.ignore(name);
    return operation.explain(target, context);
  }
}

// A request with `generate: false`, which only prepares the next one of a conversation. It passes
// the checks and the limits of a request for a response, but no model is called.

/** The request's members in the answer. */
interface PreparedRequest {
  readonly model: string;
  readonly stream: boolean;
}

/** Answers a request with a response that has no output. */
export class PreparedOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly asksNoModel = true;
  readonly #request: PreparedRequest;
  readonly #response: ExplainableOperation;

  /** @param response the operation of the same request without `generate: false` */
  constructor(request: PreparedRequest, response: ExplainableOperation) {
    this.#request = request;
    this.#response = response;
  }

  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  answer({ deps: { clock, newId } }: AskedRequest): Promise<ReadyResult> {
    const { model, stream } = this.#request;
    const id = newId(RESPONSE_PREFIX);
    const created_at = Math.floor(clock.wallTime() / 1000);
    const response = { id, object: "response", created_at, model, output: [] };
    const counts = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    const completed = { ...response, status: "completed", usage: counts };
    const text = stream
      ? toEvent(0, "response.created", { ...response, status: "in_progress" }) +
        toEvent(1, "response.completed", completed)
      : JSON.stringify(completed);
    return Promise.resolve({ result: toWritten(text, stream), format: responses, headers: {} });
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    return this.#response.prepare(target, context);
  }

  explain(
    target: Target,
    context: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    return this.#response.explain(target, context);
  }
}

function toEvent(sequence_number: number, type: string, response: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, response })}\n\n`;
}
