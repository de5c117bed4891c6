/**
 * The decisions that the request and the answer of one call share, for Anthropic's Messages API and
 * Bedrock's Converse API: the names of tools, and how a JSON answer is requested.
 */

import type { NameRule } from "../../contract/refusals.ts";
import { type JsonRoute, routeJson, wantedJson } from "../json_schema.ts";
import { type PlannedCall, planTools, type ToolPlan } from "../tool_plan.ts";
import { type KeyNames, originalKeys, renameProperties } from "../refusals/property_names.ts";
import { uniquely } from "../unique_names.ts";
import { CLAUDE_SCHEMA, CLAUDE_SCHEMA_LIMITS } from "./models.ts";

/** The decisions of one call that the request and the answer share. */
export interface ConversionPlan<Model> {
  readonly model: Model;
  readonly tools: ToolPlan;
  readonly json: JsonRoute;
  /** The name of the tool for a JSON answer, if `json` is such a tool. */
  readonly jsonTool: string | undefined;
  /** The caller's keys of the answer, if the tool for it has other names. */
  readonly jsonKeys: KeyNames | undefined;
  /** Whether the caller has tools and does not forbid their use. */
  readonly allowsCalls: boolean;
}

/** The features of the vendor and the model that a plan depends on. */
export interface PlanRules {
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
 * @throws {GatewayError} for tools that the vendor does not have, and a choice of an unknown tool.
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
  // If the model must call a tool of the caller's, the answer has no text that could be JSON.
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

/** A name that no tool of the caller's has. */
function toJsonToolName({ tools }: ToolPlan): string {
  const unique = uniquely((name) => name);
  for (const { definition } of tools) unique(definition.name);
  return unique("json");
}

/**
 * An ID of a call, or a name of a schema, with `_` for each character that the vendor refuses.
 *
 * @param maxLength in characters
 * @param fallback the name if nothing is left
 */
export function toValidName(name: string, maxLength: number, fallback = "tool"): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxLength) || fallback;
}

/** The vendor's field for each way to request a JSON answer. */
export interface JsonFields {
  readonly schema: string;
  readonly tool: string;
  readonly instruction: string;
}

/** Records in the receipt what `response_format` became. */
export function noteJsonFormat(
  { request, receipt }: PlannedCall,
  { json }: Pick<ConversionPlan<unknown>, "json">,
  fields: JsonFields,
): void {
  const type = request.response_format?.type;
  if (json.by === "schema" && json.changed) receipt.convert("response_format.json_schema");
  if (json.by !== "nothing") receipt.rename("response_format", fields[json.by]);
  else if (type !== undefined && type !== "text") receipt.ignore("response_format");
}
