/** The places of requests that hold a text of the caller's choice, in every format. */

import { Buffer } from "node:buffer";

type Members = Readonly<Record<string, unknown>>;

/** A place for a text. */
export interface Place {
  readonly name: string;
  readonly path: string;
  /** The body of a request with the text, without its model. */
  readonly put: (text: string) => Members;
}

const CHAT = "/v1/chat/completions";
const MESSAGES = "/v1/messages";
const RESPONSES = "/v1/responses";
const COUNT = "/v1/messages/count_tokens";

const HELLO = { role: "user", content: "Hi" };

export const PLACES: readonly Place[] = [
  chat("arguments", (text) => called(text)),
  chat("a tool's result", (text) => called("{}", text)),
  chat("the input of a custom tool", (text) => [
    HELLO,
    turn({ tool_calls: [{ id: "c", type: "custom", custom: { name: "f", input: text } }] }),
    { role: "tool", tool_call_id: "c", content: "x" },
  ]),
  chat("the arguments of a function", (text) => [
    HELLO,
    turn({ function_call: { name: "f", arguments: text } }),
    { role: "function", name: "f", content: "x" },
  ]),
  chat("the ID of a call", (text) => called("{}", "x", `c_sluice_${text}`)),
  chat("a user's text", (text) => [{ role: "user", content: text }]),
  chat("instructions", (text) => [{ role: "system", content: text }, HELLO]),
  chat("an answer", (text) => [HELLO, turn({ content: text }), HELLO]),
  chat("reasoning", (text) => [HELLO, turn({ content: "x", reasoning_content: text }), HELLO]),
  chat("reasoning_details", (text) => [
    HELLO,
    turn({ content: "x", reasoning_details: DETAILS.map((detail) => ({ ...detail, data: text })) }),
    HELLO,
  ]),
  chat("an image", (text) => part({ type: "image_url", image_url: { url: imageOf(text) } })),
  chat(
    "an image that is not base64",
    (text) => part({ type: "image_url", image_url: { url: `data:image/png,${text}` } }),
  ),
  chat(
    "a file",
    (text) => part({ type: "file", file: { filename: "f.pdf", file_data: imageOf(text) } }),
  ),
  chat(
    "a file without a type",
    (text) => part({ type: "file", file: { filename: "f.txt", file_data: text } }),
  ),
  chat(
    "audio",
    (text) => part({ type: "input_audio", input_audio: { data: text, format: "wav" } }),
  ),
  messages("a text", (text) => [{ role: "user", content: text }]),
  messages("a result", (text) => [
    HELLO,
    blocks({ type: "tool_use", id: "c", name: "f", input: {} }),
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: text }] },
  ]),
  messages("an input", (text) => [
    HELLO,
    blocks({ type: "tool_use", id: "c", name: "f", input: { text } }),
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "x" }] },
  ]),
  messages("a signature of the gateway", (text) => [
    HELLO,
    blocks({ type: "thinking", thinking: "x", signature: `sluice1.${packed(text)}` }),
    HELLO,
  ]),
  messages("details in a signature", (text) => [
    HELLO,
    blocks({ type: "thinking", thinking: "x", signature: `sluice1.${packed(detailsOf(text))}` }),
    HELLO,
  ]),
  messages("an image", (text) => [{
    role: "user",
    content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: text } }],
  }]),
  { ...messages("a text to count", (text) => [{ role: "user", content: text }]), path: COUNT },
  responses("input", (text) => text),
  responses("arguments", (text) => [
    { type: "message", ...HELLO },
    { type: "function_call", call_id: "c", name: "f", arguments: text },
    { type: "function_call_output", call_id: "c", output: "x" },
  ]),
  responses("a custom tool's input", (text) => [
    { type: "message", ...HELLO },
    { type: "custom_tool_call", call_id: "c", name: "f", input: text },
    { type: "custom_tool_call_output", call_id: "c", output: "x" },
  ]),
  responses("a result", (text) => [
    { type: "message", ...HELLO },
    { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: text },
  ]),
  responses("packed state", (text) => reasoned(`sluice-r1.${packed(text)}`)),
  responses("details in packed state", (text) => reasoned(`sluice-r1.${packed(`[${text}]`)}`)),
];

const DETAILS = [
  { type: "reasoning.encrypted", format: "google-gemini-v1", id: "c" },
  { type: "reasoning.encrypted", format: "anthropic-claude-v1" },
];

function chat(name: string, toMessages: (text: string) => unknown): Place {
  return { name: `chat, ${name}`, path: CHAT, put: (text) => ({ messages: toMessages(text) }) };
}

function messages(name: string, toTurns: (text: string) => unknown): Place {
  const put = (text: string) => ({ max_tokens: 64, messages: toTurns(text) });
  return { name: `messages, ${name}`, path: MESSAGES, put };
}

function responses(name: string, toInput: (text: string) => unknown): Place {
  const put = (text: string) => ({ store: false, input: toInput(text) });
  return { name: `responses, ${name}`, path: RESPONSES, put };
}

function turn(members: Members): Members {
  return { role: "assistant", content: null, ...members };
}

function blocks(...content: readonly Members[]): Members {
  return { role: "assistant", content };
}

function part(content: Members): Members[] {
  return [{ role: "user", content: [content] }];
}

function called(text: string, content = "x", id = "c"): Members[] {
  return [
    HELLO,
    turn({ tool_calls: [{ id, type: "function", function: { name: "f", arguments: text } }] }),
    { role: "tool", tool_call_id: id, content },
  ];
}

function reasoned(state: string): Members[] {
  return [
    { type: "message", ...HELLO },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: state },
    { type: "message", role: "assistant", content: "x" },
    { type: "message", ...HELLO },
  ];
}

function imageOf(text: string): string {
  return `data:image/png;base64,${text}`;
}

function detailsOf(text: string): string {
  return `{"details":[${text}]}`;
}

function packed(text: string): string {
  return Buffer.from(text).toString("base64url");
}
