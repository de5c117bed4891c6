/** Answers of vendors that may be expensive for their size. */

import { sleep } from "../bench/children.ts";
import { toAnswer, toCompletion, toSse, toStream } from "./answers.ts";
import { copes, isWithinMemory, MAX_ANSWER_MS, maxGapOf, measure, watch } from "./held.ts";
import { createVendorOfKinds, readKinds, toProviders } from "./kinds.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

/** Answers that may be expensive for their size. */
export const answers: Scenario = {
  name: "answer",
  seconds: 40,
  alone: true,
  async run(trial) {
    const kinds = readKinds().filter(({ kind }) => ANSWERING.has(kind));
    let reply = "";
    const vendor = trial.own(createVendorOfKinds(kinds, () => reply));
    const start = () => watch(trial, { config: { providers: toProviders(kinds, vendor) } });
    let watched = await start();
    const maxGap = maxGapOf(trial);
    for (const { name, kind, stream, bytes } of toLargeAnswers()) {
      reply = bytes;
      const { model = "" } = kinds.find((one) => one.kind === kind) ?? {};
      const held = await measure(watched, { model, messages: HELLO.messages, stream }, maxGap);
      const size = new TextEncoder().encode(bytes).length;
      const isWithin = held.status !== 0 && held.gap <= maxGap && held.ms <= MAX_ANSWER_MS &&
        isWithinMemory(held, size);
      const measured = `${held.status || "no answer"} in ${held.ms.toFixed(0)} ms, ` +
        `${held.gap.toFixed(0)} ms, ${(held.memory / size).toFixed(1)} times`;
      const bar = `answer in ${MAX_ANSWER_MS} ms, gap ${maxGap} ms, memory 8 times`;
      trial.report(name, bar, measured, isWithin);
      if (copes(held)) continue;
      watched.pinger[Symbol.dispose]();
      await watched.gateway[Symbol.asyncDispose]();
      watched = await start();
    }
  },
};

const ANSWERING = new Set(["openai_compatible", "anthropic", "deepseek"]);
const CALLS = 20_000;

interface LargeAnswer {
  readonly name: string;
  readonly kind: string;
  readonly stream: boolean;
  readonly bytes: string;
}

function toLargeAnswers(): LargeAnswer[] {
  const calls = [...Array(CALLS).keys()].map((index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name: "f", arguments: "{}" },
  }));
  const hello = toCompletion("Hello.");
  const [choice] = hello.choices as [Record<string, unknown>];
  const message = { role: "assistant", content: null, tool_calls: calls };
  const unary = { ...hello, choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
  const openai = { kind: "openai_compatible", stream: true };
  return [
    {
      ...openai,
      name: "stream, 20,000 calls, each an event",
      bytes: toStream([...calls.map((call) => ({ tool_calls: [call] })), {}]),
    },
    {
      ...openai,
      name: "stream, 20,000 calls without index",
      bytes: toStream([...calls.map(({ index: _, ...call }) => ({ tool_calls: [call] })), {}]),
    },
    {
      ...openai,
      name: "stream, 20,000 calls in one event",
      bytes: toStream([{ tool_calls: calls }, {}]),
    },
    { ...openai, name: "20,000 calls", stream: false, bytes: toAnswer(200, unary) },
    {
      ...openai,
      kind: "deepseek",
      name: "stream, 20,000 thoughts open and closed",
      bytes: toStream([...calls.map(() => ({ content: "<think>a</think>" })), {}]),
    },
    {
      ...openai,
      name: "stream, an event of 8 MB in one line",
      bytes: toStream([{ content: "x".repeat(8_000_000) }, {}]),
    },
    {
      ...openai,
      name: "stream, an event of numbers, 8 MB",
      bytes: toStream([{ x: Array(4_000_000).fill(1) }, {}]),
    },
    {
      ...openai,
      name: "stream, an event of line feeds, 8 MB",
      bytes: toStream([{ content: "\n".repeat(4_000_000) }, {}]),
    },
    {
      ...openai,
      name: "answer of one text, 30 MB",
      stream: false,
      bytes: toAnswer(200, toCompletion("x".repeat(30_000_000))),
    },
    {
      ...openai,
      name: "answer of line feeds, 30 MB",
      stream: false,
      bytes: toAnswer(200, toCompletion("\n".repeat(15_000_000))),
    },
    {
      ...openai,
      name: "answer of Chinese text, 30 MB",
      stream: false,
      bytes: toAnswer(200, toCompletion("\u6587".repeat(10_000_000))),
    },
    {
      ...openai,
      name: "answer of logprobs, 8 MB",
      stream: false,
      bytes: toAnswer(200, {
        ...hello,
        choices: [{ ...choice, logprobs: Array(4_000_000).fill(1) }],
      }),
    },
    {
      ...openai,
      name: "answer of numbers for choices, 8 MB",
      stream: false,
      bytes: toAnswer(200, { ...hello, choices: Array(4_000_000).fill(1) }),
    },
    {
      ...openai,
      name: "answer of lists in lists, 8 MB",
      stream: false,
      bytes: toAnswer(200, `{"x":${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}}`),
    },
    {
      ...openai,
      name: "a 400 of lists in lists, 8 MB",
      stream: false,
      bytes: toAnswer(400, `{"error":${"[".repeat(4_000_000)}${"]".repeat(4_000_000)}}`),
    },
    {
      kind: "anthropic",
      stream: true,
      name: "anthropic stream, 20,000 blocks",
      bytes: toSse(toBlocks()),
    },
  ];
}

function toBlocks(): string[] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage,
  };
  const blocks = [...Array(CALLS).keys()].flatMap((index) => [
    {
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: `toolu_${index}`, name: "f", input: {} },
    },
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage },
    { type: "message_stop" },
  ].map((event) => JSON.stringify(event));
}

/** The data that a vendor sends until the connection is closed. */
interface Endless {
  readonly name: string;
  readonly head: string;
  readonly piece: string;
  readonly stream: boolean;
}

const JSON_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
const ENDLESS: readonly Endless[] = [
  { name: "answer", head: `${JSON_HEAD}[`, piece: "1,", stream: false },
  { name: "answer of blanks", head: JSON_HEAD, piece: "  ", stream: false },
  {
    name: "refusal",
    head: `${JSON_HEAD.replace("200 OK", "400 Bad")}{"error":"`,
    piece: "x",
    stream: false,
  },
  {
    name: "event",
    head: `${JSON_HEAD.replace("application/json", "text/event-stream")}data: {"x":"`,
    piece: "x",
    stream: true,
  },
  { name: "head", head: "HTTP/1.1 200 OK\r\n", piece: "x-a: b\r\n", stream: false },
];
const PIECE_SIZE = 64 * 1024;
const ENDLESS_MS = 12_000;
/** Answers may have up to 32 MiB, and use eight times as much memory. */
const MAX_MEMORY = 256 * 2 ** 20;

/** Endless answers. */
export const endless: Scenario = {
  name: "endless",
  seconds: 60,
  alone: true,
  async run(trial) {
    for (const one of trial.short ? ENDLESS.slice(2, 4) : ENDLESS) await receive(trial, one);
  },
};

async function receive(trial: Trial, { name, head, piece, stream }: Endless): Promise<void> {
  const text = new TextEncoder().encode(piece.repeat(PIECE_SIZE / piece.length));
  const vendor = trial.own(
    new RawVendor(async (_, connection) => {
      await connection.send(head);
      for (;;) {
        await connection.send(text);
        // Loopback is faster than any vendor.
        await sleep(0);
      }
    }),
  );
  const maxGap = maxGapOf(trial);
  const timeout = { first_token: "8s", idle: "8s", total: "8s" };
  const config = { providers: toProvider(vendor.url, { timeout }) };
  const watched = await watch(trial, { config });
  const held = await measure(watched, { ...HELLO, stream }, maxGap, { patience: ENDLESS_MS });
  const isWithin = [400, 502, 503, 504].includes(held.status) && held.gap <= maxGap &&
    held.memory <= MAX_MEMORY;
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  trial.report(
    name,
    `an error, gap ${maxGap} ms, ${megabytes(MAX_MEMORY)}`,
    `${held.status || "no answer"}, ${held.gap.toFixed(0)} ms, ${megabytes(held.memory)}`,
    isWithin,
  );
  watched.pinger[Symbol.dispose]();
  await watched.gateway[Symbol.asyncDispose]();
}
