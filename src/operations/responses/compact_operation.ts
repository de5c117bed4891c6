/** `POST /v1/responses/compact`: by vendors with this API, else a summary of the model. */

import type { Target } from "../../config/config.ts";
import type { TokenFamily } from "../../core/tokens/token_family.ts";
import type { VendorRequest } from "../../providers/contract/adapter.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../routing/operation.ts";
import { explainNative, type NativeRequest, prepareNative } from "../native.ts";
import { createNativeResponses } from "../../formats/responses/native_answers.ts";
import type { ProviderIds } from "../../formats/responses/provider_ids.ts";
import type { TargetRequests } from "./target_requests.ts";

/** Compacts the conversation of one request. */
export class CompactOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #requests: TargetRequests;
  readonly #ids: ProviderIds;

  constructor(requests: TargetRequests, ids: ProviderIds) {
    this.#requests = requests;
    this.#ids = ids;
  }

  estimate(family: TokenFamily): TokenEstimate {
    return { input: this.#requests.estimateInput(family), maxOutput: undefined };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const api = this.#requests.nativeApiOf(target);
    if (api === undefined) return await this.#prepareConverted(target, context);
    const { answers, format } = createNativeResponses(
      this.#ids.marker(target.provider.settings.id),
    );
    context.attempt.format = format;
    const request = await this.#toRequest(target, context.receipt);
    return prepareNative(api, request, answers, withoutParams(target), context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = this.#requests.nativeApiOf(target);
    if (api === undefined) {
      const { request, operation } = await this.#requests.compact();
      for (const name of request.ignored) context.receipt.ignore(name);
      return operation.explain(target, context);
    }
    const request = await this.#toRequest(target, context.receipt);
    return explainNative(api, request, withoutParams(target), context);
  }

  async #prepareConverted(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { request, format, operation } = await this.#requests.compact();
    for (const name of request.ignored) context.receipt.ignore(name);
    context.attempt.format = format;
    return await operation.prepare(target, context);
  }

  async #toRequest(target: Target, receipt: Receipt): Promise<NativeRequest> {
    const request = await this.#requests.toNative(target, receipt);
    return { ...request, stream: false, adjust: toCompact };
  }
}

function toCompact(created: VendorRequest): VendorRequest {
  const url = new URL(created.url);
  url.pathname += "/compact";
  return { ...created, url: url.href };
}

/** The defaults of a model are for new answers. */
function withoutParams({ params: _, ...target }: Target): Target {
  return { ...target, params: undefined };
}
