/**
 * Tools and tool choice, and the decisions that a request and its answer share, for Anthropic's API
 * and Bedrock's.
 */

import type { JsonObject } from "../../../core/json/object.ts";
import {
  asObjectSchema,
  type JsonRoute,
  reduceSchema,
  routeJson,
  SchemaBudget,
  wantedJson,
} from "../json_schema.ts";
import { withoutRootBranches } from "../schema_branches.ts";
import { CLAUDE_SCHEMA, CLAUDE_SCHEMA_LIMITS } from "./models.ts";
import type { NameRule } from "../../../contract/refusals.ts";
import { type PlannedCall, planTools, type ToolPlan } from "../tool_plan.ts";
import { type KeyNames, originalKeys, renameProperties } from "../refusals/names.ts";
import type { Call } from "../../../contract/vendor_request.ts";
import { invalidValue } from "../../../core/errors.ts";
import { uniquely } from "../../../core/collections.ts";

/** How a model can be forced to call a tool: a tool by name, any tool, or not at all. */
export type ForcedChoice = "name" | "any" | "nothing";

/** A tool to be sent, without the vendor's envelope. */
export interface SentTool {
  readonly name: string;
  readonly description: string | null | undefined;
  readonly schema: JsonObject;
  /** Whether the model must follow the schema. */
  readonly strict: boolean;
  /** The caller's cache marker, unchecked. */
  readonly cacheControl?: unknown;
}

/**
 * The caller's tools.
 *
 * @param schemas whether the model supports strict tools
 * @throws {GatewayError} `invalid_value` for parameters that are not an object.
 */
export function toTools(
  { changes }: Call,
  { tools }: ConversionPlan<unknown>,
  forcedChoice: ForcedChoice,
  schemas: boolean,
): SentTool[] {
  // A tool that cannot be forced by name is sent as the only one.
  const only = forcedChoice === "name" ? undefined : tools.name;
  const budget = new SchemaBudget(CLAUDE_SCHEMA_LIMITS);
  return tools.tools
    .filter(({ definition }) => only === undefined || definition.name === only)
    .map(({ path, definition, cacheControl }) => {
      const { name, description, parameters, strict } = definition;
      const given = asObjectSchema(parameters);
      if (!given) throw invalidValue(`${path}.parameters`, "the type must be 'object'");
      const schema = withoutRootBranches(given);
      if (schema !== given) changes.convert("tools.parameters");
      const reduced = strict && schemas ? reduceSchema(schema, CLAUDE_SCHEMA) : undefined;
      const exact = reduced && budget.take(reduced) ? reduced.schema : undefined;
      if (strict && !exact) changes.ignore("tools.strict");
      if (exact && reduced?.changed) changes.convert("tools.parameters");
      return {
        name,
        description,
        schema: exact ?? schema,
        strict: exact !== undefined,
        cacheControl,
      };
    });
}

/** The tool for a JSON answer; undefined if JSON is requested in another way. */
export function toJsonTool(
  { request, changes }: Call,
  { json, jsonKeys, jsonTool }: ConversionPlan<unknown>,
): SentTool | undefined {
  if (json.by !== "tool" || jsonTool === undefined) return undefined;
  const schema = withoutRootBranches(json.schema);
  if (schema !== json.schema || jsonKeys !== undefined) {
    changes.convert("response_format.json_schema");
  }
  const description = wantedJson(request)?.description;
  return { name: jsonTool, description, schema, strict: false };
}

/** The tool that the model must or may call. */
export interface ToolChoice {
  readonly type: "auto" | "any" | "tool";
  /** The tool to call, for the type `tool`. */
  readonly name?: string;
  /** An instruction, for a choice that the model cannot be forced to make. */
  readonly hint?: string;
}

/** The tool choice, for a request that has at least one tool or needs {@linkcode toJsonTool}. */
export function chooseTool(
  { request, changes }: Call,
  { allowsCalls, jsonTool, tools: { mode, name } }: ConversionPlan<unknown>,
  forcedChoice: ForcedChoice,
): ToolChoice {
  if (jsonTool !== undefined) {
    const isOnly = !allowsCalls && forcedChoice === "name";
    return isOnly ? { type: "tool", name: jsonTool } : { type: "any" };
  }
  if (mode !== "required") return { type: "auto" };
  if (forcedChoice === "nothing") {
    const parameter = request.tools ? "tool_choice" : "function_call";
    changes.convert(parameter, name === undefined ? "required" : "function", "auto");
    const hint = name ? `Answer by calling the tool '${name}'.` : "Answer by calling a tool.";
    return { type: "auto", hint };
  }
  const byName = forcedChoice === "name" && name !== undefined;
  return byName ? { type: "tool", name } : { type: "any" };
}

/** The schema of a tool that past turns call and that must therefore be defined. */
export const PAST_TOOL_SCHEMA: JsonObject = { type: "object", properties: {} };

// The decisions that the request and the answer of one call share, for Anthropic's Messages API and
// Bedrock's Converse API: the names of tools, and how a JSON answer is requested.

/** The decisions about one call that its request and its answer share. */
export interface ConversionPlan<Model> {
  readonly model: Model;
  readonly tools: ToolPlan;
  readonly json: JsonRoute;
  /** The name of the tool for a JSON answer, if `json` is such a tool. */
  readonly jsonTool: string | undefined;
  /** The caller's keys of the answer, if the tool for it has other names. */
  readonly jsonKeys: KeyNames | undefined;
  /** Whether the caller defines tools and does not forbid their use. */
  readonly allowsCalls: boolean;
}

/** The features of the vendor and the model that determine a plan. */
interface PlanRules {
  /** Whether the model supports JSON schemas for answers. */
  readonly schemas: boolean;
  /** Whether the model can be forced to call a tool. */
  readonly forcedChoice: boolean;
  /** The names of properties that tools may have. */
  readonly propertyNames: NameRule | undefined;
}

/**
 * Decides how a JSON answer is requested.
 *
 * @throws {GatewayError} for tools that the vendor does not support, and for a choice of an unknown
 * tool.
 */
export function planConversion<Model>(
  call: PlannedCall,
  model: Model,
  { schemas, forcedChoice, propertyNames }: PlanRules,
): ConversionPlan<Model> {
  const tools = planTools(call);
  const route = routeJson(wantedJson(call.request), {
    rules: schemas ? CLAUDE_SCHEMA : undefined,
    limits: CLAUDE_SCHEMA_LIMITS,
    forcedChoice,
  });
  // If the model must call one of the caller's tools, the answer has no text that could be JSON.
  const mustCall = tools.mode === "required" && route.by !== "schema";
  const json: JsonRoute = mustCall ? { by: "nothing" } : route;
  const allowsCalls = tools.tools.length > 0 && tools.mode !== "none";
  const plan = { model, tools, json, allowsCalls };
  if (json.by !== "tool") return { ...plan, jsonTool: undefined, jsonKeys: undefined };
  const renamed = propertyNames && renameProperties(json.schema, propertyNames);
  return {
    ...plan,
    json: renamed === undefined ? json : { by: "tool", schema: renamed.schema },
    jsonTool: toJsonToolName(tools),
    jsonKeys: renamed && originalKeys(renamed),
  };
}

/** A name that none of the caller's tools has. */
function toJsonToolName({ tools }: ToolPlan): string {
  const unique = uniquely((name) => name);
  for (const { definition } of tools) unique(definition.name);
  return unique("json");
}

/**
 * A call ID or schema name, with `_` for each character that the vendor rejects.
 *
 * @param maxLength in characters
 * @param fallback the name if nothing is left
 */
export function toValidName(name: string, maxLength: number, fallback = "tool"): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxLength) || fallback;
}

/** The vendor's field for each way to request a JSON answer. */
interface JsonFields {
  readonly schema: string;
  readonly tool: string;
  readonly instruction: string;
}

/** Records the conversion of `response_format` in the receipt. */
export function noteJsonFormat(
  { request, changes }: PlannedCall,
  { json }: Pick<ConversionPlan<unknown>, "json">,
  fields: JsonFields,
): void {
  const type = request.response_format?.type;
  if (json.by === "schema" && json.changed) changes.convert("response_format.json_schema");
  if (json.by !== "nothing") changes.rename("response_format", fields[json.by]);
  else if (type !== undefined && type !== "text") changes.ignore("response_format");
}
