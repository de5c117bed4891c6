import type { ChatRequest } from "../../../contract/chat.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { effortFor, nearestOf, withinRange } from "../rewrites.ts";
import { hintAt, PROMPT_CACHE_KEY, SESSION_NOTE } from "../../shared/session_hints.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import {
  converted,
  ignored,
  nativeAs,
  nativeOnly,
  refused,
  renamed,
  type Support,
} from "../../../contract/support.ts";
import { mapSubschemas } from "../../shared/inline_refs.ts";
import { asObjectSchema } from "../../shared/json_schema.ts";
import type { Call, TargetModel } from "../../../contract/vendor_request.ts";

// Converts JSON Schema to the subset that Moonshot accepts for tools. Any other schema fails the
// request with "not a valid moonshot flavored json schema"
// (https://github.com/MoonshotAI/kimi-code/issues/2661, 2026-08-05;
// https://github.com/openclaw/openclaw/issues/113130, 2026-07-23).

/**
 * Converts the schema of a tool's parameters. A root other than an object is left to the vendor to
 * reject.
 *
 * @param onLoss called when a keyword is omitted or moved
 */
function toMoonshotSchema(schema: JsonObject, onLoss: () => void): JsonObject {
  const { $schema: dialect, ...plain } = asObjectSchema(schema) ?? schema;
  if (dialect !== undefined) onLoss();
  const adapt = (inner: JsonObject): JsonObject => {
    const flat = withPlainItems(inner);
    const typed = withType(flat);
    const branched = withTypedBranches(typed);
    if (flat !== inner || branched !== typed) onLoss();
    return mapSubschemas(branched, adapt);
  };
  return adapt(plain);
}

/** Schemas by position are not supported: each item may match any of them. */
function withPlainItems(given: JsonObject): JsonObject {
  const { prefixItems, ...schema } = given;
  if (!Array.isArray(prefixItems)) return prefixItems === undefined ? given : schema;
  const rest = isObject(schema.items) ? [schema.items] : [];
  return { ...schema, items: { anyOf: [...prefixItems, ...rest] } };
}

/** Every schema must have a type, even if its other keywords imply it. */
function withType(schema: JsonObject): JsonObject {
  if (SAYS_ITS_KIND.some((keyword) => keyword in schema)) return schema;
  if (isObject(schema.properties)) return { type: "object", ...schema };
  if (schema.items !== undefined) return { type: "array", ...schema };
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  const texts = values.length > 0 && values.every((value) => typeof value === "string");
  return texts ? { type: "string", ...schema } : schema;
}

const SAYS_ITS_KIND = ["type", "$ref", "anyOf", "oneOf", "allOf"];

/** The type must be in the branches, not next to them. */
function withTypedBranches(schema: JsonObject): JsonObject {
  const { type, anyOf, ...rest } = schema;
  if (type === undefined || !Array.isArray(anyOf)) return schema;
  const branches = anyOf.map((branch: unknown) =>
    isObject(branch) && !SAYS_ITS_KIND.some((keyword) => keyword in branch)
      ? { type, ...branch }
      : branch
  );
  return { ...rest, anyOf: branches };
}

/** Moonshot's Kimi (https://platform.moonshot.ai/docs, 2026-08). */
export const moonshot = openAiCompatible(dialectOf({
  kind: "moonshot",
  baseUrl: "https://api.moonshot.ai/v1",
  messagesApi: { path: "/anthropic/v1/messages", byDefault: false },
  tokenLimit: "max_completion_tokens",
  ranges: { n: [1, 5] },
  stops: 5,
  parameters: {
    ...lacks("no such field", "seed", "logprobs", "top_logprobs", "logit_bias"),
    ...lacks("no such field", "parallel_tool_calls"),
    temperature: nativeAs("moonshot-v1 only, 0 to 1"),
    n: nativeAs("moonshot-v1 only, at most 5"),
    tool_choice: nativeAs("required, and any forced choice while thinking, becomes auto"),
    reasoning_effort: converted("low, high or max, or thinking on or off, by model"),
    user: renamed("safety_identifier"),
  },
  adds: {
    [PROMPT_CACHE_KEY]: SESSION_NOTE,
    "messages.reasoning_content": "a space for past calls without reasoning",
  },
  content: {
    input_audio: refused("no audio input"),
    file: refused("no files"),
    video_url: nativeAs("as data, or by the vendor's ms: URL"),
    server_tool: nativeOnly(/^builtin_function$/, "builtin_function"),
  },
  alsoTakes: ["prompt_cache_key", "safety_identifier"],
  sessionHint: hintAt(/^(?:.+\.)?moonshot\.(?:ai|cn)$/, { member: PROMPT_CACHE_KEY }),
  imageDataOnly: true,
  strictTools: false,
  // https://github.com/AstrBotDevs/AstrBot/issues/7200 (2026-03-30).
  emptyTurns: false,
  replays: "reasoning_content",
  errorCodes: {
    exceeded_current_quota_error: "quota",
    engine_overloaded_error: "upstream_unavailable",
  },
  supportFor,
  rewrites: [
    ...[withThinking, withFreeChoice, withPastTurns, withPlainTools, withPlainSchema],
    withGreedyChoice,
  ],
  usage: takeUsage,
}));

const FIXED = ignored("fixed by the platform");

function supportFor(_: ChatRequest, { base }: TargetModel): Record<string, Support> {
  if (!isKimi(base)) return { reasoning_effort: ignored("the model does not reason") };
  return {
    ...{ temperature: FIXED, top_p: FIXED, n: FIXED },
    ...{ frequency_penalty: FIXED, presence_penalty: FIXED },
  };
}

function isKimi(base: string): boolean {
  return base.startsWith("kimi-");
}

const K3 = /^kimi-k3/;
/** Models whose thinking can be disabled; all other Kimi models always think. */
const SWITCHED = /^kimi-k2\.[56]/;
const EFFORTS = { ...nearestOf("low", "high", "max"), medium: "high", xhigh: "max" };

function withThinking(body: JsonObject, call: Call): JsonObject {
  const { model, changes } = call;
  const requested = effortFor(call);
  if (requested === undefined) return body;
  if (K3.test(model.base)) {
    const effort = EFFORTS[requested];
    if (effort !== requested) changes.convert("reasoning_effort", requested, effort);
    return { ...body, reasoning_effort: effort };
  }
  if (!SWITCHED.test(model.base)) {
    changes.ignore("reasoning_effort");
    return body;
  }
  changes.rename("reasoning_effort", "thinking");
  return { ...body, thinking: { type: requested === "none" ? "disabled" : "enabled" } };
}

function thinks(body: JsonObject, { model }: Call): boolean {
  if (!isKimi(model.base)) return false;
  return !(isObject(body.thinking) && body.thinking.type === "disabled");
}

/** https://platform.moonshot.ai/docs/guide/migrating-from-openai-to-kimi (2026-08). */
function withFreeChoice(body: JsonObject, call: Call): JsonObject {
  const { tool_choice: choice } = body;
  const named = isObject(choice);
  if (choice !== "required" && !(named && thinks(body, call))) return body;
  call.changes.convert("tool_choice", named ? "function" : "required", "auto");
  return { ...body, tool_choice: "auto" };
}

/** Empty texts are rejected. Thinking models require reasoning in every message with calls. */
function withPastTurns(body: JsonObject, call: Call): JsonObject {
  const thinking = thinks(body, call);
  const messages = (body.messages as readonly JsonObject[]).map((turn) => {
    if (turn.tool_calls === undefined) return turn;
    if (thinking && !("reasoning_content" in turn)) call.changes.add("messages.reasoning_content");
    const content = turn.content === "" ? null : turn.content;
    return { ...(thinking && { reasoning_content: " " }), ...turn, content };
  });
  return { ...body, messages };
}

function withPlainTools(body: JsonObject, { changes }: Call): JsonObject {
  if (!Array.isArray(body.tools)) return body;
  const note = () => changes.convert("tools.parameters");
  const tools = body.tools.map((tool: JsonObject) => {
    const fn = isObject(tool.function) ? tool.function : {};
    if (!isObject(fn.parameters)) return tool;
    return { ...tool, function: { ...fn, parameters: toMoonshotSchema(fn.parameters, note) } };
  });
  return { ...body, tools };
}

function withPlainSchema(body: JsonObject, { changes }: Call): JsonObject {
  const format = body.response_format;
  const jsonSchema = isObject(format) && isObject(format.json_schema)
    ? format.json_schema
    : undefined;
  if (!isObject(jsonSchema?.schema) || !("$schema" in jsonSchema.schema)) return body;
  const { $schema: _, ...schema } = jsonSchema.schema;
  changes.convert("response_format.json_schema");
  const json_schema = { ...jsonSchema, schema };
  return { ...body, response_format: { ...format as JsonObject, json_schema } };
}

/** The maximum temperature is 1. Several choices need a temperature above 0. */
function withGreedyChoice(body: JsonObject, call: Call): JsonObject {
  const warm = withinRange("temperature", [0, 1])(body, call);
  if (typeof warm.n !== "number" || warm.n === 1 || warm.temperature !== 0) return warm;
  call.changes.convert("n", warm.n, 1);
  return { ...warm, n: 1 };
}

/** Streams contain the usage in the last choice. */
function takeUsage({ usage, choices }: JsonObject): unknown {
  let found = usage;
  for (const choice of Array.isArray(choices) ? choices.filter(isObject) : []) {
    found ??= choice.usage;
    delete choice.usage;
  }
  return found;
}
