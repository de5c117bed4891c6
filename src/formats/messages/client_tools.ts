/**
 * Versioned tools of Anthropic that the client runs. Other vendors get them as functions.
 *
 * Parameters: https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool,
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool and
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool (2026-11-20).
 */

import type { JsonObject } from "../../core/json/object.ts";

/** The definition of a function without its name. */
export interface ClientTool {
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
export function clientToolFor(type: string): ClientTool | undefined {
  // A tool that Anthropic runs in a container has a longer name, such as `bash_code_execution_…`.
  if (type.startsWith("bash_code_") || type.startsWith("text_editor_code_")) return undefined;
  return CLIENT_TOOLS.find(([prefix]) => type.startsWith(prefix))?.[1];
}
