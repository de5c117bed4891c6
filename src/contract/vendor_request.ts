/** One call to a vendor: the target, the request, the answer, and how a failure is handled. */

import type { ModelFacts } from "./model_facts.ts";
import type { ChatRequest, JsonObject } from "./chat.ts";
import type { RequestChanges } from "./request_changes.ts";
import type { VendorForm, VendorUpload } from "./form.ts";
import type { ErrorKind, SuspensionScope } from "../core/errors.ts";

/** A model as one provider serves it. */
export interface TargetModel {
  /** The name that callers use. */
  readonly id: string;
  /** The upstream name: the vendor's name for the model. */
  readonly upstream: string;
  /** The model whose facts and special rules apply: `base_model`, else `upstream`. */
  readonly base: string;
  readonly facts: ModelFacts;
  /** `api` of the config entry, for vendors with more than one API. */
  readonly api?: string;
}

/** The settings of one configured provider, without its credentials. */
export interface ProviderSettings {
  readonly id: string;
  /** Everything before the resource path, without a trailing slash. */
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
  /** The adapter records ignored and converted parameters here. */
  readonly changes: RequestChanges;
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
   * The key in the named header if the provider has an `api_key`, otherwise an access token for the
   * provider's option `credentials` or for the machine.
   */
  | { readonly type: "google"; readonly keyHeader: string }
  /** The same for Azure, with a token for the provider's `client_secret` or for the machine. */
  | { readonly type: "azure"; readonly keyHeader: string }
  /**
   * Signed with the AWS keys of the provider or of the machine; a bearer token if the provider has
   * an `api_key`.
   */
  | { readonly type: "sigv4"; readonly service: string; readonly region: string };

/** A request in the vendor's format, without credentials. */
export interface VendorRequest {
  /** POST if absent. Requests with another method have no body. */
  readonly method?: "DELETE" | "GET";
  readonly url: string;
  /** Frozen if shared by many requests. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** A form that is sent instead of the body; in explanations, the body describes it. */
  readonly form?: VendorForm;
  /** A file that is sent instead of the body; in explanations, the body describes it. */
  readonly upload?: VendorUpload;
  readonly auth: Auth;
}

/** Names and values of the rate-limit headers. */
export type LimitHeaders = readonly (readonly [name: string, value: string])[];

/** The headers of an answer. Names are in lower case. */
export interface VendorHeaders extends Iterable<[string, string]> {
  /** The rate-limit headers; undefined if they have not been determined. */
  readonly limits?: LimitHeaders;
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

/** A change to the vendor's request so that the vendor accepts it. */
export type Repair = FieldRepair | RewriteRepair;

interface RepairEvidence {
  /**
   * The part of the vendor's message that names the rejected field. The repair is ignored if the
   * caller's request contains it. Absent when a member of the error names it.
   */
  readonly words?: string | undefined;
}

/** Fields of the vendor's request to omit, or one to send under another name. */
export interface FieldRepair extends RepairEvidence {
  /**
   * The field to omit, or several fields that depend on each other. A name with dots is a path,
   * such as `generationConfig.logprobs`; it applies to every entry of a list.
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

/** Sends a part of a request in a different form, such as a role that a model rejects. */
export interface RequestRewrite {
  /** The name for admins; rewrites of the same name have the same effect. */
  readonly name: string;
  /**
   * Whether later requests are rewritten too; false for parts that may be specific to one caller.
   */
  readonly isKept: boolean;
  /**
   * Returns the same request if it does not contain such a part. Records its changes in the
   * receipt.
   */
  apply(request: VendorRequest, changes: RequestChanges): VendorRequest;
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
 * A classified failure. The text of the vendor's message may determine `kind`, which affects only
 * this request. It must not determine `suspends`, since the message may quote the caller's text.
 */
export interface UpstreamError {
  readonly kind: ErrorKind;
  /** The vendor's message; undefined if it sent none. */
  readonly message?: string | undefined;
  readonly param?: string | null;
  readonly code?: string | null;
  /** The wait that the vendor requests other than in a header, in milliseconds. */
  readonly retryAfter?: number;
  readonly suspends?: Suspension | undefined;
  /** True if retrying the same request would fail too. */
  readonly final?: boolean | undefined;
  /**
   * A change to the request that avoids the failure. The request can then be retried immediately.
   */
  readonly repair?: Repair | undefined;
}

/** The fields that the adapter may add to a request: the reason by path. */
export type AdditionTable = Readonly<Record<string, string>>;
