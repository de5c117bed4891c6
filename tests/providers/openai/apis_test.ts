/** Which of OpenAI's APIs a request goes to. */

import { assertEquals } from "@std/assert";
import type { ChatRequest } from "../../../src/contract/chat.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import { apiFor, nearestEffort } from "../../../src/providers/openai/models.ts";

type Members = Partial<ChatRequest>;

const TOOLS: Members = { tools: [{ type: "function", function: { name: "ping" } }] };
const FUNCTIONS: Members = { functions: [{ name: "ping" }] };

function request(members: Members): ChatRequest {
  const messages = [{ role: "user", content: "Hello" }];
  return readChatRequest({ model: "m", messages, ...members });
}

const CASES: readonly (readonly [model: string, members: Members, api: "chat" | "responses"])[] = [
  ["gpt-4.1", TOOLS, "chat"],
  ["gpt-35-turbo", TOOLS, "chat"],
  ["gpt-5", { ...TOOLS, reasoning_effort: "high" }, "chat"],
  ["gpt-5.1", { ...TOOLS, reasoning_effort: "high" }, "chat"],
  ["gpt-5.3-chat-latest", TOOLS, "chat"],
  ["o3", TOOLS, "chat"],
  ["o3-pro", {}, "responses"],
  ["o1-pro-2025-03-19", {}, "responses"],
  ["gpt-4o-search-preview", TOOLS, "chat"],
  ["gpt-5-search-api", TOOLS, "chat"],
  ["gpt-audio-1.5", TOOLS, "chat"],
  ["gpt-5-codex", {}, "responses"],
  ["codex-mini-latest", {}, "responses"],
  ["o4-mini-deep-research", {}, "responses"],
  ["computer-use-preview", {}, "responses"],
  ["gpt-5.6-cyber", {}, "responses"],
  ["gpt-5.4", {}, "chat"],
  ["gpt-5.4", { reasoning_effort: "high" }, "chat"],
  ["gpt-5.4", TOOLS, "chat"],
  ["gpt-5.4-mini-2026-03-17", { ...TOOLS, reasoning_effort: "none" }, "chat"],
  ["gpt-5.4-mini-2026-03-17", { ...TOOLS, reasoning_effort: "low" }, "responses"],
  ["ft:gpt-5.4-nano:org::1", { ...FUNCTIONS, reasoning_effort: "low" }, "responses"],
  ["gpt-5.5", {}, "chat"],
  ["gpt-5.5", TOOLS, "responses"],
  ["gpt-5.5", { ...TOOLS, reasoning_effort: "none" }, "responses"],
  ["gpt-5.6-luna", FUNCTIONS, "responses"],
  ["gpt-5.6-luna", { ...TOOLS, reasoning_effort: "none" }, "chat"],
  ["gpt-6-astra", TOOLS, "responses"],
  ["gpt-6-sol", { ...TOOLS, reasoning_effort: "none" }, "chat"],
  ["gpt-6.1-terra", TOOLS, "responses"],
  ["gpt-6.2-sol", TOOLS, "responses"],
  ["gpt-7", TOOLS, "responses"],
  ["gpt-6.1-sol", { reasoning_effort: "max" }, "responses"],
  ["gpt-6.1-sol", { reasoning_effort: "xhigh" }, "chat"],
  ["gpt-5", { reasoning: { summary: "auto" } }, "responses"],
  ["gpt-5.5", { ...TOOLS, n: 2 }, "chat"],
  ["gpt-5.5", { ...TOOLS, modalities: ["text", "audio"] }, "chat"],
  ["gpt-5.5", { ...TOOLS, audio: { voice: "ash" } }, "chat"],
  ["gpt-5.5-pro", { n: 2 }, "responses"],
  ["our-deployment", TOOLS, "chat"],
];

for (const [model, members, api] of CASES) {
  Deno.test(`apiFor() sends ${model} with ${JSON.stringify(members)} to ${api}`, () => {
    assertEquals(apiFor(request(members), model), api);
  });
}

Deno.test("apiFor() uses chat completions for audio in the conversation", () => {
  const input = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } } as const;
  const heard: Members = { ...TOOLS, messages: [{ role: "user", content: [input] }] };
  assertEquals(apiFor(request(heard), "gpt-5.5"), "chat");
  const said: Members = { ...TOOLS, messages: [{ role: "assistant", audio: { id: "audio_1" } }] };
  assertEquals(apiFor(request(said), "gpt-5.5"), "chat");
});

Deno.test("nearestEffort() allows a stronger effort on the Responses API for one model", () => {
  assertEquals(nearestEffort("max", "gpt-6.1-sol"), "xhigh");
  assertEquals(nearestEffort("max", "gpt-6.1-sol", "responses"), "max");
  assertEquals(nearestEffort("max", "gpt-5", "responses"), "high");
});
