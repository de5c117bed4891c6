/** What a connection keeps of its answers for the next request. */

import { assertEquals } from "@std/assert";
import { AnswerEvents } from "../../src/http/responses_socket/message.ts";

Deno.test("items are kept with their numbers as they were written", () => {
  const item = '{"type":"shell_call","id":"s1","action":{"n":9007199254740993},"x":-0}';
  const events = new AnswerEvents();
  const data = `{"type":"response.output_item.done","item":${item}}`;
  const text = `event: response.output_item.done\ndata: ${data}\n\n`;
  assertEquals(events.push(new TextEncoder().encode(text)), [data]);
  assertEquals(events.items, [item]);
});

Deno.test("any cut of the bytes gives the same messages and items", () => {
  const message = {
    type: "message",
    id: "m1",
    content: [{ type: "output_text", text: "Grüße 👋" }],
  };
  const bytes = new TextEncoder().encode(
    [
      { type: "response.created", sequence_number: 0, response: { id: "resp_1" } },
      { type: "response.output_text.delta", sequence_number: 1, delta: "Grüße 👋\n\ndata: " },
      { type: "keepalive", sequence_number: 0 },
      { type: "response.output_item.done", sequence_number: 2, item: message },
      { type: "response.completed", sequence_number: 3, response: { id: "resp_1" } },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("") +
      ": keep-alive\n\n",
  );
  const read = (...pieces: Uint8Array[]) => {
    const events = new AnswerEvents();
    const messages = pieces.flatMap((piece) => events.push(piece));
    return { messages: [...messages, ...events.end()], items: events.items, id: events.id };
  };
  const whole = read(bytes);
  assertEquals([whole.messages.length, whole.items.length, whole.id], [5, 1, "resp_1"]);
  for (let at = 1; at < bytes.length; at++) {
    assertEquals(read(bytes.subarray(0, at), bytes.subarray(at)), whole, `cut at ${at}`);
  }
  assertEquals(read(...Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
});
