/** Tools and tool choices of the Messages API as those of the chat request. */

import { invalidValue } from "../../core/invalid_value.ts";
import type { Tool, ToolChoice } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, present } from "../../core/json/values.ts";
import { clientToolFor } from "./client_tools.ts";
import { markerOf, type Reading } from "./read_content.ts";
import type { MessagesBody, MessagesTool } from "./schema.ts";

/** The members of a chat request that are about tools. */
export interface ChatTools {
  readonly tools?: Tool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  /** Where the request has each tool. */
  readonly toolPaths: readonly string[];
}

/**
 * Converts the tools. Those that Anthropic runs itself are left out, and noted.
 *
 * @throws {GatewayError} `unsupported_content` for tools that need Anthropic's own models.
 */
export function toChatTools({ tools, tool_choice }: MessagesBody, reading: Reading): ChatTools {
  const toolPaths: string[] = [];
  const converted = (tools ?? []).flatMap((tool, index) => {
    const own = toTool(tool, index, reading);
    if (own.length > 0) toolPaths.push(`tools[${index}]`);
    return own;
  });
  if (converted.length === 0) return { toolPaths };
  const names = new Set(converted.map(({ function: { name } }) => name));
  const choice = toChoice(tool_choice, names, reading);
  return {
    toolPaths,
    tools: converted,
    ...(choice !== undefined && { tool_choice: choice }),
    ...(tool_choice?.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  };
}

type FunctionTool = Extract<Tool, { type: "function" }>;

function toTool(tool: MessagesTool, index: number, reading: Reading): FunctionTool[] {
  const { type, name } = tool;
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
