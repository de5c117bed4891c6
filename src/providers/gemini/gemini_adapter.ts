/**
 * Google's Gemini API, and the parts that Vertex AI shares.
 *
 * Shapes: https://ai.google.dev/api/generate-content,
 * https://ai.google.dev/gemini-api/docs/function-calling and
 * https://ai.google.dev/gemini-api/docs/openai (2026-11-20).
 */

import { readCount } from "../../contract/model_facts.ts";
import { type ChatRequest, isObject, type JsonObject } from "../../contract/chat.ts";
import type { EmbeddingsApi } from "../../contract/embeddings.ts";
import type { Adapter, ProviderDefaults } from "../../contract/adapter.ts";
import { type AnswerRules, toCompletion } from "./answer.ts";
import { geminiEmbeddings } from "./embeddings.ts";
import { toGeminiError } from "./errors.ts";
import { asksSearch, hasFunctions, toSearchTool } from "./grounding.ts";
import { googleImages, type GoogleModels } from "./images.ts";
import { googleSpeech, googleTranscriptions } from "./audio.ts";
import {
  type GeminiModel,
  geminiModel,
  geminiModels,
  INCLUDE_THOUGHTS,
  toThinkingConfig,
} from "./models.ts";
import { hasMembers, toGeminiSchema } from "./schema.ts";
import { GEMINI_SUPPORTS, type OwnParameter, toGeminiTier } from "./support.ts";
import { nativeGenerate } from "./native.ts";
import { GeminiDecoder } from "./stream.ts";
import { toConversation, YOUTUBE } from "./turns.ts";
import type { Part } from "../../apis/gemini/usage.ts";
import { RefInliner } from "../shared/inline_refs.ts";
import { asObjectSchema, type JsonRoute, routeJson, wantedJson } from "../shared/json_schema.ts";
import type { Refusals } from "../../contract/refusals.ts";
import { converted, ignored, native, type Support } from "../../contract/support.ts";
import { type FunctionTool, planTools, type ToolPlan } from "../shared/tool_plan.ts";
import { present } from "../../core/json/values.ts";
import type { Auth, Call, TargetModel, VendorRequest } from "../../contract/vendor_request.ts";
import { invalidValue } from "../../core/errors.ts";

/** The differences between Google's two APIs for Gemini: the developer API and Vertex AI. */
export interface GeminiApi {
  readonly kind: string;
  readonly genAiName: string;
  readonly defaults: ProviderDefaults;
  readonly options?: NonNullable<Adapter["options"]>;
  readonly parameters: Readonly<Record<OwnParameter, Support>>;
  /** URLs of files that only the vendor can read. */
  readonly ownFiles: RegExp;
  /** Whether a file's URL must be sent with its media type. */
  readonly typedFiles: boolean;
  readonly embeddings: EmbeddingsApi;
  /** The endpoints for images and speech. */
  readonly models: GoogleModels;
  readonly passthrough: NonNullable<Adapter["passthrough"]>;
  /** Whether models of every generation support several candidates. */
  readonly candidates: boolean;
  /** Models that accept penalties in this API although their generation rejects them. */
  readonly penalties?: RegExp;
  /** The URL before the method, e.g. `…/models/gemini-2.5-pro`. */
  resource(call: Call): string;
  /** Whether the token counter accepts a whole request; otherwise it accepts contents and tools. */
  readonly countsWholeRequests?: boolean;
  /**
   * Whether models from generation 3 can search and call functions in one answer:
   * https://ai.google.dev/gemini-api/docs/tool-combination (2026-11-28).
   */
  readonly combinesTools?: boolean;
  auth(call: Call): Auth;
  /** Headers and body members that only this API has. */
  extras(call: Call): { readonly headers: Record<string, string>; readonly body: JsonObject };
}

/** https://ai.google.dev/api/caching#FunctionDeclaration (2026-11-20). */
const REFUSALS = {
  toolNames: { refused: /[^\w.:-]/g, start: /^[A-Za-z_]/, maxLength: 64 },
  // From generation 3 on it refers to one of the result's parts
  // (https://github.com/vercel/ai/issues/14369, 2026-04-12).
  resultMembers: new Set(["$ref"]),
} satisfies Refusals;

/** Required to combine a search with functions. */
const SERVER_TOOLS = "toolConfig.includeServerSideToolInvocations";

/** The adapter for one of Google's Gemini APIs. */
export function geminiAdapter(api: GeminiApi): Adapter {
  return {
    kind: api.kind,
    genAiName: api.genAiName,
    defaults: api.defaults,
    ...(api.options && { options: api.options }),
    supports: {
      ...GEMINI_SUPPORTS,
      parameters: { ...GEMINI_SUPPORTS.parameters, ...api.parameters },
    },
    adds: {
      contents: "a short user turn where the vendor refuses a model turn as the first or last; " +
        "a placeholder for calls without the thought signature that the vendor requires",
      [INCLUDE_THOUGHTS]:
        "thoughts, if a request of the Messages API enables thinking, or one of " +
        "the Responses API asks for a summary",
      ...(api.combinesTools && { [SERVER_TOOLS]: "for a search together with functions" }),
      systemInstruction: "an instruction for JSON together with tools, which older models refuse",
    },
    apis: {
      embeddings: api.embeddings,
      images: googleImages(api.models),
      speech: googleSpeech(api.models),
      transcriptions: googleTranscriptions(api.models),
    },
    passthrough: api.passthrough,
    framing: "sse",
    reasoningState: ["extra_content"],
    toolMedia: true,
    refuses: REFUSALS,
    imageSources: { https: false, http: false, own: api.ownFiles },
    supportFor: (request, model) => supportFor(request, model, api),
    toRequest: (call) => toRequest(call, api),
    toCompletion: (answer, call) => toCompletion(answer, call, toAnswerRules(call, api)),
    decoder: (call) => new GeminiDecoder(call, toAnswerRules(call, api)),
    counter: () => ({
      toRequest: (call) => toCountRequest(call, api),
      read: readCount("totalTokens"),
    }),
    toError: toGeminiError,
  };
}

/** Matches URLs that only the vendor can read, including YouTube URLs. */
export function withYouTube(own: RegExp): RegExp {
  return new RegExp(`${own.source}|${YOUTUBE.source}`, "i");
}

const AUTH: Auth = { type: "google", keyHeader: "x-goog-api-key" };

const GENERATE = nativeGenerate({ resource: resourceOf, auth: () => AUTH });

/** Google's Gemini API for developers. */
export const gemini: Adapter = {
  ...geminiAdapter({
    kind: "gemini",
    genAiName: "gcp.gemini",
    defaults: {
      baseUrl: "https://generativelanguage.googleapis.com/v1beta",
      credentials: "required",
      ambient: "google",
    },
    parameters: {
      metadata: ignored("no such field"),
      store: native,
      service_tier: converted("serviceTier: flex, priority or standard"),
    },
    passthrough: ({ baseUrl }) => ({
      baseUrl,
      auth: AUTH,
    }),
    embeddings: geminiEmbeddings({ resource: resourceOf, auth: AUTH }),
    models: { resource: resourceOf, auth: () => AUTH },
    ownFiles: withYouTube(/^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/i),
    typedFiles: false,
    candidates: false,
    resource: resourceOf,
    countsWholeRequests: true,
    combinesTools: true,
    auth: () => AUTH,
    extras(call) {
      const { store } = call.fields;
      return {
        headers: {},
        body: present({ store, serviceTier: toGeminiTier(call, "serviceTier") }),
      };
    },
  }),
  models: geminiModels(AUTH),
  native: (format) => format === "gemini" ? GENERATE : undefined,
};

function resourceOf({ provider, model: { upstream } }: Pick<Call, "model" | "provider">): string {
  const path = upstream.includes("/") ? upstream : `models/${upstream}`;
  return `${provider.baseUrl}/${escapePath(path)}`;
}

/** Escapes a model's name for a URL path. */
export function escapePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}

/** The decisions about one call that its request and its answer share. */
interface Plan {
  readonly model: GeminiModel;
  readonly tools: ToolPlan;
  readonly json: JsonRoute;
  readonly refs: RefInliner;
  /** Whether the model searches. */
  readonly searches: boolean;
}

function supportFor(
  request: ChatRequest,
  { base, facts }: TargetModel,
  api: GeminiApi,
): Readonly<Record<string, Support>> {
  const model = geminiModel(base, facts);
  const penalty = ignored("the model refuses penalties");
  const single = request.stream || !(model.candidates || api.candidates);
  return {
    ...(!(model.penalties || api.penalties?.test(base)) &&
      { frequency_penalty: penalty, presence_penalty: penalty }),
    ...(hasFunctions(request) && !combines(model, api) && {
      web_search_options: ignored("not together with functions"),
    }),
    ...(model.thinking.by === "nothing" && {
      reasoning_effort: ignored("the model has no reasoning"),
    }),
    ...(single && { n: ignored("one choice only") }),
    ...(request.max_completion_tokens !== undefined && {
      max_tokens: ignored("max_completion_tokens takes precedence"),
    }),
    // The vendor rejects top_logprobs without logprobs, and many models reject logprobs even if
    // false.
    ...(!request.logprobs && {
      logprobs: ignored("not requested"),
      top_logprobs: ignored("has no effect without logprobs"),
    }),
  };
}

function toRequest(call: Call, api: GeminiApi): VendorRequest {
  const plan = toPlan(call, api);
  const { model, json } = plan;
  const { resultMembers } = REFUSALS;
  const rules = { model, typedFiles: api.typedFiles, resultMembers };
  const { system, contents } = toConversation(call, rules);
  const hint: Part[] = json.by === "instruction" ? [{ text: json.text }] : [];
  if (hint.length > 0) call.changes.add(model.system ? "systemInstruction" : "contents");
  const extra = readExtra(call);
  const { fields } = call;
  const { headers, body } = api.extras(call);
  noteTools(call, plan);
  return {
    url: `${api.resource(call)}:${
      call.stream ? "streamGenerateContent?alt=sse" : "generateContent"
    }`,
    headers,
    auth: api.auth(call),
    body: present({
      contents: model.system ? contents : withHint(contents, hint),
      systemInstruction: toSystem(model.system ? [...system, ...hint] : system),
      tools: toTools(call, plan),
      toolConfig: toToolConfig(call, plan),
      safetySettings: extra.safety_settings ?? fields.safetySettings,
      cachedContent: extra.cached_content ?? fields.cachedContent,
      generationConfig: toGenerationConfig(call, plan, extra),
      ...body,
    }),
  };
}

/** The same request for the token counter, which Google's two APIs accept in different forms. */
function toCountRequest(call: Call, api: GeminiApi): VendorRequest {
  const { body, ...request } = toRequest(call, api);
  const url = `${api.resource(call)}:countTokens`;
  const { contents, systemInstruction, tools } = body;
  if (!api.countsWholeRequests) {
    return { ...request, url, body: present({ contents, systemInstruction, tools }) };
  }
  const model = `models/${call.model.upstream.replace(/^models\//, "")}`;
  return { ...request, url, body: { generateContentRequest: { model, ...body } } };
}

function toPlan(call: Call, api: GeminiApi): Plan {
  const { base, facts } = call.model;
  const model = geminiModel(base, facts);
  const tools = planTools(call);
  const searches = asksSearch(call.request, combines(model, api));
  const json = toJsonRoute(call.request, { model, tools, searches });
  return { model, tools, json, searches, refs: new RefInliner() };
}

function combines({ modern }: GeminiModel, { combinesTools = false }: GeminiApi): boolean {
  return modern && combinesTools;
}

/**
 * Before generation 3, a model cannot have tools or a search and a JSON schema together:
 * https://github.com/googleapis/python-genai/issues/867 (2025-05-27).
 */
function toJsonRoute(
  request: ChatRequest,
  { model, tools: { tools }, searches }: Pick<Plan, "model" | "tools" | "searches">,
): JsonRoute {
  const wanted = wantedJson(request);
  if (wanted === undefined) return { by: "nothing" };
  if (model.modern || tools.length === 0 && !searches) {
    return { by: "schema", schema: wanted.schema ?? {}, changed: false };
  }
  return routeJson(wanted, { limits: NO_SCHEMAS, forcedChoice: false });
}

const NO_SCHEMAS = { schemas: 0, optional: 0, unions: 0 };

function toAnswerRules(call: Call, api: GeminiApi): AnswerRules {
  const { tools, json, searches } = toPlan(call, api);
  return {
    toolNames: new Set(tools.tools.map(({ definition }) => definition.name)),
    single: call.request.parallel_tool_calls === false,
    fenced: json.by === "instruction",
    grounded: searches,
    request: call.request,
  };
}

function withHint(contents: ReturnType<typeof toConversation>["contents"], hint: readonly Part[]) {
  const [first, ...others] = contents;
  if (first === undefined || hint.length === 0) return contents;
  return [{ ...first, parts: [...hint, ...first.parts] }, ...others];
}

function toSystem(parts: readonly Part[]): JsonObject | undefined {
  return parts.length > 0 ? { parts } : undefined;
}

function noteTools({ request, changes }: Call, { tools, json }: Plan): void {
  if (request.functions) changes.rename("functions", "tools");
  if (request.functions && request.function_call) {
    changes.rename("function_call", "toolConfig.functionCallingConfig");
  }
  if (tools.tools.length > 0 && request.parallel_tool_calls === false) {
    changes.convert("parallel_tool_calls");
  }
  const type = request.response_format?.type;
  if (json.by === "schema") {
    const slot = wantedJson(request)?.schema ? "responseJsonSchema" : "responseMimeType";
    changes.rename("response_format", `generationConfig.${slot}`);
  } else if (json.by === "instruction") changes.rename("response_format", "systemInstruction");
  else if (type !== undefined && type !== "text") changes.ignore("response_format");
}

function toTools(call: Call, plan: Plan): readonly JsonObject[] | undefined {
  const { tools } = plan.tools;
  const lists: JsonObject[] = plan.searches ? [toSearchTool(call)] : [];
  if (tools.length > 0) {
    const functionDeclarations = tools.map((tool) => toDeclaration(call, plan, tool));
    lists.push({ functionDeclarations });
  }
  return lists.length === 0 ? undefined : lists;
}

function toDeclaration({ changes }: Call, { refs }: Plan, tool: FunctionTool): JsonObject {
  const { name, description, parameters, strict } = tool.definition;
  if (strict) changes.ignore("tools.strict");
  const object = asObjectSchema(parameters);
  const path = `${tool.path}.parameters`;
  if (object === undefined) throw invalidValue(path, "the type must be 'object'");
  const { schema, changed } = toGeminiSchema(object, refs, path);
  if (changed) changes.convert("tools.parameters");
  return present({
    name,
    description: description || undefined,
    parametersJsonSchema: hasMembers(schema) ? schema : undefined,
  });
}

function toToolConfig(
  { changes }: Call,
  { tools: { tools, mode, name }, searches }: Plan,
): JsonObject | undefined {
  if (tools.length === 0) return undefined;
  const choiceMode = mode === undefined ? undefined : MODES[mode];
  const allowedFunctionNames = name === undefined ? undefined : [name];
  if (searches) changes.add(SERVER_TOOLS);
  const config = {
    ...(choiceMode !== undefined && {
      functionCallingConfig: present({ mode: choiceMode, allowedFunctionNames }),
    }),
    ...(searches && { includeServerSideToolInvocations: true }),
  };
  return Object.keys(config).length > 0 ? config : undefined;
}

const MODES = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

function toGenerationConfig(call: Call, plan: Plan, extra: JsonObject): JsonObject | undefined {
  const { request, fields } = call;
  const raw = isObject(fields.generationConfig) ? fields.generationConfig : {};
  const own = isObject(extra.thinking_config) ? extra.thinking_config : undefined;
  const config = present({
    candidateCount: toCount(call, raw.candidateCount),
    temperature: raw.temperature,
    topP: raw.topP,
    topK: raw.topK,
    maxOutputTokens: toMaxTokens(call),
    stopSequences: toStops(call),
    seed: toSeed(call),
    frequencyPenalty: toPenalty(call, "frequency_penalty", raw.frequencyPenalty),
    presencePenalty: toPenalty(call, "presence_penalty", raw.presencePenalty),
    responseLogprobs: raw.responseLogprobs,
    logprobs: raw.logprobs,
    responseModalities: toModalities(call),
    ...toJsonConfig(call, plan),
    thinkingConfig: toThinkingConfig(call, plan.model, own),
  });
  if (request.extra_body !== undefined && plan.model.thinking.by === "nothing" && own) {
    call.changes.ignore("extra_body");
  }
  return Object.keys(config).length > 0 ? config : undefined;
}

function toCount({ changes }: Call, n: unknown): number | undefined {
  if (typeof n !== "number") return undefined;
  if (n > MAX_CANDIDATES) changes.convert("n", n, MAX_CANDIDATES);
  return Math.min(n, MAX_CANDIDATES);
}

const MAX_CANDIDATES = 8;

function toMaxTokens({ request, changes, model: { facts } }: Call): number | undefined {
  const name = request.max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
  const limit = request[name];
  if (limit === undefined) return undefined;
  const sent = Math.min(limit, facts.max_output_tokens ?? limit);
  if (sent < limit) changes.convert(name, limit, sent);
  return sent;
}

/** The vendor rejects more than five stop sequences, and empty ones. */
function toStops({ request: { stop }, changes }: Call): readonly string[] | undefined {
  const given = typeof stop === "string" ? [stop] : stop ?? [];
  const sent = given.filter((text) => text !== "").slice(0, MAX_STOP_SEQUENCES);
  if (sent.length < given.length) changes.convert("stop");
  return sent.length > 0 ? sent : undefined;
}

const MAX_STOP_SEQUENCES = 5;

/** Reduces a larger seed to 32 bits, always to the same value. */
function toSeed({ request: { seed }, changes }: Call): number | undefined {
  if (seed === undefined) return undefined;
  const number = Number(seed);
  const sent = number | 0;
  if (sent !== number) changes.convert("seed");
  return sent;
}

/** The vendor's penalty range ends below 2. */
function toPenalty(
  { changes }: Call,
  name: "frequency_penalty" | "presence_penalty",
  value: unknown,
): number | undefined {
  if (typeof value !== "number") return undefined;
  if (value > MAX_PENALTY) changes.convert(name, value, MAX_PENALTY);
  return Math.min(value, MAX_PENALTY);
}

const MAX_PENALTY = 1.99;

function toModalities(
  { request: { modalities }, changes }: Call,
): readonly string[] | undefined {
  if (modalities === undefined) return undefined;
  const sent = modalities.filter((name) => name === "text" || name === "image");
  if (sent.length < modalities.length) changes.ignore("modalities");
  if (!sent.includes("image")) return undefined;
  changes.rename("modalities", "generationConfig.responseModalities");
  return sent.map((name) => name.toUpperCase());
}

function toJsonConfig({ request, changes }: Call, { json, refs }: Plan): JsonObject {
  if (json.by !== "schema") return {};
  const wanted = wantedJson(request);
  const responseMimeType = "application/json";
  if (wanted?.schema === undefined) return { responseMimeType };
  const path = "response_format.json_schema.schema";
  const { schema, changed } = toGeminiSchema(json.schema, refs, path);
  if (changed) changes.convert("response_format.json_schema");
  const { description } = wanted;
  return { responseMimeType, responseJsonSchema: present({ description, ...schema }) };
}

/** Reads `extra_body.google`, which Google's own OpenAI-compatible API accepts. */
function readExtra({ request: { extra_body: extra }, changes }: Call): JsonObject {
  if (extra === undefined) return {};
  const google = isObject(extra) && isObject(extra.google) ? extra.google : {};
  const known = EXTRA_MEMBERS.filter((name) => google[name] !== undefined && google[name] !== null);
  if (known.length === 0 || known.length < Object.keys(google).length) changes.ignore("extra_body");
  return Object.fromEntries(known.map((name) => [name, google[name]]));
}

const EXTRA_MEMBERS = ["thinking_config", "cached_content", "safety_settings"];
