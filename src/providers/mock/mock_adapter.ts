/**
 * An in-process provider for tests. It answers, streams, calls tools and follows response
 * formats deterministically, without a network or a key. It is OpenAI-compatible, so a request
 * takes
 * the same path as with a vendor.
 */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { openAiCompatible } from "../openai_compatible/openai_compatible_adapter.ts";
import type { Adapter, ServeContext } from "../../contract/adapter.ts";
import { MOCK_EMBEDDINGS, toEmbeddings } from "./embeddings.ts";
import { MOCK_MEDIA, toMedia } from "./media.ts";
import { play } from "./faults.ts";
import { toValue } from "./schema.ts";
import { countWords, type MockCall, repeatable, textOf, toCall, wordsOf } from "./words.ts";
import { ignored, nativeAs } from "../../contract/support.ts";
import type { VendorRequest } from "../../contract/vendor_request.ts";

const UNTOUCHED = ignored("the answer is always the same");
const MISSING = ignored("a mock has none");

/**
 * Repeats the last user message, word by word in a stream; or fails according to the model name.
 */
export const mock: Adapter = {
  simulated: true,
  ...openAiCompatible({
    models: false,
    kind: "mock",
    defaults: { baseUrl: "mock:", credentials: "none" },
    parameters: {
      temperature: UNTOUCHED,
      top_p: UNTOUCHED,
      n: ignored("there is always one choice"),
      stop: UNTOUCHED,
      seed: UNTOUCHED,
      frequency_penalty: UNTOUCHED,
      presence_penalty: UNTOUCHED,
      logit_bias: UNTOUCHED,
      logprobs: MISSING,
      top_logprobs: MISSING,
      parallel_tool_calls: ignored("one tool is called at a time"),
      functions: MISSING,
      function_call: MISSING,
      response_format: nativeAs("the answer is a small value that fits the schema"),
      reasoning_effort: MISSING,
      verbosity: UNTOUCHED,
      prediction: MISSING,
      modalities: MISSING,
      audio: MISSING,
    },
    extensions: {},
    apis: { embeddings: MOCK_EMBEDDINGS, ...MOCK_MEDIA },
  }),
  serve(request, context) {
    const { body, url } = request;
    const isChat = url.endsWith("/chat/completions");
    if (!isChat) return serveOther(request, context);
    if (body.stream !== true) {
      return play(body, [JSON.stringify(toCompletion(body))], false, context);
    }
    const events = [...eventsOf(toAnswer(body))].map((event) => `data: ${event}\n\n`);
    return play(body, events, true, context);
  },
};

/** Answers requests other than chat requests. */
async function serveOther(request: VendorRequest, context: ServeContext): Promise<Response> {
  const { body, url } = request;
  if (url.endsWith("/embeddings")) return play(body, [await toEmbeddings(body)], false, context);
  const { pieces, stream = false, type } = await toMedia(request);
  return await play(body, pieces, stream, context, type);
}

/** The model that reasons before it answers. */
const THINKING = "mock-think";

interface MockAnswer {
  /** The pieces of the reasoning; none unless the model reasons. */
  readonly thoughts: readonly string[];
  /** The pieces of the answer in a stream; none when a tool is called. */
  readonly words: readonly string[];
  readonly call: MockCall | undefined;
  readonly finish: "stop" | "length" | "tool_calls";
  readonly usage: JsonObject;
  readonly model: string;
}

const ENVELOPE = { id: "chatcmpl-mock", created: 1_700_000_000 };

function toAnswer(body: JsonObject): MockAnswer {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  const last = messages.at(-1);
  const prompt = countWords(messages.map(({ content }) => textOf(content)));
  const call = toCall(body, messages);
  const said = reply(last, messages);
  const isCut = said !== repeatable(said);
  const all = call === undefined ? toPieces(body, repeatable(said)) : [];
  const limit = Number(body.max_completion_tokens ?? body.max_tokens ?? Infinity);
  const words = all.slice(0, limit);
  const model = String(body.model);
  const thoughts = model === THINKING ? wordsOf(think(prompt)) : [];
  const answered = call === undefined ? words.length : wordsOf(call.arguments).length;
  const completion = thoughts.length + answered;
  return {
    thoughts,
    words,
    call,
    finish: call !== undefined
      ? "tool_calls"
      : isCut || words.length < all.length
      ? "length"
      : "stop",
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      ...(thoughts.length > 0 && {
        completion_tokens_details: { reasoning_tokens: thoughts.length },
      }),
    },
    model,
  };
}

function think(words: number): string {
  return `The request has ${words} ${words === 1 ? "word" : "words"}. I am a mock, so I repeat ` +
    "what was said, and add nothing of my own.";
}

/** The answer in the requested format, in pieces: words, or pieces of JSON. */
function toPieces({ response_format: format }: JsonObject, said: string): string[] {
  switch (isObject(format) ? format.type : "text") {
    case "json_object":
      return piecesOf(JSON.stringify({ message: said }));
    case "json_schema": {
      const { json_schema: requested } = format as JsonObject;
      return piecesOf(JSON.stringify(toValue(isObject(requested) ? requested.schema : undefined)));
    }
    default:
      return wordsOf(said);
  }
}

/** Splits JSON after punctuation. The joined pieces are the text. */
function piecesOf(json: string): string[] {
  return json.match(/[^[\]{},:]*[[\]{},:]+|[^[\]{},:]+$/g) ?? [];
}

function reply(last: JsonObject | undefined, messages: readonly JsonObject[]): string {
  if (last?.role === "tool") return `The tool answered: ${textOf(last.content)}`;
  const user = messages.findLast((turn) => turn.role === "user");
  const said = textOf(user?.content);
  return said === "" ? "This is a mock: it repeats what you say." : `You said: ${said}`;
}

function toCompletion(body: JsonObject): JsonObject {
  const { thoughts, words, call, finish, usage, model } = toAnswer(body);
  const message = {
    role: "assistant",
    content: call === undefined ? words.join("") : null,
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join("") }),
    ...(call !== undefined && { tool_calls: [toToolCall(call)] }),
  };
  return {
    ...ENVELOPE,
    object: "chat.completion",
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  };
}

function toToolCall(call: MockCall): JsonObject {
  return { id: "call_mock", type: "function", function: call };
}

function* eventsOf({ thoughts, words, call, finish, usage, model }: MockAnswer): Generator<string> {
  const chunk = (delta: JsonObject, finish_reason: string | null = null) =>
    JSON.stringify({
      ...ENVELOPE,
      object: "chat.completion.chunk",
      model,
      choices: [{ index: 0, delta, finish_reason }],
    });
  yield chunk({ role: "assistant", content: call === undefined ? "" : null });
  for (const thought of thoughts) yield chunk({ reasoning_content: thought });
  for (const word of words) yield chunk({ content: word });
  if (call !== undefined) {
    const start = { ...toToolCall({ ...call, arguments: "" }), index: 0 };
    yield chunk({ tool_calls: [start] });
    yield chunk({ tool_calls: [{ index: 0, function: { arguments: call.arguments } }] });
  }
  yield chunk({}, finish);
  yield JSON.stringify({
    ...ENVELOPE,
    object: "chat.completion.chunk",
    model,
    choices: [],
    usage,
  });
  yield "[DONE]";
}
