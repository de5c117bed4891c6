/** What errors of chat templates say about the roles and the order of messages. */

import type { Message } from "../../chat/chat.ts";
import type { Repair, RequestRewrite } from "../contract/adapter.ts";
import type { MessageRefusals } from "../contract/refusals.ts";
import { SYSTEM_REFUSED } from "../shared/claude/native_fit.ts";
import { inAcceptedOrder } from "../shared/refusals/message_order.ts";

/**
 * The repair of a chat for a message of the server, of any status: llama.cpp answers 500. Undefined
 * for other words.
 */
export function roleRepair(message: string | undefined): Repair | undefined {
  return toRepair(message, ({ rewrite }) => rewrite);
}

/** The same for a body of the Messages API, which its server converts to a chat. */
export function systemTurnRepair(message: string | undefined): Repair | undefined {
  return toRepair(message, () => SYSTEM_REFUSED);
}

interface RoleRefusal {
  readonly words: RegExp;
  readonly rewrite: RequestRewrite;
}

function toRepair(
  message = "",
  toRewrite: (refusal: RoleRefusal) => RequestRewrite,
): Repair | undefined {
  for (const refusal of REFUSALS) {
    const words = refusal.words.exec(message)?.[0];
    if (words !== undefined) return { words, rewrite: toRewrite(refusal) };
  }
  return undefined;
}

function rewriteMessages(name: string, refusals: MessageRefusals): RequestRewrite {
  return {
    name,
    isKept: true,
    apply(request, receipt) {
      const { messages } = request.body;
      if (!Array.isArray(messages)) return request;
      const sent = inAcceptedOrder(messages as readonly Message[], refusals, receipt);
      return sent === messages
        ? request
        : { ...request, body: { ...request.body, messages: sent } };
    },
  };
}

const INSTRUCTIONS = { developerRole: true, laterInstructions: true } as const;
const INSTRUCTIONS_FIRST = rewriteMessages("messages.system", INSTRUCTIONS);
const ALTERNATING = rewriteMessages("messages.role", { ...INSTRUCTIONS, repeatedRoles: true });

const REFUSALS: readonly RoleRefusal[] = [
  {
    // Qwen's: https://github.com/vllm-project/vllm/issues/41114 (2026-04-28).
    words: /System message must be at the beginning|Unexpected message role/,
    rewrite: INSTRUCTIONS_FIRST,
  },
  {
    // Mistral's and Gemma's: https://github.com/mistralai/mistral-vibe/issues/255 (2026-01-16),
    // https://github.com/suitenumerique/conversations/issues/197 (2025-12-05).
    words: /onversation roles must alternate/,
    rewrite: ALTERNATING,
  },
  {
    // Mistral's library: https://github.com/NousResearch/hermes-agent/issues/20154 (2026-05-05).
    words: /Unexpected role '\w+' after role '\w+'/,
    rewrite: ALTERNATING,
  },
];
