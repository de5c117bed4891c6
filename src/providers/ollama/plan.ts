/** What both directions of a call to Ollama have to agree on: tools, and how an answer is JSON. */

import type { JsonObject } from "../../chat/chat.ts";
import type { Call } from "../contract/adapter.ts";
import { RefInliner } from "../shared/inline_refs.ts";
import { routeJson, wantedJson } from "../shared/json_schema.ts";
import { type FunctionTool, mentionsJson, planTools } from "../shared/turns.ts";

export interface Plan {
  /** Those that are sent. */
  readonly tools: readonly FunctionTool[];
  /** Whether the answer may hold one call only. */
  readonly single: boolean;
  /** `format`, which the server enforces. */
  readonly format: JsonObject | "json" | undefined;
  /** Whether references of its schema are left out or not inlined. */
  readonly formatChanged: boolean;
  /** Whether an instruction is all that makes the answer JSON. */
  readonly instructed: boolean;
  /** What the prompt has to say. */
  readonly hints: readonly string[];
  readonly refs: RefInliner;
}

/** Reads tools and format of a request; the same for each of its directions. */
export function toPlan(call: Call): Plan {
  const { request } = call;
  const { tools: known, mode, name } = planTools(request);
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
  readonly format?: Plan["format"];
  readonly hint?: string | undefined;
  readonly changed?: boolean;
}

function toFormat(call: Call, calls: boolean, forced: boolean, refs: RefInliner): JsonFormat {
  const { request } = call;
  const wanted = wantedJson(request);
  // An answer that must be a call is no text that could be JSON.
  if (wanted === undefined || forced) return {};
  const route = routeJson(wanted, { limits: NONE, forcedChoice: false });
  const text = route.by === "instruction" ? route.text : undefined;
  // With a format the model calls no tool: https://github.com/ollama/ollama/issues/11185 (2025-06).
  if (calls || isCloud(call)) return { hint: text };
  if (wanted.schema !== undefined) {
    const { schema: format, cut, lost } = refs.inline(
      wanted.schema,
      "response_format.json_schema.schema",
    );
    return { format, changed: cut || lost };
  }
  return { format: "json", hint: mentionsJson(request.messages) ? undefined : text };
}

const NONE = { schemas: 0, optional: 0, unions: 0 };

/** The cloud enforces no format: https://docs.ollama.com/capabilities/structured-outputs (2026-08). */
function isCloud({ model, provider }: Call): boolean {
  const host = URL.parse(provider.baseUrl)?.hostname ?? "";
  return /[:-]cloud$/.test(model.upstream) || /(^|\.)ollama\.com$/.test(host);
}
