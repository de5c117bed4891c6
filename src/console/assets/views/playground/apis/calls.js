/** How the official clients call each API, for programs to copy. */

/** The members that the clients know. Others go into `extra_body`. Read in 2026-11. */
const CHAT = [
  ...["model", "messages", "stream", "stream_options", "temperature", "top_p", "n", "max_tokens"],
  ...["max_completion_tokens", "stop", "seed", "frequency_penalty", "presence_penalty"],
  ...["logit_bias", "logprobs", "top_logprobs", "reasoning_effort", "verbosity"],
  ...["response_format", "tools", "tool_choice", "parallel_tool_calls", "service_tier", "store"],
  ...["user", "metadata", "modalities", "audio", "prediction"],
];
const MESSAGES = [
  ...["model", "max_tokens", "messages", "system", "stream", "temperature", "top_p", "top_k"],
  ...["stop_sequences", "tools", "tool_choice", "thinking", "output_config", "service_tier"],
  ...["metadata"],
];
const RESPONSES = [
  ...["model", "input", "instructions", "stream", "temperature", "top_p", "max_output_tokens"],
  ...["tools", "tool_choice", "parallel_tool_calls", "reasoning", "text", "service_tier", "store"],
  ...["user", "metadata", "include", "previous_response_id", "truncation", "max_tool_calls"],
];

/**
 * @typedef {{ path: string, client: "openai" | "anthropic", call: string, known: Set<string>,
 *   python: { whole: string[], stream: string[] }, script: { whole: string[], stream: string[] } }}
 *   ApiCall
 */

/** @type {Map<string, ApiCall>} by the ID of the API; paths are after the base URL */
export const CALLS = new Map([
  ["chat", {
    ...{ path: "/chat/completions", client: "openai", call: "chat.completions.create" },
    known: new Set(CHAT),
    python: {
      whole: ["print(answer.choices[0].message.content)"],
      stream: [
        "for chunk in answer:",
        "    if chunk.choices and chunk.choices[0].delta.content:",
        '        print(chunk.choices[0].delta.content, end="", flush=True)',
      ],
    },
    script: {
      whole: ["console.log(answer.choices[0]?.message.content);"],
      stream: [
        "for await (const chunk of answer) {",
        '  process.stdout.write(chunk.choices[0]?.delta.content ?? "");',
        "}",
      ],
    },
  }],
  ["messages", {
    ...{ path: "/messages", client: "anthropic", call: "messages.create" },
    known: new Set(MESSAGES),
    python: {
      whole: [
        "for block in answer.content:",
        '    if block.type == "text":',
        "        print(block.text)",
      ],
      stream: [
        "for event in answer:",
        '    if event.type == "content_block_delta" and event.delta.type == "text_delta":',
        '        print(event.delta.text, end="", flush=True)',
      ],
    },
    script: {
      whole: [
        "for (const block of answer.content) {",
        '  if (block.type === "text") console.log(block.text);',
        "}",
      ],
      stream: [
        "for await (const event of answer) {",
        '  if (event.type === "content_block_delta" && event.delta.type === "text_delta") {',
        "    process.stdout.write(event.delta.text);",
        "  }",
        "}",
      ],
    },
  }],
  ["responses", {
    ...{ path: "/responses", client: "openai", call: "responses.create" },
    known: new Set(RESPONSES),
    python: {
      whole: ["print(answer.output_text)"],
      stream: [
        "for event in answer:",
        '    if event.type == "response.output_text.delta":',
        '        print(event.delta, end="", flush=True)',
      ],
    },
    script: {
      whole: ["console.log(answer.output_text);"],
      stream: [
        "for await (const event of answer) {",
        '  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);',
        "}",
      ],
    },
  }],
  ["embeddings", {
    ...{ path: "/embeddings", client: "openai", call: "embeddings.create" },
    known: new Set(["model", "input", "dimensions", "encoding_format", "user"]),
    python: { whole: ["print(len(answer.data), len(answer.data[0].embedding))"], stream: [] },
    script: {
      whole: ["console.log(answer.data.length, answer.data[0]?.embedding.length);"],
      stream: [],
    },
  }],
]);

/** The names of a client's package, class and option for the address. */
export const CLIENTS = new Map([
  ["openai", { python: "openai", script: "openai", name: "OpenAI" }],
  ["anthropic", { python: "anthropic", script: "@anthropic-ai/sdk", name: "Anthropic" }],
]);

/** The address that a client wants: that of Anthropic adds `/v1` itself. */
export function addressFor(client, baseUrl) {
  return client === "anthropic" ? baseUrl.replace(/\/v1$/, "") : baseUrl;
}
