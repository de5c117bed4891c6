/** Tools and JSON answers in Bedrock's Converse API. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import type { Refusals } from "../../contract/refusals.ts";
import {
  chooseTool,
  type ConversionPlan,
  noteJsonFormat,
  PAST_TOOL_SCHEMA,
  planConversion,
  type SentTool,
  toJsonTool,
  type ToolChoice,
  toTools,
  toValidName,
} from "../shared/claude/tools.ts";
import { CLAUDE_PROPERTY_NAMES } from "../shared/claude/models.ts";
import { type BedrockModel, bedrockModel } from "./models.ts";
import type { Call, TargetModel } from "../../contract/vendor_request.ts";

/** The conversion plan for a call to the Converse API. */
export type ConversePlan = ConversionPlan<BedrockModel>;

/** The members of a request that tools and `response_format` determine. */
export interface ToolFields {
  readonly toolConfig?: JsonObject | undefined;
  readonly outputConfig?: JsonObject | undefined;
  /** For `additionalModelRequestFields`. */
  readonly tool_choice?: JsonObject | undefined;
  /** Instructions for features without a field. */
  readonly hints: readonly string[];
  /** Whether the model is forced to call a tool. */
  readonly forced: boolean;
}

/** Decides how a JSON answer is requested. */
export function toPlan(call: Call): ConversePlan {
  const { base, facts } = call.model;
  const model = bedrockModel(base, facts);
  // https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html (2026-11-20): the
  // supported subset of JSON Schema is the same for all models.
  const { schemas, forces } = model;
  const { propertyNames } = converseRefusals(call.model);
  return planConversion(call, model, {
    ...{ schemas, forcedChoice: forces !== "nothing" },
    propertyNames,
  });
}

/**
 * Names of tools, and IDs of calls, in characters:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html
 * (2026-11-20).
 */
export const MAX_NAME_LENGTH = 64;

const CONVERSE_REFUSALS: Refusals = {
  toolNames: { refused: /[^a-zA-Z0-9_-]/g, maxLength: MAX_NAME_LENGTH },
};
const CLAUDE_REFUSALS: Refusals = { ...CONVERSE_REFUSALS, propertyNames: CLAUDE_PROPERTY_NAMES };

/** The restrictions of a model in the Converse API. */
export function converseRefusals({ base, facts }: TargetModel): Refusals {
  return bedrockModel(base, facts).claude === undefined ? CONVERSE_REFUSALS : CLAUDE_REFUSALS;
}

/**
 * Tools, the choice among them and the format of the answer, as far as the model supports them.
 *
 * @param past the vendor's names of previously called tools, which must be defined
 */
export function toToolFields(
  call: Call,
  plan: ConversePlan,
  past: readonly string[],
): ToolFields {
  const { changes } = call;
  const { allowsCalls, json, jsonTool, model } = plan;
  noteToolFields(call, plan);
  const instructions = json.by === "instruction" ? [json.text] : [];
  const outputConfig = json.by === "schema" ? toOutputConfig(call, json.schema) : undefined;
  const common = { outputConfig, hints: instructions, forced: false };
  const isJsonToolOnly = jsonTool !== undefined && !allowsCalls;
  const tools = isJsonToolOnly ? [] : toTools(call, plan, model.forces, model.schemas);
  const sent = tools.flatMap((tool) => toDefinition(tool, model));
  const ownTool = toJsonTool(call, plan);
  if (ownTool !== undefined) {
    changes.add("toolConfig.tools");
    sent.push(...toDefinition(ownTool, model));
  } else if (!allowsCalls) {
    if (past.length === 0) return common;
    // https://github.com/vercel/ai/pull/7537 (2025-07): past calls without definitions are
    // rejected.
    if (sent.length === 0) changes.add("toolConfig.tools");
    const definitions = sent.length > 0 ? sent : past.map((name) => toSpec({ name }));
    return { ...common, toolConfig: { tools: definitions }, hints: [...instructions, NO_CALLS] };
  }
  const choice = chooseTool(call, plan, model.forces);
  const hints = choice.hint === undefined ? instructions : [...instructions, choice.hint];
  const fields = withChoice(call, plan, sent, choice);
  if (ownTool && fields.tool_choice === undefined) changes.add("toolConfig.toolChoice");
  return { ...common, hints, ...fields, forced: choice.type !== "auto" };
}

/** The end of the cached content, which is a separate block at this vendor. */
export function toCachePoint(marker: unknown, { caches }: BedrockModel): JsonObject | undefined {
  if (!isObject(marker) || !caches) return undefined;
  return { cachePoint: { type: "default", ...(marker.ttl === "1h" && { ttl: "1h" }) } };
}

const NO_CALLS = "Do not call any tool: answer in words.";

/** The field that requests a JSON answer. */
const JSON_FIELDS = {
  schema: "outputConfig.textFormat",
  tool: "toolConfig.tools",
  instruction: "system",
};

function noteToolFields(call: Call, plan: ConversePlan): void {
  const { request, changes } = call;
  if (request.functions) changes.rename("functions", "toolConfig.tools");
  if (request.functions && request.function_call) {
    changes.rename("function_call", "toolConfig.toolChoice");
  }
  noteJsonFormat(call, plan, JSON_FIELDS);
  if (plan.tools.mode === "none") changes.convert("tool_choice");
}

function toOutputConfig({ request }: Call, schema: JsonObject): JsonObject {
  const { name = "", description } = request.response_format?.json_schema ?? {};
  const jsonSchema = {
    schema: JSON.stringify(schema),
    name: toValidName(name, MAX_NAME_LENGTH, "answer"),
    ...(description && { description }),
  };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

/** A tool, followed by a cache point if the caller set one there. */
function toDefinition(tool: SentTool, model: BedrockModel): JsonObject[] {
  const { name, description, schema, strict, cacheControl } = tool;
  const spec = toSpec({ name, description, schema, strict });
  const point = toCachePoint(cacheControl, model);
  return point === undefined ? [spec] : [spec, point];
}

/**
 * Tools and the choice among them; Claude's own `tool_choice` where it must call one tool at a
 * time, which `toolConfig` cannot express.
 */
function withChoice(
  { request, changes }: Call,
  { model }: ConversePlan,
  tools: readonly JsonObject[],
  { type, name }: ToolChoice,
): Pick<ToolFields, "toolConfig" | "tool_choice"> {
  if (request.parallel_tool_calls === false && model.claude !== undefined) {
    changes.rename("parallel_tool_calls", "tool_choice.disable_parallel_tool_use");
    const choice = { type, ...(name && { name }), disable_parallel_tool_use: true };
    return { toolConfig: { tools }, tool_choice: choice };
  }
  // Auto is the vendor's default.
  if (type === "auto") return { toolConfig: { tools } };
  return { toolConfig: { tools, toolChoice: name ? { tool: { name } } : { any: {} } } };
}

function toSpec(
  { name, description, schema = PAST_TOOL_SCHEMA, strict = false }:
    & Pick<SentTool, "name">
    & Partial<SentTool>,
): JsonObject {
  return {
    toolSpec: {
      name,
      ...(description?.trim() && { description }),
      inputSchema: { json: schema },
      ...(strict && { strict }),
    },
  };
}
