/**
 * Content that only some vendors take passes the front door: the target's support table decides,
 * and a chain moves on from a target that does not take it.
 */

import { assert, assertEquals } from "@std/assert";
import { adapters } from "../../src/providers/registry.ts";
import { CONTENT_KINDS, RARE_CONTENT } from "../../src/contract/support.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";

type Json = Record<string, unknown>;

const ROUTER = "https://openrouter.ai/api/v1/chat/completions";

/** Members of a request that one vendor takes, and another does not. */
const REQUESTS: Readonly<Record<string, Json>> = {
  "a tool that the vendor runs": { tools: [{ type: "openrouter:web_search" }] },
  "a video": part({ type: "video_url", video_url: { url: "https://a.test/a.mp4" } }),
  "a part of an unknown type": part({ type: "hologram", hologram: { depth: 3 } }),
};

for (const [what, members] of Object.entries(REQUESTS)) {
  Deno.test(`${what} goes to the target of a chain that accepts it`, async () => {
    const { response, vendor } = await send("any", members);
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("x-sluice-provider"), "router");
    assertEquals(vendor.sent.map(({ url }) => url), [ROUTER]);
    for (const [name, value] of Object.entries(members)) {
      assertEquals(vendor.body?.[name], value);
    }
  });

  Deno.test(`${what} is refused if no target accepts it`, async () => {
    const { response, vendor } = await send("claude-haiku-4-5", members);
    const { error } = await response.json();
    assertEquals([response.status, error.code], [400, "unsupported_content"]);
    assert(/^(?:tools\[0\]|messages\[0\]\.content\[0\])$/.test(error.param), error.param);
    assertEquals(vendor.sent, []);
  });
}

Deno.test("an effort that only some vendors have is omitted elsewhere, and refused when strict", async () => {
  const effort = { reasoning_effort: "ultra" };
  const passed = await send("openai/gpt-oss-120b", effort);
  assertEquals(passed.vendor.body?.reasoning_effort, "ultra");
  const left = await send("claude-haiku-4-5", effort);
  assertEquals(left.response.headers.get("x-sluice-ignored"), "reasoning_effort");
  const strict = await send("claude-haiku-4-5", effort, { "x-sluice-strict": "true" });
  assertEquals(strict.response.status, 400);
  // It asks for what every model does by itself.
  const usual = { reasoning_effort: "default" };
  const plain = await send("claude-haiku-4-5", usual, { "x-sluice-strict": "true" });
  assertEquals([plain.response.status, plain.response.headers.get("x-sluice-ignored")], [
    200,
    null,
  ]);
});

Deno.test("every table has a support level for every type of content, by default unsupported", () => {
  const defaults: Readonly<Record<string, unknown>> = RARE_CONTENT;
  for (const { kind, supports } of adapters.values()) {
    assertEquals(Object.keys(supports.content).sort(), [...CONTENT_KINDS].sort(), kind);
  }
  for (const name of Object.keys(defaults)) {
    const takers = [...adapters.values()].filter(({ supports }) =>
      supports.content[name as keyof typeof RARE_CONTENT] !== defaults[name]
    );
    assert(takers.length > 0, `no vendor takes ${name}: it needs no row`);
  }
});

function part(content: Json): Json {
  return { messages: [{ role: "user", content: [content] }] };
}

async function send(model: string, members: Json, headers: Record<string, string> = {}) {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({
    config: {
      providers: {
        claude: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-haiku-4-5"] },
        router: { kind: "openrouter", api_key: VENDOR_KEY, models: ["openai/gpt-oss-120b"] },
      },
      aliases: { any: ["claude-haiku-4-5", "openai/gpt-oss-120b"] },
    },
    fetch: vendor.fetch,
  });
  const messages = [{ role: "user", content: "Hi" }];
  const request = { model, messages, ...members };
  const response = await gateway.call("/v1/chat/completions", request, headers);
  assertEquals(gateway.bugs, []);
  return { response, vendor };
}
