/**
 * Converts messages to the format in OpenTelemetry's conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/, 2026-11). For parts other than text, only
 * the type is recorded.
 */

import type { AnswerToolCall, Choice, Content, Message, ToolCall } from "../contract/chat.ts";
import { isObject } from "../contract/chat.ts";

/** One part of a message. */
type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** A request's messages as the value of `gen_ai.input.messages`. */
export function toInputMessages(messages: readonly Message[]): string {
  return JSON.stringify(messages.map((message) => {
    if (message.role === "tool") {
      const response = { id: message.tool_call_id, response: message.content };
      return { role: message.role, parts: [{ type: "tool_call_response", ...response }] };
    }
    const calls = message.role === "assistant" ? message.tool_calls ?? [] : [];
    return { role: message.role, parts: [...toParts(message.content), ...calls.map(toCallPart)] };
  }));
}

/** An answer's choices as the value of `gen_ai.output.messages`. */
export function toOutputMessages(choices: readonly Choice[]): string {
  return JSON.stringify(choices.map(({ message, finish_reason }) => ({
    role: "assistant",
    parts: [...toParts(message.content), ...(message.tool_calls ?? []).map(toCallPart)],
    finish_reason: finish_reason === "tool_calls" ? "tool_call" : finish_reason,
  })));
}

/** Collects a stream's content from the events that are written to the caller. */
export class StreamedContent {
  readonly #decoder = new TextDecoder();
  readonly #choices = new Map<number, Choice>();
  /** Tool calls by choice and index, since they arrive in pieces. */
  readonly #calls = new Map<string, AnswerToolCall>();

  /** @param output complete events, as written by the fold */
  push(output: string | Uint8Array): void {
    const text = typeof output === "string" ? output : this.#decoder.decode(output);
    for (const line of text.split("\n")) {
      if (!line.startsWith("data: {")) continue;
      const chunk: unknown = JSON.parse(line.slice("data: ".length));
      if (!isObject(chunk) || !Array.isArray(chunk.choices)) continue;
      for (const choice of chunk.choices) if (isObject(choice)) this.#addChoice(choice);
    }
  }

  /** The collected choices. */
  get choices(): readonly Choice[] {
    return [...this.#choices.values()];
  }

  #addChoice({ index, delta, finish_reason }: Record<string, unknown>): void {
    const at = Number(index);
    let choice = this.#choices.get(at);
    if (choice === undefined) {
      const message = { role: "assistant", content: null } as const;
      this.#choices.set(at, choice = { index: at, message, finish_reason: "stop" });
    }
    if (typeof finish_reason === "string") {
      choice.finish_reason = finish_reason as Choice["finish_reason"];
    }
    if (!isObject(delta)) return;
    if (typeof delta.content === "string" && delta.content !== "") {
      choice.message.content = (choice.message.content ?? "") + delta.content;
    }
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    for (const call of calls) if (isObject(call)) this.#addCall(choice, call);
  }

  #addCall(choice: Choice, piece: Record<string, unknown>): void {
    const key = `${choice.index}\n${piece.index}`;
    const { custom, function: fn } = piece;
    let call = this.#calls.get(key);
    if (call === undefined) {
      const id = String(piece.id);
      call = isObject(custom)
        ? { id, type: "custom", custom: { name: textIn(custom, "name"), input: "" } }
        : { id, type: "function", function: { name: textIn(fn, "name"), arguments: "" } };
      this.#calls.set(key, call);
      (choice.message.tool_calls ??= []).push(call);
    }
    if (call.type === "custom") call.custom.input += textIn(custom, "input");
    else call.function.arguments += textIn(fn, "arguments");
  }
}

/** A string member in a piece of a call; empty if the piece lacks it. */
function textIn(value: unknown, member: string): string {
  const text = isObject(value) ? value[member] : undefined;
  return typeof text === "string" ? text : "";
}

function toParts(content: Content | null | undefined): Part[] {
  if (content == null) return [];
  if (typeof content === "string") return [{ type: "text", content }];
  return content.map((part) =>
    part.type === "text" ? { type: "text", content: part.text } : { type: part.type }
  );
}

function toCallPart(call: ToolCall | AnswerToolCall): Part {
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return { type: "tool_call", id: call.id, name, arguments: input };
  }
  return { type: "tool_call", id: call.id, ...call.function };
}
