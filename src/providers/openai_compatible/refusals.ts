/** The restrictions of vendors of OpenAI's dialect on names, keys and roles. */

import type { Adapter } from "../../contract/adapter.ts";
import type { MessageRefusals, Refusals } from "../../contract/refusals.ts";
import { CLAUDE_PROPERTY_NAMES } from "../shared/claude/models.ts";
import type { Message } from "../../contract/chat.ts";
import { SYSTEM_REFUSED } from "../shared/claude/native_fit.ts";
import { inAcceptedOrder } from "../shared/refusals/message_order.ts";
import type { Repair, RequestRewrite } from "../../contract/vendor_request.ts";

/** The inputs for the restrictions of a vendor. */
export interface RoleRules {
  /**
   * Whether the vendor writes messages with the model's chat template. Many templates accept
   * instructions only at the start (https://github.com/vllm-project/vllm/issues/41114, 2026-04-28;
   * https://github.com/ggml-org/llama.cpp/issues/27367, 2026-08-19).
   */
  readonly rendersTemplates?: boolean;
  /** Whether the vendor supports the role `developer`. */
  readonly hasDeveloperRole?: boolean;
}

/** The reason for adding messages for templates. */
export const BETWEEN_ROLES =
  "short messages where the template of the model requires that roles alternate";

/** The restrictions of a vendor, by model unless it serves only OpenAI's models. */
export function refusalsOf(
  { rendersTemplates = false, hasDeveloperRole = false }: RoleRules,
): NonNullable<Adapter["refuses"]> {
  if (hasDeveloperRole) return CHAT_RULES;
  return ({ base, upstream }) => ({
    ...(base.includes("claude") || upstream.includes("claude") ? CLAUDE_CHAT_RULES : CHAT_RULES),
    messages: rendersTemplates ? templateRulesOf(base) : NO_DEVELOPER,
  });
}

/** https://platform.openai.com/docs/api-reference/chat/create (2026-11-28). */
const CHAT_RULES: Refusals = {
  toolNames: { refused: /[^a-zA-Z0-9_-]/g, maxLength: 64 },
  // Only the Responses API has it.
  imageDetails: new Map([["original", "high"]]),
  isChatRule: true,
};

/** Vendors that serve Claude have its restrictions. */
const CLAUDE_CHAT_RULES: Refusals = { ...CHAT_RULES, propertyNames: CLAUDE_PROPERTY_NAMES };

const NO_DEVELOPER: MessageRefusals = { developerRole: true };
const TEMPLATE: MessageRefusals = { ...NO_DEVELOPER, laterInstructions: true };
const ALTERNATING: MessageRefusals = { ...TEMPLATE, repeatedRoles: true };

function templateRulesOf(model: string): MessageRefusals {
  return ALTERNATING_MODELS.test(model) ? ALTERNATING : TEMPLATE;
}

/**
 * Models whose templates require that the roles alternate. Mistral's own API does not
 * (https://github.com/mistralai/mistral-vibe/issues/255, 2026-01-16;
 * https://github.com/NousResearch/hermes-agent/issues/20154, 2026-05-05;
 * https://github.com/suitenumerique/conversations/issues/197, 2025-12-05).
 */
const ALTERNATING_MODELS =
  /mi[sx]tral|(?:mini|magi|dev|code)stral|pixtral|voxtral|gemma|llama-?2|command-r/i;

/**
 * The repair of a chat for a server's error message, regardless of the status: llama.cpp responds
 * with 500. Undefined for other messages.
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
    apply(request, changes) {
      const { messages } = request.body;
      if (!Array.isArray(messages)) return request;
      const sent = inAcceptedOrder(messages as readonly Message[], refusals, changes);
      return sent === messages
        ? request
        : { ...request, body: { ...request.body, messages: sent } };
    },
  };
}

const INSTRUCTIONS = { developerRole: true, laterInstructions: true } as const;
const INSTRUCTIONS_FIRST = rewriteMessages("messages.system", INSTRUCTIONS);
const ALTERNATE_ROLES = rewriteMessages("messages.role", { ...INSTRUCTIONS, repeatedRoles: true });

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
    rewrite: ALTERNATE_ROLES,
  },
  {
    // Mistral's library: https://github.com/NousResearch/hermes-agent/issues/20154 (2026-05-05).
    words: /Unexpected role '\w+' after role '\w+'/,
    rewrite: ALTERNATE_ROLES,
  },
];
