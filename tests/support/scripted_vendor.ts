/** A vendor without a network: it answers from a script and records requests. */

import type { StopSignal } from "../../src/core/stop_signal.ts";
import type { FetchInit } from "../../src/upstream/transport.ts";
import { encodeMessages, type EventMessage } from "./event_stream.ts";
import { sentText } from "./sent_text.ts";

export interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

type Script = (sent: Sent, signal: StopSignal | null) => Response | Promise<Response>;

export class ScriptedVendor {
  readonly sent: Sent[] = [];
  readonly fetch: (url: string, init: FetchInit) => Promise<Response>;

  /** @param script the answers; default: "Hello." in the format of the URL's vendor */
  constructor(script: Script = sayHello) {
    this.fetch = async (url, { headers, body, signal }) => {
      const sent = { url, headers: new Headers(headers), body: JSON.parse(sentText(body)) };
      this.sent.push(sent);
      return await script(sent, signal ?? null);
    };
  }

  /** The body of the only request that was sent. */
  get body(): Record<string, unknown> {
    const [only, ...others] = this.sent;
    if (only === undefined || others.length > 0) {
      throw new RangeError(`${this.sent.length} requests were sent`);
    }
    return only.body;
  }
}

/** A vendor that answers all requests with a status and body. */
export function failing(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): ScriptedVendor {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new ScriptedVendor(() => new Response(text, { status, headers }));
}

/** A short answer in the format of the URL's vendor, streamed on request. */
export function sayHello({ url, body }: Pick<Sent, "url" | "body">): Response {
  if (url.endsWith("/converse")) return Response.json(CONVERSED);
  if (url.endsWith("/converse-stream")) return toAwsStream(CONVERSE_EVENTS);
  const stream = body.stream === true;
  if (url.endsWith("/responses")) {
    return stream ? toEventStream(RESPONSE_EVENTS) : Response.json(RESPONSE);
  }
  if (url.includes(":generateContent")) return Response.json(CANDIDATES);
  if (url.includes(":streamGenerateContent")) return toEventStream(CANDIDATE_EVENTS);
  if (url.endsWith("/api/chat")) return stream ? toLines(LINES) : Response.json(WHOLE_LINE);
  if (url.endsWith("/chat")) return stream ? toEventStream(COHERE_EVENTS) : Response.json(COHERE);
  const isAnthropic = /\/messages$|awPredict$/.test(url);
  if (!stream) return Response.json(isAnthropic ? MESSAGE : COMPLETION);
  return toEventStream(isAnthropic ? MESSAGE_EVENTS : [...CHUNKS, "[DONE]"]);
}

/** Server-sent events, named by their member `type`. */
export function toEventStream(events: readonly unknown[]): Response {
  const text = events.map((event) => {
    const data = typeof event === "string" ? event : JSON.stringify(event);
    const { type } = event as { type?: string };
    return `${type === undefined ? "" : `event: ${type}\n`}data: ${data}\n\n`;
  });
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

export function toAwsStream(events: readonly EventMessage[]): Response {
  return new Response(encodeMessages(events), {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
  });
}

const CONVERSED = {
  output: { message: { role: "assistant", content: [{ text: "Hello." }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 30, outputTokens: 4, totalTokens: 34 },
};

export const CONVERSE_EVENTS: readonly EventMessage[] = [
  { event: "messageStart", data: { role: "assistant" } },
  { event: "contentBlockDelta", data: { contentBlockIndex: 0, delta: { text: "Hello." } } },
  { event: "contentBlockStop", data: { contentBlockIndex: 0 } },
  { event: "messageStop", data: { stopReason: "end_turn" } },
  { event: "metadata", data: { usage: CONVERSED.usage } },
];

/** Newline-delimited JSON. */
export function toLines(values: readonly unknown[]): Response {
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  return new Response(text, { headers: { "content-type": "application/x-ndjson" } });
}

const COMPLETION = {
  id: "chatcmpl-vendor",
  object: "chat.completion",
  created: 1_700_000_001,
  model: "vendor-model",
  choices: [{
    index: 0,
    message: { role: "assistant", content: "Hello.", refusal: null },
    finish_reason: "stop",
  }],
  usage: { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 },
};

export const CHUNKS = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { choices: [], usage: { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 } },
].map((chunk) => ({
  id: "chatcmpl-vendor",
  object: "chat.completion.chunk",
  created: 1_700_000_001,
  model: "vendor-model",
  ...chunk,
}));

const MESSAGE = {
  id: "msg_vendor",
  type: "message",
  role: "assistant",
  model: "vendor-model",
  content: [{ type: "text", text: "Hello." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 30, output_tokens: 4 },
};

const MESSAGE_EVENTS = [
  {
    type: "message_start",
    message: { ...MESSAGE, content: [], stop_reason: null },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 4 },
  },
  { type: "message_stop" },
];

const RESPONSE_ITEM = {
  id: "msg_vendor",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hello.", annotations: [], logprobs: [] }],
};

const RESPONSE = {
  id: "resp_vendor",
  object: "response",
  created_at: 1_700_000_001,
  model: "vendor-model",
  status: "completed",
  error: null,
  incomplete_details: null,
  output: [RESPONSE_ITEM],
  usage: { input_tokens: 30, output_tokens: 4, total_tokens: 34 },
};

const AT = { item_id: "msg_vendor", output_index: 0, content_index: 0 };

const RESPONSE_EVENTS = [
  {
    type: "response.created",
    response: { ...RESPONSE, status: "in_progress", output: [], usage: null },
  },
  {
    type: "response.output_item.added",
    output_index: 0,
    item: { ...RESPONSE_ITEM, status: "in_progress", content: [] },
  },
  { type: "response.output_text.delta", ...AT, delta: "Hello.", logprobs: [] },
  { type: "response.output_text.done", ...AT, text: "Hello.", logprobs: [] },
  { type: "response.output_item.done", output_index: 0, item: RESPONSE_ITEM },
  { type: "response.completed", response: RESPONSE },
];

const CANDIDATES = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hello." }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 4, totalTokenCount: 34 },
  modelVersion: "vendor-model",
  responseId: "response-vendor",
};

const CANDIDATE_EVENTS = [
  { ...CANDIDATES, candidates: [{ content: { role: "model", parts: [{ text: "Hello." }] } }] },
  { ...CANDIDATES, candidates: [{ finishReason: "STOP" }] },
];

const LINE = { model: "vendor-model", created_at: "2023-11-14T22:13:21.5Z" };

const LINES = [
  { ...LINE, message: { role: "assistant", content: "Hello" }, done: false },
  {
    ...LINE,
    message: { role: "assistant", content: "." },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 30,
    eval_count: 4,
  },
];

const WHOLE_LINE = { ...LINES.at(-1), message: { role: "assistant", content: "Hello." } };

const COHERE_USAGE = { tokens: { input_tokens: 30, output_tokens: 4 } };

const COHERE = {
  id: "cohere-vendor",
  finish_reason: "COMPLETE",
  message: { role: "assistant", content: [{ type: "text", text: "Hello." }] },
  usage: COHERE_USAGE,
};

const COHERE_EVENTS = [
  { type: "message-start", id: "cohere-vendor", delta: { message: { role: "assistant" } } },
  {
    type: "content-start",
    index: 0,
    delta: { message: { content: { type: "text", text: "" } } },
  },
  { type: "content-delta", index: 0, delta: { message: { content: { text: "Hello." } } } },
  { type: "content-end", index: 0 },
  { type: "message-end", delta: { finish_reason: "COMPLETE", usage: COHERE_USAGE } },
];
