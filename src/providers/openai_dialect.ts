/** What a vendor of the OpenAI dialect says of itself, and what its answers and streams share. */

import { type ChatRequest, type FinishReason, isObject, type JsonObject } from "../chat.ts";
import type {
  Adapter,
  AdditionTable,
  Auth,
  Call,
  Failure,
  ProviderDefaults,
  TargetModel,
  Verdict,
} from "./adapter.ts";
import { type ErrorCodes, toVerdict } from "./openai_errors.ts";
import type { ResponsesPlace } from "./openai_responses.ts";
import type { ContentKind, ContentSupport, Parameter, Support } from "./support.ts";

/** What sets one vendor of the dialect apart from OpenAI. */
export interface Dialect {
  readonly kind: string;
  readonly genAiName?: string;
  readonly defaults: ProviderDefaults;
  /** Verdicts that differ from `native`. */
  readonly parameters?: Readonly<Partial<Record<Parameter, Support>>>;
  readonly content?: Readonly<Partial<Record<ContentKind, ContentSupport>>>;
  readonly extensions?: "all" | Readonly<Record<string, Support>>;
  /** Whether streams may be asked for usage. True unless said otherwise. */
  readonly streamUsage?: boolean;
  readonly auth?: Auth;
  readonly imageSources?: Adapter["imageSources"];
  readonly options?: Adapter["options"];
  readonly adds?: AdditionTable;
  readonly rateLimitHeaders?: Adapter["rateLimitHeaders"];
  readonly requestIdHeader?: string;
  /** Members of replayed assistant turns that the vendor would refuse. */
  readonly dropFromTurns?: readonly string[];
  /** Finish reasons beyond OpenAI's and the common ones. */
  readonly finishReasons?: Readonly<Record<string, FinishReason>>;
  supportFor?(request: ChatRequest, model: TargetModel): Readonly<Record<string, Support>>;
  /** Changes the body that is ready to be sent, for what data cannot say. */
  request?(body: JsonObject, call: Call): JsonObject;
  /** Whether an answer may begin with its reasoning between think tags. */
  readonly thinkTags?: boolean;
  /** Whether streams hold `reasoning_details` in pieces, which are to be put together. */
  readonly detailsInPieces?: boolean;
  /** What the vendor's error codes and types mean, where the status does not say. */
  readonly errorCodes?: ErrorCodes;
  /** Changes a choice as it came, in an answer or in a chunk, for what data cannot say. */
  choice?(choice: JsonObject): void;
  /** Changes a choice's message or delta, for what data cannot say. */
  message?(message: JsonObject): void;
  /** Finds usage where it is not in `usage`, before the choices are read. */
  usage?(body: JsonObject): unknown;
  /** Finds the failure of a stream where it is not in `error`. */
  failure?(body: JsonObject): unknown;
  /** Where the resource is, when not at `/chat/completions`. */
  url?(call: Call): string;
  /** What the vendor is told, when it is not the model's `upstream`. */
  model?(call: Call): string;
  /** OpenAI's Responses API beside this one. */
  readonly responses?: ResponsesPlace;
  /** A verdict that the shared classifier would miss. */
  error?(failure: Failure): Verdict | undefined;
}

/** What callers get where a vendor has no text for a call without arguments, as many have none. */
export const NO_ARGUMENTS = "{}";

/** Says of a choice that its end is none. */
export const GAVE_UP = "The provider gave up on the answer";

/** What a failure means: as the vendor knows it, else as everyone does. */
export function toError(failure: Failure, dialect: Dialect): Verdict {
  return dialect.error?.(failure) ?? toVerdict(failure, dialect.errorCodes);
}

/** The text of a content that is a list of parts, as one. */
export function textOfParts(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  return content.filter(isObject).map((part) => isText(part.text) ? part.text : "").join("");
}

/** Those members of the envelope that are of use. */
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

/** Whether a value is a text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Arguments are text on the wire; some servers send the object itself. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
