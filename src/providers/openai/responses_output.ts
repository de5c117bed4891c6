/** What comes back from OpenAI's Responses API, as a chat completion and its parts. */

import {
  type AnswerFunctionCall,
  type AnswerMessage,
  type AnswerToolCall,
  type ChatRequest,
  type CompletionBody,
  type FinishReason,
  isObject,
  isServerTool,
  type JsonObject,
  type Usage,
} from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Call } from "../contract/adapter.ts";
import { toCount } from "../shared/answers.ts";
import { REASONING_FORMAT } from "./responses_input.ts";
import { addUp } from "../shared/usage.ts";

/** What separates messages, and parts of reasoning, that the vendor keeps apart. */
export const BREAK = "\n\n";

/**
 * An answer that was not streamed: always one choice, however many items.
 *
 * @throws {GatewayError} `upstream_error` for an answer without output, or one that is not over.
 */
export function toCompletion(body: unknown, call: Call): CompletionBody {
  if (!isObject(body) || !Array.isArray(body.output)) throw broken("holds no output");
  if (!ENDED.has(body.status)) throw broken(`is '${String(body.status).slice(0, 40)}'`);
  const items = body.output.filter(isObject);
  const tools = items.flatMap((item) => toToolCalls(item, call));
  const { logprobs, ...message } = toMessage(items, call);
  const finish_reason = toFinishReason(body, tools.length > 0);
  const choice = {
    index: 0,
    message: { ...message, ...(tools.length > 0 && { tool_calls: tools }) },
    logprobs: logprobs.length > 0 ? toLogprobs(logprobs) : null,
    finish_reason,
  };
  return { ...toEnvelope(body), ...toEnding(body), choices: [choice] };
}

/** The id, the time and the model of a response. */
export function toEnvelope({ id, created_at, model }: JsonObject) {
  return {
    id: isText(id) ? `chatcmpl-${id.replace(/^resp_/, "")}` : undefined,
    created: typeof created_at === "number" && created_at > 0 ? Math.trunc(created_at) : undefined,
    model: isText(model) ? model : undefined,
  };
}

/** What is known of a response only when it is over. */
export function toEnding({ usage, service_tier }: JsonObject) {
  return {
    usage: isObject(usage) ? toUsage(usage) : undefined,
    ...(isText(service_tier) && { service_tier }),
  };
}

/** Why an answer ended; one that has no reason, but is not complete, was too long. */
export function toFinishReason(
  { status, incomplete_details: details }: JsonObject,
  called: boolean,
): FinishReason {
  if (status === "incomplete") {
    const filtered = isObject(details) && details.reason === "content_filter";
    return filtered ? "content_filter" : "length";
  }
  return called ? "tool_calls" : "stop";
}

/** Reasoning as the caller is to bring it back, or undefined when there is nothing sealed. */
export function toDetail(item: JsonObject, index: number, call: Call): JsonObject | undefined {
  if (item.type !== "reasoning" || !isText(item.encrypted_content)) return undefined;
  return {
    format: REASONING_FORMAT,
    // Sealed for this provider's account alone.
    provider: call.provider.id,
    type: "reasoning.encrypted",
    data: item.encrypted_content,
    index,
  };
}

/** The calls of an output item, if it is one. */
export function toToolCalls(item: JsonObject, call: Call): readonly AnswerToolCall[] {
  const id = isText(item.call_id) ? item.call_id : undefined;
  const name = asText(item.name);
  if (name === "") return [];
  if (item.type === "custom_tool_call") {
    const custom = { name, input: asText(item.input) };
    return [{ id: id ?? call.newId("call_"), type: "custom", custom }];
  }
  if (item.type !== "function_call") return [];
  const called = { name, arguments: asText(item.arguments) };
  const made = { id: id ?? call.newId("call_"), type: "function" as const, function: called };
  return isUndeclaredParallel(name, call.request) ? expandParallel(made, call.request) : [made];
}

/**
 * Whether a call is one that models make now and then of a tool that nobody
 * declared, with several calls inside (https://github.com/vercel/ai, commit 6be0f51, 2026-08).
 */
export function isUndeclaredParallel(name: string, request: ChatRequest): boolean {
  return name === PARALLEL && !declaredTools(request).has(PARALLEL);
}

/** A citation in a chat completion's words; nothing for annotations of other kinds. */
export function toCitations(annotation: unknown, shift: number): readonly JsonObject[] {
  if (!isObject(annotation) || annotation.type !== "url_citation") return [];
  const { url, title, start_index, end_index } = annotation;
  const moved = (index: unknown) => typeof index === "number" ? index + shift : shift;
  const citation = {
    url: asText(url),
    title: asText(title),
    start_index: moved(start_index),
    end_index: moved(end_index),
  };
  return [{ type: "url_citation", url_citation: citation }];
}

/** Log probabilities of an answer's text, with the members that strict clients want. */
export function toLogprobs(entries: readonly JsonObject[]): JsonObject {
  const content = entries.map((entry) => ({ bytes: null, top_logprobs: [], ...entry }));
  return { content, refusal: null };
}

/**
 * What an item says of the model's thoughts: summaries, or the reasoning itself where there are
 * none, and commentary that an answer followed.
 */
export function toThoughts(item: JsonObject, answered: boolean): readonly string[] {
  if (item.type === "message" && item.phase === "commentary" && answered) {
    return [toSaid(item).text].filter(isText);
  }
  if (item.type !== "reasoning") return [];
  const summary = textsOf(item.summary);
  return summary.length > 0 ? summary : textsOf(item.content);
}

/** Text, or nothing; relays send null for empty. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** True for text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

const ENDED = new Set<unknown>(["completed", "incomplete", undefined]);

interface Said {
  readonly commentary: boolean;
  readonly text: string;
  readonly refusal: string;
  readonly annotations: readonly (readonly [annotation: unknown, at: number])[];
  readonly logprobs: readonly JsonObject[];
}

/**
 * What the assistant says on the way (`phase` commentary) is content only where
 * no answer follows: some models say the same again in the answer
 * (https://github.com/BerriAI/litellm/issues/41109, 2026-09-14).
 */
function toMessage(
  items: readonly JsonObject[],
  call: Call,
): AnswerMessage & { logprobs: readonly JsonObject[] } {
  const said = items.filter((item) => item.type === "message").map(toSaid);
  const answered = said.some(({ commentary }) => !commentary);
  const spoken = said.filter(({ commentary }) => !commentary || !answered);
  const thoughts = items.flatMap((item) => toThoughts(item, answered));
  const details = items.filter(({ type, encrypted_content }) =>
    type === "reasoning" && isText(encrypted_content)
  )
    .flatMap((item, index) => toDetail(item, index, call) ?? []);
  const annotations: JsonObject[] = [];
  let content = "";
  for (const { text, annotations: own } of spoken) {
    if (text === "") continue;
    if (content !== "") content += BREAK;
    const start = content.length;
    for (const [one, at] of own) {
      for (const citation of toCitations(one, start + at)) annotations.push(citation);
    }
    content += text;
  }
  const refusal = said.map((one) => one.refusal).join("");
  return {
    role: "assistant",
    content: content === "" ? null : content,
    refusal: refusal === "" ? null : refusal,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join(BREAK) }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(annotations.length > 0 && { annotations }),
    logprobs: spoken.flatMap((one) => one.logprobs),
  };
}

function toSaid({ content, phase }: JsonObject): Said {
  let text = "";
  let refusal = "";
  const annotations: [unknown, number][] = [];
  const logprobs: JsonObject[] = [];
  for (const part of listOf(content)) {
    if (part.type === "refusal") refusal += asText(part.refusal);
    if (part.type !== "output_text") continue;
    for (const one of listOf(part.annotations)) annotations.push([one, text.length]);
    for (const one of listOf(part.logprobs)) logprobs.push(one);
    text += asText(part.text);
  }
  return { commentary: phase === "commentary", text, refusal, annotations, logprobs };
}

function textsOf(parts: unknown): readonly string[] {
  return listOf(parts).map(({ text }) => text).filter(isText);
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** `output_tokens` includes reasoning, as `completion_tokens` does. */
function toUsage(usage: JsonObject): Usage | undefined {
  const sums = addUp({
    prompt: [usage.input_tokens],
    completion: [usage.output_tokens],
    total: usage.total_tokens,
  });
  const read = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const made = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const written = read.cache_write_tokens;
  return sums && {
    ...sums,
    prompt_tokens_details: {
      cached_tokens: toCount(read.cached_tokens),
      ...(written != null && { cache_write_tokens: toCount(written) }),
    },
    completion_tokens_details: { reasoning_tokens: toCount(made.reasoning_tokens) },
  };
}

const PARALLEL = "parallel";

/** The calls inside one; the call itself unless each is of a tool that was declared. */
function expandParallel(
  made: AnswerFunctionCall,
  request: ChatRequest,
): readonly AnswerFunctionCall[] {
  const names = declaredTools(request);
  let uses: unknown;
  try {
    uses = JSON.parse(made.function.arguments)?.tool_uses;
  } catch {
    return [made];
  }
  const calls = listOf(uses).map((use, index): AnswerFunctionCall => ({
    id: `${made.id}_${index}`,
    type: "function",
    function: {
      name: asText(use.recipient_name).replace(/^functions\./, ""),
      arguments: JSON.stringify(use.parameters ?? {}),
    },
  }));
  const known = calls.every((call) => names.has(call.function.name));
  return calls.length > 0 && known ? calls : [made];
}

/** The names of a request's tools, which are looked up for each call of an answer. */
const declared = new WeakMap<ChatRequest, ReadonlySet<string>>();

function declaredTools(request: ChatRequest): ReadonlySet<string> {
  const known = declared.get(request);
  if (known !== undefined) return known;
  const { tools = [], functions = [] } = request;
  const names = new Set([
    ...tools.flatMap((tool) => {
      if (isServerTool(tool)) return [];
      return tool.type === "function" ? tool.function.name : tool.custom.name;
    }),
    ...functions.map(({ name }) => name),
  ]);
  declared.set(request, names);
  return names;
}

function broken(what: string): GatewayError {
  return new GatewayError("upstream_error", `The provider's answer ${what}`);
}
