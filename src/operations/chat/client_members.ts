/** Members of messages that clients keep for themselves, and send back with past answers. */

import type { ChatRequest } from "../../chat/chat.ts";
import { type MemberTest, withMembers } from "../../providers/shared/message_members.ts";
import type { Checked } from "./prepare_request.ts";

/** The member of LiteLLM, which as a server reads it too. */
const OF_LITELLM = "provider_specific_fields";

/** Names of LangChain, the AI SDK, OpenAI's Agents SDK and LiteLLM. */
const CLIENT_MEMBERS = new Set([
  "additional_kwargs",
  "response_metadata",
  "usage_metadata",
  "providerMetadata",
  "providerOptions",
  "providerData",
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
