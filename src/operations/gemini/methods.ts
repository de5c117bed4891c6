/** The methods of models in Gemini's API. A path names the method and the model. */

import type { ModelRequest } from "../../routing/model_request.ts";
import { readBatchEmbed, readCount, readEmbed, readGenerate } from "./model_request.ts";

/** One method. */
export interface GeminiMethod {
  /** The name in paths. */
  readonly name: string;
  /** The name of the format in `sluice explain`. */
  readonly explainedAs: string;
  /**
   * Reads a request.
   *
   * @param onEstimate called if the answer is an estimate
   * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
   */
  read(body: unknown, model: string, onEstimate: () => void): ModelRequest;
}

/** All methods, in the order in which errors name them. */
export const GEMINI_METHODS: readonly GeminiMethod[] = [
  {
    name: "generateContent",
    explainedAs: "generate_content",
    read: (body, model) => readGenerate(body, model, false),
  },
  {
    name: "streamGenerateContent",
    explainedAs: "stream_generate_content",
    read: (body, model) => readGenerate(body, model, true),
  },
  { name: "countTokens", explainedAs: "gemini_count_tokens", read: readCount },
  { name: "embedContent", explainedAs: "embed_content", read: readEmbed },
  { name: "batchEmbedContents", explainedAs: "batch_embed_contents", read: readBatchEmbed },
];
