/** Conversations as the Messages API takes them: blocks, alternating turns, names it accepts. */

import { type ContentPart, isObject, type JsonObject, type Message } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Call } from "../contract/adapter.ts";
import {
  CLAUDE_SCHEMA,
  CLAUDE_SCHEMA_LIMITS,
  type ClaudeModel,
  claudeModel,
} from "../shared/claude_models.ts";
import { type JsonRoute, routeJson, wantedJson } from "../shared/json_schema.ts";
import { withoutLegacy } from "../shared/legacy_functions.ts";
import {
  contentPath,
  decodeText,
  mergeTurns,
  type PairedCall,
  pairTools,
  planTools,
  readMedia,
  type ToolPlan,
  type Turn,
  uniquely,
} from "../shared/turns.ts";

/** A content block. */
export type Block = JsonObject;
/** What one side says. */
export type MessageTurn = Turn<"user" | "assistant", Block>;

/** What both directions of one call have to agree on. */
export interface Plan {
  readonly model: ClaudeModel;
  readonly tools: ToolPlan;
  /** The vendor's names of the caller's tools: those it accepts. */
  readonly names: ReadonlyMap<string, string>;
  readonly json: JsonRoute;
  /** The name of the tool that takes a JSON answer, where the route is one. */
  readonly jsonTool: string | undefined;
}

/** What a call comes to before a word of it is converted. */
export function toPlan(call: Call): Plan {
  const { base, facts } = call.model;
  const model = claudeModel(base, facts);
  const tools = planTools(call.request);
  const rename = uniquely(toName, MAX_NAME);
  const names = new Map<string, string>();
  for (const { definition: { name } } of tools.tools) {
    if (!names.has(name)) names.set(name, rename(name));
  }
  const rules = model.schemas ? CLAUDE_SCHEMA : undefined;
  const { forcedChoice } = model;
  const means = { rules, limits: CLAUDE_SCHEMA_LIMITS, forcedChoice };
  const route = routeJson(wantedJson(call.request), means);
  // An answer that must be a call of the caller's own tool is no text that could be JSON.
  const called = tools.mode === "required" && route.by !== "schema";
  const json: JsonRoute = called ? { by: "nothing" } : route;
  return { model, tools, names, json, jsonTool: json.by === "tool" ? rename("json") : undefined };
}

/** The messages in the vendor's order: instructions apart, turns alternating, user first. */
export function toConversation(call: Call, { model, names }: Plan) {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, (id) => toName(id, "call"));
  const system: Block[] = [];
  const said: MessageTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.receipt.ignore("messages.name");
    if (message.role === "system" || message.role === "developer") {
      for (const block of mark(toBlocks(message, index, call), message)) system.push(block);
    } else if (message.role === "tool") {
      const answered = pairing.results.get(index);
      if (answered) said.push({ role: "user", blocks: [toResult(message, index, answered, call)] });
    } else if (message.role === "assistant") {
      const spoken = toBlocks(message, index, call);
      const calls = (pairing.calls.get(index) ?? []).map(({ id, name, input }): Block => ({
        type: "tool_use",
        id,
        name: names.get(name) ?? toName(name),
        input,
      }));
      const blocks = [...spoken, ...calls];
      // A turn of thinking alone is refused, and says nothing.
      const thought = blocks.length > 0 && model.thinking !== "none" ? toThoughts(message) : [];
      said.push({ role: "assistant", blocks: mark([...thought, ...blocks], message) });
    } else {
      said.push({ role: "user", blocks: mark(toBlocks(message, index, call), message) });
    }
  }
  const turns = mergeTurns(said).map(thoughtsFirst);
  if (turns.length > 0) return { system, turns: withUserEnds(turns, call, model) };
  if (system.length === 0) throw invalid("messages", "at least one message must hold text");
  return { system: [], turns: [{ role: "user" as const, blocks: system }] };
}

/** Puts in the user turns without which the vendor refuses the conversation. */
function withUserEnds(turns: MessageTurn[], call: Call, model: ClaudeModel): MessageTurn[] {
  const all = [...turns];
  const alone = !all.some(({ role }) => role === "user");
  if (all[0]?.role === "assistant" && (alone || !model.assistantFirst)) {
    all.unshift({ role: "user", blocks: [{ type: "text", text: "Continue." }] });
    call.receipt.convert("messages");
    call.receipt.add("messages");
  }
  const last = all.at(-1);
  if (last?.role !== "assistant") return all;
  if (!model.prefill) {
    const text = "Continue from where you stopped.";
    all.push({ role: "user", blocks: [{ type: "text", text }] });
    call.receipt.convert("messages");
    call.receipt.add("messages");
    return all;
  }
  // What the answer continues must not end in white space, nor hold thinking:
  // https://github.com/tailcallhq/forgecode/issues/1853 (2025-11-07).
  const blocks = last.blocks.filter((block) => !isThought(block)).map((block, index, kept) =>
    index === kept.length - 1 && typeof block.text === "string"
      ? { ...block, text: block.text.trimEnd() }
      : block
  );
  return [...all.slice(0, -1), { ...last, blocks }];
}

/** A message's content without what is blank, which the vendor refuses. */
function toBlocks(message: Message, index: number, call: Call): Block[] {
  const blocks: Block[] = [];
  const add = (block: Block, source: JsonObject) => {
    const marker = markerOf(source);
    const last = blocks.at(-1);
    const blank = typeof block.text === "string" && block.text.trim() === "";
    if (!blank) blocks.push(marker ? { ...block, cache_control: marker } : block);
    else if (marker && last) last.cache_control ??= marker;
  };
  const { role, content } = message;
  if (typeof content === "string") add({ type: "text", text: content }, {});
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    if (part.type === "text") add({ type: "text", text: part.text }, part);
    else if (part.type === "refusal") add({ type: "text", text: part.refusal }, part);
    else if (role === "user" || role === "tool") {
      add(toMediaBlock(part, contentPath(index, at), call), part);
    } else throw unsupported(contentPath(index, at), `messages of role '${role}' hold text only`);
  }
  if (role === "assistant" && message.refusal) add({ type: "text", text: message.refusal }, {});
  return blocks;
}

function toMediaBlock(part: ContentPart, path: string, { receipt }: Call): Block {
  const detail = part.type === "image_url" ? part.image_url.detail : undefined;
  if (detail && detail !== "auto") receipt.ignore("image_url.detail");
  const media = readMedia(part, path);
  if ("url" in media) {
    if (!/^https:/i.test(media.url)) throw unsupported(path, "addresses must be https or data");
    const type = part.type === "file_url" ? "document" : "image";
    return { type, source: { type: "url", url: media.url } };
  }
  const media_type = media.mediaType === "image/jpg" ? "image/jpeg" : media.mediaType;
  const source = { type: "base64", media_type, data: media.data };
  if (IMAGE_TYPES.has(media_type)) return { type: "image", source };
  const title = media.filename;
  if (media_type === "application/pdf") return present({ type: "document", source, title });
  const readable = /^text\/|^application\/json$/.test(media_type);
  const data = readable ? decodeText(media.data) : undefined;
  if (!data?.trim()) throw unsupported(path, "only jpeg, png, gif, webp, PDF and text are taken");
  const text = { type: "text", media_type: "text/plain", data };
  return present({ type: "document", source: text, title });
}

/** https://platform.claude.com/docs/en/build-with-claude/vision (2026-11-20). */
const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function toResult(message: Message, index: number, answered: PairedCall, call: Call): Block {
  const { content } = message;
  const blank = typeof content !== "string" || content.trim() === "";
  const marked = typeof content === "string" ? [] : toBlocks(message, index, call);
  const blocks = marked.map(({ cache_control: _, ...block }): Block => block);
  return present({
    type: "tool_result",
    tool_use_id: answered.id,
    content: blocks.length > 0 ? blocks : blank ? undefined : content,
    // Refused inside: https://github.com/caozhiyuan/copilot-api/issues/241 (2026-05-18).
    cache_control: markerOf(message) ?? marked.map(markerOf).findLast((marker) => marker),
  });
}

/**
 * The thinking that an assistant message brings back, byte for byte. All blocks
 * or none: a part of them is refused, as is one without its signature
 * (https://platform.claude.com/docs/en/build-with-claude/preserved-thinking, 2026-11-20).
 */
function toThoughts({ reasoning_details }: Message): Block[] {
  if (!Array.isArray(reasoning_details)) return [];
  const thoughts: Block[] = [];
  for (const entry of reasoning_details) {
    if (!isObject(entry) || entry.format !== REASONING_FORMAT) continue;
    const { type, thinking, signature, data } = entry;
    if (type === "thinking" && typeof thinking === "string" && isText(signature)) {
      thoughts.push({ type, thinking, signature });
    } else if (type === "redacted_thinking" && isText(data)) thoughts.push({ type, data });
    else return [];
  }
  return thoughts;
}

/** The `format` of `reasoning_details` entries that are sent back to this API. */
export const REASONING_FORMAT = "anthropic";

/** Whether a block is one of thinking, shown or not. */
export function isThought(block: Block | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}

/** Merged turns may hold thinking in their middle, where it is refused. */
function thoughtsFirst({ role, blocks }: MessageTurn): MessageTurn {
  const thoughts = blocks.filter(isThought);
  if (thoughts.length === 0) return { role, blocks };
  return { role, blocks: [...thoughts, ...blocks.filter((block) => !isThought(block))] };
}

/** A message's own cache marker goes to its last block. */
function mark(blocks: Block[], message: Message): Block[] {
  const marker = markerOf(message);
  const last = blocks.at(-1);
  return marker && last ? [...blocks.slice(0, -1), { cache_control: marker, ...last }] : blocks;
}

/** A caller's cache marker, if it is an object. */
export function markerOf({ cache_control }: JsonObject): JsonObject | undefined {
  return isObject(cache_control) ? cache_control : undefined;
}

const MAX_NAME = 128;

/** Tool names and call ids: https://github.com/home-assistant/core/issues/147760 (2026-11-20). */
function toName(name: string, fallback = "tool"): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME) || fallback;
}

/** The members that are there. */
export function present(members: JsonObject): JsonObject {
  const there: JsonObject = {};
  for (const name in members) if (members[name] !== undefined) there[name] = members[name];
  return there;
}

/** True for a string that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A fault of the caller, by its path. */
export function invalid(param: string, message: string): GatewayError {
  return new GatewayError("invalid_value", `Invalid value for '${param}': ${message}`, { param });
}

function unsupported(param: string, message: string): GatewayError {
  const text = `Unsupported content in '${param}': ${message}`;
  return new GatewayError("unsupported_content", text, { param });
}
