/** Schemas for responses in the chat formats. */

import {
  anyOf,
  anything,
  constant,
  integer,
  listOf,
  number,
  object,
  oneOf,
  orNull,
  ref,
  type Schemas,
  text,
} from "../../apis/openapi.ts";

const usage = object(
  { prompt_tokens: integer, completion_tokens: integer, total_tokens: integer },
  { prompt_tokens_details: object({}), completion_tokens_details: object({}) },
);
const finishReason = orNull(
  oneOf("stop", "length", "tool_calls", "content_filter", "function_call"),
);

const toolCall = anyOf(
  object({
    id: text,
    type: constant("function"),
    function: object({ name: text, arguments: text }),
  }),
  object({ id: text, type: constant("custom"), custom: object({ name: text, input: text }) }),
);

/** Chat completions. */
const chatCompletions: Schemas = {
  ChatCompletion: object({
    id: text,
    object: constant("chat.completion"),
    created: integer,
    model: text,
    choices: listOf(object({
      index: integer,
      message: object({ role: constant("assistant"), content: orNull(text) }, {
        refusal: orNull(text),
        tool_calls: listOf(toolCall),
        reasoning_content: orNull(text),
        reasoning_details: listOf(object({})),
      }),
      finish_reason: finishReason,
    }, { logprobs: orNull(object({})) })),
    usage,
  }),
  Completion: object({
    id: text,
    object: constant("text_completion"),
    created: integer,
    model: text,
    choices: listOf(object({ text, index: integer }, {
      finish_reason: orNull(finishReason),
      logprobs: orNull(object({})),
    })),
  }, { usage: orNull(usage) }),
  ChatCompletionChunk: object({
    id: text,
    object: constant("chat.completion.chunk"),
    created: integer,
    model: text,
    choices: listOf(object({
      index: integer,
      delta: object({}, { role: text, content: orNull(text), tool_calls: listOf(object({})) }),
      finish_reason: finishReason,
    })),
  }, { usage: orNull(usage) }),
};

const messageUsage = object({ input_tokens: integer, output_tokens: integer }, {
  cache_creation_input_tokens: orNull(integer),
  cache_read_input_tokens: orNull(integer),
});
const block = object({ type: text });
const message = {
  id: text,
  type: constant("message"),
  role: constant("assistant"),
  model: text,
  content: listOf(block),
  stop_reason: orNull(text),
  stop_sequence: orNull(text),
  usage: messageUsage,
};

/** The Messages API. */
const messages: Schemas = {
  Message: object(message),
  MessageEvent: anyOf(
    object({ type: constant("message_start"), message: object(message) }),
    object({ type: constant("content_block_start"), index: integer, content_block: block }),
    object({
      type: constant("content_block_delta"),
      index: integer,
      delta: object({ type: text }),
    }),
    object({ type: constant("content_block_stop"), index: integer }),
    object({
      type: constant("message_delta"),
      delta: object({ stop_reason: orNull(text) }),
      usage: object({ output_tokens: integer }),
    }),
    object({ type: constant("message_stop") }),
    object({ type: constant("ping") }),
    ref("MessagesError"),
  ),
  MessageTokenCount: object({ input_tokens: integer }),
  MessagesModelPage: object({
    data: listOf(
      object({ type: constant("model"), id: text, display_name: text, created_at: text }),
    ),
    has_more: { type: "boolean" },
    first_id: orNull(text),
    last_id: orNull(text),
  }),
};

const responseUsage = object({
  input_tokens: integer,
  input_tokens_details: object({ cached_tokens: integer }),
  output_tokens: integer,
  output_tokens_details: object({ reasoning_tokens: integer }),
  total_tokens: integer,
});
const item = object({ type: text });

/** The Responses API. */
const responses: Schemas = {
  Response: object({
    id: text,
    object: constant("response"),
    created_at: number,
    status: oneOf("completed", "failed", "in_progress", "cancelled", "queued", "incomplete"),
    error: orNull(object({ code: text, message: text })),
    incomplete_details: orNull(object({})),
    model: text,
    output: listOf(item),
  }, { usage: orNull(responseUsage), metadata: orNull(object({})), store: { type: "boolean" } }),
  ResponseEvent: object({ type: text }, {
    sequence_number: integer,
    response: ref("Response"),
    item,
    delta: anything,
  }),
  ResponseTokenCount: object({ object: constant("response.input_tokens"), input_tokens: integer }),
  ResponseCompaction: object({
    id: text,
    object: constant("response.compaction"),
    created_at: number,
    output: listOf(item),
    usage: responseUsage,
  }),
  ResponseDeleted: object({ id: text, deleted: { type: "boolean", const: true } }, {
    object: text,
  }),
  ResponseItems: object({
    object: constant("list"),
    data: listOf(item),
    has_more: { type: "boolean" },
  }),
};

const generateContentResponse = object({}, {
  candidates: listOf(object({}, {
    content: object({}, { role: text, parts: listOf(object({})) }),
    finishReason: text,
    index: integer,
  })),
  usageMetadata: object({}, {
    promptTokenCount: integer,
    candidatesTokenCount: integer,
    totalTokenCount: integer,
  }),
  modelVersion: text,
  responseId: text,
  promptFeedback: object({}),
});
const geminiModel = object({ name: text }, {
  version: text,
  displayName: text,
  inputTokenLimit: integer,
  outputTokenLimit: integer,
  supportedGenerationMethods: listOf(text),
});

/** Gemini's API. */
const gemini: Schemas = {
  GenerateContentResponse: generateContentResponse,
  CountTokensResponse: object({ totalTokens: integer }),
  EmbedContentResponse: object({ embedding: object({ values: listOf(number) }) }),
  BatchEmbedContentsResponse: object({ embeddings: listOf(object({ values: listOf(number) })) }),
  GeminiModel: geminiModel,
  GeminiModelPage: object({ models: listOf(geminiModel) }, { nextPageToken: text }),
};

const figures = {
  done_reason: text,
  total_duration: integer,
  prompt_eval_count: integer,
  eval_count: integer,
};
const done = { type: "boolean" };
const details = object({}, { family: text, families: listOf(text), parameter_size: text });

/** Ollama's API. */
const ollama: Schemas = {
  OllamaChat: object(
    { model: text, created_at: text, message: object({ role: text, content: text }), done },
    figures,
  ),
  OllamaGeneration: object({ model: text, created_at: text, response: text, done }, figures),
  OllamaEmbeddings: object({ model: text, embeddings: listOf(listOf(number)) }, figures),
  OllamaEmbedding: object({ embedding: listOf(number) }),
  OllamaTags: object({
    models: listOf(object({ name: text, model: text, modified_at: text, details })),
  }),
  OllamaModel: object({ details, model_info: object({}), capabilities: listOf(text) }),
  OllamaVersion: object({ version: text }),
};

export const CHAT_ANSWERS: Schemas = {
  ...chatCompletions,
  ...messages,
  ...responses,
  ...gemini,
  ...ollama,
};
