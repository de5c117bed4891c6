/** Requests of Ollama's API that a model answers. */

import { listIn } from "../../../apis/read_fields.ts";
import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { countInput, inputEstimate } from "../../../apis/chat/token_estimate.ts";
import { nativeAnswers, toCountedContent } from "../../../apis/ollama/native_answers.ts";
import { readChat, readGenerate } from "../../../apis/ollama/read_chat.ts";
import {
  type AnswerShape,
  toContentMembers,
  toHead,
  type WriteOptions,
} from "../../../apis/ollama/stream_writer.ts";
import { checkBody, type CheckedBody } from "../../../apis/ollama/converted_request.ts";
import { embeddings } from "../../../apis/embeddings/embeddings.ts";
import { readEmbed, readEmbeddings } from "../../../apis/ollama/embeddings.ts";
import { ollama, ollamaFormat, toWriteOptions } from "../../../apis/ollama/format.ts";
import {
  anyOf,
  boolean,
  type EndpointDescription,
  JSON_TYPE,
  listOf,
  object,
  ref,
  type Schema,
  text,
} from "../../../apis/openapi.ts";
import type { ApiKind } from "../../feature.ts";
import type { OperationContext, ParsedRequest } from "../../parsed_request.ts";
import { createChatOperation } from "../create_operation.ts";
import { toParsedRequest } from "../unary/unary_operation.ts";
import { type FormatChat, NativeOrConverted } from "../native_or_converted.ts";
import type { Target } from "../../../config/config.ts";
import type { Clock } from "../../../core/clock.ts";
import type { JsonObject } from "../../../core/json/object.ts";
import { toList, toObject } from "../../../core/json/values.ts";
import type { UnaryResult } from "../../operation.ts";

/** A request of `/api/chat` or `/api/generate`. */
function toOllamaChat({ body, stream }: CheckedBody, options: WriteOptions): FormatChat {
  const { shape } = options;
  const format = ollamaFormat(options);
  const loads = isLoad(body, shape);
  const input = inputEstimate(() => countInput(toCountedContent(body), [body.tools, body.format]));
  return {
    api: "ollama",
    body,
    stream,
    estimate: (family) =>
      loads
        ? { input: 0, maxOutput: 0 }
        : { input: input(family), ...requestedOutput(toObject(body.options)) },
    readyFormat: loads ? undefined : () => format,
    toNative: () => ({
      body,
      stream: stream && !loads,
      adjust: (request) => ({ ...request, url: request.url.replace(/chat$/, shape) }),
    }),
    readNative: () => ({ answers: nativeAnswers }),
    convert: () => shape === "chat" ? readChat(body) : readGenerate(body),
    formatFor: () => format,
    answerFor: loads ? (target, clock) => answerLoad(body, shape, target, clock) : undefined,
  };
}

/**
 * Whether a request only loads a model, or unloads it: it has no messages, or no prompt.
 * https://github.com/ollama/ollama/blob/main/docs/api.md#load-a-model (2026-08).
 */
function isLoad({ messages, prompt, images }: JsonObject, shape: AnswerShape): boolean {
  if (shape === "chat") return toList(messages).length === 0;
  return (prompt == null || prompt === "") && toList(images).length === 0;
}

/** The answer to a request that only loads a model. Other vendors have no models to load. */
function answerLoad(
  { keep_alive: kept }: JsonObject,
  shape: AnswerShape,
  { model }: Target,
  clock: Clock,
): UnaryResult {
  const created = Math.floor(clock.wallTime() / 1000);
  const content = { text: "", thinking: "", images: [], calls: [], logprobs: [] };
  const answer = {
    ...toHead({ id: "", created, model: model.upstream }),
    ...toContentMembers(content, shape),
    done: true,
    done_reason: kept === 0 ? "unload" : "load",
  };
  return {
    type: "text",
    text: JSON.stringify(answer),
    usage: undefined,
    outputChars: 0,
    summary: { id: "", model: "", finishReasons: [] },
  };
}

const OLLAMA: ApiKind = { format: ollama.name, idPrefix: ollama.idPrefix, operation: "chat" };

const EMBED: ApiKind = { ...OLLAMA, operation: "embeddings" };

/** Reads a body. `model` is its model name, as the gateway knows it. */
type ReadOllama = (body: unknown, nameOf: (model: string) => string) => ParsedRequest;

/**
 * Reads a request of `/api/chat` or `/api/generate`.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readAnswerRequest(shape: AnswerShape): ReadOllama {
  return (body, nameOf) => {
    const checked = checkBody(body);
    if (shape === "chat") listIn(checked.body, "messages", "");
    const model = nameOf(checked.model);
    const stream = checked.stream && !isLoad(checked.body, shape);
    return {
      models: { model },
      stream,
      caller: { api: OLLAMA, unnamedModel: model, body: checked.body },
      createOperation(context) {
        const options = toWriteOptions(shape, checked.body.think, stopwatch(context));
        return createChatOperation(
          context,
          checked.body,
          (body, deps) =>
            new NativeOrConverted(toOllamaChat({ body, model, stream }, options), deps),
        );
      },
    };
  };
}

/** Reads a request for vectors. */
function readVectors(read: typeof readEmbed): ReadOllama {
  return (body, nameOf) => {
    const { request, ...own } = read(body);
    const named = { ...request, model: nameOf(request.model) };
    return toParsedRequest(embeddings, EMBED, { ...own, request: named });
  };
}

/** The milliseconds since this call. */
function stopwatch({ deps: { clock } }: OperationContext): () => number {
  const began = clock.now();
  return () => clock.now() - began;
}

/** One endpoint: `POST`, with a JSON body that names a model. */
interface OllamaEndpoint {
  readonly path: `/api/${string}`;
  /** The name of the format in `sluice explain`. */
  readonly explainedAs: string;
  /** Its entry in `GET /openapi.json`. */
  describe(): EndpointDescription;
  readonly read: ReadOllama;
}

const model = { model: text };
const options = { stream: boolean, format: {}, options: object({}), think: {}, keep_alive: {} };

/** The description of an endpoint. */
function described(
  summary: string,
  body: Schema,
  answer: string,
  example: object,
  lines?: typeof LINES,
): EndpointDescription {
  return {
    tag: "Ollama",
    summary,
    body: [JSON_TYPE, body],
    answers: { [JSON_TYPE]: ref(answer), ...(lines && { [lines]: text }) },
    error: "OllamaError",
    ...(lines && { events: answer }),
    example,
  };
}

const LINES = "application/x-ndjson";

/** All endpoints. */
export const OLLAMA_ENDPOINTS: readonly OllamaEndpoint[] = [
  {
    path: "/api/chat",
    explainedAs: "ollama_chat",
    describe: () =>
      described(
        "Chat; a stream of lines unless stream is false",
        object({ ...model, messages: listOf(object({ role: text }, { content: text })) }, {
          ...options,
          tools: listOf(object({})),
        }),
        "OllamaChat",
        { model: "llama4", messages: [{ role: "user", content: "Hello" }] },
        LINES,
      ),
    read: readAnswerRequest("chat"),
  },
  {
    path: "/api/generate",
    explainedAs: "ollama_generate",
    describe: () =>
      described(
        "Generate text; a stream of lines unless stream is false",
        object(model, { ...options, prompt: text, system: text, images: listOf(text) }),
        "OllamaGeneration",
        { model: "llama4", prompt: "Once" },
        LINES,
      ),
    read: readAnswerRequest("generate"),
  },
  {
    path: "/api/embed",
    explainedAs: "ollama_embed",
    describe: () =>
      described(
        "Create embeddings",
        object({ ...model, input: anyOf(text, listOf(text)) }),
        "OllamaEmbeddings",
        { model: "nomic-embed-text", input: "Hello" },
      ),
    read: readVectors(readEmbed),
  },
  {
    path: "/api/embeddings",
    explainedAs: "ollama_embeddings",
    describe: () =>
      described("Create one embedding", object({ ...model, prompt: text }), "OllamaEmbedding", {
        model: "nomic-embed-text",
        prompt: "Hello",
      }),
    read: readVectors(readEmbeddings),
  },
];
