/** Tool parameters without alternatives at their root, which some vendors refuse. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { resolveRef } from "./inline_refs.ts";

/**
 * An object schema without `anyOf`, `oneOf` and `allOf` at its root: the members of all
 * branches, of which those are required that no way through the branches does without. It
 * allows what the schema allows, and more; one without such branches is returned as it is.
 */
export function withoutRootBranches(schema: JsonObject): JsonObject {
  if (!BRANCHES.some((keyword) => schema[keyword] !== undefined)) return schema;
  const { members, required } = new Merger(schema).membersOf(schema);
  const { anyOf: _, oneOf: __, allOf: ___, required: ____, ...rest } = schema;
  const properties = [...members].map(([name, said]): [string, unknown] => {
    const ways = [...said.values()];
    return [name, ways.length === 1 ? ways[0] : { anyOf: ways }];
  });
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
  };
}

const BRANCHES = ["anyOf", "oneOf", "allOf"] as const;
/** Deeper than any schema of use, and well above what our own recursion can bear. */
const MAX_DEPTH = 100;

/** What an object may hold. */
interface Members {
  /** The schemas of each member, by their text, so that none is there twice. */
  readonly members: Map<string, Map<string, unknown>>;
  readonly required: Set<string>;
}

class Merger {
  readonly #root: JsonObject;
  /** Each schema is read once; one that comes back to itself adds nothing to itself. */
  readonly #known = new Map<JsonObject, Members>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  membersOf(schema: JsonObject, depth = 0): Members {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const found: Members = { members: new Map(), required: new Set() };
    this.#known.set(schema, found);
    if (depth > MAX_DEPTH) return found;
    const { properties, required } = schema;
    for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
      found.members.set(name, new Map([[JSON.stringify(member), member]]));
    }
    for (const name of Array.isArray(required) ? required : []) {
      if (typeof name === "string") found.required.add(name);
    }
    const inside = (branch: unknown) => this.membersOf(isObject(branch) ? branch : {}, depth + 1);
    const target = resolveRef(this.#root, schema.$ref);
    if (target !== undefined) add(found, [inside(target)]);
    for (const keyword of BRANCHES) {
      const value = schema[keyword];
      const branches = Array.isArray(value) ? value.map(inside) : [];
      if (keyword !== "allOf") add(found, branches);
      else for (const branch of branches) add(found, [branch]);
    }
    return found;
  }
}

/** Adds branches of which one will do: what only some of them require is not required. */
function add(found: Members, branches: readonly Members[]): void {
  for (const { members } of branches) {
    for (const [name, said] of members) {
      const all = found.members.get(name) ?? new Map<string, unknown>();
      for (const [text, schema] of said) all.set(text, schema);
      found.members.set(name, all);
    }
  }
  const [first, ...others] = branches;
  for (const name of first?.required ?? []) {
    if (others.every(({ required }) => required.has(name))) found.required.add(name);
  }
}
