/**
 * The bytes of a parsed document. When some members change, the document is written from these
 * bytes: unchanged parts are copied instead of being serialized and encoded again.
 */

import { isObject, type JsonObject, setMember } from "./object.ts";
import { joinBytes } from "../bytes.ts";
import { QUOTE } from "./characters.ts";
import { KnownParts, PartsWriter } from "./known_parts.ts";
import { copyTexts, hasTexts } from "./number_texts.ts";
import type { JsonScan } from "./scan.ts";
import { isEqual } from "./values.ts";

/** A document member: its value, and its bytes. */
interface SourceMember {
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const OPENING = encoder.encode("{");
const CLOSING = encoder.encode("}");

/** How an object is written. */
export interface WritePlan {
  readonly kept: readonly (readonly [name: string, bytes: Uint8Array])[];
  /** The other members; undefined without any. */
  readonly changes: JsonObject | undefined;
}

/**
 * Writes an object.
 *
 * @param changes the JSON of the plan's changed members; undefined if there are none
 */
export function writePlanned({ kept }: WritePlan, changes: string | undefined): Uint8Array {
  // The unchanged members follow in place of the closing brace.
  const parts: Uint8Array[] = [
    changes === undefined ? OPENING : encoder.encode(changes).subarray(0, -1),
  ];
  for (const [name, bytes] of kept) {
    const comma = parts[0] === OPENING && parts.length === 1 ? "" : ",";
    parts.push(encoder.encode(`${comma}${JSON.stringify(name)}:`), bytes);
  }
  parts.push(CLOSING);
  return joinBytes(parts);
}

/**
 * A document with more elements is not written from its parts, since that cannot be done in steps.
 */
const MAX_ELEMENTS = 20_000;

/** A document whose unchanged members and long values are copied as bytes. */
export class JsonSource {
  readonly #members: ReadonlyMap<string, SourceMember>;
  readonly #bytes: Uint8Array;
  readonly #scan: JsonScan;
  readonly #value: JsonObject;
  #parts: KnownParts | undefined;

  private constructor(
    members: ReadonlyMap<string, SourceMember>,
    bytes: Uint8Array,
    scan: JsonScan,
    value: JsonObject,
  ) {
    this.#members = members;
    this.#bytes = bytes;
    this.#scan = scan;
    this.#value = value;
  }

  /**
   * The source of a document. Undefined if another parser might read it differently: if an object
   * at any depth has a duplicate member, or a member whose name contains an escape sequence.
   *
   * @param bytes valid JSON in UTF-8
   * @param scan the scan of the bytes, within limits that bound the depth
   * @param value the result of `JSON.parse` for them, which must not be modified
   */
  static of(bytes: Uint8Array, scan: JsonScan, value: unknown): JsonSource | undefined {
    if (!isObject(value) || scan.hasEscapedNames) return undefined;
    // The parsed value contains only one of several members with the same name.
    if (countElements(value) !== scan.elements) return undefined;
    const members = new Map<string, SourceMember>();
    const { ranges } = scan;
    for (let at = 0; at < ranges.length; at += 3) {
      const [name = 0, start = 0, end = 0] = ranges.slice(at, at + 3);
      const key = nameAt(bytes, name);
      members.set(key, { value: value[key], bytes: bytes.subarray(start, end) });
    }
    return new JsonSource(members, bytes, scan, value);
  }

  /** How an object is written. */
  planFor(object: JsonObject): WritePlan {
    const kept: [name: string, bytes: Uint8Array][] = [];
    let changes: JsonObject | undefined;
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (value === undefined) continue;
      const bytes = this.#bytesOf(name, value);
      if (bytes === undefined) setMember(changes ??= {}, name, value);
      else kept.push([name, bytes]);
    }
    if (changes !== undefined) copyTexts(object, changes);
    return { kept, changes };
  }

  /**
   * Writes an object, with unchanged members and long values of the document as their bytes.
   * Undefined if it cannot be written this way.
   *
   * @throws {RangeError} for an object that is nested too deeply.
   */
  write({ kept, changes }: WritePlan): Uint8Array | undefined {
    if (changes === undefined || hasTexts(changes) || isShort(changes, 2)) return undefined;
    if (this.#scan.elements > MAX_ELEMENTS) return undefined;
    const parts = this.#parts ??= KnownParts.of(this.#bytes, this.#scan, this.#value);
    if (parts === undefined) return undefined;
    const writer = new PartsWriter(parts);
    let mark = "{";
    for (const name of Object.keys(changes)) {
      writer.text(`${mark}${JSON.stringify(name)}:`);
      writer.value(changes[name]);
      mark = ",";
    }
    for (const [name, bytes] of kept) {
      writer.text(`,${JSON.stringify(name)}:`);
      writer.bytes(bytes);
    }
    writer.text("}");
    return writer.end();
  }

  /**
   * The bytes of a member if its value, or the value of which it is a copy, comes from the
   * document.
   */
  #bytesOf(name: string, value: unknown): Uint8Array | undefined {
    const member = this.#members.get(name);
    return member !== undefined && isEqual(member.value, value) ? member.bytes : undefined;
  }
}

/** Values with fewer UTF-16 units or members are cheaper to serialize. */
const MIN_LONG_TEXT = 1024;
const MIN_MANY_MEMBERS = 32;

/** Whether a value is short: it has few members and little nesting. */
function isShort(value: unknown, levels: number): boolean {
  if (typeof value === "string") return value.length < MIN_LONG_TEXT;
  if (typeof value !== "object" || value === null) return true;
  const members = Object.values(value);
  return levels > 0 && members.length < MIN_MANY_MEMBERS &&
    members.every((member) => isShort(member, levels - 1));
}

/** A member's name, which has no escape sequences. */
function nameAt(bytes: Uint8Array, start: number): string {
  return decoder.decode(bytes.subarray(start + 1, bytes.indexOf(QUOTE, start + 1)));
}

/** The list entries and object members at all levels. */
function countElements(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    count = value.length;
    for (let at = 0; at < value.length; at++) {
      const entry: unknown = value[at];
      if (typeof entry === "object" && entry !== null) count += countElements(entry);
    }
  } else {
    for (const name in value) {
      count++;
      const member = (value as JsonObject)[name];
      if (typeof member === "object" && member !== null) count += countElements(member);
    }
  }
  return count;
}
