/**
 * A client's messages, as bodies of `POST /v1/responses`.
 *
 * https://developers.openai.com/api/docs/guides/websocket-mode (2026-11-25): a message contains its
 * `type`, the members of a body, and members specific to this transport.
 */

import { GatewayError, invalidValue } from "../../core/errors.ts";
import { JsonError } from "../../core/json/limits.ts";
import { splitMembers } from "../../core/json/top_level_members.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { parseEvent, parsePassedEvent } from "../../apis/stream_record.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import { createFrameReader } from "../../streaming/frame_readers.ts";

/** A client's request. Values are JSON texts, so that numbers keep their notation. */
export interface SocketRequest {
  /** The body's members, without the input. */
  readonly members: ReadonlyMap<string, string>;
  /** The input's entries, without brackets. */
  readonly input: string;
  /** The ID of the response to continue, if any. */
  readonly previous: string | undefined;
  /** Whether the model is called; a request may just prepare the next one. */
  readonly generates: boolean;
  /** Whether the answer must not be stored beyond the connection. */
  readonly isUnstored: boolean;
}

/** The only message type that creates a response. */
const CREATE = "response.create";

/** Members of messages that are not part of a body. */
const OWN_MEMBERS = new Set([
  "type",
  "event_id",
  "generate",
  "stream",
  "background",
  "input",
  "previous_response_id",
]);

/**
 * Reads a message.
 *
 * @throws {GatewayError} `invalid_request` for invalid JSON, `invalid_value` for another type,
 * `unsupported_parameter` for several streams at once.
 */
export async function readMessage(text: string): Promise<SocketRequest> {
  const all = await membersOf(text);
  const type = textOf(all.get("type"));
  if (type !== CREATE) throw invalidValue("type", `must be '${CREATE}'`);
  if (all.has("stream_id")) {
    throw new GatewayError(
      "unsupported_parameter",
      "This connection answers one request at a time: send no 'stream_id'",
      { param: "stream_id" },
    );
  }
  const previous = textOf(all.get("previous_response_id"));
  return {
    members: new Map([...all].filter(([name]) => !OWN_MEMBERS.has(name))),
    input: toEntries(all.get("input")),
    previous: previous === "" ? undefined : previous,
    generates: all.get("generate") !== "false",
    isUnstored: all.get("store") === "false",
  };
}

async function membersOf(text: string): Promise<ReadonlyMap<string, string>> {
  try {
    return await splitMembers(text);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw new GatewayError("invalid_request", `The message is not valid JSON: ${thrown.message}`);
  }
}

/** The value of a text; empty for any other value. */
function textOf(json: string | undefined): string {
  if (json === undefined || !json.startsWith('"')) return "";
  try {
    return JSON.parse(json);
  } catch {
    return "";
  }
}

/** The entries of an input. A string is a user message. */
function toEntries(input: string | undefined): string {
  if (input === undefined || input === "null") return "";
  if (input.startsWith('"')) return `{"type":"message","role":"user","content":${input}}`;
  if (!input.startsWith("[")) throw invalidValue("input", "must be a string or an array of items");
  return input.slice(1, -1).trim();
}

/** Concatenates lists of entries. */
export function joinEntries(...lists: readonly string[]): string {
  return lists.filter((entries) => entries !== "").join(",");
}

/**
 * The body of a request with a streamed response.
 *
 * @param input the entries of the input
 * @param previous the ID of the stored response before it
 */
export function toBody(
  { members, generates }: SocketRequest,
  input: string,
  previous: string | undefined,
): string {
  const parts = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  if (previous !== undefined) parts.push(`"previous_response_id":${JSON.stringify(previous)}`);
  if (!generates) parts.push('"generate":false');
  parts.push(`"input":[${input}]`, '"stream":true');
  return `{${parts.join(",")}}`;
}

/** Reads the messages of one response, and the data that the next request may refer to. */
export class AnswerEvents {
  readonly #reader = createFrameReader("sse");
  /** The completed output items, as JSON. */
  readonly items: string[] = [];
  /** The ID of the response, once it has completed. */
  id: string | undefined;

  /** The messages of the events completed by these bytes. */
  push(bytes: Uint8Array): readonly string[] {
    return this.#read(this.#reader.push(bytes));
  }

  /** The messages of a final event that is not terminated. */
  end(): readonly string[] {
    return this.#read(this.#reader.end());
  }

  #read(frames: readonly Frame[]): readonly string[] {
    for (const { event, data } of frames) {
      // Servers may omit the name.
      if (event === undefined || LAST_EVENTS.has(event)) this.#keep(parsePassedEvent(data));
    }
    return frames.map(({ data }) => data);
  }

  #keep({ type, item, response }: JsonObject): void {
    if (!LAST_EVENTS.has(String(type))) return;
    if (isObject(item)) this.items.push(JSON.stringify(item));
    if (isObject(response) && isText(response.id)) this.id = response.id;
  }
}

/** The events of completed items and of completed responses. */
const LAST_EVENTS: ReadonlySet<string> = new Set([
  "response.output_item.done",
  "response.completed",
  "response.incomplete",
]);

/**
 * The message for an error. Codex treats `status_code` as an alias of `status`, and ignores
 * messages with both: https://github.com/openai/codex,
 * codex-rs/codex-api/src/endpoint/responses_websocket.rs (0.169.0, 2026-11-26).
 *
 * @param body the body of the error's response
 */
export function toErrorMessage(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const { error } = parseEvent(body);
  return JSON.stringify({ type: "error", status, error, headers });
}
