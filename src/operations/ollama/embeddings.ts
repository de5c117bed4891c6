/** Embeddings of Ollama's API. */

import type { Target } from "../../config/config.ts";
import type { OllamaEmbeddings } from "../../formats/ollama/embeddings.ts";
import type { Interceptions } from "../../gateway/interceptions.ts";
import type { TokenFamily } from "../../core/tokens/token_family.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../routing/operation.ts";
import { EmbeddingsOperation, type WriteEmbeddings } from "../embeddings/operation.ts";

/** Embeddings whose own members only targets with this API get. */
export class OllamaEmbeddingsOperation implements ExplainableOperation {
  readonly name = "embeddings";
  readonly #ownMembers: readonly string[];
  readonly #native: EmbeddingsOperation;
  readonly #converted: EmbeddingsOperation;

  constructor(
    { request, own }: OllamaEmbeddings,
    write: WriteEmbeddings,
    features: Interceptions,
  ) {
    this.#ownMembers = Object.keys(own);
    // A server with this API cuts long inputs unless told not to.
    this.#native = new EmbeddingsOperation({ truncate: true, ...request, ...own }, write, features);
    this.#converted = new EmbeddingsOperation(request, write, features);
  }

  estimate(family: TokenFamily): TokenEstimate {
    return this.#converted.estimate(family);
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    return await this.#operationFor(target, context.receipt).prepare(target, context);
  }

  explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    return this.#operationFor(target, context.receipt).explain(target, context);
  }

  #operationFor({ provider, model }: Target, receipt: Receipt): EmbeddingsOperation {
    const isNative = provider.adapter.native?.("ollama", model, provider.settings) !== undefined;
    if (isNative) return this.#native;
    for (const name of this.#ownMembers) receipt.ignore(name);
    return this.#converted;
  }
}
