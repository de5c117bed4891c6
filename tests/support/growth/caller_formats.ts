/** The work of the caller formats beside chat completions: lists, maps and texts of each grow. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { tokenFamily } from "../../../src/apis/token_families.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { embeddings } from "../../../src/apis/embeddings/embeddings.ts";
import { messages as messagesFormat } from "../../../src/apis/messages/format.ts";
import { nativeAnswers, withoutOwnState } from "../../../src/apis/messages/native_answers.ts";
import { readMessagesRequest } from "../../../src/apis/messages/read_request.ts";
import { readCountOutline, readOutline } from "../../../src/apis/messages/schema.ts";
import { countInput } from "../../../src/apis/chat/token_estimate.ts";
import { createResponsesFormat } from "../../../src/apis/responses/format.ts";
import { createNativeResponses } from "../../../src/apis/responses/native_answers.ts";
import { ownItems, pinOf } from "../../../src/apis/responses/native_body.ts";
import { KeyProviderIds } from "../../../src/gateway/execute/responses/key_provider_ids.ts";
import { toChatRequest } from "../../../src/apis/responses/to_chat.ts";
import { ToolNames } from "../../../src/apis/responses/tools.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import type { NativeAnswers } from "../../../src/apis/native_answers.ts";
import { NativeFold } from "../../../src/streaming/native_fold.ts";
import { createCarrier, loadTestConfig, VENDOR_KEY } from "../gateway.ts";
import type { MakeWork } from "./measure.ts";
import { many, members } from "./schemas.ts";
import { inputItemsOf, readResponsesRequest } from "../../../src/apis/responses/request.ts";
import { withVendorIds } from "../../../src/apis/chat/call_ids.ts";

/** A shape by its name; the size is a number of entries, members or characters. */
type Shapes = Readonly<Record<string, (size: number) => JsonObject>>;

const text = (said: string) => ({ type: "text", text: said });
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const toolUse = (at: number) => ({ type: "tool_use", id: `t${at}`, name: "f", input: { a: at } });
const toolResult = (at: number, content: unknown = "1") => ({
  type: "tool_result",
  tool_use_id: `t${at}`,
  content,
});
const thinking = (signature: string) => ({ type: "thinking", thinking: "Hm", signature });
const CACHE = { cache_control: { type: "ephemeral" } };
const PNG = { type: "base64", media_type: "image/png", data: "AAAA" };
const HELLO = [user("Hi")];

/** The state of another vendor in the signature of a thinking block. */
const OWN_SIGNATURE = "sluice.v1.AAAA";

/** Requests of the Messages API. */
const MESSAGES: Shapes = {
  "system blocks": (size) => ({ messages: HELLO, system: many(size, () => text("Be brief")) }),
  "cached system blocks": (size) => ({
    messages: HELLO,
    system: many(size, () => ({ ...text("Be brief"), ...CACHE })),
  }),
  "turns": (size) => ({ messages: many(size, (at) => at % 2 ? assistant("Yes") : user("Hi")) }),
  "text blocks": (size) => ({ messages: [user(many(size, () => text("Hi")))] }),
  "images": (size) => ({ messages: [user(many(size, () => ({ type: "image", source: PNG })))] }),
  "documents": (size) => {
    const source = { type: "content", content: many(size, () => text("Hi")) };
    return { messages: [user([{ type: "document", source }])] };
  },
  "search results": (size) => {
    const found = { type: "search_result", title: "T", source: "S", content: [text("Hi")] };
    return { messages: [user(many(size, () => found))] };
  },
  "unknown blocks": (size) => ({ messages: [user(many(size, () => ({ type: "new", a: 1 })))] }),
  "calls of one turn": (size) => ({
    messages: [...HELLO, assistant(many(size, toolUse)), user(many(size, (at) => toolResult(at)))],
  }),
  "calls of many turns": (size) => ({
    messages: [
      ...HELLO,
      ...many(size, (at) => [assistant([toolUse(at)]), user([toolResult(at)])]).flat(),
    ],
  }),
  "parts of one result": (size) => ({
    messages: [
      ...HELLO,
      assistant([toolUse(0)]),
      user([
        toolResult(0, many(size, (at) => at % 2 ? text("1") : { type: "image", source: PNG })),
      ]),
    ],
  }),
  "thinking blocks": (size) => ({
    messages: [...HELLO, assistant([...many(size, () => thinking("c2ln")), text("Yes")])],
  }),
  "thinking of other vendors": (size) => ({
    messages: [...HELLO, assistant([...many(size, () => thinking(OWN_SIGNATURE)), text("Yes")])],
  }),
  "redacted thinking": (size) => ({
    messages: [...HELLO, assistant(many(size, () => ({ type: "redacted_thinking", data: "AA" })))],
  }),
  "tools": (size) => ({
    messages: HELLO,
    tools: many(size, (at) => ({ name: `f${at}`, input_schema: { type: "object" } })),
    tool_choice: { type: "tool", name: "f0" },
  }),
  "tools that Anthropic runs": (size) => ({
    messages: HELLO,
    tools: many(size, (at) => ({ type: `web_search_${at}`, name: "w" })),
  }),
  "examples of a tool": (size) => ({
    messages: HELLO,
    tools: [{ name: "f", input_schema: {}, input_examples: many(size, (at) => ({ a: at })) }],
  }),
  "stop sequences": (size) => ({ messages: HELLO, stop_sequences: many(size, (at) => `${at}`) }),
  "metadata": (size) => ({ messages: HELLO, metadata: members(size, () => "v") }),
  "unknown members": (size) => ({ messages: HELLO, ...members(size, () => 1) }),
  "a faulty block at the end": (size) => ({
    messages: [user([...many(size, () => text("Hi")), { type: "text" }])],
  }),
  "a text": (size) => ({ messages: [user("é ".repeat(size))] }),
  "a text of one letter": (size) => ({ messages: [user("a".repeat(size))] }),
  "a text of quotes": (size) => ({ messages: [user('"\\'.repeat(size))] }),
  "a signature": (size) => ({
    messages: [...HELLO, assistant([thinking(OWN_SIGNATURE + "A".repeat(size))])],
  }),
  "a tool call's ID": (size) => ({
    messages: [...HELLO, assistant([{ ...toolUse(0), id: "a_".repeat(size) }])],
  }),
};

const item = (role: string, content: unknown) => ({ type: "message", role, content });
const call = (at: number) => ({
  type: "function_call",
  id: `fc_${at}`,
  call_id: `c${at}`,
  name: "f",
  arguments: "{}",
});
const output = (at: number, said: unknown = "1") => ({
  type: "function_call_output",
  call_id: `c${at}`,
  output: said,
});
const reasoning = (state: string) => ({
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Hm" }],
  encrypted_content: state,
});
const fn = (at: number) => ({ type: "function", name: `f${at}`, parameters: {} });

/** Requests of the Responses API. */
const RESPONSES: Shapes = {
  "messages": (size) => ({ input: many(size, () => item("user", "Hi")) }),
  "answers": (size) => ({ input: many(size, () => item("assistant", "Yes")) }),
  "content parts": (size) => ({
    input: [item("user", many(size, () => ({ type: "input_text", text: "Hi" })))],
  }),
  "images": (size) => ({
    input: [item("user", many(size, () => ({ type: "input_image", image_url: "https://a/b" })))],
  }),
  "calls of one turn": (size) => ({
    input: [...many(size, call), ...many(size, (at) => output(at))],
  }),
  "calls in turn": (size) => ({ input: many(size, (at) => [call(at), output(at)]).flat() }),
  "results in reverse": (size) => ({
    input: [...many(size, call), ...many(size, (at) => output(size - 1 - at))],
  }),
  "messages between a call and its result": (size) => ({
    input: [call(0), ...many(size, () => item("user", "Wait")), output(0)],
  }),
  "calls without results": (size) => ({ input: many(size, call) }),
  "parts of a result": (size) => ({
    input: [call(0), output(0, many(size, () => ({ type: "input_text", text: "1" })))],
  }),
  "reasoning": (size) => ({ input: many(size, () => reasoning("AAAA")) }),
  "summaries": (size) => ({
    input: [{
      ...reasoning("A"),
      summary: many(size, () => ({ type: "summary_text", text: "a" })),
    }],
  }),
  "reasoning of others": (size) => ({
    input: many(size, (at) => ({ ...reasoning("A"), id: `rs_${at}@other` })),
  }),
  "additional tools": (size) => ({
    input: many(size, (at) => ({ type: "additional_tools", tools: [fn(at)] })),
  }),
  "the same tool": (size) => ({ input: "Hi", tools: many(size, () => fn(0)) }),
  "tools": (size) => ({ input: "Hi", tools: many(size, fn) }),
  "custom tools": (size) => ({
    input: "Hi",
    tools: many(size, (at) => ({ type: "custom", name: `c${at}`, format: { type: "text" } })),
  }),
  "a namespace": (size) => ({
    input: "Hi",
    tools: [{ type: "namespace", name: "n", tools: many(size, fn) }],
  }),
  "namespaces": (size) => ({
    input: "Hi",
    tools: many(size, (at) => ({ type: "namespace", name: `n${at}`, tools: [fn(0)] })),
  }),
  "long names in a namespace": (size) => ({
    input: "Hi",
    tools: [{
      type: "namespace",
      name: "n".repeat(64),
      tools: many(size, (at) => ({ type: "function", name: "f".repeat(50) + at, parameters: {} })),
    }],
  }),
  "nested namespaces": (size) => {
    let tool: JsonObject = fn(0);
    for (let at = 0; at < Math.min(size, MAX_NESTED); at++) {
      tool = { type: "namespace", name: `n${at}`, tools: [tool] };
    }
    return { input: "Hi", tools: many(Math.ceil(size / MAX_NESTED), () => tool) };
  },
  "hosted tools": (size) => ({
    input: "Hi",
    tools: many(size, (at) => ({ type: `hosted_${at}` })),
  }),
  "allowed tools": (size) => ({
    input: "Hi",
    tools: many(size, fn),
    tool_choice: { type: "allowed_tools", mode: "auto", tools: many(size, fn) },
  }),
  "include": (size) => ({ input: "Hi", include: many(size, (at) => `a${at}`) }),
  "metadata": (size) => ({ input: "Hi", metadata: members(size, () => "v") }),
  "unknown members": (size) => ({ input: "Hi", ...members(size, () => 1) }),
  "unknown items": (size) => ({ input: many(size, (at) => ({ type: `t${at}` })) }),
  "a text": (size) => ({ input: "é ".repeat(size) }),
  "state": (size) => ({ input: [reasoning("A".repeat(size))] }),
  "an ID": (size) => ({ input: [{ ...call(0), id: "a@".repeat(size) }, output(0)] }),
  "a previous response's ID": (size) => ({ input: "Hi", previous_response_id: "a@".repeat(size) }),
};

/** Namespaces of namespaces: a body may be nested this deeply. */
const MAX_NESTED = 20;

/** Requests for embeddings. */
const EMBEDDINGS: Shapes = {
  "texts": (size) => ({ input: many(Math.min(size, MAX_INPUTS), () => "Hi") }),
  "tokens": (size) => ({ input: many(size, (at) => at) }),
  "lists of tokens": (size) => ({ input: many(Math.min(size, MAX_INPUTS), (at) => [at, 1]) }),
  "parts": (size) => ({ input: [many(size, () => text("Hi"))] }),
  "unknown members": (size) => ({ input: "Hi", ...members(size, () => 1) }),
  "a text": (size) => ({ input: "é ".repeat(size) }),
};

const MAX_INPUTS = 2048;

/** Completions that become answers. */
const COMPLETIONS: Shapes = {
  "a text": (size) => completion({ content: "é ".repeat(size) }),
  "reasoning": (size) => completion({ content: "Yes", reasoning_content: "é ".repeat(size) }),
  "calls": (size) => completion({ tool_calls: many(size, chatCall) }),
  "reasoning details": (size) =>
    completion({ content: "Yes", reasoning_details: many(size, detail) }),
  "arguments": (size) => completion({ tool_calls: [chatCall(0, `{"a":"${"é".repeat(size)}"}`)] }),
};

const chatCall = (at: number, args: unknown = '{"a":1}') => ({
  id: `c${at}`,
  type: "function",
  function: { name: "f", arguments: typeof args === "string" ? args : '{"a":1}' },
});
const detail = (at: number) => ({ format: "other", type: "reasoning.encrypted", data: `${at}` });
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const completion = (message: JsonObject) => ({
  choices: [{
    index: 0,
    message: { role: "assistant", content: null, ...message },
    finish_reason: "stop",
  }],
  usage: USAGE,
});

/** The deltas of streams. */
const STREAMS: Readonly<Record<string, (size: number) => readonly JsonObject[]>> = {
  "texts": (size) => many(size, () => ({ content: "Hi " })),
  "thoughts": (size) => many(size, () => ({ reasoning_content: "Hm " })),
  "texts and thoughts by turns": (size) =>
    many(size, (at) => at % 2 ? { content: "Hi " } : { reasoning_content: "Hm " }),
  "calls": (size) => many(size, (at) => ({ tool_calls: [{ index: at, ...chatCall(at) }] })),
  "pieces of one call": (size) => [
    { tool_calls: [{ index: 0, ...chatCall(0, "") }] },
    ...many(size, () => ({ tool_calls: [{ index: 0, function: { arguments: " " } }] })),
  ],
  "pieces of two calls by turns": (size) => [
    ...many(2, (at) => ({ tool_calls: [{ index: at, ...chatCall(at, "") }] })),
    ...many(size, (at) => ({ tool_calls: [{ index: at % 2, function: { arguments: " " } }] })),
  ],
  "a refusal": (size) => many(size, () => ({ refusal: "No " })),
  "details": (size) => many(size, (at) => ({ reasoning_details: [detail(at)] })),
};

/** Native events: the kind of each and its data. */
const NATIVE_MESSAGES: Readonly<Record<string, (size: number) => readonly JsonObject[]>> = {
  "deltas": (size) => many(size, () => ({ type: "content_block_delta", delta: text("Hi") })),
  "blocks": (size) => many(size, (index) => ({ type: "content_block_start", index })),
  "counts": (size) => [{
    type: "message_delta",
    delta: {},
    usage: members(size, () => 1),
  }],
};
const NATIVE_RESPONSES: Readonly<Record<string, (size: number) => readonly JsonObject[]>> = {
  "deltas": (size) =>
    many(size, (at) => ({ type: "response.a.delta", item_id: "i", sequence_number: at })),
  "items": (size) =>
    many(size, (at) => ({ type: "response.output_item.done", item: { id: `i${at}` } })),
  "the items of one response": (size) => [{
    type: "response.completed",
    response: { id: "r", status: "completed", output: many(size, (at) => ({ id: `i${at}` })) },
  }],
  "quotes before the ID": (size) => [{
    type: "response.a.delta",
    delta: '"item_id": '.repeat(size),
    item_id: "i",
  }],
};

const ENVELOPE = { id: "a_1", created: 1, model: "m" };
const REQUEST = { model: "m", input: "Hi" };

const CONFIG = loadTestConfig({
  providers: {
    p: { kind: "openai", api_key: VENDOR_KEY, base_url: "http://vendor.test", models: ["m"] },
  },
});
const IDS = new KeyProviderIds({
  principal: { id: "test" },
  config: { ...CONFIG, hasOneOwner: false },
  deps: { reasoning: createCarrier({ now: () => 0 }) },
});

/** All cases: a name, and the work at a size. */
export function callerFormatCases(): Iterable<readonly [name: string, make: MakeWork]> {
  return [
    ...worksOf("Messages", MESSAGES, { max_tokens: 9 }, {
      "is converted": (body) => void readMessagesRequest(body),
      "passes": (body) => void withVendorIds(withoutOwnState(readOutline(body))),
      "is estimated": (body) => {
        const { system, messages, tools } = readCountOutline(body);
        countInput([system, messages], [tools]).tokens(tokenFamily("o200k"));
      },
    }),
    ...worksOf("Responses", RESPONSES, {}, {
      "is converted": (body) => {
        const request = readResponsesRequest(body);
        const items = inputItemsOf(request).map((one, at) => ({ item: one, path: `input[${at}]` }));
        toChatRequest(request, items);
      },
      "passes": (body) => {
        const request = readResponsesRequest(body);
        pinOf(request, IDS);
        const context = { ids: IDS, provider: "p", changes: new RequestChanges() };
        const input = [...ownItems(inputItemsOf(request), context)];
        withVendorIds({ ...request, input });
      },
    }),
    ...worksOf("embeddings", EMBEDDINGS, {}, {
      "is read": (body) => void embeddings.endpoints[0].read(body),
    }),
    ...answers(),
    ...streams(),
    ...natives("Messages", NATIVE_MESSAGES, () => nativeAnswers),
    ...natives("Responses", NATIVE_RESPONSES, () => createNativeResponses(IDS.marker("p")).answers),
  ];
}

function* worksOf(
  format: string,
  shapes: Shapes,
  others: JsonObject,
  works: Readonly<Record<string, (body: JsonObject) => void>>,
): Iterable<readonly [string, MakeWork]> {
  for (const [shape, make] of Object.entries(shapes)) {
    for (const [what, run] of Object.entries(works)) {
      yield [`${format}: ${shape} ${what}`, (size) => {
        const body = { model: "m", ...others, ...make(size) };
        return () => orRefused(() => run(body));
      }];
    }
  }
}

/** The formats that write answers to chats. */
const WRITERS = {
  Messages: () => messagesFormat,
  Responses: () =>
    createResponsesFormat({
      request: REQUEST,
      names: new ToolNames(),
      wallTime: () => 0,
      onAnswer() {},
    }),
};

function* answers(): Iterable<readonly [string, MakeWork]> {
  for (const [format, create] of Object.entries(WRITERS)) {
    for (const [shape, make] of Object.entries(COMPLETIONS)) {
      yield [`${format}: an answer with ${shape}`, (size) => {
        const body = make(size);
        return () => void create().writeCompletion(body as never, ENVELOPE, false);
      }];
    }
  }
}

function* streams(): Iterable<readonly [string, MakeWork]> {
  for (const [format, create] of Object.entries(WRITERS)) {
    for (const [shape, make] of Object.entries(STREAMS)) {
      yield [`${format}: a stream of ${shape}`, (size) => {
        const deltas = make(size);
        return () => {
          const writer = create().createStreamWriter(ENVELOPE, REQUEST as never, () => 0);
          for (const delta of deltas) writer.write({ choices: [{ index: 0, delta }] } as never);
          const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage: USAGE };
          writer.write(end as never);
          writer.end();
        };
      }];
    }
  }
}

/** The number of bytes that are read from a connection at once. */
const PACKET = 32 * 1024;

function* natives(
  format: string,
  shapes: Readonly<Record<string, (size: number) => readonly JsonObject[]>>,
  answers: () => NativeAnswers,
): Iterable<readonly [string, MakeWork]> {
  for (const [shape, make] of Object.entries(shapes)) {
    yield [`${format}: native ${shape}`, (size) => {
      const events = make(size).map((event) =>
        `event: ${event.type}\ndata: ${JSON.stringify(event)}`
      );
      const bytes = new TextEncoder().encode(events.join("\n\n") + "\n\n");
      return () => {
        const fold = new NativeFold({
          framing: "sse",
          reader: answers().createReader(),
          toError: () => new GatewayError("upstream_error", ""),
          toEndError: () => new GatewayError("upstream_error", ""),
        });
        for (let at = 0; at < bytes.length && !fold.ended; at += PACKET) {
          fold.push(bytes.subarray(at, at + PACKET));
        }
        if (!fold.ended) fold.end();
      };
    }];
  }
}

function orRefused(run: () => void): void {
  try {
    run();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError || thrown instanceof RangeError)) throw thrown;
  }
}
