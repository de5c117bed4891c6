/** What vendors of OpenAI's dialect refuse in names, keys and roles. */

import type { Adapter } from "../contract/adapter.ts";
import type { MessageRefusals, Refusals } from "../contract/refusals.ts";
import { CLAUDE_PROPERTY_NAMES } from "../shared/claude/models.ts";

/** What the refusals of a vendor depend on. */
export interface RoleRules {
  /**
   * Whether the vendor writes messages with the chat template of the model. Many templates take
   * instructions only at the start
   * (https://github.com/vllm-project/vllm/issues/41114, 2026-04-28;
   * https://github.com/ggml-org/llama.cpp/issues/27367, 2026-08-19).
   */
  readonly rendersTemplates?: boolean;
  /** Whether the vendor has the role `developer`. */
  readonly hasDeveloperRole?: boolean;
}

/** Why messages are added for templates. */
export const BETWEEN_ROLES =
  "short messages where the template of the model requires that roles alternate";

/** What a vendor refuses: by the model, unless it serves only OpenAI's. */
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

/** Vendors that serve Claude pass its refusals on. */
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
