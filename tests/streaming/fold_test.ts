/** The fold of a converted stream: when it learns a template, and when an answer is too long. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { PendingDetails, type StreamWriter } from "../../src/apis/chat/caller_format.ts";
import { GatewayError } from "../../src/core/errors.ts";
import type { Framing, StreamDecoder } from "../../src/contract/stream_decoder.ts";
import { StreamFold } from "../../src/streaming/fold.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The members of a delta that count. */
interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly unknown[];
}

interface Options extends Partial<StreamWriter> {
  readonly framing?: Framing;
  readonly learnsAfter?: number;
}

/** A fold of events whose data is a delta; those with `content` are plain. */
function createFold(
  { framing = "sse", learnsAfter, ...members }: Options = {},
  decoderMembers: Partial<StreamDecoder> = {},
) {
  const parsed: string[] = [];
  const writer: StreamWriter = {
    started: true,
    complete: true,
    usage: undefined,
    summary: { id: "", model: "", finishReasons: [] },
    write: ({ choices: [choice] }) => `data: <"${choice?.delta.content}">\n\n`,
    end: () => "data: end\n\n",
    ...members,
  };
  const fold = new StreamFold({
    ...{ framing, writer, ...learnsAfter !== undefined && { learnsAfter } },
    decoder: {
      push: ({ data }) => {
        parsed.push(data);
        const delta: Delta = JSON.parse(data);
        return {
          chunks: [{ choices: [{ index: 0, delta: delta as never, finish_reason: null }] }],
          ...delta.content !== undefined && { plain: { text: delta.content } },
        };
      },
      end: () => ({ chunks: [] }),
      ...decoderMembers,
    },
    toError: ({ kind, message = "" }) => new GatewayError(kind, message),
  });
  const push = (delta: Delta, end = "\n\n") => {
    const text = JSON.stringify(delta);
    const output = fold.push(
      encoder.encode(framing === "sse" ? `data: ${text}${end}` : `${text}\n`),
    );
    return typeof output === "string" ? output : decoder.decode(output);
  };
  return { fold, push, parsed };
}

/** How many of ten plain events are parsed; all are written alike. */
function parsedOfTen(options: Options): number {
  const { push, parsed } = createFold(options);
  for (let count = 0; count < 10; count++) {
    assertEquals(push({ content: `text ${count}` }), `data: <"text ${count}">\n\n`);
  }
  return parsed.length;
}

Deno.test("a template is learned from the fifth plain event, unless another number is given", () => {
  assertEquals(parsedOfTen({}), 5);
  assertEquals(parsedOfTen({ learnsAfter: 0 }), 1);
  assertEquals(parsedOfTen({ learnsAfter: 2 }), 3);
});

Deno.test("no template is learned where it is disabled, or not of server-sent events, or not repeatable", () => {
  assertEquals(parsedOfTen({ learnsAfter: Infinity }), 10);
  assertEquals(parsedOfTen({ framing: "ndjson" }), 10);
  assertEquals(parsedOfTen({ isRepeatable: false }), 10);
  assertEquals(parsedOfTen({ isRepeatable: true }), 5);
});

Deno.test("no template is learned from an event that is longer than 64 Ki UTF-16 units", () => {
  const parsedAfter = (length: number) => {
    const { push, parsed } = createFold({ learnsAfter: 0 });
    const around = 'data: {"content":""}\n\n'.length;
    push({ content: "x".repeat(length - around) });
    push({ content: "y" });
    return parsed.length;
  };
  assertEquals([parsedAfter(64 * 1024), parsedAfter(64 * 1024 + 1)], [1, 2]);
});

Deno.test("all texts of an answer count as output, of templates too", () => {
  const { fold, push } = createFold({ learnsAfter: 0 });
  push({ reasoning_content: "12345" });
  assertEquals(fold.outputChars, 5);
  push({ content: "123", reasoning_content: "12" });
  assertEquals(fold.outputChars, 10);
  const calls = [{ function: { arguments: "1234" } }, { custom: { input: "12" } }, {}];
  push({ tool_calls: calls });
  assertEquals(fold.outputChars, 16);
  push({ content: "1234" });
  push({ content: "1" });
  assertEquals(fold.outputChars, 21);
});

Deno.test("an answer may be as long as the format allows, and fails after that", () => {
  const { fold, push } = createFold({ maxLength: 8 });
  push({ content: "1234" });
  push({ content: "5678" });
  assertEquals([fold.ended, fold.failure], [false, undefined]);
  assertEquals(push({ content: "9" }), "");
  assertEquals(fold.ended, true);
  assertStringIncludes(fold.failure?.message ?? "", "too long");
  // Whatever follows is ignored.
  assertEquals(push({ content: "9" }), "");
  assertEquals(fold.end(), "");
});

Deno.test("without a longest length, an answer may have any", () => {
  const { fold, push } = createFold();
  for (let count = 0; count < 3; count++) push({ reasoning_content: "x".repeat(100_000) });
  assertEquals([fold.outputChars, fold.ended, fold.end()], [300_000, false, "data: end\n\n"]);
});

Deno.test("comments are no events: they are not decoded, and nothing is written for them", () => {
  const { fold, parsed } = createFold();
  const output = fold.push(encoder.encode(": ping\n\n"));
  assertEquals(typeof output === "string" ? output : decoder.decode(output), "");
  assertEquals(parsed, []);
});

const USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };

Deno.test("a fold tells what its writer knows, and the usage of its decoder before that", () => {
  const summary = { id: "x", model: "m", finishReasons: [] };
  const known = { started: false, serviceTier: "flex", summary };
  const { fold } = createFold(known, { usage: USAGE });
  assertEquals([fold.started, fold.serviceTier, fold.summary], [false, "flex", summary]);
  assertEquals(createFold().fold.started, true);
  assertEquals(fold.usage, USAGE);
  const written = { ...USAGE, total_tokens: 4 };
  assertEquals(createFold({ usage: written }, { usage: USAGE }).fold.usage, written);
});

Deno.test("the writer reads the details of the decoder's first choice", () => {
  const details = new PendingDetails();
  createFold({ details }, { detailsOf: (choice) => [`of ${choice}`] });
  assertEquals(details.read(), ["of 0"]);
  const none = new PendingDetails();
  createFold({ details: none });
  assertEquals(none.read(), []);
});

Deno.test("an event that takes long to parse ends the answer", () => {
  const { fold, parsed } = createFold();
  fold.push(encoder.encode(`data: {"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n\n`));
  assertEquals([fold.ended, parsed.length], [true, 0]);
  assertStringIncludes(fold.failure?.message ?? "", "too many");
});

Deno.test("a stream that ends before its answer is complete has failed", () => {
  const { fold, push } = createFold({ complete: false });
  push({ content: "Hi" });
  assertEquals([fold.end(), fold.ended], ["", true]);
  assertStringIncludes(fold.failure?.message ?? "", "ended before");
  const { fold: empty } = createFold({ complete: false, started: false });
  assertEquals(empty.end(), "");
  assertStringIncludes(empty.failure?.message ?? "", "no answer");
  const { fold: whole } = createFold();
  assertEquals([whole.end(), whole.ended, whole.failure], ["data: end\n\n", true, undefined]);
});
