/**
 * Converts message roles and orderings that vendors reject. The conversion is deterministic, so
 * that the start of a conversation stays the same for prompt caches.
 */

import { type ContentPart, type Message, textOf } from "../../../contract/chat.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type { MessageRefusals } from "../../../contract/refusals.ts";

/**
 * Messages without the roles and orderings that the vendor rejects. Unchanged messages are not
 * copied.
 */
export function inAcceptedOrder(
  messages: readonly Message[],
  refusals: MessageRefusals,
  changes: RequestChanges,
): readonly Message[] {
  let sent = messages;
  if (refusals.developerRole && messages.some(({ role }) => role === "developer")) {
    sent = messages.map((message) =>
      message.role === "developer" ? { ...message, role: "system" } : message
    );
  }
  if (refusals.laterInstructions && hasLaterInstructions(sent)) {
    sent = withInstructionsFirst(sent, changes);
    changes.convert("messages");
  }
  return refusals.repeatedRoles ? inAlternatingRoles(sent, changes) : sent;
}

function isInstruction({ role }: Message): boolean {
  return role === "system" || role === "developer";
}

function hasLaterInstructions(messages: readonly Message[]): boolean {
  for (let at = 1; at < messages.length; at++) {
    if (isInstruction(messages[at] as Message)) return true;
  }
  return false;
}

/**
 * Joins the instructions at the start into one message. Each later one becomes part of the
 * preceding user message, otherwise of the next one, so that it is never between a call and its
 * results.
 */
function withInstructionsFirst(messages: readonly Message[], changes: RequestChanges): Message[] {
  const first = messages.findIndex((message) => !isInstruction(message));
  const leading = first === -1 ? messages : messages.slice(0, first);
  for (const message of messages) {
    if (isInstruction(message) && message.name) changes.ignore("messages.name");
  }
  const sent: Placed[] = joined(leading).map((message) => ({ message, before: [], after: [] }));
  let waiting: ContentPart[] = [];
  for (const message of messages.slice(leading.length)) {
    const last = sent.at(-1);
    if (isInstruction(message)) {
      const places = last?.message.role === "user" ? last.after : waiting;
      places.push(...toTaggedParts(message));
      continue;
    }
    const before = message.role === "user" ? waiting : [];
    if (message.role === "user") waiting = [];
    sent.push({ message, before, after: [] });
  }
  const placed = sent.map(toMessage);
  return waiting.length > 0 ? [...placed, { role: "user", content: waiting }] : placed;
}

/** A message, and the instructions to merge into it. */
interface Placed {
  readonly message: Message;
  readonly before: readonly ContentPart[];
  readonly after: ContentPart[];
}

function toMessage({ message, before, after }: Placed): Message {
  if (before.length === 0 && after.length === 0) return message;
  return { ...message, content: [...before, ...partsOf(message), ...after] } as Message;
}

/** Instructions as one message; unchanged if there is only one. */
function joined(leading: readonly Message[]): Message[] {
  if (leading.length < 2) return [...leading];
  const texts = leading.flatMap(partsOf).map((part) => textOf([part]));
  return [{ role: "system", content: texts.filter((text) => text !== "").join("\n\n") }];
}

function toTaggedParts(message: Message): ContentPart[] {
  const text = partsOf(message).map((part) => textOf([part])).filter((text) => text !== "")
    .join("\n\n");
  return text === "" ? [] : [{ type: "text", text: `<system>${text}</system>` }];
}

function partsOf({ content }: Message): readonly ContentPart[] {
  if (content == null || content === "") return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Alternating user and assistant messages, apart from calls and results. */
function inAlternatingRoles(
  messages: readonly Message[],
  changes: RequestChanges,
): readonly Message[] {
  let sent = messages;
  if (hasRepeatedRoles(sent)) {
    sent = withoutRepeatedRoles(sent);
    changes.convert("messages");
  }
  const filled = withMissingTurns(sent);
  if (filled.length === sent.length) return sent;
  changes.convert("messages");
  changes.add("messages");
  return filled;
}

function isRepeated(before: Message | undefined, message: Message): boolean {
  if (before?.role !== message.role) return false;
  return message.role === "user" || message.role === "assistant" && !hasCalls(before);
}

function hasCalls(message: Message): boolean {
  return message.role === "assistant" &&
    (message.tool_calls != null && message.tool_calls.length > 0 || message.function_call != null);
}

function hasRepeatedRoles(messages: readonly Message[]): boolean {
  return messages.some((message, at) => isRepeated(messages[at - 1], message));
}

/** Joins consecutive user messages and consecutive assistant messages. */
function withoutRepeatedRoles(messages: readonly Message[]): Message[] {
  const runs: Message[][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    if (run !== undefined && isRepeated(run.at(-1), message)) run.push(message);
    else runs.push([message]);
  }
  return runs.map(joinedRun);
}

function joinedRun(run: readonly Message[]): Message {
  const [first, ...others] = run;
  if (first === undefined || others.length === 0) return first as Message;
  return { ...first, ...others.at(-1), content: joinedContent(run) } as Message;
}

/** One text if all parts are text, otherwise all parts. */
function joinedContent(run: readonly Message[]): string | ContentPart[] {
  const contents = run.map(({ content }) => content ?? "").filter((content) => content.length > 0);
  const texts = contents.filter((content) => typeof content === "string");
  return texts.length === contents.length ? texts.join("\n\n") : run.flatMap(partsOf);
}

/** Adds short messages: a user message at the start, and assistant messages after tool results. */
function withMissingTurns(messages: readonly Message[]): readonly Message[] {
  const sent: Message[] = [];
  for (const message of messages) {
    const before = sent.at(-1)?.role;
    const isFirst = before === undefined || before === "system";
    if (isFirst && message.role === "assistant") sent.push({ role: "user", content: "Continue." });
    if ((before === "tool" || before === "function") && message.role === "user") {
      sent.push({ role: "assistant", content: "OK." });
    }
    sent.push(message);
  }
  return sent;
}

/** Messages with only detail levels that the vendor supports. Unchanged messages are not copied. */
export function withImageDetails(
  messages: readonly Message[],
  details: ReadonlyMap<string, string>,
  changes: RequestChanges,
): readonly Message[] {
  const sentFor = (part: ContentPart) =>
    part.type === "image_url" ? details.get(part.image_url.detail ?? "") : undefined;
  const isChanged = ({ content }: Message) =>
    Array.isArray(content) && content.some((part) => sentFor(part) !== undefined);
  if (!messages.some(isChanged)) return messages;
  const toSent = (part: ContentPart): ContentPart => {
    const detail = sentFor(part);
    if (detail === undefined || part.type !== "image_url") return part;
    changes.convert("image_url.detail", part.image_url.detail ?? "", detail);
    return { ...part, image_url: { ...part.image_url, detail } };
  };
  return messages.map((message): Message => {
    const { content } = message;
    if (!isChanged(message) || !Array.isArray(content)) return message;
    return { ...message, content: content.map(toSent) };
  });
}
