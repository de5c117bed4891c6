/** Events of native streams that are only counted: what is read of them is the same. */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { nativeAnswers } from "../../../src/apis/gemini/native_answers.ts";

const usage = (output: number) => ({
  promptTokenCount: 4,
  candidatesTokenCount: output,
  totalTokenCount: 4 + output,
});

/** An event as Google writes it. */
function event(parts: JsonObject[], members: JsonObject = {}, output = 1): string {
  const candidate = { content: { parts, role: "model" }, index: 0, ...members };
  return JSON.stringify({
    candidates: [candidate],
    usageMetadata: usage(output),
    modelVersion: "m",
    responseId: "r",
  });
}

function read(events: readonly string[]) {
  const reader = nativeAnswers.createReader();
  const failures = events.map((data) => reader.push({ data }));
  const { started, complete, outputChars, summary } = reader;
  return { failures, started, complete, outputChars, usage: reader.usage, summary };
}

/** The same without events that are only counted: spaces make no difference but to the search. */
function readWhole(events: readonly string[]) {
  return read(events.map((data) => data.replaceAll('"text":', '"te\\u0078t":')));
}

const TEXTS = ["Hello", ' "finishReason": "STOP"', " \\ \n\t", ' "index": 1 "text"', "👋", ""];

const STREAMS: Readonly<Record<string, readonly string[]>> = {
  "texts, and an end": [
    ...TEXTS.map((text, at) => event([{ text }], {}, at + 1)),
    event([{ text: "." }], { finishReason: "STOP" }, 9),
  ],
  "texts that are cut": TEXTS.map((text, at) => event([{ text }], {}, at + 1)),
  "thoughts, two parts, a call": [
    event([{ text: "Think", thought: true }], {}, 1),
    event([{ text: "One" }, { text: "Two" }], {}, 3),
    event([{ text: "Three" }], {}, 4),
    event([{ functionCall: { name: "f", args: { text: "x" } } }], {}, 5),
    event([{ text: "" }], { finishReason: "STOP" }, 6),
  ],
  "two candidates": [
    event([{ text: "A" }], { index: 0 }, 1),
    event([{ text: "B" }], { index: 1 }, 2),
    event([{ text: "C" }], { index: 0 }, 3),
    event([{ text: "D" }], { index: 0, finishReason: "STOP" }, 4),
  ],
  "usage without counts at last": [
    event([{ text: "A" }], {}, 1),
    event([{ text: "B" }], {}, 2),
    JSON.stringify({
      candidates: [{ content: { parts: [{ text: "C" }] } }],
      usageMetadata: { trafficType: "ON_DEMAND" },
    }),
  ],
  "an error": [
    event([{ text: "A" }]),
    event([{ text: "B" }]),
    JSON.stringify({ error: { code: 503, message: '"text" "promptTokenCount"' } }),
  ],
};

for (const [name, events] of Object.entries(STREAMS)) {
  Deno.test(`native events of Gemini: ${name}`, () => {
    const { outputChars, ...counted } = read(events);
    const { outputChars: chars, ...whole } = readWhole(events);
    assertEquals(counted, whole);
    // Escaped characters count as they are written.
    assertEquals(outputChars >= chars && outputChars <= chars * 1.5, true);
  });
}

Deno.test("native events of Gemini: the usage is that of the event before, at any time", () => {
  const reader = nativeAnswers.createReader();
  TEXTS.forEach((text, at) => {
    reader.push({ data: event([{ text }], {}, at + 1) });
    assertEquals(reader.usage?.completion_tokens, at + 1);
  });
});
