/** The names of a request's tools: those that the model gets, and those of the client. */

import { createHash } from "node:crypto";

/** A tool under the client's name. */
export interface ToolIdentity {
  /** A custom tool takes plain text instead of JSON. */
  readonly type: "function" | "custom";
  readonly name: string;
  /** The namespace that the tool belongs to, if any. */
  readonly namespace?: string;
}

/** The maximum length of a function's name at vendors, in characters. */
const MAX_NAME = 64;
const HASH_CHARS = 10;

/** The names of the tools of one request. */
export class ToolNames {
  readonly #tools = new Map<string, ToolIdentity>();

  /** Adds a tool; returns the name that the model sees. */
  add(tool: ToolIdentity): string {
    const name = toModelName(tool.namespace, tool.name);
    this.#tools.set(name, tool);
    return name;
  }

  /** The tool that the model calls by a name; a function of that name if it was not declared. */
  find(name: string): ToolIdentity {
    return this.#tools.get(name) ?? { type: "function", name };
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }
}

/**
 * The name that the model sees. A namespaced name that is too long ends in a hash of the full name.
 * As at OpenAI, models do not get the namespace `functions`.
 */
export function toModelName(namespace: string | undefined, name: string): string {
  if (namespace === undefined || namespace === "" || namespace === "functions") return name;
  const flat = `${namespace}__${name}`;
  if (flat.length <= MAX_NAME) return flat;
  const hash = createHash("sha256").update(flat).digest("hex").slice(0, HASH_CHARS);
  return `${flat.slice(0, MAX_NAME - HASH_CHARS - 1)}_${hash}`;
}
