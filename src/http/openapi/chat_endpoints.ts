/** The endpoints for chats, in the formats of OpenAI and Anthropic. */

import { type Endpoint, json, JSON_TYPE, jsonOrEvents } from "./endpoint.ts";
import { ref } from "./schema.ts";

export const chatEndpoints: Readonly<Record<string, Endpoint>> = {
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
