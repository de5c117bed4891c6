/** Vendors that reject the names, keys, roles and results that the real ones reject. */

import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import { encodeMessages } from "./event_stream.ts";
import { chat } from "./round_trips/chat.ts";
import type { Answer, Format } from "./round_trips/conversation.ts";
import { gemini } from "./round_trips/gemini.ts";
import { messages } from "./round_trips/messages.ts";
import { responses } from "./round_trips/responses.ts";
import { list, toEvents } from "./round_trips/wire.ts";

/** How a vendor writes answers. */
interface Wire {
  writeAnswer(answer: Answer): JsonObject;
  readonly streamType: string;
  writeStream(answer: Answer): string | Uint8Array<ArrayBuffer>;
  /** The names of tools in a request: of definitions, the choice and calls. */
  toolNames(body: JsonObject): readonly string[];
  /** The schemas of the tools; undefined for a tool that the vendor runs. */
  schemas(body: JsonObject): readonly (JsonObject | undefined)[];
  /** The arguments of earlier calls. */
  inputs(body: JsonObject): readonly JsonObject[];
}

function wireOf({ readRequest, writeAnswer, writeStream, streamType }: Format): Wire {
  return {
    writeAnswer,
    writeStream,
    streamType,
    toolNames(body) {
      const { tools, turns, choice } = readRequest(body);
      const calls = turns.flatMap((turn) => turn.role === "assistant" ? turn.calls : []);
      const named = [...tools, ...calls, ...(isObject(choice) ? [choice] : [])];
      return named.map(({ name }) => String(name));
    },
    schemas: (body) => readRequest(body).tools.map(({ parameters }) => parameters),
    inputs: (body) =>
      readRequest(body).turns.flatMap((turn) => turn.role === "assistant" ? turn.calls : [])
        .map(({ input }) => input),
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (2026-11-28). */
const converse: Wire = {
  writeAnswer: ({ text, calls }) => ({
    output: {
      message: {
        role: "assistant",
        content: [
          ...text.map((text) => ({ text })),
          ...calls.map(({ id, name, pieces }) => ({
            toolUse: { toolUseId: id, name, input: JSON.parse(pieces.join("")) },
          })),
        ],
      },
    },
    stopReason: calls.length > 0 ? "tool_use" : "end_turn",
    usage: { inputTokens: 30, outputTokens: 20, totalTokens: 50 },
  }),
  streamType: "application/vnd.amazon.eventstream",
  writeStream: ({ text, calls }) => {
    const blocks = [
      ...text.map((text) => ({ start: undefined, deltas: [{ text }] })),
      ...calls.map(({ id, name, pieces }) => ({
        start: { toolUse: { toolUseId: id, name } },
        deltas: pieces.map((input) => ({ toolUse: { input } })),
      })),
    ];
    return encodeMessages([
      { event: "messageStart", data: { role: "assistant" } },
      ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
        ...(start ? [{ event: "contentBlockStart", data: { contentBlockIndex, start } }] : []),
        ...(deltas as JsonObject[]).map((delta) => ({
          event: "contentBlockDelta",
          data: { contentBlockIndex, delta },
        })),
        { event: "contentBlockStop", data: { contentBlockIndex } },
      ]),
      {
        event: "messageStop",
        data: { stopReason: calls.length > 0 ? "tool_use" : "end_turn" },
      },
      {
        event: "metadata",
        data: { usage: { inputTokens: 30, outputTokens: 20, totalTokens: 50 } },
      },
    ]);
  },
  toolNames: ({ toolConfig, messages }) => {
    const { tools, toolChoice } = isObject(toolConfig) ? toolConfig : {};
    return [
      ...list(tools).flatMap(({ toolSpec }) => toolSpec?.name ?? []),
      ...list(messages).flatMap(({ content }) => list(content))
        .flatMap(({ toolUse }) => toolUse?.name ?? []),
      ...(isObject(toolChoice) && isObject(toolChoice.tool) ? [String(toolChoice.tool.name)] : []),
    ];
  },
  schemas: ({ toolConfig }) =>
    list(isObject(toolConfig) && toolConfig.tools)
      .flatMap(({ toolSpec }) => toolSpec?.inputSchema.json ?? []),
  inputs: ({ messages }) =>
    list(messages).flatMap(({ content }) => list(content))
      .flatMap(({ toolUse }) => toolUse?.input ?? []),
};

/** https://docs.cohere.com/reference/chat (2026-11-28). */
const cohere: Wire = {
  writeAnswer: ({ text, calls }) => ({
    id: "c",
    finish_reason: calls.length > 0 ? "TOOL_CALL" : "COMPLETE",
    message: {
      role: "assistant",
      content: text.map((text) => ({ type: "text", text })),
      tool_calls: calls.map(({ id, name, pieces }) => ({
        id,
        type: "function",
        function: { name, arguments: pieces.join("") },
      })),
    },
    usage: { tokens: { input_tokens: 30, output_tokens: 20 } },
  }),
  streamType: "text/event-stream",
  writeStream: ({ text, calls }) => {
    const usage = { tokens: { input_tokens: 30, output_tokens: 20 } };
    const delta = (message: JsonObject) => ({ delta: { message } });
    return toEvents([
      { type: "message-start", id: "c", ...delta({ role: "assistant" }) },
      { type: "content-start", index: 0, ...delta({ content: { type: "text", text: "" } }) },
      ...text.map((text) => ({
        type: "content-delta",
        index: 0,
        ...delta({ content: { text } }),
      })),
      { type: "content-end", index: 0 },
      ...calls.flatMap(({ id, name, pieces }, index) => [
        {
          type: "tool-call-start",
          index,
          ...delta({
            tool_calls: { id, type: "function", function: { name, arguments: "" } },
          }),
        },
        ...pieces.map((text) => ({
          type: "tool-call-delta",
          index,
          ...delta({ tool_calls: { function: { arguments: text } } }),
        })),
        { type: "tool-call-end", index },
      ]),
      {
        type: "message-end",
        delta: { finish_reason: calls.length > 0 ? "TOOL_CALL" : "COMPLETE", usage },
      },
    ]);
  },
  toolNames: ({ tools, messages }) => [
    ...list(tools).map((tool) => tool.function.name),
    ...list(messages).flatMap(({ tool_calls: calls }) => list(calls))
      .map((call) => call.function.name),
  ],
  schemas: ({ tools }) => list(tools).map((tool) => tool.function.parameters),
  inputs: ({ messages }) =>
    list(messages).flatMap(({ tool_calls: calls }) => list(calls))
      .map((call) => JSON.parse(call.function.arguments)),
};

/** A vendor and its restrictions. */
export interface StrictVendor {
  readonly name: string;
  /** The members of its provider. */
  readonly provider: JsonObject;
  readonly model: string;
  readonly wire: Wire;
  /** The tool names that it accepts. */
  readonly toolNames: RegExp;
  /** The names that properties at the root of a tool's schema may have. */
  readonly propertyNames?: RegExp;
}

const CLAUDE_PROPERTIES = /^[a-zA-Z0-9_.-]{1,64}$/;
const CHAT_NAMES = /^[a-zA-Z0-9_-]{1,64}$/;

function chatVendor(kind: string, model: string, more: JsonObject = {}): StrictVendor {
  const provider = { kind, base_url: "https://vendor.test/v1", ...more };
  const wire = wireOf(chat);
  const claude = model.includes("claude") && { propertyNames: CLAUDE_PROPERTIES };
  return { name: `${kind} ${model}`, provider, model, wire, toolNames: CHAT_NAMES, ...claude };
}

/** Vendors with limits, one for each API and for some of the copies of OpenAI's. */
export const STRICT_VENDORS: readonly StrictVendor[] = [
  chatVendor("openai", "gpt-4.1", { api: "chat" }),
  chatVendor("azure", "gpt-4.1", { api: "chat" }),
  ...["openai_compatible", "deepseek", "groq", "mistral", "xai", "zai", "moonshot", "vllm"]
    .map((kind) => chatVendor(kind, "some-model")),
  chatVendor("openrouter", "anthropic/claude-sonnet-4.5"),
  chatVendor("openai_compatible", "claude-sonnet-4-5"),
  {
    name: "openai responses",
    provider: { kind: "openai", api: "responses" },
    model: "gpt-5.4",
    wire: wireOf(responses),
    toolNames: /^[a-zA-Z0-9_-]{1,128}$/,
  },
  ...(["anthropic", "vertex"] as const).map((kind): StrictVendor => ({
    name: `${kind} Claude`,
    provider: { kind, ...(kind === "vertex" && { project: "p" }) },
    model: "claude-sonnet-4-5",
    wire: wireOf(messages),
    toolNames: /^[a-zA-Z0-9_-]{1,128}$/,
    propertyNames: CLAUDE_PROPERTIES,
  })),
  ...(["gemini", "vertex"] as const).map((kind): StrictVendor => ({
    name: `${kind} Gemini`,
    provider: { kind, ...(kind === "vertex" && { project: "p" }) },
    model: "gemini-3.5-flash",
    wire: wireOf(gemini),
    toolNames: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  })),
  ...["anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon.nova-pro-v1:0"].map((
    model,
  ): StrictVendor => ({
    name: `bedrock ${model}`,
    provider: { kind: "bedrock", region: "us-east-1" },
    model,
    wire: converse,
    toolNames: CHAT_NAMES,
    ...(model.includes("claude") && { propertyNames: CLAUDE_PROPERTIES }),
  })),
  {
    name: "cohere",
    provider: { kind: "cohere" },
    model: "command-a-03-2025",
    wire: cohere,
    toolNames: /^[a-zA-Z_][a-zA-Z0-9_]*$/,
  },
];

/** Servers that render chat templates of models, as described in the vendor rows. */
export const TEMPLATE_KINDS: readonly string[] = [
  ...["vllm", "llamacpp", "lmstudio", "huggingface", "nvidia", "together", "fireworks"],
  ...["deepinfra", "novita", "sambanova"],
];

/**
 * Why a chat template rejects messages: those of Qwen 3.5 and of Devstral 2 on Hugging Face
 * (2026-11-28). Undefined if it accepts them.
 */
export function templateRefusalOf(messages: readonly JsonObject[], model: string) {
  const isAlternating = /stral|gemma/i.test(model);
  let turns = 0;
  let open = 0;
  for (const [at, message] of messages.entries()) {
    const { role, tool_calls: calls } = message;
    const before = messages[at - 1]?.role;
    if (role === "developer") return "Unexpected message role.";
    if (role === "system" && at > 0) return "System message must be at the beginning.";
    if (role === "tool" ? open-- <= 0 : open > 0) return "Results must follow their calls";
    if (role === "assistant") open = list(calls).length;
    if (!isAlternating) continue;
    if (/stral/i.test(model) && role === "user" && before === "tool") {
      return "Unexpected role 'user' after role 'tool'";
    }
    const counts = role === "user" || role === "assistant" && list(calls).length === 0;
    if (counts && (role === "user") !== (turns++ % 2 === 0)) {
      return "After the optional system message, conversation roles must alternate";
    }
  }
  return undefined;
}

/** Why the vendor rejects a request; undefined if it accepts it. */
export function refusalOf(vendor: StrictVendor, body: JsonObject): string | undefined {
  const { wire, toolNames, propertyNames } = vendor;
  for (const name of wire.toolNames(body)) {
    if (!toolNames.test(name)) return `tool name '${name}'`;
  }
  for (const schema of propertyNames ? wire.schemas(body) : []) {
    for (const name of Object.keys(schema?.properties ?? {})) {
      if (!propertyNames?.test(name)) return `property '${name}'`;
    }
  }
  return undefined;
}
