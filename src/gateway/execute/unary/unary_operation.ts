/** Operations with one JSON request and one answer, which may be streamed. */

import { isObject } from "../../../core/json/object.ts";
import { GatewayError, withinDepth } from "../../../core/errors.ts";
import { MAX_BYTES_AT_ONCE } from "../../../core/json/writer.ts";
import type { Target } from "../../../config/config.ts";
import type { TokenFamily } from "../../../core/tokens/token_counter.ts";
import type { RequestFeatures } from "../../request_features.ts";
import {
  applyTables,
  fieldNames,
  fieldSupport,
  type OperationApi,
  type OperationCall,
  type OperationRequest,
} from "../../../contract/operation_api.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type { ApiKind } from "../../feature.ts";
import type { OperationContext, ParsedRequest } from "../../parsed_request.ts";
import { openStream } from "../../open_stream.ts";
import { createOperation } from "../conversion_deps.ts";
import { addedRows, ChangeEntries, type Row } from "../../explained_changes.ts";
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
import { isEventStream, isJson, pass, readAnswer, readJob } from "./read_answer.ts";
import { readable, toCallerError } from "../../../upstream/upstream_errors.ts";
import { NativeFold } from "../../../streaming/native_fold.ts";
import type { UpstreamError, VendorRequest } from "../../../contract/vendor_request.ts";
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

/** A request that passed the tables of a target. */
interface Converted<Request extends OperationRequest, Body> {
  readonly api: OperationApi<Request, Body>;
  readonly call: OperationCall<Request>;
  readonly request: VendorRequest;
}

/** These operations have no cache breakpoints. */
const NO_MARKS = {};

/** Derives the endpoints, the requests and the support tables of an operation from its value. */
export function toOperationKind<Request extends OperationRequest, Body>(
  api: UnaryApi<Request, Body>,
): OperationKind {
  const { name, noun, title, endpoints: [first, ...others], parameters, contents } = api;
  const kind: ApiKind = { format: name, idPrefix: "", operation: name };
  const toRequest = ({ request, models, toKind }: ReadUnary<Request, Body>): ParsedRequest => ({
    models: { model: request.model, models },
    stream: api.streams?.isAsked(request) ?? false,
    caller: { api: kind, body: request },
    createOperation: (context) => {
      const own = toKind?.(isLimited(context)) ?? api;
      return createOperation(
        context,
        request,
        (body, features) => new UnaryOperation(own, body, features),
      );
    },
  });
  const toEndpoint = (endpoint: UnaryEndpoint<Request, Body>): OperationEndpoint => {
    const { read, readForm, readFiles, readJson, ...facts } = endpoint;
    return {
      ...facts,
      read: (body) => toRequest(read(body)),
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
        return { parameters, contents: contents?.of(adapter) ?? {}, extensions, adds };
      },
      isUsual: ({ note = "" }) => api.usualNotes?.has(note) ?? false,
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
        this.#prepareWith(this.#convert(target, context.changes, request), target, context, upload)
      )
      : this.#prepareWith(this.#convert(target, context.changes), target, context, upload);
  }

  #prepareWith(
    converted: Converted<Request, Body> | Promise<Converted<Request, Body>>,
    target: Target,
    context: PrepareContext,
    upload: Upload<Request> | undefined,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    return andThen(converted, (own) => this.#toPrepared(own, target, context, upload));
  }

  #toPrepared(
    converted: Converted<Request, Body>,
    target: Target,
    { clock, record }: PrepareContext,
    upload: Upload<Request> | undefined,
  ): PreparedAttempt {
    const { call } = converted;
    const stream = this.#kind.streams?.isAsked(call.request) ?? false;
    const toContext = () => ({ id: record.id, now: Math.floor(clock.wallTime() / 1000) });
    return {
      adapter: target.provider.adapter,
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
        return this.#write(body, call, stream, toContext());
      },
    };
  }

  explain(
    target: Target,
    { changes }: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    return andThen(this.#convert(target, changes), (converted) => this.#toRows(converted, changes));
  }

  #toRows(
    { api, call, request }: Converted<Request, Body>,
    changes: RequestChanges,
  ): ExplainedRequest {
    const entries = new ChangeEntries(changes);
    const rows = fieldNames(call.request, this.#kind.structural).map((name): Row => ({
      ...entries.take(name, fieldSupport(name, api, call.model, call.provider)),
      ...(this.#request[name] === undefined && { from: "config" }),
    }));
    return {
      unsigned: request,
      rows: [...rows, ...entries.remaining(), ...addedRows(changes, api.adds)],
    };
  }

  /** @param own the request, if further parts of it have arrived */
  #convert(
    target: Target,
    changes: RequestChanges,
    own = this.#request,
  ): Converted<Request, Body> | Promise<Converted<Request, Body>> {
    const { provider: { adapter, settings: provider }, model, params } = target;
    const { apiOf, name } = this.#kind;
    const api = apiOf(adapter);
    if (api === undefined) throw new TypeError(`The kind '${adapter.kind}' has no ${name}`);
    const request = params === undefined ? own : { ...params, ...own };
    const parts = { request, model, provider, changes };
    const call = { ...parts, fields: applyTables(api, parts, this.#kind) };
    const converted = withinDepth(() => api.toRequest(call));
    if (!this.#features.sends) return { api, call, request: converted };
    const sent = this.#features.send(converted, { ...parts, api: NO_MARKS, adapter });
    return andThen(sent, (request) => ({ api, call, request }));
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
    { api, call }: Converted<Request, Body>,
    response: VendorResponse,
    session: VendorSession,
  ): Promise<Body> {
    const first = await readAnswer(response, session);
    const whole = api.pollFor === undefined ? first : await readJob(api, call, first, session);
    const { body: answer } = whole;
    const body = isObject(answer) && answer.error
      ? undefined
      : unlessFiltered(() => api.toBody(whole, call), () => session.refused(answer));
    if (body === undefined) {
      session.refused(answer);
      const toError = api.toError ?? session.adapter.toError;
      const error = readable(() => toError({ where: "stream", body: answer }));
      const message = error.message ?? "The provider's answer is not what its API describes";
      throw session.toCallerError({ ...error, message }, call.request);
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
  ): AttemptResult {
    const { streams } = this.#kind;
    if (stream && streams !== undefined) {
      const { text, usage, ...own } = streams.write(body, call, context);
      const summary = { ...own, finishReasons: [] };
      return { type: "stream", stream: writtenStream(text, { usage, summary }) };
    }
    const { text, usage, contentType, ...own } = this.#kind.write(body, call, context);
    const summary = { ...own, finishReasons: [] };
    return { type: "text", text, contentType, outputChars: 0, usage, summary };
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
