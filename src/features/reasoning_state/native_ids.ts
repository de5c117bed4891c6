/** Replaces tool-call ids in the bodies of native APIs, which are otherwise sent unchanged. */

import { changeEntries } from "../../core/json/change_entries.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { isMarked, parseCallId } from "../../chat/call_ids.ts";

/**
 * A body of the Responses API, the Messages API or Ollama's API with the vendors' own ids: an earlier
 * answer of the conversation may have come from a converted target. A body without the gateway's
 * ids is returned unchanged. Native items and blocks hold their state themselves.
 */
export function withVendorIds(body: JsonObject): JsonObject {
  let changed = body;
  for (const list of LISTS) {
    const entries = body[list];
    if (!Array.isArray(entries)) continue;
    const own = changeEntries(entries, withVendorId);
    if (own !== entries) changed = { ...changed, [list]: own };
  }
  return changed;
}

/** The members that hold a conversation: of the Messages API, and of the Responses API. */
const LISTS = ["messages", "input"];

/** The members of an item or a block that name a call. */
const ID_MEMBERS = ["call_id", "tool_call_id", "tool_use_id", "id"];

/** The members of a message that hold its blocks or calls. */
const INNER_LISTS = ["content", "tool_calls"];

function withVendorId(entry: JsonObject): JsonObject {
  let changed = entry;
  for (const member of ID_MEMBERS) {
    const id = entry[member];
    const original = typeof id === "string" && isMarked(id) ? parseCallId(id)?.original : undefined;
    if (original !== undefined) changed = { ...changed, [member]: original };
  }
  for (const list of INNER_LISTS) {
    const inner = entry[list];
    if (!Array.isArray(inner)) continue;
    const blocks = changeEntries(inner, withVendorId);
    if (blocks !== inner) changed = { ...changed, [list]: blocks };
  }
  return changed;
}
