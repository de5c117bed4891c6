/** The endpoints for operations other than chats, for models and for providers. */

import { type Endpoint, EVENTS, FORM, json, JSON_TYPE, jsonOrEvents } from "./endpoint.ts";
import { anyOf, anything, listOf, object, ref, type Schema, text } from "./schema.ts";

const binary: Schema = { type: "string", format: "binary" };
/** An image as a data URL. */
const IMAGE_REFERENCE = object({ image_url: text });

export const operationEndpoints: Readonly<Record<string, Endpoint>> = {
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
