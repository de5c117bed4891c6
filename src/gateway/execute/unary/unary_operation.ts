/** Operations with one JSON request and one answer, which may be streamed. */

import { isObject } from "../../../core/json/object.ts";
import { GatewayError } from "../../../core/errors.ts";
import { MAX_BYTES_AT_ONCE } from "../../../core/json/writer.ts";
import type { Target } from "../../../config/config.ts";
import type { TokenFamily } from "../../../core/tokens/token_counter.ts";
import type { RequestFeatures } from "../../request_features.ts";
import type { OperationCall, OperationRequest } from "../../../contract/operation_api.ts";
import type { ApiKind } from "../../feature.ts";
import type { OperationContext, ParsedRequest } from "../../parsed_request.ts";
import { openStream } from "../../open_stream.ts";
import { createOperation } from "../create_operation.ts";
import type {
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
} from "../../operation.ts";
import type { VendorSession } from "../../vendor_session.ts";
import type { VendorResponse } from "../../../upstream/transport.ts";
import { type BatchKind, BatchOperation } from "./batch_operation.ts";
import {
  type CheckedCall,
  convert,
  type ConvertedCall,
  explainedRows,
  toAnswerError,
  toCall,
  toWriteContext,
} from "./convert.ts";
import { isEventStream, isJson, pass, readAnswer, readJob } from "./read_answer.ts";
import { readable, toCallerError } from "../../../upstream/upstream_errors.ts";
import { NativeFold } from "../../../streaming/native_fold.ts";
import type { UpstreamError } from "../../../contract/vendor_request.ts";
import { andThen } from "../../../core/steps.ts";
import { writtenStream } from "../../../streaming/list_fold.ts";
import { type OperationName, OTHER_OPERATIONS } from "../../../contract/operations.ts";
import type { OperationEndpoint, OperationKind } from "../../operation_kind.ts";
import type { TokenEstimate } from "../../../core/units.ts";
import type {
  ReadUnary,
  UnaryApi,
  UnaryEndpoint,
  UnaryKind,
  Upload,
  WriteContext,
} from "../../../apis/operation.ts";

/** A request for a target. */
interface Converted<Request extends OperationRequest, Body>
  extends CheckedCall<Request, Body>, ConvertedCall<Request> {}

/** Derives the endpoints, the requests and the support tables of an operation from its value. */
export function toOperationKind<Request extends OperationRequest, Body>(
  api: UnaryApi<Request, Body>,
): OperationKind {
  const { name, noun, title, endpoints: [first, ...others], parameters, contents } = api;
  const kind: ApiKind = { format: name, idPrefix: "", operation: name };
  const toRequest = (read: ReadUnary<Request, Body>) => toParsedRequest(api, kind, read);
  const toEndpoint = (endpoint: UnaryEndpoint<Request, Body>): OperationEndpoint => {
    const { read, readForm, readFiles, readJson, ...facts } = endpoint;
    return {
      ...facts,
      read: (body) => toParsedRequest(api, kind, read(body)),
      ...(readForm && { readForm: (fields, file) => toRequest(readForm(fields, file)) }),
      ...(readFiles && { readFiles: (fields, files) => toRequest(readFiles(fields, files)) }),
      ...(readJson && { readJson: (body) => toRequest(readJson(body)) }),
    };
  };
  return {
    name,
    noun,
    endpoints: [toEndpoint(first), ...others.map(toEndpoint)],
    models: OTHER_OPERATIONS[name],
    support: {
      group: { member: name, title },
      parameters,
      contentMember: contents?.member ?? "contents",
      contents: contents?.kinds ?? [],
      tablesOf(adapter) {
        const own = api.apiOf(adapter);
        if (own === undefined) return undefined;
        const { supports: { parameters, extensions }, adds } = own;
        return { parameters, contents: own.contents ?? {}, extensions, adds };
      },
      isUsual: ({ note = "" }) => api.usualNotes?.has(note) ?? false,
    },
  };
}

/**
 * Converts a request that was read.
 *
 * @param caller the format that it was read from
 */
export function toParsedRequest<Request extends OperationRequest, Body>(
  api: UnaryKind<Request, Body>,
  caller: ApiKind,
  { request, models, toKind }: ReadUnary<Request, Body>,
): ParsedRequest {
  return {
    models: { model: request.model, models },
    stream: api.streams?.isAsked(request) ?? false,
    caller: { api: caller, body: request },
    createOperation: (context) => {
      const own = toKind?.(isLimited(context)) ?? api;
      return createOperation(
        context,
        request,
        (body, features) =>
          own.batch === undefined
            ? new UnaryOperation(own, body, features)
            : new BatchOperation(own as BatchKind<Request, Body>, body, features),
      );
    },
  };
}

/** Whether a wrong estimate could exceed a limit or a budget. */
function isLimited({ principal: { key }, config }: OperationContext): boolean {
  const { budget, endUsers, limits } = key;
  const { defaults, models } = config.limits;
  const isOfKey = Object.values(limits ?? defaults).some((limit) => limit !== undefined);
  return isOfKey || budget !== undefined || endUsers !== undefined || models.size > 0;
}

/** One request of such an operation. */
class UnaryOperation<Request extends OperationRequest, Body> implements ExplainableOperation {
  readonly #kind: UnaryKind<Request, Body>;
  readonly #request: Request;
  readonly #features: RequestFeatures;

  constructor(kind: UnaryKind<Request, Body>, request: Request, features: RequestFeatures) {
    this.#features = features;
    this.#kind = kind;
    this.#request = request;
  }

  get name(): OperationName {
    return this.#kind.name;
  }

  estimate(family: TokenFamily): TokenEstimate {
    return this.#kind.estimate(this.#request, family);
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const upload = this.#kind.uploadOf?.(this.#request);
    upload?.checkRepeat();
    const isWhole = this.#kind.apiOf(target.provider.adapter)?.needsWholeFile === true;
    return isWhole && upload !== undefined
      ? upload.receive(this.#request).then((request) =>
        this.#prepare(request, target, context, upload)
      )
      : this.#prepare(this.#request, target, context, upload);
  }

  /** @param own the request, if further parts of it have arrived */
  #prepare(
    own: Request,
    target: Target,
    context: PrepareContext,
    upload: Upload<Request> | undefined,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const checked = toCall(this.#kind, own, target, context.changes);
    return andThen(
      convert(checked, checked.call, this.#features),
      (converted) => this.#toPrepared({ ...checked, ...converted }, context, upload),
    );
  }

  #toPrepared(
    converted: Converted<Request, Body>,
    { clock, record }: PrepareContext,
    upload: Upload<Request> | undefined,
  ): PreparedAttempt {
    const { call } = converted;
    const stream = this.#kind.streams?.isAsked(call.request) ?? false;
    return {
      adapter: converted.adapter,
      stream,
      execute: async (session) => {
        const response = await this.#send(converted, session, record.bodyBytes).catch((thrown) => {
          upload?.failed(thrown);
          throw thrown;
        });
        if (this.#kind.streams && isEventStream(response)) {
          return this.#open(converted, response, session);
        }
        const type = response.headers.get("content-type")?.toLowerCase() ?? "";
        const passed = isJson(response) ? undefined : this.#kind.passes?.(call, type);
        if (passed !== undefined) return await pass(passed, call, stream, response, session);
        const body = await this.#read(converted, response, session);
        return this.#write(body, call, stream, toWriteContext(record, clock));
      },
    };
  }

  explain(
    target: Target,
    { changes }: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    const checked = toCall(this.#kind, this.#request, target, changes);
    return andThen(
      convert(checked, checked.call, this.#features),
      ({ request }) => ({ unsigned: request, rows: explainedRows(checked, this.#kind) }),
    );
  }

  /** @throws {GatewayError} the vendor's error. */
  async #send(
    { api, call, request }: Converted<Request, Body>,
    session: VendorSession,
    bytes: number,
  ): Promise<VendorResponse> {
    const response = await session.send(request, bytes > MAX_BYTES_AT_ONCE);
    if (response.ok) return response;
    const error = await session.readError(response, api.toError);
    throw session.toCallerError(error, call.request, response);
  }

  /** @throws {GatewayError} for an invalid answer. */
  async #read(
    converted: Converted<Request, Body>,
    response: VendorResponse,
    session: VendorSession,
  ): Promise<Body> {
    const { api, call } = converted;
    const first = await readAnswer(response, session);
    const whole = api.pollFor === undefined ? first : await readJob(api, call, first, session);
    const { body: answer } = whole;
    const body = isObject(answer) && answer.error
      ? undefined
      : unlessFiltered(() => api.toBody(whole, call), () => session.refused(answer));
    if (body === undefined) {
      const usual = "The provider's answer is not what its API describes";
      throw toAnswerError(answer, converted, call, session, usual);
    }
    session.deadline.end();
    return body;
  }

  /** Opens a stream of events that are forwarded unchanged. */
  async #open(
    { api, call }: Converted<Request, Body>,
    response: VendorResponse,
    session: VendorSession,
  ): Promise<AttemptResult> {
    const { streams } = this.#kind;
    if (streams === undefined) throw new TypeError(`${this.name} has no streams`);
    const { target: { provider }, adapter } = session;
    const toEndError = (error: UpstreamError) => toCallerError(error, provider, call.request);
    const toError = api.toError ?? adapter.toError;
    const fold = new NativeFold({
      framing: "sse",
      reader: streams.createReader(call),
      unwrap: api.convertEvents?.(call),
      toError: (body) => toEndError(toError({ where: "stream", body })),
      toEndError,
    });
    return { type: "stream", stream: await openStream(fold, response, session) };
  }

  #write(
    body: Body,
    call: OperationCall<Request>,
    stream: boolean,
    context: WriteContext,
  ): AttemptResult | Promise<AttemptResult> {
    const { streams } = this.#kind;
    if (stream && streams !== undefined) {
      const { text, usage, ...own } = streams.write(body, call, context);
      const summary = { ...own, finishReasons: [] };
      return { type: "stream", stream: writtenStream(text, { usage, summary }) };
    }
    return andThen(
      this.#kind.write(body, call, context),
      ({ text, usage, contentType, ...own }) => {
        const summary = { ...own, finishReasons: [] };
        return { type: "text", text, contentType, outputChars: 0, usage, summary };
      },
    );
  }
}

/** Reads an answer. A vendor bills nothing for filtered answers. */
function unlessFiltered<Result>(read: () => Result, onFiltered: () => void): Result {
  try {
    return readable(read);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.kind === "content_filter") onFiltered();
    throw thrown;
  }
}
