import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../../src/core/json/object.ts";
import type { PromptMarks } from "../../../../src/contract/prompt_marks.ts";
import { anthropic } from "../../../../src/providers/anthropic/anthropic_adapter.ts";
import { bedrock } from "../../../../src/providers/bedrock/bedrock_adapter.ts";
import { openrouter } from "../../../../src/providers/openai_compatible/vendors/openrouter.ts";
import { vertex } from "../../../../src/providers/vertex/vertex_adapter.ts";
import { minCachedTokens } from "../../../../src/providers/shared/claude/models.ts";

const ALL = false;
const PREFIX = true;
/** About 1,200 tokens. */
const LONG = "word ".repeat(1200);
const MARK = { type: "ephemeral" };
const POINT = { cachePoint: { type: "default" } };

function model(id: string) {
  return { id, upstream: id, base: id, facts: {} };
}

function marksOf(marks: PromptMarks | undefined): PromptMarks {
  if (marks === undefined) throw new TypeError("The model has no marks");
  return marks;
}

const messages = marksOf(anthropic.promptMarks(model("claude-sonnet-5")));
const converse = marksOf(bedrock.promptMarks(model("us.anthropic.claude-sonnet-5-v1:0")));
const chat = marksOf(openrouter.promptMarks?.(model("anthropic/claude-sonnet-5")));

/** The paths of all marks in a body. */
function paths(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "cache_control" || name === "cachePoint" ? [path] : paths(inner, `${path}/${name}`)
  );
}

function place(marks: PromptMarks, body: JsonObject, onlyPrefix = ALL): string[] | undefined {
  const before = JSON.stringify(body);
  const marked = marks.place(body, onlyPrefix);
  if (marked !== undefined) {
    assertEquals(paths(marks.remove(marked)), []);
    assertEquals(marks.remove(body), undefined);
  }
  assertEquals(JSON.stringify(body), before, "the body of the caller is not changed");
  // Equal requests get equal bytes.
  assertEquals(JSON.stringify(marks.place(JSON.parse(before), onlyPrefix)), JSON.stringify(marked));
  return marked && paths(marked);
}

Deno.test("a string becomes one marked block, and nothing else changes", () => {
  const body = {
    model: "m",
    system: LONG,
    max_tokens: 1,
    messages: [{ role: "user", content: "hi" }],
    tools: [{ name: "t" }],
  };
  assertEquals(messages.place(body, ALL), {
    model: "m",
    system: [{ type: "text", text: LONG, cache_control: MARK }],
    max_tokens: 1,
    messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: MARK }] }],
    tools: [{ name: "t" }],
  });
  assertEquals(Object.keys(messages.place(body, ALL) ?? {}), Object.keys(body));
});

Deno.test("the third cache marker is before the newest user turn", () => {
  const body = {
    system: LONG,
    messages: [
      { role: "user", content: "one" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "two" },
          { type: "tool_use", id: "a", name: "f", input: {} },
          { type: "thinking", thinking: "…", signature: "s" },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "three" }] },
      { role: "user", content: [{ type: "text", text: "four" }, { type: "text", text: " \n" }] },
    ],
  };
  assertEquals(place(messages, body), [
    "/system/0",
    "/messages/1/content/1",
    "/messages/3/content/0",
  ]);
  assertEquals(place(messages, body, PREFIX), ["/system/0"]);
});

Deno.test("tools are marked where there is no system prompt, but for those that load later", () => {
  const tools = [
    { name: "a", description: LONG, input_schema: {} },
    { type: "web_search_20250305", name: "web_search" },
    { name: "b", input_schema: {}, defer_loading: true },
  ];
  const turn = [{ role: "user", content: "hi" }];
  const marked = place(messages, { tools, messages: turn });
  assertEquals(marked?.toSorted(), ["/messages/0/content/0", "/tools/1"]);
  assertEquals(place(messages, { tools, system: " ", messages: turn }, PREFIX), ["/tools/1"]);
});

Deno.test("prefixes below the model's minimum are not marked", () => {
  const turns = [
    { role: "user", content: "short" },
    { role: "assistant", content: "short" },
    { role: "user", content: LONG },
  ];
  assertEquals(place(messages, { system: "short", messages: turns }), ["/messages/2/content/0"]);
  assertEquals(place(messages, { system: "short", messages: turns }, PREFIX), undefined);
  assertEquals(place(messages, { messages: turns.slice(0, 2) }), undefined);
  assertEquals(
    place(messages, { messages: [turns[2], turns[1], turns[0]] }),
    ["/messages/1/content/0", "/messages/2/content/0"],
  );
  const haiku = marksOf(anthropic.promptMarks(model("claude-haiku-4-5")));
  assertEquals(place(haiku, { system: "short", messages: turns }), undefined);
  assertEquals(
    place(haiku, { system: LONG.repeat(4), messages: turns }, PREFIX),
    ["/system/0"],
  );
});

Deno.test("prefixes are as long as their tokens, in any script", () => {
  const asks = (content: unknown, system?: string) =>
    place(messages, { system, messages: [{ role: "user", content }] }) !== undefined;
  assertEquals(asks("请把下面的文字翻译成英文。".repeat(120)), true);
  assertEquals(asks("x ".repeat(480)), false);
  const data = "iVBORw0KGgo".repeat(9000);
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  // An image is at most 1,500 tokens by estimate, however many bytes it is.
  const haiku = marksOf(anthropic.promptMarks(model("claude-haiku-4-5")));
  const turn = { role: "user", content: [image, { type: "text", text: "short" }] };
  assertEquals(place(haiku, { messages: [turn] }), undefined);
  assertEquals(asks([image]), true);
  assertEquals(asks([{ ...image, source: { ...image.source, data: "iVBORw0KGgo" } }]), false);
  assertEquals(
    asks([{ type: "image", source: { type: "url", url: "https://a.test/a.png" } }]),
    false,
  );
  const tools = [{
    name: "t",
    input_schema: { enum: Array.from({ length: 900 }, (_, n) => `v${n}`) },
  }];
  assertEquals(place(messages, { tools, messages: [] }, PREFIX), ["/tools/0"]);
});

Deno.test("the minimum is by model", () => {
  const ids = ["claude-opus-5", "claude-opus-4.5", "us.anthropic.claude-haiku-4-5-20251001-v1:0"];
  assertEquals(ids.map(minCachedTokens), [1024, 4096, 4096]);
  assertEquals(["claude-opus-4-7", "claude-opus-4-20250514"].map(minCachedTokens), [2048, 1024]);
  assertEquals(["claude-3-5-haiku-latest", "claude-unheard-of"].map(minCachedTokens), [2048, 1024]);
});

Deno.test("cache markers of the caller win, wherever they are", () => {
  const turn = { role: "user", content: LONG };
  const marked = { type: "text", text: "x", cache_control: MARK };
  const bodies: JsonObject[] = [
    { system: LONG, messages: [turn], cache_control: MARK },
    { system: [marked], messages: [turn] },
    { tools: [{ name: "t", cache_control: MARK }], messages: [turn] },
    { messages: [turn, { role: "user", content: [marked] }] },
    { messages: [{ role: "user", content: [{ type: "tool_result", content: [marked] }] }, turn] },
    {
      messages: [turn, {
        role: "user",
        content: [{ type: "document", source: { type: "content", content: [marked] } }],
      }],
    },
  ];
  for (const body of bodies) {
    assertEquals(place(messages, body), undefined);
    const plain = messages.remove(body);
    assert(plain !== undefined);
    const removed = JSON.stringify(plain);
    const expected = JSON.stringify(body).replaceAll(
      `,"cache_control":${JSON.stringify(MARK)}`,
      "",
    );
    assertEquals(removed, expected);
  }
  // null is no mark.
  const none = { system: [{ ...marked, cache_control: null }], messages: [turn] };
  assertEquals(messages.place(none, ALL)?.messages, [
    { role: "user", content: [{ type: "text", text: LONG, cache_control: MARK }] },
  ]);
});

Deno.test("a request whose end is the assistant's is marked at the end of the user's turn", () => {
  const body = {
    messages: [{ role: "user", content: LONG }, { role: "assistant", content: "{" }],
  };
  assertEquals(place(messages, body), ["/messages/0/content/0"]);
  assertEquals(place(messages, { messages: [body.messages[1]] }), undefined);
  assertEquals(place(messages, { messages: "no list" }), undefined);
  assertEquals(place(messages, { system: 1, messages: [1, null, { role: "user" }] }), undefined);
});

Deno.test("Converse: cache markers are blocks after the others", () => {
  const body = {
    system: [{ text: LONG }],
    toolConfig: { tools: [{ toolSpec: { name: "f" } }], toolChoice: { any: {} } },
    messages: [
      { role: "user", content: [{ text: "one" }] },
      {
        role: "assistant",
        content: [{ reasoningContent: {} }, { toolUse: { toolUseId: "a", name: "f", input: {} } }],
      },
      { role: "user", content: [{ toolResult: { toolUseId: "a", content: [{ text: "3" }] } }] },
    ],
  };
  const marked = converse.place(body, ALL);
  assertEquals(marked, {
    ...body,
    system: [{ text: LONG }, POINT],
    messages: [
      body.messages[0],
      { role: "assistant", content: [...body.messages[1]?.content ?? [], POINT] },
      { role: "user", content: [...body.messages[2]?.content ?? [], POINT] },
    ],
  });
  const { system: _, ...rest } = body;
  const tools = [{ toolSpec: { name: "f", description: LONG } }];
  assertEquals(
    converse.place({ ...rest, toolConfig: { ...rest.toolConfig, tools } }, PREFIX)?.toolConfig,
    { tools: [...tools, POINT], toolChoice: { any: {} } },
  );
  assertEquals(place(converse, marked ?? {}), undefined);
  assertEquals(converse.remove(marked ?? {}), body);
});

Deno.test("chat completions: cache markers are on texts", () => {
  const body = {
    tools: [{ type: "function", function: { name: "f" } }],
    messages: [
      { role: "system", content: "one" },
      { role: "developer", content: LONG },
      { role: "user", content: "two" },
      { role: "assistant", content: null, tool_calls: [{ id: "a" }] },
      { role: "tool", tool_call_id: "a", content: "three" },
    ],
  };
  assertEquals(chat.place(body, ALL), {
    tools: body.tools,
    messages: [
      body.messages[0],
      { role: "developer", content: [{ type: "text", text: LONG, cache_control: MARK }] },
      { role: "user", content: [{ type: "text", text: "two", cache_control: MARK }] },
      body.messages[3],
      {
        role: "tool",
        tool_call_id: "a",
        content: [{ type: "text", text: "three", cache_control: MARK }],
      },
    ],
  });
  const caller = [
    { ...body, cache_control: MARK },
    { ...body, tools: [{ type: "function", function: { name: "f", cache_control: MARK } }] },
    {
      ...body,
      messages: body.messages.with(0, { role: "system", content: "x", ...{ cache_control: MARK } }),
    },
    {
      ...body,
      messages: body.messages.with(1, { role: "system", content: "x", ...{ cache_control: MARK } }),
    },
    {
      ...body,
      messages: body.messages.with(4, { role: "tool", content: "x", ...{ cache_control: MARK } }),
    },
  ];
  for (const marked of caller) {
    assertEquals(place(chat, marked), undefined);
    assertEquals(paths(chat.remove(marked)), []);
  }
  assertEquals(place(chat, { messages: [{ role: "system", content: LONG }] }), undefined);
});

Deno.test("only Claude is marked", () => {
  assertEquals(anthropic.promptMarks(model("glm-5")), undefined);
  assertEquals(openrouter.promptMarks?.(model("openai/gpt-5.5")), undefined);
  assertEquals(bedrock.promptMarks(model("us.amazon.nova-2-lite-v1:0")), undefined);
  assertEquals(bedrock.promptMarks(model("anthropic.claude-3-haiku-20240307-v1:0")), undefined);
  assertEquals(vertex.promptMarks?.(model("gemini-3-pro")), undefined);
});

/** A vendor's cache: an entry for each mark, found by the next mark within 20 blocks behind it. */
class MarkedCache {
  readonly #entries = new Set<string>();

  /** The blocks that a request reads. */
  read(marks: PromptMarks, body: JsonObject): number {
    const marked = marks.place(body, ALL) ?? body;
    const { tools = [], system, messages: turns } = marked as Record<string, JsonObject[]>;
    const blocks = [...tools, ...system ?? [], ...(turns ?? []).flatMap(({ content }) => content)];
    const prefixes: string[] = [];
    let prefix = "";
    for (const block of blocks) {
      const { cache_control: _, ...plain } = block as JsonObject;
      prefixes.push(prefix += `${JSON.stringify(plain)}\n`);
    }
    const ends = blocks.flatMap((block, index) =>
      (block as JsonObject).cache_control === undefined ? [] : [index]
    );
    assert(ends.length <= 4, `${ends.length} marks`);
    let read = 0;
    for (const end of ends) {
      for (let at = end; at >= Math.max(0, end - 20); at--) {
        if (this.#entries.has(prefixes[at] ?? "")) read = Math.max(read, at + 1);
      }
    }
    for (const end of ends) this.#entries.add(prefixes[end] ?? "");
    return read;
  }
}

const TEXT = (text: string) => ({ type: "text", text });

for (const blocks of [1, 19, 20, 21, 60]) {
  Deno.test(`a conversation with turns of ${blocks} blocks reads all but its newest turns`, () => {
    const cache = new MarkedCache();
    const turns: JsonObject[] = [{ role: "user", content: [TEXT("begin")] }];
    for (let turn = 0; turn < 6; turn++) {
      const read = cache.read(messages, { system: [TEXT(LONG)], messages: turns });
      // The system prompt, and every message up to the user's turn before.
      assertEquals(read, turn === 0 ? 0 : 1 + turn + (turn - 1) * blocks, `turn ${turn}`);
      turns.push({
        role: "assistant",
        content: Array.from({ length: blocks }, (_, at) => TEXT(`answer ${turn} ${at}`)),
      }, { role: "user", content: [TEXT(`next ${turn}`)] });
    }
  });
}

Deno.test("long tools are read by a conversation whose system prompt changes", () => {
  const cache = new MarkedCache();
  const tools = [{ name: "a", description: LONG, input_schema: {} }, { name: "b" }];
  const ask = (time: string) =>
    cache.read(messages, {
      tools,
      system: [TEXT(`It is ${time}. ${LONG}`)],
      messages: [{ role: "user", content: [TEXT("hi")] }],
    });
  assertEquals([ask("noon"), ask("one"), ask("two")], [0, 2, 2]);
  const short = {
    tools: [{ name: "b" }],
    system: LONG,
    messages: [{ role: "user", content: "hi" }],
  };
  assertEquals(place(messages, short), ["/system/0", "/messages/0/content/0"]);
});
