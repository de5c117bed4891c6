/** The inputs of tool calls, which other vendors get as text. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway } from "../../support/gateway.ts";

const ANSWER = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
};

for (
  const [what, count, length, status] of [
    ["one input within the limit", 1, 7_900_000, 200],
    ["one input over the limit", 1, 8_100_000, 400],
    ["inputs that are over it together", 3, 2_700_000, 400],
  ] as const
) {
  Deno.test(`tool inputs may have 8,000,000 characters together: ${what}`, async () => {
    const gateway = createTestGateway({
      config: {
        providers: {
          v: {
            kind: "openai_compatible",
            base_url: "http://vendor.test/v1",
            api_key: "sk-vendor-0123456789",
            models: ["m"],
          },
        },
      },
      fetch: () => Promise.resolve(Response.json(ANSWER)),
    });
    const text = "x".repeat(length);
    const ids = Array.from({ length: count }, (_, at) => `toolu_${at}`);
    const response = await gateway.call("/v1/messages", {
      model: "m",
      max_tokens: 9,
      messages: [
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          content: ids.map((id) => ({ type: "tool_use", id, name: "f", input: { a: [text] } })),
        },
        {
          role: "user",
          content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "x" })),
        },
      ],
    });
    const body = await response.text();
    assertEquals(response.status, status, body.slice(0, 300));
    if (status === 400) {
      assertStringIncludes(body, `messages[1].content[${count - 1}].input`);
      assertStringIncludes(body, "at most 8000000 characters");
    }
  });
}
