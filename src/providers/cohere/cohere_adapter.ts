/**
 * Cohere's chat API, version 2.
 *
 * Shapes: https://docs.cohere.com/reference/chat and
 * https://docs.cohere.com/reference/chat-stream (2026-08).
 */

import type { Capability } from "../../contract/model_facts.ts";
import type { ChatRequest } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { Adapter, ListedModel, ModelListApi } from "../../contract/adapter.ts";
import { MessageDecoder, toCohereError, toCompletion } from "./answers.ts";
import { cohereEmbeddings } from "./embeddings.ts";
import { toMessages } from "./messages.ts";
import { cohereRerank } from "./rerank.ts";
import { COHERE_REFUSALS, hasToolChoice, thinks, toConversionPlan, toTools } from "./plan.ts";
import { noteLegacyTools } from "../shared/messages.ts";
import {
  converted,
  ignored,
  native,
  nativeAs,
  RARE_CONTENT,
  refused,
  renamed,
  type Support,
} from "../../contract/support.ts";
import { isText, present, toObject } from "../../core/json/values.ts";
import { entriesOf, includesWord, listRequest, toFacts } from "../shared/model_list.ts";
import type {
  Call,
  ProviderSettings,
  TargetModel,
  VendorRequest,
} from "../../contract/vendor_request.ts";

// Cohere's model list, from the older API (https://docs.cohere.com/reference/list-models,
// 2026-11-25).

/** The capability of models, by endpoint; undefined for chat. */
const ENDPOINTS: readonly (readonly [endpoint: string, capability: Capability | undefined])[] = [
  ["chat", undefined],
  ["embed", "embeddings"],
  ["rerank", "rerank"],
];

/** The models for chat, embeddings or reranking, without deprecated ones. */
const COHERE_MODELS: ModelListApi = {
  toRequests: (provider) => [toListRequest(provider)],
  read(body, _, provider) {
    const { models, next_page_token: token } = toObject(body);
    return {
      models: entriesOf(models).filter(({ is_deprecated: old }) => old !== true).flatMap(toModel),
      ...(isText(token) && { next: [toListRequest(provider, token)] }),
    };
  },
};

function toListRequest({ baseUrl }: ProviderSettings, token?: string): VendorRequest {
  const page = token === undefined ? "" : `&page_token=${encodeURIComponent(token)}`;
  const url = `${baseUrl.replace(/\/v2$/, "/v1")}/models?page_size=1000${page}`;
  return listRequest(url, { type: "bearer" });
}

function toModel(
  { context_length: context, endpoints, features, name }: JsonObject,
): ListedModel[] {
  const [, capability] = ENDPOINTS.find(([endpoint]) => includesWord(endpoints, endpoint)) ?? [""];
  const isKnown = ENDPOINTS.some(([endpoint]) => includesWord(endpoints, endpoint));
  if (!isText(name) || !isKnown) return [];
  const capabilities = capability === undefined
    ? {
      tools: includesWord(features, "tools"),
      vision: includesWord(features, "vision"),
      json_schema: includesWord(features, "json_schema"),
      reasoning: includesWord(features, "reasoning"),
    }
    : { [capability]: true };
  return [{ id: name, facts: toFacts({ context, capabilities }) }];
}

/** Cohere's chat API, version 2. */
export const cohere = {
  kind: "cohere",
  defaults: { baseUrl: "https://api.cohere.com/v2", credentials: "required" },
  supports: {
    parameters: {
      stream: native,
      stream_options: converted("usage is always reported; the caller gets it only on request"),
      max_tokens: native,
      max_completion_tokens: renamed("max_tokens"),
      temperature: nativeAs("capped at 1"),
      top_p: renamed("p", "0.01 to 0.99"),
      n: ignored("one choice only"),
      stop: renamed("stop_sequences", "at most 5"),
      seed: nativeAs("not below 0"),
      frequency_penalty: nativeAs("0 to 1"),
      presence_penalty: nativeAs("0 to 1; omitted with frequency_penalty"),
      logit_bias: ignored("no such field"),
      logprobs: native,
      top_logprobs: ignored("only the chosen token's"),
      tools: nativeAs("functions; strict if all are strict and their schemas can be enforced"),
      tool_choice: nativeAs("a single function by omitting the others"),
      parallel_tool_calls: converted("the first call of an answer is kept"),
      functions: converted("tools"),
      function_call: converted("tool_choice"),
      response_format: converted("json_object with the schema; an instruction beside tools"),
      reasoning_effort: converted("thinking, with a token budget"),
      verbosity: ignored("no such field"),
      user: ignored("no such field"),
      metadata: ignored("no such field"),
      store: ignored("no such field"),
      service_tier: ignored("no such field"),
      prediction: ignored("no such field"),
      modalities: ignored("text only"),
      audio: ignored("text only"),
    },
    content: {
      developer_message: converted("sent as a system message"),
      message_name: converted("omitted, and reported"),
      image_url: nativeAs("vision models"),
      image_data: nativeAs("vision models"),
      input_audio: refused("no audio input"),
      file: refused("no files"),
      ...RARE_CONTENT,
    },
    extensions: {
      top_k: renamed("k", "at most 500"),
      thinking: nativeAs("wins over reasoning_effort"),
      documents: native,
      citation_options: native,
      safety_mode: native,
      priority: native,
    },
  },
  adds: {
    messages: "an instruction to write JSON, if the vendor needs one; a short text for an " +
      "empty tool result, which it rejects",
    strict_tools: "if every tool is strict",
  },
  apis: {
    embeddings: cohereEmbeddings,
    rerank: cohereRerank,
  },
  models: COHERE_MODELS,
  framing: "sse",
  reasoningState: ["reasoning_content"],
  refuses: COHERE_REFUSALS,
  imageSources: { https: true, http: true },
  supportFor,
  toRequest,
  toCompletion: ({ body }, call) => toCompletion(body, call),
  decoder: (call) => new MessageDecoder(call),
  toError: toCohereError,
} satisfies Adapter;

function supportFor(
  request: ChatRequest,
  { base, facts }: TargetModel,
): Readonly<Record<string, Support>> {
  const { seed, frequency_penalty, max_tokens, max_completion_tokens } = request;
  const noThinking = ignored("the model does not think");
  return {
    ...(!thinks(base, facts) && { reasoning_effort: noThinking, thinking: noThinking }),
    ...(!hasToolChoice(base) && { tool_choice: converted("the model has no tool choice") }),
    ...(seed !== undefined && !isSeed(Number(seed)) &&
      { seed: ignored("not below 0") }),
    // Some models accept only one of the two, and the documentation does not name them.
    ...(frequency_penalty !== undefined && frequency_penalty > 0 && {
      presence_penalty: ignored("frequency_penalty is there"),
    }),
    ...(max_tokens !== undefined && max_completion_tokens !== undefined && {
      max_tokens: ignored("max_completion_tokens is there"),
    }),
  };
}

/** https://docs.cohere.com/reference/chat (2026-08). */
function isSeed(seed: number): boolean {
  return seed >= 0 && seed <= 2 ** 64;
}

/** Builds the request. The vendor rejects unknown members at any depth, so nothing is copied. */
function toRequest(call: Call): VendorRequest {
  const plan = toConversionPlan(call);
  const { p, k, ...fields } = call.fields;
  noteLegacyTools(call);
  if (plan.single) call.changes.convert("parallel_tool_calls");
  return {
    url: `${call.provider.baseUrl}/chat`,
    headers: call.stream ? { accept: "text/event-stream" } : {},
    auth: { type: "bearer" },
    body: present({
      model: call.model.upstream,
      messages: toMessages(call, plan),
      ...fields,
      temperature: clamped(call, "temperature", fields.temperature, 0, 1),
      p: clamped(call, "top_p", p, 0.01, 0.99),
      k: clamped(call, "top_k", k, 0, 500),
      frequency_penalty: orNone(clamped(call, "frequency_penalty", fields.frequency_penalty, 0, 1)),
      presence_penalty: orNone(clamped(call, "presence_penalty", fields.presence_penalty, 0, 1)),
      stop_sequences: toStops(call),
      ...toTools(call, plan),
      response_format: plan.json.by === "format" ? plan.json.format : undefined,
      thinking: toThinking(call),
    }),
  };
}

function clamped(
  { changes }: Call,
  name: string,
  value: unknown,
  least: number,
  most: number,
): number | undefined {
  if (typeof value !== "number") return undefined;
  const sent = Math.min(Math.max(value, least), most);
  if (sent !== value) changes.convert(name, value, sent);
  return sent;
}

/** Omits a penalty of 0: models that accept only one penalty would reject the second. */
function orNone(penalty: number | undefined): number | undefined {
  return penalty === 0 ? undefined : penalty;
}

/** https://docs.cohere.com/reference/chat (2026-08). */
const MAX_STOPS = 5;

function toStops({ request: { stop }, changes }: Call): readonly string[] | undefined {
  const given = typeof stop === "string" ? [stop] : stop ?? [];
  const usable = given.filter((text) => text !== "");
  if (usable.length > MAX_STOPS) changes.convert("stop", given.length, MAX_STOPS);
  return usable.length > 0 ? usable.slice(0, MAX_STOPS) : undefined;
}

/** Thinking budgets for efforts, in tokens. Higher efforts have no budget. */
const BUDGETS = new Map<string, number>([["minimal", 1024], ["low", 4096], ["medium", 12_288]]);

/** https://docs.cohere.com/docs/reasoning (2026-08). */
function toThinking(call: Call): JsonObject | undefined {
  const { fields, model, changes, request: { reasoning_effort: effort } } = call;
  const { thinking, max_tokens } = fields;
  if (isObject(thinking)) {
    const type = thinking.type === "disabled" ? "disabled" : "enabled";
    return present({ type, token_budget: thinking.token_budget ?? thinking.budget_tokens });
  }
  if (effort === undefined || !thinks(model.base, model.facts)) return undefined;
  changes.rename("reasoning_effort", "thinking");
  if (effort === "none") return { type: "disabled" };
  const budget = BUDGETS.get(effort);
  if (budget === undefined) return { type: "enabled" };
  const room = typeof max_tokens === "number" ? roomFor(max_tokens) : budget;
  return { type: "enabled", token_budget: Math.min(budget, room) };
}

/**
 * The thinking budget within an output limit, which leaves at least 1000 tokens, or half, for the
 * answer.
 */
function roomFor(limit: number): number {
  return Math.max(1, limit > 2048 ? limit - 1024 : Math.floor(limit / 2));
}
