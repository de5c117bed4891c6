/** `POST /v1/messages/count_tokens`: the target's counter if it has one, else an estimate. */

import type { Origins } from "../../chat/origins.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { Target } from "../../config/config.ts";
import type { NativeApi } from "../../providers/contract/native.ts";
import type { Adapter, VendorRequest } from "../../providers/contract/adapter.ts";
import type { TokenCounter } from "../../providers/contract/token_counter.ts";
import type {
  AttemptResult,
  Operation,
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
  /** The caller's own fields, if the request was converted. */
  readonly origins?: Origins;
}

/** Counts the input tokens of one request. */
export class CountOperation implements Operation {
  readonly name = "chat";
  /** Whether the count is an estimate. */
  estimated = false;
  readonly #body: JsonObject;
  readonly #headers: ReadonlyMap<string, string>;

  /**
   * @param body with the members that every target needs checked
   * @param headers the caller's headers that are part of the format
   */
  constructor(body: CountOutline, headers: ReadonlyMap<string, string>) {
    const { models: _, ...rest } = body;
    this.#body = rest;
    this.#headers = headers;
  }

  /** A count generates nothing, so it uses no tokens of a limit. */
  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const counting = withinDepth(() => this.#toCounting(target, context));
    return Promise.resolve({
      adapter: target.provider.adapter,
      stream: false,
      execute: async (session) =>
        toResult(counting && await this.#ask(counting, session) || this.#estimate()),
    });
  }

  #toCounting(target: Target, context: PrepareContext): Counting | undefined {
    const { adapter, settings } = target.provider;
    const native = adapter.native?.("messages", target.model, settings);
    const api = native ?? adapter.messagesCounter;
    if (api === undefined) return this.#toChatCounting(target, adapter, context);
    const { counter, toError } = api;
    if (counter === undefined) return undefined;
    const request = counter.toRequest({
      body: withoutOwnState(this.#body),
      headers: this.#headers,
      params: {},
      model: target.model,
      provider: settings,
      receipt: context.receipt,
      stream: false,
    });
    return { request, counter, toError };
  }

  /** The same for a target that gets the converted request. */
  #toChatCounting(
    target: Target,
    adapter: Adapter,
    { receipt, newId }: PrepareContext,
  ): Counting | undefined {
    const counter = adapter.counter?.(target.provider.settings, target.model);
    if (counter === undefined) return undefined;
    const { chat, origins } = readMessagesRequest(this.#body, false);
    const { api } = counter;
    const counted = api === undefined ? target : { ...target, model: { ...target.model, api } };
    return origins.locating(() => {
      const checked = check(counted, chat, receipt, newId);
      const { adapter: { imageSources, toError }, call } = checked;
      // Images are not downloaded to be counted.
      if (needsImages(call.request.messages, imageSources)) return undefined;
      return { request: counter.toRequest(call), counter, toError, origins };
    });
  }

  /** The vendor's count; undefined if the vendor has no such endpoint. */
  async #ask(
    { request, counter, toError, origins }: Counting,
    session: VendorSession,
  ): Promise<number | undefined> {
    const response = await session.send(request);
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

  #estimate(): number {
    this.estimated = true;
    return estimateTokens(this.#body);
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
