/**
 * Google's Gemini API, and what Vertex AI shares with it.
 *
 * Shapes: https://ai.google.dev/api/generate-content,
 * https://ai.google.dev/gemini-api/docs/function-calling and
 * https://ai.google.dev/gemini-api/docs/openai (2026-11-20).
 */

import { type ChatRequest, isObject, type JsonObject } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Adapter, Auth, Call, ProviderDefaults, TargetModel } from "../contract/adapter.ts";
import type { VendorRequest } from "../contract/adapter.ts";
import { type AnswerRules, toCompletion } from "./answer.ts";
import { toError } from "./errors.ts";
import { type GeminiModel, geminiModel, toThinkingConfig } from "./models.ts";
import { hasMembers, toGeminiSchema } from "./schema.ts";
import { GEMINI_SUPPORTS, type OwnParameter } from "./support.ts";
import { GeminiDecoder } from "./stream.ts";
import { type Part, toConversation, YOUTUBE } from "./turns.ts";
import { RefInliner } from "../shared/inline_refs.ts";
import { asObjectSchema, type JsonRoute, routeJson, wantedJson } from "../shared/json_schema.ts";
import { converted, ignored, native, type Support } from "../contract/support.ts";
import { type FunctionTool, planTools, type ToolPlan, uniquely } from "../shared/turns.ts";

/** What sets one of Google's doors to Gemini apart from the other. */
export interface GeminiDoor {
  readonly kind: string;
  readonly genAiName: string;
  readonly defaults: ProviderDefaults;
  readonly options?: NonNullable<Adapter["options"]>;
  readonly parameters: Readonly<Record<OwnParameter, Support>>;
  /** Addresses of files that only the vendor can read. */
  readonly ownFiles: RegExp;
  /** Whether a file's address must come with its type. */
  readonly typedFiles: boolean;
  /** Whether every generation may be asked for several candidates. */
  readonly candidates: boolean;
  /** Models that take penalties here though their generation refuses them. */
  readonly penalties?: RegExp;
  /** Everything of the address before the method, e.g. `…/models/gemini-2.5-pro`. */
  resource(call: Call): string;
  auth(call: Call): Auth;
  /** What only this door has. */
  extras(call: Call): { readonly headers: Record<string, string>; readonly body: JsonObject };
}

/** An adapter for one of Google's doors to Gemini. */
export function geminiAdapter(door: GeminiDoor): Adapter {
  return {
    kind: door.kind,
    genAiName: door.genAiName,
    defaults: door.defaults,
    ...(door.options && { options: door.options }),
    supports: {
      ...GEMINI_SUPPORTS,
      parameters: { ...GEMINI_SUPPORTS.parameters, ...door.parameters },
    },
    adds: {
      contents: "a short user turn where the vendor refuses the model's as the first or last; " +
        "a mark for calls without the thought signature that the vendor wants",
      systemInstruction: "an instruction, for JSON beside tools, which older models refuse",
    },
    framing: "sse",
    imageSources: { https: false, http: false, own: door.ownFiles },
    supportFor: (request, model) => supportFor(request, model, door),
    toRequest: (call) => toRequest(call, door),
    toCompletion: (answer, call) => toCompletion(answer, call, toAnswerRules(call)),
    decoder: (call) => new GeminiDecoder(call, toAnswerRules(call)),
    toError,
  };
}

/** Addresses that only the vendor can read, those of videos among them. */
export function withYouTube(own: RegExp): RegExp {
  return new RegExp(`${own.source}|${YOUTUBE.source}`, "i");
}

/** Google's Gemini API, as developers get it. */
export const gemini = geminiAdapter({
  kind: "gemini",
  genAiName: "gcp.gemini",
  defaults: {
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    credentials: "required",
  },
  parameters: {
    metadata: ignored("no such field"),
    store: native,
    service_tier: converted("serviceTier: flex, priority or standard"),
  },
  ownFiles: withYouTube(/^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/i),
  typedFiles: false,
  candidates: false,
  resource({ provider, model: { upstream } }) {
    const path = upstream.includes("/") ? upstream : `models/${upstream}`;
    return `${provider.baseUrl}/${escapePath(path)}`;
  },
  auth: () => ({ type: "header", name: "x-goog-api-key" }),
  extras(call) {
    const { store } = call.fields;
    return {
      headers: {},
      body: present({ store, serviceTier: toServiceTier(call, "serviceTier") }),
    };
  },
});

/**
 * The vendor's word for a service tier; undefined when nothing needs to be said.
 *
 * @param to where the vendor has it
 */
export function toServiceTier({ request, receipt }: Call, to: string): string | undefined {
  const { service_tier: tier } = request;
  if (tier === undefined || tier === "auto") return undefined;
  const sent = SERVICE_TIERS.get(tier);
  if (sent === undefined) receipt.ignore("service_tier");
  else if (sent !== tier) receipt.convert("service_tier", tier, sent);
  else receipt.rename("service_tier", to);
  return sent;
}

/** The members that are there. */
export function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A model's name as a part of an address. */
export function escapePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}

const SERVICE_TIERS = new Map([
  ["flex", "flex"],
  ["priority", "priority"],
  ["default", "standard"],
  ["standard", "standard"],
]);

/** What both directions of one call have to agree on. */
interface Plan {
  readonly model: GeminiModel;
  readonly tools: ToolPlan;
  /** The vendor's names of the caller's tools: those it accepts. */
  readonly names: ReadonlyMap<string, string>;
  readonly json: JsonRoute;
  readonly refs: RefInliner;
}

function supportFor(
  request: ChatRequest,
  { base, facts }: TargetModel,
  door: GeminiDoor,
): Readonly<Record<string, Support>> {
  const model = geminiModel(base, facts);
  const penalty = ignored("the model refuses penalties");
  const single = request.stream || !(model.candidates || door.candidates);
  return {
    ...(!(model.penalties || door.penalties?.test(base)) &&
      { frequency_penalty: penalty, presence_penalty: penalty }),
    ...(model.thinking.by === "nothing" && {
      reasoning_effort: ignored("the model does not think"),
    }),
    ...(single && { n: ignored("one choice only") }),
    ...(request.max_completion_tokens !== undefined && {
      max_tokens: ignored("max_completion_tokens wins"),
    }),
    // Refused without the other, and many models refuse the other even if false.
    ...(!request.logprobs && {
      logprobs: ignored("not asked for"),
      top_logprobs: ignored("means nothing without logprobs"),
    }),
  };
}

function toRequest(call: Call, door: GeminiDoor): VendorRequest {
  const plan = toPlan(call);
  const { model, names, json } = plan;
  const nameOf = (name: string) => names.get(name) ?? toName(name);
  const rules = { model, nameOf, typedFiles: door.typedFiles };
  const { system, contents } = toConversation(call, rules);
  const hint: Part[] = json.by === "instruction" ? [{ text: json.text }] : [];
  if (hint.length > 0) call.receipt.add(model.system ? "systemInstruction" : "contents");
  const extra = readExtra(call);
  const { fields } = call;
  const { headers, body } = door.extras(call);
  noteTools(call, plan);
  return {
    url: `${door.resource(call)}:${
      call.stream ? "streamGenerateContent?alt=sse" : "generateContent"
    }`,
    headers,
    auth: door.auth(call),
    body: present({
      contents: model.system ? contents : withHint(contents, hint),
      systemInstruction: toSystem(model.system ? [...system, ...hint] : system),
      tools: toTools(call, plan),
      toolConfig: toToolConfig(plan),
      safetySettings: extra.safety_settings ?? fields.safetySettings,
      cachedContent: extra.cached_content ?? fields.cachedContent,
      generationConfig: toGenerationConfig(call, plan, extra),
      ...body,
    }),
  };
}

function toPlan(call: Call): Plan {
  const { base, facts } = call.model;
  const model = geminiModel(base, facts);
  const tools = planTools(call.request);
  const rename = uniquely(toName, MAX_NAME);
  const names = new Map<string, string>();
  for (const { definition: { name } } of tools.tools) {
    if (!names.has(name)) names.set(name, rename(name));
  }
  const json = toJsonRoute(call.request, model, tools);
  return { model, tools, names, json, refs: new RefInliner() };
}

/**
 * Before generation 3 a call and a JSON answer cannot be asked for together:
 * https://github.com/googleapis/python-genai/issues/867 (2025-05-27).
 */
function toJsonRoute(request: ChatRequest, model: GeminiModel, { tools }: ToolPlan): JsonRoute {
  const wanted = wantedJson(request);
  if (wanted === undefined) return { by: "nothing" };
  if (model.modern || tools.length === 0) {
    return { by: "schema", schema: wanted.schema ?? {}, changed: false };
  }
  return routeJson(wanted, { limits: NO_SCHEMAS, forcedChoice: false });
}

const NO_SCHEMAS = { schemas: 0, optional: 0, unions: 0 };

function toAnswerRules(call: Call): AnswerRules {
  const { names, json } = toPlan(call);
  return {
    original: new Map([...names].map(([name, sent]) => [sent, name])),
    single: call.request.parallel_tool_calls === false,
    fenced: json.by === "instruction",
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

function noteTools({ request, receipt }: Call, { tools, json }: Plan): void {
  if (request.functions) receipt.rename("functions", "tools");
  if (request.functions && request.function_call) {
    receipt.rename("function_call", "toolConfig.functionCallingConfig");
  }
  if (tools.tools.length > 0 && request.parallel_tool_calls === false) {
    receipt.convert("parallel_tool_calls");
  }
  const type = request.response_format?.type;
  if (json.by === "schema") {
    const slot = wantedJson(request)?.schema ? "responseJsonSchema" : "responseMimeType";
    receipt.rename("response_format", `generationConfig.${slot}`);
  } else if (json.by === "instruction") receipt.rename("response_format", "systemInstruction");
  else if (type !== undefined && type !== "text") receipt.ignore("response_format");
}

function toTools(call: Call, plan: Plan): readonly JsonObject[] | undefined {
  const { tools } = plan.tools;
  if (tools.length === 0) return undefined;
  const functionDeclarations = tools.map((tool) => toDeclaration(call, plan, tool));
  return [{ functionDeclarations }];
}

function toDeclaration({ receipt }: Call, { names, refs }: Plan, tool: FunctionTool): JsonObject {
  const { name, description, parameters, strict } = tool.definition;
  if (strict) receipt.ignore("tools.strict");
  const object = asObjectSchema(parameters);
  const path = `${tool.path}.parameters`;
  if (object === undefined) throw invalid(path, "the type must be 'object'");
  const { schema, changed } = toGeminiSchema(object, refs, path);
  if (changed) receipt.convert("tools.parameters");
  return present({
    name: names.get(name),
    description: description || undefined,
    parametersJsonSchema: hasMembers(schema) ? schema : undefined,
  });
}

function toToolConfig({ tools: { tools, mode, name }, names }: Plan): JsonObject | undefined {
  const word = mode === undefined ? undefined : MODES[mode];
  if (tools.length === 0 || word === undefined) return undefined;
  const allowedFunctionNames = name === undefined ? undefined : [names.get(name)];
  return { functionCallingConfig: present({ mode: word, allowedFunctionNames }) };
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
    call.receipt.ignore("extra_body");
  }
  return Object.keys(config).length > 0 ? config : undefined;
}

function toCount({ receipt }: Call, n: unknown): number | undefined {
  if (typeof n !== "number") return undefined;
  if (n > MAX_CANDIDATES) receipt.convert("n", n, MAX_CANDIDATES);
  return Math.min(n, MAX_CANDIDATES);
}

const MAX_CANDIDATES = 8;

function toMaxTokens({ request, receipt, model: { facts } }: Call): number | undefined {
  const name = request.max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
  const asked = request[name];
  if (asked === undefined) return undefined;
  const sent = Math.min(asked, facts.max_output_tokens ?? asked);
  if (sent < asked) receipt.convert(name, asked, sent);
  return sent;
}

/** More than five, and empty ones, are refused. */
function toStops({ request: { stop }, receipt }: Call): readonly string[] | undefined {
  const given = typeof stop === "string" ? [stop] : stop ?? [];
  const sent = given.filter((text) => text !== "").slice(0, MAX_STOPS);
  if (sent.length < given.length) receipt.convert("stop");
  return sent.length > 0 ? sent : undefined;
}

const MAX_STOPS = 5;

/** A larger seed is folded into the 32 bits that the vendor has: the same one each time. */
function toSeed({ request: { seed }, receipt }: Call): number | undefined {
  if (seed === undefined) return undefined;
  const sent = seed | 0;
  if (sent !== seed) receipt.convert("seed");
  return sent;
}

/** The range ends before 2. */
function toPenalty(
  { receipt }: Call,
  name: "frequency_penalty" | "presence_penalty",
  value: unknown,
): number | undefined {
  if (typeof value !== "number") return undefined;
  if (value > MAX_PENALTY) receipt.convert(name, value, MAX_PENALTY);
  return Math.min(value, MAX_PENALTY);
}

const MAX_PENALTY = 1.99;

function toModalities({ request: { modalities }, receipt }: Call): readonly string[] | undefined {
  if (modalities === undefined) return undefined;
  const sent = modalities.filter((name) => name === "text" || name === "image");
  if (sent.length < modalities.length) receipt.ignore("modalities");
  if (!sent.includes("image")) return undefined;
  receipt.rename("modalities", "generationConfig.responseModalities");
  return sent.map((name) => name.toUpperCase());
}

function toJsonConfig({ request, receipt }: Call, { json, refs }: Plan): JsonObject {
  if (json.by !== "schema") return {};
  const wanted = wantedJson(request);
  const responseMimeType = "application/json";
  if (wanted?.schema === undefined) return { responseMimeType };
  const path = "response_format.json_schema.schema";
  const { schema, changed } = toGeminiSchema(json.schema, refs, path);
  if (changed) receipt.convert("response_format.json_schema");
  const { description } = wanted;
  return { responseMimeType, responseJsonSchema: present({ description, ...schema }) };
}

/** `extra_body.google`, as Google's own OpenAI layer takes it. */
function readExtra({ request: { extra_body: extra }, receipt }: Call): JsonObject {
  if (extra === undefined) return {};
  const google = isObject(extra) && isObject(extra.google) ? extra.google : {};
  const known = EXTRAS.filter((name) => google[name] !== undefined && google[name] !== null);
  if (known.length === 0 || known.length < Object.keys(google).length) receipt.ignore("extra_body");
  return Object.fromEntries(known.map((name) => [name, google[name]]));
}

const EXTRAS = ["thinking_config", "cached_content", "safety_settings"];

const MAX_NAME = 64;

/** https://ai.google.dev/api/caching#FunctionDeclaration (2026-11-20). */
function toName(name: string): string {
  const clean = name.replace(/[^\w.:-]/g, "_");
  return (/^[A-Za-z_]/.test(clean) ? clean : `_${clean}`).slice(0, MAX_NAME);
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError("invalid_value", `Invalid value for '${param}': ${message}`, { param });
}
