/**
 * Reasoning state and parallel calls in converted streams: state stands before what it led to,
 * never after the text, and one item is open at a time.
 */

import { assert, assertEquals } from "@std/assert";
import type { ChunkBody, Delta, JsonObject } from "../../src/contract/chat.ts";
import { InnerJson } from "../../src/core/json/inner_json.ts";
import { DEFAULT_WRITE_OPTIONS, readSignature } from "../../src/apis/messages/answer_parts.ts";
import { messages } from "../../src/apis/messages/format.ts";
import { MessageWriter } from "../../src/apis/messages/stream_writer.ts";
import { createResponsesFormat } from "../../src/apis/responses/format.ts";
import { unpackState } from "../../src/apis/responses/output_items.ts";
import { ResponsesStreamWriter } from "../../src/apis/responses/stream_writer.ts";
import { ToolNames } from "../../src/apis/responses/tools.ts";
import { readFixtures } from "../support/fixtures.ts";
import { fold, prepared } from "../support/folding.ts";
import { collect, readEvents } from "../support/message_events.ts";
import { readEvents as readResponseEvents, readStream } from "../support/responses/events.ts";

const ENVELOPE = { id: "resp_1", created: 0, model: "m" };
const CONTEXT = { request: { model: "m" }, names: new ToolNames(), wallTime: () => 0 };
const RESPONSES = createResponsesFormat({ ...CONTEXT, onAnswer: () => {} });

/** Streams that reason without a call, with state that the vendor sends before the text. */
const REASONED = [
  "openai/responses_reasoning_stream",
  "anthropic/reasoning_stream",
  "bedrock/reasoning_stream",
  "openrouter/reasoning_details_stream",
];

for (const fixture of readFixtures()) {
  const title = `${fixture.vendor}/${fixture.name}`;
  if (!REASONED.includes(title) || fixture.upstream.type !== "stream") continue;
  const { bytes } = fixture.upstream;

  Deno.test(`${title}: the state stands before the text of a message`, () => {
    const said = fold({ ...prepared(fixture), format: messages }, [bytes]);
    const content = collect(readEvents(said)).content as JsonObject[];
    assert(content.at(-1)?.type !== "thinking", JSON.stringify(content));
    assertEquals(content.findIndex(({ type }) => type === "thinking"), 0);
    const states = content.filter(({ type }) => type === "thinking")
      .map(({ signature }) => readSignature(String(signature), new InnerJson()).details.length);
    assert(Number(states[0]) > 0, `state in the first block: ${states}`);
  });

  Deno.test(`${title}: the state stands before the text of a response`, () => {
    const said = fold({ ...prepared(fixture), format: RESPONSES }, [bytes]);
    const output = readStream(`${said.split("\n\n").slice(0, -3).join("\n\n")}\n\n`)
      .output as JsonObject[];
    assertEquals(output[0]?.type, "reasoning");
    assert(Number(unpackState(output[0]?.encrypted_content, new InnerJson())?.details.length) > 0);
    assert(output.at(-1)?.type !== "reasoning", JSON.stringify(output));
  });
}

const chunk = (delta: Delta): ChunkBody => ({ choices: [{ index: 0, delta }] });
const END: ChunkBody = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const DETAILS = [{ format: "f", data: "sealed" }];

Deno.test("state that arrives after a text is in no block, and after a call in one", () => {
  for (
    const [delta, types] of [
      [{ content: "Yes" }, ["text"]],
      [callOf(0, "a", "{}"), ["tool_use", "thinking"]],
    ] as const
  ) {
    const writer = new MessageWriter(ENVELOPE, DEFAULT_WRITE_OPTIONS);
    const text = [delta as Delta, { reasoning_details: DETAILS }].map((one) =>
      writer.write(chunk(one))
    ).join("") + writer.write(END) + writer.end();
    const content = collect(readEvents(text)).content as JsonObject[];
    assertEquals(
      content.map(({ type }) =>
        type
      ),
      types,
    );
  }
});

function callOf(index: number, id: string | undefined, text: string): Delta {
  const made = { ...(id && { name: `f_${id}` }), arguments: text };
  return { tool_calls: [{ index, ...(id && { id, type: "function" as const }), function: made }] };
}

/** The response that deltas make up, and the order of the events of its items. */
function respond(deltas: readonly Delta[]): { order: string[]; output: JsonObject[] } {
  const writer = new ResponsesStreamWriter(ENVELOPE, { ...CONTEXT, onEnd: () => {} });
  const text = deltas.map((delta) => writer.write(chunk(delta))).join("") + writer.write(END) +
    writer.end();
  const order = readResponseEvents(text).flatMap(({ type, output_index }) =>
    output_index === undefined ? [] : [`${String(type).split(".").slice(-1)} ${output_index}`]
  );
  return { order, output: readStream(text).output as JsonObject[] };
}

Deno.test("one item is open at a time where a vendor interleaves parallel calls", () => {
  const { order, output } = respond([
    callOf(0, "a", ""),
    callOf(1, "b", ""),
    callOf(2, "c", ""),
    callOf(0, undefined, '{"x":'),
    callOf(1, undefined, '{"y":2}'),
    callOf(2, undefined, '{"z":'),
    { content: "Done" },
    callOf(0, undefined, "1}"),
    callOf(2, undefined, "3}"),
  ]);
  assertEquals(
    output.map(({ type, arguments: text }) => text ?? type),
    ['{"x":1}', '{"y":2}', '{"z":3}', "message"],
  );
  const indices = order.map((event) => Number(event.split(" ")[1]));
  assertEquals(indices, indices.toSorted((one, other) => one - other), order.join());
});

Deno.test("the pieces of the open call are not held", () => {
  const writer = new ResponsesStreamWriter(ENVELOPE, { ...CONTEXT, onEnd: () => {} });
  const written = [callOf(0, "a", '{"x":'), callOf(1, "b", "{}"), callOf(0, undefined, "1")]
    .map((delta) => readResponseEvents(writer.write(chunk(delta))).map(({ delta: said }) => said));
  assertEquals(written.map((said) => said.filter((one) => one !== undefined)), [
    ['{"x":'],
    [],
    ["1"],
  ]);
});
