/**
 * Tools and tool choices of the Messages API as those of the chat request, including versioned
 * tools.
 */

import type { Tool, ToolChoice } from "../../contract/chat.ts";
import type { WebSearch } from "../chat/web_search.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, present } from "../../core/json/values.ts";
import { markerOf, type Reading } from "./read_turns.ts";
import type { MessagesBody, MessagesTool } from "./schema.ts";
import { isWebSearch } from "./web_search.ts";

// Versioned tools of Anthropic that the client runs. Other vendors receive them as functions.
//
// Parameters: https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool,
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool and
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool (2026-11-20).

/** The definition of a function without its name. */
interface ClientTool {
  readonly description: string;
  readonly parameters: JsonObject;
}

const text = (description: string): JsonObject => ({ type: "string", description });
const lineNumbers = {
  type: "array",
  items: { type: "integer" },
  description: "First and last line to view; -1 as the last line means the end of the file",
};

function objectOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required };
}

function commandOf(...commands: readonly string[]): JsonObject {
  return { type: "string", enum: commands, description: "The command to run" };
}

const BASH: ClientTool = {
  description: "Runs commands in a persistent bash session",
  parameters: objectOf({
    command: text("The command to run; required unless 'restart' is true"),
    restart: { type: "boolean", description: "Whether to restart the session" },
  }, []),
};
const TEXT_EDITOR: ClientTool = {
  description: "Views, creates and edits text files",
  parameters: objectOf({
    command: commandOf("view", "create", "str_replace", "insert"),
    path: text("Absolute path of the file or directory"),
    file_text: text("The content of the new file, for 'create'"),
    old_str: text("The text to replace, for 'str_replace'"),
    new_str: text("The new text, for 'str_replace'"),
    insert_line: { type: "integer", description: "The line after which to insert, for 'insert'" },
    insert_text: text("The text to insert, for 'insert'"),
    view_range: lineNumbers,
  }, ["command", "path"]),
};
const MEMORY: ClientTool = {
  description: "Reads and changes files below /memories, which outlast the conversation",
  parameters: objectOf({
    command: commandOf("view", "create", "str_replace", "insert", "delete", "rename"),
    path: text("Path of the file or directory"),
    view_range: lineNumbers,
    file_text: text("The content of the new file, for 'create'"),
    old_str: text("The text to replace, for 'str_replace'"),
    new_str: text("The new text, for 'str_replace'"),
    insert_line: { type: "integer", description: "The line at which to insert, for 'insert'" },
    insert_text: text("The text to insert, for 'insert'"),
    old_path: text("The path before, for 'rename'"),
    new_path: text("The path after, for 'rename'"),
  }, ["command"]),
};

/** The tools by the beginning of their type. */
const CLIENT_TOOLS: readonly (readonly [prefix: string, tool: ClientTool])[] = [
  ["bash_", BASH],
  ["text_editor_", TEXT_EDITOR],
  ["memory_", MEMORY],
];

/** The function for a tool of a type; undefined for types that the client does not run. */
function clientToolFor(type: string): ClientTool | undefined {
  // Tools that Anthropic runs in a container have longer names, such as `bash_code_execution_…`.
  if (type.startsWith("bash_code_") || type.startsWith("text_editor_code_")) return undefined;
  return CLIENT_TOOLS.find(([prefix]) => type.startsWith(prefix))?.[1];
}

/** The members of a chat request that are about tools. */
interface ChatTools {
  readonly tools?: Tool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  /** The path of each tool in the request. */
  readonly toolPaths: readonly string[];
  readonly webSearch: WebSearch | undefined;
}

/**
 * Converts the tools. Tools that Anthropic runs itself are removed and recorded.
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
      reading.changes.ignore("tool_choice");
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
    reading.changes.ignore(`tools.${type}`);
    return [];
  }
  reading.changes.convert(`tools.${type}`);
  return [{ type: "function", function: { name, ...client }, ...markerOf(tool, reading) }];
}

/**
 * The web search, for vendors that support it, with the options of
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
    if (value != null && value !== false) reading.changes.ignore(`tools.${member}`);
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
  { changes }: Reading,
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
      changes.ignore("tool_choice");
      return undefined;
    }
  }
}

/** Whether a list or an object is not empty. */
export function isFilled(value: unknown): value is readonly unknown[] | JsonObject {
  return Array.isArray(value) ? value.length > 0 : isObject(value);
}
