/** The bugs that gateways with a Messages API had most often: one test each. */

import { assert, assertEquals } from "@std/assert";
import type { ChunkBody, ChunkChoice, JsonObject, Usage } from "../../../src/contract/chat.ts";
import { DEFAULT_WRITE_OPTIONS, toSignature } from "../../../src/apis/messages/answer_parts.ts";
import { messagesFormat } from "../../../src/apis/messages/format.ts";
import { readMessagesRequest } from "../../../src/apis/messages/read_request.ts";
import { MessageWriter } from "../../../src/apis/messages/stream_writer.ts";
import { writeMessage } from "../../../src/apis/messages/write_message.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { collect, readEvents } from "../../support/message_events.ts";

const ENVELOPE = { id: "msg_1", created: 0, model: "m" };
const USAGE: Usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
};
const user = (content: unknown) => ({ role: "user", content });
const ask = (members: JsonObject) => ({ model: "m", max_tokens: 100, ...members });
const chatOf = (members: JsonObject) =>
  readMessagesRequest(ask({ messages: [user("Hi")], ...members })).chat;

/** The message that the deltas of one choice make up. */
function write(
  deltas: readonly ChunkChoice["delta"][],
  finish: ChunkChoice["finish_reason"] = "stop",
  usage: Usage | null = USAGE,
  members: JsonObject = {},
): JsonObject {
  const writer = new MessageWriter(ENVELOPE, { ...DEFAULT_WRITE_OPTIONS, stops: ["END"] });
  const chunks: ChunkBody[] = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }));
  chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: finish ?? null, ...members }] });
  chunks.push({ choices: [], usage });
  const text = chunks.map((chunk) => writer.write(chunk)).join("") + writer.end();
  return collect(readEvents(text));
}

const call = (index: number, id: string, args: string) => ({
  tool_calls: [{ index, id, type: "function" as const, function: { name: "f", arguments: args } }],
});
const piece = (index: number, args: string) => ({
  tool_calls: [{ index, function: { arguments: args } }],
});

Deno.test("bug: end_turn beside a tool_use, and an empty text block", () => {
  const streamed = write([{ content: "" }, call(0, "a", "{}")]);
  assertEquals(streamed.stop_reason, "tool_use");
  assertEquals(streamed.content, [{ type: "tool_use", id: "a", name: "f", input: {} }]);
  const called = { id: "a", type: "function" as const, function: { name: "f", arguments: "" } };
  const message = { role: "assistant" as const, content: "", tool_calls: [called] };
  const whole = writeMessage(
    { choices: [{ index: 0, message, finish_reason: "stop" }], usage: USAGE },
    ENVELOPE,
    DEFAULT_WRITE_OPTIONS,
  );
  assertEquals([whole.stop_reason, whole.content], [streamed.stop_reason, streamed.content]);
});

Deno.test("bug: arguments are lost", () => {
  const message = write([call(0, "a", ""), piece(0, '{"city"'), piece(0, ':"Oslo"}')]);
  assertEquals(message.content, [{
    type: "tool_use",
    id: "a",
    name: "f",
    input: { city: "Oslo" },
  }]);
});

Deno.test("bug: thinking in a text block, and a second message_start", () => {
  const message = write([{ reasoning_content: "Hm" }, { content: "Yes" }, {
    reasoning_content: "wait",
  }, { content: "No" }]);
  assertEquals(
    (message.content as JsonObject[]).map(({ type, text, thinking }) => [type, text ?? thinking]),
    [
      ["thinking", "Hm"],
      ["text", "Yes"],
      ["thinking", "wait"],
      ["text", "No"],
    ],
  );
});

Deno.test("bug: a tool_result with a tool_reference, or with nothing, is dropped", () => {
  const result = (content?: unknown) => ({ type: "tool_result", tool_use_id: "a", content });
  const contentOf = (content?: unknown) =>
    chatOf({ messages: [user([result(content)])] }).messages[0]?.content;
  assertEquals(contentOf([{ type: "tool_reference", tool_name: "search" }]), "Tool: search");
  assertEquals([contentOf(), contentOf([]), contentOf("")], ["", "", ""]);
  assertEquals(contentOf([{ type: "brand_new", x: 1 }]), '{"type":"brand_new","x":1}');
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } };

Deno.test("bug: images in a tool_result are lost", async () => {
  const sent: JsonObject[] = [];
  const kinds = ["openai", "gemini"];
  const models = { openai: "gpt-4.1", gemini: "gemini-3.5-flash" };
  const gateway = createTestGateway({
    config: {
      providers: Object.fromEntries(
        Object.entries(models).map((
          [kind, model],
        ) => [kind, { kind, api_key: VENDOR_KEY, models: [model] }]),
      ),
    },
    fetch: (_, { body }) => {
      sent.push(JSON.parse(String(body)));
      return Promise.resolve(Response.json({}, { status: 500 }));
    },
  });
  const messages = [
    user("Look"),
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
    user([{
      type: "tool_result",
      tool_use_id: "a",
      content: [{ type: "text", text: "Done" }, IMAGE],
    }]),
  ];
  for (const model of Object.values(models)) {
    const response = await gateway.call("/v1/messages", ask({ model, messages }));
    await response.body?.cancel();
  }
  assertEquals(kinds.length, sent.length);
  const [openai, gemini] = sent;
  const url = `data:image/png;base64,${PIXEL}`;
  assertEquals((openai?.messages as JsonObject[]).slice(2), [
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "Done" }] },
    {
      role: "user",
      content: [
        { type: "text", text: "From the result of the tool call a:" },
        { type: "image_url", image_url: { url } },
      ],
    },
  ]);
  assert(JSON.stringify((gemini?.contents as JsonObject[])[2]).includes(PIXEL));
});

Deno.test("bug: tool messages do not follow the call", () => {
  const { messages } = chatOf({
    messages: [
      user("Go"),
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "a", name: "f", input: {} }, {
          type: "tool_use",
          id: "b",
          name: "f",
          input: {},
        }],
      },
      user([
        { type: "text", text: "Also this" },
        { type: "tool_result", tool_use_id: "b", content: "2" },
        { type: "tool_result", tool_use_id: "a", content: "1", is_error: true },
      ]),
    ],
  });
  assertEquals(messages.slice(2), [
    { role: "tool", tool_call_id: "b", content: "2" },
    { role: "tool", tool_call_id: "a", content: "Error: 1" },
    { role: "user", content: "Also this" },
  ]);
});

Deno.test("bug: parallel calls share an index, or lose the pieces that come interleaved", () => {
  const message = write([
    call(0, "a", ""),
    call(1, "b", '{"n":'),
    piece(0, '{"m":"}"'),
    { content: "Meanwhile" },
    piece(1, "2}"),
    piece(0, "}"),
  ]);
  assertEquals(message.content, [
    { type: "tool_use", id: "a", name: "f", input: { m: "}" } },
    { type: "tool_use", id: "b", name: "f", input: { n: 2 } },
    { type: "text", text: "Meanwhile" },
  ]);
});

Deno.test("bug: no usage from the vendor, and the stream does not end", () => {
  const message = write([{ content: "Hello there" }], "stop", null);
  assertEquals(message.stop_reason, "end_turn");
  const usage = message.usage as JsonObject;
  assertEquals([usage.output_tokens, usage.estimated], [3, true]);
});

Deno.test("bug: input_tokens are 0, so that no agent compacts its conversation", () => {
  const options = { ...DEFAULT_WRITE_OPTIONS, estimate: () => 1234 };
  const writer = new MessageWriter(ENVELOPE, options);
  const [start] = readEvents(writer.write({ choices: [{ index: 0, delta: { content: "x" } }] }));
  assertEquals((start?.message as { usage: JsonObject }).usage.input_tokens, 1234);
  assertEquals((write([{ content: "x" }]).usage as JsonObject).input_tokens, 10);
});

Deno.test("bug: cached tokens are lost, or counted twice", () => {
  assertEquals(write([{ content: "x" }]).usage, {
    input_tokens: 10,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 60,
    output_tokens: 20,
  });
});

Deno.test("bug: a system prompt without instructions becomes an empty message", () => {
  for (const system of [[{ type: "text", text: "x-anthropic-billing-header: cc" }], []]) {
    assertEquals(chatOf({ system, messages: [user("Hi")] }).messages.map(({ role }) => role), [
      "user",
    ]);
  }
});

Deno.test("bug: a system role is refused, or becomes the assistant's", () => {
  const { messages } = chatOf({
    system: [
      { type: "text", text: "x-anthropic-billing-header: cc" },
      { type: "text", text: "A" },
      {
        type: "text",
        text: "B",
      },
    ],
    messages: [user("Hi"), { role: "system", content: "C" }, user("Bye")],
  });
  assertEquals(messages.map(({ role, content }) => [role, content]), [
    ["system", "A\n\nB"],
    ["user", "Hi"],
    ["system", "C"],
    ["user", "Bye"],
  ]);
});

Deno.test("bug: a signature is lost, rewritten, or sent to another vendor", () => {
  const details = [{ format: "openai-responses", provider: "o", data: "séaled" }];
  const message = write([{ reasoning_content: "Hm" }, { reasoning_details: details }, {
    content: "Yes",
  }]);
  const turn = { role: "assistant", content: message.content };
  const own = { type: "thinking", thinking: "Mine", signature: "EqQB" };
  const { messages } = chatOf({
    messages: [user("Hi"), turn, user("Go on"), { role: "assistant", content: [own] }, user("?")],
  });
  assertEquals(messages[1], {
    role: "assistant",
    content: "Yes",
    reasoning_content: "Hm",
    reasoning_details: details,
  });
  // Adapters take only entries of their own format.
  assertEquals(messages[3]?.reasoning_details, [{ format: "anthropic", ...own }]);
});

Deno.test("bug: state in a damaged signature breaks the request", () => {
  const signature = `${toSignature({ details: [1] })}*`;
  const content = [{ type: "thinking", thinking: "Hm", signature }, { type: "text", text: "Yes" }];
  const { messages } = chatOf({
    messages: [user("Hi"), { role: "assistant", content }, user("?")],
  });
  assertEquals(messages[1], { role: "assistant", content: "Yes", reasoning_content: "Hm" });
});

Deno.test("bug: a web_search tool is a 400", () => {
  const { chat, changes } = readMessagesRequest(ask({
    messages: [user("Hi")],
    tools: [{ type: "web_search_20260209", name: "web_search" }],
    tool_choice: { type: "tool", name: "web_search" },
  }));
  assertEquals([chat.tools, chat.tool_choice], [undefined, undefined]);
  // Whether the search is left out depends on the vendor.
  assertEquals([...changes.ignored], ["tool_choice"]);
});

Deno.test("bug: max_tokens over the limit of the model", async () => {
  const sent: JsonObject[] = [];
  const model = { id: "small", max_output_tokens: 4096 };
  const gateway = createTestGateway({
    config: { providers: { groq: { kind: "groq", api_key: VENDOR_KEY, models: [model] } } },
    fetch: (_, { body }) => {
      sent.push(JSON.parse(String(body)));
      const choices = [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }];
      return Promise.resolve(Response.json({ choices }));
    },
  });
  const body = ask({ model: "small", max_tokens: 32000, messages: [user("Hi")] });
  const response = await gateway.call("/v1/messages", body);
  assertEquals((await response.json()).stop_reason, "end_turn");
  assertEquals(sent[0]?.max_completion_tokens ?? sent[0]?.max_tokens, 4096);
  assert(response.headers.get("x-sluice-converted")?.includes("max_tokens 32000->4096"));
});

Deno.test("bug: stop_sequences are sent as a string, and the match is not reported", () => {
  assertEquals(chatOf({ stop_sequences: ["END"] }).stop, ["END"]);
  const message = write([{ content: "x" }], "stop", USAGE, { stop_reason: "END" });
  assertEquals([message.stop_reason, message.stop_sequence], ["stop_sequence", "END"]);
  const other = write([{ content: "x" }], "stop", USAGE, { stop_reason: "else" });
  assertEquals([other.stop_reason, other.stop_sequence], ["end_turn", null]);
});

Deno.test("every finish reason has its stop reason", () => {
  const reasons = (["stop", "length", "tool_calls", "content_filter"] as const)
    .map((finish) => write([call(0, "a", "{}")], finish).stop_reason);
  assertEquals(reasons, ["tool_use", "max_tokens", "tool_use", "refusal"]);
  const refused = write([{ refusal: "I will not" }]);
  assertEquals([refused.stop_reason, refused.content], ["refusal", [{
    type: "text",
    text: "I will not",
  }]]);
});

Deno.test("thinking that is to be omitted has no text, but its state", () => {
  const format = messagesFormat({ ...DEFAULT_WRITE_OPTIONS, omitsThinking: true });
  const writer = format.createStreamWriter(ENVELOPE, chatOf({}), () => undefined);
  const chunk = { choices: [{ index: 0, delta: { reasoning_content: "Secret", content: "Yes" } }] };
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" as const }] };
  const text = writer.write(chunk) + writer.write(end) + writer.end();
  assert(!text.includes("Secret"));
  assertEquals((collect(readEvents(text)).content as JsonObject[])[0]?.thinking, "");
});

Deno.test("a request is explained for converted and native targets", async () => {
  const gateway = createTestGateway({
    config: {
      providers: {
        openai: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-4.1"] },
        claude: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-haiku-4-5"] },
      },
    },
  });
  const body = ask({
    model: "gpt-4.1",
    models: ["claude-haiku-4-5"],
    messages: [user("Hi")],
    inference_geo: "us",
  });
  const response = await gateway.call("/v1/messages", body, { "x-sluice-explain": "true" });
  const { targets } = await response.json();
  const [openai, claude] = targets;
  assertEquals(openai.request.body.messages, [user("Hi")]);
  assertEquals(
    openai.receipt.some(({ parameter }: JsonObject) => parameter === "inference_geo"),
    true,
  );
  assertEquals(claude.request.url, "{base_url}/messages");
  const { models: _, ...passed }: JsonObject = { ...body, model: "claude-haiku-4-5" };
  assertEquals(claude.request.body, passed);
});
