import { isObject, type JsonObject } from "../../../contract/chat.ts";
import { effortFor, nearestOf, withListedStop } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { dialectModels } from "../model_list.ts";
import type { Capability, ModelFacts } from "../../../contract/model_facts.ts";
import { toFacts, toPrices } from "../../shared/model_list.ts";
import { toObject } from "../../../core/json/values.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { ONE_LENGTH } from "../../shared/embeddings.ts";
import { dialectEmbeddings, NUMBERS_ALONE, TEXT_ALONE } from "../embeddings.ts";
import { dialectRerank } from "../rerank.ts";
import { dialectImages } from "../images.ts";
import type { ImageCall } from "../../../contract/media.ts";
import {
  AS_EVENTS,
  dataUrlOf,
  editedImages,
  ignoreMask,
  NO_FIELD,
  sizeOf,
} from "../../shared/images.ts";
import { converted, ignored, native, nativeAs } from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** Together (https://docs.together.ai/reference/chat-completions-1, 2026-04-28). */
export const together = openAiCompatible(dialectOf({
  kind: "together",
  models: dialectModels({
    isUsable: ({ type }) => KIND_OF_TYPE.has(String(type)),
    facts: toListedFacts,
  }),
  apis: {
    embeddings: dialectEmbeddings({
      parameters: {
        dimensions: ONE_LENGTH,
        encoding_format: NUMBERS_ALONE,
        user: ignored("no such field"),
      },
      inputs: TEXT_ALONE,
    }),
    // https://docs.together.ai/reference/post-images-generations (2026-11).
    images: dialectImages({
      // Edits are generations with an image.
      url: ({ provider }) => `${provider.baseUrl}/images/generations`,
      edits: toEditMembers,
      parameters: {
        size: converted("width and height"),
        quality: NO_FIELD,
        style: NO_FIELD,
        background: NO_FIELD,
        moderation: NO_FIELD,
        output_format: nativeAs("jpeg or png"),
        output_compression: NO_FIELD,
        response_format: converted("base64 or url"),
        stream: AS_EVENTS,
        partial_images: NO_FIELD,
        user: NO_FIELD,
      },
      request: toImageBody,
    }),
    // https://docs.together.ai/reference/rerank-1 (2026-11).
    rerank: dialectRerank({ return_documents: native, rank_fields: native }, { extensions: {} }),
  },
  completions: true,
  baseUrl: "https://api.together.xyz/v1",
  rendersTemplates: true,
  anyParts: true,
  tokenLimit: "max_tokens",
  parameters: {
    ...lacks("no such field", "parallel_tool_calls", "user"),
    logprobs: nativeAs("a number: how many alternatives"),
    top_logprobs: converted("logprobs"),
    reasoning_effort: converted("low, medium or high; none: reasoning.enabled false"),
  },
  toolChoice: { none: "no tools", required: "auto" },
  replays: "reasoning",
  thinkTags: true,
  rewrites: [withListedStop, withLogprobs, withReasoning],
  choice: readLogprobs,
}));

/** The images of one edit: https://docs.together.ai/docs/images-overview (2026-11). */
const MAX_REFERENCES = 8;

/** FLUX Kontext edits one image; other models take references. */
function toEditMembers(call: ImageCall): JsonObject {
  ignoreMask(call);
  const isKontext = /kontext/i.test(call.model.base);
  const urls = editedImages(call, isKontext ? 1 : MAX_REFERENCES)?.map(dataUrlOf) ?? [];
  return isKontext ? { image_url: urls[0] } : { reference_images: urls };
}

function toImageBody(body: JsonObject, call: ImageCall): JsonObject {
  const { changes, request: { response_format: format } } = call;
  const size = sizeOf(call);
  if (size !== undefined) changes.rename("size", "width+height");
  if (format === undefined) return { ...body, ...size };
  const word = format === "b64_json" ? "base64" : format;
  if (word !== format) changes.convert("response_format", format, word);
  return { ...body, ...size, response_format: word };
}

/** `logprobs` is the number of alternatives, at least one. */
function withLogprobs(body: JsonObject, { request, changes }: Call): JsonObject {
  const { logprobs, top_logprobs: top = 0 } = request;
  const { logprobs: _, ...rest } = body;
  if (!logprobs) return rest;
  if (top > 0) changes.rename("top_logprobs", "logprobs");
  return { ...rest, logprobs: Math.max(1, top) };
}

const EFFORTS = nearestOf("low", "medium", "high");

function withReasoning(body: JsonObject, call: Call): JsonObject {
  const { changes } = call;
  const requested = effortFor(call);
  if (requested === undefined) return body;
  if (requested === "none") {
    changes.rename("reasoning_effort", "reasoning.enabled");
    return { ...body, reasoning: { enabled: false } };
  }
  const effort = EFFORTS[requested];
  if (effort !== requested) changes.convert("reasoning_effort", requested, effort);
  return { ...body, reasoning_effort: effort };
}

/** Log probabilities are two lists, as in OpenAI's legacy completions. */
function readLogprobs(choice: JsonObject): void {
  const reported = choice.logprobs;
  if (!isObject(reported) || !Array.isArray(reported.tokens)) {
    if (!isObject(reported)) delete choice.logprobs;
    return;
  }
  const { tokens, token_logprobs: values } = reported;
  choice.logprobs = {
    content: tokens.map((token, at) => ({
      token,
      logprob: Array.isArray(values) ? values[at] ?? null : null,
      bytes: null,
      top_logprobs: [],
    })),
    refusal: null,
  };
}

/** The models' operations by their `type`; other types are not supported. */
const KIND_OF_TYPE: ReadonlyMap<string, Capability | undefined> = new Map([
  ["chat", undefined],
  ["embedding", "embeddings"],
  ["rerank", "rerank"],
  ["image", "images"],
  ["moderation", "moderation"],
]);

/** Prices are in USD per million tokens (https://docs.together.ai/reference/models-1, 2026-11-25). */
function toListedFacts({ display_name: name, pricing, type }: JsonObject): ModelFacts {
  const { cached_input: cachedInput, input, output } = toObject(pricing);
  const capability = KIND_OF_TYPE.get(String(type));
  return toFacts({
    name,
    ...(capability !== undefined && { capabilities: { [capability]: true } }),
    prices: type === "chat" ? toPrices({ input, output, cachedInput }, 1e6) : undefined,
  });
}
