/**
 * Input items as the messages of a chat. Reasoning, text and calls of one answer are separate
 * items, but one assistant message.
 */

import { isObject, type JsonObject, type Message, type ToolCall } from "../../contract/chat.ts";
import type { MessagePaths } from "../chat/field_paths.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { JsonError } from "../../core/json/limits.ts";
import { InnerJson, InnerText, STATE_LIMITS } from "../../core/json/inner_json.ts";
import { isText, toList, toText } from "../../core/json/values.ts";
import { readAssistantContent, toContent } from "./content_parts.ts";
import { readCompaction, SUMMARY_REQUEST } from "./compaction.ts";
import { type PackedState, unpackState } from "./output_items.ts";
import { toModelName } from "./tools.ts";
import { toTextArguments } from "../chat/text_tools.ts";

/** An input item and its path in the request. */
export interface PlacedItem {
  readonly item: JsonObject;
  readonly path: string;
}

/** The path of the items of an earlier answer, which are not part of the request. */
export const EARLIER = "previous_response_id";

/** A chat message, and its path in the request. */
interface PlacedMessage {
  readonly message: Message;
  readonly origin: MessagePaths;
}

/** An assistant message while its items are read. */
class Turn {
  /** The path of the first item. */
  readonly path: string;
  readonly thoughts: string[] = [];
  readonly details: unknown[] = [];
  readonly texts: string[] = [];
  refusal = "";
  readonly calls: ToolCall[] = [];
  /** The path of each call. */
  readonly callPaths: string[] = [];
  /** The calls without a result, with the path of each. */
  readonly unanswered = new Map<string, string>();
  readonly results: PlacedMessage[] = [];

  constructor(path: string) {
    this.path = path;
  }

  get isEmpty(): boolean {
    return this.texts.length === 0 && this.refusal === "" && this.calls.length === 0;
  }

  /** The message; undefined for reasoning without an answer. */
  toMessage(): PlacedMessage | undefined {
    if (this.isEmpty) return undefined;
    const { thoughts, details, texts, refusal, calls, path, callPaths } = this;
    const message: Message = {
      role: "assistant",
      content: texts.length > 0 ? texts.join("\n\n") : null,
      ...(refusal !== "" && { refusal }),
      ...(thoughts.length > 0 && { reasoning_content: thoughts.join("\n\n") }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return { message, origin: { path, calls: callPaths } };
  }
}

/** Reads the items of a conversation in order. */
export class ConversationReader {
  readonly messages: Message[] = [];
  /** The path of each message. */
  readonly origins: MessagePaths[] = [];
  /** The types of items and kinds of state that messages cannot represent. */
  readonly ignored = new Set<string>();
  /** Whether the answer is a summary of the conversation. */
  compacts = false;
  readonly #json = new InnerJson(STATE_LIMITS);
  /** Limits the inputs of custom tools, which become JSON. */
  readonly #inputs = new InnerText();
  #turn: Turn | undefined;
  /** Messages between a call and its result: they follow the result. */
  #held: PlacedMessage[] = [];

  /** @param instructions the first message, if it is not empty */
  constructor(instructions: string | undefined) {
    if (!instructions) return;
    const message: Message = { role: "system", content: instructions };
    this.#add({ message, origin: { path: "instructions" } });
  }

  /** @throws {GatewayError} `invalid_value` for an item of unknown form. */
  push({ item, path }: PlacedItem): void {
    switch (item.type ?? (item.role === undefined ? undefined : "message")) {
      case "message":
        return this.#onMessage(item, path);
      case "reasoning":
        return this.#onReasoning(item, path);
      case "function_call":
      case "custom_tool_call":
        return this.#onCall(item, path);
      case "function_call_output":
      case "custom_tool_call_output":
        return this.#onResult(item, path);
      case "additional_tools":
        return;
      case "compaction":
      case "compaction_summary":
        return this.#onCompaction(item, path);
      case "compaction_trigger":
        return this.#onTrigger(path);
      case undefined:
        throw invalidValue(`${path}.type`, "is required");
      default:
        this.ignored.add(`input.${toText(item.type)}`);
    }
  }

  /** The end of the conversation. @throws {GatewayError} for a call without a result. */
  end(): readonly Message[] {
    this.#flush();
    return this.messages;
  }

  #onMessage(item: JsonObject, path: string): void {
    const { role, content } = item;
    if (role === "assistant") {
      const { text, refusal } = readAssistantContent(content, `${path}.content`);
      const turn = this.#turn;
      // Two consecutive messages are two turns, unless a call of the first still waits for its
      // result.
      if (turn !== undefined && !turn.isEmpty && turn.unanswered.size === 0) this.#flush();
      const open = this.#open(path);
      if (text !== "" || refusal === "") open.texts.push(text);
      open.refusal += refusal;
      return;
    }
    if (role !== "user" && role !== "system" && role !== "developer") {
      throw invalidValue(`${path}.role`, "must be 'user', 'assistant', 'system' or 'developer'");
    }
    const message: Message = { role, content: toContent(content, `${path}.content`) };
    const placed = { message, origin: originOf(path, "content") };
    if (this.#turn !== undefined && this.#turn.unanswered.size > 0) this.#held.push(placed);
    else {
      this.#flush();
      this.#add(placed);
    }
  }

  /** A summary that the gateway wrote is a message; only its vendor can read another one. */
  #onCompaction(item: JsonObject, path: string): void {
    const summary = readCompaction(item);
    if (summary === undefined) this.ignored.add("input.compaction");
    else this.#onMessage({ role: "user", content: summary }, path);
  }

  #onTrigger(path: string): void {
    this.compacts = true;
    this.#flush();
    this.#add({ message: SUMMARY_REQUEST, origin: { path } });
  }

  #onReasoning({ summary, content, encrypted_content }: JsonObject, path: string): void {
    const state = this.#unpack(encrypted_content, path);
    // State that another provider encrypted cannot be used here.
    if (state === undefined && isText(encrypted_content)) {
      this.ignored.add("input.reasoning.encrypted_content");
    }
    const turn = this.#turn;
    const belongsToNext = turn !== undefined && !turn.isEmpty && !state?.isTrailing;
    if (belongsToNext && turn.unanswered.size === 0) this.#flush();
    const open = this.#open(path);
    const summaries = textsOf(summary);
    for (const text of summaries.length > 0 ? summaries : textsOf(content)) {
      open.thoughts.push(text);
    }
    for (const detail of state?.details ?? []) open.details.push(detail);
  }

  /** @throws {GatewayError} `invalid_value` if the state exceeds the limit. */
  #unpack(text: unknown, path: string): PackedState | undefined {
    try {
      return unpackState(text, this.#json);
    } catch (thrown) {
      if (!(thrown instanceof JsonError)) throw thrown;
      const why = `the state of all reasoning items may have ${thrown.message}`;
      throw invalidValue(`${path}.encrypted_content`, why);
    }
  }

  #onCall(item: JsonObject, path: string): void {
    const { type, call_id, name, namespace } = item;
    if (!isText(call_id)) {
      throw invalidValue(`${path}.call_id`, "must be a string that is not empty");
    }
    if (!isText(name)) throw invalidValue(`${path}.name`, "must be a string that is not empty");
    const argument = type === "function_call" ? "arguments" : "input";
    const text = item[argument];
    if (typeof text !== "string") throw invalidValue(`${path}.${argument}`, "must be a string");
    const open = this.#turn?.results.length ? this.#next(path) : this.#open(path);
    const called = {
      name: toModelName(isText(namespace) ? namespace : undefined, name),
      arguments: type === "function_call" ? text : this.#toArguments(text, path),
    };
    open.calls.push({ id: call_id, type: "function", function: called });
    open.callPaths.push(path);
    open.unanswered.set(call_id, path);
  }

  /** @throws {GatewayError} `invalid_value` when the inputs of all calls are too long. */
  #toArguments(input: string, path: string): string {
    try {
      this.#inputs.add(input);
    } catch (thrown) {
      if (!(thrown instanceof JsonError)) throw thrown;
      throw invalidValue(
        `${path}.input`,
        `the inputs of all custom tools may have ${thrown.message}`,
      );
    }
    return toTextArguments(input);
  }

  #onResult({ call_id, output }: JsonObject, path: string): void {
    const turn = this.#turn;
    if (turn === undefined || typeof call_id !== "string" || !turn.unanswered.delete(call_id)) {
      throw new GatewayError(
        "invalid_value",
        `No tool call found for function call output with call_id ${
          toText(call_id).slice(0, MAX_ID)
        }`,
        { param: path },
      );
    }
    const content = toContent(output ?? "", `${path}.output`);
    const message: Message = { role: "tool", tool_call_id: call_id, content };
    turn.results.push({ message, origin: originOf(path, "output") });
  }

  #add({ message, origin }: PlacedMessage): void {
    this.messages.push(message);
    this.origins.push(origin);
  }

  #open(path: string): Turn {
    return this.#turn ??= new Turn(path);
  }

  /**
   * Begins a new turn. While calls wait for their results, later items join the message with the
   * calls.
   */
  #next(path: string): Turn {
    if (this.#turn?.unanswered.size === 0) this.#flush();
    return this.#open(path);
  }

  #flush(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn === undefined) return;
    for (const [id, path] of turn.unanswered) {
      throw new GatewayError(
        "invalid_value",
        `No tool output found for function call ${id.slice(0, MAX_ID)}`,
        { param: path },
      );
    }
    const message = turn.toMessage();
    if (message !== undefined) [message, ...turn.results].forEach((one) => this.#add(one));
    for (const held of this.#held) this.#add(held);
    this.#held = [];
  }
}

/** Items of an earlier answer have no path in this request. */
function originOf(path: string, member: "content" | "output"): MessagePaths {
  return path === EARLIER ? { path } : { path, content: `${path}.${member}` };
}

/** The maximum length of an ID in a message, in characters. */
const MAX_ID = 100;

function textsOf(parts: unknown): readonly string[] {
  return toList(parts).map((part) => isObject(part) ? toText(part.text) : "").filter(isText);
}
