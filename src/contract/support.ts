/**
 * Parameter support as data: one support level for each parameter and kind of content. It
 * determines the conversion, the receipt and the printed support matrix.
 */

import {
  type ChatRequest,
  type ContentPart,
  isObject,
  isServerTool,
  type JsonObject,
  type Parameter,
  PARAMETERS,
} from "./chat.ts";
import { copyTexts, moveText } from "../core/json/number_texts.ts";
import type { RequestChanges } from "./request_changes.ts";
import { GatewayError } from "../core/errors.ts";

/** What a vendor does with a parameter. */
export type Support =
  /** The vendor has the same parameter. `note` describes differences of its values. */
  | { readonly level: "native"; readonly note?: string }
  /**
   * The vendor has the parameter under a different name, which may be a path: `metadata.user_id`.
   */
  | { readonly level: "renamed"; readonly to: string; readonly note?: string }
  /** The adapter uses other features of the vendor, which `note` describes. */
  | { readonly level: "converted"; readonly note: string }
  /** The parameter is not sent, and the receipt names it. */
  | { readonly level: "ignored"; readonly note: string };

/** What a vendor does with a kind of content. Content is never dropped silently. */
export type ContentSupport =
  /** `only` matches the types that the vendor accepts, for kinds with several; all when absent. */
  | { readonly level: "native"; readonly note?: string; readonly only?: RegExp }
  | { readonly level: "converted"; readonly note: string }
  /** Not sent, and the receipt names it: only for content that does not change the question. */
  | { readonly level: "ignored"; readonly note: string }
  /** Answered with 400 `unsupported_content`, since dropping it changes the question. */
  | { readonly level: "refused"; readonly note: string };

/** Other members of chat requests, which the gateway adds or converts from other formats. */
export const CONVERTED_MEMBERS: readonly string[] = [
  "cache_control",
  "min_p",
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "thinking",
  "top_k",
  "web_search_options",
];

/** The kinds of content for which vendor support differs. */
export const CONTENT_KINDS = [
  "developer_message",
  "message_name",
  "image_url",
  "image_data",
  "input_audio",
  "file",
  "video_url",
  "file_url",
  "other_part",
  "server_tool",
] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** The support levels of one kind of provider. A missing entry does not compile. */
export interface SupportTable {
  readonly parameters: Readonly<Record<Parameter, Support>>;
  readonly content: Readonly<Record<ContentKind, ContentSupport>>;
  /**
   * Fields other than {@linkcode PARAMETERS}: `"all"` are sent unchanged (the OpenAI dialect), or
   * only the fields in this table.
   */
  readonly extensions: "all" | Readonly<Record<string, Support>>;
}

export const native: Support & ContentSupport = { level: "native" };
export const nativeAs = (note: string): Support & ContentSupport => ({
  level: "native",
  note,
});
export const renamed = (to: string, note?: string): Support =>
  note === undefined ? { level: "renamed", to } : { level: "renamed", to, note };
export const converted = (note: string): Support & ContentSupport => ({
  level: "converted",
  note,
});
export const ignored = (note: string): Support & ContentSupport => ({
  level: "ignored",
  note,
});
export const refused = (note: string): ContentSupport => ({
  level: "refused",
  note,
});

/** For content if the vendor accepts only some of its types. */
export const nativeOnly = (only: RegExp, note: string): ContentSupport => ({
  level: "native",
  only,
  note,
});

/**
 * Support levels for kinds of content that OpenAI does not define. Tables include these defaults,
 * so that a new kind needs a row only for vendors that support it.
 */
export const RARE_CONTENT = {
  video_url: refused("no videos"),
  file_url: refused("no files by URL"),
  other_part: refused("no such part"),
  server_tool: refused("no such tool"),
} as const satisfies Partial<Record<ContentKind, ContentSupport>>;

/**
 * Whether a value is OpenAI's default. Omitting such a value has no effect, so the receipt does not
 * list it.
 */
export function isDefault(
  parameter: string,
  value: unknown,
  request: ChatRequest,
): boolean {
  switch (parameter) {
    case "temperature":
    case "top_p":
    case "n":
      return value === 1;
    case "frequency_penalty":
    case "presence_penalty":
      return value === 0;
    case "stream":
    case "logprobs":
    case "store":
      return value === false;
    case "top_logprobs":
      return value === 0;
    case "parallel_tool_calls":
      return value === true;
    case "service_tier":
      return value === "auto";
    case "verbosity":
      return value === "medium";
    case "tool_choice":
      return value === (request.tools === undefined ? "none" : "auto") ||
        (request.tools === undefined && value === "auto");
    case "function_call":
      return value === "auto" ||
        (request.functions === undefined && value === "none");
    case "response_format":
      return isObject(value) && value.type === "text";
    case "modalities":
      return Array.isArray(value) && value.length === 1 && value[0] === "text";
    case "logit_bias":
    case "metadata":
      return isObject(value) && Object.keys(value).length === 0;
    default:
      return false;
  }
}

/** Members of a request that are not parameters. Each adapter converts them itself. */
const STRUCTURAL = new Set<string>(["model", "messages"]);
const KNOWN = new Set<string>(PARAMETERS);

/** Parameters that vendors reject if another parameter is absent. */
const COMPANIONS = new Map<string, "tools" | "functions">([
  ["tool_choice", "tools"],
  ["parallel_tool_calls", "tools"],
  ["function_call", "functions"],
]);

/**
 * Applies a table to a request: native and renamed parameters are returned as fields to send,
 * ignored ones are recorded. The adapter reads converted parameters from the request and records
 * the conversion.
 *
 * @param overrides support levels that replace those of the table
 */
export function applySupport(
  request: ChatRequest,
  table: SupportTable,
  overrides: Readonly<Record<string, Support>>,
  changes: RequestChanges,
): JsonObject {
  const fields: JsonObject = {};
  for (const name in request) {
    const value = request[name];
    if (STRUCTURAL.has(name) || value === undefined) continue;
    const support = ruleFor(name, request, table, overrides);
    if (support === undefined || support.level === "ignored") {
      if (!isDefault(name, value, request)) changes.ignore(name);
    } else placeField(fields, name, request, support, changes);
  }
  copyTexts(request, fields);
  return fields;
}

/** Adds a native or renamed parameter to the fields, under the vendor's name. */
export function placeField(
  fields: JsonObject,
  name: string,
  request: JsonObject,
  support: Support,
  changes: RequestChanges,
): void {
  if (support.level === "renamed") {
    place(fields, support.to, request, name);
    changes.rename(name, support.to);
  } else if (support.level === "native") fields[name] = request[name];
}

/** The support level of a parameter; undefined for one that the table does not contain. */
export function ruleFor(
  name: string,
  request: ChatRequest,
  table: SupportTable,
  overrides: Readonly<Record<string, Support>>,
): Support | undefined {
  const companion = COMPANIONS.get(name);
  if (companion !== undefined && request[companion] === undefined) {
    return MEMBERS_WITHOUT_COMPANION[companion];
  }
  return Object.hasOwn(overrides, name) ? overrides[name] : levelOf(name, table);
}

/** Whether a member of a request is a parameter: model and messages are not. */
export function isParameter(name: string): boolean {
  return !STRUCTURAL.has(name);
}

const MEMBERS_WITHOUT_COMPANION = {
  tools: ignored("has no effect without tools"),
  functions: ignored("has no effect without functions"),
};

function levelOf(name: string, table: SupportTable): Support | undefined {
  if (KNOWN.has(name)) return table.parameters[name as Parameter];
  if (table.extensions === "all") return native;
  return Object.hasOwn(table.extensions, name) ? table.extensions[name] : undefined;
}

/** Sets a member by its path, and creates missing objects on the path. */
function place(fields: JsonObject, path: string, request: JsonObject, name: string): void {
  const steps = path.split(".");
  const last = steps.pop();
  if (last === undefined) return;
  let at = fields;
  for (const step of steps) {
    const inner = at[step];
    if (isObject(inner)) at = inner;
    else at = at[step] = {} as JsonObject;
  }
  at[last] = request[name];
  moveText(request, name, at, last);
}

/** The kinds of content in a request, in the order of {@linkcode CONTENT_KINDS}. */
export function contentKindsIn({ messages, tools }: ChatRequest): readonly ContentKind[] {
  const found = new Set<ContentKind | undefined>();
  for (const { role, name, content } of messages) {
    if (role === "developer") found.add("developer_message");
    if (name) found.add("message_name");
    for (const part of Array.isArray(content) ? content : []) found.add(contentKindOf(part));
  }
  if (tools?.some(isServerTool)) found.add("server_tool");
  return CONTENT_KINDS.filter((kind) => found.has(kind));
}

/**
 * Rejects content that the vendor or this model does not support.
 *
 * @param vision false if the model is known not to support images
 * @throws {GatewayError} `unsupported_content` with the path of the first such part or tool.
 */
export function checkContent(
  { messages, tools }: ChatRequest,
  table: SupportTable,
  vision: boolean | undefined,
): void {
  messages.forEach(({ content }, turn) => {
    if (!Array.isArray(content)) return;
    content.forEach((part, index) => {
      const kind = contentKindOf(part);
      if (kind === undefined) return;
      const isUnseen = vision === false && part.type === "image_url";
      const why = refusalOf(table, kind, part.type) ??
        (isUnseen ? "the model does not support images" : undefined);
      if (why === undefined) return;
      throw new GatewayError(
        "unsupported_content",
        `Content of type '${part.type}' is not supported: ${why}`,
        { param: `messages[${turn}].content[${index}]` },
      );
    });
  });
  tools?.forEach((tool, index) => {
    const why = isServerTool(tool) ? refusalOf(table, "server_tool", tool.type) : undefined;
    if (why === undefined) return;
    throw new GatewayError(
      "unsupported_content",
      `A tool of type '${tool.type}' is not supported: ${why}`,
      { param: `tools[${index}]` },
    );
  });
}

/** Why a vendor rejects content of a type; undefined if it accepts the content. */
function refusalOf(table: SupportTable, kind: ContentKind, type: string): string | undefined {
  const support = table.content[kind];
  if (support.level === "refused") return support.note;
  const only = support.level === "native" ? support.only : undefined;
  return only === undefined || only.test(type) ? undefined : support.note;
}

function contentKindOf(part: ContentPart): ContentKind | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return undefined;
    case "image_url":
      return /^data:/i.test(part.image_url.url) ? "image_data" : "image_url";
    case "input_audio":
    case "file":
    case "video_url":
    case "file_url":
      return part.type;
    default:
      return "other_part";
  }
}
