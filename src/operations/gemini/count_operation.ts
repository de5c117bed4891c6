/** `POST /v1beta/models/{model}:countTokens`: the target's counter, else an estimate. */

import { countInput } from "../../chat/token_estimate.ts";
import type { Target } from "../../config/config.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { toCountedContent } from "../../formats/gemini/counted_content.ts";
import { withoutOwnState } from "../../formats/gemini/native_body.ts";
import { readGenerateRequest } from "../../formats/gemini/read_request.ts";
import { tokenFamilyOf } from "../../providers/shared/token_families.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../routing/operation.ts";
import type { ConversionDeps } from "../conversion_deps.ts";
import {
  type Counting,
  explainCounting,
  prepareCount,
  toChatCounting,
  toNativeCounting,
} from "../counting.ts";

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** The dependencies of an operation. */
export interface CountDeps extends Pick<ConversionDeps, "interceptions"> {
  /** Called if the answer is an estimate. */
  readonly onEstimate: () => void;
}

/** A request to count tokens. */
export interface CountRequest {
  /** The body as it came. */
  readonly body: JsonObject;
  /** The request whose tokens are counted: the body, or its `generateContentRequest`. */
  readonly counted: JsonObject;
  readonly model: string;
}

/** Counts the input tokens of one request. */
export class CountOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #request: CountRequest;
  readonly #deps: CountDeps;

  constructor(request: CountRequest, deps: CountDeps) {
    this.#request = request;
    this.#deps = deps;
  }

  /** A count generates nothing, so it uses no tokens of a limit. */
  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const counting = await this.#toCounting(target, context);
    const count = { counting, body: this.#request.body, bytes: context.record.bodyBytes };
    return prepareCount(
      target,
      count,
      (tokens) => ({ totalTokens: tokens ?? this.#estimate(target) }),
    );
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    return explainCounting(await this.#toCounting(target, context));
  }

  /** The request to the target's counter; undefined if it has none for this request. */
  async #toCounting(target: Target, context: ExplainContext): Promise<Counting | undefined> {
    const { adapter, settings } = target.provider;
    const { interceptions } = this.#deps;
    const { counted, model } = this.#request;
    const api = adapter.native?.("gemini", target.model, settings);
    if (api !== undefined) {
      const request = { body: this.#forVendor(target), headers: NO_HEADERS, interceptions };
      return toNativeCounting(api, request, target, context);
    }
    const convert = () => {
      const converted = readGenerateRequest(counted, { model, stream: false });
      context.receipt.include(converted.receipt);
      return converted;
    };
    return await toChatCounting(convert, interceptions, target, context);
  }

  /** The body as it came, with the vendor's name of the model inside a whole request. */
  #forVendor({ model: { upstream } }: Target): JsonObject {
    const { body, counted } = this.#request;
    const clean = withoutOwnState(counted);
    if (counted === body) return clean;
    const name = upstream.includes("/") ? upstream : `models/${upstream}`;
    return { generateContentRequest: { ...clean, model: name } };
  }

  #estimate({ model }: Target): number {
    this.#deps.onEstimate();
    const { counted } = this.#request;
    const counter = countInput(toCountedContent(counted), [counted.tools]);
    return counter.tokens(tokenFamilyOf(model.base));
  }
}
