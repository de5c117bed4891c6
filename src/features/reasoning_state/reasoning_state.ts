/** The reasoning state feature. */

import type { Feature, NativeFeature } from "../../gateway/feature.ts";
import type { StateCarrier } from "./carrier.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { withVendorIds } from "../../apis/chat/call_ids.ts";

/** The types of items and parts that are not calls, results or references. */
const PLAIN_TYPES: ReadonlySet<unknown> = new Set([
  ...[undefined, "message", "text", "input_text", "output_text", "refusal", "thinking"],
  ...["image", "image_url", "input_image", "input_audio", "document", "file", "input_file"],
]);

/** The roles of results. */
const RESULT_ROLES: ReadonlySet<unknown> = new Set(["tool", "function"]);

/**
 * Whether a body of any format offers tools, refers to a conversation that may have used some, or
 * contains anything other than plain content. Every chat request is checked, so this allocates
 * nothing.
 */
function mayUseTools(body: JsonObject): boolean {
  const { messages, input, contents } = body;
  return body.tools != null || body.functions != null || body.previous_response_id != null ||
    body.conversation != null ||
    Array.isArray(messages) && messages.some(isToolEntry) ||
    Array.isArray(input) && input.some(isToolEntry) ||
    Array.isArray(contents) && contents.some(isToolEntry);
}

function isToolEntry(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  if (!PLAIN_TYPES.has(entry.type) || RESULT_ROLES.has(entry.role)) return true;
  if (
    entry.tool_calls != null || entry.function_call != null || entry.functionCall != null ||
    entry.function_response != null || entry.functionResponse != null
  ) return true;
  const { content = entry.parts } = entry;
  return Array.isArray(content) && content.some(isToolEntry);
}

const native: NativeFeature = { request: ({ body }) => withVendorIds(body) };

/** Puts reasoning state into tool call IDs, and restores it. */
export function reasoningState(carrier: StateCarrier): Feature {
  return {
    name: "reasoning_state",
    plan({ config: { server }, targets }, { operation }) {
      if (operation !== "chat") return undefined;
      const offersTools = targets.some(({ params }) => params !== undefined && mayUseTools(params));
      return {
        ...(!offersTools && { wakes: { body: mayUseTools } }),
        start: (caller) => ({
          chat: (request) => carrier.read(request, caller, server.reasoning_state, server.max_body),
          native,
        }),
      };
    },
  };
}
