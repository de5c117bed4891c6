/** `POST /v1/messages/count_tokens`: the target's counter if it has one, else an estimate. */

import type { Origins } from "../../chat/origins.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { MAX_BYTES_AT_ONCE } from "../../core/json/writer.ts";
import type { Target } from "../../config/config.ts";
import type { NativeApi } from "../../providers/contract/native.ts";
import type { Adapter, VendorRequest } from "../../providers/contract/adapter.ts";
import type { TokenCounter } from "../../providers/contract/token_counter.ts";
import { withVendorIds } from "../../reasoning_state/native_ids.ts";
import { explainRows } from "../../routing/explain_chat.ts";
import { explainUnchanged, type Row } from "../../routing/explained_receipt.ts";
import type { ConversionDeps } from "../../routing/model_request.ts";
import type {
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../routing/operation.ts";
import { check, withinDepth } from "../../routing/prepare_request.ts";
import type { VendorSession } from "../../routing/vendor_session.ts";
import { needsImages } from "../../upstream/images/request_images.ts";
import { parseAnswer } from "../../upstream/vendor_answer.ts";
import { withoutOwnState } from "./native_body.ts";
import { readMessagesRequest } from "./read_request.ts";
import type { CountOutline } from "./schema.ts";
import { estimateTokens } from "./token_estimate.ts";

/** A request to a vendor's counter, and the function that reads its answer. */
interface Counting {
  readonly request: VendorRequest;
  readonly counter: Pick<TokenCounter<never>, "mayRefuse" | "read">;
  readonly toError: NativeApi["toError"];
  /** What became of the parameters, for an explanation. */
  readonly rows: () => readonly Row[];
  /** The caller's own fields, if the request was converted. */
  readonly origins?: Origins;
}

/** The dependencies of an operation. */
export interface CountDeps extends ConversionDeps {
  /** The caller's headers that are part of the format, by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Called if the answer is an estimate. */
  readonly onEstimate: () => void;
}

/** Counts the input tokens of one request. */
export class CountOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #body: JsonObject;
  readonly #deps: CountDeps;
  /** Whether the vendor's request is written in slices of time. */
  #isLarge = false;

  /** @param body with the members that every target needs checked */
  constructor(body: CountOutline, deps: CountDeps) {
    const { models: _, ...rest } = body;
    this.#body = rest;
    this.#deps = deps;
  }

  /** A count generates nothing, so it uses no tokens of a limit. */
  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const counting = await this.#toCounting(target, context);
    this.#isLarge = context.record.bodyBytes > MAX_BYTES_AT_ONCE;
    return {
      adapter: target.provider.adapter,
      stream: false,
      execute: async (session) =>
        toResult(counting && await this.#ask(counting, session) || await this.#estimate()),
    };
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const { request, rows, origins } = await this.#toCounting(target, context) ?? {};
    return { unsigned: request, rows: rows?.() ?? [], ...(origins && { origins }) };
  }

  /** The request to the target's counter; undefined if it has none for this request. */
  async #toCounting(target: Target, context: ExplainContext): Promise<Counting | undefined> {
    const { adapter, settings } = target.provider;
    const api = adapter.native?.("messages", target.model, settings) ?? adapter.messagesCounter;
    if (api === undefined) return await this.#toChatCounting(target, adapter, context);
    const { counter, toError } = api;
    if (counter === undefined) return undefined;
    const { receipt } = context;
    const body = withVendorIds(withoutOwnState(this.#body));
    const request = withinDepth(() =>
      counter.toRequest({
        body,
        headers: this.#deps.headers,
        params: {},
        model: target.model,
        provider: settings,
        receipt,
        stream: false,
      })
    );
    const rows = () => explainUnchanged(body, {}, receipt, adapter.adds);
    return { request, counter, toError, rows };
  }

  /** The same for a target that gets the converted request. */
  async #toChatCounting(
    target: Target,
    adapter: Adapter,
    { receipt, newId }: ExplainContext,
  ): Promise<Counting | undefined> {
    const counter = adapter.counter?.(target.provider.settings, target.model);
    if (counter === undefined) return undefined;
    const converted = withinDepth(() => readMessagesRequest(this.#body, false));
    const { chat, origins } = converted;
    receipt.include(converted.receipt);
    const reasoning = await this.#deps.readReasoning(chat);
    const { api } = counter;
    const counted = api === undefined ? target : { ...target, model: { ...target.model, api } };
    return withinDepth(() =>
      origins.locating(() => {
        const { request: own } = reasoning;
        const checked = reasoning.restore(check(counted, own, receipt, newId));
        const { adapter: { imageSources, toError }, call } = checked;
        // Images are not downloaded to be counted.
        if (needsImages(call.request.messages, imageSources)) return undefined;
        const rows = () => explainRows(checked, own, receipt);
        return { request: counter.toRequest(call), counter, toError, origins, rows };
      })
    );
  }

  /** The vendor's count; undefined if the vendor has no such endpoint. */
  async #ask(
    { request, counter, toError, origins }: Counting,
    session: VendorSession,
  ): Promise<number | undefined> {
    const response = await session.send(request, this.#isLarge);
    if (!response.ok) {
      const error = await session.readError(response, toError);
      const isRefused = counter.mayRefuse === true && error.kind === "invalid_request";
      if (isRefused || error.kind === "model_not_found") return undefined;
      const failure = session.toCallerError(error, this.#body, response);
      throw origins?.locate(failure) ?? failure;
    }
    const body = parseAnswer(await session.readText(response));
    session.deadline.end();
    return isObject(body) ? counter.read(body) : undefined;
  }

  #estimate(): Promise<number> {
    this.#deps.onEstimate();
    return estimateTokens(withVendorIds(this.#body));
  }
}

function toResult(input_tokens: number): AttemptResult {
  return {
    type: "text",
    text: JSON.stringify({ input_tokens }),
    usage: undefined,
    summary: { id: "", model: "", finishReasons: [] },
  };
}
