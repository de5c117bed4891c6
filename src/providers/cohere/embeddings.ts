/** Cohere's embeddings: https://docs.cohere.com/reference/embed (2026-11). */

import type { JsonObject } from "../../contract/chat.ts";
import {
  type EmbeddingsApi,
  type EmbeddingsBody,
  type EmbeddingsCall,
  kindOfInput,
} from "../../contract/embeddings.ts";
import { converted, native, nativeAs, refused, renamed } from "../../contract/support.ts";
import {
  COHERE_INPUT_TYPES,
  limitedTo,
  memberOf,
  ONE_LENGTH,
  placesInputTypes,
  textsOf,
  textsOnly,
  toTruncation,
  toVectors,
  USUAL_INPUT_TYPE,
  usualInputType,
} from "../shared/embeddings.ts";
import { toCount } from "../../core/json/values.ts";
import type { VendorAnswer, VendorRequest } from "../../contract/vendor_request.ts";

/** Cohere's embeddings, version 2. */
export const cohereEmbeddings: EmbeddingsApi = {
  ...textsOnly({
    dimensions: renamed("output_dimension", "embed-v4.0 and later"),
    encoding_format: converted("embedding_types: float or base64"),
    input_type: nativeAs("the vendor requires it"),
    truncate: nativeAs("NONE, START or END; true is END, false is NONE"),
  }, { embedding_types: native, max_tokens: native, priority: native }),
  contents: { tokens: refused("text only"), parts: nativeAs("texts and images, as inputs") },
  adds: {
    input_type:
      `${USUAL_INPUT_TYPE}, unless the request or the model's params give another: the vendor requires it`,
    embedding_types: "the types of the numbers, as the list that the vendor requires",
  },
  place: placesInputTypes(() => COHERE_INPUT_TYPES),
  limitsFor: limitedTo(96),
  supportFor: ({ base }) => /v[123]\.0$/.test(base) ? { dimensions: ONE_LENGTH } : {},
  toRequest,
  toBody: toEmbeddings,
};

function toRequest(call: EmbeddingsCall): VendorRequest {
  const { fields, model, provider, request } = call;
  const { truncate, ...others } = fields;
  const isBase64 = request.encoding_format === "base64";
  return {
    url: `${provider.baseUrl}/embed`,
    headers: {},
    auth: { type: "bearer" },
    body: {
      model: model.upstream,
      ...toInputs(call),
      embedding_types: [isBase64 ? "base64" : "float"],
      ...usualInputType(call, "input_type", USUAL_INPUT_TYPE),
      ...others,
      ...(truncate !== undefined && { truncate: toTruncation(truncate) }),
    },
  };
}

/**
 * Inputs that are all text are sent as a list of texts. If any input has parts, all are sent as
 * parts.
 */
function toInputs(call: EmbeddingsCall): JsonObject {
  if (call.request.input.every((input) => kindOfInput(input) === undefined)) {
    return { texts: textsOf(call) };
  }
  return {
    inputs: call.request.input.map((input) => ({
      content: typeof input === "string" ? [{ type: "text", text: input }] : [input].flat(),
    })),
  };
}

/** The first number type that is present. */
function toEmbeddings({ body }: VendorAnswer): EmbeddingsBody | undefined {
  const lists = memberOf(body, "embeddings");
  const vectors = Object.values(typeof lists === "object" && lists !== null ? lists : {})
    .map(toVectors).find((list) => list !== undefined);
  if (vectors === undefined) return undefined;
  const units = memberOf(memberOf(body, "meta"), "billed_units");
  const texts = memberOf(units, "input_tokens");
  const images = memberOf(units, "image_tokens");
  const known = typeof texts === "number" || typeof images === "number";
  return { vectors, tokens: known ? toCount(texts) + toCount(images) : undefined };
}
