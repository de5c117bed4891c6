/** The inputs of custom tools, which become JSON for vendors without such tools. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";

const CASES = [
  ["an input within the limit", 1, 7_900_000],
  ["an input over the limit", 1, 8_000_001],
  ["inputs that are over it together", 3, 2_700_000],
] as const;

for (const [what, count, length] of CASES) {
  Deno.test(`inputs of custom tools may have 8,000,000 characters together: ${what}`, async () => {
    let sent = "";
    const gateway = createTestGateway({
      config: { providers: { p: { kind: "mistral", api_key: VENDOR_KEY, models: ["m"] } } },
      fetch: (_, { body }) => {
        sent = String(body);
        return Promise.resolve(Response.json({ message: "no" }, { status: 400 }));
      },
    });
    const text = "x".repeat(length);
    const input = Array.from({ length: count }, (_, at) => [
      { type: "custom_tool_call", call_id: `c${at}`, name: "f", input: text },
      { type: "custom_tool_call_output", call_id: `c${at}`, output: "y" },
    ]).flat();
    const response = await gateway.call("/v1/responses", { model: "m", store: false, input });
    const { error } = await response.json();
    assertEquals(response.status, 400);
    if (length * count <= 8_000_000) {
      assert(sent.includes(JSON.stringify(JSON.stringify({ input: text }))), "is sent");
      return;
    }
    assertEquals(sent, "");
    assertStringIncludes(error.message, "at most 8000000 characters");
    assertEquals(error.param, `input[${2 * (count - 1)}].input`);
  });
}
