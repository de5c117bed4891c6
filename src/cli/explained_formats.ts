/** The formats of the requests that `sluice explain` reads. */

import { readChatCompletion } from "../operations/chat_completions/model_request.ts";
import { readEmbeddings } from "../operations/embeddings/model_request.ts";
import { readCountRequest, readMessageRequest } from "../operations/messages/model_request.ts";
import {
  readCompactRequest,
  readCountRequest as readInputTokensRequest,
  readResponseRequest,
} from "../operations/responses/model_request.ts";
import type { ModelRequest } from "../routing/model_request.ts";

/** Reads the body of a request. @throws {GatewayError} for a faulty request. */
type ReadRequest = (body: unknown) => ModelRequest;

/** By the value of the option `--format`. */
export const EXPLAINED_FORMATS: ReadonlyMap<string, ReadRequest> = new Map<string, ReadRequest>([
  ["chat_completions", readChatCompletion],
  ["messages", (body) => readMessageRequest(body, new Map())],
  ["count_tokens", (body) => readCountRequest(body, new Map(), () => {})],
  ["responses", readResponseRequest],
  ["input_tokens", (body) => readInputTokensRequest(body, () => {})],
  ["compact", readCompactRequest],
  ["embeddings", readEmbeddings],
]);

/** The format of a request without the option `--format`. */
export const DEFAULT_EXPLAINED_FORMAT = "chat_completions";
