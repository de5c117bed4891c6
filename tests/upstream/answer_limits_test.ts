/** Vendors' answers that would take long to read are not read to their end. */

import { assert, assertEquals } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import { StreamFold } from "../../src/streaming/fold.ts";
import { readFailure } from "../../src/upstream/read_response.ts";
import type { VendorResponse } from "../../src/upstream/transport.ts";
import { isLongAnswer, parseAnswer, parseLongAnswer } from "../../src/upstream/vendor_answer.ts";

const MIB = 1024 * 1024;
const STAMP = { id: "chatcmpl-test", created: 1, model: "m" };

function nested(levels: number, length: number): string {
  const open = "[".repeat(levels);
  const close = "]".repeat(levels);
  return `${open}"${"a".repeat(Math.max(0, length - 2 * levels))}"${close}`;
}

function toFailure(text: string): Promise<unknown> {
  const response: VendorResponse = new Response(text, { status: 400 });
  const { signal } = new AbortController();
  return readFailure(response, signal).then((failure) =>
    failure.where === "answer" ? [failure.status, typeof failure.body] : failure
  );
}

/** An answer with this many entries in one member. */
function listOf(name: string, count: number): string {
  return `{"${name}":[${Array(count).fill(1).join(",")}],"x":"${"a".repeat(MIB)}"}`;
}

async function refusalOf(text: string): Promise<string | undefined> {
  try {
    await (isLongAnswer(text) ? parseLongAnswer(text) : parseAnswer(text));
    return undefined;
  } catch (thrown) {
    const { kind, message } = thrown as GatewayError;
    assertEquals(kind, "upstream_error");
    return message;
  }
}

Deno.test("a long answer that is nested too deeply is refused", async () => {
  assertEquals(await refusalOf(nested(512, MIB)), undefined);
  assertEquals(await refusalOf(nested(513, MIB)), "The provider's answer has too many levels");
});

Deno.test("a short answer may have any depth that the parser reads", () => {
  parseAnswer(nested(5000, 0));
});

Deno.test("an answer of too many elements is refused, unless it passes unchanged", async () => {
  const tooMany = "The provider's answer has too many elements";
  assertEquals(await refusalOf(listOf("choices", 49_998)), undefined);
  assertEquals(await refusalOf(listOf("choices", 49_999)), tooMany);
  assertEquals(await refusalOf(listOf("logprobs", 200_000)), undefined);
  // One that is not long is also refused.
  assertEquals(await refusalOf(`[${"1,".repeat(50_000)}1]`), tooMany);
  const members = Array.from({ length: 10_001 }, (_, at) => `"${at}":1`).join(",");
  const text = `{"a":{${members}},"x":"${"a".repeat(MIB)}"}`;
  assertEquals(await refusalOf(text), "The provider's answer has too many members");
});

Deno.test("a long answer equals the result of JSON.parse, and does not block the event loop", async () => {
  const body = {
    a: "x\n".repeat(MIB),
    choices: [{ b: [1, null, "é"] }],
    logprobs: Array(MIB / 2).fill(1),
  };
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  try {
    assertEquals(await parseLongAnswer(JSON.stringify(body)), body);
  } finally {
    clearInterval(timer);
  }
  assert(turns > 1, `${turns} turns`);
  assertEquals(await refusalOf("x".repeat(MIB)), "The provider's answer is not JSON");
});

Deno.test("an event of too many elements or escapes ends the stream with an error", () => {
  const failureOf = (delta: string) => {
    let pushed = 0;
    const fold = new StreamFold({
      framing: "sse",
      decoder: {
        push: () => (pushed++, { chunks: [] }),
        end: () => ({ chunks: [] }),
      },
      writer: chatCompletions.createStreamWriter(STAMP, {}, () => undefined),
      toError: ({ kind, message }) => new GatewayError(kind, message ?? ""),
    });
    fold.push(new TextEncoder().encode(`data: {"choices":${delta}}\n\n`));
    return [pushed, fold.failure?.message];
  };
  const message = "The provider sent an event that holds too many elements or levels";
  assertEquals(failureOf(`[${"1,".repeat(49_998)}1]`), [1, undefined]);
  assertEquals(failureOf(`[${"1,".repeat(49_999)}1]`), [0, message]);
  assertEquals(failureOf(`${"[".repeat(MIB)}${"]".repeat(MIB)}`), [0, message]);
  assertEquals(failureOf(`"${"\\n".repeat(MIB)}"`), [0, message]);
  assertEquals(failureOf(`"${"x".repeat(MIB)}"`), [1, undefined]);
});

Deno.test("an error that is too long or too deep is classified by its status", async () => {
  const text = (length: number) => JSON.stringify({ error: "x".repeat(length) });
  assertEquals(await toFailure(text(MIB / 2)), [400, "object"]);
  assertEquals(await toFailure(text(MIB)), [400, "undefined"]);
  assertEquals(await toFailure(nested(513, MIB / 2)), [400, "undefined"]);
});
