/** `POST /v1/responses/input_tokens`: the target's counter if it has one, else an estimate. */

import type { Target } from "../../config/config.ts";
import { tokenFamilyOf } from "../../providers/shared/token_families.ts";
import type { ConversionDeps } from "../conversion_deps.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../routing/operation.ts";
import {
  type Counting,
  explainCounting,
  prepareCount,
  toChatCounting,
  toNativeCounting,
} from "../counting.ts";
import type { ResponsesRequest } from "../../formats/responses/request.ts";
import type { TargetRequests } from "./target_requests.ts";

/** The dependencies of an operation. */
export interface CountDeps {
  readonly interceptions: ConversionDeps["interceptions"];
  /** Called if the answer is an estimate. */
  readonly onEstimate: () => void;
}

/** Counts the input tokens of one request. */
export class CountOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly asksNoModel = true;
  readonly #request: ResponsesRequest;
  readonly #requests: TargetRequests;
  readonly #deps: CountDeps;

  constructor(request: ResponsesRequest, requests: TargetRequests, deps: CountDeps) {
    this.#request = request;
    this.#requests = requests;
    this.#deps = deps;
  }

  /** A count generates nothing, so it uses no tokens of a limit. */
  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const counting = await this.#toCounting(target, context);
    const count = { counting, body: this.#request, bytes: context.record.bodyBytes };
    return prepareCount(target, count, (tokens) => ({
      object: "response.input_tokens",
      input_tokens: tokens ?? this.#estimate(target),
    }));
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    return explainCounting(await this.#toCounting(target, context));
  }

  /** The request to the target's counter; undefined if it has none for this request. */
  async #toCounting(target: Target, context: ExplainContext): Promise<Counting | undefined> {
    const api = this.#requests.nativeApiOf(target);
    if (api !== undefined) {
      const request = await this.#requests.toNative(target, context.receipt);
      return toNativeCounting(api, request, target, context);
    }
    const { request } = await this.#requests.convert();
    for (const name of request.ignored) context.receipt.ignore(name);
    return await toChatCounting(() => request, this.#deps.interceptions, target, context);
  }

  #estimate({ model }: Target): number {
    this.#deps.onEstimate();
    return this.#requests.estimateInput(tokenFamilyOf(model.base));
  }
}
