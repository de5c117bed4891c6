/** Images and files in tool results, for vendors that take them in user messages only. */

import type { ChatRequest, ContentPart, Message } from "../../chat/chat.ts";
import type { Checked } from "./prepare_request.ts";

/**
 * The same call with the media of tool results in a user message after the last result of a turn,
 * unless the adapter takes them in results.
 */
export function withoutToolMedia(checked: Checked): Checked {
  const { adapter, call } = checked;
  const { request, receipt } = call;
  const { toolMedia } = adapter;
  if (toolMedia === true || !request.messages.some(isToolList)) return checked;
  const kept = new Set<string>(["text", "refusal", ...(toolMedia || [])]);
  const isMoved = ({ type }: ContentPart) => !kept.has(type);
  if (!request.messages.some((message) => hasMedia(message, isMoved))) return checked;
  receipt.convert("messages.tool_media");
  const messages = moveMedia(request.messages, isMoved);
  return { adapter, call: { ...call, request: { ...request, messages } as ChatRequest } };
}

/** Whether a message is a tool's result in parts. */
function isToolList({ role, content }: Message): boolean {
  return role === "tool" && Array.isArray(content);
}

type PartTest = (part: ContentPart) => boolean;

function hasMedia({ role, content }: Message, isMoved: PartTest): boolean {
  return role === "tool" && Array.isArray(content) && content.some(isMoved);
}

function moveMedia(messages: readonly Message[], isMoved: PartTest): Message[] {
  const moved: Message[] = [];
  let media: ContentPart[] = [];
  for (const message of messages) {
    if (message.role !== "tool" && media.length > 0) {
      moved.push({ role: "user", content: media });
      media = [];
    }
    if (message.role !== "tool" || !hasMedia(message, isMoved) || !Array.isArray(message.content)) {
      moved.push(message);
      continue;
    }
    const { content, tool_call_id } = message;
    media.push({ type: "text", text: `From the result of the tool call ${tool_call_id}:` });
    media.push(...content.filter(isMoved));
    const texts = content.filter((part) => !isMoved(part));
    moved.push({ ...message, content: texts.length > 0 ? texts : MOVED });
  }
  if (media.length > 0) moved.push({ role: "user", content: media });
  return moved;
}

/** The text of a tool result that contains only media. */
const MOVED = "The result is in the next message.";
