/** Changes of a request's body that several vendors of OpenAI's dialect ask for. */

import {
  type ChatRequest,
  isObject,
  type JsonObject,
  type ReasoningEffort,
} from "../../chat/chat.ts";
import type { Call } from "../contract/adapter.ts";
import { routeJson, wantedJson } from "../shared/json_schema.ts";
import { REASONING_EFFORTS } from "../../chat/reasoning_efforts.ts";
import { planTools, type ToolPlan } from "../shared/turns.ts";

/** Changes a body that is ready to be sent, and notes in the call's receipt what it did. */
export type Rewrite = (body: JsonObject, call: Call) => JsonObject;

/** The least and the most that a number may be. */
export type Range = readonly [least: number, most: number];

/** What each effort that a caller may ask for becomes. */
export type Efforts = Readonly<Record<ReasoningEffort, string>>;

/**
 * What becomes of choices that a vendor does not have: `auto`, all tools left
 * out, or all tools but the one that is named, with `required`.
 */
export type ToolChoiceTable = Readonly<
  Partial<Record<"none" | "required" | "named", "auto" | "no tools" | "that tool alone">>
>;

/** One rewrite that is several, one after the other. */
export function inOrder(...rewrites: readonly Rewrite[]): Rewrite {
  return (body, call) => rewrites.reduce((changed, rewrite) => rewrite(changed, call), body);
}

/** The nearest of a vendor's efforts, weakest first; the weaker one where two are as near. */
export function nearestOf(...accepted: readonly ReasoningEffort[]): Efforts {
  const nearest = (asked: ReasoningEffort) =>
    accepted.reduce((best, effort) =>
      distance(effort, asked) < distance(best, asked) ? effort : best
    );
  return Object.fromEntries(REASONING_EFFORTS.map((asked) => [asked, nearest(asked)])) as Record<
    ReasoningEffort,
    string
  >;
}

/** For models that reason or do not: one word for every effort but `none`. */
export function onOrOff(on: string): Efforts {
  return { none: "none", minimal: on, low: on, medium: on, high: on, xhigh: on, max: on };
}

/**
 * Tools as functions: those of old join them, and a list of allowed ones is all there is.
 *
 * @param strict whether the vendor takes functions that are `strict`
 */
export function withPlainTools(strict: boolean): Rewrite {
  return (body, call) => {
    const { request, receipt } = call;
    const plan = planTools(request);
    if (!request.tools && !request.functions) return body;
    const allowed = new Set(plan.tools.map(({ definition }) => definition.name));
    const given = [
      ...request.tools ?? [],
      ...(request.functions ?? []).map((made) => ({ type: "function", function: made })),
    ];
    // Tools without a function are the vendor's own.
    const tools = given.map((tool) =>
      isObject(tool.function) ? { ...tool, function: toDefinition(tool.function) } : tool
    ).filter(({ function: made }) => !isObject(made) || allowed.has(String(made.name)));
    function toDefinition({ strict: exact, ...definition }: JsonObject): JsonObject {
      if (exact && !strict) receipt.ignore("tools.strict");
      return withoutNulls(strict ? { ...definition, strict: exact } : definition);
    }
    if (request.functions) receipt.rename("functions", "tools");
    return { ...body, tools, ...toPlainChoice(body, call, plan) };
  };
}

/** Choices that the vendor lacks, turned into those it has. */
export function withToolChoice(table: ToolChoiceTable): Rewrite {
  return (body, { receipt }) => {
    const { tools, tool_choice: choice, ...rest } = body;
    const name = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
    const kind = name === undefined ? choice : "named";
    if (kind !== "none" && kind !== "required" && kind !== "named") return body;
    const instead = table[kind];
    if (instead === undefined || !Array.isArray(tools)) return body;
    receipt.convert("tool_choice", name === undefined ? String(choice) : "function", instead);
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

/** A number moved to the nearer end of the range where it lies outside. */
export function withinRange(name: string, [least, most]: Range): Rewrite {
  return (body, { receipt }) => {
    const value = body[name];
    if (typeof value !== "number" || value >= least && value <= most) return body;
    const moved = Math.min(Math.max(value, least), most);
    receipt.convert(name, value, moved);
    return { ...body, [name]: moved };
  };
}

/** The first stop sequences, as many as the vendor takes. */
export function withFewStops(most: number): Rewrite {
  return (body, { receipt }) => {
    const { stop } = body;
    if (!Array.isArray(stop) || stop.length <= most) return body;
    receipt.convert("stop", stop.length, most);
    return { ...body, stop: stop.slice(0, most) };
  };
}

/** One stop sequence as a list of one, for vendors that take nothing else. */
export const withListedStop: Rewrite = (body) =>
  typeof body.stop === "string" ? { ...body, stop: [body.stop] } : body;

/** The effort that was asked for, unless the model takes none. */
export function effortFor({ request, receipt }: Call): ReasoningEffort | undefined {
  return receipt.ignored.has("reasoning_effort") ? undefined : request.reasoning_effort;
}

/** The effort as the model takes it. */
export function withEfforts(
  table: readonly (readonly [models: RegExp, efforts: Efforts])[],
): Rewrite {
  return (body, { request: { reasoning_effort: asked }, model, receipt }) => {
    if (asked === undefined || body.reasoning_effort === undefined) return body;
    const effort = table.find(([models]) => models.test(model.base))?.[1][asked] ?? asked;
    if (effort !== asked) receipt.convert("reasoning_effort", asked, effort);
    return { ...body, reasoning_effort: effort };
  };
}

/** The service tier under the vendor's name for it. */
export function withTier(tiers: Readonly<Record<string, string>>): Rewrite {
  return ({ service_tier: asked, ...body }, { receipt }) => {
    if (typeof asked !== "string") return body;
    const tier = Object.hasOwn(tiers, asked) ? tiers[asked] : undefined;
    if (tier === undefined && asked !== "auto") receipt.ignore("service_tier");
    if (tier === undefined) return body;
    if (tier !== asked) receipt.convert("service_tier", asked, tier);
    return { ...body, service_tier: tier };
  };
}

/** A schema that cannot be enforced, as an instruction beside `json_object`. */
export function withSchemaAsText(enforced: (call: Call) => boolean): Rewrite {
  return (body, call) => {
    const format = body.response_format;
    if (!isObject(format) || format.type !== "json_schema" || enforced(call)) return body;
    call.receipt.convert("response_format", "json_schema", "json_object");
    return withInstruction({ ...body, response_format: { type: "json_object" } }, call.request);
  };
}

/** The messages with the wanted JSON described to the model, before all others. */
export function withInstruction(body: JsonObject, request: ChatRequest): JsonObject {
  const route = routeJson(wantedJson(request), { limits: NO_SCHEMAS, forcedChoice: false });
  if (route.by !== "instruction" || !Array.isArray(body.messages)) return body;
  const [first, ...others] = body.messages as readonly JsonObject[];
  const { text } = route;
  const messages = first?.role === "system" && typeof first.content === "string"
    ? [{ ...first, content: `${first.content}\n\n${text}` }, ...others]
    : [{ role: "system", content: text }, ...body.messages];
  return { ...body, messages };
}

const NO_SCHEMAS = { schemas: 0, optional: 0, unions: 0 };

function distance(one: ReasoningEffort, other: ReasoningEffort): number {
  return Math.abs(REASONING_EFFORTS.indexOf(one) - REASONING_EFFORTS.indexOf(other));
}

/** The choice among plain tools, if there is one. */
function toPlainChoice(body: JsonObject, { request, receipt }: Call, plan: ToolPlan): JsonObject {
  const choice = body.tool_choice;
  if (isObject(choice) && choice.type === "allowed_tools") {
    receipt.convert("tool_choice", "allowed_tools", plan.mode);
    return { tool_choice: plan.mode };
  }
  const legacy = request.functions && !request.tools ? request.function_call : undefined;
  if (legacy === undefined) return {};
  receipt.rename("function_call", "tool_choice");
  return { tool_choice: isObject(legacy) ? { type: "function", function: legacy } : legacy };
}

function withoutNulls(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  );
}
