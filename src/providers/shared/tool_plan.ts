/** The tools and the tool choice of a request, in current or legacy fields. */

import {
  type ChatRequest,
  type FunctionDefinition,
  isObject,
  isServerTool,
  type JsonObject,
  type ServerTool,
  type Tool,
} from "../../contract/chat.ts";
import { toTextFunction } from "../../apis/chat/text_tools.ts";
import { GatewayError } from "../../core/errors.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** The function tools of a request, and the choice among them. */
export interface ToolPlan {
  /** The tools that may be called. */
  readonly tools: readonly FunctionTool[];
  /**
   * `auto`, `none` or `required` as OpenAI defines them; undefined if the request has no choice.
   */
  readonly mode: "auto" | "none" | "required" | undefined;
  /** The tool that must be called, if `mode` is `required`. */
  readonly name?: string;
}

/** The request whose tools are read, and the receipt of the conversion. */
export type PlannedCall = Pick<Call, "request" | "changes">;

/** A function tool, with members of its entry that some vendors accept. */
export interface FunctionTool {
  /** The path of the definition in the request. */
  readonly path: string;
  readonly definition: FunctionDefinition;
  readonly cacheControl: unknown;
}

/**
 * Reads `tools` and `tool_choice`, or the legacy `functions` and `function_call`. The result does
 * not contain tools that the vendor runs itself. With `allowed_tools`, only the allowed ones are
 * returned.
 *
 * Custom tools become functions with one text argument.
 *
 * @throws {GatewayError} `invalid_value` for a choice of a tool that the request does not define.
 */
export function planTools({ request, changes }: PlannedCall): ToolPlan {
  const tools = [
    ...(request.tools ?? []).flatMap((tool, index) =>
      isServerTool(tool) ? [] : readTool(tool, index, changes)
    ),
    ...(request.functions ?? []).map(readFunction),
  ];
  if (tools.length === 0) return { tools, mode: undefined };
  const { mode, allowed, name, param } = readChoice(request);
  const defined = new Set(tools.map((tool) => tool.definition.name));
  for (const chosen of [...(allowed ?? []), ...(name === undefined ? [] : [name])]) {
    if (!defined.has(chosen)) {
      throw new GatewayError(
        "invalid_value",
        `Invalid value for '${param}': no tool is named '${chosen}'`,
        { param },
      );
    }
  }
  const permitted = allowed && new Set(allowed);
  if (permitted !== undefined) changes.convert("tool_choice", "allowed_tools", mode);
  return {
    tools: permitted ? tools.filter((tool) => permitted.has(tool.definition.name)) : tools,
    mode,
    ...(name !== undefined && { name }),
  };
}

interface Choice {
  readonly mode: ToolPlan["mode"];
  readonly allowed?: readonly string[];
  readonly name?: string;
  readonly param: string;
}

/**
 * Reads the choice. A choice without `tools` or `functions` has already been removed and reported.
 */
function readChoice(request: ChatRequest): Choice {
  const choice = request.tools && request.tool_choice;
  const param = "tool_choice";
  if (choice === undefined) return readLegacyChoice(request);
  if (typeof choice === "string") return { mode: choice, param };
  switch (choice.type) {
    case "function":
      return { mode: "required", name: choice.function.name, param };
    case "custom":
      return { mode: "required", name: choice.custom.name, param };
    case "allowed_tools": {
      const { mode, tools } = choice.allowed_tools;
      return { mode, allowed: tools.map(nameOfAllowed), param: "tool_choice.allowed_tools" };
    }
  }
}

function readLegacyChoice(request: ChatRequest): Choice {
  const choice = request.functions && request.function_call;
  const param = "function_call";
  if (choice === undefined || typeof choice === "string") return { mode: choice, param };
  return { mode: "required", name: choice.name, param };
}

function nameOfAllowed(tool: JsonObject): string {
  const { function: called, custom } = tool;
  const named = isObject(called) ? called : isObject(custom) ? custom : tool;
  return typeof named.name === "string" ? named.name : "";
}

type ClientTool = Exclude<Tool, ServerTool>;

function readTool(tool: ClientTool, index: number, changes: RequestChanges): FunctionTool {
  const { cache_control } = tool;
  if (tool.type === "function") {
    const definition = tool.function;
    const path = `tools[${index}].function`;
    return { path, definition, cacheControl: cache_control ?? definition.cache_control };
  }
  changes.convert("tools", "custom", "function");
  const definition = toTextFunction(tool.custom, tool.custom.name);
  return { path: `tools[${index}].custom`, definition, cacheControl: cache_control };
}

function readFunction(definition: FunctionDefinition, index: number): FunctionTool {
  return { path: `functions[${index}]`, definition, cacheControl: definition.cache_control };
}
