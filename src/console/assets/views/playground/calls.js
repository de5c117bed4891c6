/**
 * The calls of OpenAI's official clients for each API, for code to copy. Paths without a method in
 * the clients are posted to: https://github.com/openai/openai-python#undocumented-endpoints
 * (2026-11).
 */

/** The members that the client knows. Others go into `extra_body`. Checked in 2026-11. */
const CHAT = [
  ...["model", "messages", "stream", "stream_options", "temperature", "top_p", "n", "max_tokens"],
  ...["max_completion_tokens", "stop", "seed", "frequency_penalty", "presence_penalty"],
  ...["logit_bias", "logprobs", "top_logprobs", "reasoning_effort", "verbosity"],
  ...["response_format", "tools", "tool_choice", "parallel_tool_calls", "service_tier", "store"],
  ...["user", "metadata", "modalities", "audio", "prediction"],
];

const IMAGES = ["model", "prompt", "size", "quality", "n"];
const SPEECH = ["model", "input", "voice", "instructions", "speed", "response_format"];
const TRANSCRIPTION = ["model", "language", "prompt", "temperature"];

/**
 * @typedef {{ path: string, call?: string, known: Set<string>, takesFile?: boolean,
 *   python: Reading, script: Reading }} ApiCall without `call`, the client posts to the path
 * @typedef {{ imports?: string[], whole: string[], stream?: string[] }} Reading
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
  ["images", {
    ...{ path: "/images/generations", call: "images.generate", known: new Set(IMAGES) },
    python: {
      imports: ["import base64"],
      whole: [
        "for index, image in enumerate(answer.data):",
        '    with open(f"image-{index + 1}.png", "wb") as file:',
        "        file.write(base64.b64decode(image.b64_json))",
      ],
    },
    script: {
      imports: ['import { writeFile } from "node:fs/promises";'],
      whole: [
        "for (const [index, image] of (answer.data ?? []).entries()) {",
        '  const bytes = Buffer.from(image.b64_json ?? "", "base64");',
        "  await writeFile(`image-${index + 1}.png`, bytes);",
        "}",
      ],
    },
  }],
  ["speech", {
    ...{ path: "/audio/speech", call: "audio.speech.create", known: new Set(SPEECH) },
    python: { whole: ['answer.write_to_file("speech.audio")'] },
    script: {
      imports: ['import { writeFile } from "node:fs/promises";'],
      whole: ['await writeFile("speech.audio", Buffer.from(await answer.arrayBuffer()));'],
    },
  }],
  ["transcription", {
    ...{ path: "/audio/transcriptions", call: "audio.transcriptions.create" },
    ...{ known: new Set(TRANSCRIPTION), takesFile: true },
    python: { whole: ["print(answer.text)"] },
    script: {
      imports: ['import { createReadStream } from "node:fs";'],
      whole: ["console.log(answer.text);"],
    },
  }],
  ["rerank", {
    ...{ path: "/rerank", known: new Set() },
    python: { imports: ["import httpx"], whole: ["print(answer.json())"] },
    script: { whole: ["console.log(answer);"] },
  }],
]);
