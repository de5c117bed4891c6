/** What a connection keeps of its answers for the next request. */

import { assertEquals } from "@std/assert";
import { AnswerEvents } from "../../src/http/responses_socket/events.ts";

Deno.test("items are kept with their numbers as they were written", () => {
  const item = '{"type":"shell_call","id":"s1","action":{"n":9007199254740993},"x":-0}';
  const events = new AnswerEvents();
  const data = `{"type":"response.output_item.done","item":${item}}`;
  const text = `event: response.output_item.done\ndata: ${data}\n\n`;
  assertEquals(events.push(new TextEncoder().encode(text)), [data]);
  assertEquals(events.items, [item]);
});
