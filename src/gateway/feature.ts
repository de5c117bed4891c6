/** The interface of a feature: optional functions around a request and its answer. */

import type { ChatRequest, ChunkBody, CompletionBody, Usage } from "../contract/chat.ts";
import type { Balance, Config, FallbackTarget, Provider, Route, Target } from "../config/config.ts";
import type { RoutingPolicy } from "../config/routing_schema.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { NativeAnswers } from "../apis/native_answers.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { NativeApi, NativeCall } from "../contract/native.ts";
import type { RequestChanges } from "../contract/request_changes.ts";
import type { StreamDecoder } from "../contract/stream_decoder.ts";
import type { OpenStream } from "../streaming/fold.ts";
import type { TargetOrder } from "./order/strategy.ts";
import {
  AdmittedRequest,
  AttemptRules,
  CutStream,
  LimitScope,
  RequestAttempts,
  TargetAnswer,
  TargetAsking,
} from "./feature_attempts.ts";
import { RequestSession, SessionName } from "./feature_attempts.ts";
import type {
  Call,
  ProviderSettings,
  TargetModel,
  VendorRequest,
} from "../contract/vendor_request.ts";
import type { RouteOptions } from "./order/route_trace.ts";
import type { OperationName } from "../contract/operations.ts";

/** A kind of request: a caller API and its operation. There is one value per kind. */
export interface ApiKind {
  /** The name of the caller format. */
  readonly format: string;
  /** The prefix of its answers' IDs. */
  readonly idPrefix: string;
  readonly operation: OperationName;
  /** True if no model answers, as for token counts. */
  readonly callsNoModel?: true;
  /**
   * Whether a second copy of a request is harmless: `unless_stored` if vendors store its answers by
   * default. Harmless if absent.
   */
  readonly copies?: "harmless" | "unless_stored";
}

/** The targets of a model in their groups, and its policy. */
type PlannedRoute = Pick<Route, "groups" | "policy">;

/** The requests to one model, for the plans of features. */
export interface PlannedModel {
  readonly config: Config;
  /**
   * The alias or model as named in config.yaml; a wildcard alias stands for any number of names.
   */
  readonly configuredName: string;
  readonly policy: RoutingPolicy;
  /** The model name in requests. */
  readonly model: string;
  readonly route: PlannedRoute;
  /** This route and the routes of all models that a request may fall back to. */
  readonly routes: readonly PlannedRoute[];
  /** Whether only one target can answer, so that ordering makes no difference. */
  readonly hasOneTarget: boolean;
  /** Every target that a request may reach. */
  readonly targets: readonly Target[];
}

/** A feature of requests. There is one value per thread. */
export interface Feature {
  readonly name: string;
  /**
   * Creates the feature's part of a plan, for one kind of request to a model; undefined if the
   * configuration, targets or format do not need the feature. Called when a plan is created.
   */
  plan(model: PlannedModel, api: ApiKind): PlannedFeature | undefined;
  /** How pass-through requests, which are not parsed, are handled. Default: they are allowed. */
  passed?(provider: Provider, config: Config): Unseen;
}

/** How a feature handles content that it cannot read. Exported for tests. */
export type Unseen = "pass" | "refuse";

/** The request properties that activate a feature: any one of these. */
export interface Wakes {
  /** The caller's headers, in lower case. */
  readonly headers?: readonly string[];
  /** The group order that the caller chooses. */
  readonly balance?: Balance;
  /** Whether the body activates the feature. */
  readonly body?: (body: JsonObject) => boolean;
}

/** A feature that can act on a plan's requests. */
export interface PlannedFeature {
  /** Default: every request activates it. */
  readonly wakes?: Wakes;
  /**
   * Creates the hooks for one request; undefined if the feature does nothing. Also called for
   * explanations, so it must not change state that outlives the request.
   */
  start(request: CallerRequest): RequestFeature | undefined;
}

/** A request in its format. */
export interface FormatRequest {
  readonly api: ApiKind;
  /** The requested model, if its name is not in the body. */
  readonly unnamedModel?: string;
  readonly body: JsonObject;
  /** The caller's headers that are part of the format, by their names in lower case. */
  readonly formatHeaders?: ReadonlyMap<string, string>;
}

/** The headers of a request. */
export type CallerHeaders = Pick<Headers, "get">;

/** A request as it arrived. */
export interface SentRequest {
  readonly headers: CallerHeaders;
  readonly body: unknown;
}

/** A request as the caller sent it. */
export interface CallerRequest extends FormatRequest {
  /** The model as named by the caller. */
  readonly model: string;
  /** Undefined for a request that was not received, such as one explained by a command. */
  readonly sent?: SentRequest | undefined;
  /** The caller's choice of targets. */
  readonly chosen?: RouteOptions | undefined;
  readonly stream: boolean;
  /** The name of the service key. */
  readonly key: string;
  /** The owner of the service key: the key's name, or its group's name. */
  readonly owner: string;
  /** The request's session; undefined unless an earlier feature uses affinity. */
  readonly session?: SessionName | undefined;
  /** The size of the request in bytes. */
  readonly bytes: number;
  /** The options in its headers; undefined if it does not call a model. */
  readonly options?: CallerOptions | undefined;
}

/** The request options that concern features. */
export interface CallerOptions {
  /** Whether unsupported parameters are rejected (the header `x-sluice-strict`). */
  readonly strict: boolean;
}

/** A feature's hooks for one request. */
export interface RequestFeature {
  /**
   * Whether it must read the content of every answer. If true, no answer is forwarded unread:
   * transparent answers, the template cache and native APIs without `native.answers` are disabled.
   */
  readonly seesContent?: boolean;
  /** How an answer other than JSON, such as audio, is handled. Default: it is forwarded. */
  readonly unseen?: Unseen;
  /**
   * Reads or changes the request in the operation's own model, before it is converted for any
   * target. Called once, including for an explanation.
   *
   * @returns the same object if nothing changes
   * @throws {GatewayError} to reject the request.
   */
  request?(body: JsonObject): JsonObject | Promise<JsonObject>;
  /**
   * Answers the request before any target is called. Nothing is billed, and only request limits
   * apply.
   *
   * @param targets the targets that would be called, in order
   * @returns undefined to let the next feature or a target answer
   */
  ready?(
    targets: readonly TargetName[],
    request: ReadyRequest,
  ): ReadyAnswer | undefined | Promise<ReadyAnswer | undefined>;
  /**
   * Reads the request for targets that are called through the chat model. Called once for each form
   * to which a request in another format is converted.
   *
   * @returns undefined to leave the chat unchanged
   */
  chat?(
    request: ChatRequest,
  ): ChatFeature | undefined | Promise<ChatFeature | undefined>;
  readonly native?: NativeFeature;
  /**
   * The request for one target in the vendor's format, before it is signed. Called once for each
   * attempt (for each part of a batch), including for an explanation. Records its changes in
   * `target.changes`.
   *
   * @returns the same object if nothing changes
   * @throws {GatewayError} to reject the request.
   */
  send?(request: VendorRequest, target: TargetRequest): VendorRequest | Promise<VendorRequest>;
  /**
   * Reads or changes a JSON answer before it is sent to the caller, including one that does not
   * come from a target.
   *
   * @returns the same value if nothing changes
   * @throws {GatewayError} to reject the answer.
   */
  answer?(body: JsonObject): JsonObject | Promise<JsonObject>;
  /**
   * Reads or changes the events of a stream before they are sent to the caller. Called once for
   * each stream.
   */
  events?(): EventFeature;
  /** Orders the targets; the order is shown in explanations. */
  readonly order?: TargetOrder;
  /** The session affinity of the request. Only the first of several is used. */
  readonly session?: RequestSession;
  /**
   * The rules of the attempts. Called once, before any target is called, including for an
   * explanation.
   */
  attempts?(request: RequestAttempts): AttemptRules;
  /**
   * Admits a request, which limits may reject; may wait before and after a rejection.
   *
   * @param next calls the targets; `model` covers their limits and attempts
   */
  admit?<Result>(
    scope: LimitScope,
    request: AdmittedRequest,
    next: () => Promise<Result>,
  ): Promise<Result>;
  /**
   * Calls a target, possibly with others in parallel.
   *
   * @throws {GatewayError} the target's failure.
   */
  target?<Answer extends TargetAnswer>(
    target: Target,
    asking: TargetAsking<Answer>,
  ): Promise<Answer>;
  /** Handles a target's stream that another target can continue if it is interrupted. */
  continueStream?(cut: CutStream): OpenStream;
  /** Adds members to an explanation. */
  explain?(chain: readonly FallbackTarget[], rules: AttemptRules | undefined): JsonObject;
  /** Adds headers to a target's answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** If set, the text of the answer is passed to {@linkcode end}, up to this many UTF-16 units. */
  readonly keepsText?: number;
  /** Called once, after the answer has ended or if no target has answered. It must not throw. */
  end?(answer: EndedAnswer): void;
}

/** A feature's hooks for the events of one stream. */
export interface EventFeature {
  /**
   * Receives the JSON of the next event. While it waits, nothing is read from the vendor.
   *
   * @returns the events to send instead; `[event]` passes it on, and an empty list holds it back
   * @throws {GatewayError} to end the stream with an error.
   */
  push(event: JsonObject): readonly JsonObject[] | Promise<readonly JsonObject[]>;
  /** Returns the remaining events when the stream ends. */
  end(): readonly JsonObject[] | Promise<readonly JsonObject[]>;
}

/** A target: a provider's ID and the upstream name of a model. */
export interface TargetName {
  readonly provider: string;
  readonly model: string;
}

/** The time limits for a feature's answer. */
export interface ReadyRequest {
  /** Fires when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Milliseconds until the caller's deadline; Infinity without one. */
  readonly leftMs: number;
}

/** An answer without a target. Its usage is only shown to the caller; nothing is billed. */
export interface ReadyAnswer {
  /** What calling a target would have cost, in US dollars. */
  readonly savedUsd?: number;
  /** The source in one word, for `x-sluice-route` and the ledger. */
  readonly note?: string;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly content:
    /** Written in the caller's format. Missing `id` and `created` are generated. */
    | { readonly type: "completion"; readonly completion: CompletionBody }
    /** The complete stream, for a streaming request. */
    | { readonly type: "chunks"; readonly chunks: readonly ChunkBody[] }
    /** The body, or all events, in the caller's format. */
    | { readonly type: "written"; readonly text: string };
}

/** A request on its way to one target, and the adapter that serves it. */
export interface TargetCall {
  readonly adapter: Adapter;
  readonly call: Call;
}

/** The target and context of a request in a vendor's format. */
export interface TargetRequest {
  /** The adapter that has converted the request, or the API that speaks the caller's format. */
  readonly api: Pick<Adapter & NativeApi, "promptMarks">;
  /** The provider's adapter. */
  readonly adapter: Pick<Adapter, "sessionHint">;
  readonly model: TargetModel;
  readonly provider: ProviderSettings;
  readonly changes: RequestChanges;
}

/** A feature's hooks for one chat. */
export interface ChatFeature {
  /** The request for all targets. */
  readonly request: ChatRequest;
  /**
   * The call to one target, after the support tables were applied and before the adapter converts
   * it. Records its changes in `call.changes`.
   */
  call?(call: TargetCall): TargetCall;
  /** A complete answer. */
  completion?(body: CompletionBody, call: TargetCall): CompletionBody;
  /**
   * The decoder of a stream. Unless `seesContent` is true, events with the same form as earlier
   * ones may be converted without it.
   */
  decoder?(decoder: StreamDecoder, call: TargetCall): StreamDecoder;
}

/** A feature's hooks for a request to an API that speaks the caller's format. */
export interface NativeFeature {
  /** The body for one target; the same body if nothing changes. */
  request?(call: NativeCall): JsonObject;
  /** Reads or changes answers. A reader without `skip` receives every event. */
  answers?(answers: NativeAnswers, call: NativeCall): NativeAnswers;
}

/** A completed answer. */
export interface EndedAnswer {
  /** True if the whole answer was written. */
  readonly complete: boolean;
  /** The target that answered; undefined if there was none, as for a ready answer. */
  readonly target: TargetName | undefined;
  /** As reported by the vendor. */
  readonly usage: Usage | undefined;
  /** A target's answer as sent to the caller, if a feature needs it and it is not too long. */
  readonly written?: WrittenAnswer;
}

/** An answer as written in the caller's format. */
interface WrittenAnswer {
  /** The body, or all events of a stream. */
  readonly text: string;
  /** The finish reason of each choice, as in chat completions; empty if unknown. */
  readonly finishReasons: readonly string[];
  /** Its cost in US dollars; undefined if the price is unknown. */
  readonly usd: number | undefined;
}
