/** Operations with one JSON request and one answer, which is not streamed. */

import type { JsonObject, Usage } from "../../chat/chat.ts";
import { isObject } from "../../core/json/object.ts";
import { MAX_BYTES_AT_ONCE } from "../../core/json/writer.ts";
import type { Target } from "../../config/config.ts";
import type { TokenFamily } from "../../core/tokens/token_family.ts";
import { withinDepth } from "../../core/within_depth.ts";
import type { Adapter, OperationName, VendorRequest } from "../../providers/contract/adapter.ts";
import {
  applyTables,
  fieldNames,
  fieldSupport,
  type OperationApi,
  type OperationCall,
  type OperationRequest,
} from "../../providers/contract/operation_api.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import { addedRows, ReceiptEntries, type Row } from "../../routing/explained_receipt.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TextResult,
  TokenEstimate,
} from "../../routing/operation.ts";
import type { VendorSession } from "../../routing/vendor_session.ts";
import type { VendorResponse } from "../../upstream/transport.ts";
import { readable } from "../../upstream/upstream_errors.ts";
import { isLongAnswer, parseAnswer, parseLongAnswer } from "../../upstream/vendor_answer.ts";

/** An answer as the caller gets it. */
export interface WrittenAnswer extends Pick<TextResult, "text" | "usage"> {
  readonly id: string;
  /** The model as the vendor names it. */
  readonly model: string;
}

/** What is the same for all requests of an operation. */
export interface UnaryKind<Request extends OperationRequest, Body> {
  readonly name: OperationName;
  /** Members of a request that are no parameters. */
  readonly structural: ReadonlySet<string>;
  apiOf(adapter: Adapter): OperationApi<Request, Body> | undefined;
  estimate(request: Request, family: TokenFamily): TokenEstimate;
  /** @param id the ID of an answer without one */
  write(body: Body, call: OperationCall<Request>, id: string): WrittenAnswer;
}

/** A request that passed the tables of a target. */
interface Converted<Request extends OperationRequest, Body> {
  readonly api: OperationApi<Request, Body>;
  readonly call: OperationCall<Request>;
  readonly request: VendorRequest;
}

/** One request of such an operation. */
export class UnaryOperation<Request extends OperationRequest, Body>
  implements ExplainableOperation {
  readonly #kind: UnaryKind<Request, Body>;
  readonly #request: Request;

  constructor(kind: UnaryKind<Request, Body>, request: Request) {
    this.#kind = kind;
    this.#request = request;
  }

  get name(): OperationName {
    return this.#kind.name;
  }

  estimate(family: TokenFamily): TokenEstimate {
    return this.#kind.estimate(this.#request, family);
  }

  prepare(target: Target, { receipt, record }: PrepareContext): Promise<PreparedAttempt> {
    const converted = this.#convert(target, receipt);
    return Promise.resolve({
      adapter: target.provider.adapter,
      stream: false,
      execute: (session) =>
        this.#execute(converted, session, record.id, record.bodyBytes > MAX_BYTES_AT_ONCE),
    });
  }

  explain(target: Target, { receipt }: ExplainContext): ExplainedRequest {
    const { api, call, request } = this.#convert(target, receipt);
    const entries = new ReceiptEntries(receipt);
    const rows = fieldNames(call.request, this.#kind.structural).map((name): Row => ({
      ...entries.take(name, fieldSupport(name, api, call.model, call.provider)),
      ...(this.#request[name] === undefined && { from: "config" }),
    }));
    return {
      unsigned: request,
      rows: [...rows, ...entries.remaining(), ...addedRows(receipt, api.adds)],
    };
  }

  #convert(target: Target, receipt: Receipt): Converted<Request, Body> {
    const { provider: { adapter, settings: provider }, model, params } = target;
    const { apiOf, name, structural } = this.#kind;
    const api = apiOf(adapter);
    if (api === undefined) throw new TypeError(`The kind '${adapter.kind}' has no ${name}`);
    const request = params === undefined ? this.#request : { ...params, ...this.#request };
    const parts = { request, model, provider, receipt };
    const call = { ...parts, fields: applyTables(api, parts, structural) };
    return { api, call, request: withinDepth(() => api.toRequest(call)) };
  }

  async #execute(
    { api, call, request }: Converted<Request, Body>,
    session: VendorSession,
    id: string,
    isLarge: boolean,
  ): Promise<TextResult> {
    const toError = api.toError ?? session.adapter.toError;
    const response = await session.send(request, isLarge);
    if (!response.ok) {
      const error = await session.readError(response, toError);
      throw session.toCallerError(error, call.request, response);
    }
    const answer = await readAnswer(response, session);
    const body = isObject(answer) && answer.error
      ? undefined
      : readable(() => api.toBody({ ...headOf(response), body: answer }, call));
    if (body === undefined) {
      session.refused(answer);
      const error = readable(() => toError({ where: "stream", body: answer }));
      const message = error.message ?? "The provider's answer is not what its API describes";
      throw session.toCallerError({ ...error, message }, call.request as JsonObject);
    }
    const { text, usage, ...summary } = this.#kind.write(body, call, id);
    session.deadline.end();
    return {
      type: "text",
      text,
      outputChars: 0,
      usage,
      summary: { ...summary, finishReasons: [] },
    };
  }
}

async function readAnswer(response: VendorResponse, session: VendorSession): Promise<unknown> {
  const text = await session.readText(response);
  return isLongAnswer(text) ? await parseLongAnswer(text) : parseAnswer(text);
}

function headOf({ status, headers }: VendorResponse) {
  return { status, headers };
}

/** The usage of an answer that has no output tokens. */
export function inputUsage(tokens: number): Usage {
  return { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
}
