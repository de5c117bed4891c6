/** The members of an object in a JSON document's text, without parsing their values. */

import { QUOTE } from "./characters.ts";
import { TimeSlice } from "../clock.ts";
import { JsonError } from "./limits.ts";

const BACKSLASH = 92;
/** The number of value characters that are read between time checks. */
const CHARS_PER_CHECK = 64 * 1024;

/**
 * Splits the text of an object into the texts of its members. Takes linear time, in time slices.
 * Values are validated later, when they are parsed.
 *
 * @returns the text of each value, by name; if a name is repeated, the last one, as in parsers
 * @throws {JsonError} for a text that is not an object.
 */
export async function splitMembers(text: string): Promise<Map<string, string>> {
  const reader = new MemberReader(text);
  const members = new Map<string, string>();
  reader.expect("{");
  if (reader.take("}")) return reader.end(members);
  do {
    const name = reader.readName();
    reader.expect(":");
    members.set(name, await reader.readValue());
  } while (reader.take(","));
  reader.expect("}");
  return reader.end(members);
}

class MemberReader {
  readonly #text: string;
  readonly #slice = new TimeSlice();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Skips a character if it is the next one. */
  take(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  expect(character: string): void {
    if (!this.take(character)) throw this.#unexpected(`'${character}'`);
  }

  /** Checks that nothing follows. */
  end(members: Map<string, string>): Map<string, string> {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected("the end");
    return members;
  }

  readName(): string {
    this.#skipSpace();
    const start = this.#at;
    if (this.#text.charCodeAt(start) !== QUOTE) throw this.#unexpected("a member name");
    this.#skipString();
    try {
      return JSON.parse(this.#text.slice(start, this.#at));
    } catch {
      throw this.#unexpected("a member name");
    }
  }

  async readValue(): Promise<string> {
    this.#skipSpace();
    const start = this.#at;
    const first = this.#text[start];
    if (first === '"') this.#skipString();
    else if (first === "{" || first === "[") await this.#skipContainer();
    else this.#skipScalar();
    if (this.#at === start) throw this.#unexpected("a value");
    return this.#text.slice(start, this.#at);
  }

  async #skipContainer(): Promise<void> {
    let depth = 0;
    let nextCheck = this.#at + CHARS_PER_CHECK;
    do {
      switch (this.#text[this.#at]) {
        case undefined:
          throw this.#unexpected("a closing bracket");
        case '"':
          this.#skipString();
          break;
        case "{":
        case "[":
          depth++;
          this.#at++;
          break;
        case "}":
        case "]":
          depth--;
          this.#at++;
          break;
        default:
          this.#at++;
      }
      if (this.#at < nextCheck) continue;
      nextCheck = this.#at + CHARS_PER_CHECK;
      if (this.#slice.isOver) await this.#slice.next();
    } while (depth > 0);
  }

  #skipScalar(): void {
    SCALAR.lastIndex = this.#at;
    this.#at += SCALAR.exec(this.#text)?.[0].length ?? 0;
  }

  #skipString(): void {
    const start = this.#at;
    let end = start;
    do end = this.#text.indexOf('"', end + 1); while (end !== -1 && this.#isEscaped(end, start));
    if (end === -1) throw this.#unexpected("the end of a string");
    this.#at = end + 1;
  }

  /** Whether an odd number of backslashes precedes a character of the string at `start`. */
  #isEscaped(at: number, start: number): boolean {
    let first = at;
    while (first - 1 > start && this.#text.charCodeAt(first - 1) === BACKSLASH) first--;
    return (at - first) % 2 === 1;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0;
  }

  #unexpected(wanted: string): JsonError {
    return new JsonError(`expected ${wanted} at position ${this.#at}`);
  }
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /[-+.\w]*/y;
