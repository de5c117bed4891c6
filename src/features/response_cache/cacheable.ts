/** Determines which requests may be answered from the cache. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toList } from "../../core/json/values.ts";
import { textOf } from "../../core/json/number_texts.ts";

/** Members that refer to data stored by the vendor, or that have side effects. */
const STATEFUL: readonly string[] = [
  "background",
  "cachedContent",
  "cached_content",
  "container",
  "context_management",
  "conversation",
  "mcp_servers",
  "plugins",
  "previous_response_id",
  "search_parameters",
  "web_search_options",
];

/** The members of a request that hold its content. */
const CONTENT: readonly string[] = [
  ...["messages", "input", "system", "instructions"],
  ...["contents", "systemInstruction", "system_instruction"],
];

/** The types of tools that the caller runs. */
const CALLER_TOOLS: ReadonlySet<unknown> = new Set(["function", "custom"]);
/** Members of the caller's tools. */
const NAMES: readonly string[] = ["name", "function"];

/** The members of a tool that contain the caller's functions. */
const DECLARATIONS: ReadonlySet<string> = new Set([
  "functionDeclarations",
  "function_declarations",
]);

/** Members that hold the arguments or the result of a call: the model reads them as text. */
const CALL_DATA: ReadonlySet<string> = new Set(["args", "response"]);

/** Members with an address or a file ID, whose content may change. */
const ADDRESSES: ReadonlySet<string> = new Set([
  "fileUri",
  "file_data_url",
  "file_uri",
  "file_url",
  "image_url",
  "url",
]);

/**
 * Whether the answer depends only on the request. It does not for tools that the vendor runs, URLs
 * of images and files, and references to earlier answers.
 *
 * @param format the caller format: the Responses API stores answers unless `store` is false
 * @param anyTemperature whether a request may have a temperature above 0
 */
export function isCacheable(body: JsonObject, format: string, anyTemperature: boolean): boolean {
  if (STATEFUL.some((name) => isSet(body[name]))) return false;
  // A stored prompt is an object. Endpoints that read a text do not read messages.
  if (isObject(body.prompt) || isSet(body.prompt) && isSet(body.messages)) return false;
  if (format === "responses" ? body.store !== false : body.store === true) return false;
  if (!anyTemperature && temperatureOf(body) !== 0) return false;
  if (!toList(body.tools).every(isCallerTool)) return false;
  return CONTENT.every((name) => !hasAddress(body[name]));
}

/** The temperature, which some formats have among other settings. */
function temperatureOf({ temperature, generationConfig, generation_config, options }: JsonObject) {
  const settings = [generationConfig, generation_config, options].find(isObject);
  return temperature ?? settings?.temperature;
}

/** Whether the caller runs a tool. A tool without a type has a name, or contains only functions. */
function isCallerTool(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  if (tool.type !== undefined) return CALLER_TOOLS.has(tool.type);
  return NAMES.some((name) => name in tool) ||
    Object.keys(tool).every((name) => DECLARATIONS.has(name));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** Whether a part of a message refers to something outside the request. */
function hasAddress(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasAddress);
  if (!isObject(value)) return false;
  if (value.type === "item_reference" || isSet(value.file_id)) return true;
  return Object.entries(value).some(([name, member]) => {
    // The model reads the arguments of its calls as text.
    if (name === "input" && value.type === "tool_use") return false;
    if (CALL_DATA.has(name) && typeof value.name === "string") return false;
    if (typeof member === "string") return ADDRESSES.has(name) && !/^data:/i.test(member);
    return hasAddress(member);
  });
}

/**
 * The text of a JSON value without white space and with sorted members, as in
 * https://www.rfc-editor.org/rfc/rfc8785 (checked 2026-11-24). Numbers with a stored text are
 * compared by that text, which is what vendors get.
 */
export function toCanonicalJson(value: unknown): string {
  // Members with the value undefined are absent, as in `JSON.stringify`.
  if (!Array.isArray(value) && !isObject(value)) return JSON.stringify(value) ?? "null";
  const entryOf = (name: string | number) =>
    textOf(value, name) ??
      toCanonicalJson((value as JsonObject)[name]);
  if (Array.isArray(value)) return `[${value.map((_, at) => entryOf(at)).join(",")}]`;
  const members = Object.keys(value).sort().flatMap((name) =>
    value[name] === undefined ? [] : `${JSON.stringify(name)}:${entryOf(name)}`
  );
  return `{${members.join(",")}}`;
}
