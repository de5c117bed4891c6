/** A completion as an answer of `generateContent`. */

import type { Choice, CompletionBody, JsonObject } from "../../chat/chat.ts";
import type { Envelope } from "../../chat/caller_format.ts";
import { isMarked } from "../../chat/call_ids.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isText } from "../../core/json/values.ts";
import {
  signatureOf,
  toCallPart,
  toFinishReason,
  toImagePart,
  toUsageMetadata,
  type WriteOptions,
} from "./answer_parts.ts";
import { readCall } from "../answer_calls.ts";
import { toSignature } from "./carried_state.ts";

/** The body of an answer that is not streamed. */
export function writeResponse(
  body: CompletionBody,
  envelope: Envelope,
  options: WriteOptions,
): JsonObject {
  const json = new InnerJson();
  return {
    candidates: body.choices.map((choice) => ({
      content: { parts: toParts(choice, options, json), role: "model" },
      finishReason: toFinishReason(choice.finish_reason),
      index: choice.index,
    })),
    usageMetadata: toUsageMetadata(body.usage),
    modelVersion: isText(body.model) ? body.model : envelope.model,
    responseId: isText(body.id) ? body.id : envelope.id,
  };
}

/** Thoughts, text, images, calls: the order in which Google sends them. */
function toParts({ message }: Choice, options: WriteOptions, json: InnerJson): JsonObject[] {
  const { content, refusal, reasoning_content: thought, tool_calls = [] } = message;
  const details = message.reasoning_details ?? [];
  const isCarried = tool_calls.some(({ id }) => isMarked(id));
  const parts: JsonObject[] = [];
  if (options.showsThoughts && isText(thought)) parts.push({ text: thought, thought: true });
  for (const text of [content, refusal]) if (isText(text)) parts.push({ text });
  for (const image of Array.isArray(message.images) ? message.images : []) {
    const part = toImagePart(image);
    if (part !== undefined) parts.push(part);
  }
  for (const [at, call] of tool_calls.entries()) {
    const state = at === 0 && !isCarried ? details : [];
    const signature = signatureOf(call.id, call.extra_content, state);
    parts.push(toCallPart(readCall(call), signature, json));
  }
  if (tool_calls.length === 0 && details.length > 0) {
    const signature = toSignature({ details });
    const last = parts.findLast((part) => part.thought !== true);
    if (last === undefined) parts.push({ text: "", thoughtSignature: signature });
    else last.thoughtSignature = signature;
  }
  return parts;
}
