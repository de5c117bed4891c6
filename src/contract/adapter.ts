/**
 * The interface between the gateway and a vendor: an adapter is a value with the vendor's identity,
 * tables, and pure functions. It does no I/O, never waits or logs, and does not read the
 * environment.
 */

import type { z } from "zod";
import type { ChatRequest, CompletionBody } from "./chat.ts";
import type { Clock } from "../core/clock.ts";
import type { Framing, StreamDecoder } from "./stream_decoder.ts";
import type { OperationApis } from "./operations.ts";
import type { NativeApi, NativeFormat, TokenCounter } from "./native.ts";
import type { FindSessionHint, PromptMarks } from "./prompt_marks.ts";
import type { Refusals } from "./refusals.ts";
import type { Support, SupportTable } from "./support.ts";
import type {
  AdditionTable,
  Auth,
  Call,
  Failure,
  ProviderSettings,
  TargetModel,
  UpstreamError,
  VendorAnswer,
  VendorRequest,
} from "./vendor_request.ts";
import type { ModelFacts } from "./model_facts.ts";

/** Members of an assistant message, or of its tool calls, that hold a vendor's reasoning state. */
export type ReasoningMember = "reasoning_content" | "reasoning_details" | "extra_content";

/** The context of {@linkcode Adapter.serve}. */
export interface ServeContext {
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The number of earlier requests to this target. */
  readonly requestIndex: number;
}

/** The URL of pass-through requests, and how they are signed. */
export interface PassthroughEndpoint {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly auth: Auth;
  /** Headers that the vendor requires; added to requests that lack them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Query parameters that the vendor requires; added to requests that lack them. */
  readonly query?: Readonly<Record<string, string>>;
}

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
  /** The options that are credentials. Only the code that signs requests receives them. */
  readonly credentialSets?: readonly CredentialSet[];
  /** False for a kind without chat. The chat API is the other members of this value. */
  readonly chats?: false;
  /** The APIs of the other operations that the vendor has. */
  readonly apis: OperationApis;
  /** The vendor's API that counts the input tokens of a chat, if this provider has one. */
  counter?(provider: ProviderSettings, model: TargetModel): TokenCounter<Call> | undefined;
  /**
   * The vendor's Messages API if it only counts tokens, while requests are converted.
   */
  readonly messagesCounter?: NativeApi;
  readonly supports: SupportTable;
  readonly adds: AdditionTable;
  readonly framing: Framing;
  /**
   * The members of past assistant messages that the adapter sends back to the vendor. For messages
   * with tool calls, the gateway restores members that the client has dropped.
   */
  readonly reasoningState?: readonly ReasoningMember[];
  /**
   * Whether tool results may contain images and files, or which types of parts they may contain;
   * other parts are moved to a user message.
   */
  readonly toolMedia?: boolean | readonly string[];
  /**
   * The vendor's restrictions on names, keys, roles and results in chat requests, for this model.
   */
  readonly refuses?: Refusals | ((model: TargetModel) => Refusals);
  /** Whether the server may be a LiteLLM proxy, which reads `provider_specific_fields`. */
  mayBeLiteLlm?(provider: ProviderSettings): boolean;
  /** Whether the vendor chooses among providers by the member `provider` of requests. */
  takesProviderMember?(provider: ProviderSettings): boolean;
  /**
   * True if the vendor answers in OpenAI's format. Complete answers may then be forwarded
   * unchanged.
   */
  readonly transparent?: boolean;
  /** OpenAI's names for the rate-limit headers, by the vendor's names in lower case. */
  readonly rateLimitHeaders?: ReadonlyMap<string, string>;
  /**
   * The family of a model; models of the same family share the vendor's rate limits. Default: each
   * upstream name has separate limits.
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
   * Sets cache breakpoints in requests, for models that cache only marked prefixes and bill for
   * them. Absent for all others.
   */
  promptMarks?(model: TargetModel): PromptMarks | undefined;
  /** The field for a session ID, which the vendor uses to route requests to its prompt cache. */
  readonly sessionHint?: FindSessionHint;
  /**
   * True if the changes to a request of text messages and simple parameters (`temperature`,
   * `top_p`, limits and penalties, `seed`, `stream`, `user`) depend only on the model, the roles
   * and the presence of parameters, never on their values. The gateway then determines them once
   * for each such shape. Default: false.
   */
  readonly convertsByPresence?: boolean;
  /** Selects the adapter of the API for this call, if the kind has several APIs. */
  route?(call: Call): Adapter;
  /** Whether a model continues a final assistant message (prefill). Default: no. */
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
   * Whether a model accepts an effort level that OpenAI does not define. Called if efforts are sent to
   * the vendor unchanged. If absent, all efforts are accepted.
   */
  takesEffort?(word: string, model: TargetModel): boolean;
  /**
   * @throws {GatewayError} `unsupported_content` or `invalid_value` for a request that cannot be
   * converted.
   */
  toRequest(call: Call): VendorRequest;
  /**
   * @throws {GatewayError} `upstream_error` when the body does not match the vendor's
   * documentation.
   */
  toCompletion(answer: VendorAnswer, call: Call): CompletionBody;
  decoder(call: Call): StreamDecoder;
  toError(failure: Failure): UpstreamError;
  /** The vendor's list of models; absent if it has none. */
  readonly models?: ModelListApi;
  /** The target of the pass-through. Default: the base URL, with the key as a bearer token. */
  passthrough?(provider: ProviderSettings): PassthroughEndpoint;
  /** Answers in-process without using the network, for kinds without a vendor. */
  serve?(request: VendorRequest, context: ServeContext): Response | Promise<Response>;
}

/** A model that the vendor lists. */
export interface ListedModel {
  /** The upstream name. */
  readonly id: string;
  /** The model whose facts and quirks apply, if the name does not identify it. */
  readonly base?: string;
  /** Facts from the vendor, which take precedence over the catalogue. */
  readonly facts: ModelFacts;
}

/** The content of one response. Entries of several responses with the same ID are merged. */
interface ModelPage {
  readonly models: readonly ListedModel[];
  /** Further requests, for the next page or for details about the models on this page. */
  readonly next?: readonly VendorRequest[];
}

/** A vendor's API that lists models. */
export interface ModelListApi {
  /** The first requests: one for each list of the vendor. */
  toRequests(provider: ProviderSettings): readonly VendorRequest[];
  /**
   * Reads an answer. Entries that are not models for any operation of the gateway are omitted.
   *
   * @throws {GatewayError} `upstream_error` when it is not a list of this vendor.
   */
  read(body: unknown, request: VendorRequest, provider: ProviderSettings): ModelPage;
}

/** Options that form one set of credentials, for kinds that have more than `api_key`. */
export interface CredentialSet {
  /** The required options. */
  readonly needs: readonly string[];
  /** The optional ones. */
  readonly takes?: readonly string[];
}

/** A cloud that provides credentials to the machines, containers and users that run a gateway. */
export type Cloud = "aws" | "google" | "azure";

/** The address, credentials and timeouts of a kind of provider. */
export interface ProviderDefaults {
  /**
   * Absent if each customer has a different address; `base_url` is then required. Empty if the
   * adapter builds the address from the provider's options.
   */
  readonly baseUrl?: string;
  /** The default path of `base_url`, such as `/v1`; the path of {@linkcode baseUrl} when absent. */
  readonly usualPath?: string;
  /** The path of another API on the same servers; `base_url` must not end in it. */
  readonly otherPath?: string;
  /** Whether a provider without credentials is disabled. */
  readonly credentials: "required" | "optional" | "none";
  /** The cloud whose machine credentials are used by a provider without keys. */
  readonly ambient?: Cloud;
  /**
   * Whether requests without an API key need the option `project`, which the cloud's credentials
   * may contain. The project is empty while it is unknown.
   */
  readonly needsProject?: boolean;
  /** Timeouts per attempt that differ from the general defaults, in the format of config.yaml. */
  readonly timeouts?: {
    readonly first_token?: string;
    readonly idle?: string;
    readonly total?: string;
  };
}
