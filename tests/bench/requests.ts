/** The requests of the benchmarks. */

import { EMBEDDINGS, MODELS, type Pace, TEXTS, type Vendor } from "./vendor_answers.ts";

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
  /** The session that all requests belong to. Default: none. */
  readonly session?: string;
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
  const { session } = options;
  const headers = {
    authorization: `Bearer ${SERVICE_KEY}`,
    ...(session !== undefined && { "x-sluice-session": session }),
  };
  if (options.format === "gemini") return toGeminiAsk(options, headers);
  return options.format === "messages"
    ? toMessagesAsk(options, headers, "/v1/messages")
    : toChatAsk(options, headers, "/v1/chat/completions");
}

/** The request of an agent: a system prompt, tools, and turns that call them, up to a size in bytes. */
export function toAgentAsk(base: Ask, size: number): Ask {
  const request = JSON.parse(base.body) as Record<string, unknown>;
  const large = size > 100_000;
  const tools = Array.from({ length: large ? 40 : 1 }, (_, index) => toTool(index));
  const messages: unknown[] = [
    { role: "system", content: toCode(large ? 25_000 : 200) },
    { role: "user", content: "Please mend the test." },
  ];
  const write = () => JSON.stringify({ ...request, tools, messages });
  for (let turn = 0; write().length + TURN < size; turn++) {
    const id = `call_${turn}`;
    const args = JSON.stringify({ arg_0: turn, arg_1: `src/part_${turn}.ts` });
    const call = { name: `tool_${turn % tools.length}`, arguments: args };
    messages.push(
      {
        role: "assistant",
        content: "I look at the next file.",
        tool_calls: [{ id, type: "function", function: call }],
      },
      { role: "tool", tool_call_id: id, content: toCode(TURN - 300) },
    );
  }
  return { ...base, body: write() };
}

/** Bytes of a turn, about. */
const TURN = 3700;

function toTool(index: number): unknown {
  const description = "What this argument means for the tool, in a sentence of usual length.";
  const properties = Object.fromEntries(
    Array.from({ length: 6 }, (_, arg) => [
      `arg_${arg}`,
      { type: arg % 2 === 1 ? "string" : "integer", description },
    ]),
  );
  const parameters = { type: "object", properties, required: ["arg_0"] };
  return {
    type: "function",
    function: { name: `tool_${index}`, description: toCode(500), parameters },
  };
}

/** Text with characters that JSON escapes, and some outside of ASCII. */
function toCode(length: number): string {
  let text = "";
  for (let line = 0; text.length < length; line++) {
    text += `  ${line}\tconst value_${line} = await read("src/part_${line % 97}.ts", ` +
      `{ "encoding": 'utf8' }); // naïve – “quoted” ${line * 7919}\n`;
  }
  return text.slice(0, length);
}

/** A request for the embeddings of 256 texts. */
export function toEmbeddingsAsk(base: Ask): Ask {
  const input = Array.from({ length: TEXTS }, (_, index) => toCode(400) + index);
  return {
    ...base,
    path: base.path.replace("/chat/completions", "/embeddings"),
    body: JSON.stringify({ model: EMBEDDINGS, input }),
  };
}

/** A request with an image, by default of 4 MB in base64. */
export function toImageAsk(base: Ask, size = 4_000_000, parts = 1): Ask {
  const request = JSON.parse(base.body) as { messages: unknown[] };
  const length = Math.floor(size / parts / 4) * 4;
  const picture = "iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4".repeat(Math.ceil(length / 32));
  const url = `data:image/png;base64,${picture.slice(0, length)}`;
  const images = Array.from({ length: parts }, () => ({ type: "image_url", image_url: { url } }));
  request.messages[1] = { role: "user", content: [{ type: "text", text: QUESTION }, ...images] };
  return { ...base, body: JSON.stringify(request) };
}

function modelOf({ vendor, pace = "fast" }: AskOptions): string {
  return MODELS[vendor][pace];
}
