/**
 * Scans a document that is forwarded as bytes, such as `{"data":[{"embedding":[0.1]}],"usage":{}}`:
 * a list of objects, each with one long value, between a few other members. Long values are skipped
 * with the native search for their end, so a megabyte takes a fraction of a millisecond.
 */

import { latin1, MINUS, NINE, SPACE, utf8Of, ZERO } from "./characters.ts";
import { isObject, type JsonObject } from "./object.ts";

/** The names in a document. */
export interface ListNames {
  /** The document member that is the list. */
  readonly list: string;
  /** The long member in an entry. */
  readonly long: string;
}

/** The maximum length of the head, the tail, and the text between two long values, in bytes. */
const MAX_BETWEEN = 4 * 1024;
/** The number of bytes to read at once; most texts are not longer. */
const READ_AT_ONCE = 256;
/** The maximum number of delimiters to try as the end of a value. */
const MAX_MARKS = 64;

/** The next expected part. */
type Place = "head" | "entry" | "value" | "rest" | "tail" | "unknown";

/** Reads a document from its packets. The long values themselves are not validated. */
export class ListScan {
  /** The members before the list, once the list has begun. */
  head: JsonObject = {};
  /** The first character of the long values, which are lists of numbers or strings. */
  opening: "[" | '"' | undefined;
  /** The number of entries that have begun. */
  count = 0;
  /** Whether the index of an entry, if it has one, differs from its position. */
  isReordered = false;
  readonly #list: string;
  readonly #long: string;
  readonly #begin: RegExp;
  #place: Place = "head";
  /** The text read since the last long value, one character per byte. */
  #between = "";
  /** The packet that is read, for searches. */
  #packet: string | undefined;
  /** The parts of the text between two long values before and after the index. */
  #usual: readonly [before: string, after: string] | undefined;
  /** The text at the end of the last entry. */
  #rest = "";
  /** Whether the first long value has the expected form. */
  #isChecked = false;
  /** The number of delimiters that were not its end. */
  #marks = 0;

  constructor({ list, long }: ListNames) {
    this.#list = list;
    this.#long = long;
    this.#begin = new RegExp(`"${long}"\\s*:\\s*(\\[|")`, "g");
  }

  /** Whether the first long value has begun. */
  get hasBegun(): boolean {
    return this.opening !== undefined;
  }

  /** Whether the list has ended. */
  get isBehindList(): boolean {
    return this.#place === "tail";
  }

  /** Whether the document is not of this form. */
  get isUnknown(): boolean {
    return this.#place === "unknown";
  }

  /** Reads a packet. Returns the number of its bytes up to the end of the list. */
  push(packet: Uint8Array): number {
    this.#packet = undefined;
    let at = 0;
    while (at < packet.length && this.#place !== "unknown") {
      if (this.#place === "tail") {
        this.#between += latin1(packet, at);
        if (this.#between.length > MAX_BETWEEN) this.#place = "unknown";
        return at;
      }
      at = this.#place === "value" ? this.#skipValue(packet, at) : this.#readBetween(packet, at);
    }
    return packet.length;
  }

  /**
   * The members after the list; undefined for a document of a different form or an incomplete one.
   */
  end(): JsonObject | undefined {
    if (this.#place !== "tail") return undefined;
    const [begin = "", mark] = /^[ \t\r\n]*([,}])/.exec(this.#between) ?? [];
    if (mark === undefined) return undefined;
    const rest = mark === "," ? this.#between.slice(begin.length) : this.#between;
    const members = parsed(`{${utf8Of(rest)}`);
    // A member must follow the comma.
    if (mark === "," && members !== undefined && Object.keys(members).length === 0) {
      return undefined;
    }
    return members;
  }

  #skipValue(packet: Uint8Array, start: number): number {
    if (!this.#isChecked && !this.#isValue(packet[start])) return start;
    this.#packet ??= latin1(packet);
    const end = this.#packet.indexOf(this.opening === "[" ? "]" : '"', start);
    if (end === -1) return packet.length;
    this.#place = "rest";
    return end + 1;
  }

  /** Whether the first byte of the first long value begins a number or a string. */
  #isValue(byte = 0): boolean {
    this.#isChecked = true;
    const isNumber = byte === MINUS || byte >= ZERO && byte <= NINE;
    if (this.opening === '"' || isNumber || byte <= SPACE) return true;
    this.#place = "unknown";
    return false;
  }

  /** Reads up to the next long value, or the end of the list. */
  #readBetween(packet: Uint8Array, start: number): number {
    const known = this.#between.length;
    const stop = Math.min(packet.length, start + READ_AT_ONCE);
    this.#between += latin1(packet, start, stop);
    const end = this.#endOfUsual() ?? this.#endOfPlace();
    if (end === -1) {
      if (this.#between.length > MAX_BETWEEN) this.#place = "unknown";
      return stop;
    }
    this.#between = "";
    this.#marks = 0;
    return start + end - known;
  }

  /** Whether another delimiter may be tried. */
  #isFew(): boolean {
    if (++this.#marks <= MAX_MARKS) return true;
    this.#place = "unknown";
    return false;
  }

  /**
   * The start of the next long value, if the text before it differs from the last only in its
   * index.
   */
  #endOfUsual(): number | undefined {
    if (this.#place !== "rest" || this.#usual === undefined) return undefined;
    const [before, after] = this.#usual;
    const expected = `${before}${this.count}${after}`;
    if (!this.#between.startsWith(expected)) return undefined;
    this.#place = "value";
    this.count++;
    return expected.length;
  }

  /** Moves to the next value and returns its position in the text; -1 if it has not arrived. */
  #endOfPlace(): number {
    switch (this.#place) {
      case "head":
        return this.#endOfHead();
      case "rest":
        return this.#endOfEntry();
      default:
        return this.#endOfBegin();
    }
  }

  /** The list follows the head. */
  #endOfHead(): number {
    const text = this.#between;
    for (let at = text.indexOf("["); at !== -1 && this.#isFew(); at = text.indexOf("[", at + 1)) {
      const head = parsed(`${utf8Of(text.slice(0, at + 1))}]}`);
      const list = head?.[this.#list];
      if (head === undefined || !Array.isArray(list) || list.length > 0) continue;
      delete head[this.#list];
      this.head = head;
      this.#place = "entry";
      return at + 1;
    }
    return -1;
  }

  /** The long value of an entry follows its first members; the tail follows the last entry. */
  #endOfBegin(): number {
    const text = this.#between;
    const [space = ""] = /^\s*/.exec(text) ?? [];
    if (text[space.length] === "]") {
      this.#place = "tail";
      return space.length + 1;
    }
    const comma = this.count === 0 ? "" : ",";
    if (text.length > space.length && !text.startsWith(comma, space.length)) return this.#stop();
    this.#begin.lastIndex = 0;
    for (
      let found = this.#begin.exec(text);
      found !== null && this.#isFew();
      found = this.#begin.exec(text)
    ) {
      const end = found.index + found[0].length;
      const opening = found[1] === "[" ? "[" : '"';
      const begun = text.slice(space.length + comma.length, end);
      const entry = parsed(begun + (opening === "[" ? "]}" : '"}'));
      if (entry === undefined || !Object.hasOwn(entry, this.#long)) continue;
      this.#beginValue(entry, opening);
      this.#learn(text.slice(0, end), entry);
      return end;
    }
    return -1;
  }

  #beginValue({ index }: JsonObject, opening: "[" | '"'): void {
    if (index !== undefined && index !== this.count) this.isReordered = true;
    this.count++;
    this.opening ??= opening;
    this.#place = this.opening === opening ? "value" : "unknown";
  }

  /** Stores the text between two long values. */
  #learn(begun: string, { index }: JsonObject): void {
    const between = this.#rest + begun;
    const [before = "", after, more] = between.split(String(index));
    const isUsual = this.#rest !== "" && Number.isInteger(index) && more === undefined;
    this.#usual = isUsual && after !== undefined ? [before, after] : undefined;
  }

  /** The next entry follows the members after the long value. */
  #endOfEntry(): number {
    const text = this.#between;
    for (let at = text.indexOf("}"); at !== -1 && this.#isFew(); at = text.indexOf("}", at + 1)) {
      const rest = parsed(`{"":0${text.slice(0, at + 1)}`);
      if (rest === undefined) continue;
      const { index } = rest;
      if (index !== undefined && index !== this.count - 1) this.isReordered = true;
      this.#place = "entry";
      this.#rest = text.slice(0, at + 1);
      return at + 1;
    }
    return -1;
  }

  #stop(): number {
    this.#place = "unknown";
    return -1;
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
