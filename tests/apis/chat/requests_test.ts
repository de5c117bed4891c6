import { assertEquals, assertStringIncludes } from "@std/assert";
import { assistant, FUNCTION, type Json, MESSAGES, part, send } from "../../support/sending.ts";

function toolCall(members: Json): Json {
  return assistant({ tool_calls: [{ id: "a", type: "function", ...members }] });
}

const ROLES = "must be 'system', 'developer', 'user', 'assistant', 'tool' or 'function'";
const TEXT_OR_PARTS = "must be a string or an array";

/** Members that are refused, the path in `param`, and what the message says is allowed. */
const REFUSED: readonly (readonly [Json, string, string])[] = [
  [{ model: undefined }, "model", "is required"],
  [{ model: null }, "model", "must be a string"],
  [{ model: 5 }, "model", "must be a string"],
  [{ model: "" }, "model", "must not be empty"],
  [{ messages: undefined }, "messages", "is required"],
  [{ messages: null }, "messages", "must be an array"],
  [{ messages: "Hi" }, "messages", "must be an array"],
  [{ messages: [] }, "messages", "must not be empty"],
  [{ messages: ["Hi"] }, "messages[0]", "must be an object"],
  [{ messages: [...MESSAGES, { content: "Hi" }] }, "messages[1].role", ROLES],
  [{ messages: [{ role: "bot", content: "Hi" }] }, "messages[0].role", ROLES],
  [{ messages: [{ role: "user" }] }, "messages[0].content", ": is required"],
  [{ messages: [{ role: "user", content: null }] }, "messages[0].content", TEXT_OR_PARTS],
  [{ messages: [{ role: "user", content: 5 }] }, "messages[0].content", TEXT_OR_PARTS],
  [{ messages: [{ role: "user", content: {} }] }, "messages[0].content", TEXT_OR_PARTS],
  [{ messages: [{ role: "system", content: null }] }, "messages[0].content", TEXT_OR_PARTS],
  [{ messages: [{ ...MESSAGES[0], name: 5 }] }, "messages[0].name", "must be a string"],
  [assistant({}), "messages[1].content", "is required unless the message has tool_calls"],
  [assistant({ content: null, tool_calls: [] }), "messages[1].content", "is required unless"],
  [assistant({ tool_calls: {} }), "messages[1].tool_calls", "must be an array"],
  [toolCall({ id: 5 }), "messages[1].tool_calls[0].id", "must be a string"],
  [toolCall({ type: "x" }), "messages[1].tool_calls[0].type", "must be 'function' or 'custom'"],
  [toolCall({}), "messages[1].tool_calls[0].function", "is required"],
  [
    toolCall({ function: { name: "f", arguments: {} } }),
    "messages[1].tool_calls[0].function.arguments",
    "must be a string",
  ],
  [
    { messages: [...MESSAGES, { role: "tool", content: "5" }] },
    "messages[1].tool_call_id",
    "is required",
  ],
  [part("Hi"), "messages[0].content[0]", "must be an object"],
  [part({ text: "Hi" }), "messages[0].content[0].type", "must be 'text', 'image_url'"],
  [part({ type: 5 }), "messages[0].content[0].type", "must be 'text', 'image_url'"],
  [part({ type: "" }), "messages[0].content[0].type", "must be 'text', 'image_url'"],
  [part({ type: "video_url" }), "messages[0].content[0].video_url", "is required"],
  [part({ type: "file_url", file_url: {} }), "messages[0].content[0].file_url.url", "is required"],
  [part({ type: "text" }), "messages[0].content[0].text", "is required"],
  [part({ type: "image_url" }), "messages[0].content[0].image_url", "is required"],
  [
    part({ type: "image_url", image_url: "https://a.test" }),
    "messages[0].content[0].image_url",
    "must be an object",
  ],
  [
    part({ type: "image_url", image_url: {} }),
    "messages[0].content[0].image_url.url",
    "is required",
  ],
  [
    part({ type: "image_url", image_url: { url: "https://a.test", detail: 5 } }),
    "messages[0].content[0].image_url.detail",
    "must be a string",
  ],
  [{ stream: "true" }, "stream", "must be true or false"],
  [{ temperature: "1" }, "temperature", "must be a number"],
  [{ temperature: -0.1 }, "temperature", "must be at least 0"],
  [{ temperature: 2.1 }, "temperature", "must be at most 2"],
  [{ top_p: -0.1 }, "top_p", "must be at least 0"],
  [{ top_p: 1.1 }, "top_p", "must be at most 1"],
  [{ n: 0 }, "n", "must be at least 1"],
  [{ n: 129 }, "n", "must be at most 128"],
  [{ n: 1.5 }, "n", "must be an integer"],
  [{ max_tokens: 0 }, "max_tokens", "must be at least 1"],
  [{ max_tokens: 1.5 }, "max_tokens", "must be an integer"],
  [{ max_tokens: "5" }, "max_tokens", "must be a number"],
  [{ max_completion_tokens: 0 }, "max_completion_tokens", "must be at least 1"],
  [{ frequency_penalty: -2.1 }, "frequency_penalty", "must be at least -2"],
  [{ frequency_penalty: 2.1 }, "frequency_penalty", "must be at most 2"],
  [{ presence_penalty: -2.1 }, "presence_penalty", "must be at least -2"],
  [{ presence_penalty: 2.1 }, "presence_penalty", "must be at most 2"],
  [{ stop: 5 }, "stop", TEXT_OR_PARTS],
  [{ stop: ["a", 5] }, "stop[1]", "must be a string"],
  [{ tools: {} }, "tools", "must be an array"],
  [{ tools: [FUNCTION, {}] }, "tools[1].type", "must be 'function' or 'custom'"],
  [{ tools: [{ type: "function" }] }, "tools[0].function", "is required"],
  [{ tools: [{ type: "function", function: {} }] }, "tools[0].function.name", "is required"],
  [
    { tools: [{ type: "function", function: { name: "f", description: 5 } }] },
    "tools[0].function.description",
    "must be a string",
  ],
  [
    { tools: [{ type: "function", function: { name: "f", parameters: "{}" } }] },
    "tools[0].function.parameters",
    "must be an object",
  ],
  [
    { tools: [FUNCTION], tool_choice: "some" },
    "tool_choice",
    "must be 'none', 'auto', 'required' or 'any' or an object",
  ],
  [{ tools: [FUNCTION], tool_choice: {} }, "tool_choice.type", "must be 'function'"],
  [
    { tools: [FUNCTION], tool_choice: { type: "function" } },
    "tool_choice.function",
    "is required",
  ],
  [{ response_format: "json" }, "response_format", "must be an object"],
  [{ response_format: {} }, "response_format.type", "is required"],
  [
    { response_format: { type: "json_schema" } },
    "response_format.json_schema",
    "is required when type is 'json_schema'",
  ],
  [{ seed: 1.5 }, "seed", "must be an integer"],
  [{ seed: "1" }, "seed", "must be a number"],
  [{ user: 5 }, "user", "must be a string"],
  [{ top_logprobs: 21 }, "top_logprobs", "must be at most 20"],
  [{ logit_bias: { 5: 101 } }, "logit_bias.5", "must be at most 100"],
  [{ metadata: { a: 5 } }, "metadata.a", "must be a string"],
  [{ reasoning_effort: 5 }, "reasoning_effort", "must be a string"],
  [{ reasoning_effort: "" }, "reasoning_effort", "must be a string"],
  [{ stream: true, stream_options: true }, "stream_options", "must be an object"],
];

for (const [members, param, allowed] of REFUSED) {
  Deno.test(`a request with ${reported(members)} is refused at '${param}'`, async () => {
    const { response, text, vendor } = await send(members);
    const { error } = JSON.parse(text);
    assertEquals(response.status, 400);
    assertEquals({ ...error, message: "" }, {
      message: "",
      type: "invalid_request_error",
      param,
      code: "invalid_value",
    });
    assertStringIncludes(error.message, `'${param}'`);
    assertStringIncludes(error.message, allowed);
    assertEquals(vendor.sent, []);
  });
}

function reported(members: Json): string {
  const [name] = Object.keys(members);
  return JSON.stringify(members) === "{}" ? `no ${name}` : JSON.stringify(members);
}
