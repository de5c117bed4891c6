/** The reasoning state feature. */

import type { Feature, NativeFeature } from "../../gateway/feature.ts";
import type { StateCarrier } from "./carrier.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { withVendorIds } from "../../apis/chat/call_ids.ts";

/** Members that offer tools, or refer to a conversation that may have used some. */
const OFFERS: readonly string[] = ["tools", "functions", "previous_response_id", "conversation"];

/** The members in all formats that hold a conversation. */
const CONVERSATIONS: readonly string[] = ["messages", "input", "contents"];

/** The types of items and parts that are not calls, results or references. */
const PLAIN_TYPES: ReadonlySet<unknown> = new Set([
  ...[undefined, "message", "text", "input_text", "output_text", "refusal", "thinking"],
  ...["image", "image_url", "input_image", "input_audio", "document", "file", "input_file"],
]);

/** Members of messages and parts that are calls or results. */
const CALLS: readonly string[] = [
  ...["tool_calls", "function_call", "functionCall"],
  ...["function_response", "functionResponse"],
];

/** The roles of results. */
const RESULT_ROLES: ReadonlySet<unknown> = new Set(["tool", "function"]);

/** Whether a body offers tools, or contains anything other than plain content. */
function mayUseTools(body: JsonObject): boolean {
  for (const name of OFFERS) if (body[name] != null) return true;
  for (const name of CONVERSATIONS) {
    const entries = body[name];
    if (Array.isArray(entries) && entries.some(isToolEntry)) return true;
  }
  return false;
}

function isToolEntry(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  if (!PLAIN_TYPES.has(entry.type) || RESULT_ROLES.has(entry.role)) return true;
  for (const name of CALLS) if (entry[name] != null) return true;
  const { content = entry.parts } = entry;
  return Array.isArray(content) && content.some(isToolEntry);
}

const native: NativeFeature = { request: ({ body }) => withVendorIds(body) };

/** Puts reasoning state into tool call IDs, and restores it. */
export function reasoningState(carrier: StateCarrier): Feature {
  return {
    name: "reasoning_state",
    plan(
      { config: { server: { max_body: maxBody, reasoning_state: settings } }, targets },
      { operation },
    ) {
      if (operation !== "chat") return undefined;
      const offersTools = targets.some(({ params }) => params !== undefined && mayUseTools(params));
      return {
        ...(!offersTools && { wakes: { body: mayUseTools } }),
        start: (caller) => ({
          chat: (request) => carrier.read(request, caller, settings, maxBody),
          native,
        }),
      };
    },
  };
}
