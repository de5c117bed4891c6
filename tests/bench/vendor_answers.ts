/** The answers of the scripted vendors, in the formats of OpenAI, Anthropic and Gemini. */

/** Gemini has one pace: the model is not in the body. */
export type Vendor = "openai" | "anthropic" | "gemini";

/** Deltas in a stream. */
export const DELTAS = 200;

/**
 * How a model answers: `fast` in large packets; `cold` the same, each stream with its own ID;
 * `slow` with an event every 50 ms; `idle` with one event and then nothing; `mixed` with 5 to 500
 * events at random times.
 */
export type Pace = "fast" | "cold" | "slow" | "idle" | "mixed";

/** The model of each pace. */
export const MODELS: Readonly<Record<Vendor, Readonly<Record<Pace, string>>>> = {
  openai: {
    fast: "gpt-5.4-mini",
    cold: "gpt-5.4-nano",
    slow: "gpt-5.4",
    idle: "gpt-5.2",
    mixed: "gpt-5.1",
  },
  anthropic: {
    fast: "claude-haiku-4-5",
    cold: "claude-sonnet-4-6",
    slow: "claude-opus-5",
    idle: "claude-opus-4-6",
    mixed: "claude-sonnet-4-5",
  },
  gemini: {
    ...{ fast: "gemini-3-flash", cold: "gemini-3-pro", slow: "gemini-2.5-pro" },
    ...{ idle: "gemini-2.5-flash", mixed: "gemini-2.5-flash-lite" },
  },
};

/** The model of embeddings. */
export const EMBEDDINGS = "text-embedding-3-small";

/** The certificate of the vendors, below the root of the repository, which is its own CA. */
export const CERTIFICATE = "tests/support/tls/localhost.pem";

/** Typical tokens: mostly plain, some that JSON or UTF-8 writes with more bytes. */
const WORDS = [
  ...["The", " harbor", " opened", " slowly", " toward", " the", " morning", " light", ",", " and"],
  ...[" every", " boat", " that", " had", " waited", " overnight", " began", " to", " move", "."],
  ...["\n\n", "It", " was", " –", " as", " she", " said", " “", "never", "”", " the", ' "same"'],
  ...[" twice", ";", " café", " owners", " swept", " the", " quay", " 👋"],
];

/** The ID of OpenAI's answers. */
export const ID = "chatcmpl-BzT4kNcVq8sX2mWgP7hYdLr3uEjA9";
const MODEL = "gpt-5.4-mini-2026-03-17";
const MESSAGE_ID = "msg_01XFDUDYJgAACzvnptvVoYEL";
const CLAUDE = "claude-haiku-4-5-20251001";

/** Headers as each vendor sends them with every answer. */
export const HEADERS: Readonly<Record<Vendor, Readonly<Record<string, string>>>> = {
  openai: {
    "openai-organization": "example",
    "openai-processing-ms": "412",
    "openai-version": "2020-10-01",
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-limit-tokens": "2000000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-remaining-tokens": "1999487",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-reset-tokens": "15ms",
    "x-request-id": "req_8f3c2b1a9d7e4f60a1b2c3d4e5f60718",
  },
  anthropic: {
    "anthropic-organization-id": "0f6c1f5e-0000-4000-8000-000000000000",
    "anthropic-ratelimit-requests-limit": "4000",
    "anthropic-ratelimit-requests-remaining": "3999",
    "anthropic-ratelimit-requests-reset": "2026-11-21T10:00:00Z",
    "anthropic-ratelimit-tokens-limit": "400000",
    "anthropic-ratelimit-tokens-remaining": "399000",
    "anthropic-ratelimit-tokens-reset": "2026-11-21T10:00:00Z",
    "request-id": "req_011CTestTestTestTestTest",
  },
  gemini: {
    "vary": "Origin, X-Origin, Referer",
    "server": "scaffolding on HTTPServer2",
    "server-timing": "gfet4t7; dur=612",
    "x-content-type-options": "nosniff",
    "x-xss-protection": "0",
  },
};

/** An answer that is not a stream, about 1.2 kB. */
export function toUnary(vendor: Vendor): string {
  const text = words(70).join("");
  if (vendor === "gemini") return toCandidate(text, DELTAS, "STOP");
  return vendor === "openai" ? toCompletion(text) : toMessage(text);
}

/** The vectors of 256 texts, about 8 MB. */
export function toVectors(): string {
  const vector = (text: number) =>
    Array.from({ length: DIMENSIONS }, (_, index) => Math.sin(text * DIMENSIONS + index) / 20);
  return JSON.stringify({
    object: "list",
    data: Array.from({ length: TEXTS }, (_, index) => ({
      ...{ object: "embedding", index, embedding: vector(index) },
    })),
    model: EMBEDDINGS,
    usage: { prompt_tokens: 25_600, total_tokens: 25_600 },
  });
}

/** Texts of one request for embeddings. */
export const TEXTS = 256;
const DIMENSIONS = 1536;

/** A stream's events before the deltas. */
export function openingOf(vendor: Vendor): string {
  if (vendor === "gemini") return "";
  if (vendor === "openai") {
    return toChunk({ role: "assistant", content: "", refusal: null }, null, 3);
  }
  const usage = { input_tokens: 62, cache_read_input_tokens: 0, output_tokens: 1 };
  const message = {
    ...{ id: MESSAGE_ID, type: "message", role: "assistant", model: CLAUDE, content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage },
  };
  return toEvent("message_start", { message }) +
    toEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
    toEvent("ping", {});
}

/** One delta. */
export function deltaOf(vendor: Vendor, text: string, index: number): string {
  if (vendor === "gemini") return `data: ${toCandidate(text, index + 1)}\r\n\r\n`;
  return vendor === "openai"
    ? toChunk({ content: text }, null, index)
    : toEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
}

/** A stream's events after the deltas. */
export function closingOf(vendor: Vendor): string {
  if (vendor === "gemini") return `data: ${toCandidate("", DELTAS, "STOP")}\r\n\r\n`;
  if (vendor === "openai") {
    const usage = JSON.stringify(usageOf());
    return toChunk({}, "stop", 7) +
      `data: ${envelope()},"choices":[],"usage":${usage},"obfuscation":"Zk"}\n\n` +
      "data: [DONE]\n\n";
  }
  const delta = { stop_reason: "end_turn", stop_sequence: null };
  return toEvent("content_block_stop", { index: 0 }) +
    toEvent("message_delta", { delta, usage: { output_tokens: DELTAS } }) +
    toEvent("message_stop", {});
}

/** A whole stream. */
export function toStream(vendor: Vendor): string {
  const deltas = words(DELTAS).map((word, index) => deltaOf(vendor, word, index));
  return openingOf(vendor) + deltas.join("") + closingOf(vendor);
}

function words(count: number): string[] {
  return Array.from({ length: count }, (_, index) => WORDS[index % WORDS.length] ?? "");
}

function usageOf(): Record<string, unknown> {
  return {
    prompt_tokens: 62,
    completion_tokens: DELTAS,
    total_tokens: 62 + DELTAS,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** OpenAI formats its answers on several lines. */
function toCompletion(content: string): string {
  const message = { role: "assistant", content, refusal: null, annotations: [] };
  return JSON.stringify(
    {
      id: ID,
      object: "chat.completion",
      created: 1_781_000_000,
      model: MODEL,
      choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
      usage: usageOf(),
      service_tier: "default",
      system_fingerprint: "fp_b2c7a1f09e",
    },
    null,
    2,
  );
}

function toMessage(text: string): string {
  return JSON.stringify({
    model: CLAUDE,
    id: MESSAGE_ID,
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: text + text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 62,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 140,
      service_tier: "standard",
    },
  });
}

function toCandidate(text: string, tokens: number, finishReason?: string): string {
  return JSON.stringify({
    candidates: [{
      content: { parts: [{ text }], role: "model" },
      ...(finishReason !== undefined && { finishReason }),
      index: 0,
    }],
    usageMetadata: {
      promptTokenCount: 62,
      candidatesTokenCount: tokens,
      totalTokenCount: 62 + tokens,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 62 }],
    },
    modelVersion: "gemini-3-flash",
    responseId: "q3klaYvNDMmQ1MkP5rDhoA4",
  });
}

function envelope(): string {
  return `{"id":"${ID}","object":"chat.completion.chunk","created":1781000000,"model":"${MODEL}",` +
    '"service_tier":"default","system_fingerprint":"fp_b2c7a1f09e"';
}

/** A chunk with random padding, which hides the length of its text. */
function toChunk(delta: Record<string, unknown>, finish: string | null, index: number): string {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
  const padding = "aB3dEfG7hIjK9mN0pQ".slice(0, 2 + index * 7 % 15);
  return `data: ${envelope()},"choices":[${JSON.stringify(choice)}],"usage":null,` +
    `"obfuscation":"${padding}"}\n\n`;
}

function toEvent(type: string, members: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}
