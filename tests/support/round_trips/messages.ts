/** The Messages API: https://platform.claude.com/docs/en/api/messages (2026-11-26). */

import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import type { Answer, Conversation, Finish, Format, Part, Turn, Usage } from "./conversation.ts";
import { CallOrder, toSampling } from "./members.ts";
import { dataOf, list, mediaOf, toEvents, toMedia } from "./wire.ts";

const FINISHES: readonly (readonly [Finish, string])[] = [
  ["calls", "tool_use"],
  ["filter", "refusal"],
  ["length", "max_tokens"],
  ["stop", "end_turn"],
];

export const messages: Format = {
  name: "Messages",
  has: new Set([
    ...["cached tokens", "choice of tools", "file", "filter", "image by URL"] as const,
    ...["image in results", "order of parts", "parallel calls", "pieces of arguments"] as const,
    ...["stop", "strict tools", "top_k", "user"] as const,
  ]),
  provider: { kind: "anthropic" },
  models: { plain: "claude-sonnet-4-5", reasoning: "claude-opus-4-6" },

  writeRequest(asked, model, stream) {
    const { effort, schema, user } = asked;
    const output = {
      ...(effort && { effort }),
      ...(schema && { format: { type: "json_schema", schema } }),
    };
    const body = {
      model,
      system: asked.system,
      messages: toMessages(asked.turns),
      tools: asked.tools.length === 0 ? undefined : asked.tools.map((
        { parameters: input_schema, ...tool },
      ) => ({ ...tool, input_schema })),
      tool_choice: toChoice(asked),
      max_tokens: asked.maxTokens,
      temperature: asked.temperature,
      top_p: asked.topP,
      top_k: asked.topK,
      stop_sequences: asked.stop,
      metadata: user && { user_id: user },
      thinking: effort && { type: "adaptive", display: "summarized" },
      output_config: Object.keys(output).length > 0 ? output : undefined,
      ...(stream && { stream }),
    };
    return { path: "/v1/messages", body };
  },

  readRequest(body) {
    const { system, metadata, output_config: output, tool_choice: choice } = body;
    const format = isObject(output) && isObject(output.format) ? output.format : undefined;
    return {
      ...toSampling(body, { max_tokens: "maxTokens", stop_sequences: "stop" }),
      system: textOf(system ?? "") || undefined,
      turns: readTurns(list(body.messages)),
      tools: list(body.tools).map(({ name, description, input_schema: parameters, strict }) => ({
        ...{ name, description, parameters },
        ...(strict !== undefined && { strict }),
      })),
      ...(isObject(choice) && readChoice(choice)),
      schema: format?.schema as JsonObject | undefined,
      user: isObject(metadata) ? String(metadata.user_id) : undefined,
      effort: isObject(output) ? output.effort as Conversation["effort"] : undefined,
    };
  },

  writeAnswer(answer) {
    const { thoughts, text, calls } = answer;
    const content = [
      ...(thoughts.length === 0
        ? []
        : [{ type: "thinking", thinking: thoughts.join(""), signature: "c2ln" }]),
      ...(text.length === 0 ? [] : [{ type: "text", text: text.join("") }]),
      ...calls.map(({ id, name, pieces }) => ({
        ...{ type: "tool_use", id, name, input: JSON.parse(pieces.join("")) },
      })),
    ];
    const stop_reason = FINISHES.find(([name]) => name === answer.finish)?.[1];
    return { ...ENVELOPE, content, stop_reason, usage: toUsage(answer) };
  },

  readAnswer({ content, stop_reason, usage }) {
    const blocks = list(content);
    const of = (type: string) => blocks.filter((block) => block.type === type);
    return {
      logprobs: [],
      thoughts: of("thinking").map(({ thinking }) => thinking),
      text: of("text").map(({ text }) => text),
      calls: of("tool_use").map(({ id, name, input }) => ({
        ...{ id, name, pieces: [JSON.stringify(input)] },
      })),
      finish: toFinish(stop_reason),
      usage: readUsage(usage as JsonObject),
    };
  },

  streamType: "text/event-stream",

  writeStream(answer) {
    const whole = this.writeAnswer(answer);
    const { stop_reason } = whole;
    const usage = toUsage(answer);
    const message = { ...whole, content: [], stop_reason: null, usage };
    return toEvents([
      { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } },
      ...list(whole.content).flatMap((block, index) => toBlockEvents(block, index, answer)),
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: answer.usage.output },
      },
      { type: "message_stop" },
    ]);
  },

  readStream(text) {
    const events = dataOf(text);
    const deltas = (type: string, index?: unknown) =>
      events.filter((event) => index === undefined || event.index === index)
        .map(({ delta }) => isObject(delta) && delta.type === `${type}_delta` ? delta : {});
    const texts = (type: string, name: string, index?: unknown) =>
      deltas(type, index).map((delta) => delta[name]).filter((piece) =>
        typeof piece === "string" && piece !== ""
      ) as string[];
    const calls = events.flatMap(({ content_block: block, index }) =>
      isObject(block) && block.type === "tool_use" ? [{ block, index }] : []
    );
    const end = events.find(({ type }) => type === "message_delta");
    const start = events.find(({ type }) => type === "message_start")?.message as JsonObject;
    return {
      logprobs: [],
      thoughts: texts("thinking", "thinking"),
      text: texts("text", "text"),
      calls: calls.map(({ block: { id, name }, index }) => ({
        ...{ id: String(id), name: String(name) },
        pieces: texts("input_json", "partial_json", index),
      })),
      finish: toFinish((end?.delta as JsonObject).stop_reason),
      usage: readUsage({ ...start.usage as JsonObject, ...end?.usage as JsonObject }),
    };
  },
};

const ENVELOPE = {
  ...{ id: "msg_vendor", type: "message", role: "assistant", model: "vendor-model" },
  stop_sequence: null,
};

function toFinish(reason: unknown): Finish {
  const [finish] = FINISHES.find(([, name]) => name === reason) ?? [];
  if (finish === undefined) throw new TypeError(`stop_reason: ${reason}`);
  return finish;
}

/** Input tokens are those outside of the cache. */
function toUsage({ usage: { input, output, cached } }: Answer): JsonObject {
  return {
    ...{ input_tokens: input - cached, output_tokens: output },
    ...{ cache_read_input_tokens: cached, cache_creation_input_tokens: 0 },
  };
}

function readUsage(usage: JsonObject): Usage {
  const cached = Number(usage.cache_read_input_tokens ?? 0);
  const input = Number(usage.input_tokens) + cached;
  return { input, output: Number(usage.output_tokens), cached, reasoning: 0 };
}

function toBlockEvents(block: JsonObject, index: number, answer: Answer): JsonObject[] {
  const { pieces = [] } = answer.calls.find(({ id }) => id === block.id) ?? {};
  const [started, deltas] = block.type === "thinking"
    ? [
      { type: "thinking", thinking: "", signature: "" },
      [
        ...answer.thoughts.map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ],
    ]
    : block.type === "text"
    ? [{ type: "text", text: "" }, answer.text.map((text) => ({ type: "text_delta", text }))]
    : [
      { ...block, input: {} },
      pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
    ];
  return [
    { type: "content_block_start", index, content_block: started },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

const CHOICES = { auto: "auto", none: "none", required: "any" } as const;

/** Parallel calls belong to the choice. */
function toChoice({ choice, parallel, tools }: Conversation): JsonObject | undefined {
  if (choice === undefined && parallel === undefined) return undefined;
  if (tools.length === 0) return undefined;
  const type = typeof choice === "object" ? "tool" : CHOICES[choice ?? "auto"];
  return {
    ...(typeof choice === "object" ? choice : {}),
    type,
    ...(parallel === false && choice !== "none" && { disable_parallel_tool_use: true }),
  };
}

function readChoice(choice: JsonObject): Partial<Conversation> {
  const { type, name, disable_parallel_tool_use: single } = choice;
  const [own] = Object.entries(CHOICES).find(([, word]) => word === type) ?? [];
  return {
    choice: type === "tool" ? { name: String(name) } : own as Conversation["choice"],
    ...(single === true && { parallel: false }),
  };
}

function toMessages(turns: readonly Turn[]): JsonObject[] {
  const order = new CallOrder();
  return turns.map((turn): JsonObject => {
    if (turn.role === "user") return { role: "user", content: toContent(turn.parts) };
    if (turn.role === "tool") {
      const content = turn.results.map(({ of, parts }) => ({
        ...{ type: "tool_result", tool_use_id: order.idOf(of), content: toContent(parts) },
      }));
      return { role: "user", content };
    }
    const { text, calls } = turn;
    const content = [
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...calls.map((call) => ({ type: "tool_use", ...order.add(call) })),
    ];
    return { role: "assistant", content };
  });
}

function toContent(parts: readonly Part[]): unknown {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && "text" in first) return first.text;
  return parts.map((part) => {
    if ("text" in part) return { type: "text", text: part.text };
    if ("imageUrl" in part) return { type: "image", source: { type: "url", url: part.imageUrl } };
    const { type: media_type, data } = mediaOf(part) ?? {};
    const source = { type: "base64", media_type, data };
    return "file" in part
      ? { type: "document", source, title: part.name }
      : { type: "image", source };
  });
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : list(content).map(({ text }) => text).join("");
}

function readTurns(all: readonly JsonObject[]): Turn[] {
  const order = new CallOrder();
  return all.map(({ role, content }): Turn => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : list(content);
    if (role === "assistant") {
      const calls = blocks.filter(({ type }) => type === "tool_use")
        .map(({ id, name, input }) => order.add({ id, name, input }));
      return { role, text: textOf(blocks.filter(({ type }) => type === "text")), calls };
    }
    if (blocks.some(({ type }) => type === "tool_result")) {
      const results = blocks.map((block) => ({
        ...{ of: order.positionOf(block.tool_use_id), parts: readParts(block.content) },
      }));
      return { role: "tool", results };
    }
    return { role: "user", parts: readParts(blocks) };
  });
}

function readParts(content: unknown): Part[] {
  if (typeof content === "string") return [{ text: content }];
  return list(content).map(({ type, text, source, title }): Part => {
    if (type === "text") return { text };
    if (source.type === "url") return { imageUrl: source.url };
    return toMedia(source.media_type, source.data, title);
  });
}
