/** `POST /v1/responses/compact`: only vendors with this API compact a conversation. */

import type { Target } from "../../config/config.ts";
import type { TokenFamily } from "../../core/tokens/token_family.ts";
import { GatewayError } from "../../core/errors.ts";
import type { VendorRequest } from "../../providers/contract/adapter.ts";
import type { NativeApi } from "../../providers/contract/native.ts";
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
    const api = this.#apiOf(target);
    const { answers, format } = createNativeResponses(
      this.#ids.marker(target.provider.settings.id),
    );
    context.attempt.format = format;
    const request = await this.#toRequest(target, context.receipt);
    return prepareNative(api, request, answers, withoutParams(target), context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const api = this.#apiOf(target);
    const request = await this.#toRequest(target, context.receipt);
    return explainNative(api, request, withoutParams(target), context);
  }

  /** @throws {GatewayError} for a target that has only chat. */
  #apiOf(target: Target): NativeApi {
    const api = this.#requests.nativeApiOf(target);
    if (api !== undefined) return api;
    throw new GatewayError(
      "response_not_found",
      "The model has no /v1/responses/compact: only a provider that has the Responses API itself " +
        "compacts conversations. Ask the model for a summary, and begin a new conversation with it",
      { code: "unsupported_operation" },
    );
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
