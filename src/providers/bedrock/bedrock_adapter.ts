/**
 * AWS Bedrock's Converse API.
 *
 * Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html and the
 * service model of botocore 1.43.107 (2026-11-20).
 */

import * as z from "zod";
import type { ChatRequest, JsonObject } from "../../contract/chat.ts";
import type { Adapter } from "../../contract/adapter.ts";
import { ConverseDecoder, toCompletion } from "./answer.ts";
import { converseBlocks, withTextForDocuments } from "./content.ts";
import { bedrockEmbeddings } from "./embeddings.ts";
import { toBedrockError } from "./errors.ts";
import { BEDROCK_MODELS, type BedrockModel, bedrockModel, converseCounter } from "./models.ts";
import { bedrockImages } from "./images.ts";
import { messagesOnBedrock } from "./messages.ts";
import { converseMarks } from "./prompt_marks.ts";
import { bedrockRerank } from "./rerank.ts";
import {
  type ConversePlan,
  converseRefusals,
  toCachePoint,
  toPlan,
  toToolFields,
} from "./tools.ts";
import {
  type BlockFormat,
  type BlockTurn,
  type Conversation,
  forbidsThinkingBudget,
  pastTools,
  toConversation,
} from "../shared/claude/conversation.ts";
import {
  isThinking,
  limitTokens,
  noteTokenLimit,
  type Sampling,
  toSampling,
  toStopSequences,
  toThinking,
} from "../shared/claude/thinking.ts";
import { ALLOWED_BETAS } from "../shared/claude/betas.ts";
import { CACHE_CONTROL_NOTE } from "../shared/prompt_marks/cache_control.ts";
import { awsHost } from "../shared/aws_hosts.ts";
import { toServiceTier } from "../../apis/usage.ts";
import {
  converted,
  ignored,
  nativeAs,
  RARE_CONTENT,
  refused,
  renamed,
  type Support,
} from "../../contract/support.ts";
import { present, toObject } from "../../core/json/values.ts";
import type {
  Call,
  ProviderSettings,
  TargetModel,
  VendorRequest,
} from "../../contract/vendor_request.ts";
import { type MemberFault, withCheck } from "../../core/validation_messages.ts";

const secret = z.string().trim().regex(/^[!-~]*$/, {
  error: "must be printable ASCII without spaces",
}).meta({ writeOnly: true });

const region = z.string().regex(/^[\w-]+$/, { error: "must be a region such as 'us-east-1'" });

/** The error in the set of keys in a provider's entry. */
function* keyFaults(
  { access_key_id: id, secret_access_key: key, session_token: token, profile }: JsonObject,
): Iterable<MemberFault> {
  if (id !== undefined && profile !== undefined) {
    yield { path: ["profile"], message: "cannot be used with 'access_key_id'" };
  }
  if (id !== undefined && key === undefined) {
    yield { path: ["secret_access_key"], message: "is required beside 'access_key_id'" };
  }
  if (id === undefined && (key !== undefined || token !== undefined)) {
    yield { path: ["access_key_id"], message: "is required beside the rest of the keys" };
  }
}

/** AWS Bedrock's Converse API, for all models that it serves. */
export const bedrock = {
  kind: "bedrock",
  genAiName: "aws.bedrock",
  defaults: { baseUrl: "", credentials: "required", ambient: "aws" },
  options: withCheck(
    z.strictObject({
      region: region.describe("AWS region, such as 'us-east-1'"),
      access_key_id: secret.optional().describe("AWS access key ID, unless 'api_key' is set"),
      secret_access_key: secret.optional()
        .describe("AWS secret access key that belongs to 'access_key_id'"),
      session_token: secret.optional().describe(
        "AWS session token, required for temporary access keys",
      ),
      profile: z.string().regex(/^[^\s[\]][^[\]\n]*$/, {
        error: "must be the name of a profile, as in '~/.aws/config'",
      }).optional().describe(
        "AWS profile whose credentials are used; AWS_PROFILE if omitted",
      ),
      assume_role: z.strictObject({
        role_arn: z.string().regex(/^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/, {
          error: "must be the ARN of a role, such as 'arn:aws:iam::123456789012:role/name'",
        }).describe("ARN of the role"),
        external_id: z.string().regex(/^[\w+=,.@:/-]{2,1224}$/, {
          error: "must have 2 to 1224 letters, digits or characters of '_+=,.@:/-'",
        }).optional().describe("External ID that the role requires"),
        region: region.optional()
          .describe("Region of the token service (STS); defaults to the provider's 'region'"),
        session_name: z.string().regex(/^[\w+=,.@-]{2,64}$/, {
          error: "must have 2 to 64 letters, digits or characters of '_+=,.@-'",
        }).default("sluice").describe("Name of the session in AWS's logs"),
      }).optional().describe(
        "Role to assume with the AWS keys or the machine's credentials, unless 'api_key' is set",
      ),
      allowed_betas: ALLOWED_BETAS,
    }),
    keyFaults,
  ),
  credentialSets: [{ needs: ["access_key_id", "secret_access_key"], takes: ["session_token"] }],
  supports: {
    parameters: {
      stream: nativeAs("as converse-stream"),
      stream_options: converted("usage is always reported; the caller gets it only on request"),
      max_tokens: renamed("inferenceConfig.maxTokens", "at most the model's maximum"),
      max_completion_tokens: renamed("inferenceConfig.maxTokens", "at most the model's maximum"),
      temperature: nativeAs("in inferenceConfig; capped at 1; omitted while Claude thinks"),
      top_p: nativeAs(
        "in inferenceConfig; omitted while Claude thinks, and if temperature is set from Opus 4.1 on",
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
      message_name: ignored("omitted, and reported"),
      image_url: converted("sent as bytes, but for s3: addresses"),
      image_data: nativeAs("jpeg, png, gif, webp"),
      input_audio: refused("no audio input"),
      file: nativeAs("PDF, Word, Excel, CSV, HTML, Markdown and text, as a data URL"),
      ...RARE_CONTENT,
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
    anthropic_version: "the version of the Messages API, for callers of that API",
    messages: "a short user turn where the vendor refuses the assistant's as the first or last, " +
      "and a text beside documents without one",
    system: "an instruction, for JSON, a tool choice or its absence that no field can say",
    "toolConfig.tools":
      "a tool that receives the answer, for schemas that outputConfig does not support; " +
      "and the names of past calls, which the vendor requires to be defined",
    "toolConfig.toolChoice": "forces the tool that receives the answer",
    cachePoint: CACHE_CONTROL_NOTE,
    cache_control: "the same, for callers of the Messages API",
  },
  apis: {
    embeddings: bedrockEmbeddings(resourceOf),
    rerank: bedrockRerank(resourceOf),
    images: bedrockImages(resourceOf),
  },
  models: BEDROCK_MODELS,
  passthrough: (provider) => ({
    baseUrl: baseOf(provider),
    auth: { type: "sigv4", service: "bedrock", region: String(provider.options.region) },
  }),
  framing: "aws-event-stream",
  reasoningState: ["reasoning_details"],
  requestIdHeader: "x-amzn-requestid",
  toolMedia: true,
  refuses: converseRefusals,
  imageSources: { https: false, http: false, own: /^s3:/i },
  supportFor,
  promptMarks: ({ base, facts }) => converseMarks(base, bedrockModel(base, facts)),
  toRequest,
  toCompletion,
  decoder: (call) => new ConverseDecoder(call),
  toError: toBedrockError,
  counter: (_provider, model) => converseCounter(model, toRequest, resourceOf),
  native: (format, { base, upstream }) =>
    format === "messages" && (base.includes("claude") || upstream.includes("claude"))
      ? MESSAGES
      : undefined,
  prefills: ({ base, facts }) => bedrockModel(base, facts).prefill,
} satisfies Adapter;

/** Claude's Messages API, which InvokeModel forwards. */
const MESSAGES = messagesOnBedrock(resourceOf);

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
  const { fields, provider, stream } = call;
  const region = String(provider.options.region);
  const plan = toPlan(call);
  const format = converseBlocks(call, plan);
  const conversation = toConverseTurns(call, plan, format);
  const tools = toToolFields(call, plan, pastTools(conversation.turns, format));
  const isBudgetRuledOut = tools.forced || forbidsThinkingBudget(conversation.turns, format);
  const { extra, thinks } = toReasoning(call, plan, isBudgetRuledOut, tools.forced);
  const tier = toServiceTier(call, SERVICE_TIERS);
  const messages = toMessages(call, conversation, tools.hints, plan.model);
  const maxTokens = toMaxTokens(call, plan.model);
  const sampling = toSampling(
    call,
    !thinks,
    plan.model.claude === undefined || plan.model.claude.samplesTogether,
  );
  const own = toObject(fields.additionalModelRequestFields);
  const additional = {
    ...extra,
    ...(sampling.top_k !== undefined && { top_k: sampling.top_k }),
    ...(tools.tool_choice && { tool_choice: tools.tool_choice }),
    ...own,
  };
  return {
    url: `${resourceOf(call)}/${stream ? "converse-stream" : "converse"}`,
    headers: {},
    auth: { type: "sigv4", service: "bedrock", region },
    body: {
      ...messages,
      ...withMembers("inferenceConfig", toInference(call, maxTokens, sampling)),
      ...(tools.toolConfig && { toolConfig: tools.toolConfig }),
      ...(tools.outputConfig && { outputConfig: tools.outputConfig }),
      ...withMembers("additionalModelRequestFields", additional),
      ...withMembers("guardrailConfig", toObject(fields.guardrailConfig)),
      ...withMembers("performanceConfig", toObject(fields.performanceConfig)),
      ...withMembers("requestMetadata", toObject(fields.requestMetadata)),
      ...(tier && { serviceTier: { type: tier } }),
    },
  };
}

function toConverseTurns(call: Call, { model }: ConversePlan, format: BlockFormat): Conversation {
  const { assistantFirst, claude, prefill } = model;
  const takesReasoning = claude !== undefined && claude.thinking !== "none";
  const { system, turns } = toConversation(
    call,
    { assistantFirst, prefill, takesReasoning },
    format,
  );
  const [first, ...others] = turns;
  const withText = (turn: BlockTurn) => withTextForDocuments(turn, call);
  return { system, turns: [withText(first), ...others.map(withText)] };
}

/** The address of a model, without the operation. */
function resourceOf({ model, provider }: Pick<Call, "model" | "provider">): string {
  return `${baseOf(provider)}/model/${encode(model.upstream)}`;
}

function baseOf({ baseUrl, options }: ProviderSettings): string {
  return baseUrl || awsHost("bedrock-runtime", String(options.region));
}

/** A model's ID is one segment of the path, with all that RFC 3986 reserves escaped. */
function encode(id: string): string {
  return encodeURIComponent(id).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Moves the instructions to where the model accepts them. */
function toMessages(
  call: Call,
  { system, turns: [first, ...others] }: Conversation,
  hints: readonly string[],
  model: BedrockModel,
): JsonObject {
  if (hints.length > 0) call.changes.add(model.system ? "system" : "messages");
  const instructions = [...system, ...hints.map((text) => ({ text }))];
  const blocks = model.system ? first.blocks : [...instructions, ...first.blocks];
  const messages = [{ ...first, blocks }, ...others].map(({ role, blocks }) => ({
    role,
    content: blocks as JsonObject[],
  }));
  // The vendor has no marker for the whole request: its end is the end of the last turn.
  const point = toCachePoint(call.request.cache_control, model);
  if (point !== undefined) {
    call.changes.rename("cache_control", "cachePoint");
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

/**
 * @param isBudgetRuledOut whether the rest of the request rules out a thinking budget for Claude
 * @param isForced whether the model must call a tool
 */
function toReasoning(
  call: Call,
  { model }: ConversePlan,
  isBudgetRuledOut: boolean,
  isForced: boolean,
): Reasoning {
  const { claude, effort: member } = model;
  const calm = { thinks: false };
  if (claude !== undefined) {
    const maxTokens = limitTokens(call, claude.maxTokens) ?? claude.maxTokens;
    const ruledOut = [
      ...(isBudgetRuledOut ? ["enabled"] : []),
      ...(isForced && !model.forcesThinkers ? ["adaptive"] : []),
    ];
    const { thinking, effort } = toThinking(call, claude, maxTokens, ruledOut);
    const extra = { ...(thinking && { thinking }), ...(effort && { output_config: { effort } }) };
    return { extra, thinks: isThinking(thinking) };
  }
  const { changes, request } = call;
  const requested = request.reasoning_effort;
  if (requested === undefined || member === undefined) return { extra: {}, ...calm };
  if (member === "reasoning") {
    changes.rename("reasoning_effort", "reasoning.effort");
    return { extra: { reasoning: { effort: requested } }, ...calm };
  }
  const nova = member === "reasoningConfig";
  // Nova reasons only on request; the others always do.
  if (nova && requested === "none") return { extra: {}, ...calm };
  const effort = threeEfforts(request);
  const path = nova ? "reasoningConfig.maxReasoningEffort" : member;
  if (effort !== requested) changes.convert("reasoning_effort", requested, effort);
  else if (path !== "reasoning_effort") changes.rename("reasoning_effort", path);
  const config = { type: "enabled", maxReasoningEffort: effort };
  return { extra: nova ? { reasoningConfig: config } : { reasoning_effort: effort }, ...calm };
}

/** The nearest of the three efforts that models other than Claude support. */
function threeEfforts({ reasoning_effort: effort }: ChatRequest): "low" | "medium" | "high" {
  if (effort === "medium") return effort;
  return effort === "high" || effort === "xhigh" || effort === "max" ? "high" : "low";
}

/** The limit on the length of the answer; undefined if the model does not accept one. */
function toMaxTokens(call: Call, { claude }: BedrockModel): number | undefined {
  if (toObject(call.fields.inferenceConfig).maxTokens === undefined) return undefined;
  const maxTokens = limitTokens(call, claude?.maxTokens ?? call.model.facts.max_output_tokens);
  noteTokenLimit(call, maxTokens);
  return maxTokens;
}

function toInference(
  call: Call,
  maxTokens: number | undefined,
  { temperature, top_p }: Sampling,
): JsonObject {
  const { stopSequences } = toObject(call.fields.inferenceConfig);
  return present({
    maxTokens,
    temperature,
    topP: top_p,
    stopSequences: stopSequences === undefined ? undefined : toStopSequences(call),
  });
}

const SERVICE_TIERS = new Map([
  ["priority", "priority"],
  ["fast", "priority"],
  ["flex", "flex"],
  ["default", "default"],
  ["scale", "reserved"],
  ["reserved", "reserved"],
]);

function withMembers(name: string, members: JsonObject): JsonObject {
  return Object.keys(members).length > 0 ? { [name]: members } : {};
}
