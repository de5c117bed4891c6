/** Tools and JSON answers in Bedrock's Converse API. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Call } from "../contract/adapter.ts";
import { type BedrockModel, bedrockModel } from "./models.ts";
import { CLAUDE_SCHEMA, CLAUDE_SCHEMA_LIMITS } from "../shared/claude_models.ts";
import { asObjectSchema, type JsonRoute, routeJson } from "../shared/json_schema.ts";
import { SchemaBudget, sieveSchema, wantedJson } from "../shared/json_schema.ts";
import { withoutRootBranches } from "../shared/schema_branches.ts";
import { planTools, type ToolPlan, uniquely } from "../shared/turns.ts";

/** What both directions of one call have to agree on. */
export interface Plan {
  readonly model: BedrockModel;
  readonly tools: ToolPlan;
  /** The vendor's names of the caller's tools: those it accepts. */
  readonly names: ReadonlyMap<string, string>;
  readonly json: JsonRoute;
  /** The name of the tool that takes a JSON answer, where the route is one. */
  readonly jsonTool: string | undefined;
  /** Whether the caller allows no calls; the vendor has no word for it. */
  readonly muted: boolean;
}

/** The members of a request that come of tools and of `response_format`. */
export interface ToolFields {
  readonly toolConfig?: JsonObject | undefined;
  readonly outputConfig?: JsonObject | undefined;
  /** For `additionalModelRequestFields`. */
  readonly tool_choice?: JsonObject | undefined;
  /** Instructions for what has no field. */
  readonly hints: readonly string[];
  /** Whether the model is made to call a tool. */
  readonly forced: boolean;
}

/** What a call comes to before a word of it is converted. */
export function toPlan({ model: { base, facts }, request }: Call): Plan {
  const model = bedrockModel(base, facts);
  const tools = planTools(request);
  const rename = uniquely(toName);
  const names = new Map<string, string>();
  for (const { definition: { name } } of tools.tools) {
    if (!names.has(name)) names.set(name, rename(name));
  }
  const route = routeJson(wantedJson(request), {
    // https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html (2026-11-20):
    // the part of JSON Schema is the same for all models.
    rules: model.schemas ? CLAUDE_SCHEMA : undefined,
    limits: CLAUDE_SCHEMA_LIMITS,
    forcedChoice: model.forces !== "nothing",
  });
  // An answer that must be a call of the caller's own tool is no text that could be JSON.
  const called = tools.mode === "required" && route.by !== "schema";
  const json: JsonRoute = called ? { by: "nothing" } : route;
  const muted = tools.tools.length === 0 || tools.mode === "none";
  return {
    model,
    tools,
    names,
    json,
    jsonTool: json.by === "tool" ? rename("json") : undefined,
    muted,
  };
}

/**
 * Tools, the choice among them and the format of the answer, as far as the model has them.
 *
 * @param past the vendor's names of the tools that were called before, which must be defined
 */
export function toToolFields(call: Call, plan: Plan, past: readonly string[]): ToolFields {
  const { request, receipt } = call;
  const { json, jsonTool, model, muted } = plan;
  noteRenames(call, plan);
  const instructions = json.by === "instruction" ? [json.text] : [];
  const outputConfig = json.by === "schema" ? toOutputConfig(call, json.schema) : undefined;
  const common = { outputConfig, hints: instructions, forced: false };
  const sent = jsonTool !== undefined && muted ? [] : toTools(call, plan);
  if (jsonTool !== undefined && json.by === "tool") {
    const description = wantedJson(request)?.description;
    receipt.add("toolConfig.tools");
    const schema = withoutRootBranches(json.schema);
    if (schema !== json.schema) receipt.convert("response_format.json_schema");
    const inputSchema = { json: schema };
    sent.push(toSpec({ name: jsonTool, description, inputSchema }));
    const byName = muted && model.forces === "name";
    const choice: Choice = byName ? toNamed(jsonTool) : ANY;
    const chosen = withChoice(call, plan, sent, choice);
    if (chosen.tool_choice === undefined) receipt.add("toolConfig.toolChoice");
    return { ...common, ...chosen, forced: true };
  }
  if (muted) {
    if (past.length === 0) return common;
    // https://github.com/vercel/ai/pull/7537 (2025-07): past calls without definitions are refused.
    const empty = { json: { type: "object", properties: {} } };
    if (sent.length === 0) receipt.add("toolConfig.tools");
    const tools = sent.length > 0 ? sent : past.map((name) => toSpec({ name, inputSchema: empty }));
    return { ...common, toolConfig: { tools }, hints: [...instructions, NO_CALLS] };
  }
  const choice = toChoice(call, plan);
  const hints = choice.hint === undefined ? instructions : [...instructions, choice.hint];
  return { ...common, hints, ...withChoice(call, plan, sent, choice), forced: choice.forced };
}

/**
 * Names of tools, and ids of calls, in the characters that they may have:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html (2026-11-20).
 */
export function toName(name: string, fallback = "tool"): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME) || fallback;
}

/** The end of what is to be cached, which the vendor wants as a block of its own. */
export function toCachePoint(marker: unknown, { caches }: BedrockModel): JsonObject | undefined {
  if (!isObject(marker) || !caches) return undefined;
  return { cachePoint: { type: "default", ...(marker.ttl === "1h" && { ttl: "1h" }) } };
}

const MAX_NAME = 64;
const NO_CALLS = "Do not call any tool: answer in words.";

const JSON_BY = new Map([
  ["schema", "outputConfig.textFormat"],
  ["tool", "toolConfig.tools"],
  ["instruction", "system"],
]);

function noteRenames({ request, receipt }: Call, { json, tools }: Plan): void {
  if (request.functions) receipt.rename("functions", "toolConfig.tools");
  if (request.functions && request.function_call) {
    receipt.rename("function_call", "toolConfig.toolChoice");
  }
  const type = request.response_format?.type;
  if (json.by === "schema" && json.changed) receipt.convert("response_format.json_schema");
  if (json.by !== "nothing") receipt.rename("response_format", JSON_BY.get(json.by) ?? json.by);
  else if (type !== undefined && type !== "text") receipt.ignore("response_format");
  if (tools.mode === "none") receipt.convert("tool_choice");
}

function toOutputConfig({ request }: Call, schema: JsonObject): JsonObject {
  const { name = "", description } = request.response_format?.json_schema ?? {};
  const jsonSchema = {
    schema: JSON.stringify(schema),
    name: toName(name, "answer"),
    ...(description && { description }),
  };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

function toTools({ receipt }: Call, { model, tools, names }: Plan): JsonObject[] {
  // What can only be forced as some tool is forced as the only one.
  const only = model.forces === "name" ? undefined : tools.name;
  const limits = new SchemaBudget(CLAUDE_SCHEMA_LIMITS);
  return tools.tools
    .filter(({ definition }) => only === undefined || definition.name === only)
    .flatMap(({ path, definition, cacheControl }) => {
      const { name, description, parameters, strict } = definition;
      const given = asObjectSchema(parameters);
      if (!given) {
        const param = `${path}.parameters`;
        const message = `Invalid value for '${param}': the type must be 'object'`;
        throw new GatewayError("invalid_value", message, { param });
      }
      const schema = withoutRootBranches(given);
      if (schema !== given) receipt.convert("tools.parameters");
      const sieved = strict && model.schemas ? sieveSchema(schema, CLAUDE_SCHEMA) : undefined;
      const exact = sieved && limits.take(sieved) ? sieved.schema : undefined;
      if (strict && !exact) receipt.ignore("tools.strict");
      if (exact && sieved?.changed) receipt.convert("tools.parameters");
      const spec = toSpec({
        name: names.get(name) ?? toName(name),
        description,
        inputSchema: { json: exact ?? schema },
        strict: exact !== undefined,
      });
      const point = toCachePoint(cacheControl, model);
      return point === undefined ? [spec] : [spec, point];
    });
}

/** Tools and the choice among them, which Claude takes in its own words where one call is to come at a time. */
function withChoice(
  { request, receipt }: Call,
  { model }: Plan,
  tools: readonly JsonObject[],
  { value, claude }: Choice,
): Pick<ToolFields, "toolConfig" | "tool_choice"> {
  if (request.parallel_tool_calls !== false || model.claude === undefined) {
    return { toolConfig: { tools, ...(value && { toolChoice: value }) } };
  }
  receipt.rename("parallel_tool_calls", "tool_choice.disable_parallel_tool_use");
  return { toolConfig: { tools }, tool_choice: { ...claude, disable_parallel_tool_use: true } };
}

interface Spec {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly inputSchema: JsonObject;
  readonly strict?: boolean;
}

function toSpec({ name, description, inputSchema, strict = false }: Spec): JsonObject {
  return {
    toolSpec: {
      name,
      ...(description?.trim() && { description }),
      inputSchema,
      ...(strict && { strict }),
    },
  };
}

interface Choice {
  /** `toolChoice`; absent where the vendor's default is meant. */
  readonly value?: JsonObject;
  /** The same in Claude's own words, for what `toolChoice` cannot say. */
  readonly claude: JsonObject;
  readonly forced: boolean;
  readonly hint?: string;
}

const AUTO: Choice = { claude: { type: "auto" }, forced: false };
const ANY: Choice = { value: { any: {} }, claude: { type: "any" }, forced: true };

function toNamed(name: string): Choice {
  return { value: { tool: { name } }, claude: { type: "tool", name }, forced: true };
}

function toChoice({ request, receipt }: Call, { model, tools, names }: Plan): Choice {
  if (tools.mode !== "required") return AUTO;
  const name = tools.name === undefined ? undefined : names.get(tools.name);
  if (model.forces === "nothing") {
    const parameter = request.tools ? "tool_choice" : "function_call";
    receipt.convert(parameter, name === undefined ? "required" : "function", "auto");
    const hint = name ? `Answer by calling the tool '${name}'.` : "Answer by calling a tool.";
    return { ...AUTO, hint };
  }
  return name === undefined || model.forces === "any" ? ANY : toNamed(name);
}
