/** Web search of one format's callers by another format's vendors: request, answer and stream. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { sayHello, ScriptedVendor, toEventStream } from "../support/scripted_vendor.ts";

const MESSAGES = "/v1/messages";
const RESPONSES = "/v1/responses";
const CHAT = "/v1/chat/completions";

const SEARCH_TOOL = {
  ...{ type: "web_search_20250305", name: "web_search", max_uses: 8 },
  allowed_domains: ["deno.com"],
  user_location: { type: "approximate", city: "Bern", country: "CH" },
};
const PLAIN_TOOL = { type: "web_search_20250305", name: "web_search" };
const ASKED = { messages: [{ role: "user", content: "Search" }], max_tokens: 99 };
const PAGES = [
  { url: "https://deno.com/", title: "Deno" },
  { url: "https://docs.deno.com/", title: "Docs" },
];

/** A gateway over one vendor that answers so. */
function start(
  kind: string,
  answer: (stream: boolean) => Response,
  model = "m",
) {
  const vendor = new ScriptedVendor(({ url, body }) =>
    answer(body.stream === true || url.includes("stream"))
  );
  const gateway = createTestGateway({
    config: { providers: { p: { kind, api_key: VENDOR_KEY, models: [model] } } },
    fetch: vendor.fetch,
  });
  const call = async (path: string, members: JsonObject, headers = {}) => {
    const response = await gateway.call(path, { model, ...members }, headers);
    const text = await response.text();
    assertEquals(response.status, 200, text);
    return { text, headers: response.headers, sent: vendor.sent.at(-1)?.body ?? {} };
  };
  return { call, vendor, gateway };
}

/** The data of the events of a stream. */
function eventsOf(text: string): JsonObject[] {
  return text.split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

/** The blocks that a client of the Messages API builds from a stream. */
function blocksOf(text: string): JsonObject[] {
  const blocks: (JsonObject & { json?: string })[] = [];
  for (const { type, index, content_block, delta } of eventsOf(text)) {
    const at = Number(index);
    if (type === "content_block_start") {
      assertEquals(at, blocks.length);
      blocks.push({ ...content_block as JsonObject });
    }
    if (type !== "content_block_delta") continue;
    const { type: kind, text, partial_json, citation } = delta as JsonObject;
    const block = blocks[at] ?? {};
    if (kind === "text_delta") block.text = String(block.text) + text;
    if (kind === "input_json_delta") block.input = JSON.parse(String(partial_json));
    if (kind === "citations_delta") {
      block.citations = [...block.citations as unknown[] ?? [], citation];
    }
  }
  return blocks;
}

/** The same bytes, one by one. */
function inBytes(response: Response): Response {
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      },
    }),
  );
  return new Response(body, response);
}

const OPENAI_CITATION = {
  ...{ type: "url_citation", ...PAGES[0], start_index: 0, end_index: 6 },
};
const OPENAI_OUTPUT: readonly JsonObject[] = [
  {
    ...{ id: "ws_1", type: "web_search_call", status: "completed" },
    action: {
      ...{ type: "search", query: "deno" },
      sources: PAGES.map(({ url }) => ({ type: "url", url })),
    },
  },
  { id: "ws_2", type: "web_search_call", status: "completed", action: { type: "open_page" } },
  {
    ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
    content: [{
      ...{ type: "output_text", text: "Deno 2 is out.", logprobs: [] },
      annotations: [OPENAI_CITATION],
    }],
  },
];
const OPENAI = {
  ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "gpt-5.5" },
  ...{ output: OPENAI_OUTPUT, usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 } },
};

function answerOpenAi(stream: boolean): Response {
  if (!stream) return Response.json(OPENAI);
  const place = { output_index: 2, content_index: 0, item_id: "msg_1" };
  const items = OPENAI_OUTPUT.slice(0, 2).flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item: { ...item, action: undefined } },
    { type: "response.web_search_call.searching", output_index, item_id: item.id },
    { type: "response.output_item.done", output_index, item },
  ]);
  return toEventStream([
    { type: "response.created", response: { ...OPENAI, status: "in_progress", output: [] } },
    ...items,
    {
      ...{ type: "response.output_item.added", output_index: 2 },
      item: { ...OPENAI_OUTPUT[2], content: [] },
    },
    { type: "response.output_text.delta", ...place, delta: "Deno 2" },
    { type: "response.output_text.delta", ...place, delta: " is out." },
    {
      ...{ type: "response.output_text.annotation.added", ...place, annotation_index: 0 },
      annotation: OPENAI_CITATION,
    },
    { type: "response.output_item.done", output_index: 2, item: OPENAI_OUTPUT[2] },
    { type: "response.completed", response: OPENAI },
  ]);
}

const GROUNDED = {
  webSearchQueries: ["deno", "deno 2"],
  groundingChunks: PAGES.map(({ url, title }) => ({ web: { uri: url, title } })),
  groundingSupports: [
    // The text begins with a letter of two bytes, and the vendor counts bytes.
    { segment: { startIndex: 3, endIndex: 9, text: "Deno 2" }, groundingChunkIndices: [1, 7] },
  ],
};
const GEMINI_USAGE = { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 };

function answerGemini(stream: boolean): Response {
  const part = (text: string) => ({ role: "model", parts: [{ text }] });
  if (!stream) {
    const candidate = {
      ...{ content: part("É Deno 2 is out."), finishReason: "STOP" },
      groundingMetadata: GROUNDED,
    };
    return Response.json({ candidates: [candidate], usageMetadata: GEMINI_USAGE });
  }
  return toEventStream([
    { candidates: [{ content: part("É De") }] },
    {
      candidates: [{
        ...{ content: part("no 2 is out."), finishReason: "STOP" },
        groundingMetadata: GROUNDED,
      }],
      usageMetadata: GEMINI_USAGE,
    },
  ]);
}

const CITED = {
  ...{ type: "web_search_result_location", ...PAGES[0], encrypted_index: "ei" },
  cited_text: "x",
};
const CLAUDE_BLOCKS: JsonObject[] = [
  { type: "text", text: "I search. " },
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "deno" } },
  {
    ...{ type: "web_search_tool_result", tool_use_id: "srvtoolu_1" },
    content: PAGES.map((page) => ({ type: "web_search_result", ...page, encrypted_content: "e" })),
  },
  { type: "text", text: "Deno 2 is out.", citations: [CITED] },
];
const CLAUDE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_sequence: null },
  ...{ content: CLAUDE_BLOCKS, stop_reason: "end_turn" },
  usage: { input_tokens: 9, output_tokens: 4, server_tool_use: { web_search_requests: 1 } },
};

function answerClaude(stream: boolean): Response {
  if (!stream) return Response.json(CLAUDE);
  const blocks = CLAUDE_BLOCKS.flatMap((block, index) => {
    const { text, input, citations = [] } = block;
    const begun = {
      ...block,
      ...(text !== undefined && { text: "", citations: undefined }),
      ...(input !== undefined && { input: {} }),
    };
    const deltas = [
      ...(citations as unknown[]).map((citation) => ({ type: "citations_delta", citation })),
      ...text === undefined ? [] : [{ type: "text_delta", text }],
      ...input === undefined ? [] : [
        { type: "input_json_delta", partial_json: '{"query":' },
        { type: "input_json_delta", partial_json: '"deno"}' },
      ],
    ];
    return [
      { type: "content_block_start", index, content_block: begun },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  return toEventStream([
    { type: "message_start", message: { ...CLAUDE, content: [] } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
    { type: "message_stop" },
  ]);
}

const OWN_ID = /^srvtoolu_sluice_[A-Za-z0-9_]+_\d+$/;

/** The blocks with `ID` in place of the gateway's IDs. */
function withoutIds(blocks: readonly JsonObject[]): JsonObject[] {
  return blocks.map((block) => {
    const copy = { ...block };
    for (const name of ["id", "tool_use_id"]) {
      if (copy[name] === undefined) continue;
      assert(OWN_ID.test(String(copy[name])), String(copy[name]));
      copy[name] = "ID";
    }
    return copy;
  });
}

function searchBlocks(query: string, pages: readonly { url: string; title: string }[]) {
  return [
    { type: "server_tool_use", id: "ID", name: "web_search", input: { query } },
    {
      ...{ type: "web_search_tool_result", tool_use_id: "ID" },
      content: pages.map((page) => ({
        ...{ type: "web_search_result", ...page, encrypted_content: "", page_age: null },
      })),
    },
  ];
}

const citation = (page: JsonObject, cited_text: string) => ({
  ...{ type: "web_search_result_location", ...page, encrypted_index: "", cited_text },
});

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";

  Deno.test(`Claude's search becomes OpenAI's, and its answer comes back: ${how}`, async () => {
    const { call } = start("openai", answerOpenAi, "gpt-5.5");
    const { text, sent, headers } = await call(MESSAGES, {
      ...ASKED,
      stream,
      tools: [SEARCH_TOOL],
    });
    assertEquals(sent.tools, [{
      type: "web_search",
      filters: { allowed_domains: ["deno.com"] },
      user_location: { type: "approximate", city: "Bern", country: "CH" },
    }]);
    assertEquals(sent.max_tool_calls, 8);
    assert((sent.include as string[]).includes("web_search_call.action.sources"));
    assert(headers.get("x-sluice-converted")?.includes("tools.web_search_20250305->tools"));
    assertEquals(headers.get("x-sluice-ignored"), null);
    const blocks = stream ? blocksOf(text) : JSON.parse(text).content;
    const found = PAGES.map(({ url }) => ({ url, title: url }));
    assertEquals(withoutIds(blocks), [
      ...searchBlocks("deno", found),
      { type: "text", text: "Deno 2 is out.", citations: [citation(PAGES[0] ?? {}, "Deno 2")] },
    ]);
    const usage = stream
      ? eventsOf(text).find(({ type }) => type === "message_delta")?.usage
      : JSON.parse(text).usage;
    assertEquals((usage as JsonObject).server_tool_use, { web_search_requests: 1 });
  });

  Deno.test(`Claude's search becomes Gemini's, and its answer comes back: ${how}`, async () => {
    const { call } = start("gemini", answerGemini, "gemini-2.5-pro");
    const { text, sent, headers } = await call(MESSAGES, {
      ...ASKED,
      stream,
      tools: [SEARCH_TOOL],
    });
    assertEquals(sent.tools, [{ googleSearch: {} }]);
    assertEquals(
      headers.get("x-sluice-ignored")?.split(", ").filter((name) => name.includes("search")),
      ["max_uses", "filters", "user_location"].map((name) => `tools.web_search_20250305.${name}`),
    );
    const blocks = stream ? blocksOf(text) : JSON.parse(text).content;
    const said = {
      ...{ type: "text", text: "É Deno 2 is out." },
      citations: [citation(PAGES[1] ?? {}, "Deno 2")],
    };
    const searches = [...searchBlocks("deno", []), ...searchBlocks("deno 2", PAGES)];
    // A stream has the searches only at its end.
    assertEquals(withoutIds(blocks), stream ? [said, ...searches] : [...searches, said]);
  });

  Deno.test(`OpenAI's search becomes Claude's, and its answer comes back: ${how}`, async () => {
    const { call } = start("anthropic", answerClaude);
    const tools = [{
      ...{ type: "web_search", search_context_size: "low" },
      filters: { allowed_domains: ["deno.com"] },
      user_location: { type: "approximate", country: "CH" },
    }];
    const include = ["web_search_call.action.sources"];
    const { text, sent, headers } = await call(RESPONSES, {
      input: "Search",
      tools,
      stream,
      include,
    });
    assertEquals(sent.tools, [{
      ...{ type: "web_search_20250305", name: "web_search", allowed_domains: ["deno.com"] },
      user_location: { type: "approximate", country: "CH" },
    }]);
    assertEquals(headers.get("x-sluice-ignored"), "tools.web_search.search_context_size");
    const response = stream ? eventsOf(text).at(-1)?.response : JSON.parse(text);
    const output = (response as { output: JsonObject[] }).output;
    const search = output.find(({ type }) => type === "web_search_call");
    assertEquals([search?.status, search?.action], ["completed", {
      ...{ type: "search", query: "deno", queries: ["deno"] },
      sources: PAGES.map(({ url }) => ({ type: "url", url })),
    }]);
    assert(/^ws_/.test(String(search?.id)));
    const said = output.filter(({ type }) => type === "message")
      .flatMap(({ content }) => content as JsonObject[]);
    assertEquals(said.map(({ text }) => text).join(""), "I search. Deno 2 is out.");
    const [cited] = said.flatMap(({ annotations }) => annotations as JsonObject[]);
    assertEquals(cited, { type: "url_citation", ...PAGES[0], start_index: 10, end_index: 24 });
    if (!stream) return;
    const types = eventsOf(text).map(({ type }) => type);
    for (const state of ["in_progress", "searching", "completed"]) {
      assert(types.includes(`response.web_search_call.${state}`), state);
    }
    const numbers = eventsOf(text).map(({ sequence_number }) => sequence_number);
    assertEquals(numbers, numbers.map((_, index) => index));
  });

  Deno.test(`OpenAI's search becomes Gemini's: ${how}`, async () => {
    const { call } = start("gemini", answerGemini, "gemini-2.5-pro");
    const tools = [{ type: "web_search" }];
    const { text, sent } = await call(RESPONSES, { input: "Search", tools, stream });
    assertEquals(sent.tools, [{ googleSearch: {} }]);
    const response = stream ? eventsOf(text).at(-1)?.response : JSON.parse(text);
    const output = (response as { output: JsonObject[] }).output;
    const queries = output.filter(({ type }) => type === "web_search_call")
      .map(({ action }) => action);
    assertEquals(queries, [
      { type: "search", query: "deno", queries: ["deno"] },
      { type: "search", query: "deno 2", queries: ["deno 2"] },
    ]);
    const [message] = output.filter(({ type }) => type === "message");
    const [part] = message?.content as JsonObject[];
    assertEquals(part?.annotations, [
      { type: "url_citation", ...PAGES[1], start_index: 2, end_index: 8 },
    ]);
  });

  Deno.test(`a search of chat completions has citations, and no other member: ${how}`, async () => {
    for (
      const [kind, answer, model] of [
        ["gemini", answerGemini, "gemini-2.5-pro"],
        ["anthropic", answerClaude, "m"],
      ] as const
    ) {
      const { call } = start(kind, answer, model);
      const asked = { messages: ASKED.messages, web_search_options: {}, stream };
      const { text, sent } = await call(CHAT, asked);
      assertEquals((sent.tools as unknown[]).length, 1);
      const choices = stream
        ? eventsOf(text).flatMap(({ choices }) => choices as { delta: JsonObject }[])
          .map(({ delta }) => delta)
        : [JSON.parse(text).choices[0].message];
      const cited = choices.flatMap(({ annotations = [] }) => annotations);
      assertEquals(cited.length, 1, text);
      assert(!text.includes("web_search_calls"));
    }
  });

  Deno.test(`vendors without a search get the request without it: ${how}`, async () => {
    for (const kind of ["groq", "mistral", "openai_compatible"]) {
      const vendor = new ScriptedVendor(sayHello);
      const provider = { kind, api_key: "k", base_url: "http://v.test/v1", models: ["m"] };
      const gateway = createTestGateway({
        config: { providers: { provider } },
        fetch: vendor.fetch,
      });
      for (
        const [path, body, name] of [
          [MESSAGES, { ...ASKED, tools: [PLAIN_TOOL] }, "tools.web_search_20250305"],
          [RESPONSES, { input: "Hi", tools: [{ type: "web_search" }] }, "tools.web_search"],
        ] as const
      ) {
        const response = await gateway.call(path, { model: "m", stream, ...body });
        assertEquals(response.status, 200, await response.text());
        const ignored = response.headers.get("x-sluice-ignored")?.split(", ");
        assert(ignored?.includes(name), `${kind} ${ignored}`);
        const { web_search_options, tools } = vendor.sent.at(-1)?.body ?? {};
        assertEquals([web_search_options, tools], [undefined, undefined]);
      }
    }
  });
}

Deno.test("a search of OpenAI's index, without the live web, is omitted", async () => {
  const { call } = start("anthropic", () => Response.json({ ...CLAUDE, content: [] }));
  const tools = [{ type: "web_search", external_web_access: false }];
  const { sent, headers } = await call(RESPONSES, { input: "Search", tools });
  assertEquals([sent.tools, headers.get("x-sluice-ignored")], [undefined, "tools.web_search"]);
});

Deno.test("Gemini gets functions rather than a search beside them", async () => {
  const { call } = start("gemini", answerGemini, "gemini-2.5-pro");
  const own = { name: "look", input_schema: { type: "object", properties: {} } };
  const { sent, headers } = await call(MESSAGES, { ...ASKED, tools: [SEARCH_TOOL, own] });
  assertEquals(Object.keys((sent.tools as JsonObject[])[0] ?? {}), ["functionDeclarations"]);
  assert(headers.get("x-sluice-ignored")?.includes("tools.web_search_20250305"));
});

Deno.test("strict refuses a search that a vendor does not have", async () => {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({
    config: { providers: { p: { kind: "groq", api_key: "k", models: ["m"] } } },
    fetch: vendor.fetch,
  });
  const body = { ...ASKED, model: "m", tools: [PLAIN_TOOL] };
  const response = await gateway.call(MESSAGES, body, { "x-sluice-strict": "true" });
  const { error } = await response.json();
  assertEquals([response.status, error.type, vendor.sent.length], [
    400,
    "invalid_request_error",
    0,
  ]);
  assert(error.message.includes("web_search"), error.message);
});

Deno.test("searches of other vendors do not go back to Anthropic; its own do", async () => {
  const { call } = start("openai", answerOpenAi, "gpt-5.5");
  const { text } = await call(MESSAGES, { ...ASKED, tools: [PLAIN_TOOL] });
  const claude = start("anthropic", answerClaude);
  const ask = async (content: unknown) => {
    const messages = [...ASKED.messages, { role: "assistant", content }, ...ASKED.messages];
    const { sent } = await claude.call(MESSAGES, { ...ASKED, messages, tools: [PLAIN_TOOL] });
    return (sent.messages as JsonObject[])[1]?.content;
  };
  assertEquals(await ask(JSON.parse(text).content), [{ type: "text", text: "Deno 2 is out." }]);
  assertEquals(await ask(CLAUDE_BLOCKS), CLAUDE_BLOCKS);
});

Deno.test("searches that the gateway wrote do not go back to OpenAI", async () => {
  const claude = start("anthropic", answerClaude);
  const asked = { input: "Search", tools: [{ type: "web_search" }] };
  const { output } = JSON.parse((await claude.call(RESPONSES, asked)).text);
  const { call } = start("openai", answerOpenAi, "gpt-5.5");
  const { sent, headers } = await call(RESPONSES, {
    ...asked,
    input: [...output, {
      role: "user",
      content: "Again",
    }],
  });
  const types = (sent.input as JsonObject[]).map(({ type }) => type);
  assertEquals(types.includes("web_search_call"), false);
  assert(headers.get("x-sluice-ignored")?.includes("input.web_search_call"));
});

for (
  const [kind, answer, path, model] of [
    ["openai", answerOpenAi, MESSAGES, "gpt-5.5"],
    ["gemini", answerGemini, MESSAGES, "gemini-2.5-pro"],
    ["anthropic", answerClaude, RESPONSES, "m"],
  ] as const
) {
  Deno.test(`a search that is streamed byte by byte gives the same events: ${kind}`, async () => {
    const body = path === MESSAGES
      ? { ...ASKED, tools: [PLAIN_TOOL], stream: true }
      : { input: "Search", tools: [{ type: "web_search" }], stream: true };
    const whole = await start(kind, answer, model).call(path, body);
    const cut = await start(kind, (stream) => inBytes(answer(stream)), model).call(path, body);
    assertEquals(eventsOf(cut.text), eventsOf(whole.text));
  });
}
