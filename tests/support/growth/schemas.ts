/** JSON Schemas, each of which grows in one way. */

import type { JsonObject } from "../../../src/contract/chat.ts";

/** Creates a schema of a size: the number of entries, members, levels or references. */
export type MakeSchema = (size: number) => JsonObject;

const TEXT = { type: "string" };

/** A list of `n` values. */
export function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** An object with `n` members. */
export function members(count: number, make: (index: number) => unknown): JsonObject {
  return Object.fromEntries(many(count, (index) => [`m${index}`, make(index)]));
}

/**
 * A name whose characters vendors reject: all names are alike when each character is replaced by
 * `_`. Its length is constant, so that an input of `n` names grows in proportion to `n`.
 */
export function replacedName(index: number): string {
  return index.toString(2).padStart(20, "0").replaceAll("0", "é").replaceAll("1", "ü");
}

/** A value nested `n` levels deep. */
export function nested(depth: number, wrap: (inner: JsonObject) => JsonObject, core = {}) {
  let value: JsonObject = core;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

/** The size of each level of schemas that grow in depth. */
const MEMBERS_PER_LEVEL = 64;

function object(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...rest };
}

/** Recursive definitions, so that none can be inlined. */
function recursive(path: string): JsonObject {
  return object({ next: { $ref: path } });
}

/** Schemas that grow in width. */
export const LISTS: Readonly<Record<string, MakeSchema>> = {
  "members": (n) => object(members(n, () => TEXT)),
  "required members": (n) =>
    object(members(n, () => TEXT), {
      required: many(n, (at) => `m${at}`),
      additionalProperties: false,
    }),
  "required alone": (n) => object({}, { required: many(n, String) }),
  "an enumeration": (n) => object({ a: { enum: many(n, String) } }),
  "an enumeration of objects": (n) => object({ a: { enum: many(n, (at) => ({ at })) } }),
  "a list of types": (n) => object({ a: { type: many(n, () => "string") } }),
  "anyOf": (n) => object({ a: { anyOf: many(n, (at) => ({ const: at })) } }),
  "oneOf": (n) => object({ a: { oneOf: many(n, (at) => ({ const: at })) } }),
  "allOf with a member each": (n) =>
    object({ a: { allOf: many(n, (at) => object({ [`m${at}`]: TEXT })) } }),
  "allOf with a required name each": (n) =>
    object({ a: { allOf: many(n, (at) => ({ required: [`m${at}`] })) } }),
  "allOf with a keyword each": (n) =>
    object({ a: { allOf: many(n, (at) => ({ [`k${at}`]: at })) } }),
  "anyOf at the root": (n) => ({
    ...object({}),
    anyOf: many(n, (at) => object({ [`m${at}`]: TEXT })),
  }),
  "anyOf at the root with one member that differs": (n) => ({
    ...object({}),
    anyOf: many(n, (at) => object({ m: { const: at } }, { required: ["m", `r${at}`] })),
  }),
  "allOf at the root": (n) => ({
    ...object({}),
    allOf: many(n, (at) => object({ [`m${at}`]: TEXT }, { required: [`m${at}`] })),
  }),
  "prefixItems": (n) => object({ a: { type: "array", prefixItems: many(n, () => TEXT) } }),
  "a list of items": (n) => object({ a: { type: "array", items: many(n, () => TEXT) } }),
  "pattern properties": (n) => object({}, { patternProperties: members(n, () => TEXT) }),
  "dependent schemas": (n) => object({}, { dependentSchemas: members(n, () => TEXT) }),
  "unknown keywords": (n) => object({ a: { ...TEXT, ...members(n, (at) => at) } }),
  "keywords with x-": (n) => object({ a: Object.fromEntries(many(n, (at) => [`x-${at}`, at])) }),
  "definitions that nothing refers to": (n) => object({}, { $defs: members(n, () => TEXT) }),
  "a default value": (n) => object({ a: { default: members(n, (at) => [at]) } }),
};

/** The path of a member at a depth. */
function pointer(depth: number): string {
  return `#${"/properties/a".repeat(depth)}`;
}

/** An object with many members for each level above it. */
function large(depth: number): JsonObject {
  return object(members(MEMBERS_PER_LEVEL * depth, () => TEXT));
}

/** Schemas that grow in depth, up to the limit of nesting. */
export const DEPTHS: Readonly<Record<string, MakeSchema>> = {
  "objects in objects": (n) => nested(n, (inner) => object({ a: inner }), TEXT),
  "objects that are required": (n) =>
    nested(
      n,
      (a) => object({ a, b: TEXT }, { required: ["a", "b"], additionalProperties: false }),
      TEXT,
    ),
  "items in items": (n) => object({ a: nested(n, (items) => ({ type: "array", items }), TEXT) }),
  "anyOf in anyOf": (n) => object({ a: nested(n, (a) => ({ anyOf: [a, TEXT] }), TEXT) }),
  "allOf in allOf": (n) =>
    object({
      a: nested(n, (a) => ({ allOf: [a] }), large(n)),
    }),
  "allOf in allOf with a member each": (n) => {
    let level = 0;
    return object({
      a: nested(n, (a) => ({ allOf: [a, object({ [`m${level++}`]: TEXT })] }), TEXT),
    });
  },
  "anyOf in anyOf at the root": (n) => ({
    ...object({}),
    ...nested(n, (a) => ({ anyOf: [a] }), large(n)),
  }),
  "not in not": (n) => object({ a: nested(n, (not) => ({ not })) }),
  "additionalProperties in each other": (n) =>
    nested(n, (additionalProperties) => object({}, { additionalProperties })),
  "a chain": (n) =>
    object({ a: { $ref: "#/$defs/m0" } }, {
      $defs: members(n, (at) => ({ $ref: `#/$defs/m${at + 1}` })),
    }),
  "a chain with members": (n) =>
    object({ a: { $ref: "#/$defs/m0" } }, {
      $defs: members(n, (at) => object({ b: TEXT, c: { $ref: `#/$defs/m${at + 1}` } })),
    }),
  "all chains to one end": (n) =>
    object(members(n, (at) => ({ $ref: `#/$defs/m${at}` })), {
      $defs: members(n, (at) => ({ $ref: `#/$defs/m${at + 1}` })),
    }),
  "references to every level of a deep member": (n) =>
    object({
      a: nested(n, (a) => object({ a, b: TEXT }), large(n)),
      ...members(n, (at) => ({ $ref: pointer(at + 1) })),
    }),
  "references within a deep member to the level below": (n) => {
    let depth = n;
    const deep = nested(depth, (a) => object({ a, b: { $ref: pointer(depth-- + 1) } }), TEXT);
    return object({ a: deep });
  },
  "anyOf of every level of a deep member": (n) => ({
    ...object({ a: nested(n, (a) => object({ a }), large(n)) }),
    anyOf: many(n, (at) => ({ $ref: pointer(at + 1) })),
  }),
};

/** Schemas that grow in the targets of references. */
export const REFERENCES: Readonly<Record<string, MakeSchema>> = {
  "references to one definition": (n) =>
    object(members(n, () => ({ $ref: "#/$defs/d" })), { $defs: { d: TEXT } }),
  "references to one large definition": (n) =>
    object(members(n, () => ({ $ref: "#/$defs/d" })), {
      $defs: { d: object(members(n, () => TEXT)) },
    }),
  "references with keywords beside them": (n) =>
    object(members(n, (at) => ({ $ref: "#/$defs/d", title: `t${at}` })), { $defs: { d: TEXT } }),
  "references to a definition each": (n) =>
    object(members(n, (at) => ({ $ref: `#/$defs/m${at}` })), { $defs: members(n, () => TEXT) }),
  "references that lead nowhere": (n) =>
    object(members(n, (at) => ({ $ref: `#/$defs/none${at}` }))),
  "references to the root": (n) => object(members(n, () => ({ $ref: "#" }))),
  "definitions that come back to themselves": (n) =>
    object(members(n, (at) => ({ $ref: `#/$defs/m${at}` })), {
      $defs: members(n, (at) => recursive(`#/$defs/m${at}`)),
    }),
  "references that end in the same segment": (n) =>
    object(members(n, (at) => ({ $ref: `#/$defs/m${at}/properties/x` })), {
      $defs: members(n, (at) => object({ x: recursive(`#/$defs/m${at}/properties/x`) })),
    }),
  "names that differ by what is replaced": (n) =>
    object(members(n, (at) => ({ $ref: `#/$defs/${replacedName(at)}` })), {
      $defs: Object.fromEntries(many(n, (at) => {
        const name = replacedName(at);
        return [name, recursive(`#/$defs/${name}`)];
      })),
    }),
  "a circle": (n) =>
    object({ a: { $ref: "#/$defs/m0" } }, {
      $defs: members(n, (at) => object({ c: { $ref: `#/$defs/m${(at + 1) % n}` } })),
    }),
  "definitions that double": (n) =>
    object({ a: { $ref: "#/$defs/m0" } }, {
      $defs: members(n, (at) => {
        const next = { $ref: `#/$defs/m${at + 1}` };
        return object({ l: next, r: next });
      }),
    }),
  "alternatives that double": (n) =>
    object({ a: { $ref: "#/$defs/m0" } }, {
      $defs: members(n, (at) => {
        const next = { $ref: `#/$defs/m${at + 1}` };
        return { anyOf: [next, next] };
      }),
    }),
  "a long pointer": (n) => object({ a: { $ref: `#/${"a/".repeat(n * 8)}` } }),
  "a long pointer that leads to a definition": (n) => {
    const name = "a".repeat(n * 8);
    return object({ a: { $ref: `#/$defs/${name}/properties/next` } }, {
      $defs: { [name]: object({ next: recursive(`#/$defs/${name}/properties/next`) }) },
    });
  },
  "a long pointer with escapes": (n) => {
    const path = `#/$defs/${"~1%41".repeat(n)}`;
    return object({ a: { $ref: path } }, { $defs: { ["/A".repeat(n)]: recursive(path) } });
  },
  "anyOf of references to one large definition": (n) => ({
    ...object({}),
    anyOf: many(n, () => ({ $ref: "#/$defs/d" })),
    $defs: { d: object(members(n, () => TEXT), { required: many(n, (at) => `m${at}`) }) },
  }),
  "anyOf of definitions that share a large one": (n) => ({
    ...object({}),
    anyOf: many(n, (at) => ({ $ref: `#/$defs/m${at}` })),
    $defs: {
      ...members(n, (at) => ({ $ref: "#/$defs/d", title: `t${at}` })),
      d: object(members(n, () => TEXT), { required: many(n, (at) => `m${at}`) }),
    },
  }),
  "allOf of references to one large definition": (n) => ({
    ...object({}),
    allOf: many(n, () => ({ $ref: "#/$defs/d" })),
    $defs: { d: object(members(n, () => TEXT)) },
  }),
  "allOf in a member, of references to one large definition": (n) =>
    object({ a: { allOf: many(n, () => ({ $ref: "#/$defs/d" })) } }, {
      $defs: { d: object(members(n, () => TEXT), { required: many(n, String) }) },
    }),
};
