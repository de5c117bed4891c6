/**
 * Mistral's chat API: OpenAI's dialect, but strict. It refuses every member
 * that it does not know, so messages and tools are built anew.
 *
 * Shapes: https://docs.mistral.ai/api/ and
 * https://github.com/mistralai/client-python (2026-06).
 */

import { type ChatRequest, type ContentPart, isObject, type JsonObject } from "../../chat/chat.ts";
import { type Message, textOf } from "../../chat/chat.ts";
import { isVendorPart } from "../../chat/content.ts";
import type { Call, Failure, ModelFacts, TargetModel, Verdict } from "../contract/adapter.ts";
import { asObjectSchema } from "../shared/json_schema.ts";
import { noteLegacyTools, withoutLegacy } from "../shared/legacy_functions.ts";
import { openAiCompatible } from "../openai_compatible/adapter.ts";
import { toVerdict } from "../openai_compatible/errors.ts";
import { converted, ignored, native, nativeAs, nativeOnly, renamed } from "../contract/support.ts";
import type { Support } from "../contract/support.ts";
import { contentPath, pairTools, planTools, present, readMedia } from "../shared/turns.ts";
import { type PairedCall, unsupported } from "../shared/turns.ts";

/** Mistral's chat API. */
export const mistral = openAiCompatible({
  kind: "mistral",
  genAiName: "mistral_ai",
  defaults: { baseUrl: "https://api.mistral.ai/v1", credentials: "required" },
  parameters: {
    stream_options: converted("usage always comes; the gateway passes it on or not"),
    max_completion_tokens: renamed("max_tokens"),
    temperature: nativeAs("capped at 1.5"),
    seed: renamed("random_seed", "not below 0"),
    logit_bias: ignored("no such field"),
    logprobs: ignored("no such field"),
    top_logprobs: ignored("no such field"),
    top_p: nativeAs("1 beside a temperature of 0"),
    tools: nativeAs("functions"),
    tool_choice: nativeAs("'any' for 'required'"),
    functions: converted("tools"),
    function_call: converted("tool_choice"),
    reasoning_effort: nativeAs("high or none"),
    verbosity: ignored("no such field"),
    user: ignored("no such field"),
    store: ignored("no such field"),
    service_tier: ignored("no such field"),
    modalities: ignored("text only"),
    audio: ignored("text only"),
  },
  content: {
    developer_message: converted("sent as a system message"),
    message_name: converted("left out but on tool messages, and reported"),
    input_audio: nativeAs("voxtral models"),
    file: converted("document_url, or the vendor's own file by its id"),
    file_url: converted("document_url"),
    other_part: nativeOnly(/^document_url$/, "document_url"),
  },
  extensions: {
    safe_prompt: native,
    // https://github.com/mistralai/client-ts, ChatCompletionRequest (2.7.0, 2026-11).
    prompt_cache_key: native,
  },
  streamUsage: false,
  // The tokens of audio are in no sum but the total, and not always named beside it
  // (https://github.com/mistralai/client-python, UsageInfo, 2026-06; observed 2026-08).
  counts: { unnamed: "prompt" },
  adds: {
    "messages.prefix": "lets the answer continue a last message of the assistant's, " +
      "which the vendor refuses otherwise",
    "tools.function.parameters": "the vendor requires them",
  },
  supportFor,
  takesEffort: () => false,
  request: toBody,
  message: flatten,
  failure: (body) => body.object === "error" ? body : undefined,
  error: toError,
});

function supportFor(
  request: ChatRequest,
  { facts }: TargetModel,
): Readonly<Record<string, Support>> {
  const { seed, max_tokens, max_completion_tokens } = request;
  return {
    ...(facts.capabilities?.reasoning === false && {
      reasoning_effort: ignored("the model does not think"),
    }),
    ...(seed !== undefined && seed < 0 && { seed: ignored("not below 0") }),
    ...(max_tokens !== undefined && max_completion_tokens !== undefined && {
      max_tokens: ignored("max_completion_tokens is there"),
    }),
  };
}

const MAX_TEMPERATURE = 1.5;

function toBody(body: JsonObject, call: Call): JsonObject {
  const { receipt, request: { temperature, top_p, reasoning_effort: effort } } = call;
  noteLegacyTools(call);
  const sent = {
    ...body,
    messages: toMessages(call),
    ...toTools(call),
    response_format: toFormat(call),
  };
  if (temperature !== undefined && temperature > MAX_TEMPERATURE) {
    receipt.convert("temperature", temperature, MAX_TEMPERATURE);
    Object.assign(sent, { temperature: MAX_TEMPERATURE });
  }
  // Where nothing is left to chance another one is refused, and means nothing: error 3054
  // (https://github.com/devoxx/DevoxxGenieIDEAPlugin/issues/338, 2024-11-19).
  if (temperature === 0 && top_p !== undefined && top_p !== 1) {
    receipt.convert("top_p", top_p, 1);
    Object.assign(sent, { top_p: 1 });
  }
  if (effort !== undefined && "reasoning_effort" in body && effort !== "none") {
    if (effort !== "high") receipt.convert("reasoning_effort", effort, "high");
    Object.assign(sent, { reasoning_effort: "high" });
  }
  return present(sent);
}

function toMessages(call: Call): readonly JsonObject[] {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, nineCharacters());
  const sent: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const answered = pairing.results.get(index);
      if (answered) sent.push(toResult(message, index, answered));
      continue;
    }
    if (message.name) call.receipt.ignore("messages.name");
    if (message.role !== "assistant") {
      const role = message.role === "developer" ? "system" : message.role;
      sent.push({ role, content: toContent(message, index) });
    } else {
      const turn = toAssistant(message, index, pairing.calls.get(index) ?? [], call);
      const last = index === messages.length - 1;
      const open = last && turn !== undefined && turn.tool_calls === undefined;
      if (open) call.receipt.add("messages.prefix");
      if (turn) sent.push(open ? { ...turn, prefix: true } : turn);
    }
  }
  return sent;
}

/** A turn of the assistant, or undefined for an empty one, which the vendor refuses. */
function toAssistant(
  message: Message,
  index: number,
  calls: readonly PairedCall[],
  { model: { base, facts } }: Call,
): JsonObject | undefined {
  const spoken = toContent(message, index);
  const refusal = message.role === "assistant" && message.refusal ? message.refusal : undefined;
  const content = spoken === undefined || spoken === "" || spoken.length === 0 ? refusal : spoken;
  if (content === undefined && calls.length === 0) return undefined;
  const { reasoning_content: told } = message;
  const thought = typeof told === "string" && told !== "" && thinks(base, facts)
    ? [{ type: "thinking", thinking: [{ type: "text", text: told }] }]
    : [];
  const text = typeof content === "string" ? [{ type: "text", text: content }] : content ?? [];
  return present({
    role: "assistant",
    content: thought.length > 0 ? [...thought, ...text] : content,
    tool_calls: calls.length === 0 ? undefined : calls.map(({ id, name, input }, at) => ({
      id,
      type: "function",
      function: { name, arguments: writtenArguments(message, at) ?? JSON.stringify(input) },
    })),
  });
}

/** As the model wrote them, since numbers may exceed what we can read. */
function writtenArguments(message: Message, at: number): string | undefined {
  const made = message.role === "assistant" ? message.tool_calls?.[at] : undefined;
  return made?.type === "function" && made.function.arguments !== ""
    ? made.function.arguments
    : undefined;
}

/** https://docs.mistral.ai/capabilities/reasoning (2026-06): only such models take thinking back. */
function thinks(base: string, { capabilities }: ModelFacts): boolean {
  return capabilities?.reasoning ?? base.startsWith("magistral");
}

function toResult(message: Message, index: number, { id }: PairedCall): JsonObject {
  // Refuses what is no text.
  toContent(message, index);
  const name = message.name || undefined;
  return present({ role: "tool", tool_call_id: id, name, content: textOf(message.content) });
}

function toContent(
  { role, content }: Message,
  index: number,
): string | readonly JsonObject[] | undefined {
  if (!Array.isArray(content)) return content ?? undefined;
  return content.map((part, at) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "refusal") return { type: "text", text: part.refusal };
    if (role === "user") return toMediaPart(part, contentPath(index, at));
    throw unsupported(contentPath(index, at), `messages of role '${role}' hold text only`);
  });
}

function toMediaPart(part: ContentPart, path: string): JsonObject {
  if (part.type === "image_url") {
    const { url, detail } = part.image_url;
    return { type: "image_url", image_url: present({ url, detail: detail ?? undefined }) };
  }
  if (part.type === "file" && part.file.file_id) {
    return { type: "file", file_id: part.file.file_id };
  }
  // As OpenAI has it, which the vendor takes beside its own form (observed 2026-08).
  if (part.type === "input_audio") return { type: part.type, input_audio: part.input_audio };
  if (isVendorPart(part)) return part;
  const media = readMedia(part, path);
  if ("url" in media) return { type: "document_url", document_url: media.url };
  const type = DOCUMENT_TYPES.get(extensionOf(media.filename)) ?? media.mediaType;
  if (!/^(?:application|text)\//.test(type)) throw unsupported(path, "only documents are taken");
  return present({
    type: "document_url",
    document_url: `data:${type};base64,${media.data}`,
    document_name: media.filename,
  });
}

/** Types that a file's bytes do not show (https://docs.mistral.ai/capabilities/document_ai, 2026-06). */
const DOCUMENT_TYPES = new Map([
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["epub", "application/epub+zip"],
  ["rtf", "application/rtf"],
]);

function extensionOf(filename = ""): string {
  return /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
}

/**
 * The ids that the vendor accepts, of nine letters and digits; others become
 * such ones, the same for the same conversation, so that prompts can be cached.
 * An id that is used again gets another one.
 */
function nineCharacters(): (id: string) => string {
  const taken = new Set<string>();
  /** How often each was asked for. */
  const counts = new Map<string, number>();
  return (id) => {
    const first = /^[A-Za-z0-9]{9}$/.test(id) ? id : hashOf(id);
    let count = counts.get(first) ?? 1;
    let sent = first;
    while (taken.has(sent)) sent = hashOf(`${id}#${++count}`);
    counts.set(first, count);
    taken.add(sent);
    return sent;
  };
}

/** Nine characters that stand for a text (FNV-1a, twice with other seeds). */
function hashOf(text: string): string {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(at), 0x85ebca6b);
  }
  const hash = (high >>> 11) * 2 ** 32 + (low >>> 0);
  return hash.toString(36).padStart(9, "0").slice(-9);
}

function toTools(call: Call): JsonObject {
  const { request, receipt } = call;
  const { tools, mode, name } = planTools(request);
  if (tools.length === 0) return {};
  if (tools.some(({ definition }) => definition.parameters == null)) {
    receipt.add("tools.function.parameters");
  }
  if (mode === "required" && name === undefined) {
    receipt.convert(request.tools ? "tool_choice" : "function_call", "required", "any");
  }
  return {
    tools: tools.map(({ definition: { name, description, parameters, strict } }) => ({
      type: "function",
      function: present({
        name,
        description: description ?? undefined,
        parameters: parameters ?? asObjectSchema(undefined),
        strict: strict ?? undefined,
      }),
    })),
    // The vendor's own word is taken by every deployment, OpenAI's only by new ones.
    tool_choice: name !== undefined
      ? { type: "function", function: { name } }
      : mode === "required"
      ? "any"
      : mode,
  };
}

/** Without nulls and members of the caller's own. */
function toFormat({ fields: { response_format: format } }: Call): JsonObject | undefined {
  if (!isObject(format)) return undefined;
  if (format.type !== "json_schema" || !isObject(format.json_schema)) return { type: format.type };
  const { name, description, schema, strict } = format.json_schema;
  // A schema that is not given allows any object.
  if (!isObject(schema)) return { type: "json_object" };
  const known = {
    name,
    description: description ?? undefined,
    schema,
    strict: strict ?? undefined,
  };
  return { type: "json_schema", json_schema: present(known) };
}

/** Content may be a list of parts, with thinking among them; beside calls it is an empty text. */
function flatten(message: JsonObject): void {
  const { content } = message;
  if (content === "") message.content = null;
  if (!Array.isArray(content)) return;
  const parts = content.filter(isObject);
  const thoughts = parts.flatMap(({ thinking }) => Array.isArray(thinking) ? thinking : [thinking]);
  const reasoning = thoughts.map((thought) => isObject(thought) ? thought.text : thought);
  const told = joined(reasoning);
  const text = joined(parts.map((part) => part.text));
  message.content = text === "" ? null : text;
  if (told !== "") message.reasoning_content = told;
}

function joined(texts: readonly unknown[]): string {
  return texts.filter((text) => typeof text === "string").join("");
}

/** Errors are flat; those of a check list the members at fault: `{detail: [{type, loc, msg}]}`. */
function toError(failure: Failure): Verdict {
  const { body } = failure;
  const error = isObject(body) && isObject(body.error) ? body.error : body;
  if (!isObject(error)) return toVerdict(failure);
  const details = faultsOf(error);
  const message = typeof error.message === "string" ? error.message : toSentence(details, error);
  const verdict = toVerdict({ ...failure, body: { error: { ...error, message } } });
  if (verdict.kind !== "invalid_request") return verdict;
  const words = /^\W*reasoning[ _](?:effort|prompt mode)/i.exec(message ?? "")?.[0];
  if (words !== undefined) return { ...verdict, repair: { without: "reasoning_effort", words } };
  const without = details.map(unknownMember).find(isMendable);
  return without === undefined ? verdict : { ...verdict, repair: { without } };
}

/** The member of the request that a fault says is not known. */
function unknownMember({ type, loc }: JsonObject): unknown {
  return type === "extra_forbidden" && Array.isArray(loc) && loc.length === 2 ? loc[1] : undefined;
}

function isMendable(member: unknown): member is string {
  return typeof member === "string" && !NEEDED.has(member);
}

/** Members without which a request is another one. */
const NEEDED = new Set(["model", "messages", "stream", "tools"]);

function faultsOf({ detail, message }: JsonObject): readonly JsonObject[] {
  const list = Array.isArray(detail) ? detail : isObject(message) ? message.detail : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function toSentence(faults: readonly JsonObject[], { detail }: JsonObject): string | undefined {
  const said = faults.map(({ loc, msg }) =>
    [Array.isArray(loc) ? loc.slice(1).join(".") : "", msg].filter(Boolean).join(": ")
  );
  if (said.length > 0) return said.join("; ");
  return typeof detail === "string" ? detail : undefined;
}
