/** The tools of a Responses request as tools of a chat. */

import type { Tool, ToolChoice } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toTextFunction } from "../chat/text_tools.ts";
import type { WebSearch } from "../chat/web_search.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { isText, present, toText } from "../../core/json/values.ts";
import { createHash } from "node:crypto";
import type { ResponsesRequest } from "./request.ts";

/** A tool under the client's name. */
interface ToolIdentity {
  /** A custom tool takes plain text instead of JSON. */
  readonly type: "function" | "custom";
  readonly name: string;
  /** The namespace that the tool belongs to, if any. */
  readonly namespace?: string;
}

/** The maximum length of a function's name at vendors, in characters. */
const MAX_NAME = 64;
const HASH_CHARS = 10;

/** The names of the tools of one request. */
export class ToolNames {
  readonly #tools = new Map<string, ToolIdentity>();

  /** Adds a tool; returns the name that the model sees. */
  add(tool: ToolIdentity): string {
    const name = toModelName(tool.namespace, tool.name);
    this.#tools.set(name, tool);
    return name;
  }

  /** The tool that the model calls by a name; a function of that name if it was not declared. */
  find(name: string): ToolIdentity {
    return this.#tools.get(name) ?? { type: "function", name };
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }
}

/**
 * The name that the model sees. A namespaced name that is too long ends in a hash of the full name.
 * As at OpenAI, models do not see the namespace `functions`.
 */
export function toModelName(namespace: string | undefined, name: string): string {
  if (namespace === undefined || namespace === "" || namespace === "functions") return name;
  const flat = `${namespace}__${name}`;
  if (flat.length <= MAX_NAME) return flat;
  const hash = createHash("sha256").update(flat).digest("hex").slice(0, HASH_CHARS);
  return `${flat.slice(0, MAX_NAME - HASH_CHARS - 1)}_${hash}`;
}

/** The tools of one request, converted. */
interface ConvertedTools {
  readonly tools: readonly Tool[];
  readonly names: ToolNames;
  /** The path of each tool in the request. */
  readonly paths: readonly string[];
  /** The types of the tools that only a native target can run. */
  readonly dropped: ReadonlySet<string>;
  /** The web search, for vendors that have one. */
  readonly webSearch: WebSearch | undefined;
}

/** One list of tools in the request. */
export interface ToolList {
  readonly path: string;
  readonly tools: readonly unknown[];
}

/**
 * Converts the tools of a request. Of tools with the same name, the last one counts: clients repeat
 * lists of tools in the input.
 *
 * @throws {GatewayError} `invalid_value` for a tool without a name.
 */
export function convertTools(lists: readonly ToolList[]): ConvertedTools {
  const names = new ToolNames();
  const tools = new Map<string, Tool>();
  const paths = new Map<string, string>();
  const dropped = new Set<string>();
  let webSearch: WebSearch | undefined;
  const add = (tool: unknown, path: string, namespace?: string): void => {
    if (!isObject(tool)) throw invalidValue(path, "must be an object");
    if (tool.type === "namespace" && Array.isArray(tool.tools)) {
      const own = readName(tool, path);
      tool.tools.forEach((member, index) => add(member, `${path}.tools[${index}]`, own));
    } else if (tool.type === "function" || tool.type === "custom") {
      const named = { type: tool.type, name: readName(tool, path) } as const;
      const name = names.add(namespace === undefined ? named : { ...named, namespace });
      tools.set(name, tool.type === "function" ? toFunction(tool, name) : toTextTool(tool, name));
      paths.set(name, path);
    } else if (isWebSearch(tool)) webSearch = toWebSearch(tool);
    else dropped.add(toText(tool.type));
  };
  for (const { path, tools: list } of lists) {
    list.forEach((tool, index) => add(tool, `${path}[${index}]`));
  }
  return { tools: [...tools.values()], names, paths: [...paths.values()], dropped, webSearch };
}

/** Whether a tool is OpenAI's live web search, rather than a search of an index. */
function isWebSearch({ type, external_web_access: isLive }: JsonObject): boolean {
  return isLive !== false && /^web_search(?:_preview)?(?:_\d{4}_\d\d_\d\d)?$/.test(toText(type));
}

/** The search with the options of chat completions, in which the location is nested. */
function toWebSearch({ type, user_location, filters, search_context_size }: JsonObject): WebSearch {
  const { type: _, ...approximate } = isObject(user_location) ? user_location : {};
  return {
    tool: `tools.${type}`,
    options: present({
      search_context_size: search_context_size ?? undefined,
      filters: isObject(filters) ? filters : undefined,
      user_location: isObject(user_location) ? { type: "approximate", approximate } : undefined,
    }),
  };
}

function readName({ name }: JsonObject, path: string): string {
  if (!isText(name)) throw invalidValue(`${path}.name`, "must be a string that is not empty");
  return name;
}

function toFunction({ description, parameters, strict }: JsonObject, name: string): Tool {
  return {
    type: "function",
    function: {
      name,
      ...(isText(description) && { description }),
      ...(isObject(parameters) && { parameters }),
      ...(typeof strict === "boolean" && { strict }),
    },
  };
}

function toTextTool(tool: JsonObject, name: string): Tool {
  return { type: "function", function: toTextFunction(tool, name) };
}

const MODES = new Set(["none", "auto", "required"]);

/**
 * Converts `tool_choice`; undefined if it has no effect.
 *
 * @throws {GatewayError} `unsupported_content` if it requires a tool that only a native target
 * can run, `invalid_value` for an unknown mode.
 */
export function convertChoice(
  { tool_choice: choice }: ResponsesRequest,
  { tools, names, dropped, webSearch }: ConvertedTools,
): ToolChoice | undefined {
  const hosted = webSearch === undefined ? [...dropped][0] : webSearch.tool.slice("tools.".length);
  if (choice === undefined) return undefined;
  if (typeof choice === "string") {
    if (!MODES.has(choice)) {
      throw invalidValue("tool_choice", "must be 'none', 'auto' or 'required'");
    }
    if (choice === "required" && tools.length === 0 && hosted !== undefined) throw notHere(hosted);
    return tools.length === 0 ? undefined : choice as "none" | "auto" | "required";
  }
  if (choice.type === "allowed_tools") return convertAllowed(choice, names, tools.length > 0);
  if (choice.type !== "function" && choice.type !== "custom") throw notHere(choice.type);
  return { type: "function", function: { name: toChosenName(choice) } };
}

/** A list of allowed tools, without those that only a native target can run. */
function convertAllowed(
  choice: JsonObject,
  names: ToolNames,
  hasTools: boolean,
): ToolChoice | undefined {
  const listed = Array.isArray(choice.tools) ? choice.tools.filter(isObject) : [];
  const mode = choice.mode === "required" ? "required" : "auto";
  const allowed = listed.filter(({ type }) => type === "function" || type === "custom")
    .map(toChosenName).filter((name) => names.has(name));
  const [hosted] = listed.filter(({ type }) => type !== "function" && type !== "custom");
  if (allowed.length === 0) {
    if (mode === "required" && hosted !== undefined) throw notHere(toText(hosted.type));
    return hasTools ? "none" : undefined;
  }
  const tools = allowed.map((name) => ({ type: "function", function: { name } }));
  return { type: "allowed_tools", allowed_tools: { mode, tools } };
}

function toChosenName({ namespace, name }: JsonObject): string {
  return toModelName(isText(namespace) ? namespace : undefined, toText(name));
}

function notHere(type: string): GatewayError {
  return new GatewayError(
    "unsupported_content",
    `'tool_choice' requires the tool '${type}', which this provider cannot run`,
    { param: "tool_choice" },
  );
}
