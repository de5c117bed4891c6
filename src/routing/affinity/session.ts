/** The session of a request: by the ID that the client sends, else by how the conversation begins. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";

/** What a session is read from. */
export interface SessionSource {
  readonly headers: Pick<Headers, "get">;
  readonly body: unknown;
}

/** A session, as far as the request tells. */
export interface Session {
  /** What all of its requests have in common. Never sent to a vendor as it is. */
  readonly name: string;
  /** Whether this is its first turn. */
  readonly isNew: boolean;
}

/** The session of a client whose subagents have sessions of their own. */
const SESSION_OF_AGENTS = "x-claude-code-session-id";
/** A subagent has another prompt than its session. */
const AGENT_HEADER = "x-claude-code-agent-id";

/**
 * Headers with the ID of a session, the first one wins. The last two are Codex's
 * (https://github.com/KarpelesLab/teamclaude/pull/352, 2026-09-09).
 */
const SESSION_HEADERS = [
  "x-sluice-session",
  "x-session-id",
  "x-session-affinity",
  "x-opencode-session",
  SESSION_OF_AGENTS,
  "session_id",
  "session-id",
];

/**
 * Members with the ID of a session, the first one wins. `metadata.user_id` follows, and
 * `previous_response_id` is the last one, since it changes with each turn.
 */
const SESSION_MEMBERS = ["session_id", "prompt_cache_key"];

/** UTF-16 units of an ID that count. */
const MAX_ID = 512;
/** UTF-16 units that are read at the start and at the end of a text. */
const MAX_TEXT = 128;

/** Reads the session of a request. */
export function readSession({ headers, body }: SessionSource): Session {
  const request = isObject(body) ? body : {};
  const name = headerId(headers) ?? memberId(request) ?? openingOf(request);
  return { name, isNew: isFirstTurn(request) };
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
  const { metadata, previous_response_id: previous } = request;
  const user = isObject(metadata) ? metadata.user_id : undefined;
  const ids = [...SESSION_MEMBERS.map((name) => request[name]), user, previous];
  return ids.find(isText)?.slice(0, MAX_ID);
}

/** The beginning of a conversation: the model, the system prompt and the first user turn. */
function openingOf(request: JsonObject): string {
  const { model, instructions, input, messages, system } = request;
  const turns = Array.isArray(messages) ? messages : Array.isArray(input) ? input : [];
  const texts = [model, system, instructions, typeof input === "string" ? input : undefined];
  for (const turn of turns) {
    if (!isObject(turn)) continue;
    texts.push(turn.content);
    if (turn.role === "user") break;
  }
  return texts.slice(0, MAX_OPENING_TURNS).map(excerptOf).join("\n");
}

/** Members and turns that are read of a conversation's beginning. */
const MAX_OPENING_TURNS = 12;

/** The length, the start and the end of a text; of content parts, those of the first and the last. */
function excerptOf(content: unknown): string {
  if (typeof content === "string") {
    if (content.length <= 2 * MAX_TEXT) return content;
    return `${content.length} ${content.slice(0, MAX_TEXT)} ${content.slice(-MAX_TEXT)}`;
  }
  if (!Array.isArray(content)) return "";
  const [first, last] = [content[0], content.at(-1)].map((part: unknown) =>
    isObject(part) && typeof part.text === "string" ? excerptOf(part.text) : ""
  );
  return `${content.length} ${first} ${last}`;
}

/** Whether no answer of a model is part of the request. */
function isFirstTurn({ input, messages, previous_response_id: previous }: JsonObject): boolean {
  if (isText(previous)) return false;
  const turns = Array.isArray(messages) ? messages : Array.isArray(input) ? input : [];
  return !turns.some((turn) => isObject(turn) && turn.role === "assistant");
}
