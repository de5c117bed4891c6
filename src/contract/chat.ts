/**
 * The internal model: OpenAI's chat completion request, completion and chunk.
 *
 * Requests are validated strictly, because callers can correct them. Answers are plain types,
 * because vendor answers are not validated. The types follow OpenAI's API reference
 * (https://platform.openai.com/docs/api-reference/chat, 2026-11).
 */

import * as z from "zod";
import { isObject, type JsonObject } from "../core/json/object.ts";
import type { UNITS, Units } from "../core/units.ts";
import { content, type contentPart, type filePart, vendorType } from "./content.ts";
import { listOf, mapOf } from "./first_fault.ts";

/** OpenAI's values, weakest first. */
export const REASONING_EFFORTS = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const;

export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/**
 * Accepts any value, because some vendors define more. `prepare_request.ts` removes these for
 * adapters that convert efforts, so that such adapters see only OpenAI's values.
 */
const reasoningEffort = z.custom<ReasoningEffort>(
  (value) => typeof value === "string" && value !== "",
  { error: "must be a string" },
).meta({ type: "string" });

/** All known parameters, in the order of printed tables. */
export const PARAMETERS = [
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "n",
  "stop",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "response_format",
  "reasoning_effort",
  "verbosity",
  "user",
  "metadata",
  "store",
  "service_tier",
  "prediction",
  "modalities",
  "audio",
] as const satisfies readonly (keyof ChatRequest)[];

export type Parameter = (typeof PARAMETERS)[number];

export { isObject, type JsonObject } from "../core/json/object.ts";

const functionCall = z.looseObject({ name: z.string(), arguments: z.string() });
const typedCall = z.discriminatedUnion("type", [
  z.looseObject({
    id: z.string(),
    type: z.literal("function"),
    function: functionCall,
  }),
  z.looseObject({
    id: z.string(),
    type: z.literal("custom"),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
]);
/** Several clients omit the type. */
const toolCall = z.preprocess(
  (call) => isObject(call) && call.type == null ? { ...call, type: typeOf(call) } : call,
  typedCall,
);

const name = z.string().nullish();
const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content, name }),
  z.looseObject({ role: z.literal("developer"), content, name }),
  z.looseObject({ role: z.literal("user"), content, name }),
  z.looseObject({
    role: z.literal("assistant"),
    content: content.nullish(),
    name,
    refusal: z.string().nullish(),
    tool_calls: listOf(toolCall).nullish(),
    function_call: functionCall.nullish(),
  }).refine((turn) => hasContent(turn), {
    path: ["content"],
    error: "is required unless the message has tool_calls",
  }),
  z.looseObject({
    role: z.literal("tool"),
    content,
    tool_call_id: z.string(),
    name,
  }),
  z.looseObject({
    role: z.literal("function"),
    content: content.nullable(),
    name: z.string(),
  }),
]);

const functionDefinition = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
});
const tool = z.union([
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("function"), function: functionDefinition }),
    z.looseObject({
      type: z.literal("custom"),
      custom: z.looseObject({ name: z.string().min(1) }),
    }),
  ]),
  // A tool that the vendor runs.
  z.looseObject({ type: vendorType(new Set(["function", "custom"])) }),
]);
const toolChoice = z.union([
  // Several vendors call it "any".
  z.enum(["none", "auto", "required", "any"]).transform((word) =>
    word === "any" ? "required" : word
  ),
  z.discriminatedUnion("type", [
    z.looseObject({
      type: z.literal("function"),
      function: z.looseObject({ name: z.string().min(1) }),
    }),
    z.looseObject({
      type: z.literal("custom"),
      custom: z.looseObject({ name: z.string().min(1) }),
    }),
    z.looseObject({
      type: z.literal("allowed_tools"),
      allowed_tools: z.looseObject({
        mode: z.enum(["auto", "required"]),
        tools: listOf(z.looseObject({ type: z.string() })),
      }),
    }),
  ]),
]);

const responseFormat = z.looseObject({
  type: z.string(),
  json_schema: z.looseObject({
    name: z.string().min(1),
    description: z.string().nullish(),
    schema: z.looseObject({}).nullish(),
    strict: z.boolean().nullish(),
  }).nullish(),
}).refine(
  (format) => format.type !== "json_schema" || format.json_schema != null,
  {
    path: ["json_schema"],
    error: "is required when type is 'json_schema'",
  },
);

const tokens = z.int().min(1);

/** The maximum number of entries of `models`, each of which is a further target. */
const MAX_MODELS = 16;

/** The body of `POST /v1/chat/completions`. Unknown members are kept. */
export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: listOf(message, { min: 1 }),
  // An extension of the gateway: fallback models. Never forwarded.
  models: listOf(z.string().min(1), { max: MAX_MODELS }).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({
    include_usage: z.boolean().nullish(),
    include_obfuscation: z.boolean().nullish(),
    // An extension of the gateway: the cost in the last chunk. Never forwarded.
    include_cost: z.boolean().nullish(),
  }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: tokens.nullish(),
  max_completion_tokens: tokens.nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  stop: z.union([z.string(), listOf(z.string())]).nullish(),
  tools: listOf(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: listOf(functionDefinition).nullish(),
  function_call: z.union([
    z.enum(["none", "auto"]),
    z.looseObject({ name: z.string().min(1) }),
  ])
    .nullish(),
  response_format: responseFormat.nullish(),
  // 64-bit seeds are valid. They are stored as text, since a number would lose digits.
  seed: z.unknown()
    .refine((seed) => seed == null || typeof seed === "number", {
      error: "must be a number",
    })
    .refine((seed) => seed == null || Number.isInteger(seed), {
      error: "must be an integer",
    })
    .optional(),
  user: z.string().nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  logit_bias: mapOf(z.number().min(-100).max(100)).nullish(),
  reasoning_effort: reasoningEffort.nullish(),
  verbosity: z.string().nullish(),
  metadata: mapOf(z.string()).nullish(),
  store: z.boolean().nullish(),
  service_tier: z.string().nullish(),
  prediction: z.looseObject({}).nullish(),
  modalities: listOf(z.string()).nullish(),
  audio: z.looseObject({}).nullish(),
});

/** A checked request. Optional members that were null are absent. */
export type ChatRequest = WithoutNulls<z.infer<typeof chatRequestSchema>>;
type WithoutNulls<Object> = { [Name in keyof Object]: Exclude<Object[Name], null> };
export type Message = ChatRequest["messages"][number];
export type AssistantTurn = Extract<Message, { role: "assistant" }>;
export type Content = z.infer<typeof content>;
export type ContentPart = z.infer<typeof contentPart>;
export type FilePart = z.infer<typeof filePart>;
export type ToolCall = z.infer<typeof toolCall>;
export type Tool = z.infer<typeof tool>;
/** A tool that the vendor runs, such as web search. */
export type ServerTool = Exclude<Tool, { type: "function" } | { type: "custom" }>;
export type FunctionDefinition = z.infer<typeof functionDefinition>;
export type ToolChoice = z.infer<typeof toolChoice>;

/** OpenAI's four finish reasons. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** Token counts as OpenAI names them; `completion_tokens` includes reasoning. */
export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: JsonObject;
  completion_tokens_details?: JsonObject;
  /** Billing units other than tokens, such as images. */
  [UNITS]?: Units | undefined;
  [extra: string]: unknown;
}

/** The assistant's message in an answer that is not streamed. */
export interface AnswerMessage {
  role: "assistant";
  content: string | null;
  refusal?: string | null;
  reasoning_content?: string;
  reasoning_details?: unknown[];
  tool_calls?: AnswerToolCall[];
  [extra: string]: unknown;
}

export interface AnswerFunctionCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  [extra: string]: unknown;
}

export interface AnswerCustomCall {
  id: string;
  type: "custom";
  custom: { name: string; input: string };
  [extra: string]: unknown;
}

export type AnswerToolCall = AnswerFunctionCall | AnswerCustomCall;

export interface Choice {
  index: number;
  message: AnswerMessage;
  logprobs?: unknown;
  finish_reason: FinishReason;
  [extra: string]: unknown;
}

/** A completion before the gateway adds a missing `id`, `object`, `created` and `model`. */
export interface CompletionBody {
  id?: string | undefined;
  created?: number | undefined;
  model?: string | undefined;
  choices: Choice[];
  usage?: Usage | undefined;
  [extra: string]: unknown;
}

/** A piece of a tool call in a stream. Only the first piece has the ID, type and name. */
export interface ToolCallDelta {
  index: number;
  id?: string;
  type?: "function" | "custom";
  function?: { name?: string; arguments?: string };
  custom?: { name?: string; input?: string };
  [extra: string]: unknown;
}

export interface Delta {
  role?: "assistant";
  content?: string | null;
  refusal?: string | null;
  reasoning_content?: string;
  reasoning_details?: unknown[];
  tool_calls?: ToolCallDelta[];
  [extra: string]: unknown;
}

export interface ChunkChoice {
  index: number;
  delta: Delta;
  logprobs?: unknown;
  finish_reason?: FinishReason | null;
  [extra: string]: unknown;
}

/** A chunk before the gateway adds the envelope and orders its members. */
export interface ChunkBody {
  id?: string | undefined;
  created?: number | undefined;
  model?: string | undefined;
  choices: ChunkChoice[];
  usage?: Usage | null | undefined;
  [extra: string]: unknown;
}

/** Whether the vendor runs a tool, which is then neither a function nor a custom tool. */
export function isServerTool(tool: Tool): tool is ServerTool {
  return tool.type !== "function" && tool.type !== "custom";
}

/** The text of a message's content. Parts without text are skipped. */
export function textOf(value: Content | null | undefined): string {
  if (value == null) return "";
  if (typeof value === "string") return value;
  return value.map((part) =>
    part.type === "text" ? part.text : part.type === "refusal" ? part.refusal : ""
  ).join("");
}

function typeOf({ custom, function: fn }: JsonObject): string {
  return isObject(custom) && fn === undefined ? "custom" : "function";
}

function hasContent(turn: JsonObject): boolean {
  return turn.content != null || turn.refusal != null ||
    turn.function_call != null ||
    turn.audio != null ||
    (Array.isArray(turn.tool_calls) && turn.tool_calls.length > 0);
}
