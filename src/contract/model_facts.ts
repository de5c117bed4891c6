/** The facts about a model that the gateway uses: its limits, capabilities and prices. */

import type { Units } from "../core/units.ts";
import type { JsonObject } from "../core/json/object.ts";

/** What a model supports, or the operation that it is made for. */
export type Capability =
  | ("tools" | "vision" | "json_schema" | "reasoning" | "streaming")
  | ("embeddings" | "images" | "moderation" | "speech" | "transcription" | "rerank");

/** Facts about a model, from config.yaml or the catalogue. Unknown facts are absent. */
export interface ModelFacts {
  /** Release date in Unix seconds. */
  readonly created?: number;
  /** The display name, and a description of the model. */
  readonly display_name?: string;
  readonly description?: string;
  /**
   * The context window in tokens, prompt and answer together; for an embedding model, the maximum
   * length of one input.
   */
  readonly context_window?: number;
  /** Tokens. */
  readonly max_output_tokens?: number;
  /** The length of an embedding model's vectors, unless the request sets another. */
  readonly dimensions?: number;
  /** The maximum number of inputs in one embeddings request. */
  readonly max_inputs?: number;
  readonly capabilities?: Readonly<Partial<Record<Capability, boolean>>>;
  /** True if the model, in its default mode, rejects temperature, top_p and penalties. */
  readonly rejects_sampling_params?: boolean;
  readonly prices?: ModelPrices;
}

/** Prices of tokens in USD per million. Absent prices are unknown. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** The price of cache reads. */
  readonly cached_input?: number;
  /** The prices of cache writes, for a few minutes and for an hour. */
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
}

/** The prices of a model. */
export interface ModelPrices extends TokenPrices {
  /** In USD for each unit other than tokens. Absent prices are unknown. */
  readonly units?: Units;
  /** The prices of requests whose input is longer than `above`, in tokens. */
  readonly long_context?: TokenPrices & { readonly above: number };
  /** By service tier: the factor by which all prices are multiplied. */
  readonly tiers?: ReadonlyMap<string, number>;
}

/** The numeric value of a member of an answer. */
export function readCount(member: string): (body: JsonObject) => number | undefined {
  return ({ [member]: count }) => typeof count === "number" && count >= 0 ? count : undefined;
}
