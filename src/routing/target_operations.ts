/** Checks whether a target has an operation, by its kind and the facts about its model. */

import type { Target } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { OperationName } from "../providers/contract/adapter.ts";

/** The operations of a kind that does not name any. */
const CHAT_ONLY: readonly OperationName[] = ["chat"];

const ENDPOINTS: Readonly<Record<OperationName, string>> = {
  chat: "POST /v1/chat/completions",
  embeddings: "POST /v1/embeddings",
};

/**
 * Refuses an operation that the target does not have, before anything is sent.
 *
 * @throws {GatewayError} `unsupported_operation`; a fallback chain skips the target.
 */
export function checkOperation(
  operation: OperationName,
  { provider: { adapter, settings }, model }: Target,
): void {
  const { operations = CHAT_ONLY } = adapter;
  const embeds = model.facts.capabilities?.embeddings;
  const isChat = operation === "chat";
  if (isChat && embeds === true) {
    throw refused(`The model '${model.id}' is an embedding model; use ${ENDPOINTS.embeddings}`);
  }
  if (!isChat && embeds === false) {
    throw refused(`The model '${model.id}' has no embeddings; use ${ENDPOINTS.chat}`);
  }
  if (!operations.includes(operation)) {
    const what = isChat ? "chat completions" : "embeddings";
    throw refused(`The provider '${settings.id}' (kind '${adapter.kind}') has no ${what}`);
  }
}

function refused(message: string): GatewayError {
  return new GatewayError("unsupported_operation", message, { param: "model" });
}
