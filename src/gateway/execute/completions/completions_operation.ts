/** Text completions, sent unchanged if the vendor supports them, else as one chat per prompt. */

import type { Envelope } from "../../../apis/chat/caller_format.ts";
import type { ChatRequest, Choice, Usage } from "../../../contract/chat.ts";
import type { Target } from "../../../config/config.ts";
import type { TokenFamily } from "../../../core/tokens/token_counter.ts";
import { chatCompletions } from "../../../apis/chat_completions/format.ts";
import {
  type CompletionRequest,
  completionRequest,
  completions,
  completionsFormat,
  LOST_MEMBERS,
  nativeAnswers,
  readCompletionRequest,
  toChatBody,
  writeEnd,
} from "../../../apis/completions/format.ts";
import { jsonOrEvents, toSchema } from "../../../apis/openapi.ts";
import type { ApiKind } from "../../feature.ts";
import type { FeaturedChat } from "../../request_features.ts";
import type { NativeApi } from "../../../contract/native.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import { tokenFamilyOf } from "../../../apis/token_families.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import type {
  AskedRequest,
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  ReadyResult,
  TokenEstimate,
  UnaryResult,
} from "../../operation.ts";
import type { OperationEndpoint } from "../../operation_kind.ts";
import { execute } from "../../send_repaired.ts";
import type { VendorSession } from "../../vendor_session.ts";
import { ChatOperation } from "../chat/chat_operation.ts";
import { type ConversionDeps, createChatOperation } from "../create_operation.ts";
import { explainNative, type NativeRequest, prepareNative } from "../native.ts";
import { answerReady } from "../ready_answer.ts";
import { type PromptRequest, PromptRequests, PromptStream } from "./prompt_stream.ts";

/** `POST /v1/completions`. */
export const COMPLETIONS: OperationEndpoint = {
  path: "/v1/completions",
  mirror: "deployments",
  explainedAs: "completions",
  schema: completionRequest,
  describe: () => ({
    tag: "Chat",
    summary: "Complete a text",
    request: ["CompletionRequest", toSchema(completionRequest)],
    answers: jsonOrEvents("Completion"),
    events: "Completion",
    example: { prompt: "Once", max_tokens: 20 },
  }),
  format: completions,
  read: readCompletion,
};

const API: ApiKind = {
  format: completions.name,
  idPrefix: completions.idPrefix,
  operation: "chat",
};

function readCompletion(body: unknown): ParsedRequest {
  const request = readCompletionRequest(body);
  const { model, models, stream } = request;
  const chats = toChats(request);
  return {
    models: { model, models },
    stream,
    caller: { api: API, body: request.body },
    createOperation: (context) =>
      createChatOperation(context, request.body, async (body, deps) => {
        const own = body === request.body ? request : readCompletionRequest(body);
        const read: FeaturedChat[] = [];
        for (const chat of body === request.body ? chats : toChats(own)) {
          read.push(await deps.features.readChat(chat));
        }
        return new CompletionOperation(own, read, deps);
      }),
  };
}

/** A chat for each prompt of a list: their answers are joined. */
function toChats(request: CompletionRequest): readonly ChatRequest[] {
  return request.prompts.map((prompt) => chatCompletions.readRequest(toChatBody(request, prompt)));
}

/** The completions of one request. */
class CompletionOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #request: CompletionRequest;
  /** One for each prompt. */
  readonly #read: readonly FeaturedChat[];
  readonly #chats: readonly ChatOperation[];
  readonly #deps: ConversionDeps;

  constructor(
    request: CompletionRequest,
    read: readonly FeaturedChat[],
    deps: ConversionDeps,
  ) {
    this.#request = request;
    this.#read = read;
    this.#deps = deps;
    const format = completionsFormat(request);
    this.#chats = read.map((chat) => new ChatOperation(chat, format, deps.images));
  }

  get chat(): ChatRequest | undefined {
    return this.#chats[0]?.chat;
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

  answer(request: AskedRequest): Promise<ReadyResult | undefined> | undefined {
    if (!request.record.features.mayAnswer) return undefined;
    const { stream } = this.#request;
    const { stream_options } = this.chat ?? {};
    const format = () => completionsFormat(this.#request);
    return answerReady(request, { format, stream, stream_options });
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const api = this.#nativeApiOf(target);
    if (api === undefined) return await this.#prepareChats(target, context);
    const onAbsent = async (session: VendorSession) => {
      const chats = await this.#prepareChats(target, context);
      return await execute(chats, session);
    };
    return prepareNative(api, { ...this.#native, onAbsent }, nativeAnswers, target, context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = this.#nativeApiOf(target);
    if (api !== undefined) return await explainNative(api, this.#native, target, context);
    this.#note(context.changes);
    const [first] = this.#chats;
    if (first === undefined) throw new TypeError("A completion has at least one prompt");
    const parts = this.#chats.length;
    const explained = await first.explain(target, context);
    return parts > 1 ? { ...explained, parts } : explained;
  }

  get #native(): NativeRequest {
    const { body, stream } = this.#request;
    return { body, stream, features: this.#deps.features };
  }

  #nativeApiOf({ provider, model }: Target): NativeApi | undefined {
    return this.#deps.features.allowsNative
      ? provider.adapter.completions?.(model, provider.settings)
      : undefined;
  }

  /** Records parameters that a chat cannot express. With one choice, `best_of` has no effect. */
  #note(changes: RequestChanges): void {
    const { body, n } = this.#request;
    changes.rename("prompt", "messages");
    for (const name of LOST_MEMBERS) {
      if (body[name] !== undefined && !(name === "best_of" && body[name] === n)) {
        changes.ignore(name);
      }
    }
  }

  async #prepareChats(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    this.#note(context.changes);
    const [only, ...others] = this.#chats;
    if (only === undefined) throw new TypeError("A completion has at least one prompt");
    if (others.length === 0) return await only.prepare(target, context);
    const stamp: Envelope = {
      id: context.newId("cmpl-"),
      created: Math.floor(context.clock.wallTime() / 1000),
      model: target.model.upstream,
    };
    const requests: PromptRequest[] = [];
    for (const [at, read] of this.#read.entries()) {
      const format = completionsFormat(this.#request, {
        stamp,
        firstIndex: at * this.#request.n,
      });
      const chat = new ChatOperation(read, format, this.#deps.images);
      chat.isPart = true;
      const prepared = await chat.prepare(target, context);
      requests.push({
        prepared,
        input: () => chat.estimate(tokenFamilyOf(target.model.base)).input,
      });
    }
    return {
      adapter: target.provider.adapter,
      stream: this.#request.stream,
      execute: async (session) => {
        const sending = new PromptRequests(requests, session, context.record);
        try {
          return this.#request.stream
            ? await this.#openStream(sending, session, stamp)
            : await this.#answerAll(sending, session, stamp);
        } catch (thrown) {
          // Completed answers are billed although the request fails.
          sending.settle();
          throw thrown;
        }
      },
    };
  }

  async #openStream(
    requests: PromptRequests,
    { deadline, deps: { clock } }: VendorSession,
    stamp: Envelope,
  ): Promise<AttemptResult> {
    const result = await requests.send();
    if (result.type !== "stream") throw new TypeError("The answer to a prompt is no stream");
    const includesUsage = this.chat?.stream_options?.include_usage === true;
    const parts = {
      requests,
      deadline,
      clock,
      writeEnd: (model: string) =>
        writeEnd({ ...stamp, model }, includesUsage, reportedUsage(requests)),
    };
    return { type: "stream", stream: new PromptStream(result.stream, parts) };
  }

  /** Joins the answers to all prompts. If one fails, all fail. */
  async #answerAll(
    requests: PromptRequests,
    session: VendorSession,
    stamp: Envelope,
  ): Promise<AttemptResult> {
    const results: UnaryResult[] = [];
    while (!requests.isOver) {
      const result = await requests.send();
      if (result.type !== "text") throw new TypeError("The answer to a prompt is a stream");
      results.push(result);
    }
    session.deadline.end();
    requests.settle();
    const choices = results.flatMap(({ choices = [] }, at): Choice[] =>
      choices.map((choice) => ({ ...choice, index: at * this.#request.n + choice.index }))
    );
    const model = results[0]?.summary.model;
    const completion = { choices, usage: reportedUsage(requests), model };
    const text = await completionsFormat(this.#request).writeCompletion(completion, stamp, false);
    return {
      type: "text",
      text,
      outputChars: 0,
      usage: requests.used.usage,
      serviceTier: results.find(({ serviceTier }) => serviceTier !== undefined)?.serviceTier,
      summary: {
        id: stamp.id,
        model: model ?? stamp.model,
        finishReasons: choices.map(({ finish_reason }) => finish_reason),
      },
      choices,
    };
  }
}

/** The vendor's usage for all prompts; undefined if a part of it is an estimate. */
function reportedUsage({ used: { usage, source } }: PromptRequests): Usage | undefined {
  return source === "vendor" ? usage : undefined;
}
