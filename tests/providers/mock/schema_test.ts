/** Values for JSON Schemas: each fits, as an independent reader of schemas finds, and none takes long. */

import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { toValue } from "../../../src/providers/mock/schema.ts";
import { Random } from "../../support/random.ts";

/** A schema, and the value for it. */
const VALUES: readonly (readonly [string, unknown, unknown])[] = [
  ["no schema", undefined, "mock"],
  ["any value", true, "mock"],
  ["an empty schema", {}, "mock"],
  ["no value at all", false, {}],
  ["a list where a schema is due", [1], "mock"],
  ["required members alone", {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "integer" }, c: { type: "null" } },
    required: ["b", "a"],
  }, { b: 1, a: "mock" }],
  ["a required member that is not described", { type: "object", required: ["a"] }, { a: "mock" }],
  ["members of one kind", {
    type: "object",
    required: ["a"],
    additionalProperties: { type: "number" },
  }, { a: 1 }],
  ["names that objects have", {
    required: ["__proto__", "constructor", "a"],
    properties: JSON.parse('{"__proto__": {"type": "number"}}'),
  }, JSON.parse('{"__proto__": 1, "constructor": "mock", "a": "mock"}')],
  ["a constant", { const: { a: [1] } }, { a: [1] }],
  ["one of several values", { enum: ["x", "y"] }, "x"],
  ["one of several values of a type", { enum: [null, "x", 7], type: "integer" }, 7],
  ["a type or null", { type: ["null", "number"] }, 1],
  ["nothing but null", { type: "null" }, null],
  ["no type but what objects have", { properties: {}, required: ["a"] }, { a: "mock" }],
  ["no type but what lists have", { items: { type: "number" } }, [1]],
  ["items", { type: "array", items: { type: "string" }, minItems: 2 }, ["mock", "mock"]],
  ["items of any kind", { type: "array" }, []],
  ["no items", { type: "array", items: { type: "string" }, maxItems: 0 }, []],
  ["a tuple", { prefixItems: [{ const: 1 }, { type: "boolean" }], items: false }, [1, true]],
  ["a lower bound", { type: "integer", minimum: 2.5 }, 3],
  ["an upper bound", { type: "integer", maximum: -2.5 }, -3],
  ["excluded bounds", { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 3 }, 2],
  ["a multiple", { type: "number", multipleOf: 5, minimum: 6 }, 10],
  ["a multiple below a bound", { type: "integer", multipleOf: 5, maximum: 3 }, 0],
  ["a fraction", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  ["a long text", { type: "string", minLength: 6 }, "mockmo"],
  ["a short text", { type: "string", maxLength: 2 }, "mo"],
  ["a format", { type: "string", format: "date-time" }, "2026-01-01T00:00:00Z"],
  ["a format that is not known", { type: "string", format: "isbn" }, "mock"],
  ["a pattern, which is not looked at", { type: "string", pattern: "^[A-Z]{2}-\\d+$" }, "mock"],
  ["a reference", { $ref: "#/$defs/A", $defs: { A: { const: 1 } } }, 1],
  ["a reference with names to be unescaped", {
    $ref: "#/$defs/a~1b%20~0",
    $defs: { "a/b ~": { const: 1 } },
  }, 1],
  ["a reference beside other keywords", {
    $ref: "#/$defs/A",
    required: ["b"],
    $defs: { A: { required: ["a"], properties: { a: { const: 1 } } } },
  }, { b: "mock", a: 1 }],
  ["a reference to nothing", { $ref: "#/$defs/None" }, "mock"],
  ["a reference elsewhere", { $ref: "https://example.com/schema#/a" }, "mock"],
  ["a reference to itself", { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } }, {}],
  ["a list that may be empty of what holds it", {
    $ref: "#/$defs/N",
    $defs: {
      N: {
        type: "object",
        required: ["kids"],
        properties: { kids: { type: "array", items: { $ref: "#/$defs/N" } } },
      },
    },
  }, { kids: [] }],
  ["a member that is null at the end", {
    $ref: "#/$defs/N",
    $defs: {
      N: {
        type: "object",
        required: ["next"],
        properties: { next: { anyOf: [{ $ref: "#/$defs/N" }, { type: "null" }] } },
      },
    },
  }, { next: null }],
  ["what never ends", {
    $ref: "#/$defs/N",
    $defs: {
      N: { type: "object", required: ["n"], properties: { n: { $ref: "#/$defs/N" } } },
    },
  }, {}],
  ["a branch, null last", { anyOf: [{ type: "null" }, { type: "integer" }] }, 1],
  ["a branch that has a value", { oneOf: [false, { const: 2 }] }, 2],
  ["branches beside members", {
    type: "object",
    required: ["a"],
    properties: { a: { const: 1 } },
    anyOf: [{ required: ["b"], properties: { b: { const: 2 } } }],
    oneOf: [{ required: ["c"], properties: { c: { const: 3 } } }],
  }, { a: 1, b: 2, c: 3 }],
  ["branches within branches", { anyOf: [{ oneOf: [{ anyOf: [{ const: 1 }] }] }] }, 1],
  ["all of several", {
    allOf: [{ type: "object", required: ["a"] }, { required: ["b"] }, {
      properties: { a: { minimum: 3 } },
    }],
    properties: { a: { type: "integer", maximum: 4 } },
  }, { a: 3, b: "mock" }],
  ["a reference to branches", {
    $ref: "#/$defs/A",
    $defs: { A: { anyOf: [{ const: 1 }, { type: "string" }] } },
  }, 1],
  ["all of several references", {
    allOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }],
    $defs: {
      A: { required: ["a"], properties: { a: { const: 1 } } },
      B: { required: ["b"], properties: { b: { const: 2 } } },
    },
  }, { a: 1, b: 2 }],
  ["all of several branches", {
    allOf: [
      { anyOf: [{ required: ["a"] }, false] },
      { anyOf: [false, { required: ["b"] }] },
      { oneOf: [{ required: ["c"] }] },
    ],
    anyOf: [{ required: ["d"], anyOf: [{ required: ["e"] }] }],
  }, { a: "mock", b: "mock", c: "mock", d: "mock", e: "mock" }],
];

for (const [what, schema, expected] of VALUES) {
  Deno.test(`toValue() knows ${what}`, () => {
    assertEquals(toValue(schema), expected);
  });
}

/** Makes schemas of every kind that have a value, within a depth. */
class Schemas {
  readonly #random: Random;
  readonly #defs: Record<string, unknown> = {};
  #isDefined = false;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  next(): Record<string, unknown> {
    for (const name of ["A", "B"]) this.#defs[name] = this.#object(2);
    this.#isDefined = true;
    return { ...this.#object(3), $defs: this.#defs };
  }

  #any(depth: number): Record<string, unknown> {
    const kinds = [() => this.#text(), () => this.#number(), () => this.#choice()];
    const deep = [
      () => this.#object(depth - 1),
      () => this.#list(depth - 1),
      () => ({ anyOf: [this.#any(depth - 1), { type: "null" }] }),
      () => this.#reference(),
    ];
    return this.#random.pick(depth > 0 ? [...kinds, ...deep, ...deep] : kinds)();
  }

  /** Within a definition, one that may be null: what must hold itself has no value. */
  #reference(): Record<string, unknown> {
    const reference = { $ref: `#/$defs/${this.#random.pick(["A", "B"])}` };
    return this.#isDefined ? reference : { anyOf: [reference, { type: "null" }] };
  }

  #object(depth: number): Record<string, unknown> {
    const names = this.#random.some(["a", "b", "c", "d", "__proto__x"]);
    const properties = Object.fromEntries(names.map((name) => [name, this.#any(depth)]));
    return {
      type: "object",
      properties,
      required: this.#random.some(names, 0.8),
      additionalProperties: false,
    };
  }

  #list(depth: number): Record<string, unknown> {
    const minItems = this.#random.below(4);
    return { type: "array", items: this.#any(depth), minItems, maxItems: minItems + 2 };
  }

  #text(): Record<string, unknown> {
    const minLength = this.#random.below(9);
    return this.#random.pick<Record<string, unknown>>([
      { type: "string", minLength, maxLength: minLength + this.#random.below(3) },
      { type: "string", format: this.#random.pick(["date-time", "date", "email", "uuid", "uri"]) },
    ]);
  }

  #number(): Record<string, unknown> {
    const minimum = this.#random.below(20) - 10;
    return {
      type: this.#random.pick(["integer", "number"]),
      minimum,
      maximum: minimum + this.#random.below(5) + (this.#random.chance(0.5) ? 0.5 : 0),
    };
  }

  #choice(): Record<string, unknown> {
    return this.#random.pick<Record<string, unknown>>([
      { type: "boolean" },
      { enum: ["x", "y"] },
      { const: 7 },
      { type: ["string", "null"] },
    ]);
  }
}

Deno.test("toValue() matches 500 random schemas, deterministically", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const schema = new Schemas(seed).next();
    const value = toValue(schema);
    const { success, error } = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema)
      .safeParse(value);
    assert(success, `seed ${seed}: ${error}\n${JSON.stringify(schema)}\n${JSON.stringify(value)}`);
    assertEquals(JSON.stringify(toValue(schema)), JSON.stringify(value));
  }
});

const MANY = 200_000;
const numbered = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Each of 20 definitions refers twice to the next. */
const doubling = {
  $ref: "#/$defs/0",
  $defs: Object.fromEntries(numbered(20, (index) => [index, {
    type: "object",
    required: ["a", "b"],
    properties: {
      a: { $ref: `#/$defs/${index + 1}` },
      b: { $ref: `#/$defs/${index + 1}` },
    },
  }])),
};

/** A schema within a schema, many times. */
function nested(keyword: (inner: unknown) => unknown, depth: number): unknown {
  let schema: unknown = { const: 1 };
  for (let level = 0; level < depth; level++) schema = keyword(schema);
  return schema;
}

const pointer = `#/${"a/".repeat(MANY)}`;

/** Schemas that would take long, or for ever, if nothing were bounded. */
const HOSTILE: Readonly<Record<string, unknown>> = {
  "many required members": { required: numbered(MANY, String) },
  "many required members of every item": {
    type: "array",
    minItems: MANY,
    items: { $ref: "#/$defs/A" },
    $defs: { A: { required: numbered(MANY, () => 1) } },
  },
  "more items than there can be": { type: "array", items: { type: "null" }, minItems: 1e12 },
  "longer text than there can be": { type: "string", minLength: 1e12 },
  "references that double": doubling,
  "a long reference": { type: "array", minItems: MANY, items: { $ref: pointer } },
  "a large constant in every item": {
    type: "array",
    minItems: MANY,
    items: { const: "x".repeat(MANY) },
  },
  "many parts": { allOf: numbered(MANY, () => ({ required: ["a"] })) },
  "many parts beside many branches without a value": {
    allOf: numbered(5000, () => ({ $ref: "#/$defs/A", anyOf: [{}] })),
    anyOf: numbered(MANY, () => ({ enum: [] })),
    $defs: { A: {} },
  },
  "many branches without a value": { anyOf: numbered(MANY, () => false) },
  "branches of branches without a value": nested((inner) => ({ anyOf: [false, inner, inner] }), 40),
  "many groups": nested((inner) => ({ allOf: [inner], anyOf: [{ const: 1 }, {}] }), 2000),
  "many values of another type": {
    type: "array",
    minItems: MANY,
    items: { type: "string", enum: numbered(MANY, (index) => index) },
  },
  "lists within lists": nested((items) => ({ type: "array", items, minItems: 1 }), 5000),
  "branches beside many members": {
    properties: Object.fromEntries(numbered(MANY, (index) => [`p${index}`, true])),
    anyOf: numbered(MANY, () => ({ enum: [] })),
  },
};

for (const [what, schema] of Object.entries(HOSTILE)) {
  Deno.test(`toValue() of ${what} ends quickly with a small value`, () => {
    const began = performance.now();
    const text = JSON.stringify(toValue(schema));
    // A loaded machine may take a hundred times as long as an idle one; without bounds it is for ever.
    assert(performance.now() - began < 30_000);
    assert(text.length < 1_000_000, `${text.length}`);
  });
}
