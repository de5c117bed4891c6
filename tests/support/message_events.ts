/** Reads the events of a message as a client does, and refuses what clients do not take. */

import { isObject, type JsonObject } from "../../src/contract/chat.ts";

/** The events of a stream of the Messages API. */
export function readEvents(text: string): JsonObject[] {
  return text.split("\n\n").filter((event) => event.startsWith("event: ")).map((event) => {
    const [first = "", second = "", ...others] = event.split("\n");
    if (others.length > 0 || !second.startsWith("data: ")) {
      throw new TypeError(`Bad event ${event}`);
    }
    const data: JsonObject = JSON.parse(second.slice("data: ".length));
    if (first !== `event: ${data.type}`) throw new TypeError(`The names differ: ${event}`);
    return data;
  });
}

/** A content block while it is open. */
interface OpenBlock {
  readonly block: JsonObject;
  json: string;
  signed: boolean;
}

/**
 * The message that events make up.
 *
 * @throws {TypeError} for events in an order, or with indices, that no client expects
 */
export function collect(events: readonly JsonObject[]): JsonObject {
  let message: JsonObject | undefined;
  let open: OpenBlock | undefined;
  const content: JsonObject[] = [];
  let ended: "delta" | "stop" | undefined;
  const check = (holds: boolean, what: string) => {
    if (!holds) throw new TypeError(`${what}: ${JSON.stringify(events)}`);
  };
  for (const event of events) {
    if (event.type === "ping") continue;
    check(ended !== "stop", "an event after message_stop");
    check(
      (message === undefined) === (event.type === "message_start"),
      "message_start once, first",
    );
    switch (event.type) {
      case "message_start":
        message = event.message as JsonObject;
        check(isObject(message.usage), "usage in message_start");
        break;
      case "content_block_start":
        check(open === undefined && ended === undefined, "one block open at a time");
        check(event.index === content.length, "indices without a gap");
        open = { block: { ...event.content_block as JsonObject }, json: "", signed: false };
        break;
      case "content_block_delta":
        check(open !== undefined && event.index === content.length, "a delta of the open block");
        if (open !== undefined) apply(open, event.delta as JsonObject);
        break;
      case "content_block_stop":
        check(open !== undefined && event.index === content.length, "the end of the open block");
        if (open !== undefined) content.push(close(open));
        open = undefined;
        break;
      case "message_delta":
        check(open === undefined && ended === undefined, "message_delta after all blocks");
        check(typeof (event.usage as JsonObject).output_tokens === "number", "output_tokens");
        ended = "delta";
        message = {
          ...message,
          ...event.delta as JsonObject,
          usage: { ...message?.usage as JsonObject, ...event.usage as JsonObject },
        };
        break;
      case "message_stop":
        check(ended === "delta", "message_stop after message_delta");
        ended = "stop";
        break;
      default:
        check(false, `unknown event ${event.type}`);
    }
  }
  check(ended === "stop", "message_stop is missing");
  return { ...message, content };
}

const DELTAS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "tool_use",
  signature_delta: "thinking",
  citations_delta: "text",
};

function apply(open: OpenBlock, delta: JsonObject): void {
  const { block } = open;
  if (block.type === "server_tool_use" && delta.type === "input_json_delta") {
    open.json += delta.partial_json;
    return;
  }
  if (DELTAS[String(delta.type)] !== block.type) {
    throw new TypeError(`A ${delta.type} in a block of type ${block.type}`);
  }
  if (delta.type === "input_json_delta") open.json += delta.partial_json;
  else if (delta.type === "text_delta") block.text = `${block.text}${delta.text}`;
  else if (delta.type === "citations_delta") {
    const before = Array.isArray(block.citations) ? block.citations : [];
    block.citations = [...before, delta.citation];
  } else if (delta.type === "thinking_delta") block.thinking = `${block.thinking}${delta.thinking}`;
  else {
    if (open.signed) throw new TypeError("A second signature");
    open.signed = true;
    block.signature = delta.signature;
  }
}

function close({ block, json, signed }: OpenBlock): JsonObject {
  if (block.type === "thinking" && !signed) throw new TypeError("Thinking without a signature");
  if (block.type === "text" && block.text === "") throw new TypeError("An empty text");
  return block.type === "tool_use" ? { ...block, input: readInput(json) } : block;
}

/** The input of a call; its text where the answer was cut off. */
export function readInput(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return json;
  }
}
