/** Which requests may be sent to two targets at the same time. */

import { isMarked } from "../../apis/chat/call_ids.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";

/** Members that make a request leave something behind, or that refer to what one left. */
const STATEFUL = [
  "background",
  "container",
  "conversation",
  "mcp_servers",
  "plugins",
  "previous_response_id",
  "prompt",
  "web_search_options",
];

/** Types of tools that the client runs. */
const CLIENT_TOOLS = new Set<unknown>([undefined, null, "custom", "function"]);

/** Types of content that is bound to the vendor that wrote it. */
const BOUND_TYPES = new Set<unknown>([
  ...["thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"],
  ...["reasoning", "compaction", "item_reference", "container_upload"],
]);

/** Members with reasoning state. */
const BOUND_MEMBERS = ["encrypted_content", "extra_content", "reasoning_details", "signature"];

/** Members with the ID of a tool call, which may carry reasoning state. */
const CALL_IDS = ["call_id", "id", "tool_call_id", "tool_use_id"];

/**
 * Whether a second copy of a request does no harm: it uses no server tools, stores nothing, refers
 * to nothing that is stored, asks for one answer, is not cheaper for being slow, and is not bound to
 * a vendor by signatures or reasoning state.
 *
 * @param storesByDefault whether answers are stored unless `store` is false
 */
export function mayHedge(body: JsonObject, storesByDefault = false): boolean {
  const { n, service_tier: tier, store, tools } = body;
  if (store === true || storesByDefault && store !== false) return false;
  if (typeof n === "number" && n > 1 || tier === "flex" || tier === "batch") return false;
  if (STATEFUL.some((name) => isSet(body[name]))) return false;
  const hasServerTool = Array.isArray(tools) &&
    tools.some((tool) => isObject(tool) && !CLIENT_TOOLS.has(tool.type));
  return !hasServerTool && !isBound(body.messages) && !isBound(body.input);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false &&
    !(Array.isArray(value) && value.length === 0);
}

/** Whether one of these messages, items or blocks has state of a vendor. */
function isBound(list: unknown): boolean {
  return Array.isArray(list) && list.some((entry) => isObject(entry) && isBoundEntry(entry));
}

function isBoundEntry(entry: JsonObject): boolean {
  return BOUND_TYPES.has(entry.type) || BOUND_MEMBERS.some((name) => isSet(entry[name])) ||
    CALL_IDS.some((name) => isMarkedId(entry[name])) ||
    isBound(entry.content) || isBound(entry.tool_calls);
}

function isMarkedId(id: unknown): boolean {
  return typeof id === "string" && isMarked(id);
}
