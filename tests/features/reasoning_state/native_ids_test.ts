import { assertEquals, assertStrictEquals } from "@std/assert";
import { withVendorIds } from "../../../src/apis/chat/call_ids.ts";

const MARKED = "toolu_1_sluice_sAAAA";

Deno.test("withVendorIds() restores the vendors' IDs in the Messages API", () => {
  const bodyOf = (id: string) => ({
    model: "m",
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [{ type: "text", text: MARKED }, {
          type: "tool_use",
          id,
          name: "f",
          input: { id: MARKED },
        }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "4" }] },
    ],
  });
  assertEquals(withVendorIds(bodyOf(MARKED)), bodyOf("toolu_1"));
});

Deno.test("withVendorIds() restores the vendors' IDs in the Responses API", () => {
  const bodyOf = (call_id: string) => ({
    input: [
      { role: "user", content: [{ type: "input_text", text: MARKED }] },
      {
        type: "function_call",
        id: "fc_1",
        call_id,
        name: "f",
        arguments: `{"call_id":"${MARKED}"}`,
      },
      { type: "function_call_output", call_id, output: MARKED },
    ],
  });
  assertEquals(withVendorIds(bodyOf(MARKED)), bodyOf("toolu_1"));
});

Deno.test("withVendorIds() returns other bodies unchanged", () => {
  const blocks = [{ type: "tool_use", id: "toolu_1", name: "f", input: {} }];
  for (
    const body of [
      { input: "text" },
      { messages: [{ role: "assistant", content: blocks }, 7, null] },
      { messages: 7 },
      {},
    ]
  ) assertStrictEquals<unknown>(withVendorIds(body), body);
});
