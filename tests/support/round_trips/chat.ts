/** Chat completions: https://platform.openai.com/docs/api-reference/chat (2026-11-26). */

import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import type {
  Answer,
  Conversation,
  Finish,
  Format,
  Part,
  Token,
  Turn,
  Usage,
} from "./conversation.ts";
import { CallOrder, toSampling } from "./members.ts";
import { dataOf, list, mediaOf, readTokens, toEvents, toImage, toTokens } from "./wire.ts";

const FINISHES: readonly (readonly [Finish, string])[] = [
  ["calls", "tool_calls"],
  ["filter", "content_filter"],
  ["length", "length"],
  ["stop", "stop"],
];

export const chat: Format = {
  name: "chat",
  has: new Set([
    ...["audio", "cached tokens", "choice of tools", "file", "filter"] as const,
    ...["image by URL", "logprobs", "order of parts", "parallel calls", "penalties"] as const,
    ...["pieces of arguments", "reasoning tokens", "seed", "stop", "strict tools", "user"] as const,
  ]),
  provider: { kind: "openai", api: "chat" },
  models: { plain: "gpt-4.1", reasoning: "gpt-5" },

  writeRequest(asked, model, stream) {
    const { system, turns, tools, choice, schema, stop } = asked;
    const body = {
      model,
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...toMessages(turns),
      ],
      tools: tools.length === 0 ? undefined : tools.map(({ strict, ...tool }) => ({
        type: "function",
        function: strict === undefined ? tool : { ...tool, strict },
      })),
      tool_choice: typeof choice === "object" ? { type: "function", function: choice } : choice,
      parallel_tool_calls: asked.parallel,
      max_completion_tokens: asked.maxTokens,
      temperature: asked.temperature,
      top_p: asked.topP,
      seed: asked.seed,
      stop,
      presence_penalty: asked.presencePenalty,
      frequency_penalty: asked.frequencyPenalty,
      response_format: schema &&
        { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
      user: asked.user,
      logprobs: asked.logprobs && true,
      top_logprobs: asked.logprobs,
      reasoning_effort: asked.effort,
      ...(stream && { stream, stream_options: { include_usage: true } }),
    };
    return { path: "/v1/chat/completions", body };
  },

  readRequest(body) {
    const messages = list(body.messages);
    const format = body.response_format;
    const { tool_choice: choice } = body;
    return {
      ...toSampling(body, {
        max_completion_tokens: "maxTokens",
        max_tokens: "maxTokens",
        parallel_tool_calls: "parallel",
        reasoning_effort: "effort",
        user: "user",
        safety_identifier: "user",
      }),
      system: messages.filter(({ role }) => role === "system" || role === "developer")
        .map(({ content }) => textOf(content)).join("\n\n") || undefined,
      turns: readTurns(messages),
      tools: list(body.tools).map(({ function: { name, description, parameters, strict } }) => ({
        ...{ name, description, parameters },
        ...(strict === true && { strict }),
      })),
      choice: isObject(choice)
        ? choice.function as { name: string }
        : choice as Conversation["choice"],
      schema: isObject(format)
        ? (format.json_schema as JsonObject).schema as JsonObject
        : undefined,
    };
  },

  writeAnswer(answer) {
    const { thoughts, text, calls } = answer;
    const message = {
      role: "assistant",
      content: text.length === 0 ? null : text.join(""),
      refusal: null,
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join("") }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, pieces }) => ({
          ...{ id, type: "function", function: { name, arguments: pieces.join("") } },
        })),
      }),
    };
    const logprobs = toLogprobs(answer.logprobs);
    const choice = { index: 0, message, logprobs, finish_reason: finishOf(answer) };
    return { ...ENVELOPE, object: "chat.completion", choices: [choice], usage: toUsage(answer) };
  },

  readAnswer({ choices, usage }) {
    const [{ message, finish_reason, logprobs } = {} as JsonObject] = list(choices);
    const { content, reasoning_content: thoughts, tool_calls: calls } = message as JsonObject;
    return {
      thoughts: isText(thoughts) ? [thoughts] : [],
      text: isText(content) ? [content] : [],
      calls: list(calls).map(({ id, function: { name, arguments: input } }) => ({
        ...{ id, name, pieces: [input] },
      })),
      finish: toFinish(finish_reason),
      logprobs: readTokens(logprobs?.content),
      usage: readUsage(usage),
    };
  },

  streamType: "text/event-stream",

  writeStream(answer) {
    const { thoughts, text, calls } = answer;
    const deltas: JsonObject[] = [
      { role: "assistant", content: "" },
      ...thoughts.map((reasoning_content) => ({ reasoning_content })),
      ...text.map((content) => ({ content })),
      ...calls.flatMap(({ id, name, pieces }, index) => [
        {
          tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
        },
        ...pieces.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    ];
    const chunk = { ...ENVELOPE, object: "chat.completion.chunk" };
    const choices = [
      ...deltas.map((delta) => ({
        ...{ index: 0, delta, finish_reason: null },
        logprobs: toLogprobs(answer.logprobs.filter(({ token }) => token === delta.content)),
      })),
      { index: 0, delta: {}, finish_reason: finishOf(answer) },
    ];
    return toEvents([
      ...choices.map((choice) => ({ ...chunk, choices: [choice] })),
      { ...chunk, choices: [], usage: toUsage(answer) },
    ]) + "data: [DONE]\n\n";
  },

  readStream(events) {
    const chunks = dataOf(events);
    const choices = chunks.flatMap(({ choices }) => list(choices));
    const deltas = choices.map(({ delta }) => delta as JsonObject);
    const calls: { id: string; name: string; pieces: string[] }[] = [];
    for (
      const { index, id, function: { name, arguments: piece } } of deltas.flatMap((
        { tool_calls },
      ) => list(tool_calls))
    ) {
      const call = calls[index] ??= { id, name, pieces: [] };
      if (isText(piece)) call.pieces.push(piece);
    }
    return {
      logprobs: choices.flatMap(({ logprobs }) => readTokens(logprobs?.content)),
      thoughts: deltas.map(({ reasoning_content: piece }) => piece).filter(isText),
      text: deltas.map(({ content }) => content).filter(isText),
      calls,
      finish: toFinish(choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason),
      usage: readUsage(chunks.find(({ usage }) => usage)?.usage),
    };
  },
};

const ENVELOPE = { id: "chatcmpl-vendor", created: 1_700_000_001, model: "vendor-model" };

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function toLogprobs(tokens: readonly Token[]): JsonObject | null {
  return tokens.length > 0 ? { content: toTokens(tokens), refusal: null } : null;
}

function finishOf({ finish }: Answer): string {
  return FINISHES.find(([name]) => name === finish)?.[1] ?? "";
}

function toFinish(reason: unknown): Finish {
  const [finish] = FINISHES.find(([, name]) => name === reason) ?? [];
  if (finish === undefined) throw new TypeError(`finish_reason: ${reason}`);
  return finish;
}

function toUsage({ usage: { input, output, cached, reasoning } }: Answer): JsonObject {
  return {
    ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function readUsage(usage: unknown): Usage {
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } =
    usage as Record<string, JsonObject | undefined>;
  return {
    ...{ input: Number(prompt_tokens), output: Number(completion_tokens) },
    cached: Number(prompt_tokens_details?.cached_tokens ?? 0),
    reasoning: Number(completion_tokens_details?.reasoning_tokens ?? 0),
  };
}

function toMessages(turns: readonly Turn[]): JsonObject[] {
  const order = new CallOrder();
  return turns.flatMap((turn): JsonObject[] => {
    if (turn.role === "user") return [{ role: "user", content: toContent(turn.parts) }];
    if (turn.role === "tool") {
      return turn.results.map(({ of, parts }) => ({
        ...{ role: "tool", tool_call_id: order.idOf(of), content: toContent(parts) },
      }));
    }
    const tool_calls = turn.calls.map((call) => {
      order.add(call);
      const { id, name, input } = call;
      return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
    });
    return [{
      ...{ role: "assistant", content: turn.text === "" ? null : turn.text },
      ...(tool_calls.length > 0 && { tool_calls }),
    }];
  });
}

function toContent(parts: readonly Part[]): unknown {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && "text" in first) return first.text;
  return parts.map((part) => {
    if ("text" in part) return { type: "text", text: part.text };
    if ("imageUrl" in part) return { type: "image_url", image_url: { url: part.imageUrl } };
    const { type, data } = mediaOf(part) ?? {};
    if ("audio" in part) return { type: "input_audio", input_audio: { data, format: "wav" } };
    const url = `data:${type};base64,${data}`;
    if ("image" in part) return { type: "image_url", image_url: { url } };
    return { type: "file", file: { filename: part.name, file_data: url } };
  });
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : list(content).map(({ text }) => text).join("");
}

function readTurns(messages: readonly JsonObject[]): Turn[] {
  const order = new CallOrder();
  const turns: Turn[] = [];
  for (const { role, content, tool_calls, tool_call_id } of messages) {
    if (role === "user") turns.push({ role, parts: readParts(content) });
    if (role === "assistant") {
      const calls = list(tool_calls).map(({ id, function: { name, arguments: input } }) =>
        order.add({ id, name, input: JSON.parse(input) })
      );
      turns.push({ role, text: textOf(content ?? ""), calls });
    }
    if (role === "tool") {
      const result = { of: order.positionOf(tool_call_id), parts: readParts(content) };
      const last = turns.at(-1);
      if (last?.role === "tool") {
        turns[turns.length - 1] = { role, results: [...last.results, result] };
      } else turns.push({ role, results: [result] });
    }
  }
  return turns;
}

function readParts(content: unknown): Part[] {
  if (typeof content === "string") return [{ text: content }];
  return list(content).map(({ type, text, image_url, input_audio, file }): Part => {
    if (type === "text") return { text };
    if (type === "image_url") return toImage(image_url.url);
    if (type === "input_audio") return { audio: input_audio.data };
    const data = String(file.file_data);
    return { file: data.slice(data.indexOf(",") + 1), name: file.filename };
  });
}
