/**
 * Gemini's answers: https://ai.google.dev/api/generate-content (2026-11-20).
 */

import {
  type AnswerMessage,
  type AnswerToolCall,
  type ChatRequest,
  type Choice,
  type CompletionBody,
  isObject,
  type JsonObject,
} from "../../contract/chat.ts";
import { BlockOrder } from "../../apis/chat/answer_blocks.ts";
import { GatewayError } from "../../core/errors.ts";
import { readGrounding } from "./grounding.ts";
import { OWN_ID } from "./turns.ts";
import type { Part } from "../../apis/gemini/usage.ts";
import { FenceFilter } from "../shared/json_fence.ts";
import { isText } from "../../core/json/values.ts";
import { brokenAnswer } from "../shared/errors.ts";
import { FAILURES, partsOf, readFinish, readUsage, toTier } from "../../apis/gemini/usage.ts";
import type { Call, UpstreamError, VendorAnswer } from "../../contract/vendor_request.ts";

/** The facts about the request that are needed to read its answer. */
export interface AnswerRules {
  /** The names of the tools. */
  readonly toolNames: ReadonlySet<string>;
  /** Whether only the first call of an answer is forwarded. */
  readonly single: boolean;
  /** Whether JSON was requested by an instruction, so that the answer may have a code fence. */
  readonly fenced: boolean;
  /** Whether the answer may be grounded in a search. */
  readonly grounded: boolean;
  readonly request: ChatRequest;
}

/** The members of an answer that apply to all candidates. */
export interface Envelope {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly created: number | undefined;
}

/**
 * Converts an answer.
 *
 * @throws {GatewayError} `upstream_error` for an answer that cannot be read, and the error of a
 * blocked prompt.
 */
export function toCompletion(
  { body, headers }: VendorAnswer,
  call: Call,
  rules: AnswerRules,
): CompletionBody {
  if (!isObject(body)) throw brokenAnswer("is not an object");
  const candidates = Array.isArray(body.candidates) ? body.candidates.filter(isObject) : [];
  if (candidates.length === 0) {
    const { kind, message } = readBlock(body) ?? { kind: "upstream_error" as const };
    throw new GatewayError(kind, message ?? "The provider's answer contains no candidates");
  }
  const tier = toTier(body.usageMetadata, headers.get("x-gemini-service-tier"));
  return {
    ...readEnvelope(body),
    choices: candidates.map((candidate, at) => toChoice(candidate, at, call, rules)),
    usage: readUsage(body.usageMetadata),
    ...(tier && { service_tier: tier }),
  };
}

/** Reads the members that apply to all candidates. */
export function readEnvelope(body: JsonObject): Envelope {
  const { responseId, modelVersion, createTime } = body;
  const created = typeof createTime === "string" ? Date.parse(createTime) / 1000 : NaN;
  return {
    id: isText(responseId) ? responseId : undefined,
    model: isText(modelVersion) ? modelVersion : undefined,
    created: created > 0 ? Math.floor(created) : undefined,
  };
}

/** The error for a blocked prompt; undefined if the vendor did not block it. */
export function readBlock({ promptFeedback: feedback }: JsonObject): UpstreamError | undefined {
  if (!isObject(feedback) || !isText(feedback.blockReason)) return undefined;
  const { blockReason, blockReasonMessage: words } = feedback;
  const message = `The provider blocked the prompt: ${blockReason}`;
  return { kind: "content_filter", message: isText(words) ? `${message} (${words})` : message };
}

/** One part of an answer; undefined for other types, such as executed code and its output. */
type Piece =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  /** Models draw drafts in their thoughts; sometimes the last one is the only image. */
  | { readonly type: "image" | "draft"; readonly image: JsonObject }
  | { readonly type: "call"; readonly call: JsonObject; readonly signature: string | undefined }
  | undefined;

/** Reads one part of an answer. */
export function readPart(part: Part): Piece {
  const { text, thought, functionCall, inlineData, thoughtSignature } = part;
  if (isObject(functionCall)) {
    const signature = isText(thoughtSignature) ? thoughtSignature : undefined;
    return { type: "call", call: functionCall, signature };
  }
  if (typeof text === "string") return { type: thought === true ? "reasoning" : "text", text };
  if (isObject(inlineData) && isText(inlineData.data)) {
    const type = isText(inlineData.mimeType) ? inlineData.mimeType : "image/png";
    const image_url = { url: `data:${type};base64,${inlineData.data}` };
    const image = { type: "image_url", image_url };
    return { type: thought === true ? "draft" : "image", image };
  }
  return undefined;
}

/**
 * Converts a tool call. It receives the caller's name for the tool, and a new ID if the vendor sent
 * none.
 */
export function toCall(
  { id, name }: JsonObject,
  args: string,
  signature: string | undefined,
  newId: Call["newId"],
  { toolNames }: AnswerRules,
): AnswerToolCall {
  return {
    id: isText(id) ? id : newId(OWN_ID),
    type: "function",
    function: { name: plainName(String(name), toolNames), arguments: args },
    ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
  };
}

/** Whether a finish reason is a failure, regardless of the content before it. */
export function isFailure(reason: unknown): boolean {
  return FAILURES.has(reason);
}

/** Log probabilities in OpenAI's format; undefined if there are none. */
export function readLogprobs({ logprobsResult: result }: JsonObject): JsonObject | undefined {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return undefined;
  const tops = Array.isArray(result.topCandidates) ? result.topCandidates : [];
  const content = result.chosenCandidates.filter(isObject).map((chosen, at) => {
    const top: unknown = tops[at];
    const others = isObject(top) && Array.isArray(top.candidates) ? top.candidates : [];
    return { ...toLogprob(chosen), top_logprobs: others.filter(isObject).map(toLogprob) };
  });
  return { content, refusal: null };
}

function toChoice(candidate: JsonObject, at: number, call: Call, rules: AnswerRules): Choice {
  let content = "";
  let reasoning = "";
  const images: JsonObject[] = [];
  let draft: JsonObject | undefined;
  const tool_calls: AnswerToolCall[] = [];
  const order = new BlockOrder();
  for (const part of partsOf(candidate)) {
    const piece = readPart(part);
    if (piece?.type === "text") {
      content += piece.text;
      order.say("text", piece.text);
    } else if (piece?.type === "reasoning") {
      reasoning += piece.text;
      order.say("thinking", piece.text);
    } else if (piece?.type === "image") images.push(piece.image);
    else if (piece?.type === "draft") draft = piece.image;
    else if (piece?.type === "call" && !(rules.single && tool_calls.length > 0)) {
      if (!isText(piece.call.name)) throw brokenAnswer("calls a tool without a name");
      const args = JSON.stringify(piece.call.args ?? {});
      tool_calls.push(toCall(piece.call, args, piece.signature, call.newId, rules));
      order.call();
    }
  }
  if (images.length === 0 && draft !== undefined) images.push(draft);
  const hasOutput = content !== "" || images.length > 0 || tool_calls.length > 0;
  if (!hasOutput && candidate.finishReason === undefined) throw brokenAnswer("is empty");
  const finish = readFinish(candidate, hasOutput);
  if (typeof finish !== "string") throw new GatewayError(finish.kind, finish.message ?? "");
  if (rules.fenced) {
    const fence = new FenceFilter();
    content = fence.push(content) + fence.end();
  }
  const isGrounded = rules.grounded;
  const message: AnswerMessage = {
    role: "assistant",
    content: content === "" && tool_calls.length > 0 ? null : content,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(images.length > 0 && { images }),
    ...(isGrounded && readGrounding(candidate.groundingMetadata, content, rules.request)),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  // Citations refer to positions in the whole text, and a filtered text differs from its blocks.
  if (!isGrounded && !rules.fenced) order.addTo(message);
  const index = Number.isInteger(candidate.index) ? candidate.index as number : at;
  const logprobs = readLogprobs(candidate);
  return { index, message, finish_reason: finish, ...(logprobs && { logprobs }) };
}

/** The vendor sometimes adds its own namespace to the name of a tool. */
function plainName(name: string, toolNames: ReadonlySet<string>): string {
  const plain = name.replace(/^default_api[:.]/, "");
  return toolNames.has(plain) && !toolNames.has(name) ? plain : name;
}

function toLogprob({ token, logProbability }: JsonObject): JsonObject {
  const text = typeof token === "string" ? token : "";
  return { token: text, logprob: logProbability, bytes: [...new TextEncoder().encode(text)] };
}
