/** Tools and tool choices of the Messages API as those of the chat request. */

import { invalidValue } from "../../core/invalid_value.ts";
import type { Tool, ToolChoice } from "../../chat/chat.ts";
import type { WebSearch } from "../../chat/traits.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, present } from "../../core/json/values.ts";
import { clientToolFor } from "./client_tools.ts";
import { markerOf, type Reading } from "./read_content.ts";
import type { MessagesBody, MessagesTool } from "./schema.ts";
import { isWebSearch } from "./web_search.ts";

/** The members of a chat request that are about tools. */
export interface ChatTools {
  readonly tools?: Tool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  /** Where the request has each tool. */
  readonly toolPaths: readonly string[];
  readonly webSearch: WebSearch | undefined;
}

/**
 * Converts the tools. Those that Anthropic runs itself are left out, and noted.
 *
 * @throws {GatewayError} `unsupported_content` for tools that need Anthropic's own models.
 */
export function toChatTools({ tools, tool_choice }: MessagesBody, reading: Reading): ChatTools {
  const toolPaths: string[] = [];
  const webSearch = toWebSearch((tools ?? []).find(isWebSearch));
  const converted = (tools ?? []).flatMap((tool, index) => {
    const own = toTool(tool, index, reading);
    if (own.length > 0) toolPaths.push(`tools[${index}]`);
    return own;
  });
  if (converted.length === 0) {
    if (webSearch !== undefined && tool_choice?.type === "tool") {
      reading.receipt.ignore("tool_choice");
    }
    return { toolPaths, webSearch };
  }
  const names = new Set(converted.map(({ function: { name } }) => name));
  const choice = toChoice(tool_choice, names, reading);
  return {
    ...{ toolPaths, webSearch },
    tools: converted,
    ...(choice !== undefined && { tool_choice: choice }),
    ...(tool_choice?.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  };
}

type FunctionTool = Extract<Tool, { type: "function" }>;

function toTool(tool: MessagesTool, index: number, reading: Reading): FunctionTool[] {
  const { type, name } = tool;
  if (isWebSearch(tool)) return [];
  if (!isText(type) || type === "custom") return [toFunction(tool, index, reading)];
  if (/^(?:computer|browser)_/.test(type)) {
    const param = `tools[${index}]`;
    throw new GatewayError(
      "unsupported_content",
      `A tool of type '${type}' cannot be conveyed: only Anthropic's models know it`,
      { param },
    );
  }
  const client = clientToolFor(type);
  if (client === undefined || !isText(name)) {
    reading.receipt.ignore(`tools.${type}`);
    return [];
  }
  reading.receipt.convert(`tools.${type}`);
  return [{ type: "function", function: { name, ...client }, ...markerOf(tool, reading) }];
}

/**
 * The web search, for vendors that have one, with the options of
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool (2026-11-25).
 */
function toWebSearch(tool: MessagesTool | undefined): WebSearch | undefined {
  if (tool === undefined) return undefined;
  const { allowed_domains, blocked_domains, max_uses, user_location: place }: JsonObject = tool;
  const { type: _, ...approximate } = isObject(place) ? place : {};
  const filters = present({
    allowed_domains: isFilled(allowed_domains) ? allowed_domains : undefined,
    blocked_domains: isFilled(blocked_domains) ? blocked_domains : undefined,
  });
  const options = present({
    max_uses: max_uses ?? undefined,
    filters: isFilledObject(filters) ? filters : undefined,
    user_location: isObject(place) ? { type: "approximate", approximate } : undefined,
  });
  return { tool: `tools.${tool.type}`, options };
}

function isFilledObject(members: JsonObject): boolean {
  return Object.keys(members).length > 0;
}

/** Members that only affect how Anthropic loads a tool or streams its calls. */
const UNKNOWN_ELSEWHERE = ["defer_loading", "allowed_callers"];

function toFunction(tool: MessagesTool, index: number, reading: Reading): FunctionTool {
  const { name, description, input_schema, input_examples, strict } = tool;
  if (!isText(name)) {
    const param = `tools[${index}].name`;
    throw invalidValue(param, "is required");
  }
  for (const member of UNKNOWN_ELSEWHERE) {
    const value = tool[member];
    if (value != null && value !== false) reading.receipt.ignore(`tools.${member}`);
  }
  return {
    type: "function",
    function: {
      name,
      ...present({
        description: withExamples(description ?? undefined, input_examples),
        parameters: isObject(input_schema) ? input_schema : undefined,
        strict: strict ?? undefined,
      }),
    },
    ...markerOf(tool, reading),
  };
}

function withExamples(description: string | undefined, examples: unknown): string | undefined {
  if (!Array.isArray(examples) || examples.length === 0) return description;
  const lines = examples.map((example) => JSON.stringify(example));
  return [description, `Examples of the input:\n${lines.join("\n")}`].filter(isText).join("\n\n");
}

function toChoice(
  choice: MessagesBody["tool_choice"],
  names: ReadonlySet<string>,
  { receipt }: Reading,
): ToolChoice | undefined {
  switch (choice?.type) {
    case undefined:
      return undefined;
    case "auto":
    case "none":
      return choice.type;
    case "any":
      return "required";
    case "tool": {
      const { name } = choice;
      if (isText(name) && names.has(name)) return { type: "function", function: { name } };
      // The chosen tool was dropped.
      receipt.ignore("tool_choice");
      return undefined;
    }
  }
}

/** Whether a list or an object is not empty. */
export function isFilled(value: unknown): value is readonly unknown[] | JsonObject {
  return Array.isArray(value) ? value.length > 0 : isObject(value);
}
