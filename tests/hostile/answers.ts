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

/** A stream of the OpenAI dialect with these deltas, in one piece, and usage if it is asked for. */
export function toStream(deltas: readonly unknown[], hasUsage = true): string {
  const { choices: _, usage, ...envelope } = toCompletion("");
  const events: unknown[] = deltas.map((delta, at) => {
    const finish_reason = at === deltas.length - 1 ? "stop" : null;
    return { ...envelope, choices: [{ index: 0, delta, finish_reason }] };
  });
  if (hasUsage) events.push({ ...envelope, choices: [], usage });
  return toSse([...events.map((event) => JSON.stringify(event)), "[DONE]"]);
}

/** A stream of events with these data, in one piece. */
export function toSse(events: readonly string[]): string {
  const text = events.map((data) => `data: ${data}\n\n`).join("");
  return toAnswer(200, text, { "content-type": "text/event-stream" });
}
