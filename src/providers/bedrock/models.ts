/**
 * The features of the model families behind Bedrock's Converse API, by model ID.
 *
 * Facts:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html and
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html (2026-11-20).
 */

import type { Capability } from "../../contract/model_facts.ts";
import { type ModelFacts, readCount } from "../../contract/model_facts.ts";
import type { ForcedChoice } from "../shared/claude/tools.ts";
import { type ClaudeModel, claudeModel } from "../shared/claude/models.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { isText, toList, toObject } from "../../core/json/values.ts";
import type { ListedModel, ModelListApi } from "../../contract/adapter.ts";
import { awsHost } from "../shared/aws_hosts.ts";
import { entriesOf, includesWord, listRequest, toFacts } from "../shared/model_list.ts";
import type { NativeCall, TokenCounter } from "../../contract/native.ts";
import type {
  Call,
  ProviderSettings,
  TargetModel,
  VendorRequest,
} from "../../contract/vendor_request.ts";

/** The features of one model. */
export interface BedrockModel {
  /** The Claude model, if it is one. */
  readonly claude?: ClaudeModel;
  /** How tool use can be forced: a tool by name, any tool, or not at all. */
  readonly forces: ForcedChoice;
  /** Whether tool use can be forced with adaptive thinking. */
  readonly forcesThinkers: boolean;
  /** Whether it supports JSON schemas for answers and strict tools. */
  readonly schemas: boolean;
  /** Whether it accepts instructions separate from the turns. */
  readonly system: boolean;
  /** Whether it accepts temperature and top_p. */
  readonly sampling: boolean;
  readonly stops: boolean;
  /** The member of `additionalModelRequestFields` that sets the thinking effort. */
  readonly effort: "thinking" | "reasoning_effort" | "reasoning" | "reasoningConfig" | undefined;
  /** Whether it supports cache points. */
  readonly caches: boolean;
  /** Whether a request may end in an assistant message, which the answer then continues. */
  readonly prefill: boolean;
  /** Whether a conversation may begin with the assistant. */
  readonly assistantFirst: boolean;
  /** Whether call IDs must be nine letters and digits. */
  readonly shortIds: boolean;
}

/** The row for a model, under any form of its ID; config.yaml and the catalog take precedence. */
export function bedrockModel(id: string, facts: ModelFacts): BedrockModel {
  const name = id.replace(/^arn:.*\//, "");
  const family = FAMILIES.find(({ match }) => match.test(name)) ?? {};
  const model = { ...UNKNOWN, ...family };
  const { rejects_sampling_params: rejects } = facts;
  const sampling = rejects === undefined ? model.sampling : !rejects;
  if (model.effort !== "thinking") return { ...model, sampling };
  const claude = claudeModel(name, facts);
  return {
    ...model,
    claude,
    sampling: claude.sampling,
    prefill: claude.prefill,
    assistantFirst: claude.assistantFirst,
    forces: claude.forcedChoice ? "name" : "nothing",
    forcesThinkers: !CLAUDE_FORCED_OR_THINKING.test(name),
    schemas: CLAUDE_WITH_SCHEMAS.test(name),
  };
}

/** The features of unknown models. */
const UNKNOWN: BedrockModel = {
  forces: "nothing",
  forcesThinkers: true,
  schemas: false,
  system: true,
  sampling: true,
  stops: true,
  effort: undefined,
  caches: false,
  prefill: false,
  assistantFirst: false,
  shortIds: false,
};

/**
 * The newer ones answered `output_config.format: Extra inputs are not permitted`
 * (https://github.com/presenton/presenton/issues/939, 2026-09-18).
 */
const CLAUDE_WITH_SCHEMAS = /claude-(opus|sonnet|haiku)-4-[56]/;

/**
 * Anthropic accepts both together, and Bedrock does from Opus 4.8 on
 * (https://github.com/langchain-ai/langchain-aws/pull/1141, 2026-07-02;
 * https://github.com/BerriAI/litellm/pull/28114, 2026-05-17).
 */
const CLAUDE_FORCED_OR_THINKING = /claude-(opus|sonnet)-4-[67]/;

interface Family extends Partial<BedrockModel> {
  readonly match: RegExp;
}

/** The first match wins. */
const FAMILIES: readonly Family[] = [
  { match: /claude/, effort: "thinking", caches: true },
  // Prefill: https://docs.aws.amazon.com/nova/latest/userguide/prompting-structured-output.html
  // (2026-11), and observed with Nova 2 Lite (2026-08).
  { match: /nova-2-/, forces: "name", effort: "reasoningConfig", caches: true, prefill: true },
  { match: /nova-/, forces: "name", caches: true, prefill: true },
  { match: /gpt-oss/, schemas: true, stops: false, effort: "reasoning_effort" },
  { match: /openai\.gpt-/, sampling: false, stops: false, effort: "reasoning" },
  { match: /mistral-large-3|ministral-3|magistral/, forces: "any", schemas: true, shortIds: true },
  { match: /mistral-large|pixtral-large/, forces: "any", shortIds: true },
  { match: /mi[sx]tral-.*instruct/, system: false, shortIds: true },
  { match: /mistral/, shortIds: true },
  { match: /titan-text|command-(light-)?text|j2-/, system: false },
  {
    // GLM 4.7 was observed to accept them (2026-08).
    match: /qwen3|deepseek\.v3|google\.gemma|nvidia\.nemotron|minimax\.|moonshot|zai\.glm-4\.7/,
    schemas: true,
  },
];

// Amazon Bedrock's lists of foundation models and inference profiles
// (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html and
// API_ListInferenceProfiles.html, 2026-11-20). They contain neither limits nor prices.

/**
 * The models that can be called on demand, and the profiles, through which most others are called.
 */
export const BEDROCK_MODELS: ModelListApi = {
  toRequests: (provider) => [
    toRequest(provider, "/foundation-models?byInferenceType=ON_DEMAND"),
    toRequest(provider, PROFILES),
  ],
  read(body, { url }, provider) {
    const page = toObject(body);
    if (!url.includes(PROFILES)) return { models: entriesOf(page.modelSummaries).flatMap(toModel) };
    const { nextToken: token } = page;
    return {
      models: entriesOf(page.inferenceProfileSummaries).flatMap(toProfile),
      ...(isText(token) && {
        next: [toRequest(provider, `${PROFILES}&nextToken=${encodeURIComponent(token)}`)],
      }),
    };
  },
};

const PROFILES = "/inference-profiles?maxResults=1000";

/** The lists are on a different host from the models. */
function toRequest({ baseUrl, options }: ProviderSettings, path: string): VendorRequest {
  const region = String(options.region);
  const base = baseUrl.replace("//bedrock-runtime.", "//bedrock.") || awsHost("bedrock", region);
  return listRequest(`${base}${path}`, { type: "sigv4", service: "bedrock", region });
}

function toModel(entry: JsonObject): ListedModel[] {
  const { modelId: id, modelLifecycle, modelName } = entry;
  const { inputModalities: inputs, outputModalities: outputs } = entry;
  if (!isText(id) || toObject(modelLifecycle).status === "LEGACY") return [];
  const capability = capabilityOf(id, outputs);
  if (capability === "none") return [];
  return [{
    id,
    facts: toFacts({
      name: modelName,
      capabilities: capability === "chat"
        ? { vision: includesWord(inputs, "IMAGE") }
        : { [capability]: true },
    }),
  }];
}

function capabilityOf(id: string, outputs: unknown): Capability | "chat" | "none" {
  if (/rerank/.test(id)) return "rerank";
  if (includesWord(outputs, "EMBEDDING")) return "embeddings";
  if (includesWord(outputs, "TEXT")) return "chat";
  return includesWord(outputs, "IMAGE") ? "images" : "none";
}

/** An account's own profile has an ARN as its ID, so it is identified by its models. */
function toProfile(entry: JsonObject): ListedModel[] {
  const { inferenceProfileArn: arn, inferenceProfileId: profileId, inferenceProfileName: name } =
    entry;
  const isOwn = entry.type === "APPLICATION";
  const id = isOwn ? arn : profileId;
  if (!isText(id) || entry.status !== "ACTIVE") return [];
  const [model] = toList(entry.models).map(toObject);
  const base = isText(model?.modelArn) ? model.modelArn.replace(/^.*\//, "") : undefined;
  return [{
    id,
    ...(isOwn && base !== undefined && { base }),
    facts: toFacts({ name }),
  }];
}

// Bedrock's counter of input tokens.
//
// Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
// (2026-11-20).

/** The address of a model, without the operation. */
export type ResourceOf = (call: Pick<Call, "model" | "provider">) => string;

/**
 * The requests that each counter accepts. A rejection may concern the model or the form of its ID.
 */
export const COUNTED = { read: readCount("inputTokens"), mayRefuse: true } as const;

/** The counter for requests that Converse accepts; undefined for models without one. */
export function converseCounter(
  { base }: TargetModel,
  toRequest: (call: Call) => VendorRequest,
  resourceOf: ResourceOf,
): TokenCounter<Call> | undefined {
  if (WITHOUT_COUNTER.test(base)) return undefined;
  return {
    ...COUNTED,
    toRequest(call) {
      const { body, ...request } = toRequest(call);
      return { ...request, ...toCountRequest(call, resourceOf, { converse: membersOf(body) }) };
    },
  };
}

/** The address and the body of a request to the counter. */
export function toCountRequest(
  call: Call | NativeCall,
  resourceOf: ResourceOf,
  input: JsonObject,
): Pick<VendorRequest, "url" | "body"> {
  const model = { ...call.model, upstream: foundationIdOf(call.model) };
  const url = `${resourceOf({ model, provider: call.provider })}/count-tokens`;
  return { url, body: { input } };
}

/** https://alchemy.run/providers/aws/bedrock/counttokens (2026-11-22). */
const WITHOUT_COUNTER = /\bnova\b/;

/** Members of a Converse request that are counted: `ConverseTokensRequest` of the reference. */
const MEMBERS = ["messages", "system", "toolConfig", "additionalModelRequestFields"];

function membersOf(body: JsonObject): JsonObject {
  const counted = MEMBERS.filter((name) => body[name] !== undefined);
  return Object.fromEntries(counted.map((name) => [name, body[name]]));
}

/**
 * The counter accepts model IDs, not the IDs of their inference profiles
 * (https://github.com/pydantic/pydantic-ai/pull/3367, 2025-11-07).
 */
function foundationIdOf({ base, upstream }: TargetModel): string {
  const id = upstream.startsWith("arn:") ? base : upstream;
  return id.replace(REGION, "");
}

/** The prefix that an inference profile's ID adds to the model's ID. */
const REGION = /^(?:[a-z]{2}(?:-gov)?|apac|global)\.(?=[a-z0-9]+\.)/;
