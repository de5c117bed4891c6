/** The caller's body for a native API, without other vendors' state. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { changeEntries, isText } from "../../core/json/values.ts";
import { isMarked, parseCallId } from "../chat/call_ids.ts";
import { isOwnSignature } from "./answer_parts.ts";
import { memberOf } from "../read_fields.ts";

/**
 * Makes the vendor skip the signature check, since calls by other vendors' models have no
 * signature: https://ai.google.dev/gemini-api/docs/thought-signatures (2026-11-20).
 */
const SKIP_SIGNATURE_CHECK = "skip_thought_signature_validator";

/** The members of a part that name a call, and those that hold a signature. */
const CALLS = ["functionCall", "function_call", "functionResponse", "function_response"];
const SIGNATURES = ["thoughtSignature", "thought_signature"];

/**
 * Removes the state that the gateway stored in signatures and call IDs, if an earlier answer of
 * the conversation came from another vendor. A body without such state is returned unchanged.
 */
export function withoutOwnState(body: JsonObject): JsonObject {
  const { contents } = body;
  if (!Array.isArray(contents)) return body;
  const kept = changeEntries(contents, (content) => {
    if (!Array.isArray(content.parts)) return content;
    const parts = changeEntries(content.parts, withoutState);
    return parts === content.parts ? content : { ...content, parts };
  });
  return kept === contents ? body : { ...body, contents: kept };
}

function withoutState(part: JsonObject): JsonObject {
  let changed = part;
  for (const name of SIGNATURES) {
    const signature = part[name];
    if (!isText(signature) || !isOwnSignature(signature)) continue;
    const { [name]: _, ...others } = changed;
    const isCall = CALLS.some((call) => part[call] !== undefined);
    changed = isCall ? { ...others, [name]: SKIP_SIGNATURE_CHECK } : others;
  }
  for (const name of CALLS) {
    const call = part[name];
    if (!isObject(call) || !isText(call.id) || !isMarked(call.id)) continue;
    const { id: _, ...others } = call;
    const original = parseCallId(call.id)?.original;
    changed = { ...changed, [name]: isText(original) ? { ...call, id: original } : others };
  }
  return changed;
}

/** The system instruction and the contents: their texts, media, arguments and results. */
export function toCountedContent(body: JsonObject): readonly unknown[] {
  const system = memberOf(body, "systemInstruction");
  const contents = Array.isArray(body.contents) ? body.contents : [];
  return [system, ...contents].map((content: unknown) => {
    if (!isObject(content)) return content;
    const parts = Array.isArray(content.parts) ? content.parts : [];
    return { role: content.role, parts: parts.map(toCountedPart) };
  });
}

function toCountedPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  const call = memberOf(part, "functionCall");
  if (isObject(call)) return { name: call.name, arguments: call.args };
  const result = memberOf(part, "functionResponse");
  if (isObject(result)) return { input: result.response, parts: result.parts };
  const inline = memberOf(part, "inlineData");
  if (isObject(inline)) return toMedium(inline, inline.data);
  const file = memberOf(part, "fileData");
  if (isObject(file)) return toMedium(file, memberOf(file, "fileUri"));
  return part.text;
}

function toMedium(holder: JsonObject, data: unknown): JsonObject {
  const type = memberOf(holder, "mimeType");
  return { type: "document", source: { media_type: isText(type) ? type : "", data } };
}
