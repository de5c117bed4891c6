/**
 * Text completions: sent unchanged where the vendor has them, else as a chat for each prompt.
 */

import type { ChatRequest, Choice, CompletionBody, Usage } from "../../chat/chat.ts";
import type { Target } from "../../config/config.ts";
import type { TokenFamily } from "../../core/tokens/token_family.ts";
import { chatCompletions } from "../../formats/chat_completions/format.ts";
import {
  type CompletionRequest,
  completions,
  completionsFormat,
  LOST_MEMBERS,
  readCompletionRequest,
  toChatBody,
  writeEvents,
} from "../../formats/completions/format.ts";
import { nativeAnswers } from "../../formats/completions/native_answers.ts";
import type { EndedAnswer } from "../../interceptors/contract.ts";
import type { NativeApi } from "../../providers/contract/native.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import { addUp } from "../../providers/shared/usage.ts";
import type { ModelRequest } from "../../routing/model_request.ts";
import type {
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  ReadyContext,
  ReadyResult,
  TextResult,
  TokenEstimate,
} from "../../routing/operation.ts";
import type { OperationEndpoint } from "../../routing/operation_kind.ts";
import type { VendorSession } from "../../routing/vendor_session.ts";
import { writtenStream } from "../../streaming/written_stream.ts";
import { ChatOperation } from "../chat/operation.ts";
import { type ConversionDeps, toConversionDeps } from "../conversion_deps.ts";
import { explainNative, type NativeRequest, prepareNative } from "../native.ts";
import { answerReady } from "../ready_answer.ts";

/** `POST /v1/completions`. */
export const COMPLETIONS: OperationEndpoint = {
  path: "/v1/completions",
  explainedAs: "completions",
  format: completions,
  read: readCompletion,
};

function readCompletion(body: unknown): ModelRequest {
  const request = readCompletionRequest(body);
  const { model, models, stream } = request;
  // A chat for each prompt of a list: their answers are joined.
  const isWhole = request.prompts.length > 1;
  const chats = request.prompts.map((prompt) => {
    const { stream: _, stream_options: __, ...chat } = toChatBody(request, prompt);
    return chatCompletions.readRequest(isWhole ? chat : toChatBody(request, prompt));
  });
  return {
    models: { model, models },
    stream,
    async createOperation(context) {
      const caller = { format: completions, body: request.body, stream };
      const deps = toConversionDeps(context, caller);
      const format = completionsFormat(request);
      const operations: ChatOperation[] = [];
      for (const chat of chats) {
        const read = await deps.interceptions.readChat(chat);
        const operation = new ChatOperation(read, format, deps.images);
        operation.isPart = isWhole;
        operations.push(operation);
      }
      return new CompletionOperation(request, operations, deps);
    },
  };
}

/** The completions of one request. */
class CompletionOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #request: CompletionRequest;
  /** One for each prompt. */
  readonly #chats: readonly ChatOperation[];
  readonly #deps: ConversionDeps;

  constructor(
    request: CompletionRequest,
    chats: readonly ChatOperation[],
    deps: ConversionDeps,
  ) {
    this.#request = request;
    this.#chats = chats;
    this.#deps = deps;
  }

  get chat(): ChatRequest | undefined {
    return this.#chats[0]?.chat;
  }

  get headers(): Readonly<Record<string, string>> | undefined {
    return this.#deps.interceptions.headers;
  }

  get keepsText(): number {
    return this.#deps.interceptions.keepsText;
  }

  estimate(family: TokenFamily): TokenEstimate {
    const estimates = this.#chats.map((chat) => chat.estimate(family));
    const { maxOutput } = estimates[0] ?? {};
    return {
      input: estimates.reduce((sum, { input }) => sum + input, 0),
      maxOutput,
      choices: this.#request.n * estimates.length,
    };
  }

  answer(toContext: () => ReadyContext): Promise<ReadyResult | undefined> | undefined {
    const { stream } = this.#request;
    const format = completionsFormat(this.#request);
    const { stream_options } = this.chat ?? {};
    return answerReady(this.#deps.interceptions, toContext, () => ({
      format,
      stream,
      ...(stream_options && { stream_options }),
    }));
  }

  ended(answer: EndedAnswer): void {
    this.#deps.interceptions.ended(answer);
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const api = this.#nativeApiOf(target);
    if (api === undefined) return await this.#prepareChats(target, context);
    const onAbsent = async (session: VendorSession) => {
      const chats = await this.#prepareChats(target, context);
      return await chats.execute(session);
    };
    return prepareNative(api, { ...this.#native, onAbsent }, nativeAnswers, target, context);
  }

  explain(target: Target, context: ExplainContext): ExplainedRequest {
    const api = this.#nativeApiOf(target);
    if (api !== undefined) return explainNative(api, this.#native, target, context);
    this.#note(context.receipt);
    const [first] = this.#chats;
    if (first === undefined) throw new TypeError("A completion has at least one prompt");
    return first.explain(target, context);
  }

  get #native(): NativeRequest {
    const { body, stream } = this.#request;
    return { body, headers: NO_HEADERS, stream, interceptions: this.#deps.interceptions };
  }

  #nativeApiOf({ provider, model }: Target): NativeApi | undefined {
    return this.#deps.interceptions.allowsNative
      ? provider.adapter.completions?.(model, provider.settings)
      : undefined;
  }

  /** Notes what a chat cannot do. One choice is the best of one. */
  #note(receipt: Receipt): void {
    const { body, n } = this.#request;
    receipt.rename("prompt", "messages");
    for (const name of LOST_MEMBERS) {
      if (body[name] !== undefined && !(name === "best_of" && body[name] === n)) {
        receipt.ignore(name);
      }
    }
  }

  async #prepareChats(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    this.#note(context.receipt);
    const prepared: PreparedAttempt[] = [];
    for (const chat of this.#chats) prepared.push(await chat.prepare(target, context));
    const [first, ...others] = prepared;
    if (first === undefined) throw new TypeError("A completion has at least one prompt");
    if (others.length === 0) return first;
    const { stream } = this.#request;
    return {
      ...first,
      stream,
      execute: (session) => this.#executeAll(prepared, session, context),
    };
  }

  /** One chat after the other. If one fails, all fail; what was answered is billed. */
  async #executeAll(
    prepared: readonly PreparedAttempt[],
    session: VendorSession,
    { newId, clock }: PrepareContext,
  ): Promise<AttemptResult> {
    const results: TextResult[] = [];
    for (const one of prepared) {
      try {
        const result = await one.execute(session);
        if (result.type === "text") results.push(result);
      } catch (thrown) {
        const usage = usageOf(results);
        if (usage !== undefined) session.attempt.usage = usage;
        throw thrown;
      }
    }
    session.deadline.end();
    const { n, stream } = this.#request;
    const choices = results.flatMap(({ choices = [] }, at): Choice[] =>
      choices.map((choice) => ({ ...choice, index: at * n + choice.index }))
    );
    const usage = usageOf(results);
    const model = results[0]?.summary.model;
    const completion: CompletionBody = { choices, usage, model };
    const stamp = {
      id: newId("cmpl-"),
      created: Math.floor(clock.wallTime() / 1000),
      model: session.target.model.upstream,
    };
    const format = completionsFormat(this.#request);
    const text = await format.writeCompletion(completion, stamp, false);
    const finishReasons = choices.map(({ finish_reason }) => finish_reason);
    const summary = { id: stamp.id, model: model ?? stamp.model, finishReasons };
    if (!stream) return { type: "text", text, usage, summary, choices };
    const includesUsage = (this.#request.body.stream_options as { include_usage?: unknown })
      ?.include_usage === true;
    const events = writeEvents(JSON.parse(text), includesUsage);
    return { type: "stream", stream: writtenStream(events, { usage, summary }) };
  }
}

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** The sum of what was used; undefined if an answer does not say it. */
function usageOf(results: readonly TextResult[]): Usage | undefined {
  const usages = results.flatMap(({ usage }) => usage ?? []);
  if (usages.length === 0 || usages.length < results.length) return undefined;
  return addUp({
    prompt: usages.map(({ prompt_tokens }) => prompt_tokens),
    completion: usages.map(({ completion_tokens }) => completion_tokens),
    total: undefined,
  });
}
