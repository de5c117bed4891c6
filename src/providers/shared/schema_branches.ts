/** Tool parameters without alternatives at their root, which some vendors refuse. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { resolveRef } from "./inline_refs.ts";
import { JsonSizes } from "./json_size.ts";

/**
 * An object schema without `anyOf`, `oneOf` and `allOf` at its root: the members of all
 * branches, of which those are required that no way through the branches does without. It
 * allows what the schema allows, and more; one without such branches is returned as it is.
 */
export function withoutRootBranches(schema: JsonObject): JsonObject {
  if (!BRANCHES.some((keyword) => schema[keyword] !== undefined)) return schema;
  const merger = new Merger(schema);
  const required = merger.requiredOf(schema);
  const { anyOf: _, oneOf: __, allOf: ___, required: ____, ...rest } = schema;
  return {
    ...rest,
    properties: merger.toProperties(),
    ...(required.size > 0 && { required: [...required] }),
  };
}

const BRANCHES = ["anyOf", "oneOf", "allOf"] as const;
/** Deeper than any schema of use, and well above what our own recursion can bear. */
const MAX_DEPTH = 100;
/** How much longer the members may be than the schema that they are from, in characters. */
const MAX_GROWTH = 500_000;
/** How many names are looked up to find out what is required: others count as not required. */
const MAX_LOOKUPS = 100_000;

/** Reads each schema once; one that comes back to itself adds nothing to itself. */
class Merger {
  readonly #root: JsonObject;
  /** The schemas of each member. */
  readonly #members = new Map<string, Set<unknown>>();
  readonly #required = new Map<JsonObject, Set<string>>();
  #lookupsLeft = MAX_LOOKUPS;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** What no way through a schema's branches does without; takes the members of all of them. */
  requiredOf(schema: JsonObject, depth = 0): ReadonlySet<string> {
    const known = this.#required.get(schema);
    if (known !== undefined) return known;
    const required = new Set<string>();
    this.#required.set(schema, required);
    if (depth > MAX_DEPTH) return required;
    this.#takeMembers(schema);
    for (const name of Array.isArray(schema.required) ? schema.required : []) {
      if (typeof name === "string") required.add(name);
    }
    const inside = (branch: unknown) => this.requiredOf(isObject(branch) ? branch : {}, depth + 1);
    const target = resolveRef(this.#root, schema.$ref);
    if (target !== undefined) this.#addCommon(required, [inside(target)]);
    for (const keyword of BRANCHES) {
      const value = schema[keyword];
      const branches = Array.isArray(value) ? value.map(inside) : [];
      if (keyword !== "allOf") this.#addCommon(required, branches);
      else for (const branch of branches) this.#addCommon(required, [branch]);
    }
    return required;
  }

  /** The members of all schemas that were read; one that would be too large may be anything. */
  toProperties(): JsonObject {
    const sizes = new JsonSizes();
    let size = 0;
    const isTooLarge = () => size > MAX_GROWTH && size > sizes.of(this.#root) + MAX_GROWTH;
    const properties = [...this.#members].map(([name, said]): [string, unknown] => {
      for (const one of said) size += sizes.of(one);
      return [name, isTooLarge() ? {} : toOne(said)];
    });
    return Object.fromEntries(properties);
  }

  #takeMembers({ properties }: JsonObject): void {
    for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
      const said = this.#members.get(name);
      if (said === undefined) this.#members.set(name, new Set([member]));
      else said.add(member);
    }
  }

  /** Adds what all of these branches require, of which one will do. */
  #addCommon(required: Set<string>, branches: readonly ReadonlySet<string>[]): void {
    const [first, ...others] = new Set(branches);
    for (const name of first ?? []) {
      if (this.#lookupsLeft-- <= 0) return;
      const common = others.every((other) => {
        this.#lookupsLeft--;
        return other.has(name);
      });
      if (common) required.add(name);
    }
  }
}

/** One schema for a member that several schemas describe, in which none of them is there twice. */
function toOne(said: ReadonlySet<unknown>): unknown {
  const [first, ...others] = said;
  if (others.length === 0) return first;
  const ways = new Map([...said].map((schema) => [JSON.stringify(schema), schema]));
  return ways.size === 1 ? first : { anyOf: [...ways.values()] };
}
