/** Changes of the request body that several OpenAI-compatible vendors need. */

import {
  type ChatRequest,
  isObject,
  type JsonObject,
  REASONING_EFFORTS,
  type ReasoningEffort,
} from "../../contract/chat.ts";
import { toTextFunction } from "../../apis/chat/text_tools.ts";
import { routeJson, wantedJson } from "../shared/json_schema.ts";
import { planTools, type ToolPlan } from "../shared/tool_plan.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** Changes a body before it is sent, and records the changes in the receipt of the call. */
export type Rewrite = (body: JsonObject, call: Call) => JsonObject;

/** The minimum and the maximum of a number. */
export type Range = readonly [least: number, most: number];

/** The vendor's value for each effort. */
export type Efforts = Readonly<Record<ReasoningEffort, string>>;

/**
 * The replacement for tool choices that a vendor does not support: `auto`, no tools, or only the
 * named tool with `required`.
 */
export type ToolChoiceTable = Readonly<
  Partial<Record<"none" | "required" | "named", "auto" | "no tools" | "only that tool">>
>;

/** Combines rewrites into one. */
export function inOrder(...rewrites: readonly Rewrite[]): Rewrite {
  return (body, call) => rewrites.reduce((changed, rewrite) => rewrite(changed, call), body);
}

/** Maps each effort to the nearest accepted one; of two equally near, the weaker one. */
export function nearestOf(...accepted: readonly ReasoningEffort[]): Efforts {
  const nearest = (requested: ReasoningEffort) =>
    accepted.reduce((best, effort) =>
      distance(effort, requested) < distance(best, requested) ? effort : best
    );
  return Object.fromEntries(
    REASONING_EFFORTS.map((requested) => [requested, nearest(requested)]),
  ) as Record<
    ReasoningEffort,
    string
  >;
}

/**
 * Efforts for models that can only turn reasoning on or off: one value for every effort except
 * `none`.
 */
export function onOrOff(on: string): Efforts {
  return { none: "none", minimal: on, low: on, medium: on, high: on, xhigh: on, max: on };
}

/**
 * Converts tools to functions, including legacy functions. Of `allowed_tools`, only these are sent.
 *
 * @param strict whether the vendor accepts `strict` functions
 */
export function withPlainTools(strict: boolean): Rewrite {
  return (body, call) => {
    const { request, changes } = call;
    const plan = planTools(call);
    if (!request.tools && !request.functions) return body;
    const allowed = new Set(plan.tools.map(({ definition }) => definition.name));
    const given = [
      ...request.tools ?? [],
      ...(request.functions ?? []).map((made) => ({ type: "function", function: made })),
    ];
    // Tools without a function are specific to the vendor.
    const tools = given.map(withTextFunction).map((tool) =>
      isObject(tool.function) ? { ...tool, function: toDefinition(tool.function) } : tool
    ).filter(({ function: made }) => !isObject(made) || allowed.has(String(made.name)));
    function toDefinition({ strict: exact, ...definition }: JsonObject): JsonObject {
      if (exact && !strict) changes.ignore("tools.strict");
      return withoutNulls(strict ? { ...definition, strict: exact } : definition);
    }
    if (request.functions) changes.rename("functions", "tools");
    return { ...body, tools, ...toPlainChoice(body, call, plan) };
  };
}

/** Converts a custom tool to a function with one text argument; other tools are not changed. */
function withTextFunction(given: JsonObject): JsonObject {
  const { custom, ...tool } = given;
  if (tool.type !== "custom" || !isObject(custom)) return given;
  return { ...tool, type: "function", function: toTextFunction(custom, String(custom.name)) };
}

/** Replaces tool choices that the vendor does not support. */
export function withToolChoice(table: ToolChoiceTable): Rewrite {
  return (body, { changes }) => {
    const { tools, tool_choice: choice, ...rest } = body;
    const name = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
    const kind = name === undefined ? choice : "named";
    if (kind !== "none" && kind !== "required" && kind !== "named") return body;
    const instead = table[kind];
    if (instead === undefined || !Array.isArray(tools)) return body;
    changes.convert("tool_choice", name === undefined ? String(choice) : "function", instead);
    if (instead === "no tools") {
      const { parallel_tool_calls: _, ...plain } = rest;
      return plain;
    }
    return {
      ...rest,
      tools: name === undefined
        ? tools
        : tools.filter((tool) => isObject(tool.function) && tool.function.name === name),
      tool_choice: instead === "auto" ? "auto" : "required",
    };
  };
}

/** Clamps a number to a range. */
export function withinRange(name: string, [least, most]: Range): Rewrite {
  return (body, { changes }) => {
    const value = body[name];
    if (typeof value !== "number" || value >= least && value <= most) return body;
    const moved = Math.min(Math.max(value, least), most);
    changes.convert(name, value, moved);
    return { ...body, [name]: moved };
  };
}

/** Keeps only as many stop sequences as the vendor accepts. */
export function withFewStops(most: number): Rewrite {
  return (body, { changes }) => {
    const { stop } = body;
    if (!Array.isArray(stop) || stop.length <= most) return body;
    changes.convert("stop", stop.length, most);
    return { ...body, stop: stop.slice(0, most) };
  };
}

/** Converts a single stop sequence to a list, for vendors that accept only lists. */
export const withListedStop: Rewrite = (body) =>
  typeof body.stop === "string" ? { ...body, stop: [body.stop] } : body;

/** The requested effort, unless the model accepts none. */
export function effortFor({ request, changes }: Call): ReasoningEffort | undefined {
  return changes.ignored.has("reasoning_effort") ? undefined : request.reasoning_effort;
}

/** Converts the effort to the value of the model. */
export function withEfforts(
  table: readonly (readonly [models: RegExp, efforts: Efforts])[],
): Rewrite {
  return (body, { request: { reasoning_effort: original }, model, changes }) => {
    if (original === undefined || body.reasoning_effort === undefined) return body;
    const effort = table.find(([models]) => models.test(model.base))?.[1][original] ?? original;
    if (effort !== original) changes.convert("reasoning_effort", original, effort);
    return { ...body, reasoning_effort: effort };
  };
}

/** Converts the service tier to the vendor's name. */
export function withTier(tiers: Readonly<Record<string, string>>): Rewrite {
  return ({ service_tier: requested, ...body }, { changes }) => {
    if (typeof requested !== "string") return body;
    const tier = Object.hasOwn(tiers, requested) ? tiers[requested] : undefined;
    if (tier === undefined && requested !== "auto") changes.ignore("service_tier");
    if (tier === undefined) return body;
    if (tier !== requested) changes.convert("service_tier", requested, tier);
    return { ...body, service_tier: tier };
  };
}

/** Replaces a schema that cannot be enforced by `json_object` and an instruction. */
export function withSchemaAsText(enforced: (call: Call) => boolean): Rewrite {
  return (body, call) => {
    const format = body.response_format;
    if (!isObject(format) || format.type !== "json_schema" || enforced(call)) return body;
    call.changes.convert("response_format", "json_schema", "json_object");
    return withInstruction({ ...body, response_format: { type: "json_object" } }, call.request);
  };
}

/** Adds an instruction that describes the requested JSON, as the first message. */
export function withInstruction(body: JsonObject, request: ChatRequest): JsonObject {
  const route = routeJson(wantedJson(request), { limits: NO_SCHEMAS, forcedChoice: false });
  if (route.by !== "instruction" || !Array.isArray(body.messages)) return body;
  const [first, ...others] = body.messages as readonly JsonObject[];
  const { text } = route;
  const { role, content } = first ?? {};
  const joined = Array.isArray(content)
    ? [...content, { type: "text", text }]
    : typeof content === "string"
    ? `${content}\n\n${text}`
    : undefined;
  const messages = role === "system" && joined !== undefined
    ? [{ ...first, content: joined }, ...others]
    : [{ role: "system", content: text }, ...body.messages];
  return { ...body, messages };
}

const NO_SCHEMAS = { schemas: 0, optional: 0, unions: 0 };

function distance(one: ReasoningEffort, other: ReasoningEffort): number {
  return Math.abs(REASONING_EFFORTS.indexOf(one) - REASONING_EFFORTS.indexOf(other));
}

/** The tool choice for the converted tools, if there is one. */
function toPlainChoice(
  body: JsonObject,
  { request, changes }: Call,
  plan: ToolPlan,
): JsonObject {
  const choice = body.tool_choice;
  if (isObject(choice) && choice.type === "allowed_tools") return { tool_choice: plan.mode };
  const legacy = request.functions && !request.tools ? request.function_call : undefined;
  if (legacy === undefined) return {};
  changes.rename("function_call", "tool_choice");
  return { tool_choice: isObject(legacy) ? { type: "function", function: legacy } : legacy };
}

function withoutNulls(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  );
}
