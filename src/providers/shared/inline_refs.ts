/** Replaces the references in JSON Schemas with their targets. */

import { isObject, type JsonObject, setMember } from "../../core/json/object.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { copyTexts } from "../../core/json/number_texts.ts";
import { resolveRef } from "./json_schema.ts";

/** The overhead of a member in characters: quotes, colon and comma. */
const MEMBER_CHARS = 4;
/** The approximate characters of a number, a boolean or null. */
const SCALAR_CHARS = 8;
/** An empty object or list counts as this many characters of work. */
const CONTAINER_CHARS = 24;

/**
 * Measures values that share parts. Each object and list is measured once, even if several values
 * contain it. Escapes in strings are not counted.
 */
export class JsonSizes {
  readonly #sizes = new Map<object, number>();

  /** The approximate number of characters of a value as JSON. */
  of(value: unknown): number {
    if (typeof value === "string") return value.length + 2;
    if (typeof value !== "object" || value === null) return SCALAR_CHARS;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    let size = CONTAINER_CHARS;
    if (Array.isArray(value)) {
      for (const entry of value) size += this.of(entry) + 1;
    } else {
      const members = value as JsonObject;
      for (const name of Object.keys(members)) {
        size += name.length + MEMBER_CHARS + this.of(members[name]);
      }
    }
    this.#sizes.set(value, size);
    return size;
  }
}

/** A schema whose references were replaced. */
interface InlinedSchema {
  readonly schema: JsonObject;
  /** Whether references remain because the schema would have become too large. */
  readonly cut: boolean;
  /** Whether references without a target were removed. */
  readonly lost: boolean;
}

/** The maximum growth of all schemas of one request, in characters. */
const MAX_GROWTH_OF_REQUEST = 1_000_000;
/** The maximum growth of one schema, in characters. */
const MAX_GROWTH_OF_SCHEMA = 250_000;
/** The maximum number of replaced references in one request. */
const MAX_REPLACED_REFS = 5000;
/** The maximum number of definitions that remain in one request. */
const MAX_DEFINITIONS = 2000;

/** The remaining budget of one request. */
interface Budget {
  /** Growth, in characters. */
  growth: number;
  /** Replaced references. */
  refs: number;
  /** Remaining definitions. */
  definitions: number;
}

/** Replaces the references in the schemas of one request, within limits of their growth. */
export class RefInliner {
  readonly #budget: Budget = {
    growth: MAX_GROWTH_OF_REQUEST,
    refs: MAX_REPLACED_REFS,
    definitions: MAX_DEFINITIONS,
  };

  /**
   * Replaces local references with their targets, for vendors that do not support references well.
   * Recursive references remain, with the definitions that they need. References that would make
   * the schema too large also remain, since a few definitions can multiply without bound.
   * References without a target are removed.
   *
   * @param path the path of the schema in the request
   * @throws {GatewayError} `invalid_value` if the remaining definitions are too large or too many.
   */
  inline(schema: JsonObject, path: string): InlinedSchema {
    const inliner = new Inliner(schema, this.#budget, path);
    const inlined = inliner.run();
    return { schema: inlined, cut: inliner.cut, lost: inliner.lost };
  }
}

/** Replaces each schema that is directly inside a schema. Other values remain unchanged. */
export function mapSubschemas(
  schema: JsonObject,
  replace: (inner: JsonObject) => JsonObject,
): JsonObject {
  const mapped: JsonObject = {};
  for (const keyword of Object.keys(schema)) {
    setMember(mapped, keyword, mapValue(keyword, schema[keyword], replace));
  }
  copyTexts(schema, mapped);
  return mapped;
}

function mapValue(
  keyword: string,
  value: unknown,
  replace: (inner: JsonObject) => JsonObject,
): unknown {
  const one = (inner: unknown) => isObject(inner) ? replace(inner) : inner;
  if (SCHEMA_KEYWORDS.has(keyword)) return Array.isArray(value) ? value.map(one) : one(value);
  if (!MAP_KEYWORDS.has(keyword) || !isObject(value)) return value;
  const mapped: JsonObject = {};
  for (const name of Object.keys(value)) setMember(mapped, name, one(value[name]));
  return mapped;
}

/** Keywords whose value is a map of schemas by names that the schema's author chose. */
const MAP_KEYWORDS = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** Keywords whose value is a schema or a list of them. */
const SCHEMA_KEYWORDS = new Set([
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

const REFERENCE_KEYWORDS = new Set(["$ref", "$defs", "definitions"]);

/** One reference in a chain. */
interface Step {
  readonly target: JsonObject;
  /** The schema with the reference and its other keywords. */
  readonly rest: JsonObject;
}

/** Replaces the references of one schema. */
class Inliner {
  cut = false;
  lost = false;
  readonly #root: JsonObject;
  readonly #path: string;
  readonly #budget: Budget;
  /** The growth that this schema has left, in characters. */
  #remainingGrowth: number;
  readonly #sizes = new JsonSizes();
  /** The targets of references, by reference. */
  readonly #targets = new Map<unknown, JsonObject | undefined>();
  /** The schemas that are being inlined. A reference to one of them is recursive. */
  readonly #active = new Set<JsonObject>();
  /** The remaining definitions, and their names in the result. */
  readonly #definitions = new Map<JsonObject, string>();
  readonly #names = new DefinitionNames();
  /** The number of characters of definitions that can remain before the schema grows. */
  #remainingForDefinitions: number | undefined;

  constructor(root: JsonObject, budget: Budget, path: string) {
    this.#root = root;
    this.#budget = budget;
    this.#remainingGrowth = Math.min(budget.growth, MAX_GROWTH_OF_SCHEMA);
    this.#path = path;
  }

  run(): JsonObject {
    const schema = this.#inlineRoot(this.#root);
    const definitions: [string, unknown][] = [];
    // The map grows during the loop, since definitions need further definitions.
    for (const [target, name] of this.#definitions) {
      definitions.push([name, this.#inlineRoot(target)]);
    }
    if (definitions.length === 0) return schema;
    return { ...schema, $defs: Object.fromEntries(definitions) };
  }

  #inlineRoot(root: JsonObject): JsonObject {
    this.#active.add(root);
    const inlined = this.#inline(root);
    this.#active.delete(root);
    return inlined;
  }

  #inline(schema: JsonObject): JsonObject {
    if (schema.$ref === undefined) return this.#inlineMembers(schema);
    const steps: Step[] = [];
    const end = this.#follow(schema, steps);
    // Keywords next to a reference take precedence over those of its target.
    for (const { target, rest } of steps.reverse()) {
      this.#active.delete(target);
      const inlined = this.#inlineMembers(rest);
      for (const name of Object.keys(inlined)) setMember(end, name, inlined[name]);
      copyTexts(inlined, end);
    }
    return end;
  }

  /** Follows a chain of references. Returns its inlined end, which is a new object. */
  #follow(schema: JsonObject, steps: Step[]): JsonObject {
    for (let at = schema;;) {
      const { $ref } = at;
      if ($ref === undefined) return this.#inlineMembers(at);
      const target = this.#targetOf($ref);
      if (target === undefined) {
        this.lost = true;
        return this.#inlineMembers(at);
      }
      if (this.#active.has(target) || !this.#takeGrowth(target)) {
        return { $ref: `#/$defs/${this.#nameOf(target, String($ref))}` };
      }
      this.#active.add(target);
      steps.push({ target, rest: at });
      at = target;
    }
  }

  #targetOf(ref: unknown): JsonObject | undefined {
    if (!this.#targets.has(ref)) this.#targets.set(ref, resolveRef(this.#root, ref));
    return this.#targets.get(ref);
  }

  /** Inlines the keywords other than references and definitions. */
  #inlineMembers(schema: JsonObject): JsonObject {
    const inlined: JsonObject = {};
    for (const keyword of Object.keys(schema)) {
      if (REFERENCE_KEYWORDS.has(keyword)) continue;
      setMember(inlined, keyword, mapValue(keyword, schema[keyword], this.#inlineOne));
    }
    copyTexts(schema, inlined);
    return inlined;
  }

  readonly #inlineOne = (inner: JsonObject) => this.#inline(inner);

  /** Whether the target of a reference is within the budget. If so, it is counted. */
  #takeGrowth(target: JsonObject): boolean {
    const size = this.#sizes.of(target);
    const fits = size <= this.#remainingGrowth && this.#budget.refs > 0;
    if (fits) this.#grow(size);
    else this.cut = true;
    this.#budget.refs--;
    return fits;
  }

  #grow(size: number): void {
    this.#remainingGrowth -= size;
    this.#budget.growth -= size;
  }

  #nameOf(target: JsonObject, ref: string): string {
    const known = this.#definitions.get(target);
    if (known !== undefined) return known;
    if (--this.#budget.definitions < 0) {
      throw this.#invalid(
        `over ${MAX_DEFINITIONS} definitions of the request refer to themselves, ` +
          "or cannot be inlined",
      );
    }
    this.#countDefinition(target);
    const last = ref.slice(Math.max(ref.lastIndexOf("/"), ref.lastIndexOf("#")) + 1);
    const name = this.#names.take(last.replace(/[^\w-]/g, "_") || "root");
    this.#definitions.set(target, name);
    return name;
  }

  /**
   * Counts a remaining definition. Definitions may contain each other, and all of them are written.
   */
  #countDefinition(target: JsonObject): void {
    this.#remainingForDefinitions ??= this.#sizes.of(this.#root);
    const size = this.#sizes.of(target);
    const growth = size - Math.max(0, this.#remainingForDefinitions);
    this.#remainingForDefinitions -= size;
    if (growth <= 0) return;
    this.#grow(growth);
    if (this.#remainingGrowth >= 0) return;
    throw this.#invalid("its definitions refer to parts of each other and are too large together");
  }

  #invalid(reason: string): GatewayError {
    return invalidValue(this.#path, reason);
  }
}

/** Creates unique names of definitions. */
class DefinitionNames {
  readonly #taken = new Set<string>();
  /** The number of variants of each name that were tried. */
  readonly #tried = new Map<string, number>();

  take(name: string): string {
    let tried = this.#tried.get(name) ?? 0;
    let unique = variantOf(name, tried++);
    while (this.#taken.has(unique)) unique = variantOf(name, tried++);
    this.#tried.set(name, tried);
    this.#taken.add(unique);
    return unique;
  }
}

/** The maximum number of underscores to append to a name; after that, a number is appended. */
const MAX_UNDERSCORES = 3;

function variantOf(name: string, index: number): string {
  return index <= MAX_UNDERSCORES ? name + "_".repeat(index) : `${name}_${index}`;
}
