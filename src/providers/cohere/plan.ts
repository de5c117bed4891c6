/**
 * The plan for a call to Cohere, for its request and its answer: tools, and how JSON is requested.
 */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Refusals } from "../../contract/refusals.ts";
import type { ModelFacts } from "../../contract/model_facts.ts";
import { mapSubschemas } from "../shared/inline_refs.ts";
import {
  asObjectSchema,
  reduceSchema,
  routeJson,
  type SchemaRules,
  wantedJson,
} from "../shared/json_schema.ts";
import { mentionsJson } from "../shared/messages.ts";
import { planTools, type ToolPlan } from "../shared/tool_plan.ts";
import { present, toText } from "../../core/json/values.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** How the answer becomes JSON; `hint` is the instruction for the prompt. */
export type JsonMode =
  | {
    readonly by: "format";
    readonly format: JsonObject;
    readonly hint?: string | undefined;
    /** Whether keywords of the schema are omitted or only part of the instruction. */
    readonly changed?: boolean;
  }
  | { readonly by: "instruction"; readonly hint: string }
  | { readonly by: "nothing"; readonly hint?: undefined };

export interface ConversionPlan {
  readonly tools: ToolPlan;
  /**
   * Whether the tools are sent. With choice `none` some requests are only possible without them.
   */
  readonly sendsTools: boolean;
  /** Whether the answer may have only one call. */
  readonly single: boolean;
  readonly json: JsonMode;
}

/** Whether a model thinks; others reject the field. */
export function thinks(base: string, { capabilities }: ModelFacts): boolean {
  return capabilities?.reasoning ?? /reasoning|^command-a-plus/.test(base);
}

/** Whether a model accepts `tool_choice`: those since command-r7b-12-2024 do. */
export function hasToolChoice(base: string): boolean {
  return !/^command(-light|-nightly|-r|-r-plus)?(-\d\d-2024)?$/.test(base);
}

/** Creates the plan from the tools and the format of a request. */
export function toConversionPlan(call: Call): ConversionPlan {
  const { request, model } = call;
  const tools = planTools(call);
  const idle = tools.mode === "none" && (wantedJson(request) || !hasToolChoice(model.base));
  const sendsTools = tools.tools.length > 0 && !idle;
  const single = sendsTools && tools.mode !== "none" && request.parallel_tool_calls === false;
  return { tools, sendsTools, single, json: toJsonMode(call, tools, sendsTools) };
}

/** Tool names consist of letters, digits and `_`, and do not begin with a digit. */
export const COHERE_REFUSALS: Refusals = {
  toolNames: { refused: /[^A-Za-z0-9_]/g, start: /^(?!\d)/ },
  // https://docs.cohere.com/reference/chat (2026-11-28): auto, low and high.
  imageDetails: new Map([["original", "high"]]),
};

/** `tools` and related members. */
export function toTools(call: Call, plan: ConversionPlan): JsonObject {
  const { changes, request, model } = call;
  const { tools: { tools, mode, name } } = plan;
  const parameter = request.tools ? "tool_choice" : "function_call";
  if (!plan.sendsTools) {
    if (tools.length > 0) changes.rename(parameter, "tools");
    return { tools: undefined, tool_choice: undefined };
  }
  const only = tools.filter(({ definition }) => name === undefined || definition.name === name);
  const schemas = only.map(({ path, definition }) => {
    const schema = asObjectSchema(definition.parameters);
    if (schema) return isObject(schema.properties) ? schema : { ...schema, properties: {} };
    const message = `Invalid value for '${path}.parameters': the type must be 'object'`;
    throw new GatewayError("invalid_value", message, { param: `${path}.parameters` });
  });
  const strict = only.map(({ definition }) => definition.strict === true);
  const stricter = strict.every(Boolean) ? toStrict(schemas) : undefined;
  const exact = stricter?.map(({ schema }) => schema);
  if (stricter?.some(({ changed }) => changed)) changes.convert("tools.parameters");
  if (strict.includes(true) && exact === undefined) changes.ignore("tools.strict");
  if (exact) changes.add("strict_tools");
  const forced = mode === "required" && hasToolChoice(model.base);
  if (mode === "required" && !forced) changes.ignore(parameter);
  return {
    tools: only.map(({ definition }, index) => ({
      type: "function",
      function: present({
        name: definition.name,
        description: definition.description ?? undefined,
        parameters: (exact ?? schemas)[index],
      }),
    })),
    strict_tools: exact && true,
    // There is no value for OpenAI's `auto`.
    tool_choice: mode === "none" ? "NONE" : forced ? "REQUIRED" : undefined,
  };
}

function toJsonMode(call: Call, tools: ToolPlan, sendsTools: boolean): JsonMode {
  const { request, fields } = call;
  const format = wantedJson(request);
  // If a call is required, the answer has no text that could be JSON.
  if (format === undefined || (sendsTools && tools.mode === "required")) return { by: "nothing" };
  const means = { limits: UNLIMITED, forcedChoice: false };
  const route = routeJson(format, means);
  const text = route.by === "instruction" ? route.text : "";
  // The vendor rejects a format combined with tools or documents.
  if (sendsTools || fields.documents !== undefined) return { by: "instruction", hint: text };
  const { schema, description } = format;
  const type = "json_object";
  if (schema === undefined) {
    // If the prompt does not mention JSON, the answer may be endless white space.
    const hint = mentionsJson(request.messages) ? undefined : text;
    return { by: "format", format: { type }, hint };
  }
  const exact = toExact(schema);
  if (exact === undefined) return { by: "format", format: { type }, hint: text };
  const json_schema = present({ description, ...exact.schema });
  return { by: "format", format: { type, json_schema }, changed: exact.changed };
}

const UNLIMITED = { schemas: Infinity, optional: Infinity, unions: Infinity };

/** https://docs.cohere.com/docs/structured-outputs (2026-08). */
const COHERE_SCHEMA: SchemaRules = {
  keeps: new Set(["type", "required", "enum", "const", "pattern", "title", "anyOf"]),
  formats: new Set(["date-time", "uuid", "date", "time"]),
  closed: false,
  oneOfAsAnyOf: true,
  allows: (keyword, value) => keyword !== "pattern" || !/[\^$]|\(\?/.test(toText(value)),
};

/** The maximum total number of fields in all strict tools. */
const MAX_STRICT_FIELDS = 200;

/** The schemas of strict tools, or undefined when one cannot be enforced. */
function toStrict(schemas: readonly JsonObject[]): readonly ExactSchema[] | undefined {
  const exact = schemas.map(toExact).filter((one) => one !== undefined);
  const fields = exact.reduce((sum, one) => sum + one.fields, 0);
  if (exact.length < schemas.length || fields > MAX_STRICT_FIELDS) return undefined;
  return exact;
}

interface ExactSchema {
  readonly schema: JsonObject;
  readonly fields: number;
  /** Whether keywords are omitted or only part of the instruction. */
  readonly changed: boolean;
}

/**
 * A schema that the vendor can enforce: the root must be an object, and each object must have a
 * required member. If it has none, all members become required.
 */
function toExact(schema: JsonObject): ExactSchema | undefined {
  const reduced = schema.type === "object" ? reduceSchema(schema, COHERE_SCHEMA) : undefined;
  if (reduced === undefined) return undefined;
  let fields = 0;
  let fits = true;
  const complete = (inner: JsonObject): JsonObject => {
    const whole = mapSubschemas(inner, complete);
    if (whole.type !== "object" && whole.properties === undefined) return whole;
    const names = isObject(whole.properties) ? Object.keys(whole.properties) : [];
    fields += names.length;
    fits &&= names.length > 0;
    const listed = Array.isArray(whole.required) && whole.required.length > 0;
    return listed ? whole : { ...whole, required: names };
  };
  const exact = complete(reduced.schema);
  return fits ? { schema: exact, fields, changed: reduced.changed } : undefined;
}
