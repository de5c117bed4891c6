/** The schemas of requests, from those that check them. */

import type * as z from "zod";
import { chatRequestSchema } from "../../chat/chat.ts";
import { toJsonSchema } from "../../chat/json_schemas.ts";
import { completionRequest } from "../../formats/completions/format.ts";
import { embeddingsRequest } from "../../formats/embeddings/embeddings.ts";
import { imageRequest } from "../../formats/images/images.ts";
import { messagesRequest } from "../../formats/messages/schema.ts";
import { moderationRequest } from "../../formats/moderations/moderations.ts";
import { rerankRequest } from "../../formats/rerank/rerank.ts";
import { responsesRequest } from "../../formats/responses/to_chat.ts";
import { speechRequest } from "../../formats/speech/speech.ts";
import { transcriptionRequest } from "../../formats/transcriptions/transcriptions.ts";
import { configBody, configCheckBody } from "../routes/admin_config.ts";
import { providerTestBody } from "../routes/provider_test.ts";
import { keyChangesBody, newKeyBody, rotationBody } from "../routes/admin_key_bodies.ts";
import { anyOf, integer, listOf, object, type Schema, type Schemas, text } from "./schema.ts";

/** All requests with a schema, by the names of the description. */
export function requestSchemas(): Schemas {
  const embedded = anyOf(text, listOf(anyOf(text, integer, listOf(integer), object({}))));
  const moderated = anyOf(text, listOf(anyOf(text, object({ type: text }))));
  const messages = toSchema(messagesRequest);
  return {
    ChatCompletionRequest: toSchema(chatRequestSchema),
    CompletionRequest: toSchema(completionRequest),
    MessageRequest: { ...messages, required: [...requiredOf(messages), "max_tokens"] },
    MessageTokenCountRequest: messages,
    ResponseRequest: toSchema(responsesRequest),
    EmbeddingsRequest: toSchema(embeddingsRequest, { input: embedded }),
    RerankRequest: toSchema(rerankRequest),
    ModerationRequest: toSchema(moderationRequest, { input: moderated }),
    ImageRequest: toSchema(imageRequest),
    SpeechRequest: toSchema(speechRequest),
    TranscriptionRequest: toSchema(transcriptionRequest, {
      file: { type: "string", format: "binary" },
    }),
    NewServiceKeyRequest: toSchema(newKeyBody),
    ServiceKeyChanges: toSchema(keyChangesBody),
    ProviderTestRequest: toSchema(providerTestBody),
    ConfigCheckRequest: toSchema(configCheckBody),
    ConfigRequest: toSchema(configBody),
    ServiceKeyRotation: toSchema(rotationBody),
  };
}

/** @param extra required members that code checks instead of the schema */
function toSchema(schema: z.ZodType, extra: Schemas = {}): Schema {
  const json: Schema = toJsonSchema(schema);
  const required = [...requiredOf(json), ...Object.keys(extra)];
  return {
    ...json,
    ...(required.length > 0 && { required }),
    properties: { ...json.properties as Schemas, ...extra },
  };
}

function requiredOf({ required }: Schema): readonly string[] {
  return (required as readonly string[] | undefined) ?? [];
}
