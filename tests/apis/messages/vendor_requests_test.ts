/**
 * What six vendors are sent for requests of the Messages API. The golden file is compared by value;
 * with UPDATE_GOLDENS=1 it is written instead, to be read before it is committed.
 */

import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";

const PATH = fileURLToPath(new URL("./vendor_requests.json", import.meta.url));

const VENDORS: Readonly<Record<string, JsonObject>> = {
  openai: { models: ["gpt-4.1"] },
  anthropic: { models: ["claude-haiku-4-5"] },
  gemini: { models: ["gemini-3.5-flash"] },
  bedrock: { region: "us-east-1", models: ["us.amazon.nova-2-lite-v1:0"] },
  mistral: { models: ["mistral-medium-latest"] },
  groq: { models: ["openai/gpt-oss-120b"] },
};
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const user = (content: unknown) => ({ role: "user", content });
const TOOL = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const use = (id: string, city: string) => ({
  type: "tool_use",
  id,
  name: TOOL.name,
  input: { city },
});
const result = (id: string, content: unknown, is_error = false) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...(is_error && { is_error }),
});

const REQUESTS: Readonly<Record<string, JsonObject>> = {
  text: {
    system: [{ type: "text", text: "Be brief", cache_control: { type: "ephemeral" } }],
    messages: [user("Hello")],
    temperature: 0.5,
    stop_sequences: ["END"],
    metadata: { user_id: "u-1" },
  },
  stream: { messages: [user("Hello")], stream: true },
  tools: {
    messages: [user("Weather?")],
    tools: [TOOL],
    tool_choice: { type: "any", disable_parallel_tool_use: true },
  },
  results: {
    messages: [
      user("Weather in Oslo and Rome?"),
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          use("toolu_a", "Oslo"),
          use("toolu_b", "Rome"),
        ],
      },
      user([
        result("toolu_a", [{ type: "text", text: "4" }]),
        result("toolu_b", "No such city", true),
        { type: "text", text: "Go on" },
      ]),
    ],
    tools: [TOOL],
  },
  thinking: {
    messages: [user("Think")],
    max_tokens: 10000,
    thinking: { type: "enabled", budget_tokens: 2000 },
  },
  structured: {
    messages: [user("A city")],
    output_config: {
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
          additionalProperties: false,
        },
      },
    },
  },
};
const WITH_IMAGES = new Set(["openai", "anthropic", "gemini", "bedrock", "mistral"]);
const IMAGE = {
  messages: [user([
    { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
    { type: "text", text: "What is this?" },
  ])],
};

async function sentFor(kind: string, members: JsonObject, request: JsonObject) {
  let sent: unknown;
  const gateway = createTestGateway({
    config: { providers: { [kind]: { kind, api_key: VENDOR_KEY, ...members } } },
    fetch: (url, { body }) => {
      sent = { url, body: JSON.parse(String(body)) };
      return Promise.resolve(Response.json({}, { status: 500 }));
    },
  });
  const [model] = members.models as string[];
  const response = await gateway.call("/v1/messages", { model, max_tokens: 100, ...request });
  await response.body?.cancel();
  assertEquals(gateway.bugs, []);
  return { sent, ignored: response.headers.get("x-sluice-ignored") };
}

Deno.test("six vendors get the requests of the golden file", async () => {
  const all: Record<string, unknown> = {};
  for (const [kind, members] of Object.entries(VENDORS)) {
    for (const [name, request] of Object.entries({ ...REQUESTS, image: IMAGE })) {
      if (name === "image" && !WITH_IMAGES.has(kind)) continue;
      all[`${kind}/${name}`] = await sentFor(kind, members, request);
    }
  }
  if (Deno.env.get("UPDATE_GOLDENS") === "1") {
    Deno.writeTextFileSync(PATH, JSON.stringify(all, null, 2) + "\n");
  }
  assertEquals(all, JSON.parse(Deno.readTextFileSync(PATH)));
});
