/** The endpoints of Gemini's and Ollama's APIs, whose requests have no schemas. */

import { type Endpoint, EVENTS, JSON_TYPE } from "./endpoint.ts";
import { anyOf, boolean, listOf, object, ref, type Schema, text } from "./schema.ts";

const LINES = "application/x-ndjson";

const contents = { contents: listOf(object({ parts: listOf(object({})) }, { role: text })) };
const generation = object(contents, {
  systemInstruction: object({}),
  tools: listOf(object({})),
  toolConfig: object({}),
  generationConfig: object({}),
  safetySettings: listOf(object({})),
});
const content = { content: object({ parts: listOf(object({})) }) };

/** One method of a model in Gemini's API. */
function method(
  summary: string,
  body: Schema,
  answers: Endpoint["answers"],
  events?: string,
): Endpoint {
  return {
    tag: "Gemini",
    summary,
    body: [JSON_TYPE, body],
    answers,
    error: "GeminiError",
    callsModel: true,
    ...(events !== undefined && { events }),
  };
}

const BASE = "POST /v1beta/models/{model_id}";

export const geminiEndpoints: Readonly<Record<string, Endpoint>> = {
  "GET /v1beta/models": {
    tag: "Gemini",
    summary: "List models in Gemini's format",
    answers: { [JSON_TYPE]: ref("GeminiModelPage") },
    error: "GeminiError",
  },
  "GET /v1beta/models/{model_id}": {
    tag: "Gemini",
    summary: "Retrieve a model in Gemini's format",
    answers: { [JSON_TYPE]: ref("GeminiModel") },
    error: "GeminiError",
  },
  [`${BASE}:generateContent`]: method("Generate content", generation, {
    [JSON_TYPE]: ref("GenerateContentResponse"),
  }),
  [`${BASE}:streamGenerateContent`]: {
    ...method(
      "Generate content as a stream: an array, or events with alt=sse",
      generation,
      { [JSON_TYPE]: listOf(ref("GenerateContentResponse")), [EVENTS]: text },
      "GenerateContentResponse",
    ),
    query: [["alt", "sse: events instead of an array"]],
  },
  [`${BASE}:countTokens`]: method(
    "Count tokens",
    anyOf(object(contents), object({ generateContentRequest: generation })),
    { [JSON_TYPE]: ref("CountTokensResponse") },
  ),
  [`${BASE}:embedContent`]: method("Create an embedding", object(content), {
    [JSON_TYPE]: ref("EmbedContentResponse"),
  }),
  [`${BASE}:batchEmbedContents`]: method(
    "Create embeddings",
    object({ requests: listOf(object(content)) }),
    { [JSON_TYPE]: ref("BatchEmbedContentsResponse") },
  ),
};

const model = { model: text };
const options = { stream: boolean, format: {}, options: object({}), think: {}, keep_alive: {} };

/** One endpoint of Ollama's API that calls a model. */
function call(
  summary: string,
  body: Schema,
  answer: string,
  lines = false,
): Endpoint {
  return {
    tag: "Ollama",
    summary,
    body: [JSON_TYPE, body],
    answers: { [JSON_TYPE]: ref(answer), ...(lines && { [LINES]: text }) },
    error: "OllamaError",
    callsModel: true,
    ...(lines && { events: answer }),
  };
}

const look = { tag: "Ollama", error: "OllamaError" } as const;

export const ollamaEndpoints: Readonly<Record<string, Endpoint>> = {
  "POST /api/chat": call(
    "Chat; a stream of lines unless stream is false",
    object({ ...model, messages: listOf(object({ role: text }, { content: text })) }, {
      ...options,
      tools: listOf(object({})),
    }),
    "OllamaChat",
    true,
  ),
  "POST /api/generate": call(
    "Generate text; a stream of lines unless stream is false",
    object(model, { ...options, prompt: text, system: text, images: listOf(text) }),
    "OllamaGeneration",
    true,
  ),
  "POST /api/embed": call(
    "Create embeddings",
    object({ ...model, input: anyOf(text, listOf(text)) }),
    "OllamaEmbeddings",
  ),
  "POST /api/embeddings": call(
    "Create one embedding",
    object({ ...model, prompt: text }),
    "OllamaEmbedding",
  ),
  "GET /api/tags": { ...look, summary: "List models", answers: { [JSON_TYPE]: ref("OllamaTags") } },
  "POST /api/show": {
    ...look,
    summary: "Show a model",
    body: [JSON_TYPE, object(model)],
    answers: { [JSON_TYPE]: ref("OllamaModel") },
  },
  "GET /api/ps": {
    ...look,
    summary: "List loaded models: none",
    answers: { [JSON_TYPE]: object({ models: listOf(object({})) }) },
  },
  "GET /api/version": {
    ...look,
    summary: "The version of Ollama's API",
    answers: { [JSON_TYPE]: ref("OllamaVersion") },
  },
};
