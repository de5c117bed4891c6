/** Converts answers from OpenAI's Responses API to chat completions, and its web search. */

import {
  type AnswerFunctionCall,
  type AnswerMessage,
  type AnswerToolCall,
  type ChatRequest,
  type CompletionBody,
  type FinishReason,
  isServerTool,
  type Usage,
} from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { BlockOrder } from "../../apis/chat/answer_blocks.ts";
import { placeOf, returnsSearches, type WebSearchCall } from "../../apis/chat/web_search.ts";
import { REASONING_FORMAT } from "./responses_input.ts";
import { addUp } from "../../apis/usage.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isText, present, toCount, toList, toObject, toText } from "../../core/json/values.ts";
import { brokenAnswer } from "../shared/errors.ts";
import type { Call } from "../../contract/vendor_request.ts";

// Web search in the Responses API: the tool, and the items for its searches.
//
// Shapes: `WebSearchTool` and `WebSearchToolCall` of https://github.com/openai/openai-openapi
// (v2.3.0, 2026-08-21).

/** The value of `include` for the pages of a search; otherwise, only cited pages are known. */
export const INCLUDE_PAGES = "web_search_call.action.sources";

/** The tool for `web_search_options`. */
export function toWebSearch(search: JsonObject, { changes }: Call): JsonObject {
  const { search_context_size, filters } = search;
  const { allowed_domains, ...others } = isObject(filters) ? filters : {};
  for (const name of Object.keys(others)) changes.ignore(`web_search_options.filters.${name}`);
  const place = placeOf(search);
  return present({
    type: "web_search",
    search_context_size: search_context_size ?? undefined,
    filters: allowed_domains === undefined ? undefined : { allowed_domains },
    user_location: place && { type: "approximate", ...place },
  });
}

/** The search in an output item; undefined for other items, and for the opening of a page. */
export function toSearch({ type, action }: JsonObject): WebSearchCall | undefined {
  if (type !== "web_search_call" || !isObject(action) || action.type !== "search") return undefined;
  const { query, queries, sources } = action;
  const pages = toList(sources).filter(isObject);
  return {
    query: isText(query) ? query : toList(queries).filter(isText).join("\n"),
    // The vendor identifies pages by their URLs only.
    results: pages.flatMap(({ url, title }) =>
      isText(url) ? [{ url, title: isText(title) ? title : url }] : []
    ),
  };
}

/** The separator between messages, and between parts of reasoning. */
export const BREAK = "\n\n";

/**
 * Converts a non-streamed answer. It always has one choice.
 *
 * @throws {GatewayError} `upstream_error` for an answer without output or an incomplete one.
 */
export function toCompletion(body: unknown, call: Call): CompletionBody {
  if (!isObject(body) || !Array.isArray(body.output)) throw brokenAnswer("has no output");
  if (!ENDED.has(body.status)) throw brokenAnswer(`is '${String(body.status).slice(0, 40)}'`);
  const items = body.output.filter(isObject);
  const calls = items.map((item) => toToolCalls(item, call));
  const tools = calls.flat();
  const { logprobs, ...message } = toMessage(items, call);
  const finish_reason = toFinishReason(body, tools.length > 0);
  const whole = { ...message, ...(tools.length > 0 && { tool_calls: tools }) };
  // Citations and tokens refer to positions in the whole text.
  const isWhole = message.annotations !== undefined || message.web_search_calls !== undefined ||
    logprobs.length > 0;
  const choice = {
    index: 0,
    message: isWhole ? whole : orderOf(items, calls).addTo(whole),
    logprobs: logprobs.length > 0 ? toLogprobs(logprobs) : null,
    finish_reason,
  };
  return { ...toEnvelope(body), ...toEnding(body), choices: [choice] };
}

/** @param calls the calls of each item */
function orderOf(
  items: readonly JsonObject[],
  calls: readonly (readonly AnswerToolCall[])[],
): BlockOrder {
  const order = new BlockOrder();
  const isAnswered = items.some(({ type, phase }) => type === "message" && phase !== "commentary");
  for (const [at, item] of items.entries()) {
    const thoughts = toThoughts(item, isAnswered);
    for (const thought of thoughts) order.say("thinking", thought, BREAK);
    const isText = item.type === "message" && thoughts.length === 0;
    if (isText) order.say("text", toMessageText(item).text, BREAK);
    for (const _ of calls[at] ?? []) order.call();
  }
  return order;
}

/** The ID, the time and the model of a response. */
export function toEnvelope({ id, created_at, model }: JsonObject) {
  return {
    id: isText(id) ? `chatcmpl-${id.replace(/^resp_/, "")}` : undefined,
    created: typeof created_at === "number" && created_at > 0 ? Math.trunc(created_at) : undefined,
    model: isText(model) ? model : undefined,
  };
}

/** The members that are known only at the end of a response. */
export function toEnding({ usage, service_tier }: JsonObject) {
  return {
    usage: isObject(usage) ? toUsage(usage) : undefined,
    ...(isText(service_tier) && { service_tier }),
  };
}

/** The finish reason. An incomplete answer without a reason has reached its length limit. */
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

/** Encrypted reasoning for the caller to send back, or undefined when there is none. */
export function toDetail(item: JsonObject, index: number, call: Call): JsonObject | undefined {
  if (item.type !== "reasoning" || !isText(item.encrypted_content)) return undefined;
  return {
    format: REASONING_FORMAT,
    // Only this provider's account can decrypt it.
    provider: call.provider.id,
    type: "reasoning.encrypted",
    data: item.encrypted_content,
    index,
  };
}

/** The tool calls of an output item, if it is one. */
export function toToolCalls(item: JsonObject, call: Call): readonly AnswerToolCall[] {
  const id = isText(item.call_id) ? item.call_id : undefined;
  const name = toText(item.name);
  if (name === "") return [];
  if (item.type === "custom_tool_call") {
    const custom = { name, input: toText(item.input) };
    return [{ id: id ?? call.newId("call_"), type: "custom", custom }];
  }
  if (item.type !== "function_call") return [];
  const called = { name, arguments: toText(item.arguments) };
  const toolCall = { id: id ?? call.newId("call_"), type: "function" as const, function: called };
  return isUndeclaredParallel(name, call.request)
    ? expandParallel(toolCall, call.request)
    : [toolCall];
}

/**
 * Whether a call is a wrapper around several calls. Models sometimes call such a tool although the
 * request does not declare it (https://github.com/vercel/ai, commit 6be0f51, 2026-08).
 */
export function isUndeclaredParallel(name: string, request: ChatRequest): boolean {
  return name === PARALLEL && !declaredTools(request).has(PARALLEL);
}

/** A citation in the chat completions format; empty for other types of annotations. */
export function toCitations(annotation: unknown, shift: number): readonly JsonObject[] {
  if (!isObject(annotation) || annotation.type !== "url_citation") return [];
  const { url, title, start_index, end_index } = annotation;
  const moved = (index: unknown) => typeof index === "number" ? index + shift : shift;
  const citation = {
    url: toText(url),
    title: toText(title),
    start_index: moved(start_index),
    end_index: moved(end_index),
  };
  return [{ type: "url_citation", url_citation: citation }];
}

/** Log probabilities of an answer's text, with the members that strict clients require. */
export function toLogprobs(entries: readonly JsonObject[]): JsonObject {
  const content = entries.map((entry) => ({ bytes: null, top_logprobs: [], ...entry }));
  return { content, refusal: null };
}

/**
 * The reasoning of an item: its summaries, otherwise the reasoning text, and commentary that is
 * followed by an answer.
 */
export function toThoughts(item: JsonObject, answered: boolean): readonly string[] {
  if (item.type === "message" && item.phase === "commentary" && answered) {
    return [toMessageText(item).text].filter(isText);
  }
  if (item.type !== "reasoning") return [];
  const summary = textsOf(item.summary);
  return summary.length > 0 ? summary : textsOf(item.content);
}

const ENDED = new Set<unknown>(["completed", "incomplete", undefined]);

interface MessageText {
  readonly commentary: boolean;
  readonly text: string;
  readonly refusal: string;
  readonly annotations: readonly (readonly [annotation: unknown, at: number])[];
  readonly logprobs: readonly JsonObject[];
}

/**
 * Commentary (`phase`) is content only if no answer follows, since some models repeat it in the
 * answer
 * (https://github.com/BerriAI/litellm/issues/41109, 2026-09-14).
 */
function toMessage(
  items: readonly JsonObject[],
  call: Call,
): AnswerMessage & { logprobs: readonly JsonObject[] } {
  const messages = items.filter((item) => item.type === "message").map(toMessageText);
  const answered = messages.some(({ commentary }) => !commentary);
  const contentMessages = messages.filter(({ commentary }) => !commentary || !answered);
  const reasoning = items.flatMap((item) => toThoughts(item, answered));
  const details = items.filter(({ type, encrypted_content }) =>
    type === "reasoning" && isText(encrypted_content)
  )
    .flatMap((item, index) => toDetail(item, index, call) ?? []);
  const annotations: JsonObject[] = [];
  const searches = returnsSearches(call.request)
    ? items.flatMap((item) => toSearch(item) ?? [])
    : [];
  let content = "";
  for (const { text, annotations: messageAnnotations } of contentMessages) {
    if (text === "") continue;
    if (content !== "") content += BREAK;
    const start = content.length;
    for (const [one, at] of messageAnnotations) {
      for (const citation of toCitations(one, start + at)) annotations.push(citation);
    }
    content += text;
  }
  const refusal = messages.map((one) => one.refusal).join("");
  return {
    role: "assistant",
    content: content === "" ? null : content,
    refusal: refusal === "" ? null : refusal,
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join(BREAK) }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(annotations.length > 0 && { annotations }),
    ...(searches.length > 0 && { web_search_calls: searches }),
    logprobs: contentMessages.flatMap((one) => one.logprobs),
  };
}

function toMessageText({ content, phase }: JsonObject): MessageText {
  let text = "";
  let refusal = "";
  const annotations: [unknown, number][] = [];
  const logprobs: JsonObject[] = [];
  for (const part of listOf(content)) {
    if (part.type === "refusal") refusal += toText(part.refusal);
    if (part.type !== "output_text") continue;
    for (const one of listOf(part.annotations)) annotations.push([one, text.length]);
    for (const one of listOf(part.logprobs)) logprobs.push(one);
    text += toText(part.text);
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
  const toolCall = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const written = read.cache_write_tokens;
  return sums && {
    ...sums,
    prompt_tokens_details: {
      cached_tokens: toCount(read.cached_tokens),
      ...(written != null && { cache_write_tokens: toCount(written) }),
    },
    completion_tokens_details: { reasoning_tokens: toCount(toolCall.reasoning_tokens) },
  };
}

const PARALLEL = "parallel";

/** The calls inside a wrapper; the wrapper itself unless the request declares all their tools. */
function expandParallel(
  toolCall: AnswerFunctionCall,
  request: ChatRequest,
): readonly AnswerFunctionCall[] {
  const names = declaredTools(request);
  let uses: unknown;
  try {
    uses = toObject(new InnerJson().parse(toolCall.function.arguments)).tool_uses;
  } catch {
    return [toolCall];
  }
  const calls = listOf(uses).map((use, index): AnswerFunctionCall => ({
    id: `${toolCall.id}_${index}`,
    type: "function",
    function: {
      name: toText(use.recipient_name).replace(/^functions\./, ""),
      arguments: JSON.stringify(use.parameters ?? {}),
    },
  }));
  const known = calls.every((call) => names.has(call.function.name));
  return calls.length > 0 && known ? calls : [toolCall];
}

/** Caches the tool names of a request. */
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
