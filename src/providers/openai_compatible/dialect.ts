/** The differences of an OpenAI-compatible vendor, and helpers for its answers and streams. */

import {
  type ChatRequest,
  type FinishReason,
  isObject,
  type JsonObject,
  type Parameter,
} from "../../contract/chat.ts";
import type { Adapter, ModelListApi, ProviderDefaults } from "../../contract/adapter.ts";
import type { OperationApis } from "../../contract/operations.ts";
import type { DialectMessages } from "./messages_api.ts";
import { type ErrorCodes, toUpstreamError } from "./errors.ts";
import type { ContentKind, ContentSupport, Support } from "../../contract/support.ts";
import { roleRepair, type RoleRules } from "./refusals.ts";
import type { UsageRules } from "../../apis/usage.ts";
import { isText } from "../../core/json/values.ts";
import type {
  AdditionTable,
  Auth,
  Call,
  Failure,
  ProviderSettings,
  TargetModel,
  UpstreamError,
} from "../../contract/vendor_request.ts";

/** A vendor's tokenizer, which accepts a part of a chat request. */
export interface DialectTokenizer {
  /** The path from the root of the server, which a base URL has before `/v1`. */
  readonly path: string;
  /** The members of the chat request that it accepts. */
  readonly members: readonly string[];
  /** The member of its answer that is the number of tokens. */
  readonly count: string;
}

/** How a vendor differs from OpenAI. */
export interface Dialect extends RoleRules {
  readonly kind: string;
  readonly genAiName?: string;
  readonly defaults: ProviderDefaults;
  /** Support levels other than `native`. */
  readonly parameters?: Readonly<Partial<Record<Parameter, Support>>>;
  readonly content?: Readonly<Partial<Record<ContentKind, ContentSupport>>>;
  readonly extensions?: "all" | Readonly<Record<string, Support>>;
  /** Whether `stream_options.include_usage` may be sent. Default: true. */
  readonly streamUsage?: boolean;
  readonly auth?: Auth;
  readonly imageSources?: Adapter["imageSources"];
  readonly options?: Adapter["options"];
  readonly credentialSets?: Adapter["credentialSets"];
  readonly adds?: AdditionTable;
  readonly rateLimitHeaders?: Adapter["rateLimitHeaders"];
  readonly quotaFamily?: Adapter["quotaFamily"];
  readonly requestIdHeader?: string;
  /** Members of past assistant messages that the vendor rejects. */
  readonly dropFromTurns?: readonly string[];
  /** Additional finish reasons. */
  readonly finishReasons?: Readonly<Record<string, FinishReason>>;
  supportFor?(
    request: ChatRequest,
    model: TargetModel,
    provider: ProviderSettings,
  ): Readonly<Record<string, Support>>;
  /** Whether a model accepts an effort level that OpenAI does not define. Default: all are forwarded. */
  takesEffort?(word: string, model: TargetModel): boolean;
  /** Changes the body before it is sent. */
  request?(body: JsonObject, call: Call): JsonObject;
  /**
   * The same as in {@linkcode Adapter}. Default: true if the dialect has no rules in code and no
   * message-order rules.
   */
  readonly convertsByPresence?: boolean;
  /** Whether an answer may begin with reasoning between think tags. */
  readonly thinkTags?: boolean;
  /** The past reasoning that is sent back to the vendor. */
  readonly reasoningState?: Adapter["reasoningState"];
  readonly toolMedia?: Adapter["toolMedia"];
  readonly mayBeLiteLlm?: Adapter["mayBeLiteLlm"];
  readonly takesProviderMember?: Adapter["takesProviderMember"];
  readonly promptMarks?: NonNullable<Adapter["promptMarks"]>;
  readonly sessionHint?: Adapter["sessionHint"];
  /** Whether streams contain `reasoning_details` in pieces, which must be merged. */
  readonly detailsInPieces?: boolean;
  /** The meaning of the vendor's error codes and types. */
  readonly errorCodes?: ErrorCodes;
  /** Changes a received choice in an answer or a chunk. */
  choice?(choice: JsonObject): void;
  /** Changes the message or delta of a choice. */
  message?(message: JsonObject): void;
  /** How the vendor's token counts differ from OpenAI's. */
  readonly counts?: UsageRules;
  /** Finds the usage if it is not in `usage`. Called before the choices are read. */
  usage?(body: JsonObject): unknown;
  /** Finds the error of a stream if it is not in `error`. */
  failure?(body: JsonObject): unknown;
  /** False for a vendor without a chat API. */
  readonly chats?: false;
  readonly passthrough?: NonNullable<Adapter["passthrough"]>;
  /** Its APIs for other operations. */
  readonly apis?: OperationApis;
  /** The vendor's chat tokenizer, if it has one. */
  readonly tokenizer?: DialectTokenizer;
  /** The vendor's endpoint for Anthropic's Messages API, if it has one. */
  readonly messagesApi?: DialectMessages;
  /** Whether the vendor also has OpenAI's Responses API, at `/responses`. */
  readonly responses?: boolean;
  /** Whether the vendor has text completions, for all models or for some. */
  readonly completions?: boolean | RegExp;
  /** The URL, if it is not `/chat/completions`. */
  url?(call: Call): string;
  /** The model name in the request, if it is not the model's `upstream`. */
  model?(call: Call): string;
  /** The list of models. Default: OpenAI's, at `/models`. False if the vendor has none. */
  readonly models?: ModelListApi | false;
  /** Classifies a failure that the shared classifier would misinterpret. */
  error?(failure: Failure): UpstreamError | undefined;
}

/** What callers receive for a call without arguments. Many vendors send an empty text instead. */
export const NO_ARGUMENTS = "{}";

/** The error message for an answer that the vendor aborted. */
export const ANSWER_ABORTED = "The provider aborted the answer";

/** Classifies a failure with the vendor's rules, otherwise with the common ones. */
export function toDialectError(failure: Failure, dialect: Dialect): UpstreamError {
  const error = dialect.error?.(failure) ?? toUpstreamError(failure, dialect.errorCodes);
  const repair = error.repair ?? roleRepair(error.message);
  return repair === error.repair ? error : { ...error, repair };
}

/** The joined text of a list of content parts. */
export function textOfParts(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  return content.filter(isObject).map((part) => isText(part.text) ? part.text : "").join("");
}

/** The valid members of the envelope. */
export function envelopeOf(
  body: JsonObject,
): { id?: string | undefined; created?: number | undefined; model?: string | undefined } {
  return {
    id: isText(body.id) ? body.id : undefined,
    created: typeof body.created === "number" && body.created > 0
      ? Math.trunc(body.created)
      : undefined,
    model: isText(body.model) ? body.model : undefined,
  };
}

/**
 * Whether a tool call, or a piece of one, has the name of its tool. Some servers send empty calls
 * together with text.
 */
export function isNamedCall({ custom, function: fn }: JsonObject): boolean {
  const named = isObject(custom) ? custom : fn;
  return isObject(named) && isText(named.name);
}

/** Whether an answer has the finish reason `tool_calls` but no calls. */
export function isWithoutCalls(finish: FinishReason, calls: number): boolean {
  return finish === "tool_calls" && calls === 0;
}

/** Arguments as text. Some servers send them as an object. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
