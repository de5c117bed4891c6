/** Tools and the choice among them: the parts that Anthropic's API and Bedrock's share. */

import { invalidValue } from "../../../core/invalid_value.ts";
import type { JsonObject } from "../../../chat/chat.ts";
import type { Call } from "../../contract/adapter.ts";
import { asObjectSchema, SchemaBudget, wantedJson } from "../json_schema.ts";
import { reduceSchema } from "../reduce_schema.ts";
import { withoutRootBranches } from "../schema_branches.ts";
import type { ConversionPlan } from "./conversion_plan.ts";
import { CLAUDE_SCHEMA, CLAUDE_SCHEMA_LIMITS } from "./models.ts";

/** How a model can be forced to call a tool: a tool by name, any tool, or not at all. */
export type ForcedChoice = "name" | "any" | "nothing";

/** A tool as it is sent, without the vendor's envelope. */
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
  { receipt }: Call,
  { tools }: ConversionPlan<unknown>,
  forcedChoice: ForcedChoice,
  schemas: boolean,
): SentTool[] {
  // A tool that cannot be forced by its name is sent as the only one.
  const only = forcedChoice === "name" ? undefined : tools.name;
  const budget = new SchemaBudget(CLAUDE_SCHEMA_LIMITS);
  return tools.tools
    .filter(({ definition }) => only === undefined || definition.name === only)
    .map(({ path, definition, cacheControl }) => {
      const { name, description, parameters, strict } = definition;
      const given = asObjectSchema(parameters);
      if (!given) throw invalidValue(`${path}.parameters`, "the type must be 'object'");
      const schema = withoutRootBranches(given);
      if (schema !== given) receipt.convert("tools.parameters");
      const reduced = strict && schemas ? reduceSchema(schema, CLAUDE_SCHEMA) : undefined;
      const exact = reduced && budget.take(reduced) ? reduced.schema : undefined;
      if (strict && !exact) receipt.ignore("tools.strict");
      if (exact && reduced?.changed) receipt.convert("tools.parameters");
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
  { request, receipt }: Call,
  { json, jsonKeys, jsonTool }: ConversionPlan<unknown>,
): SentTool | undefined {
  if (json.by !== "tool" || jsonTool === undefined) return undefined;
  const schema = withoutRootBranches(json.schema);
  if (schema !== json.schema || jsonKeys !== undefined) {
    receipt.convert("response_format.json_schema");
  }
  const description = wantedJson(request)?.description;
  return { name: jsonTool, description, schema, strict: false };
}

/** The tool that the model must or may call. */
export interface ToolChoice {
  readonly type: "auto" | "any" | "tool";
  /** The tool to call, for the type `tool`. */
  readonly name?: string;
  /** An instruction, for a choice that the model cannot be forced to. */
  readonly hint?: string;
}

/**
 * The choice among tools, of which the caller's request has at least one or needs {@linkcode
 * toJsonTool}.
 */
export function chooseTool(
  { request, receipt }: Call,
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
    receipt.convert(parameter, name === undefined ? "required" : "function", "auto");
    const hint = name ? `Answer by calling the tool '${name}'.` : "Answer by calling a tool.";
    return { type: "auto", hint };
  }
  const byName = forcedChoice === "name" && name !== undefined;
  return byName ? { type: "tool", name } : { type: "any" };
}

/** The schema of a tool that past turns call, and that must therefore be defined. */
export const PAST_TOOL_SCHEMA: JsonObject = { type: "object", properties: {} };
