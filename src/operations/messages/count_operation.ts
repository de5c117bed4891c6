/** `POST /v1/messages/count_tokens`: the target's counter if it has one, else an estimate. */

import type { JsonObject } from "../../core/json/object.ts";
import { countInput } from "../../chat/token_estimate.ts";
import type { Target } from "../../config/config.ts";
import { tokenFamilyOf } from "../../providers/shared/token_families.ts";
import { withVendorIds } from "../../reasoning_state/native_ids.ts";
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
import { withoutOwnState } from "../../formats/messages/native_body.ts";
import { readMessagesRequest } from "../../formats/messages/read_request.ts";
import type { CountOutline } from "../../formats/messages/schema.ts";

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
  readonly isUntimed = true;
  readonly #body: JsonObject;
  readonly #deps: CountDeps;

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
    const count = { counting, body: this.#body, bytes: context.record.bodyBytes };
    return prepareCount(target, count, (tokens) => ({
      input_tokens: tokens || this.#estimate(target),
    }));
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    return explainCounting(await this.#toCounting(target, context));
  }

  /** The request to the target's counter; undefined if it has none for this request. */
  async #toCounting(target: Target, context: ExplainContext): Promise<Counting | undefined> {
    const { adapter, settings } = target.provider;
    const { headers, interceptions } = this.#deps;
    const api = adapter.native?.("messages", target.model, settings) ?? adapter.messagesCounter;
    if (api !== undefined) {
      const request = { body: withoutOwnState(this.#body), headers, interceptions };
      return toNativeCounting(api, request, target, context);
    }
    const convert = () => {
      const converted = readMessagesRequest(this.#body, false);
      context.receipt.include(converted.receipt);
      return converted;
    };
    return await toChatCounting(convert, interceptions, target, context);
  }

  #estimate({ model }: Target): number {
    this.#deps.onEstimate();
    const { system, messages, tools } = withVendorIds(this.#body);
    return countInput([system, messages], [tools]).tokens(tokenFamilyOf(model.base));
  }
}
