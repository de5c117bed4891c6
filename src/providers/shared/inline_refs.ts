/** References inside a JSON Schema: where they lead, and the schema without them. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import { JsonSizes } from "./json_size.ts";

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

/** A schema without its references. */
export interface InlinedSchema {
  readonly schema: JsonObject;
  /** Whether references are left that would have made the schema too large. */
  readonly cut: boolean;
  /** Whether references that lead nowhere are left out. */
  readonly lost: boolean;
}

/** How much longer the schemas of one request may become, in characters. */
const MAX_GROWTH_OF_REQUEST = 2_000_000;
/** How much longer one schema may become, in characters. */
const MAX_GROWTH_OF_SCHEMA = 500_000;

/** Replaces the references in the schemas of one request, as far as they do not grow too much. */
export class RefInliner {
  #room = MAX_GROWTH_OF_REQUEST;

  /**
   * A schema with its local references replaced by what they point at, for vendors that follow
   * none or follow them badly. Those that come back to themselves stay, beside the definitions
   * that they need. So do those that would make the schema huge, since a few definitions can
   * multiply without bound. One that leads nowhere is left out.
   *
   * @param path where the schema is in the request
   * @throws {GatewayError} `invalid_value` when the definitions that stay are too large together.
   */
  inline(schema: JsonObject, path: string): InlinedSchema {
    const room = Math.min(this.#room, MAX_GROWTH_OF_SCHEMA);
    const inliner = new Inliner(schema, room, path);
    const inlined = inliner.run();
    this.#room -= room - inliner.room;
    return { schema: inlined, cut: inliner.cut, lost: inliner.lost };
  }
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

/** One of the references that a schema goes through before it says anything else. */
interface Step {
  readonly target: JsonObject;
  /** What stands beside the reference. */
  readonly rest: JsonObject;
}

/** The replacement of one schema's references. */
class Inliner {
  /** How many characters the schema may still grow by. */
  room: number;
  cut = false;
  lost = false;
  readonly #root: JsonObject;
  readonly #path: string;
  readonly #sizes = new JsonSizes();
  /** What is being inlined: a reference to any of it comes back to itself. */
  readonly #open = new Set<JsonObject>();
  /** Definitions that references still point at, by their name in the result. */
  readonly #kept = new Map<JsonObject, string>();
  readonly #names = new DefinitionNames();
  /** How many characters the definitions that stay may still have together. */
  #roomForKept: number | undefined;

  constructor(root: JsonObject, room: number, path: string) {
    this.#root = root;
    this.room = room;
    this.#path = path;
  }

  run(): JsonObject {
    const schema = this.#inlineRoot(this.#root);
    const definitions: [string, unknown][] = [];
    // The map grows while it is walked: definitions need definitions.
    for (const [target, name] of this.#kept) definitions.push([name, this.#inlineRoot(target)]);
    if (definitions.length === 0) return schema;
    return { ...schema, $defs: Object.fromEntries(definitions) };
  }

  #inlineRoot(root: JsonObject): JsonObject {
    this.#open.add(root);
    const inlined = this.#inline(root);
    this.#open.delete(root);
    return inlined;
  }

  #inline(schema: JsonObject): JsonObject {
    if (schema.$ref === undefined) return this.#inlineMembers(schema);
    const steps: Step[] = [];
    const end = this.#follow(schema, steps);
    // What stands beside a reference wins over what it points at.
    const merged = new Map(Object.entries(end));
    for (const { target, rest } of steps.reverse()) {
      this.#open.delete(target);
      for (const [name, value] of Object.entries(this.#inlineMembers(rest))) {
        merged.set(name, value);
      }
    }
    return Object.fromEntries(merged);
  }

  /** Goes on while references lead to references; gives the inlined end. */
  #follow(schema: JsonObject, steps: Step[]): JsonObject {
    for (let at = schema;;) {
      const { $ref, ...rest } = at;
      if ($ref === undefined) return this.#inlineMembers(rest);
      const target = resolveRef(this.#root, $ref);
      if (target === undefined) {
        this.lost = true;
        return this.#inlineMembers(rest);
      }
      if (this.#open.has(target) || !this.#takeRoom(target)) {
        return { $ref: `#/$defs/${this.#nameOf(target, String($ref))}` };
      }
      this.#open.add(target);
      steps.push({ target, rest });
      at = target;
    }
  }

  #inlineMembers(schema: JsonObject): JsonObject {
    // Definitions are reached by reference, or not at all.
    const { $defs: _, definitions: __, ...said } = schema;
    return mapSubschemas(said, (inner) => this.#inline(inner));
  }

  /** Whether there is room for what a reference points at; it is taken if so. */
  #takeRoom(target: JsonObject): boolean {
    const size = this.#sizes.of(target);
    const fits = size <= this.room;
    if (fits) this.room -= size;
    else this.cut = true;
    return fits;
  }

  #nameOf(target: JsonObject, ref: string): string {
    const known = this.#kept.get(target);
    if (known !== undefined) return known;
    this.#takeRoomForKept(target);
    const last = ref.slice(Math.max(ref.lastIndexOf("/"), ref.lastIndexOf("#")) + 1);
    const name = this.#names.take(last.replace(/[^\w-]/g, "_") || "root");
    this.#kept.set(target, name);
    return name;
  }

  /** Definitions may lie inside each other, and each that stays is written out. */
  #takeRoomForKept(target: JsonObject): void {
    this.#roomForKept ??= this.#sizes.of(this.#root) + MAX_GROWTH_OF_SCHEMA;
    this.#roomForKept -= this.#sizes.of(target);
    if (this.#roomForKept >= 0) return;
    const param = this.#path;
    const message = `Invalid value for '${param}': its definitions refer to parts of each other ` +
      "and are too large together";
    throw new GatewayError("invalid_value", message, { param });
  }
}

/** Names of definitions, of which none is given twice. */
class DefinitionNames {
  readonly #taken = new Set<string>();
  /** How many forms of each name were tried. */
  readonly #tried = new Map<string, number>();

  take(name: string): string {
    let tried = this.#tried.get(name) ?? 0;
    let unique = formOf(name, tried++);
    while (this.#taken.has(unique)) unique = formOf(name, tried++);
    this.#tried.set(name, tried);
    this.#taken.add(unique);
    return unique;
  }
}

/** Names get underscores at their end, and a number where that would make them long. */
const MAX_UNDERSCORES = 3;

function formOf(name: string, index: number): string {
  return index <= MAX_UNDERSCORES ? name + "_".repeat(index) : `${name}_${index}`;
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
