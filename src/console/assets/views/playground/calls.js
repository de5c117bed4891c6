/** How the official client of OpenAI calls each API, for programs to copy. */

/** The members that the client knows. Others go into `extra_body`. Read in 2026-11. */
const CHAT = [
  ...["model", "messages", "stream", "stream_options", "temperature", "top_p", "n", "max_tokens"],
  ...["max_completion_tokens", "stop", "seed", "frequency_penalty", "presence_penalty"],
  ...["logit_bias", "logprobs", "top_logprobs", "reasoning_effort", "verbosity"],
  ...["response_format", "tools", "tool_choice", "parallel_tool_calls", "service_tier", "store"],
  ...["user", "metadata", "modalities", "audio", "prediction"],
];

/**
 * @typedef {{ path: string, call: string, known: Set<string>,
 *   python: { whole: string[], stream: string[] }, script: { whole: string[], stream: string[] } }}
 *   ApiCall
 */

/** @type {Map<string, ApiCall>} by the ID of the API; paths are after the base URL */
export const CALLS = new Map([
  ["chat", {
    ...{ path: "/chat/completions", call: "chat.completions.create" },
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
]);
