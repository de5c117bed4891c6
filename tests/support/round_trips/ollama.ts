/** Ollama's API: https://docs.ollama.com/api/chat (2026-11-26). */

import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import type { Answer, AnswerCall, Conversation, Format, Part, Turn } from "./conversation.ts";
import { CallOrder, toSampling } from "./members.ts";
import { list, readTokens, toTokens } from "./wire.ts";

export const ollama: Format = {
  name: "Ollama",
  has: new Set(["logprobs", "penalties", "seed", "stop", "top_k"]),
  provider: { kind: "ollama", base_url: "http://ollama.test" },
  models: { plain: "qwen3:8b", reasoning: "gpt-oss:20b" },

  writeRequest(asked, model, stream) {
    const { system, turns, tools, schema, effort } = asked;
    const options = {
      num_predict: asked.maxTokens,
      temperature: asked.temperature,
      top_p: asked.topP,
      top_k: asked.topK,
      seed: asked.seed,
      stop: asked.stop,
      presence_penalty: asked.presencePenalty,
      frequency_penalty: asked.frequencyPenalty,
    };
    const body = {
      model,
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...toMessages(turns),
      ],
      tools: tools.length === 0 ? undefined : tools.map((
        { name, description, parameters },
      ) => ({ type: "function", function: { name, description, parameters } })),
      format: schema,
      think: effort,
      logprobs: asked.logprobs && true,
      top_logprobs: asked.logprobs,
      options,
      stream,
    };
    return { path: "/api/chat", body };
  },

  readRequest(body) {
    const messages = list(body.messages);
    const { think, format, top_logprobs: logprobs } = body;
    return {
      ...toSampling(isObject(body.options) ? body.options : {}, { num_predict: "maxTokens" }),
      system: messages.filter(({ role }) => role === "system").map(({ content }) => content)
        .join("\n\n") || undefined,
      turns: readTurns(messages),
      tools: list(body.tools).map(({ function: { name, description, parameters } }) => ({
        ...{ name, description, parameters },
      })),
      logprobs: logprobs as number | undefined,
      schema: format as JsonObject | undefined,
      effort: typeof think === "string" ? think as Conversation["effort"] : undefined,
    };
  },

  writeAnswer(answer) {
    const { thoughts, text, calls } = answer;
    const message = {
      ...{ role: "assistant", content: text.join("") },
      ...(thoughts.length > 0 && { thinking: thoughts.join("") }),
      ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
    };
    const logprobs = toTokens(answer.logprobs);
    return { ...ENVELOPE, message, ...(logprobs.length > 0 && { logprobs }), ...endOf(answer) };
  },

  readAnswer: (body) => readLines([body]),

  streamType: "application/x-ndjson",

  writeStream(answer) {
    const messages: JsonObject[] = [
      ...answer.thoughts.map((thinking) => ({ content: "", thinking })),
      ...answer.text.map((content) => ({ content })),
      ...answer.calls.map((call) => ({ content: "", tool_calls: [toCall(call)] })),
    ];
    const lines = messages.map((message) => ({
      ...{ ...ENVELOPE, message: { role: "assistant", ...message }, done: false },
      logprobs: toTokens(answer.logprobs.filter(({ token }) => token === message.content)),
    }));
    const last = { ...ENVELOPE, message: { role: "assistant", content: "" }, ...endOf(answer) };
    return [...lines, last].map((line) => `${JSON.stringify(line)}\n`).join("");
  },

  readStream: (text) =>
    readLines(text.split("\n").filter((line) => line.trim() !== "").map((one) => JSON.parse(one))),
};

const ENVELOPE = { model: "vendor-model", created_at: "2023-11-14T22:13:21.5Z" };

function toCall({ id, name, pieces }: AnswerCall, index = 0): JsonObject {
  return { id, function: { index, name, arguments: JSON.parse(pieces.join("")) } };
}

function endOf({ finish, usage: { input, output } }: Answer): JsonObject {
  return {
    ...{ done: true, done_reason: finish === "length" ? "length" : "stop" },
    ...{ total_duration: 5, prompt_eval_count: input, eval_count: output },
  };
}

function readLines(lines: readonly JsonObject[]): Answer {
  const messages = lines.map(({ message }) => message as JsonObject);
  const texts = (name: string) =>
    messages.map((message) => message[name]).filter((piece) =>
      typeof piece === "string" && piece !== ""
    ) as string[];
  const calls = messages.flatMap(({ tool_calls }) => list(tool_calls));
  const { done, done_reason, prompt_eval_count, eval_count } = lines.at(-1) ?? {};
  if (done !== true) throw new TypeError(JSON.stringify(lines.at(-1)));
  return {
    logprobs: lines.flatMap(({ logprobs }) => readTokens(logprobs)),
    thoughts: texts("thinking"),
    text: texts("content"),
    calls: calls.map(({ id, function: { name, arguments: input } }) => ({
      ...{ id, name, pieces: [JSON.stringify(input)] },
    })),
    finish: calls.length > 0 ? "calls" : done_reason as "length" | "stop",
    usage: {
      ...{ input: Number(prompt_eval_count), output: Number(eval_count) },
      ...{ cached: 0, reasoning: 0 },
    },
  };
}

function toMessages(turns: readonly Turn[]): JsonObject[] {
  const order = new CallOrder();
  return turns.flatMap((turn): JsonObject[] => {
    if (turn.role === "user") return [{ role: "user", ...toContent(turn.parts) }];
    if (turn.role === "tool") {
      return turn.results.map(({ of, parts }) => ({
        ...{ role: "tool", ...toContent(parts) },
        ...{ tool_name: order.nameOf(of), tool_call_id: order.idOf(of) },
      }));
    }
    const tool_calls = turn.calls.map((call) => {
      const { id, name, input } = order.add(call);
      return { id, function: { name, arguments: input } };
    });
    return [{
      ...{ role: "assistant", content: turn.text },
      ...(tool_calls.length > 0 && { tool_calls }),
    }];
  });
}

/** A text, and images beside it. */
function toContent(parts: readonly Part[]): JsonObject {
  const images = parts.flatMap((part) => "image" in part ? [part.image] : []);
  const content = parts.map((part) => "text" in part ? part.text : "").join("");
  return { content, ...(images.length > 0 && { images }) };
}

function readTurns(messages: readonly JsonObject[]): Turn[] {
  const order = new CallOrder();
  const turns: Turn[] = [];
  for (const { role, content, images, tool_calls, tool_name, tool_call_id } of messages) {
    const parts: Part[] = [
      { text: String(content) },
      ...(Array.isArray(images) ? images : []).map((image: string) => ({ image })),
    ];
    if (role === "user") turns.push({ role, parts });
    if (role === "assistant") {
      const calls = list(tool_calls).map(({ id, function: { name, arguments: input } }) =>
        order.add({ id, name, input })
      );
      turns.push({ role, text: String(content), calls });
    }
    if (role === "tool") {
      const result = { of: order.positionOf(tool_call_id, String(tool_name)), parts };
      const last = turns.at(-1);
      if (last?.role === "tool") {
        turns[turns.length - 1] = { role, results: [...last.results, result] };
      } else turns.push({ role, results: [result] });
    }
  }
  return turns;
}
