/** Answers of vendors as bytes. */

const encoder = new TextEncoder();

/** The bytes of an answer. */
export function toAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const lines = Object.entries({ "content-type": "application/json", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = encoder.encode(text).length;
  return `HTTP/1.1 ${status} Stub\r\n${lines}content-length: ${length}\r\n\r\n${text}`;
}

/** A completion in OpenAI's format with this text. */
export function toCompletion(content: string): Record<string, unknown> {
  return {
    id: "chatcmpl-stub",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "stub",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  };
}
