/** Streams that end early are billed by what was received, not by what the vendor had counted. */

import { assertAlmostEquals, assertEquals } from "@std/assert";
import { createTestGateway } from "../support/gateway.ts";
import { toAwsStream, toEventStream } from "../support/scripted_vendor.ts";

/** 4,000 characters, about 1,000 tokens, in 40 pieces. */
const PIECES = Array.from({ length: 40 }, () => "word ".repeat(20));
const OUTPUT_TOKENS = 1000;

function messageEvents(delta: (piece: string) => object) {
  return [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude",
        content: [],
        usage: { input_tokens: 50, cache_read_input_tokens: 30, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...PIECES.map((piece) => ({ type: "content_block_delta", index: 0, delta: delta(piece) })),
  ];
}

const MESSAGE_END = [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 777 } },
  { type: "message_stop" },
];
const TEXT_EVENTS = messageEvents((text) => ({ type: "text_delta", text }));

const RESPONSE = { id: "resp_1", object: "response", status: "in_progress", output: [] };
const RESPONSE_EVENTS = [
  { type: "response.created", sequence_number: 0, response: RESPONSE },
  ...PIECES.map((delta, at) => ({
    type: "response.output_text.delta",
    item_id: "msg_with_a_rather_long_id_that_is_repeated_in_each_event",
    output_index: 0,
    content_index: 0,
    delta,
    logprobs: [],
    sequence_number: at + 1,
    obfuscation: "x".repeat(16),
  })),
];

const COMPLETION_EVENTS = PIECES.map((content) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta: { content } }],
  // Some servers report what was used so far in each chunk.
  usage: { prompt_tokens: 80, completion_tokens: 3, total_tokens: 83 },
}));

interface Case {
  readonly name: string;
  readonly provider: Record<string, unknown>;
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly stream: () => Response;
  /** Input and output tokens that are billed when the stream is cut. */
  readonly billed: readonly [number, number];
}

const MESSAGES = [{ role: "user", content: "word ".repeat(64) }];
const ANTHROPIC = { kind: "anthropic", api_key: "sk-v" };
const NATIVE = { path: "/v1/messages", body: { max_tokens: 9000, messages: MESSAGES } };
const CHAT = { path: "/v1/chat/completions", body: { messages: MESSAGES } };

const CASES: readonly Case[] = [
  {
    name: "Messages as text",
    provider: ANTHROPIC,
    ...NATIVE,
    stream: () => toEventStream(TEXT_EVENTS),
    billed: [80, OUTPUT_TOKENS],
  },
  {
    name: "Messages as tool input",
    provider: ANTHROPIC,
    ...NATIVE,
    stream: () =>
      toEventStream(
        messageEvents((partial_json) => ({ type: "input_json_delta", partial_json })),
      ),
    billed: [80, OUTPUT_TOKENS],
  },
  {
    name: "Messages as thinking, with spaces in the JSON",
    provider: ANTHROPIC,
    ...NATIVE,
    stream: () => {
      const events = messageEvents((thinking) => ({ type: "thinking_delta", thinking }));
      const text = events.map((event) =>
        `event: ${event.type}\ndata: ${JSON.stringify(event).replaceAll('":', '": ')}\n\n`
      );
      return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
    },
    billed: [80, OUTPUT_TOKENS],
  },
  {
    name: "signatures, which are no output tokens",
    provider: ANTHROPIC,
    ...NATIVE,
    stream: () =>
      toEventStream(messageEvents((signature) => ({ type: "signature_delta", signature }))),
    billed: [80, 1],
  },
  {
    name: "Messages in frames of AWS",
    provider: { kind: "bedrock", region: "us-east-1", api_key: "b" },
    ...NATIVE,
    stream: () =>
      toAwsStream(TEXT_EVENTS.map((event) => ({
        event: "chunk",
        data: { bytes: btoa(JSON.stringify(event)) },
      }))),
    billed: [80, OUTPUT_TOKENS],
  },
  {
    name: "Messages that are converted to chat",
    provider: ANTHROPIC,
    ...CHAT,
    stream: () => toEventStream(TEXT_EVENTS),
    billed: [80, OUTPUT_TOKENS],
  },
  {
    name: "chat with usage in each chunk",
    provider: { kind: "vllm", base_url: "http://v.test/v1" },
    ...CHAT,
    stream: () => toEventStream(COMPLETION_EVENTS),
    billed: [80, OUTPUT_TOKENS],
  },
  {
    name: "Responses",
    provider: { kind: "openai", api_key: "sk-v" },
    path: "/v1/responses",
    body: { input: "word ".repeat(64) },
    stream: () => toEventStream(RESPONSE_EVENTS),
    // The vendor has not counted the input: it is estimated from its text.
    billed: [70, OUTPUT_TOKENS],
  },
];

const MODEL = "claude-haiku-4-5";

async function billedBy({ provider, path, body }: Case, stream: () => Response, aborts: boolean) {
  const gateway = createTestGateway({
    config: {
      providers: { v: { ...provider, models: [{ id: MODEL, prices: { input: 1, output: 2 } }] } },
    },
    fetch: () => Promise.resolve(aborts ? withoutEnd(stream()) : stream()),
  });
  const response = await gateway.call(path, { model: MODEL, stream: true, ...body });
  assertEquals(response.status, 200);
  if (aborts) await readSome(response, 3000);
  else await response.text();
  const [line] = gateway.lines.slice(-1);
  assertEquals(gateway.bugs, []);
  return line ?? {};
}

/** The same events, after which the vendor sends nothing for a long time. */
function withoutEnd({ body, headers }: Response): Response {
  const reader = body?.getReader();
  const open = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await reader?.read() ?? {};
      if (value !== undefined) controller.enqueue(value);
      else await new Promise(() => {});
    },
  });
  return new Response(open, { headers });
}

/** Reads at least this many bytes, and leaves. */
async function readSome({ body }: Response, bytes: number): Promise<void> {
  const reader = body?.getReader();
  for (let read = 0; read < bytes;) read += (await reader?.read())?.value?.length ?? bytes;
  await reader?.cancel();
}

for (const test of CASES) {
  for (const aborts of [false, true]) {
    const by = aborts ? "its caller" : "the vendor";
    Deno.test(`a stream of ${test.name}, cut by ${by}, is billed as received`, async () => {
      const line = await billedBy(test, test.stream, aborts);
      const [input, output] = test.billed;
      assertEquals([line.outcome, line.usage_estimated], [
        aborts ? "client_gone" : "failed",
        true,
      ]);
      assertEquals(line.prompt_tokens, input);
      assertAlmostEquals(Number(line.completion_tokens), output, output * 0.02);
    });
  }
}

Deno.test("a whole stream is billed as the vendor counted", async () => {
  const whole = () => toEventStream([...TEXT_EVENTS, ...MESSAGE_END]);
  for (const test of CASES.slice(0, 1)) {
    const line = await billedBy(test, whole, false);
    assertEquals([line.outcome, line.usage_estimated], ["done", undefined]);
    assertEquals([line.prompt_tokens, line.completion_tokens], [80, 777]);
  }
});

Deno.test("a stream that is cut after the vendor's last count is billed by that", async () => {
  const [test] = CASES;
  if (test === undefined) throw new RangeError("There is no case");
  const almost = () => toEventStream([...TEXT_EVENTS, ...MESSAGE_END.slice(0, 2)]);
  const line = await billedBy(test, almost, false);
  assertEquals([line.outcome, line.completion_tokens], ["failed", 777]);
  assertEquals(line.usage_estimated, undefined);
});
