/** Generates texts and numbers that match JSON Schemas. */

import type { JsonObject } from "../../chat/chat.ts";

/** Schemas that all apply to one value. */
type Layers = readonly JsonObject[];

/** A type that all layers allow, null last; undefined when no layer restricts it. */
export function typeFor(layers: Layers): string | undefined {
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
export function isOfType(value: unknown, type: string): boolean {
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  const plain = value;
  if (type === "integer") return Number.isInteger(plain);
  const found: string = typeof plain;
  return found === type;
}

/** A number within its bounds: 1 if possible. */
export function numberFor(layers: Layers, isInteger: boolean, variant: number): number {
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
export function largest(values: readonly unknown[], otherwise: number): number {
  return values.reduce<number>(
    (most, value) => typeof value === "number" ? Math.max(most, value) : most,
    otherwise,
  );
}

/** The smallest number. */
export function smallest(values: readonly unknown[], otherwise: number): number {
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
export function textFor(
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
