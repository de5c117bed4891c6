/** The requests of the benchmarks. */

import { MODELS, type Pace, type Vendor } from "./vendor_answers.ts";

/** A request that is sent repeatedly. */
export interface Ask {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AskOptions {
  readonly vendor: Vendor;
  /** The API of the gateway that is used. Default: chat completions. */
  readonly format?: "chat" | "messages" | "gemini";
  readonly stream?: boolean;
  /** How the model answers. Default: fast. */
  readonly pace?: Pace;
}

/** The key that callers present to Sluice. */
export const SERVICE_KEY = "sk-bench-service-key";

const SYSTEM = "You are a careful assistant of a harbor museum. Answer in two short paragraphs, " +
  "without lists, and mention the year of each event that you speak of.";
const QUESTION = "What happened in the harbor on the morning after the great storm, who saw it " +
  'first, and why is the old crane still named "the Heron"?';

/** A request in OpenAI's format. */
export function toChatAsk(options: AskOptions, headers: Ask["headers"], path: string): Ask {
  const body = JSON.stringify({
    model: modelOf(options),
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: QUESTION },
    ],
    max_completion_tokens: 400,
    ...(options.stream ? { stream: true } : {}),
  });
  return { path, headers: { "content-type": "application/json", ...headers }, body };
}

/** The same in the vendor's format, for programs that do not convert. */
export function toPlainAsk(options: AskOptions): Ask {
  if (options.vendor === "openai") return toChatAsk(options, {}, "/chat/completions");
  return toMessagesAsk(options, {}, "/messages");
}

/** A request in Anthropic's format. */
function toMessagesAsk(options: AskOptions, headers: Ask["headers"], path: string): Ask {
  const body = JSON.stringify({
    model: modelOf(options),
    max_tokens: 400,
    ...(options.stream ? { stream: true } : {}),
    system: SYSTEM,
    messages: [{ role: "user", content: [{ type: "text", text: QUESTION }] }],
  });
  return { path, headers: { "content-type": "application/json", ...headers }, body };
}

/** A request in Gemini's format. */
function toGeminiAsk(options: AskOptions, headers: Ask["headers"]): Ask {
  const method = options.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const body = JSON.stringify({
    systemInstruction: { parts: [{ text: SYSTEM }] },
    contents: [{ role: "user", parts: [{ text: QUESTION }] }],
    generationConfig: { maxOutputTokens: 400 },
  });
  const path = `/v1beta/models/${modelOf(options)}:${method}`;
  return { path, headers: { "content-type": "application/json", ...headers }, body };
}

/** The same for Sluice. */
export function toSluiceAsk(options: AskOptions): Ask {
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  if (options.format === "gemini") return toGeminiAsk(options, headers);
  return options.format === "messages"
    ? toMessagesAsk(options, headers, "/v1/messages")
    : toChatAsk(options, headers, "/v1/chat/completions");
}

/** A request with images: `size` bytes of base64 in four parts. */
export function toLargeAsk(vendor: Vendor, size: number): Ask {
  const ask = toSluiceAsk({ vendor });
  const request = JSON.parse(ask.body) as { messages: unknown[] };
  const picture = "iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4".repeat(Math.ceil(size / 4 / 32)).slice(
    0,
    size / 4,
  );
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } };
  request.messages[1] = {
    role: "user",
    content: [{ type: "text", text: QUESTION }, image, image, image, image],
  };
  return { ...ask, body: JSON.stringify(request) };
}

function modelOf({ vendor, pace = "fast" }: AskOptions): string {
  return MODELS[vendor][pace];
}
