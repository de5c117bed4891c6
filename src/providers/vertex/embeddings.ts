/**
 * Embeddings on Vertex AI: `embedContent` for gemini-embedding-2, `predict` for the others.
 *
 * Shapes:
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
 * (2026-11).
 */

import type { JsonObject } from "../../contract/chat.ts";
import type { EmbeddingsApi, EmbeddingsBody, EmbeddingsCall } from "../../contract/embeddings.ts";
import { converted, renamed } from "../../contract/support.ts";
import {
  googleInputTypes,
  hasPrefixes,
  noteTitle,
  promptsOf,
  secondGeneration,
  sentFields,
  toEmbeddings as toContentEmbeddings,
} from "../gemini/embeddings.ts";
import { memberOf, placesInputTypes, textsOnly, toVectors } from "../shared/embeddings.ts";
import { present } from "../../core/json/values.ts";
import type {
  Auth,
  TargetModel,
  VendorAnswer,
  VendorRequest,
} from "../../contract/vendor_request.ts";

/** The URL of a model, and the credentials of its requests. */
export interface VertexApi {
  resource(call: Pick<EmbeddingsCall, "model" | "provider">): string;
  auth(call: Pick<EmbeddingsCall, "provider">): Auth;
}

/** Embeddings on Vertex AI. */
export function vertexEmbeddings(api: VertexApi): EmbeddingsApi {
  return {
    ...textsOnly({
      dimensions: renamed("outputDimensionality"),
      input_type: renamed("taskType", "before the text for gemini-embedding-2"),
      title: converted("of documents; before the text for gemini-embedding-2"),
      truncate: renamed("autoTruncate", "true or false"),
    }),
    adds: {},
    place: placesInputTypes(googleInputTypes),
    supportFor: secondGeneration,
    limitsFor,
    toRequest: (call) => toRequest(call, api),
    toBody: (answer, call) =>
      hasPrefixes(call.model) ? toContentEmbeddings(answer) : toPredictions(answer),
  };
}

function limitsFor({ base, facts }: TargetModel) {
  const isGemini = /gemini-embedding/.test(base);
  return { inputs: facts.max_inputs ?? (isGemini ? 1 : 250), tokens: 20_000 };
}

function toRequest(call: EmbeddingsCall, api: VertexApi): VendorRequest {
  const { model, request: { title } } = call;
  const { taskType, autoTruncate: truncate, ...others } = sentFields(call);
  const autoTruncate = typeof truncate === "string" ? truncate !== "NONE" : truncate;
  noteTitle(call);
  const texts = promptsOf(call);
  const body: JsonObject = hasPrefixes(model)
    ? toContent(texts, present({ ...others, autoTruncate }))
    : {
      instances: texts.map((content) => present({ content, task_type: taskType, title })),
      ...withParameters(present({ ...others, autoTruncate })),
    };
  const method = hasPrefixes(model) ? "embedContent" : "predict";
  return { url: `${api.resource(call)}:${method}`, headers: {}, auth: api.auth(call), body };
}

function toContent(texts: readonly string[], config: JsonObject): JsonObject {
  const hasConfig = Object.keys(config).length > 0;
  return {
    content: { parts: texts.map((text) => ({ text })) },
    ...(hasConfig && { embedContentConfig: config }),
  };
}

function withParameters(parameters: JsonObject): JsonObject {
  return Object.keys(parameters).length > 0 ? { parameters } : {};
}

function toPredictions({ body }: VendorAnswer): EmbeddingsBody | undefined {
  const list = memberOf(body, "predictions");
  const entries = Array.isArray(list) ? list.map((entry) => memberOf(entry, "embeddings")) : [];
  const vectors = toVectors(entries.map((entry) => memberOf(entry, "values")));
  if (vectors === undefined) return undefined;
  const counts = entries.map((entry) => memberOf(memberOf(entry, "statistics"), "token_count"));
  const known = counts.filter((count) => typeof count === "number");
  const sum = known.reduce((total, count) => total + count, 0);
  return { vectors, tokens: known.length === counts.length ? sum : undefined };
}
