/** Removes alternatives from the root of tool parameters, since some vendors reject them. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { resolveRef } from "./json_schema.ts";
import { JsonSizes } from "./inline_refs.ts";

/**
 * Merges the branches of `anyOf`, `oneOf` and `allOf` at the root of an object schema. The result
 * has the members of all branches. A member is required if every combination of branches requires
 * it. The result allows everything that the schema allows. A schema without branches is returned
 * unchanged.
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
/**
 * The maximum depth of a schema, in levels; no real schema is deeper, and the stack is sufficient.
 */
const MAX_DEPTH = 100;
/** The maximum growth of the members over the size of the schema, in characters. */
const MAX_GROWTH = 500_000;
/** The maximum number of lookups of required names. Names beyond it count as optional. */
const MAX_LOOKUPS = 100_000;

/** Merges schemas. Each schema is read once, so that recursion terminates. */
class Merger {
  readonly #root: JsonObject;
  /** The schemas of each member. */
  readonly #members = new Map<string, Set<unknown>>();
  readonly #required = new Map<JsonObject, Set<string>>();
  #lookupsLeft = MAX_LOOKUPS;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /**
   * The names that every combination of branches requires. Collects the members of all branches.
   */
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

  /** The collected members. A member that would be too large allows any value. */
  toProperties(): JsonObject {
    const sizes = new JsonSizes();
    let size = 0;
    const isTooLarge = () => size > MAX_GROWTH && size > sizes.of(this.#root) + MAX_GROWTH;
    const properties = [...this.#members].map(([name, schemas]): [string, unknown] => {
      for (const one of schemas) size += sizes.of(one);
      return [name, isTooLarge() ? {} : mergeSchemas(schemas)];
    });
    return Object.fromEntries(properties);
  }

  #takeMembers({ properties }: JsonObject): void {
    for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
      const schemas = this.#members.get(name);
      if (schemas === undefined) this.#members.set(name, new Set([member]));
      else schemas.add(member);
    }
  }

  /** Adds the names that all of these alternatives require. */
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

/** One schema for a member with several schemas, without duplicates. */
function mergeSchemas(schemas: ReadonlySet<unknown>): unknown {
  const [first, ...others] = schemas;
  if (others.length === 0) return first;
  const distinct = new Map([...schemas].map((schema) => [JSON.stringify(schema), schema]));
  return distinct.size === 1 ? first : { anyOf: [...distinct.values()] };
}
