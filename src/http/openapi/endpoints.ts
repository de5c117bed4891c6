/** All endpoints of the description. */

import {
  anyOf,
  anything,
  boolean,
  type Endpoint,
  EVENTS,
  FORM,
  json,
  JSON_TYPE,
  jsonOrEvents,
  listOf,
  object,
  ref,
  type Schema,
  text,
} from "./schema.ts";
import { gatewayEndpoints } from "./gateway_endpoints.ts";

const chatEndpoints: Readonly<Record<string, Endpoint>> = {
  "POST /v1/chat/completions": {
    tag: "Chat",
    summary: "Create a chat completion",
    body: [JSON_TYPE, ref("ChatCompletionRequest")],
    answers: jsonOrEvents("ChatCompletion"),
    events: "ChatCompletionChunk",
    callsModel: true,
  },
  "POST /v1/completions": {
    tag: "Chat",
    summary: "Complete a text",
    body: [JSON_TYPE, ref("CompletionRequest")],
    answers: jsonOrEvents("Completion"),
    events: "Completion",
    callsModel: true,
  },
  "POST /v1/messages": {
    tag: "Chat",
    summary: "Create a message in Anthropic's format",
    body: [JSON_TYPE, ref("MessageRequest")],
    answers: jsonOrEvents("Message"),
    events: "MessageEvent",
    error: "MessagesError",
    callsModel: true,
  },
  "POST /v1/messages/count_tokens": {
    tag: "Chat",
    summary: "Count the input tokens of a message",
    body: [JSON_TYPE, ref("MessageTokenCountRequest")],
    answers: json("MessageTokenCount"),
    error: "MessagesError",
    callsModel: true,
  },
  "POST /v1/responses": {
    tag: "Chat",
    summary: "Create a response",
    body: [JSON_TYPE, ref("ResponseRequest")],
    answers: jsonOrEvents("Response"),
    events: "ResponseEvent",
    callsModel: true,
  },
  "POST /v1/responses/input_tokens": {
    tag: "Chat",
    summary: "Count the input tokens of a response",
    body: [JSON_TYPE, ref("ResponseRequest")],
    answers: json("ResponseTokenCount"),
    callsModel: true,
  },
  "POST /v1/responses/compact": {
    tag: "Chat",
    summary: "Compact a conversation",
    body: [JSON_TYPE, ref("ResponseRequest")],
    answers: json("ResponseCompaction"),
    callsModel: true,
  },
  "GET /v1/responses/{response_id}": {
    tag: "Chat",
    summary: "Retrieve a stored response",
    answers: jsonOrEvents("Response"),
    events: "ResponseEvent",
  },
  "DELETE /v1/responses/{response_id}": {
    tag: "Chat",
    summary: "Delete a stored response",
    answers: json("ResponseDeleted"),
  },
  "POST /v1/responses/{response_id}/cancel": {
    tag: "Chat",
    summary: "Cancel a response in the background",
    answers: json("Response"),
  },
  "GET /v1/responses/{response_id}/input_items": {
    tag: "Chat",
    summary: "List the input items of a stored response",
    answers: json("ResponseItems"),
  },
};

const binary: Schema = { type: "string", format: "binary" };
/** An image as a data URL. */
const IMAGE_REFERENCE = object({ image_url: text });

const operationEndpoints: Readonly<Record<string, Endpoint>> = {
  "POST /v1/embeddings": {
    tag: "Retrieval",
    summary: "Create embeddings",
    body: [JSON_TYPE, ref("EmbeddingsRequest")],
    answers: json("Embeddings"),
    callsModel: true,
  },
  "POST /v1/rerank": {
    tag: "Retrieval",
    summary: "Order documents by relevance",
    body: [JSON_TYPE, ref("RerankRequest")],
    answers: json("Ranking"),
    callsModel: true,
  },
  "POST /v1/moderations": {
    tag: "Retrieval",
    summary: "Classify content",
    body: [JSON_TYPE, ref("ModerationRequest")],
    answers: json("Moderation"),
    callsModel: true,
  },
  "POST /v1/images/generations": {
    tag: "Media",
    summary: "Create images",
    body: [JSON_TYPE, ref("ImageRequest")],
    answers: jsonOrEvents("Images"),
    events: "ImageEvent",
    callsModel: true,
  },
  "POST /v1/images/edits": {
    tag: "Media",
    summary: "Edit images",
    body: [
      FORM,
      object({ model: text, prompt: text, image: anyOf(binary, listOf(binary)) }, {
        mask: binary,
        n: text,
        size: text,
        stream: text,
      }),
    ],
    otherBody: [
      JSON_TYPE,
      object({ model: text, prompt: text, images: listOf(IMAGE_REFERENCE) }, {
        mask: IMAGE_REFERENCE,
      }),
    ],
    answers: jsonOrEvents("Images"),
    events: "ImageEvent",
    callsModel: true,
  },
  "POST /v1/audio/speech": {
    tag: "Media",
    summary: "Create speech",
    body: [JSON_TYPE, ref("SpeechRequest")],
    answers: { "audio/*": binary, [EVENTS]: text },
    events: "SpeechEvent",
    callsModel: true,
  },
  "POST /v1/audio/transcriptions": {
    tag: "Media",
    summary: "Transcribe audio",
    body: [FORM, ref("TranscriptionRequest")],
    answers: { ...jsonOrEvents("Transcription"), "text/plain": text },
    events: "TranscriptionEvent",
    callsModel: true,
  },
  "POST /v1/audio/translations": {
    tag: "Media",
    summary: "Translate audio into English",
    body: [FORM, ref("TranscriptionRequest")],
    answers: { ...json("Transcription"), "text/plain": text },
    callsModel: true,
  },
  "GET /v1/models": {
    tag: "Models",
    summary: "List models, in the format that the request's headers indicate",
    answers: {
      [JSON_TYPE]: anyOf(ref("ModelList"), ref("MessagesModelPage"), ref("GeminiModelPage")),
    },
  },
  "GET /v1/models/{model_id}": {
    tag: "Models",
    summary: "Retrieve a model, by any of its names",
    answers: { [JSON_TYPE]: anyOf(ref("Model"), object({ id: text }), ref("GeminiModel")) },
  },
  "GET /v1/providers": {
    tag: "Models",
    summary: "List what each kind supports, and the state of each provider",
    answers: json("Providers"),
  },
  "ANY /v1/providers/{provider_id}/proxy/{path}": {
    tag: "Models",
    summary: "Send a request to the vendor's own API",
    body: ["*/*", anything],
    bodyOptional: true,
    answers: { "*/*": anything },
  },
};

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

const geminiEndpoints: Readonly<Record<string, Endpoint>> = {
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

const ollamaEndpoints: Readonly<Record<string, Endpoint>> = {
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

/** The endpoints, by method and path. */
export function allEndpoints(): ReadonlyMap<string, Endpoint> {
  return new Map(Object.entries({
    ...chatEndpoints,
    ...geminiEndpoints,
    ...ollamaEndpoints,
    ...operationEndpoints,
    ...gatewayEndpoints,
  }));
}
