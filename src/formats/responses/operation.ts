/** A Responses request as an operation: sent unchanged to targets with this API, else converted. */

import type { ChatRequest } from "../../chat/chat.ts";
import type { Target } from "../../config/config.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../routing/operation.ts";
import { explainNative, prepareNative } from "../../routing/operations/native.ts";
import { createNativeResponses } from "./native_answers.ts";
import type { ProviderIds } from "./provider_ids.ts";
import type { TargetRequests } from "./target_requests.ts";

/** The operation of one request. */
export class ResponsesOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly #requests: TargetRequests;
  readonly #ids: ProviderIds;
  readonly #maxOutput: number | undefined;

  /** @param maxOutput the caller's limit on the output */
  constructor(requests: TargetRequests, ids: ProviderIds, maxOutput: number | undefined) {
    this.#requests = requests;
    this.#ids = ids;
    this.#maxOutput = maxOutput;
  }

  /** The parameters and messages, for traces; undefined for a request that was not converted. */
  get chat(): ChatRequest | undefined {
    return this.#requests.converted?.chat;
  }

  estimate(): TokenEstimate {
    return { input: this.#requests.estimateInput(), maxOutput: this.#maxOutput };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { receipt, record } = context;
    const api = this.#requests.nativeApiOf(target);
    if (api !== undefined) {
      const marker = this.#ids.marker(target.provider.settings.id);
      const { answers, format } = createNativeResponses(marker);
      record.format = format;
      const request = await this.#requests.toNative(target, receipt);
      return prepareNative(api, request, answers, target, context);
    }
    const { request, format, operation } = await this.#requests.convert();
    for (const name of request.ignored) receipt.ignore(name);
    record.format = format;
    return await operation.prepare(target, context);
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const { receipt } = context;
    const api = this.#requests.nativeApiOf(target);
    if (api !== undefined) {
      return explainNative(api, await this.#requests.toNative(target, receipt), target, context);
    }
    const { request, operation } = await this.#requests.convert();
    for (const name of request.ignored) receipt.ignore(name);
    return operation.explain(target, context);
  }
}
