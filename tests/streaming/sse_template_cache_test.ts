/** Which events pass by the template of another: those whose text is a valid string of JSON. */

import { assertEquals } from "@std/assert";
import { Bytes } from "../../src/core/bytes.ts";
import { SseTemplateCache } from "../../src/streaming/sse_template_cache.ts";

const encoder = new TextEncoder();
const toEvent = (text: string) => `data: {"delta":"${text}","n":1}\n\n`;

/** Whether an event with this text, as it is written in JSON, passes unchanged. */
function passes(text: string, more = ""): boolean {
  const cache = new SseTemplateCache();
  cache.learn(toEvent("Hello"), toEvent("Hello"), { text: "Hello" });
  const event = toEvent(text);
  const end = cache.fits(new Bytes(encoder.encode(event + more)), 0);
  if (end !== -1) assertEquals(end, encoder.encode(event).length);
  return end !== -1;
}

/** Whether JSON accepts the text: the reference. */
function isValid(text: string): boolean {
  try {
    JSON.parse(`"${text}"`);
    return true;
  } catch {
    return false;
  }
}

const HEX = [
  "\\u00e9",
  "\\uD83D\\uDE00",
  "\\uabCD",
  "\\u12G4",
  "\\u-123",
  "\\u 123",
  "\\u12",
  "\\u",
];

Deno.test("a text with escapes passes exactly if it is valid JSON", () => {
  // Every character after a backslash, and before the end of the text.
  const single = Array.from({ length: 128 }, (_, code) => `\\${String.fromCharCode(code)}`)
    // An escaped quote ends no text: the event has more text than the template then.
    .filter((text) => text !== '\\"');
  const texts = [...single, ...HEX].flatMap((text) => [text, `a${text}b`, `${text}\\n`])
    .filter((text) => !text.includes('"'));
  for (const text of [...texts, '\\"', 'say \\"hi\\"', "\\\\", "é", "a\tb", "\u0001"]) {
    assertEquals(passes(text), isValid(text), JSON.stringify(text));
  }
});

Deno.test("an escape that the end of the bytes cuts does not pass", () => {
  const cache = new SseTemplateCache();
  cache.learn(toEvent("Hello"), toEvent("Hello"), { text: "Hello" });
  const whole = encoder.encode(toEvent("a\\u00e9"));
  const at = 'data: {"delta":"a'.length;
  for (let length = at; length < whole.length; length++) {
    assertEquals(cache.fits(new Bytes(whole.slice(0, length)), 0), -1);
  }
  assertEquals(cache.fits(new Bytes(whole), 0), whole.length);
  assertEquals(passes("b", toEvent("c")), true);
});
