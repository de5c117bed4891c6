/** Requests of Gemini's API. The path names the model and the method. */

import { GatewayError } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { toObject } from "../../../core/json/values.ts";
import { embeddings } from "../../../apis/embeddings/embeddings.ts";
import { readBatchEmbedContents, readEmbedContent } from "../../../apis/gemini/embeddings.ts";
import { requestedOutput } from "../../../apis/chat/output_limits.ts";
import { gemini, geminiFormat } from "../../../apis/gemini/format.ts";
import { nativeAnswers } from "../../../apis/gemini/native_answers.ts";
import { memberOf } from "../../../apis/read_fields.ts";
import { checkOutline, readGenerateRequest } from "../../../apis/gemini/read_request.ts";
import {
  anyOf,
  type EndpointDescription,
  EVENTS,
  json,
  JSON_TYPE,
  listOf,
  object,
  ref,
  type Schema,
  text,
} from "../../../apis/openapi.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import { createChatOperation } from "../create_operation.ts";
import { CountOperation, type CountRequest } from "../counting.ts";
import { toParsedRequest } from "../unary/unary_operation.ts";
import { type FormatChat, NativeOrConverted } from "../native_or_converted.ts";
import { countInput, inputEstimate } from "../../../apis/chat/token_estimate.ts";
import { toCountedContent, withoutOwnState } from "../../../apis/gemini/native_body.ts";

/** A request for an answer: its body, and the values in its path. */
interface GenerateRequest {
  readonly body: JsonObject;
  readonly model: string;
  readonly stream: boolean;
}

function toGenerateChat({ body, model, stream }: GenerateRequest): FormatChat {
  const config = toObject(memberOf(body, "generationConfig"));
  const thinking = toObject(memberOf(config, "thinkingConfig"));
  const format = geminiFormat({ showsThoughts: memberOf(thinking, "includeThoughts") === true });
  const input = inputEstimate(() => countInput(toCountedContent(body), [body.tools]));
  let nativeBody: JsonObject | undefined;
  return {
    api: "gemini",
    body,
    stream,
    estimate: (family) => ({ input: input(family), ...requestedOutput(config) }),
    readyFormat: () => format,
    toNative: () => ({ body: nativeBody ??= withoutOwnState(body), stream }),
    readNative: () => ({ answers: nativeAnswers }),
    convert: () => readGenerateRequest(body, { model, stream }),
    formatFor: () => format,
  };
}

/** A request to count tokens. */
interface GeminiCount {
  /** The unchanged body. */
  readonly body: JsonObject;
  /** The request whose tokens are counted: the body, or its `generateContentRequest`. */
  readonly counted: JsonObject;
  readonly model: string;
}

function toGeminiCount({ body, counted, model }: GeminiCount): CountRequest {
  /** The body, except for the vendor's model name inside a complete request. */
  const forVendor = (upstream: string): JsonObject => {
    const clean = withoutOwnState(counted);
    if (counted === body) return clean;
    const name = upstream.includes("/") ? upstream : `models/${upstream}`;
    return { generateContentRequest: { ...clean, model: name } };
  };
  return {
    chat: {
      ...toGenerateChat({ body: counted, model, stream: false }),
      body,
      toNative: ({ model: { upstream } }) => ({ body: forVendor(upstream), stream: false }),
    },
    write: (totalTokens) => ({ totalTokens }),
  };
}

const GENERATE: ApiKind = { format: gemini.name, idPrefix: gemini.idPrefix, operation: "chat" };
const COUNT: ApiKind = { ...GENERATE, callsNoModel: true };
const EMBED: ApiKind = { ...GENERATE, operation: "embeddings" };

/**
 * Reads a request for an answer.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readGenerate(body: unknown, model: string, stream: boolean): ParsedRequest {
  const request = { body: checkOutline(body), model, stream };
  return {
    models: { model },
    stream,
    caller: { api: GENERATE, unnamedModel: model, body: request.body },
    createOperation: (context) =>
      createChatOperation(
        context,
        request.body,
        (body, deps) => new NativeOrConverted(toGenerateChat({ ...request, body }), deps),
      ),
  };
}

/**
 * Reads a request to count tokens.
 *
 * @param onEstimate called if the answer is an estimate
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readCount(body: unknown, model: string, onEstimate: () => void): ParsedRequest {
  const counted = isObject(body) ? memberOf(body, "generateContentRequest") ?? body : body;
  const request = { body: asObject(body), counted: checkOutline(counted), model };
  return {
    models: { model },
    stream: false,
    caller: { api: COUNT, body: request.counted },
    createOperation: (context) =>
      createChatOperation(context, request.counted, (counted, { features }) => {
        const whole = counted === request.counted ? request.body : counted;
        const own = { ...request, body: whole, counted };
        return new CountOperation(toGeminiCount(own), features, onEstimate);
      }),
  };
}

function asObject(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw new GatewayError("invalid_request", "The request body must be a JSON object");
}

/** One method. */
export interface GeminiMethod {
  /** The name in paths. */
  readonly name: string;
  /** The name of the format in `sluice explain`. */
  readonly explainedAs: string;
  /** Its entry in `GET /openapi.json`. */
  describe(): EndpointDescription;
  /**
   * Reads a request.
   *
   * @param onEstimate called if the answer is an estimate
   * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
   */
  read(body: unknown, model: string, onEstimate: () => void): ParsedRequest;
}

const contents = { contents: listOf(object({ parts: listOf(object({})) }, { role: text })) };
const generation = object(contents, {
  systemInstruction: object({}),
  tools: listOf(object({})),
  toolConfig: object({}),
  generationConfig: object({}),
  safetySettings: listOf(object({})),
});
const content = { content: object({ parts: listOf(object({})) }) };

const EXAMPLE = { contents: [{ parts: [{ text: "Hello" }] }] };
const EXAMPLE_CONTENT = { content: { parts: [{ text: "Hello" }] } };

/** The description of a method. */
function described(
  summary: string,
  body: Schema,
  answers: EndpointDescription["answers"],
  example: object = EXAMPLE,
): EndpointDescription {
  const common = { tag: "Gemini", error: "GeminiError" } as const;
  return { ...common, summary, body: [JSON_TYPE, body], answers, example };
}

/** All methods, in the order in which errors name them. */
export const GEMINI_METHODS: readonly GeminiMethod[] = [
  {
    name: "generateContent",
    explainedAs: "generate_content",
    describe: () => described("Generate content", generation, json("GenerateContentResponse")),
    read: (body, model) => readGenerate(body, model, false),
  },
  {
    name: "streamGenerateContent",
    explainedAs: "stream_generate_content",
    describe: () => ({
      ...described(
        "Generate content as a stream: an array, or events with alt=sse",
        generation,
        { [JSON_TYPE]: listOf(ref("GenerateContentResponse")), [EVENTS]: text },
      ),
      events: "GenerateContentResponse",
      query: [["alt", "sse: events instead of an array"]],
    }),
    read: (body, model) => readGenerate(body, model, true),
  },
  {
    name: "countTokens",
    explainedAs: "gemini_count_tokens",
    describe: () =>
      described(
        "Count tokens",
        anyOf(object(contents), object({ generateContentRequest: generation })),
        json("CountTokensResponse"),
      ),
    read: readCount,
  },
  {
    name: "embedContent",
    explainedAs: "embed_content",
    describe: () =>
      described(
        "Create an embedding",
        object(content),
        json("EmbedContentResponse"),
        EXAMPLE_CONTENT,
      ),
    read: (body, model) => toParsedRequest(embeddings, EMBED, readEmbedContent(body, model)),
  },
  {
    name: "batchEmbedContents",
    explainedAs: "batch_embed_contents",
    describe: () =>
      described(
        "Create embeddings",
        object({ requests: listOf(object(content)) }),
        json("BatchEmbedContentsResponse"),
        { requests: [{ model: "models/gemini-embedding-2", ...EXAMPLE_CONTENT }] },
      ),
    read: (body, model) => toParsedRequest(embeddings, EMBED, readBatchEmbedContents(body, model)),
  },
];
