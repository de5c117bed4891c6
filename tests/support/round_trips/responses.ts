/** The Responses API: https://platform.openai.com/docs/api-reference/responses (2026-11-26). */

import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import type { Answer, Conversation, Finish, Format, Part, Turn } from "./conversation.ts";
import { CallOrder, toSampling } from "./members.ts";
import { dataOf, list, mediaOf, readTokens, toEvents, toImage, toTokens } from "./wire.ts";

export const responses: Format = {
  name: "Responses",
  has: new Set([
    ...["cached tokens", "choice of tools", "file", "filter", "image by URL"] as const,
    ...[
      "image in results",
      "logprobs",
      "order of parts",
      "parallel calls",
      "pieces of arguments",
    ] as const,
    ...["reasoning tokens", "strict tools", "user"] as const,
  ]),
  provider: { kind: "openai", api: "responses" },
  models: { plain: "gpt-4.1", reasoning: "gpt-5" },

  writeRequest(asked, model, stream) {
    const { choice, schema, effort } = asked;
    const body = {
      model,
      instructions: asked.system,
      input: toItems(asked.turns),
      tools: asked.tools.length === 0
        ? undefined
        : asked.tools.map((tool) => ({ type: "function", strict: false, ...defined(tool) })),
      tool_choice: typeof choice === "object" ? { type: "function", ...choice } : choice,
      parallel_tool_calls: asked.parallel,
      max_output_tokens: asked.maxTokens,
      temperature: asked.temperature,
      top_p: asked.topP,
      text: schema && { format: { type: "json_schema", name: "answer", schema, strict: true } },
      user: asked.user,
      top_logprobs: asked.logprobs,
      include: asked.logprobs && ["message.output_text.logprobs"],
      reasoning: effort && { effort, summary: "auto" },
      store: false,
      ...(stream && { stream }),
    };
    return { path: "/v1/responses", body };
  },

  readRequest(body) {
    const { text, reasoning, tool_choice: choice } = body;
    const items = list(body.input);
    const isSystem = ({ role }: JsonObject) => role === "system" || role === "developer";
    const system = [
      ...(typeof body.instructions === "string" ? [body.instructions] : []),
      ...items.filter(isSystem).map(({ content }) => textOf(content)),
    ];
    return {
      ...toSampling(body, {
        max_output_tokens: "maxTokens",
        parallel_tool_calls: "parallel",
        user: "user",
        safety_identifier: "user",
      }),
      system: system.join("\n\n") || undefined,
      turns: typeof body.input === "string"
        ? [{ role: "user", parts: [{ text: body.input }] }]
        : readTurns(items.filter((item) => !isSystem(item))),
      tools: list(body.tools).map(({ name, description, parameters, strict }) => ({
        ...{ name, description, parameters },
        ...(strict === true && { strict }),
      })),
      choice: isObject(choice) ? { name: String(choice.name) } : choice as Conversation["choice"],
      schema: isObject(text) && isObject(text.format)
        ? text.format.schema as JsonObject
        : undefined,
      effort: isObject(reasoning) ? reasoning.effort as Conversation["effort"] : undefined,
    };
  },

  writeAnswer: (answer) => toResponse(answer),

  readAnswer(response) {
    const output = list(response.output);
    const { usage, incomplete_details: incomplete } = response;
    const calls = output.filter(({ type }) => type === "function_call");
    const { input_tokens_details: input, output_tokens_details: written } = usage as JsonObject;
    return {
      thoughts: output.filter(({ type }) => type === "reasoning")
        .flatMap(({ summary }) => list(summary)).map(({ text }) => text),
      text: output.filter(({ type }) => type === "message")
        .flatMap(({ content }) => list(content)).map(({ text }) => text),
      logprobs: output.filter(({ type }) => type === "message")
        .flatMap(({ content }) => list(content)).flatMap(({ logprobs }) => readTokens(logprobs)),
      calls: calls.map(({ call_id: id, name, arguments: text }) => ({ id, name, pieces: [text] })),
      finish: toFinish(incomplete, calls.length > 0),
      usage: {
        input: Number((usage as JsonObject).input_tokens),
        output: Number((usage as JsonObject).output_tokens),
        cached: Number((input as JsonObject).cached_tokens),
        reasoning: Number((written as JsonObject).reasoning_tokens),
      },
    };
  },

  streamType: "text/event-stream",

  writeStream(answer) {
    const whole = toResponse(answer);
    const started = { ...whole, status: "in_progress", output: [], usage: null };
    const events = [
      { type: "response.created", response: started },
      { type: "response.in_progress", response: started },
      ...list(whole.output).flatMap((item, at) => toItemEvents(item, at, answer)),
      {
        type: whole.status === "incomplete" ? "response.incomplete" : "response.completed",
        response: whole,
      },
    ];
    return toEvents(events.map((event, sequence_number) => ({ ...event, sequence_number })));
  },

  readStream(text) {
    const events = dataOf(text);
    const last = events.at(-1)?.response;
    if (!isObject(last)) throw new TypeError(text);
    const answer = this.readAnswer(last);
    const deltas = (type: string, item?: unknown) =>
      events.filter((event) =>
        event.type === `response.${type}.delta` && (item === undefined || event.item_id === item)
      ).map(({ delta }) => String(delta));
    const calls = list(last.output).filter(({ type }) => type === "function_call");
    return {
      ...answer,
      thoughts: deltas("reasoning_summary_text"),
      text: deltas("output_text"),
      logprobs: events.filter(({ type }) => type === "response.output_text.delta")
        .flatMap(({ logprobs }) => readTokens(logprobs)),
      calls: calls.map(({ id, call_id, name }) => ({
        ...{ id: call_id, name, pieces: deltas("function_call_arguments", id) },
      })),
    };
  },
};

function defined(value: object): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

function toFinish(incomplete: unknown, called: boolean): Finish {
  if (isObject(incomplete)) {
    return incomplete.reason === "content_filter" ? "filter" : "length";
  }
  return called ? "calls" : "stop";
}

function toResponse({ thoughts, text, calls, finish, usage, logprobs }: Answer): JsonObject {
  const reason = finish === "filter" ? "content_filter" : "max_output_tokens";
  const isWhole = finish === "stop" || finish === "calls";
  const status = isWhole ? "completed" : "incomplete";
  return {
    ...{ id: "resp_vendor", object: "response", created_at: 1_700_000_001, model: "vendor-model" },
    ...{ status, error: null, incomplete_details: isWhole ? null : { reason } },
    output: [
      ...(thoughts.length === 0 ? [] : [{
        ...{ type: "reasoning", id: "rs_1" },
        summary: [{ type: "summary_text", text: thoughts.join("") }],
      }]),
      ...(text.length === 0 ? [] : [{
        ...{ type: "message", id: "msg_1", role: "assistant", status },
        content: [{
          type: "output_text",
          text: text.join(""),
          annotations: [],
          logprobs: toTokens(logprobs),
        }],
      }]),
      ...calls.map(({ id, name, pieces }, at) => ({
        ...{ type: "function_call", id: `fc_${at}`, call_id: id, name },
        ...{ arguments: pieces.join(""), status: "completed" },
      })),
    ],
    usage: {
      ...{ input_tokens: usage.input, output_tokens: usage.output },
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  };
}

function toItemEvents(item: JsonObject, at: number, answer: Answer): JsonObject[] {
  const place = { item_id: item.id, output_index: at };
  const added = { type: "response.output_item.added", output_index: at };
  const done = { type: "response.output_item.done", output_index: at, item };
  if (item.type === "function_call") {
    const { pieces = [] } = answer.calls.find(({ id }) => id === item.call_id) ?? {};
    const prefix = "response.function_call_arguments";
    return [
      { ...added, item: { ...item, arguments: "", status: "in_progress" } },
      ...pieces.map((delta) => ({ type: `${prefix}.delta`, ...place, delta })),
      { type: `${prefix}.done`, ...place, name: item.name, arguments: item.arguments },
      done,
    ];
  }
  const isText = item.type === "message";
  const name = isText ? "response.output_text" : "response.reasoning_summary_text";
  const part = isText ? "response.content_part" : "response.reasoning_summary_part";
  const inside = { ...place, ...(isText ? { content_index: 0 } : { summary_index: 0 }) };
  const [whole] = list(item.content ?? item.summary);
  const pieces = isText ? answer.text : answer.thoughts;
  const extra = isText ? { logprobs: [] } : {};
  return [
    {
      ...added,
      item: { ...item, ...(isText ? { content: [], status: "in_progress" } : { summary: [] }) },
    },
    { type: `${part}.added`, ...inside, part: { ...whole, text: "" } },
    ...pieces.map((delta) => ({
      ...{ type: `${name}.delta`, ...inside, delta, ...extra },
      logprobs: toTokens(isText ? answer.logprobs.filter(({ token }) => token === delta) : []),
    })),
    { type: `${name}.done`, ...inside, text: whole?.text, ...extra },
    { type: `${part}.done`, ...inside, part: whole },
    done,
  ];
}

function toItems(turns: readonly Turn[]): JsonObject[] {
  const order = new CallOrder();
  return turns.flatMap((turn): JsonObject[] => {
    if (turn.role === "user") return [{ role: "user", content: toContent(turn.parts) }];
    if (turn.role === "tool") {
      return turn.results.map(({ of, parts }) => ({
        ...{ type: "function_call_output", call_id: order.idOf(of), output: toContent(parts) },
      }));
    }
    const content = [{ type: "output_text", text: turn.text }];
    return [
      ...(turn.text === "" ? [] : [{ type: "message", role: "assistant", content }]),
      ...turn.calls.map((call) => {
        const { id: call_id, name, input } = order.add(call);
        return { type: "function_call", call_id, name, arguments: JSON.stringify(input) };
      }),
    ];
  });
}

function toContent(parts: readonly Part[]): unknown {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined && "text" in first) return first.text;
  return parts.map((part) => {
    if ("text" in part) return { type: "input_text", text: part.text };
    if ("imageUrl" in part) return { type: "input_image", image_url: part.imageUrl };
    const { type, data } = mediaOf(part) ?? {};
    const url = `data:${type};base64,${data}`;
    return "file" in part
      ? { type: "input_file", filename: part.name, file_data: url }
      : { type: "input_image", image_url: url };
  });
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : list(content).map(({ text }) => text).join("");
}

/** A message of the assistant and the calls after it are one turn. */
function readTurns(items: unknown): Turn[] {
  const order = new CallOrder();
  const turns: Turn[] = [];
  for (const { type, role, content, call_id, name, arguments: input, output } of list(items)) {
    const last = turns.at(-1);
    const replace = (turn: Turn) => void turns.splice(-1, 1, turn);
    if (role === "user") turns.push({ role, parts: readParts(content) });
    if (role === "assistant") turns.push({ role, text: textOf(content), calls: [] });
    if (type === "function_call") {
      const call = order.add({ id: call_id, name, input: JSON.parse(input) });
      if (last?.role === "assistant") replace({ ...last, calls: [...last.calls, call] });
      else turns.push({ role: "assistant", text: "", calls: [call] });
    }
    if (type === "function_call_output") {
      const result = { of: order.positionOf(call_id), parts: readParts(output) };
      if (last?.role === "tool") replace({ ...last, results: [...last.results, result] });
      else turns.push({ role: "tool", results: [result] });
    }
  }
  return turns;
}

function readParts(content: unknown): Part[] {
  if (typeof content === "string") return [{ text: content }];
  return list(content).map(({ text, image_url, file_data, filename }): Part => {
    if (typeof text === "string") return { text };
    if (typeof image_url === "string") return toImage(image_url);
    return { file: String(file_data).slice(String(file_data).indexOf(",") + 1), name: filename };
  });
}
