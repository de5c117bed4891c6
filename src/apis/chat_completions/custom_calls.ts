/**
 * Calls of custom tools in answers: vendors without such tools call functions with one text
 * argument, which is the input of the tool.
 */

import type { AnswerSummary, CallerFormat, StreamWriter } from "../chat/caller_format.ts";
import type {
  AnswerToolCall,
  ChatRequest,
  ChunkBody,
  ChunkChoice,
  CompletionBody,
  Tool,
  ToolCallDelta,
  Usage,
} from "../../contract/chat.ts";
import { toTextInput } from "../chat/text_tools.ts";
import { chatCompletions } from "./format.ts";

type CustomTool = Extract<Tool, { type: "custom" }>;

interface CustomCallOptions {
  /** The names of the request's custom tools. */
  readonly names: ReadonlySet<string>;
  /**
   * Whether calls also have the member `function`, with the input as arguments. Cursor reads the
   * name of each call there (https://github.com/icebear0828/codex-proxy/pull/708, 2026-08-14).
   */
  readonly hasFunctions: boolean;
}

/**
 * The format for the answers to a request.
 *
 * @param hasFunctions as in {@linkcode CustomCallOptions}
 */
export function formatFor({ tools }: ChatRequest, hasFunctions: boolean): CallerFormat {
  const custom = tools?.filter((tool) => tool.type === "custom") ?? [];
  if (custom.length === 0) return chatCompletions;
  const names = new Set(custom.map((tool) => (tool as CustomTool).custom.name));
  const options = { names, hasFunctions };
  return {
    ...chatCompletions,
    writeCompletion: (body, envelope, isLong) =>
      chatCompletions.writeCompletion(toCustomCalls(body, options), envelope, isLong),
    createStreamWriter: (envelope, request, toCost) =>
      new CustomCallWriter(chatCompletions.createStreamWriter(envelope, request, toCost), options),
  };
}

function toCustomCalls(body: CompletionBody, options: CustomCallOptions): CompletionBody {
  const choices = body.choices.map((choice) => {
    const { message } = choice;
    if (message.tool_calls === undefined) return choice;
    const tool_calls = message.tool_calls.map((call) => toCustomCall(call, options));
    return { ...choice, message: { ...message, tool_calls } };
  });
  return { ...body, choices };
}

function toCustomCall(call: AnswerToolCall, options: CustomCallOptions): AnswerToolCall {
  if (call.type === "custom") {
    const { name, input } = call.custom;
    return { ...call, ...toMembers(options, input, name) } as AnswerToolCall;
  }
  const { function: called, ...others } = call;
  if (!options.names.has(called.name)) return call;
  const members = toMembers(options, toTextInput(called.arguments), called.name);
  return { ...others, type: "custom", ...members } as AnswerToolCall;
}

/** The name and input in the members that clients read. */
function toMembers({ hasFunctions }: CustomCallOptions, input: string, name?: string) {
  const named = name === undefined ? {} : { name };
  return {
    custom: { ...named, input },
    ...(hasFunctions && { function: { ...named, arguments: input } }),
  };
}

/**
 * Writes the input of a function that represents a custom tool in one piece, at the end of the
 * answer: the end of arguments that are not JSON cannot be detected.
 */
class CustomCallWriter implements StreamWriter {
  readonly isRepeatable = false;
  readonly #inner: StreamWriter;
  readonly #options: CustomCallOptions;
  /** By choice and call: the arguments of functions that stand for tools, in pieces. */
  readonly #choices = new Map<number, Map<number, string[]>>();

  constructor(inner: StreamWriter, options: CustomCallOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  get started(): boolean {
    return this.#inner.started;
  }

  get complete(): boolean {
    return this.#inner.complete;
  }

  get usage(): Usage | undefined {
    return this.#inner.usage;
  }

  get serviceTier(): string | undefined {
    return this.#inner.serviceTier;
  }

  get summary(): AnswerSummary {
    return this.#inner.summary;
  }

  write(chunk: ChunkBody): string {
    return this.#inner.write({ ...chunk, choices: chunk.choices.map((one) => this.#read(one)) });
  }

  end(): string {
    return this.#inner.end();
  }

  #read(choice: ChunkChoice): ChunkChoice {
    const { index, delta: { tool_calls, ...delta }, finish_reason } = choice;
    if (tool_calls === undefined && !finish_reason) return choice;
    const open = this.#choices.get(index) ?? new Map<number, string[]>();
    this.#choices.set(index, open);
    const calls = (tool_calls ?? []).flatMap((call) => this.#call(open, call));
    if (finish_reason) {
      for (const [at, pieces] of open) {
        calls.push({ index: at, ...toMembers(this.#options, toTextInput(pieces.join(""))) });
      }
      open.clear();
    }
    return { ...choice, delta: { ...delta, ...(calls.length > 0 && { tool_calls: calls }) } };
  }

  #call(open: Map<number, string[]>, call: ToolCallDelta): readonly ToolCallDelta[] {
    const { index, function: called, custom, ...others } = call;
    if (custom !== undefined) {
      return [{ ...call, ...toMembers(this.#options, custom.input ?? "", custom.name) }];
    }
    const { name = "", arguments: piece = "" } = called ?? {};
    const pieces = open.get(index);
    if (pieces !== undefined) {
      pieces.push(piece);
      return [];
    }
    if (!this.#options.names.has(name)) return [call];
    open.set(index, [piece]);
    return [{ index, ...others, type: "custom", ...toMembers(this.#options, "", name) }];
  }
}
