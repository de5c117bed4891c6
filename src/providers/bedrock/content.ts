/**
 * Conversations in the words of Bedrock's Converse API.
 *
 * Blocks: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 * (2026-11-20).
 */

import { type ContentPart, isObject, type JsonObject, type Message } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Call } from "../contract/adapter.ts";
import type { BedrockModel } from "./models.ts";
import { type Plan, toCachePoint, toName } from "./tools.ts";
import { contentPath, mergeTurns, pairTools, readMedia } from "../shared/turns.ts";
import { withoutLegacy } from "../shared/legacy_functions.ts";
import type { PairedCall, Turn } from "../shared/turns.ts";

/** One thing that is said: an object with one member, whose name is its kind. */
export type Block = JsonObject;
/** What one side says. */
export type MessageTurn = Turn<"user" | "assistant", Block>;

/** The messages in the vendor's order: turns that alternate, the user's first and last. */
export interface Conversation {
  readonly system: readonly Block[];
  readonly turns: readonly [MessageTurn, ...MessageTurn[]];
}

/** What marks reasoning as ours to send back. */
export const REASONING_FORMAT = "bedrock";

/**
 * The messages of a request as turns.
 *
 * @throws {GatewayError} for content that has no place, and a conversation that says nothing.
 */
export function toConversation(call: Call, plan: Plan): Conversation {
  const messages = withoutLegacy(call.request.messages);
  const { claude, shortIds } = plan.model;
  const pairing = pairTools(messages, (id) => shortIds ? id : toCallId(id, claude !== undefined));
  const names = new DocumentNames();
  const system: Block[] = [];
  const said: MessageTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.receipt.ignore("messages.name");
    const spoken = () => mark(toBlocks(message, index, call, plan, names), message, plan.model);
    if (message.role === "system" || message.role === "developer") {
      for (const block of spoken()) system.push(block);
    } else if (message.role === "tool") {
      const answered = pairing.results.get(index);
      if (answered === undefined) continue;
      const inner = toBlocks(message, index, call, plan, names);
      const content = inner.filter((block) => !block.cachePoint);
      const toolResult = { toolUseId: toId(answered, plan.model), content };
      const points = inner.filter((block) => block.cachePoint).slice(-1);
      said.push({ role: "user", blocks: mark([{ toolResult }, ...points], message, plan.model) });
    } else if (message.role === "assistant") {
      const calls = (pairing.calls.get(index) ?? []).map((one) => toToolUse(one, plan));
      const blocks = [...toBlocks(message, index, call, plan, names), ...calls];
      const thoughts = blocks.length > 0 && replays(plan.model) ? toThoughts(message) : [];
      said.push({ role: "assistant", blocks: mark([...thoughts, ...blocks], message, plan.model) });
    } else said.push({ role: "user", blocks: spoken() });
  }
  const [first, ...others] = mergeTurns(said).map(thoughtsFirst).map((turn) =>
    withText(turn, call)
  );
  if (first !== undefined) {
    return { system, turns: withUserEnds([first, ...others], call, plan.model) };
  }
  if (system.length > 0) return { system: [], turns: [{ role: "user", blocks: system }] };
  throw new GatewayError(
    "invalid_value",
    "Invalid value for 'messages': at least one message must hold text",
    { param: "messages" },
  );
}

/**
 * An id of a call as the vendor takes it, which Claude does in fewer characters; Kimi wants its
 * own back, such as `functions.look:0`
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html, 2026-11-20).
 */
function toCallId(id: string, isClaude: boolean): string {
  return isClaude ? toName(id, "call") : id.replace(/[^\w.:-]/g, "_").slice(0, 64) || "call";
}

/** The vendor's names of the tools that were called in these turns. */
export function pastTools(turns: readonly MessageTurn[]): readonly string[] {
  const names = turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ toolUse }) => isObject(toolUse) ? [String(toolUse.name)] : [])
  );
  return [...new Set(names)];
}

/**
 * Whether a thinking budget would be refused: before a prefilled answer, and in
 * a tool loop whose thinking did not come back
 * (https://platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows, 2026-11-20).
 */
export function forbidsBudget(turns: readonly MessageTurn[]): boolean {
  const last = turns.at(-1);
  if (last?.role === "assistant") return true;
  return last?.blocks[0]?.toolResult !== undefined && !isThought(turns.at(-2)?.blocks[0]);
}

/** Puts in the user turns without which the vendor refuses the conversation. */
function withUserEnds(
  turns: readonly [MessageTurn, ...MessageTurn[]],
  { receipt }: Call,
  { assistantFirst, prefill }: BedrockModel,
): Conversation["turns"] {
  const all: [MessageTurn, ...MessageTurn[]] = [...turns];
  const alone = !all.some(({ role }) => role === "user");
  if (all[0].role === "assistant" && (alone || !assistantFirst)) {
    all.unshift({ role: "user", blocks: [{ text: "Continue." }] });
    receipt.convert("messages");
    receipt.add("messages");
  }
  const last = all.at(-1);
  if (last?.role !== "assistant") return all;
  if (!prefill) {
    all.push({ role: "user", blocks: [{ text: "Continue from where you stopped." }] });
    receipt.convert("messages");
    receipt.add("messages");
    return all;
  }
  // What the answer continues must not end in white space, nor hold thinking.
  const kept = last.blocks.filter((block) => !isThought(block));
  const end = kept.findLastIndex((block) => !block.cachePoint);
  const blocks = kept.map((block, index) =>
    index === end && typeof block.text === "string" ? { text: block.text.trimEnd() } : block
  );
  all.splice(-1, 1, { role: "assistant", blocks });
  return all;
}

/** A message's content without what is blank, which the vendor refuses. */
function toBlocks(
  message: Message,
  index: number,
  call: Call,
  { model }: Plan,
  names: DocumentNames,
): Block[] {
  const blocks: Block[] = [];
  const add = (block: Block, source: JsonObject) => {
    if (typeof block.text !== "string" || block.text.trim() !== "") blocks.push(block);
    const point = toCachePoint(source.cache_control, model);
    if (point && blocks.length > 0 && !blocks.at(-1)?.cachePoint) blocks.push(point);
  };
  const { role, content } = message;
  if (typeof content === "string") add({ text: content }, {});
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    if (part.type === "text") add({ text: part.text }, part);
    else if (part.type === "refusal") add({ text: part.refusal }, part);
    else if (role === "user" || role === "tool") {
      add(toMediaBlock(part, contentPath(index, at), call, names), part);
    } else throw unsupported(contentPath(index, at), `messages of role '${role}' hold text only`);
  }
  if (role === "assistant" && message.refusal) add({ text: message.refusal }, {});
  return blocks;
}

function toMediaBlock(part: ContentPart, path: string, call: Call, names: DocumentNames): Block {
  const detail = part.type === "image_url" ? part.image_url.detail : undefined;
  if (detail && detail !== "auto") call.receipt.ignore("image_url.detail");
  const media = readMedia(part, path);
  if ("url" in media) return toStoredImage(media.url, path);
  const image = IMAGE_FORMATS.get(media.mediaType);
  if (image !== undefined) return { image: { format: image, source: { bytes: media.data } } };
  const { filename = "" } = media;
  const format = DOCUMENT_FORMATS.get(media.mediaType) ?? formatByName(filename, media.mediaType);
  if (format === undefined) {
    throw unsupported(path, "only images in jpeg, png, gif and webp, and documents are taken");
  }
  const name = names.take(filename);
  return { document: { format, name, source: { bytes: media.data } } };
}

/** The vendor fetches nothing but what lies in S3. */
function toStoredImage(url: string, path: string): Block {
  const extension = /^s3:\/\/.*\.(\w+)$/i.exec(url)?.[1]?.toLowerCase();
  const format = IMAGE_FORMATS.get(`image/${extension}`);
  if (format !== undefined) return { image: { format, source: { s3Location: { uri: url } } } };
  throw unsupported(path, "an image must come as a data URL, or be a jpeg, png, gif or webp in S3");
}

const IMAGE_FORMATS = new Map([
  ["image/jpeg", "jpeg"],
  ["image/jpg", "jpeg"],
  ["image/png", "png"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
]);

const DOCUMENT_FORMATS = new Map([
  ["application/pdf", "pdf"],
  ["text/csv", "csv"],
  ["application/msword", "doc"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["text/html", "html"],
  ["text/markdown", "md"],
  ["application/json", "txt"],
]);
const FORMATS = new Set([...DOCUMENT_FORMATS.values()]);

/** A type that says little leaves it to the file's name. */
function formatByName(filename: string, mediaType: string): string | undefined {
  const extension = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
  if (FORMATS.has(extension)) return extension;
  return mediaType.startsWith("text/") ? "txt" : undefined;
}

/**
 * Names of documents: letters, digits, single spaces, hyphens and brackets, and
 * none twice in a request
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html, 2026-11-20).
 */
class DocumentNames {
  readonly #taken = new Map<string, number>();

  take(filename: string): string {
    const bare = filename.replace(/\.\w+$/, "").replace(/[^a-zA-Z0-9\-()[\]]+/g, " ").trim();
    const name = bare.slice(0, MAX_DOCUMENT_NAME).trim() || "document";
    let unique = name;
    for (let count = this.#taken.get(name) ?? 1; this.#taken.has(unique); count++) {
      unique = `${name} (${count + 1})`;
      this.#taken.set(name, count + 1);
    }
    this.#taken.set(unique, 1);
    return unique;
  }
}

/** Shorter than the vendor's 200, so that there is room for a number. */
const MAX_DOCUMENT_NAME = 180;

/** A document does not stand without words. */
function withText(turn: MessageTurn, { receipt }: Call): MessageTurn {
  const { role, blocks } = turn;
  if (!blocks.some(({ document }) => document) || blocks.some(({ text }) => text)) return turn;
  receipt.convert("messages");
  receipt.add("messages");
  return { role, blocks: [...blocks, { text: "See the document." }] };
}

function toToolUse(paired: PairedCall, { model, names }: Plan): Block {
  const { name, input } = paired;
  return {
    toolUse: { toolUseId: toId(paired, model), name: names.get(name) ?? toName(name), input },
  };
}

/** Mistral's models want nine letters and digits; ids of a conversation differ already. */
function toId({ id }: PairedCall, { shortIds }: BedrockModel): string {
  if (!shortIds || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return hashOf(id).toString(36).padStart(9, "0").slice(-9);
}

/** FNV-1a in 64 bits, in two halves: https://www.rfc-editor.org/rfc/rfc9923 (2026-02). */
function hashOf(text: string): bigint {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of new TextEncoder().encode(text)) {
    low = (low ^ byte) >>> 0;
    // The prime is 2 ** 40 + FNV_PRIME_LOW.
    const carry = Math.floor(low * FNV_PRIME_LOW / 2 ** 32);
    high = (Math.imul(high, FNV_PRIME_LOW) + carry + (low << 8)) >>> 0;
    low = Math.imul(low, FNV_PRIME_LOW) >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}

const FNV_PRIME_LOW = 0x1b3;

function replays({ claude }: BedrockModel): boolean {
  return claude !== undefined && claude.thinking !== "none";
}

/**
 * The reasoning that an assistant message brings back, byte for byte. All of it
 * or nothing: a part is refused, as is reasoning without its signature
 * (https://github.com/vercel/ai/issues/7034, 2025-07).
 */
function toThoughts({ reasoning_details }: Message): Block[] {
  if (!Array.isArray(reasoning_details)) return [];
  const thoughts: Block[] = [];
  for (const entry of reasoning_details) {
    if (!isObject(entry) || entry.format !== REASONING_FORMAT) continue;
    const { text, signature, redactedContent } = entry;
    if (typeof text === "string" && typeof signature === "string" && signature !== "") {
      thoughts.push({ reasoningContent: { reasoningText: { text, signature } } });
    } else if (typeof redactedContent === "string" && redactedContent !== "") {
      thoughts.push({ reasoningContent: { redactedContent } });
    } else return [];
  }
  return thoughts;
}

function isThought(block: Block | undefined): boolean {
  return block?.reasoningContent !== undefined;
}

/** Merged turns may hold reasoning in their middle, where it is refused. */
function thoughtsFirst({ role, blocks }: MessageTurn): MessageTurn {
  const thoughts = blocks.filter(isThought);
  if (thoughts.length === 0) return { role, blocks };
  return { role, blocks: [...thoughts, ...blocks.filter((block) => !isThought(block))] };
}

/** A message's own cache marker counts for all of it. */
function mark(blocks: Block[], message: Message, model: BedrockModel): Block[] {
  const point = toCachePoint(message.cache_control, model);
  return point && blocks.length > 0 && !blocks.at(-1)?.cachePoint ? [...blocks, point] : blocks;
}

function unsupported(param: string, message: string): GatewayError {
  const text = `Unsupported content in '${param}': ${message}`;
  return new GatewayError("unsupported_content", text, { param });
}
