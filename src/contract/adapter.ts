/**
 * The contract between the gateway and a vendor: an adapter is a value that
 * holds the vendor's identity, its tables, and pure functions. It never
 * fetches, waits, logs or reads the environment.
 */

import type { z } from "zod";
import type { ChatRequest, CompletionBody, JsonObject } from "./chat.ts";
import type { Clock } from "../core/clock.ts";
import type { ErrorKind, SuspensionScope } from "../core/errors.ts";
import type { EmbeddingsApi } from "./embeddings.ts";
import type { VendorForm, VendorUpload } from "./form.ts";
import type { Framing, StreamDecoder } from "./stream_decoder.ts";
import type { ImageApi, SpeechApi, TranscriptionApi } from "./media.ts";
import type { ModelFacts, TokenCounter } from "./model_facts.ts";
import type { ModelListApi } from "./model_list.ts";
import type { ModerationApi, RerankApi } from "./rerank.ts";
import type { NativeApi, NativeFormat } from "./native.ts";
import type { CredentialSet, ProviderDefaults } from "./provider_defaults.ts";
import type { FindSessionHint, PromptMarks } from "./prompt_marks.ts";
import type { Receipt } from "./receipt.ts";
import type { Refusals } from "./refusals.ts";
import type { Support, SupportTable } from "./support.ts";

/** A model as one provider serves it. */
export interface TargetModel {
  /** The name that callers use. */
  readonly id: string;
  /** The upstream name: the vendor's name of the model. */
  readonly upstream: string;
  /** The model whose facts and quirks apply: `base_model`, else `upstream`. */
  readonly base: string;
  readonly facts: ModelFacts;
  /** `api` of the config entry, for vendors with more than one API. */
  readonly api?: string;
}

/** The settings of one configured provider, without its credentials. */
export interface ProviderSettings {
  readonly id: string;
  /** Everything before the resource path, without a slash at its end. */
  readonly baseUrl: string;
  /**
   * Settings that only this kind has. The schema {@linkcode Adapter.options} has validated them.
   */
  readonly options: JsonObject;
}

/** One request on its way to one target. */
export interface Call {
  /** The request with the model's default `params` filled in. */
  readonly request: ChatRequest;
  /** The native and renamed parameters, under the vendor's names. */
  readonly fields: JsonObject;
  readonly model: TargetModel;
  readonly provider: ProviderSettings;
  /** The adapter records here what it ignored or converted. */
  readonly receipt: Receipt;
  /** Whether the answer is streamed. */
  readonly stream: boolean;
  /** Returns a new ID that starts with `prefix`, for objects to which the vendor gave no ID. */
  readonly newId: (prefix: string) => string;
}

/** How a request is authenticated. It is data, so that no adapter handles a key. */
export type Auth =
  | { readonly type: "none" }
  /** `Authorization: Bearer KEY`. */
  | { readonly type: "bearer" }
  /** The key in the named header, after the prefix if there is one. */
  | { readonly type: "header"; readonly name: string; readonly prefix?: string }
  /**
   * The key in the named header where the provider has an `api_key`, else an access token for the
   * provider's option `credentials` or for the machine.
   */
  | { readonly type: "google"; readonly keyHeader: string }
  /** The same for Azure, with the provider's `client_secret` or for the machine. */
  | { readonly type: "azure"; readonly keyHeader: string }
  /**
   * Signed with the AWS keys of the provider or of the machine; a bearer token where the provider
   * has an `api_key`.
   */
  | { readonly type: "sigv4"; readonly service: string; readonly region: string };

/** A request in the vendor's format, without credentials. */
export interface VendorRequest {
  /** POST if absent. Requests with another method have no body. */
  readonly method?: "DELETE" | "GET";
  readonly url: string;
  /** Frozen if many requests have the same ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** A form that is sent in place of the body, which describes it in explanations. */
  readonly form?: VendorForm;
  /** A file that is sent in place of the body, which describes it in explanations. */
  readonly upload?: VendorUpload;
  readonly auth: Auth;
}

/** The headers of an answer. Names are in lower case. */
export interface VendorHeaders extends Iterable<[string, string]> {
  /** False if none is about the limits of requests; undefined if that is not known. */
  readonly mayHaveLimits?: boolean;
  get(name: string): string | null;
}

/** A vendor's answer that is not a stream, with its body parsed. */
export interface VendorAnswer {
  readonly status: number;
  readonly headers: VendorHeaders;
  readonly body: unknown;
}

/**
 * A failure that the vendor reported: an HTTP status other than 2xx, or an error event of a stream.
 */
export type Failure =
  | {
    readonly where: "answer";
    readonly status: number;
    readonly headers: VendorHeaders;
    /** The parsed body; undefined if it was not JSON. */
    readonly body: unknown;
  }
  | { readonly where: "stream"; readonly body: unknown };

/** A change of the vendor's request that avoids a refusal. */
export type Repair = FieldRepair | RewriteRepair;

interface RepairEvidence {
  /**
   * The part of the vendor's message that names what is refused. The repair is ignored if the
   * caller's request contains it. Absent when a member of the error names it.
   */
  readonly words?: string | undefined;
}

/** Fields of the vendor's request to leave out, or one to send under another name. */
export interface FieldRepair extends RepairEvidence {
  /**
   * The field to leave out, or several fields that depend on each other. A name with dots is a
   * path, such as `generationConfig.logprobs`; it applies to every entry of a list.
   */
  readonly without: string | readonly string[];
  readonly as?: string;
  /** The caller's parameters, if their names differ; empty if the field has no parameter. */
  readonly parameters?: readonly string[];
}

/** A value to send in another form. */
export interface RewriteRepair extends RepairEvidence {
  readonly rewrite: RequestRewrite;
}

/** Sends a part of a request in another form, such as a role that a model refuses. */
export interface RequestRewrite {
  /** What admins see; rewrites of the same name do the same. */
  readonly name: string;
  /** Whether later requests are rewritten too: not if a caller may have invented the part. */
  readonly isKept: boolean;
  /** Returns the same request if it has no such part. Notes in the receipt what it changes. */
  apply(request: VendorRequest, receipt: Receipt): VendorRequest;
}

/** Proof that a vendor key cannot be used for a while. */
export interface Suspension {
  readonly scope: SuspensionScope;
  /**
   * The vendor's error code that proves it. It is ignored if the caller's request contains it.
   * Absent when the HTTP status is sufficient.
   */
  readonly code?: string;
}

/**
 * A classified failure. The text of the vendor's message may decide `kind`, which affects only this
 * request. It must not decide `suspends`, since the message may quote the caller's text.
 */
export interface UpstreamError {
  readonly kind: ErrorKind;
  /** The vendor's message; undefined if it sent none. */
  readonly message?: string | undefined;
  readonly param?: string | null;
  readonly code?: string | null;
  /** The wait that the vendor requires, in milliseconds, if it is not in a header. */
  readonly retryAfter?: number;
  readonly suspends?: Suspension | undefined;
  /** True if a retry of the same request would fail too. */
  readonly final?: boolean | undefined;
  /** A change of the request that avoids the failure. It can then be retried immediately. */
  readonly repair?: Repair | undefined;
}

/** Members of an assistant message, or of its tool calls, that hold a vendor's reasoning state. */
export type ReasoningMember = "reasoning_content" | "reasoning_details" | "extra_content";

/** The fields that the adapter may add to a request: the reason by path. */
export type AdditionTable = Readonly<Record<string, string>>;

/** The context of {@linkcode Adapter.serve}. */
export interface ServeContext {
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The number of earlier requests to this target. */
  readonly requestIndex: number;
}

/** Where requests of the pass-through go, and how they are signed. */
export interface PassthroughEndpoint {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly auth: Auth;
  /** Headers that the vendor requires, for requests without them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters that the vendor requires, for requests without them. */
  readonly query?: Readonly<Record<string, string>>;
}

/** The operations that a target can have. */
export type OperationName =
  | "chat"
  | "embeddings"
  | "rerank"
  | "moderations"
  | "images"
  | "speech"
  | "transcriptions";

export interface Adapter {
  /** `kind` in config.yaml and `owned_by` in the models list. */
  readonly kind: string;
  /** The vendor's name in OpenTelemetry's conventions; `kind` when absent. */
  readonly genAiName?: string;
  readonly defaults: ProviderDefaults;
  /** True if answers are artificial. A fallback chain never falls back to such an adapter. */
  readonly simulated?: true;
  /** The schema of the settings that only this kind has. */
  readonly options?: z.ZodObject;
  /** The options that are credentials. Only the code that signs requests gets them. */
  readonly credentialSets?: readonly CredentialSet[];
  /** The operations of the kind; only chat when absent. */
  readonly operations?: readonly OperationName[];
  /** The vendor's API that counts the input tokens of a chat, if this provider has one. */
  counter?(provider: ProviderSettings, model: TargetModel): TokenCounter<Call> | undefined;
  /**
   * The vendor's Messages API where it can count the tokens of requests of that format although it
   * does not answer them: they are converted.
   */
  readonly messagesCounter?: NativeApi;
  /** Embeddings, if {@linkcode operations} contains them. */
  readonly embeddings?: EmbeddingsApi;
  /** Image generation, if {@linkcode operations} contains it. */
  readonly images?: ImageApi;
  /** Moderation, if {@linkcode operations} contains it. */
  readonly moderations?: ModerationApi;
  /** Reranking, if {@linkcode operations} contains it. */
  readonly rerank?: RerankApi;
  /** Transcription, if {@linkcode operations} contains it. */
  readonly transcriptions?: TranscriptionApi;
  /** Speech, if {@linkcode operations} contains it. */
  readonly speech?: SpeechApi;
  readonly supports: SupportTable;
  readonly adds: AdditionTable;
  readonly framing: Framing;
  /**
   * The members of past assistant messages that the adapter sends back to the vendor. For messages
   * with tool calls, the gateway restores the members that the client dropped.
   */
  readonly reasoningState?: readonly ReasoningMember[];
  /**
   * Whether tool results may hold images and files, or the types of parts that they may hold; else
   * they go into a user message.
   */
  readonly toolMedia?: boolean | readonly string[];
  /** What the vendor refuses in names, keys, roles and results of chats to this model. */
  readonly refuses?: Refusals | ((model: TargetModel) => Refusals);
  /** Whether the server may be a LiteLLM proxy, which reads `provider_specific_fields`. */
  mayBeLiteLlm?(provider: ProviderSettings): boolean;
  /** Whether the vendor chooses among providers by the member `provider` of requests. */
  takesProviderMember?(provider: ProviderSettings): boolean;
  /** True if the vendor answers in OpenAI's format. Complete answers may then pass unchanged. */
  readonly transparent?: boolean;
  /** OpenAI's names of the rate-limit headers, by the vendor's names in lower case. */
  readonly rateLimitHeaders?: ReadonlyMap<string, string>;
  /**
   * The models that share the vendor's rate limits: those with the same name of a family. Default:
   * each upstream name has separate limits.
   */
  quotaFamily?(model: TargetModel): string;
  /** The header with the vendor's request ID; `x-request-id` when absent. */
  readonly requestIdHeader?: string;
  /**
   * The image URLs that the vendor downloads itself. The gateway downloads others and sends them as
   * data URLs. Only the vendor can read URLs that match `own`.
   */
  readonly imageSources: {
    readonly https: boolean;
    readonly http: boolean;
    readonly own?: RegExp;
  };
  /**
   * How requests to a model are marked for the vendor's cache: for models that cache only what is
   * marked, and bill that. Absent for all others.
   */
  promptMarks?(model: TargetModel): PromptMarks | undefined;
  /** Where the vendor takes the ID of a session, to serve it where its prompt cache is. */
  readonly sessionHint?: FindSessionHint;
  /**
   * True if what is changed in a request of text messages and of simple parameters (`temperature`,
   * `top_p`, limits and penalties, `seed`, `stream`, `user`) follows from the model, the roles and
   * which parameters are there, never from their values. Then the gateway asks once for each such
   * shape. Default: false.
   */
  readonly convertsByPresence?: boolean;
  /** Selects the adapter of the API for this call, if the kind has several APIs. */
  route?(call: Call): Adapter;
  /** Whether a model continues a last message of the assistant. Default: no. */
  prefills?(model: TargetModel): boolean;
  /** The vendor's API in the caller's format for this model, if there is one. */
  native?(
    format: NativeFormat,
    model: TargetModel,
    provider: ProviderSettings,
  ): NativeApi | undefined;
  /** The vendor's API of text completions for this model, if there is one. */
  completions?(model: TargetModel, provider: ProviderSettings): NativeApi | undefined;
  /** Support levels that apply only to this model, this provider or this request. */
  supportFor?(
    request: ChatRequest,
    model: TargetModel,
    provider: ProviderSettings,
  ): Readonly<Record<string, Support>>;
  /**
   * Whether a model accepts an effort that OpenAI does not have. It is called if the vendor gets
   * efforts unchanged. When absent, all efforts pass.
   */
  takesEffort?(word: string, model: TargetModel): boolean;
  /**
   * @throws {GatewayError} `unsupported_content` or `invalid_value` for what cannot be converted.
   */
  toRequest(call: Call): VendorRequest;
  /** @throws {GatewayError} `upstream_error` when the body is not what the vendor documents. */
  toCompletion(answer: VendorAnswer, call: Call): CompletionBody;
  decoder(call: Call): StreamDecoder;
  toError(failure: Failure): UpstreamError;
  /** The vendor's list of models; absent if it has none. */
  readonly models?: ModelListApi;
  /** The target of the pass-through. Default: the base URL, with the key as a bearer token. */
  passthrough?(provider: ProviderSettings): PassthroughEndpoint;
  /** Answers within the process, without the network: for kinds without a vendor. */
  serve?(request: VendorRequest, context: ServeContext): Response | Promise<Response>;
}
