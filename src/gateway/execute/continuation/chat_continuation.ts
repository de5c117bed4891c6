/** The request that continues a chat's answer at another target. */

import type { CallerFormat } from "../../../apis/chat/caller_format.ts";
import type { ChatRequest, Message, Usage } from "../../../contract/chat.ts";
import { tokensOfChars } from "../../../apis/chat/token_estimate.ts";
import type { Target } from "../../../config/config.ts";
import type { FeaturedChat } from "../../request_features.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type {
  Operation,
  PrepareContext,
  PreparedAttempt,
  StreamContinuation,
} from "../../operation.ts";
import { endOf } from "./resumed_writer.ts";

/** The first part of a stream. */
export interface ResumableStream {
  /** The text so far; undefined if it cannot be continued. */
  readonly text: string | undefined;
  /**
   * The format of the second part, whose events follow those of the first.
   *
   * @param used the billed usage of the first part
   * @param repeats whether the second part repeats the end of the first
   */
  resume(used: Usage | undefined, repeats: boolean): CallerFormat;
}

/** The request of a stream as a chat. */
export interface ContinuedRequest {
  /**
   * The chat for a target.
   *
   * @throws {GatewayError} for a request that cannot be converted.
   */
  chat(target: Target, changes: RequestChanges): FeaturedChat | Promise<FeaturedChat>;
  /** Creates the chat operation of a parsed request. */
  create(chat: FeaturedChat, format: CallerFormat): Operation;
}

/** Continues the stream of one attempt. */
export class ChatContinuation implements StreamContinuation {
  readonly #request: ContinuedRequest;
  readonly #stream: ResumableStream;

  constructor(request: ContinuedRequest, stream: ResumableStream) {
    this.#request = request;
    this.#stream = stream;
  }

  get isPossible(): boolean {
    return this.#stream.text !== undefined;
  }

  createOperation(used: Usage | undefined): Operation {
    const { text = "" } = this.#stream;
    return {
      name: "chat",
      // The times and the length of a continuation are not representative of the target.
      isUntimed: true,
      prepare: (target, context) => this.#prepare(target, context, text, used),
    };
  }

  async #prepare(
    target: Target,
    context: PrepareContext,
    text: string,
    used: Usage | undefined,
  ): Promise<PreparedAttempt> {
    const { provider: { adapter }, model } = target;
    const prefills = adapter.prefills?.(model) === true;
    const own = await this.#request.chat(target, context.changes);
    const chat = await own.changed((request) =>
      withLimit(withText(request, text, prefills), text, context.changes)
    );
    const format = this.#stream.resume(used, !prefills);
    return await this.#request.create(chat, format).prepare(target, context);
  }
}

/** The request with the answer so far, and an instruction to continue it. */
function withText(request: ChatRequest, text: string, prefills: boolean): ChatRequest {
  const added: readonly Message[] = prefills
    // Vendors refuse space at the end of a prefilled answer.
    ? [{ role: "assistant", content: text.trimEnd() }]
    : [{ role: "assistant", content: text }, { role: "user", content: toInstruction(text) }];
  return { ...request, messages: [...request.messages, ...added] };
}

function toInstruction(text: string): string {
  return "Your last message was cut off. Write the rest of it. Begin by repeating exactly the " +
    "text between the tags <end> and </end>, which is the end of that message, and go on from " +
    `there. Write no tags and no other words before it.\n<end>${endOf(text)}</end>`;
}

/** The caller's output limit minus the output so far. */
function withLimit(request: ChatRequest, text: string, changes: RequestChanges): ChatRequest {
  const written = tokensOfChars(text.length);
  const limits: { max_tokens?: number; max_completion_tokens?: number } = {};
  for (const name of ["max_tokens", "max_completion_tokens"] as const) {
    const limit = request[name];
    if (typeof limit !== "number") continue;
    limits[name] = Math.max(1, limit - written);
    changes.convert(name, limit, limits[name]);
  }
  return { ...request, ...limits };
}
