/**
 * Which values in config.yaml may be shown: those that its JSON Schema describes and does not mark
 * as secret (`writeOnly`). Everything else is hidden.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";

/** The schemas that may apply to a location in the document. */
export type Place = readonly JsonObject[];

/** The members of a config.yaml. */
export class SecretMembers {
  readonly #definitions: JsonObject;
  readonly #expanded = new WeakMap<JsonObject, Place>();
  /** The location of the whole document. */
  readonly root: Place;
  /** All members' enum values: they are not secrets, even under a misspelled name. */
  readonly #words = new Set<unknown>();
  /** The schemas for a name, at all of its locations. */
  readonly #names = new Map<string, JsonObject[]>();

  /** @param schema the JSON Schema of config.yaml */
  constructor(schema: JsonObject) {
    this.#definitions = isObject(schema.definitions) ? schema.definitions : {};
    this.root = this.#expand(schema);
    this.#collect(this.root, new Set());
  }

  /** The location of a member. */
  member(place: Place, name: string): Place {
    return place.flatMap((schema) => {
      const { properties, additionalProperties: others } = schema;
      if (isObject(properties) && Object.hasOwn(properties, name)) {
        const member = properties[name];
        return isObject(member) ? this.#expand(member) : [];
      }
      if (isObject(others)) return this.#expand(others);
      return isOpen(schema) ? [schema] : [];
    });
  }

  /** The location of a list's entries. */
  items(place: Place): Place {
    return place.flatMap((schema) => {
      if (isObject(schema.items)) return this.#expand(schema.items);
      return isOpen(schema) ? [schema] : [];
    });
  }

  /**
   * The schemas at a location that describe a provider of this kind; all of them for an unknown
   * kind.
   */
  ofKind(place: Place, kind: unknown): Place {
    const described = place.filter(({ properties }) => {
      const member = isObject(properties) ? properties.kind : undefined;
      return isObject(member) && member.const === kind;
    });
    return described.length > 0 ? described : place;
  }

  /** Whether a scalar may be shown at a location. */
  isPublic(place: Place, value: unknown): boolean {
    return !place.some(({ writeOnly }) => writeOnly === true) &&
      (place.some((schema) => accepts(schema, value)) || this.#words.has(value));
  }

  /** Whether a scalar may be shown as a name's value at any location. */
  isPublicName(name: string, value: string): boolean {
    return this.isPublic(this.#names.get(name) ?? [], value);
  }

  /** The schemas that a schema expands to, without references and choices. */
  #expand(schema: JsonObject): Place {
    let found = this.#expanded.get(schema);
    if (found !== undefined) return found;
    // Stops at recursive references.
    this.#expanded.set(schema, []);
    const { $ref, anyOf, oneOf, allOf, ...own } = schema;
    const name = typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : "";
    const choices = [this.#definitions[name], anyOf, oneOf, allOf].flat().filter(isObject);
    const isHidden = own.writeOnly === true ? { writeOnly: true } : {};
    found = choices.length === 0
      ? [own]
      : choices.flatMap((choice) => this.#expand(choice)).map((one) => ({ ...one, ...isHidden }));
    this.#expanded.set(schema, found);
    return found;
  }

  #collect(place: Place, seen: Set<JsonObject>): void {
    for (const schema of place) {
      if (seen.has(schema)) continue;
      seen.add(schema);
      const { properties, additionalProperties, items } = schema;
      for (const word of [schema.const, schema.enum].flat()) {
        if (typeof word === "string") this.#words.add(word);
      }
      for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
        if (!isObject(member)) continue;
        const described = this.#expand(member);
        this.#names.set(name, [...this.#names.get(name) ?? [], ...described]);
        this.#collect(described, seen);
      }
      for (const inner of [additionalProperties, items]) {
        if (isObject(inner)) this.#collect(this.#expand(inner), seen);
      }
    }
  }
}

/** Whether a schema describes nothing, so that any value may be there. */
function isOpen({ type, enum: values, properties, ...rest }: JsonObject): boolean {
  return type === undefined && values === undefined && properties === undefined &&
    !("const" in rest);
}

function accepts(schema: JsonObject, value: unknown): boolean {
  // A text whose meaning is unknown may be a secret.
  if (isOpen(schema)) return typeof value !== "string";
  if ("const" in schema) return schema.const === value;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const types = [schema.type].flat();
  if (typeof value !== "string") {
    const type = typeof value;
    return types.includes(type) || (type === "number" && types.includes("integer"));
  }
  const { pattern } = schema;
  return types.includes("string") &&
    (typeof pattern !== "string" || new RegExp(pattern).test(value));
}

/** A range of a text: its start and its end. */
export type Range = readonly [start: number, end: number];

/** Text without a space or quote around `://`. */
const URL_TEXT = /[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>]*/gi;

/** The parts of URLs in prose that may be secrets. */
export function secretsOfUrls(text: string): readonly Range[] {
  return [...text.matchAll(URL_TEXT)].flatMap(({ 0: url, index }) =>
    secretsOfUrl(url).map(([start, end]): Range => [index + start, index + end])
  );
}

/**
 * The parts of a URL that may be secrets: the password (or the user name if there is no password)
 * and the query values. The whole user information if the text cannot be parsed.
 */
export function secretsOfUrl(value: string): readonly Range[] {
  const scheme = value.indexOf("://");
  if (scheme === -1) return [];
  const start = scheme + "://".length;
  const login = loginOf(value, start);
  const query = queryOf(value, login?.[1] ?? start);
  const ranges = [...(login === undefined ? [] : [login]), ...query];
  return isClean(value, ranges) ? ranges : [[start, value.length]];
}

function loginOf(value: string, start: number): Range | undefined {
  const parsed = URL.parse(value);
  if (parsed !== null && parsed.username + parsed.password === "") return undefined;
  const rest = value.slice(start);
  const authority = parsed === null ? rest : rest.slice(0, endOf(rest, /[/\\?#]/));
  const at = authority.lastIndexOf("@");
  if (at === -1) return undefined;
  const colon = authority.indexOf(":");
  const hasPassword = colon !== -1 && colon < at - 1;
  return [start + (hasPassword ? colon + 1 : 0), start + at];
}

function queryOf(value: string, start: number): readonly Range[] {
  const mark = value.indexOf("?", start);
  if (mark === -1) return [];
  const ranges: Range[] = [];
  let at = mark + 1;
  for (const part of value.slice(at).split(/[&#]/)) {
    const equals = part.indexOf("=");
    if (part.length > equals + 1) ranges.push([at + equals + 1, at + part.length]);
    at += part.length + 1;
  }
  return ranges;
}

/** Whether the rest of a URL, when parsed again, contains neither user information nor a query. */
function isClean(value: string, ranges: readonly Range[]): boolean {
  let rest = value;
  for (const [start, end] of ranges.toReversed()) rest = rest.slice(0, start) + rest.slice(end);
  const url = URL.parse(rest);
  if (url === null) return !rest.includes("@") || ranges.length > 0;
  return url.password === "" && [...url.searchParams.values()].every((text) => text === "");
}

function endOf(text: string, mark: RegExp): number {
  const index = text.search(mark);
  return index === -1 ? text.length : index;
}
