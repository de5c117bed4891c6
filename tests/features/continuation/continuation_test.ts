/** Streams that are cut, and go on at another target: `on_stream_failure: continue`. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import type { LedgerRow } from "../../../src/governance/ledger/row.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { ScriptedVendor, type Sent } from "../../support/scripted_vendor.ts";
import { endOf, Overlap } from "../../../src/gateway/execute/continuation/resumed_writer.ts";

const WORDS = ["The", " quick", " brown", " fox\n", "jumps", " over", " the", " lazy", " dog."];
const TEXT = WORDS.join("");
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const FORMATS = [
  { path: "/v1/chat/completions", ask: { messages: [{ role: "user", content: "Hi" }] } },
  { path: "/v1/messages", ask: { messages: [{ role: "user", content: "Hi" }], max_tokens: 90 } },
  { path: "/v1/responses", ask: { input: "Hi", store: false } },
] as const;

type Format = (typeof FORMATS)[number];

/** How a stream can be cut. */
type Cut = "connection" | "end" | "error event";

const encoder = new TextEncoder();

function toChunk(choice: JsonObject): string {
  return `data: ${JSON.stringify({ id: "v", model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
}

function toWords(words: readonly string[]): string[] {
  return words.map((content) => toChunk({ delta: { content }, finish_reason: null }));
}

const ENDING = [
  toChunk({ delta: {}, finish_reason: "stop" }),
  `data: ${JSON.stringify({ id: "v", model: "m", choices: [], usage: USAGE })}\n\n`,
  "data: [DONE]\n\n",
];

/** A response in these pieces, which may then fail. */
function toResponse(pieces: readonly string[], cut?: Cut): Response {
  const left = [...pieces];
  if (cut === "error event") left.push('data: {"error":{"message":"overloaded","code":503}}\n\n');
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) return controller.enqueue(encoder.encode(piece));
      if (cut === "connection") controller.error(new TypeError("connection reset"));
      else controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** The end of the text that the last message asks to repeat. */
function askedEnd({ body }: Sent): string {
  const messages = body.messages as readonly { content: string }[];
  return /\n<end>([^]*)<\/end>$/.exec(messages.at(-1)?.content ?? "")?.[1] ?? "";
}

/** Repeats the end, and writes the rest of the text, one character at a time. */
function goOn(sent: Sent, written: string): Response {
  const end = askedEnd(sent);
  const rest = TEXT.slice(written.trimEnd().length);
  return toResponse([...toWords([...end + rest]), ...ENDING]);
}

const A = { kind: "openai_compatible", base_url: "http://a.test/v1", models: ["m"] };
const B = { kind: "openai_compatible", base_url: "http://b.test/v1", models: ["m"] };

interface Told {
  readonly text: string;
  /** Whether the stream ended as a whole one does. */
  readonly isWhole: boolean;
  readonly error: string | undefined;
  readonly raw: string;
  readonly usage: JsonObject | undefined;
}

/** What a client reads of a stream. */
function readStream(path: Format["path"], raw: string): Told {
  const events: JsonObject[] = [...raw.matchAll(/^data: (\{.*\})$/gm)]
    .map(([, data]) => JSON.parse(data ?? ""));
  const failed = events.find(({ error, type }) => error || type === "response.failed");
  const error = failed === undefined ? undefined : JSON.stringify(failed);
  if (path === "/v1/chat/completions") {
    const text = events.map(({ choices }) =>
      ((choices ?? []) as { delta: { content?: string } }[]).map(({ delta }) => delta.content)
        .join("")
    ).join("");
    const usage = events.findLast(({ usage }) => usage)?.usage as JsonObject | undefined;
    return { text, isWhole: raw.endsWith("data: [DONE]\n\n"), error, raw, usage };
  }
  if (path === "/v1/messages") {
    const text = events.map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? "");
    const blocks = events.filter(({ type }) => type === "content_block_start");
    assertEquals(blocks.length, 1);
    assertEquals(events.filter(({ type }) => type === "message_start").length, 1);
    const isWhole = events.at(-1)?.type === "message_stop";
    const usage = events.findLast(({ usage }) => usage)?.usage as JsonObject | undefined;
    return { text: text.join(""), isWhole, error, raw, usage };
  }
  const text = events.filter(({ type }) => type === "response.output_text.delta")
    .map(({ delta }) => delta).join("");
  events.forEach(({ sequence_number }, index) => assertEquals(sequence_number, index));
  const last = events.at(-1) as { type: string; response: JsonObject };
  const isWhole = last.type === "response.completed";
  if (isWhole) {
    const [message] = last.response.output as { content: { text: string }[] }[];
    assertEquals(message?.content[0]?.text, text);
  }
  return { text, isWhole, error, raw, usage: last.response.usage as JsonObject };
}

interface World {
  readonly vendor: ScriptedVendor;
  readonly rows: LedgerRow[];
  readonly routes: (string | undefined)[];
  ask(format: Format, extra?: JsonObject): Promise<Told>;
}

function createWorld(
  answer: (sent: Sent) => Response | Promise<Response>,
  { policy = "continue", second = B as JsonObject, targets = ["m@a", "m@b"] } = {},
): World {
  const rows: LedgerRow[] = [];
  const vendor = new ScriptedVendor(answer);
  const gateway = createTestGateway({
    config: {
      providers: { a: A, b: second },
      aliases: { x: { targets, on_stream_failure: policy } },
    },
    fetch: vendor.fetch,
    usage: {
      list: () => Promise.reject(),
      summarize: () => Promise.reject(),
      write: (written: readonly LedgerRow[]) => {
        rows.push(...written);
        return Promise.resolve();
      },
    } as never,
  });
  return {
    vendor,
    rows,
    get routes() {
      return rows.map(({ route }) => route);
    },
    async ask({ path, ask }, extra = {}) {
      const response = await gateway.call(path, { model: "x", stream: true, ...ask, ...extra });
      assertEquals(response.status, 200);
      return readStream(path, await response.text());
    },
  };
}

const isA = ({ url }: Sent) => url.includes("a.test");

for (const format of FORMATS) {
  for (const cut of ["connection", "end", "error event"] as const) {
    Deno.test(`a stream of ${format.path} continues after each word (${cut})`, async () => {
      for (let at = 1; at < WORDS.length; at++) {
        const words = WORDS.slice(0, at);
        const world = createWorld((sent) =>
          isA(sent) ? toResponse(toWords(words), cut) : goOn(sent, words.join(""))
        );
        const told = await world.ask(format, { stream_options: { include_usage: true } });
        assertEquals([told.text, told.isWhole, told.error], [TEXT, true, undefined], `${at}`);
        assertEquals(told.raw.split(": continued by another target\n\n").length, 2);
        assertEquals(world.vendor.sent.length, 2);
        const [row] = world.rows;
        assertEquals(row?.attempts, 2);
        assertEquals(row?.error, undefined);
        assertEquals(row?.attemptRows?.map(({ provider, next }) => [provider, next]), [
          ["a", "continued"],
          ["b", undefined],
        ]);
        assertEquals(world.routes, ["continued"]);
        // Both parts are billed: the first is an estimate.
        assert((row?.input ?? 0) > USAGE.prompt_tokens, `${row?.input}`);
        assert((row?.output ?? 0) > USAGE.completion_tokens, `${row?.output}`);
        assertEquals(row?.source, "estimated");
        const { completion_tokens, output_tokens } = told.usage ?? {};
        assertEquals(completion_tokens ?? output_tokens, row?.output);
      }
    });
  }

  Deno.test(`a stream of ${format.path} ends with the error if the overlap does not match`, async () => {
    const words = WORDS.slice(0, 4);
    const world = createWorld((sent) =>
      isA(sent)
        ? toResponse(toWords(words), "end")
        : toResponse([...toWords(["Something", " else."]), ...ENDING])
    );
    const told = await world.ask(format);
    assertEquals([told.text, told.isWhole], [words.join(""), false]);
    assert(told.error?.includes("The provider's stream ended before the answer was complete"));
    assertEquals(world.vendor.sent.length, 2);
    const [row] = world.rows;
    assertEquals(row?.attempts, 2);
    assertEquals(row?.attemptRows?.map(({ next }) => next), ["continued", undefined]);
  });

  Deno.test(`a stream of ${format.path} is continued once`, async () => {
    const words = WORDS.slice(0, 2);
    const world = createWorld((sent) =>
      isA(sent)
        ? toResponse(toWords(words), "end")
        : toResponse(toWords([askedEnd(sent), " brown"]), "end")
    );
    const told = await world.ask(format);
    assertEquals([told.text, told.isWhole], ["The quick brown", false]);
    assert(told.error !== undefined);
    assertEquals(world.vendor.sent.length, 2);
  });
}

const TOOL_CALL = toChunk({
  delta: { tool_calls: [{ index: 0, id: "c", function: { name: "look", arguments: "{" } }] },
});
const SIGNED = toChunk({
  delta: { reasoning_details: [{ type: "reasoning.text", signature: "s" }] },
});
const FILTERED = 'data: {"error":{"message":"blocked","code":"content_filter"}}\n\n';

const OTHERS: readonly (readonly [string, readonly string[], JsonObject, JsonObject?])[] = [
  ["with a tool call", [TOOL_CALL], {}],
  ["with signed thinking", [SIGNED], {}],
  ["that is finished", ENDING.slice(0, 1), {}],
  ["that the vendor has filtered", [FILTERED], {}, {
    targets: ["m@a", { model: "m@b", when: ["content_filter"] }],
  }],
  ["for a schema", [], { response_format: { type: "json_object" } }],
  ["with two choices", [], { n: 2 }],
  ["with log probabilities", [], { logprobs: true }],
  ["of an alias without the setting", [], {}, { policy: "error" }],
  ["without another target", [], {}, { targets: ["m@a"] }],
  ["whose next target takes other failures", [], {}, {
    targets: ["m@a", { model: "m@b", when: ["quota"] }],
  }],
];

for (const [what, pieces, extra, options] of OTHERS) {
  Deno.test(`a stream ${what} is not continued`, async () => {
    const world = createWorld(
      () => toResponse([...toWords(["Hello"]), ...pieces], "connection"),
      options,
    );
    const { isWhole, error } = await world.ask(FORMATS[0], extra);
    assert(!isWhole && error !== undefined);
    assertEquals(world.vendor.sent.length, 1);
    assertEquals(world.routes, [undefined]);
  });
}

for (const length of [1000, 2_000_000]) {
  Deno.test(`reasoning before a continuation is held up to a limit (${length})`, async () => {
    const words = WORDS.slice(0, 4);
    const reasoning = Array.from(
      { length: 4 },
      () => toChunk({ delta: { reasoning_content: "r".repeat(length / 4) }, finish_reason: null }),
    );
    const world = createWorld((sent) =>
      isA(sent) ? toResponse(toWords(words), "end") : toResponse([
        ...reasoning,
        ...toWords([askedEnd(sent), "\n", ...WORDS.slice(4)]),
        ...ENDING,
      ])
    );
    const { text, isWhole, raw } = await world.ask(FORMATS[0]);
    const isHeld = length < 1_000_000;
    assertEquals([text, isWhole], [isHeld ? TEXT : words.join(""), isHeld]);
    assertEquals(raw.includes("rrr"), isHeld);
  });
}

Deno.test("a target that prefills answers continues the text itself", async () => {
  const second = {
    kind: "anthropic",
    api_key: "sk-vendor",
    models: [{ id: "m", base_model: PREFILLING }],
  };
  const events = [
    { type: "message_start", message: { id: "v", usage: { input_tokens: 7, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "\njumps" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const words = WORDS.slice(0, 4);
  const world = createWorld(
    (sent) => isA(sent) ? toResponse(toWords(words), "end") : toResponse(events),
    { second },
  );
  const { text, isWhole } = await world.ask(FORMATS[0], { max_tokens: 50 });
  assertEquals([text, isWhole], ["The quick brown fox\njumps", true]);
  const { body } = world.vendor.sent[1] as Sent;
  const messages = body.messages as readonly JsonObject[];
  assertEquals(messages.length, 2);
  assertEquals(messages[1]?.role, "assistant");
  assert(JSON.stringify(messages[1]).includes('"The quick brown fox"'));
  // What was written already counts against the caller's limit.
  assertEquals(body.max_tokens, 45);
});

const PREFILLING = "claude-haiku-4-5";

Deno.test("the caller's cost is that of both parts", async () => {
  const cost = (base_url: string, output: number) => ({
    kind: "openai_compatible",
    base_url,
    models: [{ id: "m", prices: { input: 0, output } }],
  });
  const rows: LedgerRow[] = [];
  const vendor = new ScriptedVendor((sent) =>
    isA(sent) ? toResponse(toWords(WORDS.slice(0, 4)), "end") : goOn(sent, "The quick brown fox\n")
  );
  const gateway = createTestGateway({
    config: {
      providers: { a: cost("http://a.test/v1", 1), b: cost("http://b.test/v1", 100) },
      aliases: { x: { targets: ["m@a", "m@b"], on_stream_failure: "continue" } },
    },
    fetch: vendor.fetch,
    usage: {
      write: (all: readonly LedgerRow[]) => Promise.resolve(void rows.push(...all)),
    } as never,
  });
  const response = await gateway.call("/v1/chat/completions", {
    ...FORMATS[0].ask,
    model: "x",
    stream: true,
    stream_options: { include_usage: true, include_cost: true },
  });
  const { usage } = readStream("/v1/chat/completions", await response.text());
  // 20 characters of the first part are 5 tokens; the second part has 5.
  assertEquals(usage?.cost, (5 * 1 + 5 * 100) / 1e6);
  assertEquals(rows[0]?.usd, usage?.cost);
});

Deno.test("a client that leaves while another target is called ends the request", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
  const vendor = new ScriptedVendor((sent, signal) => {
    if (isA(sent)) return toResponse(toWords(WORDS.slice(0, 2)), "end");
    resolve();
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => {
        abort();
        reject(new DOMException("aborted", "AbortError"));
      });
    });
  });
  const rows: LedgerRow[] = [];
  const gateway = createTestGateway({
    config: {
      providers: { a: A, b: B },
      aliases: { x: { targets: ["m@a", "m@b"], on_stream_failure: "continue" } },
    },
    fetch: vendor.fetch,
    usage: {
      write: (all: readonly LedgerRow[]) => Promise.resolve(void rows.push(...all)),
    } as never,
  });
  const client = new AbortController();
  const ask = { ...FORMATS[0].ask, model: "x", stream: true };
  const response = await gateway.call("/v1/chat/completions", ask, {}, client.signal);
  const reader = response.body?.getReader();
  const read = async () => {
    while ((await reader?.read())?.done === false);
  };
  const reading = read();
  await asked;
  client.abort();
  await reader?.cancel();
  await Promise.all([aborted, reading]);
  assertEquals(rows.length, 1);
  assertEquals(rows[0]?.attempts, 2);
  // The prompts of both requests are billed, and what was written.
  assertEquals([rows[0]?.input, rows[0]?.output], [14, 3]);
});

Deno.test("Overlap removes what is repeated, however the continuation is cut", () => {
  const cases: readonly (readonly [string, boolean, string, string])[] = [
    ["The quick brown", true, "The quick brown fox", " fox"],
    ["The quick brown", true, "\n The quick brown fox", " fox"],
    ["The quick brown ", true, "The quick brown fox", "fox"],
    ["The quick brown \n", true, "The quick brown \nfox", "fox"],
    ["The quick brown \n", true, "The quick brown fox", "fox"],
    ["The quick brown \n", false, " \nfox", "fox"],
    ["The quick brown \n", false, "fox", "fox"],
    ["The quick brown", false, " fox", " fox"],
    ["The quick brown", true, "The quick brown", ""],
    ["The quick brown", false, "", ""],
    ["aaa", true, "aaaaa", "aa"],
  ];
  for (const [text, repeats, continuation, rest] of cases) {
    for (let size = 1; size <= continuation.length + 1; size++) {
      const overlap = new Overlap(text, repeats);
      let read = "";
      for (let at = 0; at < continuation.length; at += size) {
        read += overlap.take(continuation.slice(at, at + size));
      }
      read += overlap.finish();
      assertEquals(read, rest, JSON.stringify([text, continuation, size]));
    }
  }
  for (const other of ["the quick brown fox", "fox", "The quick", ""]) {
    const overlap = new Overlap("The quick brown", true);
    const run = () => overlap.take(other) + overlap.finish();
    assertThrows(run, GatewayError, "does not begin where the answer ended");
  }
});

Deno.test("endOf() is the last words, at most 48 characters", () => {
  const long = "one two three four five six seven eight nine ten eleven twelve";
  assertEquals(endOf(`${long} \n`), "five six seven eight nine ten eleven twelve");
  assertEquals(endOf("  short text "), "short text");
  assertEquals(endOf("x".repeat(100)), "x".repeat(48));
  assertEquals(endOf("😀".repeat(50) + "a"), "😀".repeat(23) + "a");
});
