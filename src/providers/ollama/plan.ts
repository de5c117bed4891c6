/** The plan of a call to Ollama for request and answer: tools, and how the answer becomes JSON. */

import type { JsonObject } from "../../chat/chat.ts";
import type { Call } from "../contract/adapter.ts";
import { RefInliner } from "../shared/inline_refs.ts";
import { routeJson, wantedJson } from "../shared/json_schema.ts";
import { type FunctionTool, planTools } from "../shared/tool_plan.ts";
import { mentionsJson } from "../shared/turns.ts";

export interface ConversionPlan {
  /** The tools that are sent. */
  readonly tools: readonly FunctionTool[];
  /** Whether the answer may have only one call. */
  readonly single: boolean;
  /** The `format` that the server enforces. */
  readonly format: JsonObject | "json" | undefined;
  /** Whether references of its schema are omitted or not inlined. */
  readonly formatChanged: boolean;
  /** Whether only an instruction makes the answer JSON. */
  readonly instructed: boolean;
  /** Instructions for the prompt. */
  readonly hints: readonly string[];
  readonly refs: RefInliner;
}

/** Creates the plan from the tools and the format of a request. */
export function toConversionPlan(call: Call): ConversionPlan {
  const { request } = call;
  const { tools: known, mode, name } = planTools(call);
  const tools = mode === "none"
    ? []
    : known.filter(({ definition }) => name === undefined || definition.name === name);
  const forced = mode === "required" && tools.length > 0;
  const refs = new RefInliner();
  const { format, hint, changed = false } = toFormat(call, tools.length > 0, forced, refs);
  const choice = name === undefined
    ? "Answer by calling a tool."
    : `Answer by calling the tool '${name}'.`;
  return {
    tools,
    single: tools.length > 0 && request.parallel_tool_calls === false,
    format,
    formatChanged: changed,
    instructed: hint !== undefined && format === undefined,
    hints: [...(forced ? [choice] : []), ...(hint === undefined ? [] : [hint])],
    refs,
  };
}

interface JsonFormat {
  readonly format?: ConversionPlan["format"];
  readonly hint?: string | undefined;
  readonly changed?: boolean;
}

function toFormat(call: Call, calls: boolean, forced: boolean, refs: RefInliner): JsonFormat {
  const { request } = call;
  const requestedFormat = wantedJson(request);
  // If a call is required, the answer has no text that could be JSON.
  if (requestedFormat === undefined || forced) return {};
  const route = routeJson(requestedFormat, { limits: NONE, forcedChoice: false });
  const text = route.by === "instruction" ? route.text : undefined;
  // With a format the model does not call tools: https://github.com/ollama/ollama/issues/11185
  // (2025-06).
  if (calls || isCloud(call)) return { hint: text };
  if (requestedFormat.schema !== undefined) {
    const { schema: format, cut, lost } = refs.inline(
      requestedFormat.schema,
      "response_format.json_schema.schema",
    );
    return { format, changed: cut || lost };
  }
  return { format: "json", hint: mentionsJson(request.messages) ? undefined : text };
}

const NONE = { schemas: 0, optional: 0, unions: 0 };

/**
 * The cloud enforces no format: https://docs.ollama.com/capabilities/structured-outputs (2026-08).
 */
function isCloud({ model, provider }: Call): boolean {
  const host = URL.parse(provider.baseUrl)?.hostname ?? "";
  return /[:-]cloud$/.test(model.upstream) || /(^|\.)ollama\.com$/.test(host);
}
