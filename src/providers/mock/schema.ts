/**
 * Generates a small value that matches a JSON Schema, as a model that follows the schema would. It
 * is deterministic. The schema comes from a caller, so the work is bounded for any references.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";

/** Schemas that all apply to one value. */
/** A type that all layers allow, null last; undefined when no layer restricts it. */
function typeFor(layers: Layers): string | undefined {
  let allowed: readonly string[] | undefined;
  for (const { type } of layers) {
    const types = (Array.isArray(type) ? type.slice(0, TYPES.length) : [type])
      .filter((one): one is string => typeof one === "string");
    if (types.length === 0) continue;
    allowed = allowed === undefined
      ? types
      : allowed.flatMap((one) =>
        types.includes(one)
          ? [one]
          : one === "number" && types.includes("integer")
          ? ["integer"]
          : []
      );
  }
  if (allowed !== undefined) return allowed.find((type) => type !== "null") ?? allowed[0];
  return TYPES.find((type) => layers.some((layer) => KEYWORDS[type].some((name) => name in layer)));
}

/** Keywords that imply a type. */
const KEYWORDS = {
  object: ["properties", "required", "additionalProperties", "minProperties"],
  array: ["items", "prefixItems", "minItems", "contains"],
  string: ["pattern", "format", "minLength", "maxLength"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: [],
  boolean: [],
  null: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const TYPES = Object.keys(KEYWORDS) as readonly (keyof typeof KEYWORDS)[];

/** Whether a value has a type of JSON Schema. */
function isOfType(value: unknown, type: string): boolean {
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  const plain = value;
  if (type === "integer") return Number.isInteger(plain);
  const found: string = typeof plain;
  return found === type;
}

/** A number within its bounds: 1 if possible. */
function numberFor(layers: Layers, isInteger: boolean, variant: number): number {
  const keyword = (name: string) => layers.map((layer) => layer[name]);
  const least = largest([...keyword("minimum"), ...keyword("exclusiveMinimum")], -Infinity);
  const most = smallest([...keyword("maximum"), ...keyword("exclusiveMaximum")], Infinity);
  const excluded = [...keyword("exclusiveMinimum"), ...keyword("exclusiveMaximum")];
  const near = Math.min(Math.max(1, least), most);
  const step = smallest(keyword("multipleOf").filter((one) => Number(one) > 0), Infinity);
  if (isInteger || step !== Infinity) {
    return multipleOf(step === Infinity ? 1 : step, near, most, excluded, variant);
  }
  if (!excluded.includes(near) && near + variant <= most) return near + variant;
  if (least !== -Infinity && most !== Infinity) return least + (most - least) / (2 + variant);
  return most === Infinity ? least + 1 + variant : most - 1 - variant;
}

/** A multiple at or above `near`, else one at or below `most`. */
function multipleOf(
  step: number,
  near: number,
  most: number,
  excluded: readonly unknown[],
  variant: number,
): number {
  const up = Math.ceil(near / step) + variant;
  for (const count of [up, up + 1]) {
    if (count * step <= most && !excluded.includes(count * step)) return count * step;
  }
  const down = Math.floor(most / step) - variant;
  return (excluded.includes(down * step) ? down - 1 : down) * step;
}

/** The largest number. */
function largest(values: readonly unknown[], otherwise: number): number {
  return values.reduce<number>(
    (most, value) => typeof value === "number" ? Math.max(most, value) : most,
    otherwise,
  );
}

/** The smallest number. */
function smallest(values: readonly unknown[], otherwise: number): number {
  return values.reduce<number>(
    (least, value) => typeof value === "number" ? Math.min(least, value) : least,
    otherwise,
  );
}

/**
 * A text of a valid length, in the format if that is known. `pattern` is ignored.
 *
 * @param spend counts UTF-16 units; false when there are too many
 */
function textFor(
  layers: Layers,
  variant: number,
  spend: (length: number) => boolean,
): string | undefined {
  const least = largest(layers.map(({ minLength }) => minLength), 0);
  const most = smallest(layers.map(({ maxLength }) => maxLength), Infinity);
  const format = layers.map((layer) => layer.format).find((one) => typeof one === "string");
  if (!spend(least)) return undefined;
  const formatted = FORMATS.get(String(format));
  if (formatted !== undefined) return formatted;
  const text = variant === 0 ? WORD : `${WORD}${variant + 1}`;
  return text.padEnd(least, WORD).slice(0, most);
}

const WORD = "mock";

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["date-time", "2026-01-01T00:00:00Z"],
  ["date", "2026-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "P1D"],
  ["email", "mock@example.com"],
  ["idn-email", "mock@example.com"],
  ["hostname", "example.com"],
  ["idn-hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uri", "https://example.com/"],
  ["uri-reference", "https://example.com/"],
  ["iri", "https://example.com/"],
  ["iri-reference", "https://example.com/"],
  ["url", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
  ["json-pointer", "/mock"],
  ["regex", "mock"],
]);

/** The maximum number of schemas, branches and names that are visited for one value. */
const MAX_STEPS = 10_000;
/** The maximum length of texts for one value, in UTF-16 units. */
const MAX_TEXT_LENGTH = 200_000;
/** The maximum nesting of schemas. */
const MAX_DEPTH = 100;

/** Longer references are not followed, in UTF-16 units. */
const MAX_REFERENCE_LENGTH = 1000;

/** No finite value matches. */
const NONE = Symbol("no value");

/** A value that matches the schema; an empty object if none is found within the limits. */
export function toValue(schema: unknown): unknown {
  const value = new ValueBuilder(schema).of(schema);
  return value === NONE ? {} : value;
}

/** Schemas that all apply to one value: a schema, and those of `$ref`, `allOf` and branches. */
type Layers = readonly JsonObject[];

class ValueBuilder {
  readonly #root: unknown;
  readonly #targets = new Map<string, unknown>();
  /** The references on the current path. A repeated one would not terminate. */
  readonly #open = new Set<string>();
  #steps = MAX_STEPS;
  #text = MAX_TEXT_LENGTH;
  #depth = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** @param variant selects one of several values, if they must differ */
  of(schema: unknown, variant = 0): unknown {
    return this.#within(schema, (layers) => this.#fit(layers, groupsOf(layers), variant));
  }

  /** Resolves the references of a schema while `use` runs. */
  #within(schema: unknown, use: (layers: Layers) => unknown): unknown {
    if (this.#depth >= MAX_DEPTH || this.#text < 0) return NONE;
    const opened: string[] = [];
    const layers = this.#layersOf(schema, opened);
    this.#depth++;
    const value = layers === undefined ? NONE : use(layers);
    this.#depth--;
    for (const reference of opened) this.#open.delete(reference);
    return value;
  }

  #layersOf(schema: unknown, opened: string[]): Layers | undefined {
    const layers: JsonObject[] = [];
    const waiting = [schema];
    for (const next of waiting) {
      if (!this.#step() || next === false) return undefined;
      if (!isObject(next)) continue;
      layers.push(next);
      const { $ref, allOf } = next;
      if (typeof $ref === "string" && $ref.length <= MAX_REFERENCE_LENGTH) {
        if (this.#open.has($ref)) return undefined;
        this.#open.add($ref);
        opened.push($ref);
        waiting.push(this.#targetOf($ref));
      }
      for (const part of listOf(allOf)) {
        if (!this.#step()) return undefined;
        waiting.push(part);
      }
    }
    return layers;
  }

  /** The target of a reference into the schema. Any value matches other references. */
  #targetOf(reference: string): unknown {
    const known = this.#targets.get(reference);
    if (known !== undefined) return known;
    let target: unknown = /^#(?:\/|$)/.test(reference) ? this.#root : true;
    for (const step of reference.split("/").slice(1)) {
      target = memberOf(target, unescaped(step));
    }
    this.#targets.set(reference, target ?? true);
    return target ?? true;
  }

  /** Uses the first branch of each `anyOf` and `oneOf` that has a value, null last. */
  #fit(layers: Layers, [group, ...groups]: readonly unknown[][], variant: number): unknown {
    if (group === undefined) return this.#value(layers, variant);
    for (const isNullsTurn of [false, true]) {
      for (const branch of group) {
        if (!this.#step(layers.length)) return NONE;
        if (isNull(branch) !== isNullsTurn) continue;
        const value = this.#within(branch, (more) => {
          const all = [...groups, ...groupsOf(more)];
          return this.#fit([...layers, ...more], all, variant);
        });
        if (value !== NONE) return value;
      }
    }
    return NONE;
  }

  #value(layers: Layers, variant: number): unknown {
    const type = typeFor(layers);
    const fixed = layers.find((layer) => "const" in layer || Array.isArray(layer.enum));
    if (fixed !== undefined) return this.#fixed(fixed, type, variant);
    switch (type) {
      case "object":
        return this.#object(layers);
      case "array":
        return this.#array(layers);
      case "boolean":
        return variant % 2 === 0;
      case "null":
        return null;
      case "integer":
      case "number":
        return numberFor(layers, type === "integer", variant);
      default: {
        const text = textFor(layers, variant, (length) => this.#write(length));
        return text ?? NONE;
      }
    }
  }

  /** A value of `const` or `enum`. */
  #fixed(layer: JsonObject, type: string | undefined, variant: number): unknown {
    const values = "const" in layer ? [layer.const] : listOf(layer.enum);
    for (let index = 0; index < values.length && this.#step(); index++) {
      const value = values[(variant + index) % values.length];
      if (type !== undefined && !isOfType(value, type)) continue;
      return this.#write(JSON.stringify(value)?.length ?? 0) ? value : NONE;
    }
    return NONE;
  }

  #object(layers: Layers): unknown {
    const members = new Map<string, unknown>();
    for (const { required } of layers) {
      for (const name of listOf(required)) {
        if (!this.#step(layers.length)) return NONE;
        if (typeof name !== "string" || members.has(name)) continue;
        const value = this.#write(name.length) ? this.#member(layers, name) : NONE;
        if (value === NONE) return NONE;
        members.set(name, value);
      }
    }
    return this.#filled(members, layers) ? Object.fromEntries(members) : NONE;
  }

  /** The value of a member, from all layers that define it. */
  #member(layers: Layers, name: string): unknown {
    const own = layers.map(({ properties }) => memberOf(properties, name))
      .filter((schema) => schema !== undefined);
    if (own.length === 0) {
      own.push(...layers.map((layer) => layer.additionalProperties).filter(isObject));
    }
    return this.of(own.length === 1 ? own[0] : { allOf: own });
  }

  /** Adds members up to `minProperties`: those of the schema, then others. */
  #filled(members: Map<string, unknown>, layers: Layers): boolean {
    const least = largest(layers.map(({ minProperties }) => minProperties), 0);
    if (members.size >= least) return true;
    const named = layers.flatMap(({ properties }) => namesOf(properties));
    if (!this.#step(named.length)) return false;
    for (let index = 0; members.size < least; index++) {
      const name = named[index] ?? `mock${index}`;
      if (!this.#step(layers.length) || !this.#write(name.length)) return false;
      if (members.has(name)) continue;
      const value = this.#member(layers, name);
      if (value !== NONE) members.set(name, value);
    }
    return true;
  }

  /** As few items as possible, but one if the schema defines items. */
  #array(layers: Layers): unknown {
    const [prefix = []] = layers.flatMap(({ prefixItems, items }) =>
      [prefixItems, items].filter(Array.isArray)
    );
    const [rest] = layers.flatMap(({ items, contains }) =>
      [items, contains].filter((one) => isObject(one))
    );
    const least = largest(layers.map(({ minItems }) => minItems), 0);
    const most = smallest(layers.map(({ maxItems }) => maxItems), Infinity);
    const wanted = Math.min(most, Math.max(least, prefix.length, rest === undefined ? 0 : 1));
    const differs = layers.some(({ uniqueItems }) => uniqueItems === true);
    const values: unknown[] = [];
    while (values.length < wanted) {
      const value = this.of(prefix[values.length] ?? rest, differs ? values.length : 0);
      if (value === NONE) return values.length < least ? NONE : values;
      values.push(value);
    }
    return values;
  }

  /** Counts one unit of work; returns false when the limit is reached. */
  #step(count = 1): boolean {
    this.#steps -= count;
    return this.#steps >= 0;
  }

  /** Counts text; false when the limit is reached. */
  #write(length: number): boolean {
    this.#text -= length;
    return this.#text >= 0;
  }
}

function groupsOf(layers: Layers): unknown[][] {
  return layers.flatMap(({ anyOf, oneOf }) =>
    [anyOf, oneOf].filter((group): group is unknown[] => Array.isArray(group))
  );
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && (schema.type === "null" || schema.const === null);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function namesOf(properties: unknown): string[] {
  return isObject(properties) ? Object.keys(properties) : [];
}

/** An own member of an object or a list. */
function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Decodes a step of a JSON pointer in a URL. */
function unescaped(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A literal percent sign.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
