/**
 * The interface of an operation, which is one kind of request to a target. The fallback chain,
 * keys, breakers, deadlines, retries and the receipt are the same for every operation.
 */

import type { StopSignal } from "../core/stop_signal.ts";
import type { AnswerSummary, CallerFormat } from "../apis/chat/caller_format.ts";
import type { ChatRequest, Choice, Usage } from "../contract/chat.ts";
import type { FieldPaths } from "../apis/chat/field_paths.ts";
import type { Clock } from "../core/clock.ts";
import type { Balance, FallbackTarget, Target } from "../config/config.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { RequestChanges } from "../contract/request_changes.ts";
import type { OpenStream } from "../streaming/fold.ts";
import type { TokenFamily } from "../core/tokens/token_counter.ts";
import type { TokenEstimate } from "../core/units.ts";
import type { AttemptState } from "./attempt_state.ts";
import type { Row } from "./explained_changes.ts";
import type { RequestRecord } from "./request_record.ts";
import type { State, TargetState } from "./state.ts";
import type { VendorSession } from "./vendor_session.ts";
import type { VendorRequest } from "../contract/vendor_request.ts";
import { GatewayError } from "../core/errors.ts";
import type { CallerRequest } from "./rejected_fields.ts";
import type { VendorResponse } from "../upstream/transport.ts";
import type { CallerOptions, SentRequest } from "./feature.ts";
import { hasOperation, type OperationModels, type OperationName } from "../contract/operations.ts";

/** The options in a request's headers. */
export interface RequestOptions extends CallerOptions {
  /** The time limit of all attempts together, in milliseconds: `x-sluice-deadline-ms`. */
  readonly deadline: number | undefined;
  /** The order of groups of equal targets: `x-sluice-order`. */
  readonly balance?: Balance | undefined;
  readonly sent?: SentRequest | undefined;
  /**
   * Whether a request that hits a vendor's rate limit waits in a queue instead of before a retry.
   */
  readonly waitsInQueue?: boolean;
}

/** A request, and the reader of its answer. */
export interface RepairableRequest<Result = AttemptResult> {
  readonly request: VendorRequest;
  /** Whether the body is written in time slices. */
  readonly isLarge: boolean;
  /** Returns the caller's request; called after a rejection. */
  readonly caller: () => CallerRequest;
  /** Like the adapters' `toError`, which is the default. */
  readonly toError?: Adapter["toError"];
  /** Reads a 2xx. */
  read(response: VendorResponse, session: VendorSession): Result | Promise<Result>;
  /** Handles a non-2xx response instead of throwing its error; undefined if it cannot. */
  handle?(response: VendorResponse, session: VendorSession): Promise<Result> | undefined;
}

/** The properties of an operation, such as chat, without the code of its endpoints. */
export interface OperationFacts {
  readonly name: OperationName;
  /** Its name in messages. */
  readonly noun: string;
  /** The paths of its requests. Messages mention the first one. */
  readonly endpoints: readonly [EndpointPath, ...EndpointPath[]];
  /** Describes models that support only this operation, if any. */
  readonly models?: OperationModels;
}

interface EndpointPath {
  readonly path: `/v1/${string}`;
}

/** Caches the operations that each configured model is known to support. */
const SUPPORTED = new WeakMap<Target["model"], Set<OperationName>>();

export type { TokenEstimate };

/** The context for converting a request. */
export interface PrepareContext {
  readonly changes: RequestChanges;
  /** Receives the format of the answer and the usage to bill. */
  readonly attempt: AttemptState;
  readonly record: RequestRecord;
  readonly clock: Clock;
  readonly state: State;
  /** The state of the target. */
  readonly known: TargetState;
  readonly newId: (prefix: string) => string;
  /** Whether parameters that would be ignored are rejected. */
  readonly strict: boolean;
  /** Runs downloads that the conversion needs, within the attempt's time limits. */
  within<Result>(run: (signal: StopSignal) => Promise<Result>): Promise<Result>;
}

/** A request in a target's format, ready to be sent. */
export type PreparedAttempt = PreparedRequest | PreparedRequests;

interface PreparedBase {
  /** The adapter that serves this call. */
  readonly adapter: Adapter;
  /** Whether the answer is streamed. */
  readonly stream: boolean;
  /** The caller's fields, if the request was converted from another format. */
  readonly origins?: FieldPaths;
}

/** A single request. The answer has been read; a stream, up to its first event. */
export interface PreparedRequest extends PreparedBase {
  readonly exchange: RepairableRequest;
  readonly execute?: undefined;
}

/** Several requests, or none. */
export interface PreparedRequests extends PreparedBase {
  readonly exchange?: undefined;
  /**
   * Sends the requests and reads the answers; a stream, up to its first event.
   *
   * @throws {GatewayError} the vendor's error, or the reason why there is no answer.
   */
  execute(session: VendorSession): Promise<AttemptResult>;
}

/** An answer that is not streamed, as sent to the caller. */
export interface UnaryResult {
  readonly type: "text";
  /** The body of the response: JSON as text, or pieces of it in UTF-8. */
  readonly text: string | readonly Uint8Array<ArrayBuffer>[];
  /** The media type of the body, if it is not JSON. */
  readonly contentType?: string | undefined;
  /** The number of characters that the model wrote; the whole length if omitted. */
  readonly outputChars?: number;
  readonly usage: Usage | undefined;
  /** The service tier reported by the vendor. */
  readonly serviceTier?: string | undefined;
  readonly summary: AnswerSummary;
  /** The answer's content, for traces. */
  readonly choices?: readonly Choice[];
}

/** A stream whose first event has been read. */
export interface StreamResult {
  readonly type: "stream";
  readonly stream: OpenStream;
  /** Lets another target continue the stream; absent if that is not possible. */
  readonly continuation?: StreamContinuation;
}

/** Continues an interrupted stream. */
export interface StreamContinuation {
  /** Whether the text written so far can be continued. */
  readonly isPossible: boolean;
  /**
   * Creates the operation that requests the rest from another target.
   *
   * @param used the billed usage of the text so far
   */
  createOperation(used: Usage | undefined): Operation;
}

/** The answer of one attempt. */
export type AttemptResult = UnaryResult | StreamResult;

/** A request and its targets. */
export interface AskedRequest {
  /** The targets, in the order in which they are tried. */
  readonly chain: readonly FallbackTarget[];
  readonly deps: { readonly clock: Clock; readonly newId: (prefix: string) => string };
  readonly options: Pick<RequestOptions, "deadline">;
  readonly record: RequestRecord;
}

/** An answer without a target. */
export interface ReadyResult {
  readonly result: AttemptResult;
  /** The format in which it is written. Default: the route's. */
  readonly format?: CallerFormat;
  /** Additional response headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The source, as reported by a feature. */
  readonly savedUsd?: number;
  readonly note?: string;
}

/** One request, independent of the target that answers it. */
export interface Operation {
  readonly name: OperationName;
  /**
   * Whether it is not sent to a model, so that model limits do not apply; for example, reading a
   * stored answer.
   */
  readonly callsNoModel?: true | undefined;
  /** Whether its answers, such as token counts, are not relevant to a target's speed. */
  readonly isUntimed?: true | undefined;
  /** The parameters and messages of a chat, for traces. */
  readonly chat?: ChatRequest | undefined;
  /**
   * The estimated usage for a model family, for limits; derived from its size in bytes if absent.
   */
  readonly estimate?: ((family: TokenFamily) => TokenEstimate) | undefined;
  /** Answers the request without a target; undefined, synchronously, if that is not possible. */
  answer?(request: AskedRequest): Promise<ReadyResult | undefined> | undefined;
  /**
   * Converts the request for a target. Sends nothing.
   *
   * @throws {GatewayError} with status 400 for a request that the target does not support.
   */
  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt>;
}

/** The context of an explanation. */
export type ExplainContext = Pick<PrepareContext, "clock" | "newId" | "changes" | "state">;

/** The request for a target, and how its parameters are handled. */
export interface ExplainedRequest {
  /** Undefined if nothing would be sent because the answer is an estimate. */
  readonly unsigned: VendorRequest | undefined;
  readonly rows: readonly Row[];
  /** The number of requests in the batch; this is the first of them. */
  readonly parts?: number;
  /** As in {@linkcode PreparedAttempt}. */
  readonly origins?: FieldPaths;
}

/** An operation that can show the request for a target. */
export interface ExplainableOperation extends Operation {
  /**
   * Converts the request like {@linkcode Operation.prepare}. Nothing is sent or downloaded.
   *
   * @throws {GatewayError} with status 400 for a request that the target does not support.
   */
  explain(
    target: Target,
    context: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest>;
}

/**
 * Rejects an operation that the target does not support before anything is sent.
 *
 * @param kinds all operations
 * @throws {GatewayError} `unsupported_operation`; a fallback chain skips the target.
 */
export function checkOperation(
  name: OperationName,
  target: Target,
  kinds: readonly OperationFacts[],
): void {
  const checked = SUPPORTED.get(target.model);
  if (checked?.has(name)) return;
  refuseUnsupported(name, target, kinds);
  if (checked === undefined) SUPPORTED.set(target.model, new Set([name]));
  else checked.add(name);
}

function refuseUnsupported(
  name: OperationName,
  { provider: { adapter, settings }, model }: Target,
  kinds: readonly OperationFacts[],
): void {
  const capabilities = model.facts.capabilities ?? {};
  for (const { name: other, models, endpoints: [{ path }] } of kinds) {
    if (models === undefined || other === name || capabilities[models.capability] !== true) {
      continue;
    }
    throw refused(`The model '${model.id}' is ${models.noun}; use POST ${path}`);
  }
  const facts = kinds.find((kind) => kind.name === name);
  if (facts === undefined) throw new TypeError(`The operation '${name}' is not in the list`);
  if (facts.models !== undefined && capabilities[facts.models.capability] === false) {
    const chat = kinds.find(({ models }) => models === undefined);
    const advice = chat === undefined ? "" : `; use POST ${chat.endpoints[0].path}`;
    throw refused(`The model '${model.id}' has no ${facts.noun}${advice}`);
  }
  if (!hasOperation(adapter, name)) {
    throw refused(`The provider '${settings.id}' (kind '${adapter.kind}') has no ${facts.noun}`);
  }
}

function refused(message: string): GatewayError {
  return new GatewayError("unsupported_operation", message, { param: "model" });
}

/** The defaults for a request without options. */
export const NO_OPTIONS: RequestOptions = { strict: false, deadline: undefined };
