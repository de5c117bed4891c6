/** Tool calls and their results: which result belongs to which call. */

import type { JsonObject, Message } from "../contract/chat.ts";
import { GatewayError, invalidValue } from "../core/errors.ts";
import { JsonError } from "../core/json/limits.ts";
import { InnerJson } from "../core/json/inner_json.ts";
import { uniquely } from "../core/collections.ts";

/** A tool call whose ID is unique in the request. */
export interface PairedCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** The calls and results of a request, by the index of their message. */
export interface ToolPairing {
  readonly calls: ReadonlyMap<number, readonly PairedCall[]>;
  /** The call that each result answers. It has no entry for a result that a later one replaces. */
  readonly results: ReadonlyMap<number, PairedCall>;
}

/**
 * Pairs every tool result with its call. Like OpenAI, requires a result for each call before the
 * next message.
 *
 * @param fixId converts an ID to one that the vendor accepts
 * @throws {GatewayError} `invalid_request` for a call without a result, or a result without a call,
 * `invalid_value` for arguments that hold too much JSON.
 */
export function pairTools(
  messages: readonly Message[],
  fixId: (id: string) => string,
): ToolPairing {
  if (!messages.some(isAboutTools)) return NO_TOOLS;
  const calls = new Map<number, readonly PairedCall[]>();
  const results = new Map<number, PairedCall>();
  const unique = uniquely(fixId);
  const json = new InnerJson();
  let pending = new PendingCalls();
  for (const [index, message] of messages.entries()) {
    if (message.role === "system" || message.role === "developer") continue;
    if (message.role === "tool") {
      const { call, replaces } = pending.takeResult(message.tool_call_id, index);
      if (replaces !== undefined) results.delete(replaces);
      results.set(index, call);
      continue;
    }
    pending.checkComplete();
    pending = new PendingCalls(index);
    if (message.role !== "assistant" || message.tool_calls == null) continue;
    const paired = message.tool_calls.map((call, at): PairedCall => {
      const named = call.type === "function"
        ? toNamed(call.function, `messages[${index}].tool_calls[${at}].function.arguments`, json)
        : { name: call.custom.name, input: { input: call.custom.input } };
      const entry = { id: unique(call.id), ...named };
      pending.addCall(call.id, entry);
      return entry;
    });
    calls.set(index, paired);
  }
  pending.checkComplete();
  return { calls, results };
}

const NO_TOOLS: ToolPairing = { calls: new Map(), results: new Map() };

function isAboutTools(message: Message): boolean {
  return message.role === "tool" || message.role === "assistant" && message.tool_calls != null;
}

/** The index of the message with the result, for each call that has one. */
export function resultsByCall({ results }: ToolPairing): ReadonlyMap<PairedCall, number> {
  return new Map([...results].map(([index, call]) => [call, index]));
}

/**
 * A call's arguments as an object. Arguments that are not an object are wrapped in one.
 *
 * @param json the budget of all calls of the request or answer
 */
export function parseArguments(text: string, json: InnerJson): JsonObject {
  if (text.trim() === "") return {};
  try {
    return json.parseObject(text) ?? json.parseObject(`{"value":${text}}`) ?? {};
  } catch (thrown) {
    if (thrown instanceof JsonError) throw thrown;
    // The model's output was truncated or malformed: the vendor gets the raw text.
    return { arguments: text };
  }
}

function toNamed(
  called: { readonly name: string; readonly arguments: string },
  path: string,
  json: InnerJson,
): Pick<PairedCall, "name" | "input"> {
  try {
    return { name: called.name, input: parseArguments(called.arguments, json) };
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw invalidValue(path, `the arguments of all calls may have ${thrown.message}`);
  }
}

/** The calls of one assistant message, while their results are read. */
class PendingCalls {
  /** The index of the assistant message. */
  readonly #messageIndex: number | undefined;
  readonly #callsById = new Map<string, CallsWithSameId>();

  constructor(messageIndex?: number) {
    this.#messageIndex = messageIndex;
  }

  addCall(id: string, call: PairedCall): void {
    const same = this.#callsById.get(id);
    if (same) same.calls.push(call);
    else this.#callsById.set(id, { calls: [call], answered: 0, lastResult: undefined });
  }

  /**
   * Returns the first call with the result's ID that has no result yet. If all have one, the result
   * replaces that of the last call.
   *
   * @param index the index of the message with the result
   */
  takeResult(id: string, index: number): { call: PairedCall; replaces: number | undefined } {
    const same = this.#callsById.get(id);
    const unanswered = same?.calls[same.answered];
    const call = unanswered ?? same?.calls.at(-1);
    if (same === undefined || call === undefined) {
      const param = `messages[${index}].tool_call_id`;
      throw new GatewayError(
        "invalid_request",
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message " +
          "with 'tool_calls'",
        { param },
      );
    }
    const replaces = unanswered === undefined ? same.lastResult : undefined;
    if (unanswered !== undefined) same.answered++;
    same.lastResult = index;
    return { call, replaces };
  }

  /** @throws {GatewayError} `invalid_request` if a call has no result. */
  checkComplete(): void {
    const missing = [...this.#callsById]
      .filter(([, { calls, answered }]) => answered < calls.length)
      .map(([id]) => id);
    if (missing.length === 0) return;
    const more = missing.length - MAX_NAMED_IDS;
    throw new GatewayError(
      "invalid_request",
      "An assistant message with 'tool_calls' must be followed by tool messages responding to " +
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: " +
        missing.slice(0, MAX_NAMED_IDS).map((id) => id.slice(0, MAX_ID_LENGTH)).join(", ") +
        (more > 0 ? ` and ${more} more` : ""),
      { param: `messages[${this.#messageIndex}].tool_calls` },
    );
  }
}

/** The number of IDs that an error message lists. */
const MAX_NAMED_IDS = 20;
/** The length of an ID in an error message, in characters. */
const MAX_ID_LENGTH = 200;

/** The calls of one message that have the same ID. Their results come in the order of the calls. */
interface CallsWithSameId {
  readonly calls: PairedCall[];
  /** The number of calls that have a result. */
  answered: number;
  /** The index of the message with the latest result. */
  lastResult: number | undefined;
}
