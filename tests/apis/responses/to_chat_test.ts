/** Which members of a chat request come from a request of the Responses API. */

import { assertEquals } from "@std/assert";
import { traitsOf } from "../../../src/apis/chat/web_search.ts";
import { toChatRequest } from "../../../src/apis/responses/to_chat.ts";

const TOOLS = [{ type: "function", name: "f", parameters: { type: "object" } }];
const TRIGGER = { item: { type: "compaction_trigger" }, path: "input[1]" };

function convert(members: Record<string, unknown>, ...more: readonly typeof TRIGGER[]) {
  const message = { item: { type: "message", role: "user", content: "Hi" }, path: "input[0]" };
  const request = { model: "m", input: "Hi", ...members };
  return toChatRequest(request as never, [message, ...more] as never);
}

Deno.test("members with their default values are not reported as ignored", () => {
  const ignored = (members: Record<string, unknown>) => [...convert(members).changes.ignored];
  assertEquals(ignored({ background: false, truncation: "disabled" }), []);
  assertEquals(ignored({ truncation: "auto" }), ["truncation"]);
});

Deno.test("tools of a compaction stay, but cannot be called", () => {
  const chosen = (...args: Parameters<typeof convert>) => convert(...args).chat.tool_choice;
  assertEquals(chosen({ tools: TOOLS, tool_choice: "auto" }, TRIGGER), "none");
  assertEquals(chosen({ tools: TOOLS, tool_choice: "auto" }), "auto");
  assertEquals(chosen({}, TRIGGER), undefined);
});

Deno.test("a converted request says so, and whether reasoning is shown", () => {
  const traits = (reasoning: unknown) => {
    const { isConverted, showsReasoning } = traitsOf(convert({ reasoning }).chat);
    return [isConverted, showsReasoning];
  };
  assertEquals(traits({ summary: "auto" }), [true, true]);
  assertEquals(traits({ generate_summary: "auto" }), [true, true]);
  assertEquals(traits({ summary: "auto", generate_summary: null }), [true, true]);
  assertEquals(traits({ effort: "low" })[0], true);
});
