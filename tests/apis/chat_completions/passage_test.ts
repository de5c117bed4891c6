import { assertEquals } from "@std/assert";
import { assistant, FUNCTION, type Json, MESSAGES, part, send } from "../../support/sending.ts";

/** Members at the edge of what is allowed, which reach a vendor of the dialect unchanged. */
const ACCEPTED: readonly Json[] = [
  { temperature: 0 },
  { temperature: 2 },
  { top_p: 0 },
  { top_p: 1 },
  { n: 1 },
  { n: 128 },
  { max_tokens: 1 },
  { max_completion_tokens: 1 },
  { frequency_penalty: -2, presence_penalty: 2 },
  { frequency_penalty: 2, presence_penalty: -2 },
  { stop: "end" },
  { stop: ["a", "b", "c", "d", "e", "f"] },
  { tools: [FUNCTION], tool_choice: "required", parallel_tool_calls: false },
  { tools: [FUNCTION], tool_choice: { type: "function", function: { name: "look" } } },
  { response_format: { type: "json_object" } },
  { response_format: { type: "json_schema", json_schema: { name: "a", schema: {} } } },
  { seed: 0 },
  { seed: -(2 ** 60) },
  { user: "someone" },
  { logprobs: true, top_logprobs: 20, logit_bias: { 5: -100 } },
  { reasoning_effort: "high", verbosity: "low", metadata: { a: "b" }, store: true },
  { service_tier: "flex", prediction: { type: "content", content: "x" } },
  { modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } },
  { functions: [{ name: "look" }], function_call: "auto" },
  { functions: [{ name: "look" }], function_call: { name: "look" } },
  { unknown_field: { nested: [1, null, "x"] }, top_k: 5 },
  { messages: [{ role: "system", content: "Be brief", name: "boss" }, ...MESSAGES] },
  { messages: [{ role: "system", content: [{ type: "text", text: "Be brief" }] }, ...MESSAGES] },
  part({ type: "image_url", image_url: { url: "https://a.test/b.png", detail: "low" } }),
  part({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }),
  part({ type: "file", file: { file_data: "data:application/pdf;base64,AAAA", filename: "a" } }),
  assistant({ content: [{ type: "refusal", refusal: "No" }] }),
  assistant({ content: null, tool_calls: [aCall("a")] }),
  assistant({ tool_calls: [aCall("a")] }),
  assistant({ content: "", refusal: "No" }),
  {
    messages: [
      ...MESSAGES,
      { role: "assistant", content: null, tool_calls: [aCall("a"), aCall("b")] },
      { role: "tool", tool_call_id: "b", content: "5" },
      { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "6" }] },
    ],
  },
];

function aCall(id: string): Json {
  return { id, type: "function", function: { name: "look", arguments: "{}" } };
}

for (const members of ACCEPTED) {
  Deno.test(`${JSON.stringify(members)} is sent unchanged to an OpenAI-compatible vendor`, async () => {
    const { response, vendor } = await send(members);
    assertEquals(response.status, 200);
    assertEquals(vendor.body, { model: "m", messages: MESSAGES, ...members });
    assertEquals(response.headers.get("x-sluice-ignored"), null);
    assertEquals(response.headers.get("x-sluice-converted"), null);
  });
}

/** Members without effect, which are not sent to vendors. */
const ABSENT: readonly Json[] = [
  ...[
    ...["stream", "temperature", "max_tokens", "top_p", "frequency_penalty", "presence_penalty"],
    ...["stop", "tools", "tool_choice", "response_format", "seed", "user", "n", "stream_options"],
    ...["max_completion_tokens", "parallel_tool_calls", "logprobs", "top_logprobs", "logit_bias"],
    ...["reasoning_effort", "verbosity", "metadata", "store", "service_tier", "prediction"],
    ...["modalities", "audio", "functions", "function_call"],
  ].map((name) => ({ [name]: null })),
  { tools: [] },
  { functions: [] },
  { stop: [] },
  { stream_options: { include_usage: true } },
  { stream: null, stream_options: { include_usage: true } },
  { messages: [{ ...MESSAGES[0], name: null }] },
];

for (const members of ABSENT) {
  Deno.test(`the members ${JSON.stringify(members)} count as absent`, async () => {
    for (const model of ["m", "claude-haiku-4-5"]) {
      const { response, vendor } = await send({ model, ...members }, { "x-sluice-strict": "true" });
      const { vendor: plain } = await send({ model });
      assertEquals(response.status, 200);
      assertEquals(vendor.body, plain.body);
      assertEquals(response.headers.get("x-sluice-ignored"), null);
    }
  });
}

Deno.test("null counts as absent in nested objects too", async () => {
  const image = { url: "https://a.test/b.png" };
  const look = { name: "look" };
  const { vendor } = await send({
    ...part({ type: "image_url", image_url: { ...image, detail: null } }),
    tools: [{ type: "function", function: { ...look, description: null, parameters: null } }],
  });
  assertEquals(vendor.body, {
    model: "m",
    ...part({ type: "image_url", image_url: image }),
    tools: [{ type: "function", function: look }],
  });
});

Deno.test("`stream: false` gives one JSON answer", async () => {
  const { response, text } = await send({ stream: false });
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(JSON.parse(text).object, "chat.completion");
});

Deno.test("a stream keeps its stream_options and requests usage from the vendor", async () => {
  const { vendor } = await send({ stream: true, stream_options: { include_obfuscation: false } });
  assertEquals(vendor.body.stream_options, { include_obfuscation: false, include_usage: true });
});

for (const asked of [true, false]) {
  Deno.test(`a stream ${asked ? "has" : "has no"} usage when include_usage is ${asked}`, async () => {
    const { response, text } = await send({
      stream: true,
      stream_options: { include_usage: asked },
    });
    assertEquals(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assertEquals(text.includes('"choices":[],"usage":{"prompt_tokens":30'), asked);
    assertEquals(text.endsWith("data: [DONE]\n\n"), true);
  });
}
