/**
 * The parameters of a chat completion that the playground offers, with their bounds. An
 * unchanged parameter has an empty text and is not sent.
 */

import { isObject, parseJson } from "../../lib/json_text.js";

/**
 * How the text of a parameter is parsed: `number` and `integer` have bounds, `choice` has options,
 * `lines` is a list with one entry per line, `boolean` is `true` or `false`, `json` is JSON of the
 * type `accepts`, `format` is the JSON of a response format, and `text` is any text.
 *
 * @typedef {{ name: string, label?: string, kind: string, min?: number, max?: number, step?:
 * number, slider?: number, accepts?: string, options?: string[], hint?: string }} Parameter
 * `slider` is the end of a slider beside the field
 */

const PENALTY = { kind: "number", min: -2, max: 2, step: 0.1 };

/** @type {Parameter[]} the parameters that the page shows first */
export const MAIN_PARAMETERS = [
  { name: "temperature", kind: "number", min: 0, max: 2, step: 0.1, slider: 2 },
  { name: "max_tokens", kind: "integer", min: 1, slider: 8192 },
  { name: "top_p", kind: "number", min: 0, max: 1, step: 0.05, slider: 1 },
  {
    name: "reasoning_effort",
    kind: "choice",
    options: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  },
  { name: "response_format", kind: "format", accepts: "object" },
  { name: "tool_choice", kind: "choice", options: ["auto", "none", "required"] },
];

/** @type {Parameter[]} the others; those with `x-sluice-` are sent as headers */
export const MORE_PARAMETERS = [
  { name: "max_completion_tokens", kind: "integer", min: 1 },
  { name: "stop", kind: "lines", hint: "One sequence per line" },
  { name: "seed", kind: "integer" },
  { name: "frequency_penalty", ...PENALTY },
  { name: "presence_penalty", ...PENALTY },
  { name: "logit_bias", kind: "json", accepts: "object", hint: "Token ID: -100 to 100" },
  { name: "verbosity", kind: "choice", options: ["low", "medium", "high"] },
  { name: "parallel_tool_calls", kind: "boolean" },
  { name: "service_tier", kind: "choice", options: ["auto", "default", "flex", "priority"] },
  { name: "store", kind: "boolean" },
  { name: "user", kind: "text" },
  { name: "metadata", kind: "json", accepts: "object" },
  { name: "models", kind: "lines", hint: "Models to try after the first, one per line" },
  {
    name: "other",
    label: "other members",
    kind: "json",
    accepts: "object",
    hint: "Any further members of the body, such as top_k",
  },
  {
    name: "x-sluice-strict",
    kind: "boolean",
    hint: "Reject the request if a parameter would be ignored",
  },
  { name: "x-sluice-deadline-ms", kind: "integer", min: 1, max: 999_999_999 },
  { name: "x-sluice-tags", kind: "text", hint: "For usage reports, separated by commas" },
];

const BY_NAME = new Map(
  [...MAIN_PARAMETERS, ...MORE_PARAMETERS].map((parameter) => [parameter.name, parameter]),
);

/** The parameter of this name. */
export function parameterOf(name) {
  return BY_NAME.get(name);
}

/**
 * Reads the text of a parameter.
 *
 * @param {Parameter} parameter an entry of the tables above
 * @param {string} text the user's input
 * @returns {{ value: unknown } | { error: string } | {}} an empty object for a parameter that is
 * absent
 */
export function readParameter(parameter, text) {
  if (text.trim() === "") return {};
  switch (parameter.kind) {
    case "number":
    case "integer":
      return readNumber(parameter, text.trim());
    case "boolean":
      return text === "true" || text === "false"
        ? { value: text === "true" }
        : { error: "Must be true or false" };
    case "lines":
      return { value: text.split("\n").filter((line) => line !== "") };
    case "format":
    case "json":
      return readJson(parameter, text);
    default:
      return { value: text.trim() };
  }
}

function readNumber({ kind, min, max }, text) {
  const isWritten = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  const value = isWritten ? Number(text) : NaN;
  const isValid = Number.isFinite(value) && (kind === "number" || Number.isInteger(value)) &&
    (min === undefined || value >= min) && (max === undefined || value <= max);
  if (!isValid) return { error: `Must be ${describeBounds({ kind, min, max })}` };
  // A larger integer would lose precision.
  if (kind === "integer" && !Number.isSafeInteger(value)) {
    return { error: "Must be between -2^53 and 2^53" };
  }
  return { value };
}

/** The bounds of a number in words, such as `a number from 0 to 2`. */
export function describeBounds({ kind, min, max }) {
  const noun = kind === "integer" ? "a whole number" : "a number";
  if (min !== undefined && max !== undefined) return `${noun} from ${min} to ${max}`;
  if (min !== undefined) return `${noun} of at least ${min}`;
  return noun;
}

function readJson({ accepts }, text) {
  const read = parseJson(text);
  if ("error" in read) return read;
  const { value } = read;
  const type = Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
  if (type === accepts) return { value };
  return { error: `Must be ${accepts === "object" ? "a JSON object" : "a JSON list"}` };
}

/**
 * Reads all changed parameters.
 *
 * @param {Record<string, string>} texts by name
 * @returns {{ values: Map<string, unknown>, errors: Map<string, string> }}
 */
export function readParameters(texts) {
  const values = new Map();
  const errors = new Map();
  for (const [name, parameter] of BY_NAME) {
    const read = readParameter(parameter, texts[name] ?? "");
    if ("error" in read) errors.set(name, read.error);
    else if ("value" in read) values.set(name, read.value);
  }
  return { values, errors };
}

/**
 * Reads the tools.
 *
 * @param {string} text a JSON list of tools, or only of functions
 * @returns {{ value: object[] } | { error: string } | {}}
 */
export function readTools(text) {
  if (text.trim() === "") return {};
  const read = readJson({ accepts: "list" }, text);
  if ("error" in read) return read;
  for (const [index, tool] of read.value.entries()) {
    const fault = faultOfTool(tool);
    if (fault !== undefined) return { error: `Tool ${index + 1}: ${fault}` };
  }
  return read.value.length === 0 ? {} : read;
}

function faultOfTool(tool) {
  if (!isObject(tool)) return "must be an object";
  if (typeof tool.type !== "string") return "'type' is missing, such as \"function\"";
  if (tool.type !== "function") return undefined;
  if (!isObject(tool.function)) return "'function' is missing";
  const { name } = tool.function;
  return typeof name === "string" && name !== "" ? undefined : "'function.name' is missing";
}

/** Initial texts of the response formats, by type. */
export const RESPONSE_FORMATS = new Map([
  ["text", '{ "type": "text" }'],
  ["json_object", '{ "type": "json_object" }'],
  ["json_schema", JSON.stringify({ type: "json_schema", json_schema: citySchema() }, null, 2)],
]);

function citySchema() {
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, country: { type: "string" } },
    required: ["city", "country"],
    additionalProperties: false,
  };
  return { name: "city", strict: true, schema };
}

/** The type of a written response format; `json_schema` for a text that is not JSON yet. */
export function formatOf(text) {
  if (text.trim() === "") return "";
  const type = parseJson(text).value?.type;
  return RESPONSE_FORMATS.has(type) ? type : "json_schema";
}

/** An example tool. */
export const EXAMPLE_TOOLS = JSON.stringify(
  [{
    type: "function",
    function: {
      name: "get_weather",
      description: "The current weather of a city",
      parameters: {
        type: "object",
        properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } },
        required: ["city"],
      },
    },
  }],
  null,
  2,
);
