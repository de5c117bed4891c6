/** Requests of Gemini's API. The path names the model and the method. */

import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import {
  readBatchEmbedContents,
  readEmbedContent,
  writeBatchEmbedContents,
  writeEmbedContent,
} from "../../formats/gemini/embeddings.ts";
import { gemini } from "../../formats/gemini/format.ts";
import { memberOf } from "../../formats/read_fields.ts";
import { checkOutline } from "../../formats/gemini/read_request.ts";
import type { ApiKind } from "../../gateway/feature.ts";
import type { ModelRequest } from "../../routing/model_request.ts";
import { createChatOperation, createOperation } from "../conversion_deps.ts";
import { EmbeddingsOperation } from "../embeddings/operation.ts";
import { CountOperation } from "../counting.ts";
import { toGeminiCount } from "./count.ts";
import { GenerateOperation } from "./operation.ts";

const GENERATE: ApiKind = { format: gemini.name, idPrefix: gemini.idPrefix, operation: "chat" };
const COUNT: ApiKind = { ...GENERATE, asksNoModel: true };
const EMBED: ApiKind = { ...GENERATE, operation: "embeddings" };

/**
 * Reads a request for an answer.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readGenerate(body: unknown, model: string, stream: boolean): ModelRequest {
  const request = { body: checkOutline(body), model, stream };
  return {
    models: { model },
    stream,
    caller: { api: GENERATE, unnamedModel: model, body: request.body },
    createOperation: (context) =>
      createChatOperation(
        context,
        request.body,
        (body, deps) => new GenerateOperation({ ...request, body }, deps),
      ),
  };
}

/**
 * Reads a request to count tokens.
 *
 * @param onEstimate called if the answer is an estimate
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readCount(body: unknown, model: string, onEstimate: () => void): ModelRequest {
  const counted = isObject(body) ? memberOf(body, "generateContentRequest") ?? body : body;
  const request = { body: asObject(body), counted: checkOutline(counted), model };
  return {
    models: { model },
    stream: false,
    caller: { api: COUNT, body: request.counted },
    createOperation: (context) =>
      createChatOperation(context, request.counted, (counted, deps) => {
        const whole = counted === request.counted ? request.body : counted;
        const own = { ...request, body: whole, counted };
        return new CountOperation(toGeminiCount(own, deps), onEstimate);
      }),
  };
}

/**
 * Reads a request for one vector.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readEmbed(body: unknown, model: string): ModelRequest {
  const request = readEmbedContent(body, model);
  return {
    models: { model },
    stream: false,
    caller: { api: EMBED, body: request },
    createOperation: (context) =>
      createOperation(
        context,
        request,
        (body, features) => new EmbeddingsOperation(body, writeEmbedContent, features),
      ),
  };
}

/**
 * Reads a request for several vectors.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readBatchEmbed(body: unknown, model: string): ModelRequest {
  const request = readBatchEmbedContents(body, model);
  return {
    models: { model },
    stream: false,
    caller: { api: EMBED, body: request },
    createOperation: (context) =>
      createOperation(
        context,
        request,
        (body, features) => new EmbeddingsOperation(body, writeBatchEmbedContents, features),
      ),
  };
}

function asObject(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw new GatewayError("invalid_request", "The request body must be a JSON object");
}
