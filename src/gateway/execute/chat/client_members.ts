/** Client-side members of messages, which clients send back with past answers. */

import type { ChatRequest, JsonObject, Message } from "../../../contract/chat.ts";
import { type MemberTest, withMembers } from "../../../providers/shared/messages.ts";
import type { Checked } from "./prepare_request.ts";

/** LiteLLM's member, which LiteLLM also reads as a server. */
const OF_LITELLM = "provider_specific_fields";

/** How clients of GitHub Copilot mark what a vendor may cache, on messages and content parts. */
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

/** The same call without the members that only clients know. */
export function withoutClientMembers({ adapter, call }: Checked): Checked {
  const { request, receipt, provider } = call;
  const test = adapter.mayBeLiteLlm?.(provider) ? isSentToLiteLlm : isSent;
  const messages = withMembers(request.messages, test, receipt);
  if (messages === request.messages) return { adapter, call };
  return { adapter, call: { ...call, request: { ...request, messages } as ChatRequest } };
}

/** The same call with the marks of Copilot's clients under the name that Claude's vendors know. */
export function withOwnMarks(checked: Checked): Checked {
  const { adapter, call } = checked;
  const { request, model, receipt } = call;
  if (!request.messages.some(hasCopilotMark)) return checked;
  if (adapter.promptMarks?.(model) === undefined) return checked;
  receipt.rename(`messages.${COPILOT_MARK}`, "cache_control");
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

/** A message or a part with the mark under its usual name, unless it has that too. */
function renamed<Marked extends JsonObject>(owner: Marked): Marked {
  const { [COPILOT_MARK]: mark, ...rest } = owner;
  return mark === undefined ? owner : { cache_control: mark, ...rest } as unknown as Marked;
}
