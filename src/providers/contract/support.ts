/**
 * Parameter support as data: one verdict per parameter and kind of content,
 * which drives the conversion, the receipt and every printed matrix.
 */

import { type ChatRequest, isObject, type JsonObject } from "../../chat/chat.ts";

/** What a vendor does with a parameter. */
export type Support =
  /** The vendor has the same parameter; `note` says where its values differ. */
  | { readonly verdict: "native"; readonly note?: string }
  /** The same under another name, which may be a path: `metadata.user_id`. */
  | { readonly verdict: "renamed"; readonly to: string; readonly note?: string }
  /** Done with other means of the vendor, as `note` says. */
  | { readonly verdict: "converted"; readonly note: string }
  /** Left out, and the caller is told. */
  | { readonly verdict: "ignored"; readonly note: string };

/** What a vendor does with a kind of content. Content is never dropped in silence. */
export type ContentSupport =
  /** `only` are the types that the vendor takes, for kinds with many; all unless given. */
  | { readonly verdict: "native"; readonly note?: string; readonly only?: RegExp }
  | { readonly verdict: "converted"; readonly note: string }
  /** Left out, and the caller is told: only what does not change the question. */
  | { readonly verdict: "ignored"; readonly note: string }
  /** Answered with 400 `unsupported_content`, since dropping it changes the question. */
  | { readonly verdict: "refused"; readonly note: string };

/** Every parameter that the gateway knows, in the order in which tables print it. */
export const PARAMETERS = [
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "n",
  "stop",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "response_format",
  "reasoning_effort",
  "verbosity",
  "user",
  "metadata",
  "store",
  "service_tier",
  "prediction",
  "modalities",
  "audio",
] as const satisfies readonly (keyof ChatRequest)[];
export type Parameter = (typeof PARAMETERS)[number];

/** Every kind of content whose fate differs between vendors. */
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

/** One vendor's verdicts. A missing one does not compile. */
export interface SupportTable {
  readonly parameters: Readonly<Record<Parameter, Support>>;
  readonly content: Readonly<Record<ContentKind, ContentSupport>>;
  /**
   * Fields beyond {@linkcode PARAMETERS}: `"all"` go through as they came (the
   * OpenAI dialect), or just those named here.
   */
  readonly extensions: "all" | Readonly<Record<string, Support>>;
}

export const native: Support & ContentSupport = { verdict: "native" };
export const nativeAs = (note: string): Support & ContentSupport => ({
  verdict: "native",
  note,
});
export const renamed = (to: string, note?: string): Support =>
  note === undefined ? { verdict: "renamed", to } : { verdict: "renamed", to, note };
export const converted = (note: string): Support & ContentSupport => ({
  verdict: "converted",
  note,
});
export const ignored = (note: string): Support & ContentSupport => ({
  verdict: "ignored",
  note,
});
export const refused = (note: string): ContentSupport => ({
  verdict: "refused",
  note,
});

/** For content that the vendor takes in some types alone. */
export const nativeOnly = (only: RegExp, note: string): ContentSupport => ({
  verdict: "native",
  only,
  note,
});

/**
 * Kinds of content that OpenAI does not have: a table begins with these verdicts, so that a new
 * kind needs a row only where a vendor takes it.
 */
export const BEYOND_OPENAI = {
  video_url: refused("no videos"),
  file_url: refused("no files by their address"),
  other_part: refused("no such part"),
  server_tool: refused("no such tool"),
} as const satisfies Partial<Record<ContentKind, ContentSupport>>;

type Scalar = string | number | boolean;

/** Entries of each kind in a receipt. Parameters that the gateway knows are kept beyond it. */
const MAX_RECEIPT_ENTRIES = 100;

/** UTF-16 units of one entry. */
const MAX_RECEIPT_ENTRY_LENGTH = 80;

/** Stands for the entries over {@linkcode MAX_RECEIPT_ENTRIES}. */
const MORE_ENTRIES = "and more";

/** What was left out or changed on the way to one target, for the caller to see. */
export class Receipt {
  readonly ignored = new Set<string>();
  readonly converted = new Set<string>();
  /** Paths of an adapter's table of additions. */
  readonly added = new Set<string>();

  /** Notes a parameter that the vendor will not see. */
  ignore(parameter: string): void {
    note(this.ignored, parameter);
  }

  /** Notes what the vendor gets though the caller sent nothing of the kind: a path of `adds`. */
  add(path: string): void {
    this.added.add(path);
  }

  /** Notes a parameter that the vendor sees under another name. */
  rename(parameter: string, to: string): void {
    note(this.converted, `${parameter}->${to}`);
  }

  /** Notes a parameter whose value changed. Numbers and words of an enum only, never text of the caller's. */
  convert(
    parameter: string,
    from?: Scalar,
    to?: Scalar,
  ): void {
    note(this.converted, from === undefined ? parameter : `${parameter} ${from}->${to}`);
  }
}

function note(entries: Set<string>, entry: string): void {
  if (entries.size >= MAX_RECEIPT_ENTRIES && !KNOWN.has(entry)) entries.add(MORE_ENTRIES);
  else if (entry.length <= MAX_RECEIPT_ENTRY_LENGTH) entries.add(entry);
  else entries.add(`${entry.slice(0, MAX_RECEIPT_ENTRY_LENGTH)}…`);
}

/**
 * Whether a value is what OpenAI's service assumes when the parameter is
 * absent: leaving such a value out changes nothing, so it is never reported.
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

/** Members of a request that are not parameters: each adapter places them itself. */
const STRUCTURAL = new Set<string>(["model", "messages"]);
const KNOWN = new Set<string>(PARAMETERS);

/** Parameters that mean nothing, and that vendors refuse, without their companion. */
const COMPANIONS = new Map<string, "tools" | "functions">([
  ["tool_choice", "tools"],
  ["parallel_tool_calls", "tools"],
  ["function_call", "functions"],
]);

/**
 * Applies a table to a request: what is native or renamed comes back as fields
 * ready to send, what is ignored is noted. Converted parameters are left to the
 * adapter, which finds them in the request and notes what it made of them.
 *
 * @param overrides verdicts that hold for this model only
 */
export function applySupport(
  request: ChatRequest,
  table: SupportTable,
  overrides: Readonly<Record<string, Support>>,
  receipt: Receipt,
): JsonObject {
  const fields: JsonObject = {};
  for (const name in request) {
    const value = request[name];
    if (STRUCTURAL.has(name) || value === undefined) continue;
    const support = ruleFor(name, request, table, overrides);
    if (support === undefined || support.verdict === "ignored") {
      if (!isDefault(name, value, request)) receipt.ignore(name);
    } else placeField(fields, name, value, support, receipt);
  }
  return fields;
}

/** Puts a parameter that is native or renamed where the vendor has it. */
export function placeField(
  fields: JsonObject,
  name: string,
  value: unknown,
  support: Support,
  receipt: Receipt,
): void {
  if (support.verdict === "renamed") {
    place(fields, support.to, value);
    receipt.rename(name, support.to);
  } else if (support.verdict === "native") fields[name] = value;
}

/** What holds for one parameter of a request; undefined for one that the vendor's table does not name. */
export function ruleFor(
  name: string,
  request: ChatRequest,
  table: SupportTable,
  overrides: Readonly<Record<string, Support>>,
): Support | undefined {
  const companion = COMPANIONS.get(name);
  if (companion !== undefined && request[companion] === undefined) return LONELY[companion];
  return Object.hasOwn(overrides, name) ? overrides[name] : verdictOn(name, table);
}

/** Whether a member of a request is a parameter: model and messages are not. */
export function isParameter(name: string): boolean {
  return !STRUCTURAL.has(name);
}

const LONELY = {
  tools: ignored("means nothing without tools"),
  functions: ignored("means nothing without functions"),
};

function verdictOn(name: string, table: SupportTable): Support | undefined {
  if (KNOWN.has(name)) return table.parameters[name as Parameter];
  if (table.extensions === "all") return native;
  return Object.hasOwn(table.extensions, name) ? table.extensions[name] : undefined;
}

/** Sets a member by its path, making the objects on the way. */
function place(fields: JsonObject, path: string, value: unknown): void {
  const steps = path.split(".");
  const last = steps.pop();
  if (last === undefined) return;
  let at = fields;
  for (const step of steps) {
    const inner = at[step];
    if (isObject(inner)) at = inner;
    else at = at[step] = {} as JsonObject;
  }
  at[last] = value;
}
