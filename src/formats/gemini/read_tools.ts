/** Tools and the choice among them as those of the chat request. */

import type { Tool, ToolChoice } from "../../chat/chat.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, present } from "../../core/json/values.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import { listIn, objectIn, pathIn, stringIn } from "../member_faults.ts";
import { memberOf } from "../member_spellings.ts";
import { toJsonSchema } from "./read_schema.ts";

/** The members of a chat request that are about tools. */
export interface ChatTools {
  readonly tools?: Tool[];
  readonly tool_choice?: ToolChoice;
  /** Where the request has each tool. */
  readonly toolPaths: readonly string[];
}

type FunctionTool = Extract<Tool, { type: "function" }>;

/**
 * Converts the tools. Those that Google runs itself, such as a search, are left out and noted.
 *
 * @throws {GatewayError} `invalid_value` for a malformed tool.
 */
export function toChatTools(body: JsonObject, receipt: Receipt): ChatTools {
  const tools: FunctionTool[] = [];
  const toolPaths: string[] = [];
  for (const [index, tool] of (listIn(body, "tools", "") ?? []).entries()) {
    const path = `tools[${index}]`;
    if (!isObject(tool)) throw invalidValue(path, "must be an object");
    const list = listIn(tool, "functionDeclarations", path) ?? [];
    for (const [at, declaration] of list.entries()) {
      const place = `${pathIn(path, tool, "functionDeclarations")}[${at}]`;
      if (!isObject(declaration)) throw invalidValue(place, "must be an object");
      tools.push(toFunction(declaration, place, receipt));
      toolPaths.push(place);
    }
    for (const name of Object.keys(tool)) {
      if (!DECLARATIONS.has(name)) receipt.ignore(`tools.${name}`);
    }
  }
  if (tools.length === 0) return { toolPaths };
  const choice = toChoice(body, receipt);
  return { toolPaths, tools, ...(choice !== undefined && { tool_choice: choice }) };
}

const DECLARATIONS = new Set(["functionDeclarations", "function_declarations"]);

function toFunction(declaration: JsonObject, path: string, receipt: Receipt): FunctionTool {
  const name = stringIn(declaration, "name", path);
  if (!isText(name)) throw invalidValue(`${path}.name`, "is required");
  const json = objectIn(declaration, "parametersJsonSchema", path);
  const schema = objectIn(declaration, "parameters", path);
  for (const lost of ["response", "responseJsonSchema", "behavior"]) {
    if (memberOf(declaration, lost) !== undefined) receipt.ignore(`tools.${lost}`);
  }
  return {
    type: "function",
    function: {
      name,
      ...present({
        description: stringIn(declaration, "description", path),
        parameters: json ?? (schema && toJsonSchema(schema, receipt)),
      }),
    },
  };
}

function toChoice(body: JsonObject, receipt: Receipt): ToolChoice | undefined {
  const config = objectIn(body, "toolConfig", "");
  if (config === undefined) return undefined;
  const path = pathIn("", body, "toolConfig");
  const calling = objectIn(config, "functionCallingConfig", path);
  if (calling === undefined) return undefined;
  const place = pathIn(path, config, "functionCallingConfig");
  const mode = stringIn(calling, "mode", place) ?? "MODE_UNSPECIFIED";
  const names = listIn(calling, "allowedFunctionNames", place)?.filter(isText) ?? [];
  switch (mode.toUpperCase()) {
    case "NONE":
      return "none";
    case "ANY":
      return toRequired(names);
    case "VALIDATED":
      receipt.convert("toolConfig.functionCallingConfig.mode", "VALIDATED", "AUTO");
      return "auto";
    case "AUTO":
      return "auto";
    case "MODE_UNSPECIFIED":
      return undefined;
    default:
      throw invalidValue(`${place}.mode`, "must be AUTO, ANY, NONE or VALIDATED");
  }
}

function toRequired(names: readonly string[]): ToolChoice {
  const [only, ...others] = names;
  if (only === undefined) return "required";
  if (others.length === 0) return { type: "function", function: { name: only } };
  const tools = names.map((name) => ({ type: "function", function: { name } }));
  return { type: "allowed_tools", allowed_tools: { mode: "required", tools } };
}
