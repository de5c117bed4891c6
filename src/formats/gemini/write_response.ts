/** A completion as an answer of `generateContent`. */

import { type AnswerBlock, blocksOf } from "../../chat/answer_blocks.ts";
import type {
  AnswerMessage,
  AnswerToolCall,
  Choice,
  CompletionBody,
  JsonObject,
} from "../../chat/chat.ts";
import type { Envelope } from "../../chat/caller_format.ts";
import { isMarked } from "../../chat/call_ids.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isText, toList } from "../../core/json/values.ts";
import {
  signatureOf,
  toCallPart,
  toFinishReason,
  toImagePart,
  toLogprobsMember,
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
      ...toLogprobsMember(choice.logprobs),
    })),
    usageMetadata: toUsageMetadata(body.usage),
    modelVersion: isText(body.model) ? body.model : envelope.model,
    responseId: isText(body.id) ? body.id : envelope.id,
  };
}

/** Thoughts, text, images, calls: the order in which Google sends them, unless the vendor's differs. */
function toParts({ message }: Choice, options: WriteOptions, json: InnerJson): JsonObject[] {
  const { refusal, tool_calls = [] } = message;
  const details = message.reasoning_details ?? [];
  const isCarried = tool_calls.some(({ id }) => isMarked(id));
  const toCall = (call: AnswerToolCall, at: number) => {
    const state = at === 0 && !isCarried ? details : [];
    return toCallPart(readCall(call), signatureOf(call.id, call.extra_content, state), json);
  };
  const images = toList(message.images).map(toImagePart).filter((part) => part !== undefined);
  const blocks = blocksOf(message);
  const parts: JsonObject[] = blocks === undefined
    ? [...toTextParts(message, options), ...images, ...tool_calls.map(toCall)]
    : [
      ...blocks.flatMap((block): JsonObject[] => {
        if (block.type !== "call") return toTextPart(block, options);
        const call = tool_calls[block.index];
        return call === undefined ? [] : [toCall(call, block.index)];
      }),
      ...toTextPart({ type: "text", text: refusal ?? "" }, options),
      ...images,
    ];
  if (tool_calls.length === 0 && details.length > 0) {
    const signature = toSignature({ details });
    const last = parts.findLast((part) => part.thought !== true);
    if (last === undefined) parts.push({ text: "", thoughtSignature: signature });
    else last.thoughtSignature = signature;
  }
  return parts;
}

function toTextParts(
  { reasoning_content: thought, content, refusal }: AnswerMessage,
  options: WriteOptions,
): JsonObject[] {
  return [
    ...toTextPart({ type: "thinking", text: thought ?? "" }, options),
    ...[content, refusal].flatMap((text) =>
      toTextPart({ type: "text", text: text ?? "" }, options)
    ),
  ];
}

function toTextPart(
  { type, text }: Exclude<AnswerBlock, { type: "call" }>,
  { showsThoughts }: WriteOptions,
): JsonObject[] {
  if (text === "" || type === "thinking" && !showsThoughts) return [];
  return [type === "thinking" ? { text, thought: true } : { text }];
}
