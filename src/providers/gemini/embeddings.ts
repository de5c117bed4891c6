/**
 * Embeddings in Google's Gemini API: https://ai.google.dev/api/embeddings (2026-11).
 * One text is sent to `embedContent`, which counts its tokens. Several texts are sent to
 * `batchEmbedContents`, since `embedContent` would return one vector for all of them.
 */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import type { EmbeddingsApi, EmbeddingsBody, EmbeddingsCall } from "../../contract/embeddings.ts";
import { converted, renamed } from "../../contract/support.ts";
import {
  INPUT_TYPES,
  type InputType,
  inputTypeOf,
  type InputTypeTable,
  limitedTo,
  memberOf,
  placesInputTypes,
  textsOf,
  textsOnly,
  toVectors,
} from "../shared/embeddings.ts";
import type { Auth, TargetModel, VendorAnswer } from "../../contract/vendor_request.ts";

/** Google's values for input types. */
const GOOGLE_INPUT_TYPES: InputTypeTable = {
  field: "taskType",
  words: {
    search_query: "RETRIEVAL_QUERY",
    search_document: "RETRIEVAL_DOCUMENT",
    classification: "CLASSIFICATION",
    clustering: "CLUSTERING",
    similarity: "SEMANTIC_SIMILARITY",
  },
  others: ["CODE_RETRIEVAL_QUERY", "QUESTION_ANSWERING", "FACT_VERIFICATION"],
};

/** The text prefixes for second-generation models, which have no field for input types. */
const PREFIXES: Readonly<Record<InputType, string>> = {
  search_query: "task: search result | query: ",
  search_document: "title: none | text: ",
  classification: "task: classification | query: ",
  clustering: "task: clustering | query: ",
  similarity: "task: sentence similarity | query: ",
};

/** Whether the input type is sent as a prefix of the text. */
export function hasPrefixes({ base }: TargetModel): boolean {
  return /gemini-embedding-2/.test(base);
}

/** The texts, with the prefixes that the model requires. */
export function promptsOf(call: EmbeddingsCall): readonly string[] {
  const texts = textsOf(call);
  const { input_type: word, title } = call.request;
  const type = word === undefined ? undefined : inputTypeOf(word);
  if (type === undefined || !hasPrefixes(call.model)) return texts;
  const isTitled = type === "search_document" && title !== undefined && title !== "";
  const prefix = isTitled ? `title: ${title} | text: ` : PREFIXES[type];
  return texts.map((text) => prefix + text);
}

/** Support levels of second-generation models for fields that only the first generation has. */
export function secondGeneration(model: TargetModel): ReturnType<
  NonNullable<EmbeddingsApi["supportFor"]>
> {
  if (!hasPrefixes(model)) return {};
  return {
    input_type: converted("a prefix of the text"),
    title: converted("a prefix of a document's text"),
  };
}

/** The input types of a model. Models with prefixes support only the gateway's types. */
export function googleInputTypes(model: TargetModel): InputTypeTable {
  if (!hasPrefixes(model)) return GOOGLE_INPUT_TYPES;
  return { field: PREFIX_FIELD, words: SAME_WORDS };
}

const SAME_WORDS: InputTypeTable["words"] = Object.fromEntries(
  INPUT_TYPES.map((type) => [type, type]),
);

/** A placeholder: this field is not sent, since the type becomes a prefix. */
const PREFIX_FIELD = "prefix";

/** The fields that are sent. */
export function sentFields({ fields }: EmbeddingsCall): JsonObject {
  const { [PREFIX_FIELD]: _, ...sent } = fields;
  return sent;
}

/** Records how a title is handled. The second generation supports titles only for documents. */
export function noteTitle(
  { model, changes, request: { input_type: word, title } }: EmbeddingsCall,
) {
  if (title === undefined) return;
  const isDocument = word !== undefined && inputTypeOf(word) === "search_document";
  if (hasPrefixes(model) && !isDocument) changes.ignore("title");
  else changes.convert("title");
}

/** The URL of the API, and its authentication. */
export interface GeminiEmbeddingsPlace {
  resource(call: Pick<EmbeddingsCall, "model" | "provider">): string;
  readonly auth: Auth;
}

/** The embeddings of the developer API. */
export function geminiEmbeddings({ resource, auth }: GeminiEmbeddingsPlace): EmbeddingsApi {
  return {
    ...textsOnly({
      dimensions: renamed("outputDimensionality"),
      input_type: renamed("taskType", "before the text for gemini-embedding-2"),
      title: converted("of documents; before the text for gemini-embedding-2"),
    }),
    adds: {},
    place: placesInputTypes(googleInputTypes),
    supportFor: secondGeneration,
    limitsFor: limitedTo(100),
    toRequest(call) {
      const { model, request: { title } } = call;
      const name = model.upstream.includes("/") ? model.upstream : `models/${model.upstream}`;
      const texts = promptsOf(call);
      noteTitle(call);
      const own = title !== undefined && !hasPrefixes(model) ? { title } : {};
      const requests = texts.map((text) => ({
        model: name,
        content: { parts: [{ text }] },
        ...own,
        ...sentFields(call),
      }));
      const isOne = requests.length === 1;
      return {
        url: `${resource(call)}:${isOne ? "embedContent" : "batchEmbedContents"}`,
        headers: {},
        auth,
        body: requests.length === 1 && requests[0] ? requests[0] : { requests },
      };
    },
    toBody: toEmbeddings,
  };
}

/** Reads the answer for one or several texts. */
export function toEmbeddings({ body }: VendorAnswer): EmbeddingsBody | undefined {
  const one = memberOf(body, "embedding");
  const list = isObject(one) ? [one] : memberOf(body, "embeddings");
  const vectors = toVectors(
    Array.isArray(list) ? list.map((entry) => memberOf(entry, "values")) : undefined,
  );
  const tokens = memberOf(memberOf(body, "usageMetadata"), "promptTokenCount");
  return vectors && { vectors, tokens: typeof tokens === "number" ? tokens : undefined };
}
