/**
 * Embedding models on AWS Bedrock, by `InvokeModel`: Titan, Cohere and Nova.
 *
 * Shapes:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html and
 * https://docs.aws.amazon.com/nova/latest/userguide/embeddings-schema.html (2026-11).
 */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import type { EmbeddingsApi, EmbeddingsBody, EmbeddingsCall } from "../../contract/embeddings.ts";
import type { FieldSupport } from "../../contract/operation_api.ts";
import { ignored, native, nativeAs, renamed } from "../../contract/support.ts";
import {
  COHERE_INPUT_TYPES,
  type InputTypeTable,
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
import { present } from "../../core/json/values.ts";
import type { TargetModel, VendorAnswer, VendorRequest } from "../../contract/vendor_request.ts";

/** One family of models and its request format. */
interface Family {
  readonly match: RegExp;
  /** The maximum number of inputs per request. */
  readonly inputs: number;
  readonly inputTypes?: InputTypeTable;
  readonly supports: Readonly<Record<string, FieldSupport>>;
  toBody(call: EmbeddingsCall): JsonObject;
}

const NONE = ignored("no such field");

const NOVA_TYPES: InputTypeTable = {
  field: "embeddingPurpose",
  words: {
    search_query: "GENERIC_RETRIEVAL",
    search_document: "GENERIC_INDEX",
    classification: "CLASSIFICATION",
    clustering: "CLUSTERING",
  },
  others: ["TEXT_RETRIEVAL", "DOCUMENT_RETRIEVAL"],
};

/** The maximum number of texts per request to Cohere's models. */
const COHERE_INPUTS = 96;

/** The first match wins. */
const FAMILIES: readonly Family[] = [
  {
    match: /titan-embed-text-v1/,
    inputs: 1,
    supports: { dimensions: ONE_LENGTH, input_type: NONE, truncate: NONE, normalize: NONE },
    toBody: (call) => ({ inputText: textsOf(call)[0] }),
  },
  {
    match: /titan-embed/,
    inputs: 1,
    supports: { dimensions: native, input_type: NONE, truncate: NONE },
    toBody: (call) => ({ inputText: textsOf(call)[0], ...call.fields }),
  },
  {
    match: /cohere\.embed-v4/,
    inputs: COHERE_INPUTS,
    inputTypes: COHERE_INPUT_TYPES,
    supports: { dimensions: renamed("output_dimension"), normalize: NONE },
    // Uses different names from earlier models for the end at which a text is truncated.
    toBody: (call) => toCohere(call, { START: "LEFT", END: "RIGHT" }),
  },
  {
    match: /cohere\.embed/,
    inputs: COHERE_INPUTS,
    inputTypes: COHERE_INPUT_TYPES,
    supports: { dimensions: ONE_LENGTH, normalize: NONE },
    toBody: (call) => toCohere(call, { LEFT: "START", RIGHT: "END" }),
  },
  {
    match: /nova-.*embed/,
    inputs: 1,
    inputTypes: NOVA_TYPES,
    supports: { dimensions: renamed("embeddingDimension"), normalize: NONE },
    toBody: toNova,
  },
];

/** The request for an unknown model. */
const UNKNOWN: Family = {
  match: /./,
  inputs: 1,
  supports: {},
  toBody: (call) => ({ inputText: textsOf(call)[0], ...call.fields }),
};

function familyOf({ base, upstream }: TargetModel): Family {
  return FAMILIES.find(({ match }) => match.test(base) || match.test(upstream)) ?? UNKNOWN;
}

/** The address of a model, without the operation. */
export type ResourceOf = (call: Pick<EmbeddingsCall, "model" | "provider">) => string;

/** Embeddings on Bedrock. */
export function bedrockEmbeddings(resourceOf: ResourceOf): EmbeddingsApi {
  return {
    ...textsOnly({
      dimensions: nativeAs("Titan v2, Cohere v4, Nova"),
      input_type: nativeAs("Cohere, Nova"),
      truncate: nativeAs("Cohere, Nova: NONE, START or END; true is END, false is NONE"),
    }, { normalize: nativeAs("Titan v2"), embedding_types: nativeAs("Cohere") }),
    adds: {
      input_type:
        `${USUAL_INPUT_TYPE}, unless the request or the model's params give another: Cohere requires it`,
      embedding_types: "Cohere's kinds of numbers: float",
      embeddingPurpose:
        "GENERIC_INDEX, unless the request or the model's params give another: Nova requires it",
      truncationMode: "NONE: Nova requires it",
    },
    place: placesInputTypes((model) => familyOf(model).inputTypes),
    supportFor: (model) => familyOf(model).supports,
    limitsFor: (model) => limitedTo(familyOf(model).inputs)(model),
    toRequest: (call): VendorRequest => ({
      url: `${resourceOf(call)}/invoke`,
      headers: {},
      auth: { type: "sigv4", service: "bedrock", region: String(call.provider.options.region) },
      body: familyOf(call.model).toBody(call),
    }),
    toBody: toEmbeddings,
  };
}

function toCohere(call: EmbeddingsCall, ends: Readonly<Record<string, string>>): JsonObject {
  const { truncate, ...others } = call.fields;
  const end = truncate === undefined ? undefined : toTruncation(truncate);
  return {
    texts: textsOf(call),
    embedding_types: ["float"],
    ...usualInputType(call, "input_type", USUAL_INPUT_TYPE),
    ...others,
    ...(end !== undefined && { truncate: new Map(Object.entries(ends)).get(end) ?? end }),
  };
}

function toNova(call: EmbeddingsCall): JsonObject {
  const { embeddingDimension, truncate, embeddingPurpose } = call.fields;
  const purpose = usualInputType(call, "embeddingPurpose", "GENERIC_INDEX");
  if (truncate === undefined) call.changes.add("truncationMode");
  return {
    taskType: "SINGLE_EMBEDDING",
    singleEmbeddingParams: present({
      embeddingPurpose,
      ...purpose,
      embeddingDimension,
      text: { truncationMode: toTruncation(truncate ?? false), value: textsOf(call)[0] },
    }),
  };
}

/** The header with the token count, for models whose answers do not contain it. */
const TOKENS_HEADER = "x-amzn-bedrock-input-token-count";

function toEmbeddings({ body, headers }: VendorAnswer): EmbeddingsBody | undefined {
  const vectors = toVectors(listOf(body));
  if (vectors === undefined) return undefined;
  const header = headers.get(TOKENS_HEADER);
  const counts = [memberOf(body, "inputTextTokenCount"), memberOf(body, "inputTokenCount")];
  const tokens = [...counts, header === null ? undefined : Number(header)]
    .find((count) => typeof count === "number" && Number.isFinite(count));
  return { vectors, tokens: typeof tokens === "number" ? tokens : undefined };
}

/** The vectors: Titan's single one, Nova's entries, Cohere's list or its lists by number type. */
function listOf(body: unknown): unknown {
  const one = memberOf(body, "embedding");
  if (one !== undefined) return [one];
  const list = memberOf(body, "embeddings");
  if (isObject(list)) return Object.values(list)[0];
  if (!Array.isArray(list)) return undefined;
  return list.map((entry) => isObject(entry) ? entry.embedding : entry);
}
