/** The keep-alives of the Responses API after events of any length. */

import { assertEquals } from "@std/assert";
import { createResponsesFormat } from "../../../src/apis/responses/format.ts";
import { ToolNames } from "../../../src/apis/responses/tools.ts";

const encoder = new TextEncoder();

function keepAliveAfter(events: string): unknown {
  const format = createResponsesFormat({
    request: { model: "m", input: "x" },
    names: new ToolNames(),
    wallTime: () => 0,
    onAnswer() {},
  });
  const bytes = format.keepAliveAfter?.(encoder.encode(events));
  const text = new TextDecoder().decode(bytes);
  return JSON.parse(text.slice(text.indexOf("{")));
}

Deno.test("a keep-alive has the number of the last event, wherever that is and however long it is", () => {
  for (const length of [1, 5000, 100_000]) {
    const tools = [{ sequence_number: 1, text: '\\"}'.repeat(length) }];
    for (const place of ["first", "last"]) {
      const number = { sequence_number: 42 };
      const response = { response: { sequence_number: 7, tools } };
      const event = place === "first" ? { ...number, ...response } : { ...response, ...number };
      const data = `data: {"sequence_number":41}\n\nevent: e\ndata: ${JSON.stringify(event)}\n\n`;
      const expected = { type: "keepalive", sequence_number: 42 };
      assertEquals(keepAliveAfter(data), expected, `${place}, ${length}`);
      assertEquals(keepAliveAfter(data.slice(data.indexOf("event:"))), expected);
    }
  }
  for (const events of ["", ": comment\n\n", `data: {"text":"${"x".repeat(9000)}"}\n\n`]) {
    assertEquals(keepAliveAfter(events), { type: "keepalive", sequence_number: 0 });
  }
});
