/** Arguments of a tool call that are streamed in pieces, each with its JSON path. */

import { isObject, type JsonObject } from "../../contract/chat.ts";

/** A value under construction. Objects are maps, so that a member can have any name. */
type Node =
  | { readonly type: "leaf"; value: unknown }
  | { readonly type: "object"; readonly members: Map<string, Node> }
  | { readonly type: "array"; readonly items: Node[] };

/** Assembles the pieces of `partialArgs`. */
export class PartialArguments {
  readonly #root: Node;

  /** @param whole members that arrived in one piece */
  constructor(whole: JsonObject) {
    const members = Object.entries(whole).map(([name, value]): [string, Node] => [
      name,
      { type: "leaf", value },
    ]);
    this.#root = { type: "object", members: new Map(members) };
  }

  /** Adds the pieces of one event. Returns false if they contradict earlier pieces. */
  add(pieces: unknown): boolean {
    return Array.isArray(pieces) && pieces.every((piece) => isObject(piece) && this.#put(piece));
  }

  /** The arguments so far, as JSON. */
  toString(): string {
    return JSON.stringify(toValue(this.#root));
  }

  #put(piece: JsonObject): boolean {
    const steps = readPath(piece.jsonPath);
    if (steps === undefined) return false;
    const value = valueOf(piece);
    let at: Node = this.#root;
    for (const [depth, step] of steps.entries()) {
      const next = steps[depth + 1];
      const fresh: Node = next === undefined
        ? { type: "leaf", value: undefined }
        : typeof next === "number"
        ? { type: "array", items: [] }
        : { type: "object", members: new Map() };
      const child = memberOf(at, step, fresh);
      if (child === undefined) return false;
      at = child;
    }
    if (at.type !== "leaf") return value === undefined;
    // Strings may arrive in several pieces.
    const grows = typeof at.value === "string" && typeof value === "string";
    if (value !== undefined) at.value = grows ? `${at.value}${value}` : value;
    return true;
  }
}

/** The member at a step of the path. A missing one is created. Items must arrive in order. */
function memberOf(node: Node, step: string | number, fresh: Node): Node | undefined {
  if (node.type === "object" && typeof step === "string") {
    const known = node.members.get(step);
    if (known === undefined) node.members.set(step, fresh);
    return known ?? fresh;
  }
  if (node.type !== "array" || typeof step !== "number" || step > node.items.length) {
    return undefined;
  }
  return node.items[step] ??= fresh;
}

/** The steps of a path such as `$.a['b c'][0]`; undefined for other syntax. */
function readPath(path: unknown): readonly (string | number)[] | undefined {
  if (typeof path !== "string" || !path.startsWith("$")) return undefined;
  const steps: (string | number)[] = [];
  let at = 1;
  while (at < path.length) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    if (found === null) return undefined;
    const [text, name, index, single, double] = found;
    const quoted = single ?? double;
    steps.push(
      index === undefined ? name ?? quoted?.replace(/\\(.)/g, "$1") ?? "" : Number(index),
    );
    at += text.length;
  }
  return steps.length > 0 ? steps : undefined;
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

function valueOf(piece: JsonObject): unknown {
  if ("nullValue" in piece) return null;
  return piece.stringValue ?? piece.numberValue ?? piece.boolValue;
}

function toValue(node: Node): unknown {
  switch (node.type) {
    case "leaf":
      return node.value;
    case "array":
      return node.items.map(toValue);
    case "object":
      return Object.fromEntries([...node.members].map(([name, member]) => [name, toValue(member)]));
  }
}
