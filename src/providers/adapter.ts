/**
 * The contract between the gateway and a vendor: an adapter is a value that
 * holds the vendor's identity, its tables, and pure functions. It never
 * fetches, waits, logs or reads the environment.
 */

import type { z } from "zod";
import type { ChatRequest, ChunkBody, CompletionBody, JsonObject } from "../chat.ts";
import type { Clock } from "../clock.ts";
import type { ErrorKind, SuspensionScope } from "../errors.ts";
import type { Frame, Framing } from "../framing.ts";
import type { Receipt, Support, SupportTable } from "./support.ts";

/** What is known of a model, from config.yaml, else from the catalogue; absent where unknown. */
export interface ModelFacts {
  /** Release date in Unix seconds. */
  readonly created?: number;
  /** Tokens, prompt and answer together. */
  readonly context_window?: number;
  /** Tokens. */
  readonly max_output_tokens?: number;
  readonly capabilities?: Readonly<Partial<Record<Capability, boolean>>>;
  /** True when the model, in its default mode, refuses temperature, top_p and penalties. */
  readonly rejects_sampling_params?: boolean;
  /** USD per million tokens. */
  readonly prices?: {
    readonly input: number;
    readonly output: number;
    readonly cached_input?: number;
  };
}

export type Capability =
  | "tools"
  | "vision"
  | "json_schema"
  | "reasoning"
  | "streaming";

/** A model as one provider serves it. */
export interface TargetModel {
  /** What callers call it. */
  readonly id: string;
  /** What the vendor is told. */
  readonly upstream: string;
  /** The model whose facts and quirks apply: `base_model`, else `upstream`. */
  readonly base: string;
  readonly facts: ModelFacts;
  /** `api` of the config entry, for vendors with more than one API. */
  readonly api?: string;
}

/** One configured provider, as far as an adapter may know it: no credentials. */
export interface ProviderSettings {
  readonly id: string;
  /** Everything before the resource path, without a slash at its end. */
  readonly baseUrl: string;
  /** Members of config.yaml that only this kind has, checked by its {@linkcode Adapter.options}. */
  readonly options: JsonObject;
}

/** One request on its way to one target. */
export interface Call {
  /** The request with the model's default `params` filled in. */
  readonly request: ChatRequest;
  /** What the support table let through, under the vendor's names. */
  readonly fields: JsonObject;
  readonly model: TargetModel;
  readonly provider: ProviderSettings;
  /** Where the adapter notes what it ignored or converted. */
  readonly receipt: Receipt;
  /** Whether the answer is streamed. */
  readonly stream: boolean;
  /** A new id that starts with `prefix`, for what a vendor leaves unnamed. */
  readonly newId: (prefix: string) => string;
}

/** How a request is signed: data, so that no adapter sees a key. */
export type Auth =
  | { readonly type: "none" }
  /** `Authorization: Bearer KEY`. */
  | { readonly type: "bearer" }
  /** The key alone in the named header. */
  | { readonly type: "header"; readonly name: string }
  /** An access token for the service account in the provider's option `credentials`. */
  | { readonly type: "google" }
  /** Signed with AWS keys; a bearer token where the provider has an `api_key`. */
  | { readonly type: "sigv4"; readonly service: string; readonly region: string };

/** A request in the vendor's own words, unsigned. */
export interface VendorRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly auth: Auth;
}

/** The headers of an answer, by their names in lower case. */
export interface VendorHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
}

/** A vendor's answer that is not a stream, with its body parsed. */
export interface VendorAnswer {
  readonly status: number;
  readonly headers: VendorHeaders;
  readonly body: unknown;
}

/** A failure as the vendor told it: an HTTP answer that is not 2xx, or an event of a stream. */
export type Failure =
  | {
    readonly where: "answer";
    readonly status: number;
    readonly headers: VendorHeaders;
    /** The body if it was JSON, else undefined. */
    readonly body: unknown;
  }
  | { readonly where: "stream"; readonly body: unknown };

/** Fields of the vendor's request to leave out, or one to send under another name. */
export interface Repair {
  /**
   * The part of the vendor's message that names the field, where only the message does. It counts
   * only if the caller did not write it. Absent when a field of the error names it.
   */
  readonly words?: string | undefined;
  /**
   * A field, or several that stand and fall together; `generationConfig.logprobs` is a path,
   * and goes through the entries of lists.
   */
  readonly without: string | readonly string[];
  readonly as?: string;
  /** What callers call them, where that differs; empty where it is nothing of theirs. */
  readonly parameters?: readonly string[];
}

/** Proof that a vendor key cannot be used for a while. */
export interface Suspension {
  readonly scope: SuspensionScope;
  /**
   * The vendor's code that proves it. It counts only if the caller did not write it. Absent when
   * the HTTP status alone is the proof.
   */
  readonly code?: string;
}

/**
 * What a failure means. Words of the vendor's message may choose `kind`, since only this request
 * sees it. They never choose `suspends`: they may be the caller's.
 */
export interface Verdict {
  readonly kind: ErrorKind;
  /** The vendor's own words, or undefined when it had none. */
  readonly message?: string | undefined;
  readonly param?: string | null;
  readonly code?: string | null;
  /** How long the vendor asks us to wait, in milliseconds, when a header does not say so. */
  readonly retryAfter?: number;
  readonly suspends?: Suspension | undefined;
  /** True when the same request fails however long one waits. */
  readonly final?: boolean | undefined;
  /** How to mend the request, which may then be sent once more, at once. */
  readonly repair?: Repair | undefined;
}

/**
 * A decoder's promise about a frame: its one chunk depends on nothing but this
 * text, and a frame that follows it and differs in nothing else would come to
 * the same chunk with that other text.
 */
export interface Plain {
  /** The text as the frame and the chunk hold it, not empty. */
  readonly text: string;
  /** Another string of the frame that may differ and means nothing. */
  readonly noise?: string | undefined;
}

/** What one frame of a stream came to. */
export interface Step {
  readonly chunks: readonly ChunkBody[];
  /** The vendor broke off: nothing after it counts. */
  readonly failure?: Verdict;
  /** The vendor said that its answer is complete: nothing after it counts. */
  readonly done?: boolean;
  /** Lets frames like this one take the short cut of fast_lane.ts. */
  readonly plain?: Plain | undefined;
}

/**
 * A synchronous fold over one stream's frames. It yields chunks without care
 * for the envelope or their order within one step: the gateway puts the role
 * first, the finish reason and the usage last, and drops what repeats.
 */
export interface StreamDecoder {
  push(frame: Frame): Step;
  /** The connection ended. A failure here means that the answer was cut short. */
  end(): Step;
}

/** A step that says nothing. */
export const NOTHING: Step = { chunks: [] };

/** What may be sent that the caller did not send: the field's path, and why. */
export type AdditionTable = Readonly<Record<string, string>>;

/** Members of config.yaml that are credentials together, where `api_key` is not the only way. */
export interface CredentialSet {
  readonly needs: readonly string[];
  /** What may be left out. */
  readonly takes?: readonly string[];
}

/** How a kind of provider is reached when config.yaml does not say. */
export interface ProviderDefaults {
  /**
   * Absent when every user has an address of their own: `base_url` is then
   * required. Empty when the adapter makes it from the provider's options.
   */
  readonly baseUrl?: string;
  /** Whether a provider without credentials is off. */
  readonly credentials: "required" | "optional" | "none";
  /** Limits of one try that differ from everyone's, as config.yaml would say them. */
  readonly timeouts?: {
    readonly first_token?: string;
    readonly idle?: string;
    readonly total?: string;
  };
}

/** What an adapter that answers by itself is given to do so. */
export interface Stage {
  /** Fires when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** How many requests this target has had before. */
  readonly turn: number;
}

export interface Adapter {
  /** `kind` in config.yaml and `owned_by` in the models list. */
  readonly kind: string;
  /** What OpenTelemetry's conventions call the vendor; `kind` when absent. */
  readonly genAiName?: string;
  readonly defaults: ProviderDefaults;
  /** Members of config.yaml that only this kind has. */
  readonly options?: z.ZodObject;
  /** Those of the options that are credentials: only the signer sees them. */
  readonly credentialSets?: readonly CredentialSet[];
  readonly supports: SupportTable;
  readonly adds: AdditionTable;
  readonly framing: Framing;
  /** Answers in OpenAI's own format: what is complete in itself may go through as it came. */
  readonly transparent?: boolean;
  /** The vendor's rate-limit headers, in lower case, and what OpenAI calls them. */
  readonly rateLimitHeaders?: ReadonlyMap<string, string>;
  /** The header with the vendor's own id of a request; `x-request-id` when absent. */
  readonly requestIdHeader?: string;
  /**
   * Image URLs that the vendor fetches itself; others reach it as data URLs. Those that `own`
   * matches nobody but the vendor can read.
   */
  readonly imageSources: {
    readonly https: boolean;
    readonly http: boolean;
    readonly own?: RegExp;
  };
  /** Whose API serves this call, when the kind has several. */
  route?(call: Call): Adapter;
  /** Verdicts that hold for this model, or with these other parameters, only. */
  supportFor?(
    request: ChatRequest,
    model: TargetModel,
  ): Readonly<Record<string, Support>>;
  /** @throws {GatewayError} `unsupported_content` or `invalid_value` for what cannot be conveyed. */
  toRequest(call: Call): VendorRequest;
  /** @throws {GatewayError} `upstream_error` when the body is not what the vendor documents. */
  toCompletion(answer: VendorAnswer, call: Call): CompletionBody;
  decoder(call: Call): StreamDecoder;
  toError(failure: Failure): Verdict;
  /** Answers in the process, without a network: for kinds that are no vendor at all. */
  serve?(body: JsonObject, stage: Stage): Response | Promise<Response>;
}
