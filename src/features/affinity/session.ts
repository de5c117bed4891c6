/**
 * Determines the session of a request, from an ID that the client sends or from the beginning of
 * the conversation.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { SentRequest } from "../../gateway/feature.ts";
import { type Hash, hashText, TextHasher, toHex } from "./hash.ts";
import { SESSION_PREFIX } from "../../gateway/feature_attempts.ts";

/** The inputs for finding a session. */
export type SessionSource = SentRequest;

/** A session, as identified by the request. */
export interface Session {
  /** Whether this is its first turn. */
  readonly isNew: boolean;
  /** The two hashes of the data that all of its requests share. */
  hashFrom(seed: Hash): Pick<TextHasher, "hash" | "other">;
}

/** The characters of a session in a response ID: its two hashes. */
const MARK = "[0-9a-f]{16}";
/** Adds the session to the ID of a response that the gateway or a provider stores. */
const MARKED = new RegExp(`^resp_(${MARK})_|~(${MARK})(?:[.][^.@]*)?@`);

/** A session's pseudonym. */
export function sessionId(hash: Hash, other: Hash): string {
  return `${SESSION_PREFIX}${toHex(hash)}${toHex(other)}`;
}

/** The session for a client whose subagents have separate sessions. */
const SESSION_OF_AGENTS = "x-claude-code-session-id";
/**
 * A subagent's prompt differs from that of its session. These headers are documented at
 * https://code.claude.com/docs/en/llm-gateway-protocol (2026-11-25).
 */
const AGENT_HEADER = "x-claude-code-agent-id";
const PARENT_HEADER = "x-claude-code-parent-agent-id";

/**
 * Headers with a session ID; the first one is used. The last two come from Codex
 * (https://github.com/KarpelesLab/teamclaude/pull/352, 2026-09-09). Open WebUI sends its own with
 * `ENABLE_FORWARD_USER_INFO_HEADERS` (https://docs.openwebui.com/getting-started/env-configuration,
 * 2026-11-25).
 */
const SESSION_HEADERS = [
  "x-sluice-session",
  "x-session-id",
  "x-session-affinity",
  "x-opencode-session",
  "x-openwebui-chat-id",
  SESSION_OF_AGENTS,
  "session_id",
  "session-id",
];

/**
 * Members with a session ID; the first one is used. Those in `conversation` and `metadata.user_id`
 * follow. `previous_response_id` comes last: it changes with each turn, but response IDs contain
 * the session of their request.
 */
const SESSION_MEMBERS = ["session_id", "prompt_cache_key"];

/** The number of UTF-16 units of an ID to use. */
const MAX_ID = 512;
/** The number of UTF-16 units to read at the start and at the end of a text. */
const MAX_TEXT = 128;

/** IDs that are recorded unchanged, which are short and contain no spaces. */
const RECORDED = /^[\w.:-]{1,64}$/;

/** The session from a client's header, as recorded in the ledger. */
export interface RecordedSession {
  readonly session: string | undefined;
  readonly agent: string | undefined;
  readonly parentAgent: string | undefined;
}

/** The headers that one format's clients send. Reading headers takes most of the time here. */
const FORMAT_OF: ReadonlyMap<string, string> = new Map([
  ["x-openwebui-chat-id", "chat_completions"],
  [SESSION_OF_AGENTS, "messages"],
  ["session_id", "responses"],
  ["session-id", "responses"],
]);

/** The headers that clients send, by the name of the format. */
const HEADERS_OF = new Map<string, readonly string[]>();

function headersOf(format: string): readonly string[] {
  const names = SESSION_HEADERS.filter((name) => (FORMAT_OF.get(name) ?? format) === format);
  HEADERS_OF.set(format, names);
  return names;
}

/**
 * Reads the session from a header; undefined if there is none.
 *
 * @param format the name of the caller's format, of which there are few
 */
export function readNamedSession(
  headers: SessionSource["headers"],
  format: string,
): RecordedSession | undefined {
  const names = HEADERS_OF.get(format) ?? headersOf(format);
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    const id = headers.get(name);
    if (!id) continue;
    const session = toRecorded(id);
    const hasAgents = name === SESSION_OF_AGENTS;
    return {
      session,
      agent: hasAgents ? toRecorded(headers.get(AGENT_HEADER)) : undefined,
      parentAgent: hasAgents ? toRecorded(headers.get(PARENT_HEADER)) : undefined,
    };
  }
  return undefined;
}

/** An ID as recorded in the ledger: hashed if it is long or not a plain ID. */
function toRecorded(id: string | null): string | undefined {
  if (!id) return undefined;
  if (RECORDED.test(id)) return id;
  const hash = hashText(id);
  return sessionId(hash, hashText(id, hash));
}

/** Reads a request's session. */
export function readSession({ headers, body }: SessionSource): Session {
  const request = isObject(body) ? body : {};
  const id = headerId(headers) ?? memberId(request);
  if (id !== undefined) return new NamedSession(id, request);
  const { previous_response_id: previous } = request;
  if (!isText(previous)) return new Conversation(request);
  const [, own, ofProvider] = MARKED.exec(previous.slice(0, MAX_ID)) ?? [];
  const mark = own ?? ofProvider;
  return mark === undefined
    ? new NamedSession(previous.slice(0, MAX_ID), request)
    : new ContinuedSession(mark);
}

/**
 * The session whose response the request continues, regardless of how its first turn was
 * identified.
 */
class ContinuedSession implements Session {
  readonly isNew = false;
  readonly #mark: string;

  constructor(mark: string) {
    this.#mark = mark;
  }

  hashFrom() {
    return {
      hash: parseInt(this.#mark.slice(0, 8), 16) | 0,
      other: parseInt(this.#mark.slice(8), 16) | 0,
    };
  }
}

/** A session with an ID. */
class NamedSession implements Session {
  readonly isNew: boolean;
  readonly #name: string;

  constructor(name: string, request: JsonObject) {
    this.#name = name;
    this.isNew = isFirstTurn(request);
  }

  hashFrom(seed: Hash): TextHasher {
    const hasher = new TextHasher(seed ^ this.#name.length);
    hasher.add(this.#name, 0, this.#name.length);
    return hasher;
  }
}

/** A conversation without an ID is identified by its beginning. */
class Conversation implements Session {
  readonly isNew: boolean;
  readonly #request: JsonObject;

  constructor(request: JsonObject) {
    this.#request = request;
    this.isNew = isFirstTurn(request);
  }

  hashFrom(seed: Hash): TextHasher {
    const hasher = new TextHasher(seed);
    readOpening(this.#request, hasher);
    return hasher;
  }
}

function headerId(headers: SessionSource["headers"]): string | undefined {
  for (const name of SESSION_HEADERS) {
    const id = headers.get(name);
    if (!id) continue;
    const agent = name === SESSION_OF_AGENTS ? headers.get(AGENT_HEADER) : null;
    const short = id.slice(0, MAX_ID);
    return agent ? `${short} ${agent.slice(0, MAX_ID)}` : short;
  }
  return undefined;
}

function memberId(request: JsonObject): string | undefined {
  const { conversation, metadata } = request;
  for (const name of SESSION_MEMBERS) {
    const id = request[name];
    if (isText(id)) return id.slice(0, MAX_ID);
  }
  const own = isObject(conversation) ? conversation.id : conversation;
  if (isText(own)) return own.slice(0, MAX_ID);
  const user = isObject(metadata) ? metadata.user_id : undefined;
  return isText(user) ? user.slice(0, MAX_ID) : undefined;
}

/** Receives excerpts from the beginning of a conversation. */
interface Excerpts {
  add(text: string, start: number, end: number): void;
  /** The length of the text or list whose excerpts follow. */
  addNumber(length: number): void;
}

/** The maximum number of members and turns to read at the beginning of a conversation. */
const MAX_OPENING_TURNS = 12;

/** The beginning of a conversation: the model, the system prompt and the first user turn. */
function readOpening(request: JsonObject, excerpts: Excerpts): void {
  const { model, input, instructions, system, systemInstruction } = request;
  readContent(model, excerpts);
  readContent(system ?? instructions ?? systemInstruction, excerpts);
  if (typeof input === "string") return readContent(input, excerpts);
  let left = MAX_OPENING_TURNS;
  for (const turn of turnsOf(request)) {
    if (!isObject(turn)) continue;
    readContent(turn.content ?? turn.parts, excerpts);
    if (turn.role === "user" || --left === 0) return;
  }
}

/** A request's turns in any caller format. */
function turnsOf({ contents, input, messages }: JsonObject): readonly unknown[] {
  for (const turns of [messages, input, contents]) if (Array.isArray(turns)) return turns;
  return [];
}

/** The length, start and end of a text; for content parts, those of the first and last part. */
function readContent(content: unknown, excerpts: Excerpts): void {
  if (typeof content === "string") return readText(content, excerpts);
  const parts = isObject(content) ? content.parts : content;
  if (!Array.isArray(parts)) return;
  excerpts.addNumber(parts.length);
  readPart(parts[0], excerpts);
  if (parts.length > 1) readPart(parts.at(-1), excerpts);
}

function readPart(part: unknown, excerpts: Excerpts): void {
  if (isObject(part) && typeof part.text === "string") readText(part.text, excerpts);
}

function readText(text: string, excerpts: Excerpts): void {
  const { length } = text;
  excerpts.addNumber(length);
  if (length <= 2 * MAX_TEXT) return excerpts.add(text, 0, length);
  excerpts.add(text, 0, MAX_TEXT);
  excerpts.add(text, length - MAX_TEXT, length);
}

/** Whether the request contains no model answers. */
function isFirstTurn(request: JsonObject): boolean {
  if (isText(request.previous_response_id)) return false;
  return !turnsOf(request).some((turn) => isObject(turn) && ANSWERS.has(turn.role));
}

/** The roles of model messages. */
const ANSWERS: ReadonlySet<unknown> = new Set(["assistant", "model"]);
