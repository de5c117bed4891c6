/**
 * Conversations as content blocks, for Anthropic's Messages API and Bedrock's Converse API, which
 * have the same rules for turns but different blocks.
 */

import type { ContentPart, JsonObject, Message } from "../../../contract/chat.ts";
import { isObject } from "../../../core/json/object.ts";
import { isText } from "../../../core/json/values.ts";
import { contentPath, mergeTurns, type Turn, withoutLegacy } from "../messages.ts";
import { unsupportedContent } from "../errors.ts";
import { type PairedCall, pairTools } from "../../../apis/tool_pairing.ts";
import type { Call } from "../../../contract/vendor_request.ts";
import { invalidValue } from "../../../core/errors.ts";

/** A content block. */
export type Block = JsonObject;

/** The blocks of consecutive messages of one role. */
export type BlockTurn = Turn<"user" | "assistant", Block>;

/** The messages in the vendor's order. */
export interface Conversation {
  /** Instructions, which are separate from the turns. */
  readonly system: readonly Block[];
  /** Turns whose roles alternate. */
  readonly turns: readonly [BlockTurn, ...BlockTurn[]];
}

/** The content blocks of an API. */
export interface BlockFormat {
  /** The `format` of entries in `reasoning_details` that this API accepts. */
  readonly reasoningFormat: string;
  text(text: string): Block;
  /** @throws {GatewayError} for media that the API does not accept. */
  media(part: ContentPart, path: string): Block;
  toolUse(call: PairedCall): Block;
  /**
   * The result of a tool call, and a cache marker if markers are separate blocks.
   *
   * @param blocks the message's content, with its cache markers
   */
  toolResult(message: Message, call: PairedCall, blocks: readonly Block[]): Block[];
  /** An entry of `reasoning_details`; undefined if it cannot be sent back. */
  reasoning(entry: JsonObject): Block | undefined;
  /** Adds a caller's cache marker after the last block, if it is valid and there is a block. */
  markCache(blocks: Block[], marker: unknown): void;
  /** The ID of a tool call, with only the characters that the API accepts. */
  toCallId(id: string): string;
  isReasoning(block: Block): boolean;
  isToolResult(block: Block): boolean;
  isCacheMarker(block: Block): boolean;
  /** The name of the tool that a block calls; undefined for other blocks. */
  calledTool(block: Block): unknown;
}

/** The rules of the API and the model for conversations. */
export interface ConversationRules {
  /** Whether a request may end in an assistant message, which the answer then continues. */
  readonly prefill: boolean;
  /** Whether a conversation may begin with the assistant. */
  readonly assistantFirst: boolean;
  /** Whether the model accepts its earlier reasoning. */
  readonly takesReasoning: boolean;
}

/**
 * The messages of a request as turns of blocks.
 *
 * @throws {GatewayError} for content that the API does not accept, and for messages without
 * content.
 */
export function toConversation(
  call: Call,
  rules: ConversationRules,
  format: BlockFormat,
): Conversation {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, format.toCallId);
  const system: Block[] = [];
  const turns: BlockTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.changes.ignore("messages.name");
    if (message.role === "tool") {
      const answered = pairing.results.get(index);
      if (answered === undefined) continue;
      const content = toBlocks(message, index, format);
      turns.push({ role: "user", blocks: format.toolResult(message, answered, content) });
      continue;
    }
    const blocks = message.role === "assistant"
      ? toAssistantBlocks(message, index, pairing.calls.get(index) ?? [], rules, format)
      : toBlocks(message, index, format);
    format.markCache(blocks, message.cache_control);
    if (message.role === "user" || message.role === "assistant") {
      turns.push({ role: message.role, blocks });
    } else for (const block of blocks) system.push(block);
  }
  const [first, ...others] = mergeTurns(turns).map((turn) => reasoningFirst(turn, format));
  if (first !== undefined) {
    return { system, turns: withUserEnds([first, ...others], call, rules, format) };
  }
  if (system.length > 0) return { system: [], turns: [{ role: "user", blocks: system }] };
  throw invalidValue("messages", "at least one message must contain text");
}

/** The vendor's names of the tools that were called in these turns. */
export function pastTools(
  turns: readonly BlockTurn[],
  { calledTool }: BlockFormat,
): readonly string[] {
  const names = turns.flatMap(({ blocks }) => blocks.map(calledTool));
  return [...new Set(names.filter(isText))];
}

/**
 * Whether the turns forbid a thinking budget: before a prefilled answer, and in a tool loop whose
 * thinking was not sent back
 * (https://platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows, 2026-11-20).
 */
export function forbidsThinkingBudget(
  turns: readonly BlockTurn[],
  { isReasoning, isToolResult }: BlockFormat,
): boolean {
  const last = turns.at(-1);
  if (last === undefined) return false;
  if (last.role === "assistant") return true;
  const [result] = last.blocks;
  if (result === undefined || !isToolResult(result)) return false;
  const reasoning = turns.at(-2)?.blocks[0];
  return reasoning === undefined || !isReasoning(reasoning);
}

function toAssistantBlocks(
  message: Message,
  index: number,
  calls: readonly PairedCall[],
  { takesReasoning }: ConversationRules,
  format: BlockFormat,
): Block[] {
  const blocks = [...toBlocks(message, index, format), ...calls.map(format.toolUse)];
  // The vendor rejects a turn that contains only reasoning.
  if (blocks.length === 0 || !takesReasoning) return blocks;
  return [...toReasoning(message, format), ...blocks];
}

/** The content of a message without blank text, which the vendor rejects. */
function toBlocks(message: Message, index: number, format: BlockFormat): Block[] {
  const { role, content, refusal } = message;
  const blocks: Block[] = [];
  const addText = (text: string) => {
    if (text.trim() !== "") blocks.push(format.text(text));
  };
  if (typeof content === "string") addText(content);
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    const path = contentPath(index, at);
    if (part.type === "text") addText(part.text);
    else if (part.type === "refusal") addText(part.refusal);
    else if (role === "user" || role === "tool") blocks.push(format.media(part, path));
    else throw unsupportedContent(path, `messages of role '${role}' may contain only text`);
    format.markCache(blocks, part.cache_control);
  }
  if (role === "assistant" && refusal) addText(refusal);
  return blocks;
}

/**
 * The reasoning of a past assistant message, unchanged. Either all blocks are sent or none, because
 * the vendor rejects incomplete ones and blocks without a signature
 * (https://platform.claude.com/docs/en/build-with-claude/preserved-thinking, 2026-11-20;
 * https://github.com/vercel/ai/issues/7034, 2025-07).
 */
function toReasoning({ reasoning_details: entries }: Message, format: BlockFormat): Block[] {
  const blocks: Block[] = [];
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (!isObject(entry) || entry.format !== format.reasoningFormat) continue;
    const block = format.reasoning(entry);
    if (block === undefined) return [];
    blocks.push(block);
  }
  return blocks;
}

/**
 * Moves reasoning to the start of a turn. The vendor rejects it elsewhere, for example in merged
 * turns.
 */
function reasoningFirst(turn: BlockTurn, { isReasoning }: BlockFormat): BlockTurn {
  const reasoning = turn.blocks.filter(isReasoning);
  if (reasoning.length === 0) return turn;
  const others = turn.blocks.filter((block) => !isReasoning(block));
  return { role: turn.role, blocks: [...reasoning, ...others] };
}

/** Adds user turns without which the vendor would reject the conversation. */
function withUserEnds(
  turns: Conversation["turns"],
  { changes }: Call,
  { prefill, assistantFirst }: ConversationRules,
  format: BlockFormat,
): Conversation["turns"] {
  const all: [BlockTurn, ...BlockTurn[]] = [...turns];
  const userTurn = (text: string): BlockTurn => {
    changes.convert("messages");
    changes.add("messages");
    return { role: "user", blocks: [format.text(text)] };
  };
  const hasUser = all.some(({ role }) => role === "user");
  if (all[0].role === "assistant" && !(hasUser && assistantFirst)) {
    all.unshift(userTurn("Continue."));
  }
  const last = all.at(-1);
  if (last?.role !== "assistant") return all;
  if (prefill) all.splice(-1, 1, { role: "assistant", blocks: toPrefill(last.blocks, format) });
  else all.push(userTurn("Continue from where you stopped."));
  return all;
}

/**
 * The start of an answer, which must not end in whitespace or contain reasoning:
 * https://github.com/tailcallhq/forgecode/issues/1853 (2025-11-07).
 */
function toPrefill(
  blocks: readonly Block[],
  { isReasoning, isCacheMarker }: BlockFormat,
): readonly Block[] {
  const kept = blocks.filter((block) => !isReasoning(block));
  const end = kept.findLastIndex((block) => !isCacheMarker(block));
  return kept.map((block, index) =>
    index === end && typeof block.text === "string"
      ? { ...block, text: block.text.trimEnd() }
      : block
  );
}
