/** Calls, results and state of other vendors in Gemini's format. */

import { assert, assertEquals } from "@std/assert";
import type { ChunkBody, CompletionBody, JsonObject } from "../../../src/contract/chat.ts";
import { readGenerateRequest } from "../../../src/apis/gemini/read_request.ts";
import { GenerateWriter, writeResponse } from "../../../src/apis/gemini/stream_writer.ts";

const ENVELOPE = { id: "gen_1", created: 1, model: "m" };
const OPTIONS = { showsThoughts: false };
/** Its base64 has both characters in which the alphabets differ. */
const DETAILS = [{ format: "vendor-v1", type: "signed", data: "~~~~~~??????" }];
const TARGET = { model: "m", stream: false };
const USER = { role: "user", parts: [{ text: "Hi" }] };

/** The parts of the first candidate of each event. */
function partsOf(events: string): JsonObject[] {
  return events.split("\n\n").filter((event) => event !== "").flatMap((event) => {
    const { candidates } = JSON.parse(event.slice("data: ".length));
    return candidates[0].content.parts;
  });
}

function streamed(chunks: readonly ChunkBody[]): JsonObject[] {
  const writer = new GenerateWriter(ENVELOPE, OPTIONS);
  const events = chunks.map((chunk) => writer.write(chunk)).join("");
  return partsOf(events + writer.end());
}

function chunk(delta: JsonObject, finish_reason: "stop" | null = null): ChunkBody {
  return { choices: [{ index: 0, delta, finish_reason }] };
}

/** The assistant's message that these parts become in the next request. */
function readBack(parts: readonly JsonObject[]): JsonObject {
  const contents = [USER, { role: "model", parts }, USER];
  const { chat } = readGenerateRequest({ contents }, TARGET);
  return (chat.messages as unknown as JsonObject[])[1] ?? {};
}

const CALL = {
  id: "c1",
  type: "function" as const,
  function: { name: "f", arguments: '{"a":1}' },
};

for (const calls of [[], [CALL]]) {
  const what = calls.length === 0 ? "text" : "a call";
  const wanted = calls.length === 0 ? {} : { tool_calls: calls };

  Deno.test(`gemini: the state beside ${what} comes back, however its base64 is written`, () => {
    const message = {
      role: "assistant" as const,
      content: "Hey",
      reasoning_details: DETAILS,
      ...wanted,
    };
    const body: CompletionBody = {
      choices: [{ index: 0, message, finish_reason: "stop" }],
    };
    const { candidates } = writeResponse(body, ENVELOPE, OPTIONS);
    const [{ content }] = candidates as [{ content: { parts: JsonObject[] } }];
    const deltas = calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }));
    const parts = streamed([
      chunk({ content: "Hey", reasoning_details: DETAILS }),
      ...deltas,
      chunk({}, "stop"),
    ]);
    for (const written of [content.parts, parts]) {
      const signed = written.filter(({ thoughtSignature }) => thoughtSignature !== undefined);
      assertEquals(signed.length, 1);
      const inOther = written.map((part) => {
        const { thoughtSignature: signature } = part;
        if (typeof signature !== "string") return part;
        assert(/[+/]/.test(signature), signature);
        return {
          ...part,
          thoughtSignature: signature.replaceAll("+", "-").replaceAll("/", "_"),
        };
      });
      for (const kept of [written, inOther]) {
        const { reasoning_details, tool_calls, content: text } = readBack(kept);
        assertEquals([reasoning_details, text], [DETAILS, "Hey"]);
        assertEquals(tool_calls, wanted.tool_calls);
      }
    }
  });
}

Deno.test("gemini: a call in pieces is written once, when its arguments are complete", () => {
  const writer = new GenerateWriter(ENVELOPE, OPTIONS);
  const piece = (text: string, head: JsonObject = {}) =>
    chunk({ tool_calls: [{ index: 0, ...head, function: { name: "f", arguments: text } }] });
  assertEquals(writer.write(piece('{"a":', { id: "c1" })), "");
  assertEquals(partsOf(writer.write(piece("1}"))), [
    { functionCall: { id: "c1", name: "f", args: { a: 1 } } },
  ]);
  writer.write(chunk({}, "stop"));
  assertEquals(partsOf(writer.end()), [{ text: "" }]);
});

Deno.test("gemini: results belong to calls by their IDs, whatever their order", () => {
  const call = (id: string) => ({ functionCall: { id, name: "f", args: {} } });
  const result = (id: string) => ({
    functionResponse: { id, name: "f", response: { result: `of ${id}` } },
  });
  const contents = [
    USER,
    { role: "model", parts: [call("one"), call("two")] },
    { role: "user", parts: [result("two"), result("one")] },
  ];
  const { chat } = readGenerateRequest({ contents }, TARGET);
  const results = chat.messages.flatMap((message) =>
    message.role === "tool" ? [[message.tool_call_id, message.content]] : []
  );
  assertEquals(results, [["two", "of two"], ["one", "of one"]]);
});

Deno.test("gemini: a service tier is converted, and an unknown one is named in the receipt", () => {
  const read = (serviceTier: string) =>
    readGenerateRequest({ contents: [USER], serviceTier }, TARGET);
  assertEquals(read("FLEX").chat.service_tier, "flex");
  const { chat, changes } = read("turbo");
  assertEquals(chat.service_tier, undefined);
  assert(changes.ignored.has("serviceTier"));
});
