/** Azure counts the cached tokens of Grok apart from the prompt; they are never added. */

import { assertEquals } from "@std/assert";
import { adapters } from "../../src/providers/registry.ts";
import { readUsage } from "../../src/apis/usage.ts";

const RAW = {
  prompt_tokens: 7,
  completion_tokens: 10,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 163 },
};

Deno.test("cached tokens above the prompt are added, but not where they are a part", () => {
  assertEquals(readUsage(RAW)?.prompt_tokens, 170);
  const usage = readUsage(RAW, { cachedIsIncluded: true });
  assertEquals([usage?.prompt_tokens, usage?.total_tokens], [7, 17]);
});

Deno.test("azure never adds cached tokens, and its whole answers may pass", () => {
  const adapter = adapters.get("azure");
  assertEquals(adapter?.transparent, true);
  const body = { id: "c", model: "grok", choices: [{ index: 0, message: {} }], usage: RAW };
  const answer = { status: 200, headers: new Headers(), body };
  // deno-lint-ignore no-explicit-any
  const completion = adapter?.toCompletion(answer, { newId: () => "id" } as any);
  assertEquals(completion?.usage?.prompt_tokens, 7);
});
