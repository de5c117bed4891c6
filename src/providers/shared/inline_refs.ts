/** References inside a JSON Schema: where they lead, and the schema without them. */

import { isObject, type JsonObject } from "../../chat/chat.ts";

/** What a local `$ref` points at, or undefined for one that leads nowhere or out of the schema. */
export function resolveRef(root: JsonObject, ref: unknown): JsonObject | undefined {
  if (typeof ref !== "string" || !/^#(\/|$)/.test(ref)) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split("/").filter((step) => step !== "")) {
    const name = unescapePointer(step);
    if (!isObject(at) && !Array.isArray(at)) return undefined;
    if (!Object.hasOwn(at, name)) return undefined;
    at = (at as JsonObject)[name];
  }
  return isObject(at) ? at : undefined;
}

/**
 * A schema with its local references replaced by what they point at, for
 * vendors that follow none or follow them badly. Those that come back to
 * themselves stay, beside the definitions that they need, and so do those that
 * would make the schema huge, for a few definitions can be made to multiply
 * without bound. One that leads nowhere is left out.
 *
 * @param onLoss is called for each reference that is left out
 */
export function inlineRefs(schema: JsonObject, onLoss: () => void = () => {}): JsonObject {
  return new Inliner(schema, onLoss).run();
}

/** A schema with each schema directly inside it replaced; values that are no schemas stay. */
export function mapSubschemas(
  schema: JsonObject,
  replace: (inner: JsonObject) => JsonObject,
): JsonObject {
  const one = (inner: unknown) => isObject(inner) ? replace(inner) : inner;
  const mapped = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (HOLDS_A_MAP.has(keyword) && isObject(value)) {
      const entries = Object.entries(value).map(([name, inner]) => [name, one(inner)]);
      return [keyword, Object.fromEntries(entries)];
    }
    if (!HOLDS_SCHEMAS.has(keyword)) return [keyword, value];
    return [keyword, Array.isArray(value) ? value.map(one) : one(value)];
  });
  return Object.fromEntries(mapped);
}

/** Keywords whose value has schemas under names of the schema's author. */
const HOLDS_A_MAP = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** Keywords whose value is a schema or a list of them. */
const HOLDS_SCHEMAS = new Set([
  "items",
  "prefixItems",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "propertyNames",
  "contains",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
]);

/** How much longer a schema may become, in characters. */
const MAX_GROWTH = 500_000;

class Inliner {
  readonly #root: JsonObject;
  /** Definitions that references still point at, by their name in the result. */
  readonly #kept = new Map<JsonObject, string>();
  readonly #lengths = new Map<JsonObject, number>();
  #room = MAX_GROWTH;
  readonly #onLoss: () => void;

  constructor(root: JsonObject, onLoss: () => void) {
    this.#root = root;
    this.#onLoss = onLoss;
  }

  run(): JsonObject {
    const schema = this.#inline(this.#root, [this.#root]);
    const definitions: [string, unknown][] = [];
    // The map grows while it is walked: definitions need definitions.
    for (const [target, name] of this.#kept) {
      definitions.push([name, this.#inline(target, [target])]);
    }
    if (definitions.length === 0) return schema;
    return { ...schema, $defs: Object.fromEntries(definitions) };
  }

  #inline(schema: JsonObject, path: readonly JsonObject[]): JsonObject {
    const { $ref, ...rest } = schema;
    if ($ref === undefined) {
      // Definitions are reached by reference, or not at all.
      const { $defs: _, definitions: __, ...said } = schema;
      return mapSubschemas(said, (inner) => this.#inline(inner, path));
    }
    const target = resolveRef(this.#root, $ref);
    if (target === undefined) {
      this.#onLoss();
      return this.#inline(rest, path);
    }
    const length = this.#lengthOf(target);
    if (path.includes(target) || length > this.#room) {
      return { $ref: `#/$defs/${this.#nameOf(target, String($ref))}` };
    }
    this.#room -= length;
    return { ...this.#inline(target, [...path, target]), ...this.#inline(rest, path) };
  }

  #lengthOf(target: JsonObject): number {
    const length = this.#lengths.get(target) ?? JSON.stringify(target).length;
    this.#lengths.set(target, length);
    return length;
  }

  #nameOf(target: JsonObject, ref: string): string {
    const known = this.#kept.get(target);
    if (known !== undefined) return known;
    const last = /[^#/]*$/.exec(ref)?.[0].replace(/[^\w-]/g, "_");
    const taken = new Set(this.#kept.values());
    let name = last || "root";
    while (taken.has(name)) name += "_";
    this.#kept.set(target, name);
    return name;
  }
}

/** https://www.rfc-editor.org/rfc/rfc6901 inside a URI fragment. */
function unescapePointer(step: string): string {
  const text = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
