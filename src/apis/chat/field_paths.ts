/**
 * Maps the fields of a chat request to the fields of the caller's request that they were converted
 * from. Errors name fields of the chat request; callers of another format see the names of their
 * own fields.
 */

import { GatewayError } from "../../core/errors.ts";

/** The paths of one chat message in the caller's request. */
export interface MessagePaths {
  readonly path: string;
  /** The list whose entries are the parts of the message's content. */
  readonly content?: string;
  /** The path of each part, if no such list exists. */
  readonly parts?: readonly string[];
  /** The path of each tool call. */
  readonly calls?: readonly string[];
}

/** A field of the chat request, and its name in the caller's format. */
export type FieldName = readonly [
  chat: string,
  own: string,
  /** Whether members inside the field have the same names in both formats. */
  inner?: "same",
];

/** The paths of one chat request in the caller's request. */
export interface FieldPathParts {
  readonly messages: readonly MessagePaths[];
  /** The path of each tool. */
  readonly tools: readonly string[];
  /** The member of a tool that holds the schema of its parameters. */
  readonly parameters: string;
  /** The list that holds the conversation. */
  readonly conversation: string;
  /** Fields other than messages and tools; the first match counts. */
  readonly fields: readonly FieldName[];
}

/** Translates the paths of one chat request into those of the caller's request. */
export class FieldPaths {
  readonly #parts: FieldPathParts;

  constructor(parts: FieldPathParts) {
    this.#parts = parts;
  }

  /** The caller's own path for a path of the chat request; null if there is none. */
  pathOf(path: string): string | null {
    const [, list, bracketed, dotted, rest = ""] = ENTRY.exec(path) ?? [];
    const index = Number(bracketed ?? dotted);
    if (list === "messages") return messagePath(this.#parts.messages[index], rest);
    if (list === "tools") return this.#toolPath(index, rest);
    if (path === "messages") return this.#parts.conversation;
    if (path === "tools") return "tools";
    for (const [chat, own, inner] of this.#parts.fields) {
      if (path === chat) return own;
      if (path.startsWith(`${chat}.`) || path.startsWith(`${chat}[`)) {
        return inner === "same" ? own + path.slice(chat.length) : own;
      }
    }
    return null;
  }

  /**
   * Calls a function that may fail because of a field of the chat request.
   *
   * @throws {GatewayError} the same errors, about the caller's own field.
   */
  async locatingAsync<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (thrown) {
      throw this.#located(thrown);
    }
  }

  /** The same for a function without a promise. */
  locating<Result>(run: () => Result): Result {
    try {
      return run();
    } catch (thrown) {
      throw this.#located(thrown);
    }
  }

  /** The same error with the caller's field; without a field if the caller's request has none. */
  locate(error: GatewayError): GatewayError {
    const { kind, param, code, headers, suspends, final, cause } = error;
    if (param === null) return error;
    const own = this.pathOf(param);
    if (own === param) return error;
    const message = own === null
      ? error.message
      : error.message.replaceAll(`'${param}'`, `'${own}'`);
    return new GatewayError(kind, message, { param: own, code, headers, suspends, final, cause });
  }

  #located(thrown: unknown): unknown {
    return thrown instanceof GatewayError ? this.locate(thrown) : thrown;
  }

  #toolPath(index: number, rest: string): string | null {
    const path = this.#parts.tools[index];
    if (path === undefined) return null;
    const inner = rest.replace(/^\.function(?=\.|$)/, "");
    return path + inner.replace(/^\.parameters(?=\.|$)/, `.${this.#parts.parameters}`);
  }
}

/** An entry of a list, in either of the notations that vendors use: `messages[0]`, `messages.0`. */
const ENTRY = /^(messages|tools)(?:\.?\[(\d{1,9})\]|\.(\d{1,9})(?=\.|$))(.*)$/s;

function messagePath(origin: MessagePaths | undefined, rest: string): string | null {
  if (origin === undefined) return null;
  const [, member, at] = /^\.(content|tool_calls)\.?\[?(\d{1,9})?/.exec(rest) ?? [];
  if (member === "tool_calls") return origin.calls?.[Number(at)] ?? origin.path;
  if (member === undefined || origin.content === undefined && origin.parts === undefined) {
    return origin.path;
  }
  if (at === undefined) return origin.content ?? origin.path;
  return origin.content === undefined
    ? origin.parts?.[Number(at)] ?? origin.path
    : `${origin.content}[${at}]`;
}
