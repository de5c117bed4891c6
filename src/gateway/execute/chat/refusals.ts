/**
 * Replaces names, keys, roles and results of a chat request that a vendor refuses, before its
 * adapter converts the request. In answers, the caller's names are restored.
 */

import type { ChatRequest, ContentPart, JsonObject, Message } from "../../../contract/chat.ts";
import { traitsOf } from "../../../apis/chat/web_search.ts";
import type { Refusals } from "../../../contract/refusals.ts";
import {
  inAcceptedOrder,
  withImageDetails,
} from "../../../providers/shared/refusals/message_order.ts";
import {
  type SentNames,
  toSentNames,
  usesTools,
  withPropertyNames,
  withToolNames,
} from "../../../providers/shared/refusals/names.ts";
import { restoring } from "../../../providers/shared/refusals/restored_answers.ts";
import type { Call } from "../../../contract/vendor_request.ts";
import { type MemberTest, withMembers } from "../../../providers/shared/messages.ts";
import type { Adapter } from "../../../contract/adapter.ts";

/** A request to which the target's support tables have been applied. */
export interface SupportedCall {
  /** The adapter that serves this call. */
  readonly adapter: Adapter;
  readonly call: Call;
}

/**
 * The same call without the refused parts, and an adapter that restores the names in the answer.
 */
export function withoutRefused(checked: SupportedCall): SupportedCall {
  const { adapter, call } = checked;
  const { refuses } = adapter;
  if (refuses === undefined) return checked;
  const refusals = typeof refuses === "function" ? refuses(call.model) : refuses;
  const isChatRule = refusals.isChatRule && !traitsOf(call.request).isConverted;
  const { propertyNames, messages } = refusals;
  if (isChatRule && propertyNames === undefined && messages === undefined) return checked;
  const ordered = withMessages(call, refusals, isChatRule);
  const { request } = ordered;
  const mayRename = propertyNames !== undefined || !isChatRule;
  if (!mayRename || !usesTools(request)) {
    return ordered === call ? checked : { adapter, call: ordered };
  }
  const renamed = propertyNames && withPropertyNames(request, propertyNames);
  if (renamed !== undefined) call.changes.convert("tools.parameters");
  const named = renamed?.request ?? request;
  const names = isChatRule ? undefined : renamedTools(named, refusals);
  if (renamed === undefined && names === undefined) return { adapter, call: ordered };
  const sent = withRequest(ordered, names === undefined ? named : withToolNames(named, names));
  const tools = new Map([...names ?? []].map(([name, sentName]) => [sentName, name]));
  return {
    adapter: restoring(adapter, sent, { tools, properties: renamed?.original }),
    call: sent,
  };
}

/** The call with messages that the vendor accepts. */
function withMessages(
  call: Call,
  { messages: refusals, imageDetails }: Refusals,
  isChatRule = false,
): Call {
  const { request, changes } = call;
  const ordered = refusals === undefined
    ? request.messages
    : inAcceptedOrder(request.messages, refusals, changes);
  const messages = imageDetails === undefined || isChatRule
    ? ordered
    : withImageDetails(ordered, imageDetails, changes);
  if (messages === request.messages) return call;
  return { ...call, request: { ...request, messages } as ChatRequest };
}

/** The call with a changed request: native parameters are also fields. */
function withRequest(call: Call, request: ChatRequest): Call {
  const fields = { ...call.fields };
  for (const name of TOOL_PARAMETERS) {
    if (fields[name] === call.request[name] && name in fields) fields[name] = request[name];
  }
  return { ...call, request, fields };
}

const TOOL_PARAMETERS = ["tools", "tool_choice", "functions", "function_call"] as const;

/** The new names of tools; undefined if none changes. */
function renamedTools(request: ChatRequest, { toolNames }: Refusals): SentNames | undefined {
  const names = toolNames && toSentNames(request, toolNames);
  return names === undefined || names.size === 0 ? undefined : names;
}

/**
 * The same call with the media of tool results in a user message after the last result of a turn,
 * unless the adapter supports them in results.
 */
export function withoutToolMedia(checked: SupportedCall): SupportedCall {
  const { adapter, call } = checked;
  const { request, changes } = call;
  const { toolMedia } = adapter;
  if (toolMedia === true || !request.messages.some(isToolList)) return checked;
  const kept = new Set<string>(["text", "refusal", ...(toolMedia || [])]);
  const isMoved = ({ type }: ContentPart) => !kept.has(type);
  if (!request.messages.some((message) => hasMedia(message, isMoved))) return checked;
  changes.convert("messages.tool_media");
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

/** LiteLLM's member, which LiteLLM also reads as a server. */
const OF_LITELLM = "provider_specific_fields";

/** The cache breakpoints of GitHub Copilot's clients, on messages and content parts. */
const COPILOT_MARK = "copilot_cache_control";

/** Names of LangChain, the AI SDK, OpenAI's Agents SDK and LiteLLM. */
const CLIENT_MEMBERS = new Set([
  "additional_kwargs",
  "response_metadata",
  "usage_metadata",
  "providerMetadata",
  "providerOptions",
  "providerData",
  COPILOT_MARK,
  OF_LITELLM,
]);

const isSent: MemberTest = (name) => !CLIENT_MEMBERS.has(name);

const isSentToLiteLlm: MemberTest = (name) => name === OF_LITELLM || !CLIENT_MEMBERS.has(name);

/** The same call without client-specific members. */
export function withoutClientMembers({ adapter, call }: SupportedCall): SupportedCall {
  const { request, changes, provider } = call;
  const test = adapter.mayBeLiteLlm?.(provider) ? isSentToLiteLlm : isSent;
  const messages = withMembers(request.messages, test, changes);
  if (messages === request.messages) return { adapter, call };
  return { adapter, call: { ...call, request: { ...request, messages } as ChatRequest } };
}

/** The same call with the marks of Copilot's clients under the name that Claude's vendors use. */
export function withOwnMarks(checked: SupportedCall): SupportedCall {
  const { adapter, call } = checked;
  const { request, model, changes } = call;
  if (!request.messages.some(hasCopilotMark)) return checked;
  if (adapter.promptMarks?.(model) === undefined) return checked;
  changes.rename(`messages.${COPILOT_MARK}`, "cache_control");
  const messages = request.messages.map((message): Message => {
    const { content } = message;
    return {
      ...renamed(message),
      ...(Array.isArray(content) && { content: content.map(renamed) }),
    };
  });
  return { adapter, call: { ...call, request: { ...request, messages } as ChatRequest } };
}

function hasCopilotMark(message: Message): boolean {
  const { content } = message;
  return COPILOT_MARK in message ||
    Array.isArray(content) && content.some((part) => COPILOT_MARK in part);
}

/** A message or a part with the mark under its usual name, unless it already has one. */
function renamed<Marked extends JsonObject>(owner: Marked): Marked {
  const { [COPILOT_MARK]: mark, ...rest } = owner;
  return mark === undefined ? owner : { cache_control: mark, ...rest } as unknown as Marked;
}
