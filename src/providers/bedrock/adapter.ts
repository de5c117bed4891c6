/**
 * AWS Bedrock's Converse API.
 *
 * Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html and the
 * service model of botocore 1.43.107 (2026-11-20).
 */

import { z } from "zod";
import { type ChatRequest, isObject, type JsonObject } from "../../chat/chat.ts";
import type { Adapter, Call, TargetModel, VendorRequest } from "../contract/adapter.ts";
import { ConverseDecoder, toCompletion } from "./answer.ts";
import { type Conversation, forbidsBudget, pastTools, toConversation } from "./content.ts";
import { toError } from "./errors.ts";
import { type BedrockModel, bedrockModel } from "./models.ts";
import { type Plan, toCachePoint, type ToolFields, toPlan, toToolFields } from "./tools.ts";
import { isThinking, toThinking } from "../shared/claude_models.ts";
import {
  BEYOND_OPENAI,
  converted,
  ignored,
  isDefault,
  nativeAs,
  refused,
  renamed,
} from "../contract/support.ts";
import type { Support } from "../contract/support.ts";

const secret = z.string().trim().regex(/^[!-~]*$/, {
  error: "must be printable ASCII without spaces",
});

/** AWS Bedrock's Converse API, for all models that it serves. */
export const bedrock = {
  kind: "bedrock",
  genAiName: "aws.bedrock",
  defaults: { baseUrl: "", credentials: "required" },
  options: z.strictObject({
    region: z.string().regex(/^[\w-]+$/, { error: "must be a region such as 'us-east-1'" })
      .describe("AWS region, such as 'us-east-1'"),
    access_key_id: secret.optional().describe("AWS access key ID, unless 'api_key' is set"),
    secret_access_key: secret.optional()
      .describe("AWS secret access key that belongs to 'access_key_id'"),
    session_token: secret.optional().describe(
      "AWS session token, required for temporary access keys",
    ),
  }).refine(
    ({ access_key_id: id, secret_access_key: key }) => key !== undefined || id === undefined,
    {
      path: ["secret_access_key"],
      error: "is required beside 'access_key_id'",
    },
  ).refine(
    ({ access_key_id: id, secret_access_key: key, session_token: token }) =>
      id !== undefined || (key === undefined && token === undefined),
    { path: ["access_key_id"], error: "is required beside the rest of the keys" },
  ),
  credentialSets: [{ needs: ["access_key_id", "secret_access_key"], takes: ["session_token"] }],
  supports: {
    parameters: {
      stream: nativeAs("as converse-stream"),
      stream_options: converted("usage always comes; the gateway passes it on or not"),
      max_tokens: renamed("inferenceConfig.maxTokens", "at most the model's maximum"),
      max_completion_tokens: renamed("inferenceConfig.maxTokens", "at most the model's maximum"),
      temperature: nativeAs("in inferenceConfig; capped at 1; left out while Claude thinks"),
      top_p: nativeAs(
        "in inferenceConfig; left out while Claude thinks, and beside temperature from Opus 4.1 on",
      ),
      n: ignored("one choice only"),
      stop: renamed("inferenceConfig.stopSequences", "but for OpenAI's models"),
      seed: ignored("no such field"),
      frequency_penalty: ignored("no such field"),
      presence_penalty: ignored("no such field"),
      logit_bias: ignored("no such field"),
      logprobs: ignored("no such field"),
      top_logprobs: ignored("no such field"),
      tools: nativeAs("functions, in toolConfig; strict where the model has it"),
      tool_choice: nativeAs("in toolConfig; an instruction where the model cannot be forced"),
      parallel_tool_calls: converted("Claude's tool_choice.disable_parallel_tool_use"),
      functions: converted("toolConfig.tools"),
      function_call: converted("toolConfig.toolChoice"),
      response_format: converted("outputConfig.textFormat, else a tool, else an instruction"),
      reasoning_effort: converted("additionalModelRequestFields, as the model's family says it"),
      verbosity: ignored("no such field"),
      user: ignored("no such field"),
      metadata: ignored("requestMetadata goes to other logs, and takes fewer characters"),
      store: ignored("no such field"),
      service_tier: nativeAs("as serviceTier: priority, flex, default or reserved"),
      prediction: ignored("no such field"),
      modalities: ignored("text only"),
      audio: ignored("text only"),
    },
    content: {
      developer_message: converted("moved into system"),
      message_name: ignored("left out, and reported"),
      image_url: converted("sent as bytes, but for s3: addresses"),
      image_data: nativeAs("jpeg, png, gif, webp"),
      input_audio: refused("no audio input"),
      file: nativeAs("PDF, Word, Excel, CSV, HTML, Markdown and text, as a data URL"),
      ...BEYOND_OPENAI,
    },
    extensions: {
      top_k: nativeAs("Claude, in additionalModelRequestFields"),
      thinking: nativeAs("Claude, in additionalModelRequestFields; wins over reasoning_effort"),
      cache_control: converted("cachePoint; also on messages, parts and tools"),
      additionalModelRequestFields: nativeAs("its members win over ours"),
      guardrailConfig: nativeAs("an object"),
      performanceConfig: nativeAs("an object"),
      requestMetadata: nativeAs("an object"),
    },
  },
  adds: {
    messages: "a short user turn where the vendor refuses the assistant's as the first or last, " +
      "and a text beside documents without one",
    system: "an instruction, for JSON, a tool choice or its absence that no field can say",
    "toolConfig.tools": "a tool that takes the answer, for schemas that outputConfig cannot say; " +
      "and the names of past calls, which the vendor wants to be defined",
    "toolConfig.toolChoice": "forces the tool that takes the answer",
  },
  framing: "aws-event-stream",
  requestIdHeader: "x-amzn-requestid",
  imageSources: { https: false, http: false, own: /^s3:/i },
  supportFor,
  toRequest,
  toCompletion,
  decoder: (call) => new ConverseDecoder(call),
  toError,
} satisfies Adapter;

function supportFor(
  request: ChatRequest,
  { base, facts }: TargetModel,
): Readonly<Record<string, Support>> {
  const model = bedrockModel(base, facts);
  const { claude, effort } = model;
  const claudes = ignored("only Claude has it");
  const hard = ignored("not while Nova reasons at high effort");
  const none = ignored("the model does not take it");
  return {
    ...(claude === undefined &&
      { thinking: claudes, top_k: claudes, parallel_tool_calls: claudes }),
    ...(!model.sampling && { temperature: none, top_p: none, top_k: none }),
    ...(!model.stops && { stop: none }),
    ...(!model.caches && { cache_control: none }),
    ...((effort === undefined || claude?.thinking === "none") && { reasoning_effort: none }),
    ...(effort === "reasoningConfig" && threeEfforts(request) === "high" && {
      max_tokens: hard,
      max_completion_tokens: hard,
      temperature: hard,
      top_p: hard,
    }),
  };
}

function toRequest(call: Call): VendorRequest {
  const { fields, model: { upstream }, provider, stream } = call;
  const region = String(provider.options.region);
  const plan = toPlan(call);
  const conversation = toConversation(call, plan);
  const tools = toToolFields(call, plan, pastTools(conversation.turns));
  const { extra, thinks } = toReasoning(call, plan, conversation, tools);
  const own = objectOf(fields.additionalModelRequestFields);
  const additional = {
    ...extra,
    ...(Number.isInteger(fields.top_k) && !thinks && { top_k: fields.top_k }),
    ...(tools.tool_choice && { tool_choice: tools.tool_choice }),
    ...own,
  };
  const tier = toServiceTier(call);
  return {
    url: `${provider.baseUrl || addressOf(region)}/model/${encode(upstream)}/${
      stream ? "converse-stream" : "converse"
    }`,
    headers: {},
    auth: { type: "sigv4", service: "bedrock", region },
    body: {
      ...toMessages(call, conversation, tools.hints, plan.model),
      ...withMembers("inferenceConfig", toInference(call, plan.model, thinks)),
      ...(tools.toolConfig && { toolConfig: tools.toolConfig }),
      ...(tools.outputConfig && { outputConfig: tools.outputConfig }),
      ...withMembers("additionalModelRequestFields", additional),
      ...withMembers("guardrailConfig", objectOf(fields.guardrailConfig)),
      ...withMembers("performanceConfig", objectOf(fields.performanceConfig)),
      ...withMembers("requestMetadata", objectOf(fields.requestMetadata)),
      ...(tier && { serviceTier: { type: tier } }),
    },
  };
}

/** https://docs.aws.amazon.com/general/latest/gr/bedrock.html (2026-11-20), and the SDKs' partitions. */
const DOMAINS = new Map([
  ["cn", "amazonaws.com.cn"],
  ["eusc", "amazonaws.eu"],
  ["us-iso", "c2s.ic.gov"],
  ["us-isob", "sc2s.sgov.gov"],
  ["us-isof", "csp.hci.ic.gov"],
  ["eu-isoe", "cloud.adc-e.uk"],
]);

function addressOf(region: string): string {
  const [first = "", second = ""] = region.split("-");
  const domain = DOMAINS.get(first) ?? DOMAINS.get(`${first}-${second}`) ?? "amazonaws.com";
  return `https://bedrock-runtime.${region}.${domain}`;
}

/** A model's id is one segment of the path, with all that RFC 3986 reserves escaped. */
function encode(id: string): string {
  return encodeURIComponent(id).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Puts the instructions where the model takes them. */
function toMessages(
  call: Call,
  { system, turns: [first, ...others] }: Conversation,
  hints: readonly string[],
  model: BedrockModel,
): JsonObject {
  if (hints.length > 0) call.receipt.add(model.system ? "system" : "messages");
  const instructions = [...system, ...hints.map((text) => ({ text }))];
  const blocks = model.system ? first.blocks : [...instructions, ...first.blocks];
  const messages = [{ ...first, blocks }, ...others].map(({ role, blocks }) => ({
    role,
    content: blocks as JsonObject[],
  }));
  // The vendor has no marker for the whole request: its end is the end of the last turn.
  const point = toCachePoint(call.request.cache_control, model);
  if (point !== undefined) {
    call.receipt.rename("cache_control", "cachePoint");
    const last = messages.at(-1);
    if (last) messages.splice(-1, 1, { role: last.role, content: [...last.content, point] });
  }
  return { messages, ...(model.system && instructions.length > 0 && { system: instructions }) };
}

interface Reasoning {
  /** Members of `additionalModelRequestFields`. */
  readonly extra: JsonObject;
  /** Whether Claude thinks, which forbids sampling parameters. */
  readonly thinks: boolean;
}

function toReasoning(
  call: Call,
  plan: Plan,
  { turns }: Conversation,
  tools: ToolFields,
): Reasoning {
  const { claude, effort: member } = plan.model;
  const calm = { thinks: false };
  if (claude !== undefined) {
    const most = askedTokens(call, plan.model) ?? claude.maxTokens;
    const ruledOut = [
      ...(tools.forced || forbidsBudget(turns) ? ["enabled"] : []),
      ...(tools.forced && !plan.model.forcesThinkers ? ["adaptive"] : []),
    ];
    const { thinking, effort } = toThinking(call, claude, most, ruledOut);
    const extra = { ...(thinking && { thinking }), ...(effort && { output_config: { effort } }) };
    return { extra, thinks: isThinking(thinking) };
  }
  const { receipt, request } = call;
  const asked = request.reasoning_effort;
  if (asked === undefined || member === undefined) return { extra: {}, ...calm };
  if (member === "reasoning") {
    receipt.rename("reasoning_effort", "reasoning.effort");
    return { extra: { reasoning: { effort: asked } }, ...calm };
  }
  const nova = member === "reasoningConfig";
  // Nova does not reason unless it is asked to; the others cannot be stopped.
  if (nova && asked === "none") return { extra: {}, ...calm };
  const effort = threeEfforts(request);
  const path = nova ? "reasoningConfig.maxReasoningEffort" : member;
  if (effort !== asked) receipt.convert("reasoning_effort", asked, effort);
  else if (path !== "reasoning_effort") receipt.rename("reasoning_effort", path);
  const config = { type: "enabled", maxReasoningEffort: effort };
  return { extra: nova ? { reasoningConfig: config } : { reasoning_effort: effort }, ...calm };
}

/** The nearest of the three efforts that models other than Claude know. */
function threeEfforts({ reasoning_effort: effort }: ChatRequest): "low" | "medium" | "high" {
  if (effort === "medium") return effort;
  return effort === "high" || effort === "xhigh" || effort === "max" ? "high" : "low";
}

/** The answer's longest length as the caller wants it, if the model can do that much. */
function askedTokens(
  { model: { facts }, request }: Call,
  { claude }: BedrockModel,
): number | undefined {
  const asked = request.max_completion_tokens ?? request.max_tokens;
  const most = claude?.maxTokens ?? facts.max_output_tokens;
  return asked === undefined || most === undefined ? asked : Math.min(asked, most);
}

function toInference(call: Call, model: BedrockModel, thinks: boolean): JsonObject {
  const { fields, receipt, request } = call;
  const placed = objectOf(fields.inferenceConfig);
  const sent: JsonObject = {};
  if (placed.maxTokens !== undefined) {
    const name = request.max_completion_tokens === undefined
      ? "max_tokens"
      : "max_completion_tokens";
    const asked = request[name];
    sent.maxTokens = askedTokens(call, model);
    if (typeof sent.maxTokens === "number" && asked !== undefined && asked > sent.maxTokens) {
      receipt.convert(name, asked, sent.maxTokens);
    }
    const other = request.max_tokens;
    if (other !== undefined && other !== asked) receipt.ignore("max_tokens");
  }
  Object.assign(sent, toSampling(call, model, thinks));
  if (placed.stopSequences !== undefined) {
    const given = typeof request.stop === "string" ? [request.stop] : request.stop ?? [];
    const stops = given.filter((text) => text.trim() !== "");
    if (stops.length < given.length) receipt.ignore("stop");
    if (stops.length > 0) sent.stopSequences = stops;
  }
  return sent;
}

function toSampling(call: Call, { claude }: BedrockModel, thinks: boolean): JsonObject {
  const { fields: { temperature, top_k, top_p }, receipt, request } = call;
  const sent: JsonObject = {};
  const drop = (name: string, value: unknown) => {
    if (value !== undefined && !isDefault(name, value, request)) receipt.ignore(name);
  };
  if (!thinks && typeof temperature === "number") {
    sent.temperature = Math.min(temperature, 1);
    if (temperature > 1) receipt.convert("temperature", temperature, 1);
  } else drop("temperature", temperature);
  const alone = claude === undefined || claude.samplesTogether || temperature === undefined;
  if (!thinks && alone && top_p !== undefined) sent.topP = top_p;
  else drop("top_p", top_p);
  if (thinks || !Number.isInteger(top_k)) drop("top_k", top_k);
  return sent;
}

const SERVICE_TIERS = new Map([
  ["priority", "priority"],
  ["fast", "priority"],
  ["flex", "flex"],
  ["default", "default"],
  ["scale", "reserved"],
  ["reserved", "reserved"],
]);

function toServiceTier({ receipt, request: { service_tier: tier } }: Call): string | undefined {
  if (tier === undefined || tier === "auto") return undefined;
  const sent = SERVICE_TIERS.get(tier);
  if (sent === undefined) receipt.ignore("service_tier");
  else if (sent !== tier) receipt.convert("service_tier", tier, sent);
  return sent;
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function withMembers(name: string, members: JsonObject): JsonObject {
  return Object.keys(members).length > 0 ? { [name]: members } : {};
}
