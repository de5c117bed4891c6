/** Streams of Messages and Responses that pass unchanged, are cut, and go on at another target. */

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import type { LedgerRow } from "../../../src/governance/ledger/row.ts";
import { createTestGateway, SERVICE_KEY } from "../../support/gateway.ts";
import { ScriptedVendor, type Sent } from "../../support/scripted_vendor.ts";

const WORDS = ["The", " quick", ' brown "fox"\n', "jumps ", "över", " it."];
const TEXT = WORDS.join("");
const MARK = ": continued by another target\n\n";
/** What the second vendor counts. */
const USAGE = { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39 };

type Event = JsonObject & { readonly type: string };

function toBytes(events: readonly Event[]): Uint8Array {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new TextEncoder().encode(text.join(""));
}

/** The stream of a native target, and the events after which it can be continued. */
interface Format {
  readonly path: "/v1/messages" | "/v1/responses";
  readonly provider: JsonObject;
  readonly ask: JsonObject;
  readonly events: readonly Event[];
  /** The positions of the first piece of text, and of the event after the last one. */
  readonly text: readonly [number, number];
}

const thinking = (delta: JsonObject): Event => ({ type: "content_block_delta", index: 0, delta });

const MESSAGE_EVENTS: readonly Event[] = [
  {
    type: "message_start",
    message: {
      ...{ id: "msg_v", type: "message", role: "assistant", model: "claude-x", content: [] },
      ...{ stop_reason: null, stop_sequence: null },
      usage: { input_tokens: 20, cache_read_input_tokens: 4, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
  thinking({ type: "thinking_delta", thinking: "Hm" }),
  { type: "content_block_stop", index: 0 },
  { type: "ping" },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  ...WORDS.map((text): Event => ({
    type: "content_block_delta",
    index: 1,
    delta: { type: "text_delta", text },
  })),
  { type: "content_block_stop", index: 1 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 12 },
  },
  { type: "message_stop" },
];

const BEGUN = {
  ...{ id: "resp_v", object: "response", created_at: 1_790_000_000, status: "in_progress" },
  ...{ model: "gpt-x", output: [], store: false, usage: null, metadata: { of: "vendor" } },
  temperature: 1,
};
const THOUGHTS = { id: "rs_v", type: "reasoning", summary: [] };
const ITEM = { id: "msg_v", type: "message", role: "assistant", phase: "final_answer" };
const PLACE = { item_id: "msg_v", output_index: 1, content_index: 0 };
const PART = { type: "output_text", annotations: [], logprobs: [] };
const WHOLE = { ...ITEM, status: "completed", content: [{ ...PART, text: TEXT }] };
const RESPONSE_EVENTS: readonly Event[] = [
  { type: "response.created", response: BEGUN },
  { type: "response.in_progress", response: BEGUN },
  { type: "response.output_item.added", output_index: 0, item: THOUGHTS },
  { type: "response.output_item.done", output_index: 0, item: THOUGHTS },
  {
    type: "response.output_item.added",
    output_index: 1,
    item: { ...ITEM, status: "in_progress", content: [] },
  },
  { type: "response.content_part.added", ...PLACE, part: { ...PART, text: "" } },
  ...WORDS.map((delta): Event => ({
    ...{ type: "response.output_text.delta", ...PLACE, delta, logprobs: [] },
  })),
  { type: "response.output_text.done", ...PLACE, text: TEXT, logprobs: [] },
  { type: "response.content_part.done", ...PLACE, part: { ...PART, text: TEXT } },
  { type: "response.output_item.done", output_index: 1, item: WHOLE },
  {
    type: "response.completed",
    response: {
      ...BEGUN,
      status: "completed",
      output: [THOUGHTS, WHOLE],
      usage: { input_tokens: 20, output_tokens: 12, total_tokens: 32 },
    },
  },
].map((event, sequence_number) => ({ ...event, sequence_number }));

const FORMATS: readonly Format[] = [
  {
    path: "/v1/messages",
    provider: { kind: "anthropic", api_key: "sk-a", base_url: "http://a.test/v1" },
    ask: { messages: [{ role: "user", content: "Hi" }], max_tokens: 500 },
    events: MESSAGE_EVENTS,
    text: [6, 6 + WORDS.length],
  },
  {
    path: "/v1/responses",
    provider: { kind: "openai", api_key: "sk-a", base_url: "http://a.test/v1" },
    ask: { input: "Hi", store: false },
    events: RESPONSE_EVENTS,
    text: [6, 6 + WORDS.length],
  },
];

/** A response of these bytes, after which the connection breaks. */
function cutOff(bytes: Uint8Array, isWhole: boolean): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes),
    pull(controller) {
      if (isWhole) controller.close();
      else controller.error(new TypeError("connection reset"));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** The second vendor repeats the end that it is asked for, and writes the rest. */
function goOn({ body }: Sent): Response {
  const messages = body.messages as readonly { role: string; content: string }[];
  const last = messages.at(-1)?.content ?? "";
  const end = /\n<end>([^]*)<\/end>$/.exec(last)?.[1];
  const written = messages.findLast(({ role }) => role === "assistant")?.content ?? "";
  const rest = end === undefined ? TEXT : end + TEXT.slice(written.trimEnd().length);
  const toChunk = (choice: JsonObject) =>
    JSON.stringify({ id: "v", model: "m", choices: [{ index: 0, ...choice }] });
  const chunks = [
    ...rest.split(/(?= )/).map((content) => toChunk({ delta: { content } })),
    toChunk({ delta: {}, finish_reason: "stop" }),
    JSON.stringify({ id: "v", model: "m", choices: [], usage: USAGE }),
    "[DONE]",
  ];
  const text = chunks.map((chunk) => `data: ${chunk}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

const isFirst = ({ url }: Sent) => url.includes("a.test");

interface World {
  readonly vendor: ScriptedVendor;
  readonly rows: LedgerRow[];
  readonly bugs: readonly unknown[];
  /** Lets a breaker close again. */
  pass(): void;
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>;
  ask(extra?: JsonObject): Promise<string>;
}

function createWorld(
  { path, provider, ask }: Format,
  first: (sent: Sent) => Response,
  { second = goOn as (sent: Sent) => Response, policy = "continue" } = {},
): World {
  const rows: LedgerRow[] = [];
  const vendor = new ScriptedVendor((sent) => isFirst(sent) ? first(sent) : second(sent));
  const gateway = createTestGateway({
    config: {
      providers: {
        a: { ...provider, models: ["m"] },
        b: { kind: "openai_compatible", base_url: "http://b.test/v1", models: ["m"] },
      },
      aliases: { x: { targets: ["m@a", "m@b"], on_stream_failure: policy } },
    },
    fetch: vendor.fetch,
    usage: {
      write: (all: readonly LedgerRow[]) => Promise.resolve(void rows.push(...all)),
    } as never,
  });
  return {
    vendor,
    rows,
    bugs: gateway.bugs,
    pass: () => gateway.clock.advance(60_000),
    fetch: (url, init) => gateway.app.handle(new Request(url, init)),
    async ask(extra = {}) {
      const response = await gateway.call(path, { model: "x", stream: true, ...ask, ...extra });
      assertEquals(response.status, 200);
      return await response.text();
    },
  };
}

interface Told {
  readonly text: string;
  readonly isWhole: boolean;
  readonly hasError: boolean;
  /** The tokens in and out that the stream says. */
  readonly usage: readonly unknown[];
}

function eventsOf(raw: string): Event[] {
  return [...raw.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => JSON.parse(data ?? ""));
}

/** Reads a stream as the strictest client does: every index, ID and number must fit. */
function readStream(path: Format["path"], raw: string): Told {
  return path === "/v1/messages" ? readMessages(eventsOf(raw)) : readResponses(eventsOf(raw));
}

function readMessages(events: readonly Event[]): Told {
  let text = "";
  let open: number | undefined;
  let blocks = 0;
  for (const [at, event] of events.entries()) {
    assertEquals(event.type === "message_start", at === 0, event.type);
    if (event.type === "content_block_start") {
      assertEquals([open, event.index], [undefined, blocks++]);
      open = event.index as number;
    }
    if (/^content_block_(delta|stop)$/.test(event.type)) assertEquals(event.index, open);
    if (event.type === "content_block_stop") open = undefined;
    const delta = event.delta as JsonObject | undefined;
    if (delta?.type === "text_delta") text += delta.text;
  }
  const isWhole = events.at(-1)?.type === "message_stop";
  // Whether the first vendor has begun: the second one does not think.
  const isFirst = JSON.stringify(events).includes("thinking");
  if (isWhole) assertEquals([open, blocks], [undefined, isFirst ? 2 : 1]);
  const usage = events.findLast(({ type }) => type === "message_delta")?.usage as JsonObject;
  const sum = [...INPUT].reduce((all, name) => all + Number(usage?.[name] ?? 0), 0);
  const hasError = events.some(({ type }) => type === "error");
  return { text, isWhole, hasError, usage: [sum, usage?.output_tokens] };
}

const INPUT = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

function readResponses(events: readonly Event[]): Told {
  events.forEach(({ sequence_number }, index) => assertEquals(sequence_number, index));
  const text = events.filter(({ type }) => type === "response.output_text.delta")
    .map(({ delta }) => delta).join("");
  const added = new Map(
    events.filter(({ type }) => type === "response.output_item.added")
      .map(({ item, output_index }) => [output_index, (item as JsonObject).id]),
  );
  for (const { item_id, output_index } of events) {
    if (item_id !== undefined) assertEquals(item_id, added.get(output_index));
  }
  const { type, response } = events.at(-1) as Event & { response: JsonObject };
  assert(/^resp_/.test(String(response.id)));
  for (const { response: other } of events as readonly { response?: JsonObject }[]) {
    if (other !== undefined) assertEquals(other.id, response.id);
  }
  const isWhole = type === "response.completed";
  const usage = response.usage as JsonObject | null;
  if (isWhole) {
    const output = response.output as JsonObject[];
    assertEquals(response.status, "completed");
    assertEquals(output.map(({ id }) => id), [...added.values()]);
    const done = events.filter((event) => event.type === "response.output_item.done");
    assertEquals(done.map(({ item }) => item), output);
    if (response.model === "gpt-x") {
      // What the vendor has said of the response and its message stays.
      assertEquals([response.metadata, output.length], [BEGUN.metadata, 2]);
      assertEquals({ ...output[1], id: WHOLE.id }, WHOLE);
    }
  }
  const hasError = type === "response.failed" && events.some((event) => event.type === "error");
  return { text, isWhole, hasError, usage: [usage?.input_tokens, usage?.output_tokens] };
}

/** The length of a stream up to an event. */
function lengthTo({ events }: Format, count: number): number {
  return toBytes(events.slice(0, count)).length;
}

/** Each byte of one event, the bytes around the ends of all events, and some of the others. */
function* lengthsOf(format: Format): Iterable<number> {
  const { events, text: [firstText] } = format;
  const ends = events.map((_, index) => lengthTo(format, index + 1));
  const [start, end] = [lengthTo(format, firstText + 1), lengthTo(format, firstText + 2)];
  const whole = lengthTo(format, events.length);
  for (let length = 0; length <= whole; length++) {
    const isNear = ends.some((one) => Math.abs(one - length) <= 2);
    if (isNear || length >= start && length <= end || length % 97 === 0) yield length;
  }
}

for (const format of FORMATS) {
  const { events, path, text: [firstText, afterText] } = format;
  const bytes = toBytes(events);

  Deno.test(`a native stream of ${path} continues, wherever it is cut`, async () => {
    let length = 0;
    const world = createWorld(
      format,
      () => cutOff(bytes.slice(0, length), length === bytes.length),
    );
    const outcomes = new Map<string, number>();
    for (length of lengthsOf(format)) {
      world.vendor.sent.length = 0;
      world.rows.length = 0;
      world.pass();
      const raw = await world.ask();
      const { text, isWhole, hasError, usage } = readStream(path, raw);
      const isMarked = raw.includes(MARK);
      const [row] = world.rows;
      const isInText = length >= lengthTo(format, firstText + 1) &&
        length < lengthTo(format, afterText + 1);
      assertEquals(isMarked, isInText, `${length}`);
      assertEquals(isWhole, !hasError, `${length}`);
      assert(TEXT.startsWith(text), `${length}`);
      if (isWhole) assertEquals(text, TEXT, `${length}`);
      if (isMarked) {
        assertEquals(isWhole, true);
        assertEquals(raw.split(MARK).length, 2);
        assertEquals(world.vendor.sent.length, 2);
        assertEquals(row?.attemptRows?.map(({ provider, next }) => [provider, next]), [
          ["a", "continued"],
          ["b", undefined],
        ]);
        assertEquals([row?.route, row?.source], ["continued", "estimated"]);
        // What the client reads is what is billed, and both parts are.
        assertEquals(usage, [row?.input, row?.output], `${length}`);
        assert((row?.input ?? 0) > USAGE.prompt_tokens && (row?.output ?? 0) > 9);
      }
      const outcome = isMarked ? "continued" : isWhole ? "whole" : "failed";
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    assertEquals([...outcomes.keys()].toSorted(), ["continued", "failed", "whole"]);
    assertEquals(world.bugs, []);
  });

  Deno.test(`a native stream of ${path} is one stream, however its packets are cut`, async () => {
    const end = lengthTo(format, firstText + 2);
    const whole = await createWorld(format, () => cutOff(bytes.slice(0, end), false)).ask();
    for (const size of [1, 7, 64]) {
      const packets = Array.from(
        { length: Math.ceil(end / size) },
        (_, index) => bytes.slice(index * size, Math.min(end, (index + 1) * size)),
      );
      const world = createWorld(format, () => {
        const left = [...packets];
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            const packet = left.shift();
            if (packet === undefined) controller.error(new TypeError("connection reset"));
            else controller.enqueue(packet);
          },
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      });
      assertEquals(await world.ask(), whole, `${size}`);
    }
    assertEquals(readStream(path, whole).text, TEXT);
  });

  Deno.test(`a native stream of ${path} ends with the error if nothing fits`, async () => {
    const end = lengthTo(format, firstText + 2);
    const other = () => {
      const chunk = { id: "v", choices: [{ index: 0, delta: { content: "Something else" } }] };
      const done = { id: "v", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
      const text = [chunk, done].map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
      return new Response(`${text}data: [DONE]\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    };
    const world = createWorld(format, () => cutOff(bytes.slice(0, end), false), { second: other });
    const { text, isWhole, hasError } = readStream(path, await world.ask());
    assertEquals([text, isWhole, hasError], ["The quick", false, true]);
    assertEquals(world.vendor.sent.length, 2);
  });

  Deno.test(`a native stream of ${path} is continued once, and then fails well-formed`, async () => {
    const end = lengthTo(format, firstText + 2);
    const again = () => {
      const chunk = (content: string) =>
        `data: ${JSON.stringify({ id: "v", choices: [{ index: 0, delta: { content } }] })}\n\n`;
      return cutOff(new TextEncoder().encode(chunk("The quick") + chunk(" brown")), false);
    };
    const world = createWorld(format, () => cutOff(bytes.slice(0, end), false), { second: again });
    const raw = await world.ask();
    const { text, isWhole, hasError } = readStream(path, raw);
    assertEquals([text, isWhole, hasError], ["The quick brown", false, true]);
    assertEquals([world.vendor.sent.length, raw.split(MARK).length], [2, 2]);
  });

  Deno.test(`a native stream of ${path} is not continued unless it is configured`, async () => {
    const end = lengthTo(format, firstText + 2);
    const first = () => cutOff(bytes.slice(0, end), false);
    const world = createWorld(format, first, { policy: "error" });
    const { text, hasError } = readStream(path, await world.ask());
    assertEquals([text, hasError, world.vendor.sent.length], ["The quick", true, 1]);
  });
}

const [MESSAGES, RESPONSES] = FORMATS as readonly [Format, Format];

/** Streams that only their own vendor can end: with these events after the first words. */
const OTHERS: readonly (readonly [string, Format, readonly Event[], JsonObject?])[] = [
  ["a tool call", MESSAGES, [
    { type: "content_block_stop", index: 1 },
    {
      type: "content_block_start",
      index: 2,
      content_block: { type: "tool_use", id: "t", name: "look", input: {} },
    },
  ]],
  ["citations", MESSAGES, [
    { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: {} } },
  ]],
  ["an end", MESSAGES, MESSAGE_EVENTS.slice(-3, -1)],
  ["an event that is unknown", MESSAGES, [{ type: "content_block_new", index: 1 }]],
  ["a schema", MESSAGES, [], {
    output_config: { format: { type: "json_schema", schema: { type: "object" } } },
  }],
  ["a function call", RESPONSES, [{
    type: "response.output_item.added",
    output_index: 2,
    item: { type: "function_call", id: "fc_v", call_id: "c", name: "look", arguments: "" },
  }]],
  ["annotations", RESPONSES, [
    { type: "response.output_text.annotation.added", ...PLACE, annotation: {} },
  ]],
  ["log probabilities", RESPONSES, [
    { type: "response.output_text.delta", ...PLACE, delta: " x", logprobs: [{ token: "x" }] },
  ]],
  ["a schema", RESPONSES, [], { text: { format: { type: "json_object" } } }],
  ["storage at the vendor", RESPONSES, [], { store: true }],
  ["storage at the vendor by default", RESPONSES, [], { store: undefined }],
];

for (const [what, format, added, extra] of OTHERS) {
  Deno.test(`a native stream of ${format.path} with ${what} is not continued`, async () => {
    const { events, text: [firstText] } = format;
    const begun = [...events.slice(0, firstText + 2), ...added]
      .map((event, sequence_number) => ({ ...event, sequence_number }));
    const world = createWorld(format, () => cutOff(toBytes(begun), false));
    const raw = await world.ask(extra);
    assert(raw.includes('"error"') && !raw.includes(MARK));
    assertEquals(world.vendor.sent.length, 1);
  });
}

const SIGNED: readonly (readonly [string, Format, Event])[] = [
  ["of a block", MESSAGES, thinking({ type: "signature_delta", signature: "s" })],
  ["of an item", RESPONSES, {
    type: "response.output_item.done",
    output_index: 0,
    item: { ...THOUGHTS, encrypted_content: "s" },
  }],
];

for (const [what, place] of [["reasoning", 3], ["message", 4]] as const) {
  Deno.test(`a native response with ${what} at a far position is not continued`, async () => {
    const begun = RESPONSES.events.slice(0, 8).map((event, sequence_number) => {
      const isFar = sequence_number >= place && event.output_index !== undefined;
      return { ...event, sequence_number, ...(isFar && { output_index: 2 ** 31 }) };
    });
    const world = createWorld(RESPONSES, () => cutOff(toBytes(begun), false));
    assert(!(await world.ask()).includes(MARK));
    assertEquals(world.vendor.sent.length, 1);
  });
}

for (const [what, format, signed] of SIGNED) {
  Deno.test(`a native stream with the signature ${what} is not continued`, async () => {
    const { events, text: [firstText] } = format;
    const begun = events.slice(0, firstText + 2)
      .flatMap((event, at) => at === (format === MESSAGES ? 3 : -1) ? [signed, event] : [event])
      .map((event, at) => format === RESPONSES && at === 3 ? signed : event)
      .map((event, sequence_number) => ({ ...event, sequence_number }));
    const world = createWorld(format, () => cutOff(toBytes(begun), false));
    assert(!(await world.ask()).includes(MARK));
    assertEquals(world.vendor.sent.length, 1);
  });
}

Deno.test("the official clients read a continued stream as one answer", async () => {
  const cut = ({ events, text: [firstText] }: Format) => () =>
    cutOff(toBytes(events.slice(0, firstText + 3)), false);
  const one = createWorld(MESSAGES, cut(MESSAGES));
  const claude = new Anthropic({
    baseURL: "http://gateway.test",
    apiKey: SERVICE_KEY,
    fetch: one.fetch,
    maxRetries: 0,
  });
  const { content, stop_reason, usage } = await claude.messages.stream({
    model: "x",
    max_tokens: 500,
    messages: [{ role: "user", content: "Hi" }],
  }).finalMessage();
  assertEquals(content.flatMap((block) => block.type === "text" ? [block.text] : []), [TEXT]);
  assertEquals(stop_reason, "end_turn");
  assertEquals(usage.output_tokens, one.rows[0]?.output);
  const two = createWorld(RESPONSES, cut(RESPONSES));
  const client = new OpenAI({
    baseURL: "http://gateway.test/v1",
    apiKey: SERVICE_KEY,
    fetch: two.fetch,
    maxRetries: 0,
  });
  const response = await client.responses.stream({ model: "x", input: "Hi", store: false })
    .finalResponse();
  assertEquals([response.output_text, response.status], [TEXT, "completed"]);
  assertEquals(response.usage?.output_tokens, two.rows[0]?.output);
});
