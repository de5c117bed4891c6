/** A completion as a message of the Messages API. */

import type {
  AnswerMessage,
  AnswerToolCall,
  CompletionBody,
  JsonObject,
} from "../../contract/chat.ts";
import { type AnswerBlock, blocksOf } from "../chat/answer_blocks.ts";
import type { Envelope } from "../chat/caller_format.ts";
import { JsonError } from "../../core/json/limits.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { countInput } from "../chat/token_estimate.ts";
import { tokenFamilyOf } from "../token_families.ts";
import { isMarked } from "../chat/call_ids.ts";
import { parseArguments } from "../tool_pairing.ts";
import {
  idOf,
  matchedStop,
  modelOf,
  searchUsage,
  toFinalUsage,
  toSignature,
  toStop,
  type WriteOptions,
} from "./answer_parts.ts";
import { type SearchBlocks, toCitations, toSearchBlocks } from "./web_search.ts";

/** The body of a non-streamed answer. */
export function writeMessage(
  body: CompletionBody,
  envelope: Envelope,
  options: WriteOptions,
): JsonObject {
  const [choice] = body.choices;
  const message = choice?.message ?? { role: "assistant", content: null };
  const id = idOf(body.id, envelope.id);
  const searches = toSearchBlocks(message, id);
  const content = toBlocks(message, searches, options);
  const omitted = options.onOmitted && message.reasoning_content;
  const model = modelOf(body.model, envelope.model);
  const called = (message.tool_calls?.length ?? 0) > 0;
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    ...toStop(choice?.finish_reason ?? "stop", {
      called,
      refused: isText(message.refusal),
      matched: choice && matchedStop(choice, options.stops),
    }),
    usage: {
      ...toFinalUsage(
        body.usage,
        options.estimate,
        () => countInput([content, omitted]).tokens(tokenFamilyOf(model)),
      ),
      ...searchUsage(searches.length),
    },
  };
}

/**
 * The blocks in Anthropic's order: thinking, searches, text, calls. Clients reject empty texts.
 */
function toBlocks(
  message: AnswerMessage,
  searches: readonly SearchBlocks[],
  options: WriteOptions,
): JsonObject[] {
  const { content, refusal, tool_calls = [] } = message;
  const json = new InnerJson();
  const blocks = blocksOf(message);
  if (blocks !== undefined) return toOrderedBlocks(blocks, message, options);
  return [
    ...toThinking(message, options),
    ...searches.flatMap(({ call, result }) => [call, result]),
    ...[content].filter(isText).map((text) => toTextBlock(text, message)),
    ...[refusal].filter(isText).map((text) => ({ type: "text", text })),
    ...tool_calls.map((call) => toToolUse(call, json)),
  ];
}

/**
 * The blocks in the vendor's order. The last thinking block before a call carries the turn's state.
 */
function toOrderedBlocks(
  blocks: readonly AnswerBlock[],
  message: AnswerMessage,
  options: WriteOptions,
): JsonObject[] {
  const { refusal, tool_calls = [] } = message;
  const json = new InnerJson();
  const firstCall = blocks.findIndex(({ type }) => type === "call");
  const before = blocks.slice(0, firstCall === -1 ? blocks.length : firstCall);
  const omits = options.onOmitted !== undefined;
  const carrier = omits ? -1 : before.findLastIndex(({ type }) => type === "thinking");
  const [carried] = toThinking(message, options);
  const written = blocks.flatMap((block, at): JsonObject[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    if (block.type === "call") {
      const call = tool_calls[block.index];
      return call === undefined ? [] : [toToolUse(call, json)];
    }
    if (omits) return [];
    const thinking = options.omitsThinking ? "" : block.text;
    if (at === carrier) return [{ ...carried, thinking }];
    return [{ type: "thinking", thinking, signature: toSignature({ details: [] }) }];
  });
  const refused = [refusal].filter(isText).map((text) => ({ type: "text", text }));
  return carrier === -1 && carried !== undefined
    ? [{ ...carried, thinking: "" }, ...written, ...refused]
    : [...written, ...refused];
}

function toTextBlock(text: string, message: AnswerMessage): JsonObject {
  const citations = toCitations(message, text);
  return { type: "text", text, ...(citations.length > 0 && { citations }) };
}

/** Thinking blocks. The signature carries the state that the vendor needs in the next request. */
function toThinking(
  message: AnswerMessage,
  { omitsThinking, onOmitted }: WriteOptions,
): JsonObject[] {
  const { reasoning_content, reasoning_details = [], tool_calls = [] } = message;
  const isCarried = tool_calls.some(({ id }) => isMarked(id));
  const details = isCarried ? [] : reasoning_details;
  const calls = new Map<string, JsonObject>();
  for (const call of tool_calls) {
    const extra = isCarried ? undefined : extraOf(call);
    if (extra !== undefined) calls.set(call.id, extra);
  }
  const thinking = reasoning_content ?? "";
  if (thinking === "" && details.length === 0 && calls.size === 0) return [];
  if (onOmitted !== undefined) {
    onOmitted();
    if (tool_calls.length === 0 || details.length === 0 && calls.size === 0) return [];
  }
  const signature = toSignature({ details, calls });
  return [{ type: "thinking", thinking: omitsThinking || onOmitted ? "" : thinking, signature }];
}

/**
 * The members of a call that the vendor needs in the next request, but that a block cannot hold.
 */
export function extraOf({ extra_content }: JsonObject): JsonObject | undefined {
  return isObject(extra_content) ? { extra_content } : undefined;
}

function toToolUse(call: AnswerToolCall, json: InnerJson): JsonObject {
  const { id } = call;
  if (call.type === "custom") {
    return { type: "tool_use", id, name: call.custom.name, input: { input: call.custom.input } };
  }
  const { name, arguments: text } = call.function;
  return { type: "tool_use", id, name, input: inputOf(text, json) };
}

/** Arguments with too much JSON stay text, like malformed ones. */
function inputOf(text: string, json: InnerJson): JsonObject {
  try {
    return parseArguments(text, json);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    return { arguments: text };
  }
}
