/**
 * The contract of operations with one request and one answer, which may be streamed. An operation
 * is one value: it reads its requests, estimates them, and writes the answers of vendors.
 */

import type { Adapter } from "../contract/adapter.ts";
import type { Usage } from "../contract/chat.ts";
import type { FormImage, UploadedFile } from "../contract/form.ts";
import type { OperationApi, OperationCall, OperationRequest } from "../contract/operation_api.ts";
import type { OtherOperation } from "../contract/operations.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { TokenFamily } from "../core/tokens/token_counter.ts";
import type { TargetModel } from "../contract/vendor_request.ts";
import type { TokenEstimate } from "../core/units.ts";
import type { EndpointDescription } from "./openapi.ts";
import type { BytesWriter, NativeStreamReader } from "./native_answers.ts";

/** An operation, with its endpoints and what its support tables show. */
export interface UnaryApi<Request extends OperationRequest, Body> extends UnaryKind<Request, Body> {
  /** Its name in messages. */
  readonly noun: string;
  /** Its name in tables. */
  readonly title: string;
  readonly endpoints: readonly [UnaryEndpoint<Request, Body>, ...UnaryEndpoint<Request, Body>[]];
  /** The fields of its requests, in the order of printed tables. */
  readonly parameters: readonly string[];
  /** The types of content that only some vendors support; absent if there are none. */
  readonly contents?: {
    /** Their name in `GET /v1/providers`. */
    readonly member: string;
    readonly kinds: readonly string[];
  };
  /** Notes that nearly all kinds share, so that no table shows them. */
  readonly usualNotes?: ReadonlySet<string>;
}

/** The usual notes of most operations. */
export const NO_FIELD: ReadonlySet<string> = new Set(["no such field"]);

/** The properties of an endpoint: `POST`, with a JSON body that names a model. */
export interface EndpointFacts {
  readonly path: `/v1/${string}`;
  /** Other paths that clients use for it. */
  readonly aliases?: readonly `/${string}`[];
  /** Its name in `sluice explain --format`. */
  readonly explainedAs: string;
  /**
   * Whether OpenAI's API has it, so that it is also below `/openai`: only its path, or also that of
   * deployments.
   */
  readonly mirror?: "path" | "deployments";
  /** The schema of its body; other names of members are checked against all of them. */
  readonly schema: { readonly shape: object };
  /** Its entry in `GET /openapi.json`, and in the reference. */
  describe(): EndpointDescription;
}

/** An endpoint of an operation. Its functions throw `invalid_value` for the first fault. */
export interface UnaryEndpoint<Request extends OperationRequest, Body> extends EndpointFacts {
  read(body: unknown): ReadUnary<Request, Body>;
  /** Reads a form with a file. Then {@linkcode read} is only for the fields of an explanation. */
  readForm?(fields: JsonObject, file: UploadedFile): ReadUnary<Request, Body>;
  /** The same for a form whose files are kept. */
  readFiles?(fields: JsonObject, files: readonly FormImage[]): ReadUnary<Request, Body>;
  /** Reads the JSON that callers may send in place of a form. */
  readJson?(body: unknown): ReadUnary<Request, Body>;
}

/** A request, and the models to fall back to. */
export interface ReadUnary<Request extends OperationRequest, Body> {
  readonly request: Request;
  readonly models?: readonly string[] | undefined;
  /**
   * The rules of this request, if they are not those of all.
   *
   * @param isLimited whether a wrong estimate could exceed a limit or a budget
   */
  readonly toKind?: (isLimited: boolean) => UnaryKind<Request, Body>;
}

/** An answer for the caller. */
export interface WrittenAnswer {
  /** JSON as text, or pieces of the body. */
  readonly text: string | readonly Uint8Array<ArrayBuffer>[];
  /** The media type of the body, if it is not JSON. */
  readonly contentType?: string | undefined;
  /** The usage; undefined if it must be estimated. */
  readonly usage: Usage | undefined;
  readonly id: string;
  /** The vendor's name of the model. */
  readonly model: string;
}

/** How the requests of an operation are estimated, and their answers written. */
export interface UnaryKind<Request extends OperationRequest, Body> {
  readonly name: OtherOperation;
  /** Members of a request that are not parameters. */
  readonly structural: ReadonlySet<string>;
  apiOf(adapter: Adapter): OperationApi<Request, Body> | undefined;
  estimate(request: Request, family: TokenFamily): TokenEstimate;
  /** The request for a target, if it depends on the target. */
  requestFor?(request: Request, target: RequestTarget): Request;
  /** @throws {GatewayError} `unsupported_content` for content that the vendor does not take. */
  check?(request: Request, api: OperationApi<Request, Body>): void;
  /** Whether omitting a value has no effect, so that the receipt does not list it. */
  isDefault?(name: string, value: unknown, model: TargetModel): boolean;
  /** Writes an answer; of a batch, the joined one. @throws {GatewayError} for an unreadable one. */
  write(
    body: Body,
    call: OperationCall<Request>,
    context: WriteContext,
  ): WrittenAnswer | Promise<WrittenAnswer>;
  /** How large requests are split; absent if they never are. */
  readonly batch?: Batch<Request, Body>;
  /**
   * The usage of answers other than JSON, whose bytes are forwarded unchanged; absent if there are
   * none. Returns undefined for an unexpected media type.
   */
  passes?(call: OperationCall<Request>, type: string): PassedAnswer | undefined;
  /** The upload of a request, which may not be repeatable. */
  uploadOf?(request: Request): Upload<Request>;
  /** The streaming of its answers; absent if unsupported. */
  readonly streams?: {
    isAsked(request: Request): boolean;
    /** Reads the events of a vendor, which are forwarded unchanged. */
    createReader(call: OperationCall<Request>): NativeStreamReader;
    /** The events of an answer that the vendor does not stream. */
    write(
      body: Body,
      call: OperationCall<Request>,
      context: WriteContext,
    ): Omit<WrittenAnswer, "text"> & { readonly text: string };
  };
}

/** The target that a request is converted for. */
export type RequestTarget =
  & Pick<OperationCall, "changes" | "model" | "provider">
  & { readonly adapter: Adapter };

/** A range of a request's inputs. `end` is exclusive. */
export interface InputRange {
  readonly start: number;
  readonly end: number;
}

/** One part of a batch, which is a separate request, and its answer. */
export interface BatchPart<Request extends OperationRequest, Body> {
  readonly call: OperationCall<Request>;
  readonly body: Body;
}

/** Requests with many inputs: their parts, and the answers to these. */
export interface Batch<Request extends OperationRequest, Body> {
  /** The results of inputs, in messages. */
  readonly noun: string;
  /** The parts that are within a target's limits, in order; at least one. */
  split(call: OperationCall<Request>, api: OperationApi<Request, Body>): readonly InputRange[];
  part(request: Request, range: InputRange): Request;
  /** The number of results of an answer: one for each input. */
  resultsOf(body: Body): number;
  /** The tokens that the vendor reports. */
  tokensOf(body: Body): number | undefined;
  /** Joins the answers to several parts. */
  join(parts: readonly BatchPart<Request, Body>[]): Body;
  /** Answers that are forwarded as they arrive; absent if none are. */
  readonly passes?: PassedList<Request, Body>;
}

/** Answers of the caller's format with a list of long values, of which only the rest is read. */
export interface PassedList<Request extends OperationRequest, Body> {
  /** The member with the list, and the member of its entries with the long value. */
  readonly list: string;
  readonly long: string;
  /** The number of entries below which answers are read completely. */
  readonly minEntries: number;
  /** Members that may be changed: an answer that begins with one is read completely. */
  readonly readAtEnd: readonly string[];
  /** The first character of the values that the caller has asked for. */
  openingOf(request: Request): string;
  /** Writes the members of an answer other than its list. */
  members(
    body: Body,
    call: OperationCall<Request>,
    context: WriteContext,
  ): Omit<WrittenAnswer, "text"> & { readonly members: JsonObject };
}

/** A part of a request that is sent as it arrives. */
export interface Upload<Request> {
  /** @throws the failure of an earlier attempt, if the upload cannot be sent again. */
  checkRepeat(): void;
  /** Records the failure of an attempt. */
  failed(thrown: unknown): void;
  /**
   * Waits for the whole upload, and returns the request with the fields after it.
   *
   * @throws {GatewayError} `too_large`, `overloaded`, or the caller's failure.
   */
  receive(request: Request): Promise<Request>;
}

/** Values that an answer may lack. */
export interface WriteContext {
  readonly id: string;
  /** Unix seconds. */
  readonly now: number;
  /** The milliseconds since the request arrived. */
  readonly elapsedMs: number;
}

/** The usage of a forwarded answer. */
export interface PassedAnswer {
  /** The usage; undefined if it must be estimated. */
  readonly usage: Usage | undefined;
  /** The length of a text that represents the answer in an estimate, in UTF-16 units. */
  readonly outputChars: number;
  /** Writes its bytes as events, for callers that requested a stream. */
  readonly createWriter: () => BytesWriter;
}

/** The usage of an answer that has no output tokens. */
export function inputUsage(tokens: number): Usage {
  return { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
}
