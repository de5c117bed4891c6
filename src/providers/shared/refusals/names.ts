/** Renames properties of tool arguments whose names a vendor rejects, and restores them. */

import {
  type ChatRequest,
  type FunctionDefinition,
  isServerTool,
  type Message,
  type ToolCall,
  type ToolChoice,
} from "../../../contract/chat.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { NameRule } from "../../../contract/refusals.ts";
import { withoutRootBranches } from "../schema_branches.ts";
import { uniquely } from "../../../core/collections.ts";

/** Names that a vendor accepts, by the caller's names. */
export type SentNames = ReadonlyMap<string, string>;

/** A name that a vendor accepts; `fallback` if no characters remain. */
function toAcceptedName(name: string, rule: NameRule, fallback = "tool"): string {
  const plain = name.replace(rule.refused, "_");
  const begun = rule.start === undefined || rule.start.test(plain) ? plain : `_${plain}`;
  return begun.slice(0, rule.maxLength) || fallback;
}

/** New names for those that the vendor rejects. They are unique and deterministic. */
function renameRefused(names: readonly string[], rule: NameRule): SentNames {
  if (names.every((name) => isAccepted(name, rule))) return NO_NAMES;
  const unique = uniquely((name) => toAcceptedName(name, rule), rule.maxLength ?? Infinity);
  const distinct = new Set(names);
  // Unchanged names are reserved first.
  for (const name of distinct) if (isAccepted(name, rule)) unique(name);
  const refused = [...distinct].filter((name) => !isAccepted(name, rule));
  return new Map(refused.map((name) => [name, unique(name)]));
}

function isAccepted(name: string, { refused, start, maxLength = Infinity }: NameRule): boolean {
  return name !== "" && name.length <= maxLength && name.search(refused) === -1 &&
    (start === undefined || start.test(name));
}

const NO_NAMES: SentNames = new Map();

/** Whether a request contains tools or tool calls. */
export function usesTools({ tools, functions, messages }: ChatRequest): boolean {
  return tools !== undefined || functions !== undefined || messages.some(calls);
}

function calls(message: Message): boolean {
  return message.role === "assistant" &&
    (message.tool_calls != null || message.function_call != null);
}

/**
 * New names for tool names that the vendor rejects: those of defined tools, then those in earlier
 * calls.
 */
export function toSentNames(request: ChatRequest, rule: NameRule): SentNames {
  return renameRefused([...namesIn(request)], rule);
}

function* namesIn({ tools = [], functions = [], messages }: ChatRequest): Iterable<string> {
  for (const tool of tools) {
    if (isServerTool(tool)) continue;
    yield tool.type === "function" ? tool.function.name : tool.custom.name;
  }
  for (const { name } of functions) yield name;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) {
      yield call.type === "function" ? call.function.name : call.custom.name;
    }
    if (message.function_call?.name) yield message.function_call.name;
  }
}

/** The request with the new tool names. */
export function withToolNames(request: ChatRequest, names: SentNames): ChatRequest {
  const { tools, functions, tool_choice, function_call, messages } = request;
  return {
    ...request,
    messages: messages.map((message) => withNamesOfTurn(message, names)),
    ...(tools && {
      tools: tools.map((tool) => isServerTool(tool) ? tool : withInnerName(tool, names)),
    }),
    ...(functions && { functions: functions.map((one) => withName(one, names)) }),
    ...(tool_choice && { tool_choice: withNameOfChoice(tool_choice, names) }),
    ...(isObject(function_call) && { function_call: withName(function_call, names) }),
  };
}

function withNamesOfTurn(message: Message, names: SentNames): Message {
  if (message.role === "tool" || message.role === "function") return withName(message, names);
  if (message.role !== "assistant" || !calls(message)) return message;
  const { tool_calls, function_call } = message;
  return {
    ...message,
    ...(tool_calls && {
      tool_calls: tool_calls.map((call): ToolCall => withInnerName(call, names)),
    }),
    ...(function_call && { function_call: withName(function_call, names) }),
  };
}

function withNameOfChoice(choice: ToolChoice, names: SentNames): ToolChoice {
  if (typeof choice === "string") return choice;
  if (choice.type !== "allowed_tools") return withInnerName(choice, names);
  const { allowed_tools } = choice;
  const tools = allowed_tools.tools.map((tool) => withName(withInnerName(tool, names), names));
  return { ...choice, allowed_tools: { ...allowed_tools, tools } };
}

/** Renames `{type: "function", function: {name}}`, and the same with `custom`. */
function withInnerName<Owner extends JsonObject>(owner: Owner, names: SentNames): Owner {
  const member = owner.type === "custom" ? "custom" : "function";
  const inner = owner[member];
  if (!isObject(inner)) return owner;
  const renamed = withName(inner, names);
  return renamed === inner ? owner : { ...owner, [member]: renamed };
}

function withName<Owner extends JsonObject>(owner: Owner, names: SentNames): Owner {
  const name = typeof owner.name === "string" ? names.get(owner.name) : undefined;
  return name === undefined ? owner : { ...owner, name };
}

/** A schema with properties that the vendor accepts. */
interface RenamedProperties {
  readonly schema: JsonObject;
  /** The new names, by the caller's. */
  readonly names: SentNames;
}

/**
 * Renames the properties at the root of a schema; undefined if the vendor accepts all. The vendor
 * also receives the properties of the root's branches, so these are merged into the root.
 */
export function renameProperties(
  schema: JsonObject,
  rule: NameRule,
): RenamedProperties | undefined {
  const merged = withoutRootBranches(schema);
  if (!isObject(merged.properties)) return undefined;
  const names = renameRefused(Object.keys(merged.properties), rule);
  return names.size === 0 ? undefined : { schema: withNewNames(merged, names), names };
}

/** A request whose tools have properties that the vendor accepts. */
interface RenamedTools {
  readonly request: ChatRequest;
  /** The caller's keys of the arguments, by the tool's name. */
  readonly original: ReadonlyMap<string, KeyNames>;
}

/** Renames the properties of all tools, and the keys of earlier calls; undefined if none changes. */
export function withPropertyNames(
  request: ChatRequest,
  rule: NameRule,
): RenamedTools | undefined {
  const { tools, functions, messages } = request;
  const sent = new Map<string, KeyNames>();
  const original = new Map<string, KeyNames>();
  const toDefinition = (definition: FunctionDefinition): FunctionDefinition => {
    const { name, parameters } = definition;
    const renamed = parameters ? renameProperties(parameters, rule) : undefined;
    if (renamed === undefined) return definition;
    sent.set(name, new KeyNames(renamed.names));
    original.set(name, originalKeys(renamed));
    return { ...definition, parameters: renamed.schema };
  };
  const renamed = {
    ...(tools && {
      tools: tools.map((tool) =>
        tool.type === "function" && isObject(tool.function)
          ? { ...tool, function: toDefinition(tool.function as FunctionDefinition) }
          : tool
      ) as NonNullable<ChatRequest["tools"]>,
    }),
    ...(functions && { functions: functions.map(toDefinition) }),
  };
  if (sent.size === 0) return undefined;
  const withKeys = messages.map((message) => withKeysOfCalls(message, sent));
  return { request: { ...request, ...renamed, messages: withKeys }, original };
}

/** Restores the caller's keys in an answer. */
export function originalKeys({ names }: Pick<RenamedProperties, "names">): KeyNames {
  return new KeyNames(new Map([...names].map(([name, sent]) => [sent, name])));
}

function withKeysOfCalls(message: Message, sent: ReadonlyMap<string, KeyNames>): Message {
  if (message.role !== "assistant") return message;
  const { tool_calls, function_call } = message;
  const withKeys = <Called extends { name: string; arguments: string }>(called: Called): Called => {
    const names = sent.get(called.name);
    return names === undefined
      ? called
      : { ...called, arguments: replaceKeys(called.arguments, names) };
  };
  return {
    ...message,
    ...(tool_calls && {
      tool_calls: tool_calls.map((call) =>
        call.type === "function" ? { ...call, function: withKeys(call.function) } : call
      ),
    }),
    ...(function_call && { function_call: withKeys(function_call) }),
  };
}

/** Keywords whose schemas describe the same object. */
const SAME_OBJECT = ["if", "then", "else", "not"] as const;
const SAME_OBJECT_LISTS = ["allOf", "anyOf", "oneOf"] as const;
/** Keywords whose values are objects with property names as keys. */
const BY_PROPERTY = [
  "properties",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
] as const;
/** Deeper conditions are not renamed, since no real schema has them. */
const MAX_DEPTH = 20;

function withNewNames(schema: JsonObject, names: SentNames, depth = 0): JsonObject {
  const inner = (value: unknown) =>
    isObject(value) && depth < MAX_DEPTH ? withNewNames(value, names, depth + 1) : value;
  const listed = (value: unknown) =>
    Array.isArray(value) ? value.map((name) => names.get(name) ?? name) : value;
  const renamed: JsonObject = { ...schema };
  if (schema.required !== undefined) renamed.required = listed(schema.required);
  for (const keyword of BY_PROPERTY) {
    const members = schema[keyword];
    if (!isObject(members)) continue;
    renamed[keyword] = Object.fromEntries(
      Object.entries(members).map(([name, value]) => [
        names.get(name) ?? name,
        keyword === "properties" ? value : Array.isArray(value) ? listed(value) : inner(value),
      ]),
    );
  }
  for (const keyword of SAME_OBJECT) {
    if (schema[keyword] !== undefined) renamed[keyword] = inner(schema[keyword]);
  }
  for (const keyword of SAME_OBJECT_LISTS) {
    const value = schema[keyword];
    if (Array.isArray(value)) renamed[keyword] = value.map(inner);
  }
  return renamed;
}

/** The longest form of one character in JSON: `\u0041`. */
const MAX_ESCAPE = 6;

/** The replacements of keys. */
export class KeyNames {
  readonly #names: ReadonlyMap<string, string>;
  /** Sorted; absent until the first key is read. */
  #sorted: readonly string[] | undefined;
  #longest = 0;

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
  }

  /** Whether a key may become one of the names, given its start with the opening quote. */
  mayBegin(start: string): boolean {
    const sorted = this.#sorted ??= this.#sort();
    if (start.includes("\\")) return start.length <= 1 + this.#longest * MAX_ESCAPE;
    const prefix = start.slice(1);
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? "") < prefix) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(prefix) ?? false;
  }

  #sort(): readonly string[] {
    for (const name of this.#names.keys()) this.#longest = Math.max(this.#longest, name.length);
    return [...this.#names.keys()].sort();
  }

  /** The key to write instead of one, both in quotes. */
  replace(key: string): string {
    const name = this.#names.get(key.includes("\\") ? unescaped(key) : key.slice(1, -1));
    return name === undefined ? key : JSON.stringify(name);
  }
}

function unescaped(key: string): string {
  try {
    return JSON.parse(key);
  } catch {
    return key;
  }
}

/**
 * Replaces keys at the root of a JSON object that arrives in pieces. All other text is forwarded at
 * once; a key is buffered only while it may be one of the names.
 */
export class KeyRewriter {
  readonly #names: KeyNames;
  #depth = 0;
  #isObject = false;
  #expectsKey = false;
  #inString = false;
  #isEscaped = false;
  /** The start of a key that may be one of the names. */
  #held: string | undefined;

  constructor(names: KeyNames) {
    this.#names = names;
  }

  push(text: string): string {
    let written = "";
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text.charAt(at);
      if (this.#held !== undefined) {
        written += this.#onKey(character);
        from = at + 1;
      } else if (this.#inString) this.#onString(character);
      else if (character === '"' && this.#expectsKey) {
        written += text.slice(from, at);
        from = at + 1;
        this.#held = character;
        this.#expectsKey = false;
      } else this.#onStructure(character);
    }
    return written + text.slice(from);
  }

  /** Returns the buffered text of truncated JSON. */
  end(): string {
    const rest = this.#held ?? "";
    this.#held = undefined;
    return rest;
  }

  #onKey(character: string): string {
    const key = (this.#held ?? "") + character;
    const ends = character === '"' && !this.#isEscaped;
    this.#isEscaped = character === "\\" && !this.#isEscaped;
    if (!ends && this.#names.mayBegin(key)) {
      this.#held = key;
      return "";
    }
    this.#held = undefined;
    this.#inString = !ends;
    return ends ? this.#names.replace(key) : key;
  }

  #onString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === "\\") this.#isEscaped = true;
    else if (character === '"') this.#inString = false;
  }

  #onStructure(character: string): void {
    switch (character) {
      case '"':
        this.#inString = true;
        break;
      case "{":
      case "[":
        if (this.#depth++ === 0) this.#expectsKey = this.#isObject = character === "{";
        break;
      case "}":
      case "]":
        this.#depth--;
        break;
      case ",":
        this.#expectsKey = this.#isObject && this.#depth === 1;
    }
  }
}

/** A complete JSON text with the keys of its root replaced. */
export function replaceKeys(text: string, names: KeyNames): string {
  const rewriter = new KeyRewriter(names);
  return rewriter.push(text) + rewriter.end();
}
