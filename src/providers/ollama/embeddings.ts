/** Ollama's embeddings: https://github.com/ollama/ollama/blob/main/docs/api.md (2026-08). */

import type { EmbeddingsApi } from "../contract/embeddings.ts";
import { native, nativeAs, renamed } from "../contract/support.ts";
import { limitedTo, memberOf, textsOf, textsOnly, toVectors } from "../shared/embeddings.ts";
import { isText } from "../../core/json/values.ts";
import { urlOf } from "./native.ts";

/** Ollama's own embeddings. */
export const ollamaEmbeddings: EmbeddingsApi = {
  supports: textsOnly({
    dimensions: native,
    truncate: nativeAs("true or false; the server cuts unless told not to"),
  }, { keep_alive: native, options: native, num_ctx: renamed("options.num_ctx") }),
  adds: { truncate: "the vendor cuts a long input without a word unless told not to" },
  limitsFor: limitedTo(2048),
  toRequest(call) {
    const { fields, model, provider, receipt } = call;
    const { truncate = false, ...others } = fields;
    if (fields.truncate === undefined) receipt.add("truncate");
    const isFlag = typeof truncate === "boolean";
    if (!isFlag) receipt.convert("truncate");
    return {
      url: urlOf(provider, "embed"),
      headers: {},
      auth: { type: "bearer" },
      body: {
        model: model.upstream,
        input: textsOf(call),
        ...others,
        truncate: isFlag ? truncate : truncate !== "NONE",
      },
    };
  },
  toEmbeddings({ body }) {
    const vectors = toVectors(memberOf(body, "embeddings"));
    if (vectors === undefined) return undefined;
    const model = memberOf(body, "model");
    const tokens = memberOf(body, "prompt_eval_count");
    return {
      vectors,
      model: isText(model) ? model : undefined,
      tokens: typeof tokens === "number" ? tokens : undefined,
    };
  },
};
