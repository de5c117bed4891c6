/**
 * Gemini's answers: https://ai.google.dev/api/generate-content (2026-11-20).
 */

import type {
  AnswerMessage,
  AnswerToolCall,
  Choice,
  CompletionBody,
  FinishReason,
  JsonObject,
  Usage,
} from "../../chat/chat.ts";
import { isObject } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Call, VendorAnswer, Verdict } from "../contract/adapter.ts";
import { toCount } from "../shared/answers.ts";
import { OWN_ID, type Part } from "./turns.ts";
import { FenceFilter } from "../shared/json_fence.ts";
import { addUp } from "../shared/usage.ts";

/** What reading an answer has to know of its request. */
export interface AnswerRules {
  /** The caller's names of tools, by the vendor's. */
  readonly original: ReadonlyMap<string, string>;
  /** Whether only the first call of an answer is passed on. */
  readonly single: boolean;
  /** Whether the answer is JSON by instruction only, and may stand in a fence. */
  readonly fenced: boolean;
}

/** What stands around an answer's candidates. */
export interface Envelope {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly created: number | undefined;
}

export function toCompletion(
  { body, headers }: VendorAnswer,
  call: Call,
  rules: AnswerRules,
): CompletionBody {
  if (!isObject(body)) throw broken("is not an object");
  const candidates = Array.isArray(body.candidates) ? body.candidates.filter(isObject) : [];
  if (candidates.length === 0) {
    const { kind, message } = readBlock(body) ?? { kind: "upstream_error" as const };
    throw new GatewayError(kind, message ?? "The provider's answer holds no candidates");
  }
  const tier = toTier(body.usageMetadata, headers.get("x-gemini-service-tier"));
  return {
    ...readEnvelope(body),
    choices: candidates.map((candidate, at) => toChoice(candidate, at, call, rules)),
    usage: readUsage(body.usageMetadata),
    ...(tier && { service_tier: tier }),
  };
}

export function readEnvelope(body: JsonObject): Envelope {
  const { responseId, modelVersion, createTime } = body;
  const created = typeof createTime === "string" ? Date.parse(createTime) / 1000 : NaN;
  return {
    id: isText(responseId) ? responseId : undefined,
    model: isText(modelVersion) ? modelVersion : undefined,
    created: created > 0 ? Math.floor(created) : undefined,
  };
}

/** The verdict on a prompt that was blocked, or undefined when none was. */
export function readBlock({ promptFeedback: feedback }: JsonObject): Verdict | undefined {
  if (!isObject(feedback) || !isText(feedback.blockReason)) return undefined;
  const { blockReason, blockReasonMessage: words } = feedback;
  const message = `The provider blocked the prompt: ${blockReason}`;
  return { kind: "content_filter", message: isText(words) ? `${message} (${words})` : message };
}

/** What one part of an answer says. Code that ran, and what it printed, have no place here. */
export type Piece =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "image"; readonly image: JsonObject }
  | { readonly type: "call"; readonly call: JsonObject; readonly signature: string | undefined }
  | undefined;

export function readPart(part: Part): Piece {
  const { text, thought, functionCall, inlineData, thoughtSignature } = part;
  if (isObject(functionCall)) {
    const signature = isText(thoughtSignature) ? thoughtSignature : undefined;
    return { type: "call", call: functionCall, signature };
  }
  if (typeof text === "string") return { type: thought === true ? "reasoning" : "text", text };
  if (isObject(inlineData) && thought !== true && isText(inlineData.data)) {
    const type = isText(inlineData.mimeType) ? inlineData.mimeType : "image/png";
    const image_url = { url: `data:${type};base64,${inlineData.data}` };
    return { type: "image", image: { type: "image_url", image_url } };
  }
  return undefined;
}

/** The parts of a candidate, of which there may be none. */
export function partsOf({ content }: JsonObject): readonly Part[] {
  return isObject(content) && Array.isArray(content.parts) ? content.parts.filter(isObject) : [];
}

/** A call as the caller gets it: named as the caller named it, with an id in any case. */
export function toCall(
  { id, name }: JsonObject,
  args: string,
  signature: string | undefined,
  newId: Call["newId"],
  { original }: AnswerRules,
): AnswerToolCall {
  return {
    id: isText(id) ? id : newId(OWN_ID),
    type: "function",
    function: { name: originalName(String(name), original), arguments: args },
    ...(signature !== undefined && { extra_content: { google: { thought_signature: signature } } }),
  };
}

/**
 * Why a candidate ended; a verdict when the vendor says that it failed.
 *
 * @param spoken whether there is any answer
 */
export function readFinish(
  { finishReason: reason, finishMessage: words }: JsonObject,
  spoken: boolean,
): FinishReason | Verdict {
  const finish = FINISH_REASONS.get(reason);
  if (finish !== undefined) return finish;
  if (!FAILURES.has(reason) && (spoken || !EMPTY_FAILURES.has(reason))) return "stop";
  const message = `The provider could not finish its answer: ${String(reason)}`;
  return { kind: "upstream_error", message: isText(words) ? `${message} (${words})` : message };
}

/** Whether this end is a failure whatever was said before it. */
export function isFailure(reason: unknown): boolean {
  return FAILURES.has(reason);
}

/** Counts that add up: the vendor counts thoughts beside the answer, OpenAI within it. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = [usage.promptTokenCount, usage.toolUsePromptTokenCount];
  const candidates = toCount(usage.candidatesTokenCount);
  const reasoning = toCount(usage.thoughtsTokenCount);
  const asked = toCount(prompt[0]) + toCount(prompt[1]);
  // Some answers count the thoughts among the candidates' tokens already.
  const within = reasoning <= candidates && toCount(usage.totalTokenCount) === asked + candidates;
  const sums = addUp({
    prompt,
    completion: [usage.candidatesTokenCount, within ? undefined : usage.thoughtsTokenCount],
    total: usage.totalTokenCount,
  });
  const heard = audioOf(usage.promptTokensDetails);
  const spoken = audioOf(usage.candidatesTokensDetails);
  return sums && {
    ...sums,
    prompt_tokens_details: {
      cached_tokens: toCount(usage.cachedContentTokenCount),
      ...(heard > 0 && { audio_tokens: heard }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      ...(spoken > 0 && { audio_tokens: spoken }),
    },
  };
}

/** The tier that served the request, in OpenAI's words. */
export function toTier(usage: unknown, header?: string | null): string | undefined {
  const { serviceTier, trafficType } = isObject(usage) ? usage : {};
  for (const word of [serviceTier, header, trafficType]) {
    if (isText(word)) return TIERS.get(word.toLowerCase().replace("on_demand_", ""));
  }
  return undefined;
}

/** Log probabilities in OpenAI's shape, or undefined when there are none. */
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

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function toChoice(candidate: JsonObject, at: number, call: Call, rules: AnswerRules): Choice {
  let content = "";
  let reasoning = "";
  const images: JsonObject[] = [];
  const tool_calls: AnswerToolCall[] = [];
  for (const part of partsOf(candidate)) {
    const piece = readPart(part);
    if (piece?.type === "text") content += piece.text;
    else if (piece?.type === "reasoning") reasoning += piece.text;
    else if (piece?.type === "image") images.push(piece.image);
    else if (piece?.type === "call" && !(rules.single && tool_calls.length > 0)) {
      if (!isText(piece.call.name)) throw broken("calls a tool without a name");
      const args = JSON.stringify(piece.call.args ?? {});
      tool_calls.push(toCall(piece.call, args, piece.signature, call.newId, rules));
    }
  }
  const spoken = content !== "" || images.length > 0 || tool_calls.length > 0;
  if (!spoken && candidate.finishReason === undefined) throw broken("is empty");
  const finish = readFinish(candidate, spoken);
  if (typeof finish !== "string") throw new GatewayError(finish.kind, finish.message ?? "");
  if (rules.fenced) {
    const fence = new FenceFilter();
    content = fence.push(content) + fence.end();
  }
  const message: AnswerMessage = {
    role: "assistant",
    content: content === "" && tool_calls.length > 0 ? null : content,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(images.length > 0 && { images }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  const index = Number.isInteger(candidate.index) ? candidate.index as number : at;
  const logprobs = readLogprobs(candidate);
  return { index, message, finish_reason: finish, ...(logprobs && { logprobs }) };
}

const FINISH_REASONS = new Map<unknown, FinishReason>([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["LANGUAGE", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
  ["ESCALATION", "content_filter"],
]);

/** What was said then is no answer, and a call in it is not to be made. */
const FAILURES = new Set<unknown>([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
]);

/** Failures only where nothing was said. */
const EMPTY_FAILURES = new Set<unknown>([
  "OTHER",
  "NO_IMAGE",
  "IMAGE_OTHER",
  "FINISH_REASON_UNSPECIFIED",
]);

const TIERS = new Map([
  ["standard", "default"],
  ["flex", "flex"],
  ["priority", "priority"],
]);

/** The vendor sometimes puts its own namespace before a name that it was given. */
function originalName(name: string, original: ReadonlyMap<string, string>): string {
  return original.get(name) ?? original.get(name.replace(/^default_api[:.]/, "")) ?? name;
}

function toLogprob({ token, logProbability }: JsonObject): JsonObject {
  const text = typeof token === "string" ? token : "";
  return { token: text, logprob: logProbability, bytes: [...new TextEncoder().encode(text)] };
}

function audioOf(details: unknown): number {
  const rows = Array.isArray(details) ? details.filter(isObject) : [];
  return toCount(rows.find(({ modality }) => modality === "AUDIO")?.tokenCount);
}

function broken(what: string): GatewayError {
  return new GatewayError("upstream_error", `The provider's answer ${what}`);
}
