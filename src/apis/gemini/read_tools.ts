/** Tools, tool choices and schemas of Gemini as those of the chat request. */

import type { Tool, ToolChoice } from "../../contract/chat.ts";
import { isObject, type JsonObject, setMember } from "../../core/json/object.ts";
import { isText, present } from "../../core/json/values.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import { listIn, memberOf, objectIn, pathIn, stringIn } from "../read_fields.ts";
import { copyTexts } from "../../core/json/number_texts.ts";
import { snakeCase } from "../../core/text.ts";
import { invalidValue } from "../../core/errors.ts";

// Gemini's schemas as JSON Schema.
//
// https://ai.google.dev/api/caching#Schema (2026-11-24): a subset of OpenAPI 3.0 with types in
// capital letters and 64-bit numbers as strings.

/** Members that hold one schema, a list of them, or a map of them. */
const SCHEMAS = new Set(["items", "additionalProperties", "additional_properties"]);
const SCHEMA_LISTS = new Map([["anyOf", "anyOf"], ["any_of", "anyOf"]]);
/** Numbers that protobuf writes as strings, and their names in JSON Schema. */
const COUNTS = new Map([
  ...["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]
    .flatMap((name) => [[name, name], [snakeCase(name), name]] as const),
]);
/** Hints for the order of members, which JSON Schema does not have. */
const ORDERING = new Set(["propertyOrdering", "property_ordering"]);

/** Converts a schema. Members that exist in both formats are not changed. */
export function toJsonSchema(schema: JsonObject, changes: RequestChanges): JsonObject {
  const converted: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === "type" || name === "nullable") continue;
    if (ORDERING.has(name)) changes.ignore("propertyOrdering");
    else if (name === "properties") {
      setMember(converted, name, isObject(value) ? eachMember(value, changes) : value);
    } else if (SCHEMAS.has(name)) {
      const own = name === "items" ? name : "additionalProperties";
      converted[own] = isObject(value) ? toJsonSchema(value, changes) : value;
    } else if (SCHEMA_LISTS.has(name)) converted.anyOf = eachEntry(value, changes);
    else if (COUNTS.has(name)) converted[COUNTS.get(name) ?? name] = toNumber(value);
    else setMember(converted, name, value);
  }
  const type = toType(schema);
  const typed = type === undefined ? converted : { type, ...converted };
  copyTexts(schema, typed);
  return typed;
}

function eachMember(schemas: JsonObject, changes: RequestChanges): JsonObject {
  const converted: JsonObject = {};
  for (const [name, value] of Object.entries(schemas)) {
    setMember(converted, name, isObject(value) ? toJsonSchema(value, changes) : value);
  }
  return converted;
}

function eachEntry(value: unknown, changes: RequestChanges): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((entry) => isObject(entry) ? toJsonSchema(entry, changes) : entry);
}

function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** The type in lower case; with `null` for a nullable one. */
function toType({ type, nullable }: JsonObject): unknown {
  const types = (Array.isArray(type) ? type : [type]).flatMap((one: unknown) =>
    typeof one === "string" && one !== "TYPE_UNSPECIFIED" ? [one.toLowerCase()] : []
  );
  if (nullable === true && types.length > 0 && !types.includes("null")) types.push("null");
  return types.length > 1 ? types : types[0];
}

/** The members of a chat request that are about tools. */
interface ChatTools {
  readonly tools?: Tool[];
  readonly tool_choice?: ToolChoice;
  /** The path of each tool in the request. */
  readonly toolPaths: readonly string[];
}

type FunctionTool = Extract<Tool, { type: "function" }>;

/**
 * Converts the tools. Tools that Google runs itself, such as search, are removed and recorded.
 *
 * @throws {GatewayError} `invalid_value` for a malformed tool.
 */
export function toChatTools(body: JsonObject, changes: RequestChanges): ChatTools {
  const tools: FunctionTool[] = [];
  const toolPaths: string[] = [];
  for (const [index, tool] of (listIn(body, "tools", "") ?? []).entries()) {
    const path = `tools[${index}]`;
    if (!isObject(tool)) throw invalidValue(path, "must be an object");
    const list = listIn(tool, "functionDeclarations", path) ?? [];
    for (const [at, declaration] of list.entries()) {
      const place = `${pathIn(path, tool, "functionDeclarations")}[${at}]`;
      if (!isObject(declaration)) throw invalidValue(place, "must be an object");
      tools.push(toFunction(declaration, place, changes));
      toolPaths.push(place);
    }
    for (const name of Object.keys(tool)) {
      if (!DECLARATIONS.has(name)) changes.ignore(`tools.${name}`);
    }
  }
  if (tools.length === 0) return { toolPaths };
  const choice = toChoice(body, changes);
  return { toolPaths, tools, ...(choice !== undefined && { tool_choice: choice }) };
}

const DECLARATIONS = new Set(["functionDeclarations", "function_declarations"]);

function toFunction(declaration: JsonObject, path: string, changes: RequestChanges): FunctionTool {
  const name = stringIn(declaration, "name", path);
  if (!isText(name)) throw invalidValue(`${path}.name`, "is required");
  const json = objectIn(declaration, "parametersJsonSchema", path);
  const schema = objectIn(declaration, "parameters", path);
  for (const lost of ["response", "responseJsonSchema", "behavior"]) {
    if (memberOf(declaration, lost) !== undefined) changes.ignore(`tools.${lost}`);
  }
  return {
    type: "function",
    function: {
      name,
      ...present({
        description: stringIn(declaration, "description", path),
        parameters: json ?? (schema && toJsonSchema(schema, changes)),
      }),
    },
  };
}

function toChoice(body: JsonObject, changes: RequestChanges): ToolChoice | undefined {
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
      changes.convert("toolConfig.functionCallingConfig.mode", "VALIDATED", "AUTO");
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
