/** Removes secrets from external text. */

import { Buffer } from "node:buffer";

/** Part of a regular expression. */
interface TextPattern {
  readonly source: string;
  /** The length of the longest match, in characters. */
  readonly maxChars: number;
}

/** Characters that no common encoding changes. */
const UNCHANGED = /^[\w.-]$/;
/** The maximum number of nested encodings of a text. */
const REPEATS = 3;
/** Each level of JSON strings around a text doubles its backslashes. */
const MAX_BACKSLASHES = 2 ** REPEATS;
/** One, three or seven backslashes before an escaped character. */
const BACKSLASHES = "\\\\(?:\\\\{6}|\\\\\\\\)?";
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "amp"],
  ["<", "lt"],
  [">", "gt"],
  ['"', "quot"],
  ["'", "apos"],
]);

/**
 * The pattern of a text, for an expression that ignores case. Encoders differ in which characters
 * they encode, so each character is matched in any encoding. Matching takes linear time.
 *
 * @param aliases other characters that stand for one, such as `-` for `+` in base64
 */
function patternOf(
  text: string,
  aliases: ReadonlyMap<string, string> = new Map(),
): TextPattern {
  let source = "";
  let maxChars = 0;
  // Backslashes are grouped, since individually they could be matched in too many ways.
  for (const [part] of text.matchAll(/\\+|[^\\]/gsu)) {
    const pattern = part.startsWith("\\")
      ? backslashes(part.length)
      : characterPattern(part, aliases.get(part));
    source += pattern.source;
    maxChars += pattern.maxChars;
  }
  return { source, maxChars };
}

function characterPattern(character: string, alias: string | undefined): TextPattern {
  if (UNCHANGED.test(character)) return { source: escaped(character), maxChars: 1 };
  // The character itself comes last: `%` also begins its own encoding.
  const forms = [
    percentEncoded(character),
    backslashEscaped(character),
    characterReference(character),
    ...(alias === undefined ? [] : [{ source: escaped(alias), maxChars: alias.length }]),
    ...(character === " " ? [{ source: "\\+", maxChars: 1 }] : []),
    { source: escaped(character), maxChars: character.length },
  ];
  return {
    source: `(?:${forms.map(({ source }) => source).join("|")})`,
    maxChars: Math.max(...forms.map(({ maxChars }) => maxChars)),
  };
}

/** JSON doubles a backslash; the other encodings write each one separately. */
function backslashes(count: number): TextPattern {
  const forms = [percentEncoded("\\"), unicodeEscaped("\\"), characterReference("\\")];
  const doubled = Array.from({ length: REPEATS + 1 }, (_, level) => count * 2 ** level).reverse();
  const sources = [
    ...forms.map(({ source }) => `(?:${source}){${count}}`),
    ...doubled.map((length) => `\\\\{${length}}`),
  ];
  return {
    source: `(?:${sources.join("|")})`,
    maxChars: count * Math.max(MAX_BACKSLASHES, ...forms.map(({ maxChars }) => maxChars)),
  };
}

/** The encoding for URLs and forms. URLs within URLs are encoded more than once. */
function percentEncoded(character: string): TextPattern {
  const bytes = [...new TextEncoder().encode(character)];
  const source = bytes.map((byte) => `%(?:25){0,${REPEATS}}${hex(byte, 2)}`).join("");
  return { source, maxChars: bytes.length * (3 + 2 * REPEATS) };
}

/**
 * The encoding of JSON: escapes quotes and line breaks, and in some encoders also slashes and, by
 * number, characters that are special in HTML or not ASCII.
 */
function backslashEscaped(character: string): TextPattern {
  const last = JSON.stringify(character).slice(1, -1).replace(/^\\(?=.)/, "");
  const { source, maxChars } = unicodeEscaped(character);
  return { source: `${BACKSLASHES}${escaped(last)}|${source}`, maxChars };
}

/** Encoded by the numbers of its UTF-16 units. */
function unicodeEscaped(character: string): TextPattern {
  const units = character.split("");
  const source = units.map((unit) => `${BACKSLASHES}u${hex(unit.charCodeAt(0), 4)}`).join("");
  return { source, maxChars: units.length * (MAX_BACKSLASHES + 5) };
}

/** The encoding of HTML and XML, by number or name. */
function characterReference(character: string): TextPattern {
  const code = character.codePointAt(0) ?? 0;
  const name = ENTITIES.get(character);
  const number = `#(?:0{0,${REPEATS}}${code}|x0{0,${REPEATS}}${code.toString(16)})`;
  return {
    source: `&(?:amp;)?(?:${number}${name === undefined ? "" : `|${name}`});`,
    maxChars: "&amp;#x;".length + REPEATS + String(code).length,
  };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

const REDACTED = "[redacted]";
/**
 * Shorter secrets, in characters, occur in words by chance: they are matched only in plain form, as
 * whole tokens.
 */
export const MIN_SECRET_CHARS = 8;
/** The maximum number of stored runtime secrets: up to three current ones, and earlier ones. */
const MAX_ADDED = 9;
/** The maximum number of cached header names. */
const MAX_NAMES = 200;
/** The characters that differ between base64 and base64url. */
const URL_BASE64: ReadonlyMap<string, string> = new Map([["+", "-"], ["/", "_"]]);

/**
 * Finds secrets in plain form, in any letter case, encoded as in URLs, forms, JSON or HTML, and
 * inside base64. Short secrets are found as whole tokens. The pattern is built once for each set of
 * secrets; applying it takes linear time.
 */
export class Redactor {
  readonly #secrets: readonly string[];
  /** The most recently added secrets, such as access tokens. */
  #added: readonly string[] = [];
  #maxChars = 0;
  #pattern: RegExp | undefined;
  #minChars = Infinity;
  #shortPattern: RegExp | undefined;
  /** Whether each of these header names contains a secret. */
  readonly #names = new Map<string, boolean>();

  constructor(secrets: Iterable<string>) {
    this.#secrets = [...secrets];
    this.#compile();
  }

  /** The length of the longest form of a secret, in characters. */
  get maxChars(): number {
    return this.#maxChars;
  }

  /** Adds a secret that was obtained at run time. It replaces the oldest one. */
  add(secret: string): void {
    if (!isLong(secret) || this.#added.includes(secret)) return;
    this.#added = [...this.#added, secret].slice(-MAX_ADDED);
    this.#compile();
  }

  #compile(): void {
    this.#names.clear();
    const secrets = [...this.#secrets, ...this.#added].map((secret) => secret.toWellFormed());
    const all = [...new Set(secrets)].filter((secret) => secret !== "");
    // Longest first, since the first matching alternative applies and a secret may begin with
    // another one.
    const long = all.filter(isLong).sort((one, other) => other.length - one.length);
    const alternatives = long.flatMap(patternsOf);
    const short = all.filter((secret) => !isLong(secret))
      .sort((one, other) => other.length - one.length);
    this.#shortPattern = short.length === 0
      ? undefined
      : new RegExp(`${BEFORE}(?:${short.map(RegExp.escape).join("|")})(?!${TOKEN})`, "gu");
    this.#maxChars = Math.max(0, ...alternatives.map(({ maxChars }) => maxChars));
    this.#minChars = Math.min(Infinity, ...all.map(({ length }) => length));
    this.#pattern = alternatives.length === 0
      ? undefined
      : new RegExp(alternatives.map(({ source }) => source).join("|"), "gi");
  }

  /** Whether a header name contains a secret. Cached, since names recur. */
  isSecretName(name: string): boolean {
    let isSecret = this.#names.get(name);
    if (isSecret === undefined) {
      if (this.#names.size >= MAX_NAMES) this.#names.clear();
      this.#names.set(name, isSecret = this.redact(name) !== name);
    }
    return isSecret;
  }

  /** Replaces every secret in a text with `[redacted]`. */
  redact(text: string): string {
    if (text.length < this.#minChars) return text;
    const clean = this.#pattern === undefined ? text : text.replace(this.#pattern, REDACTED);
    return this.#shortPattern === undefined ? clean : clean.replace(this.#shortPattern, REDACTED);
  }
}

/** A character in a token or a word. */
const TOKEN = "[\\p{L}\\p{M}\\p{N}_-]";
/** The beginning of a token, including after a line break in JSON text. */
const BEFORE = `(?:(?<!${TOKEN})|(?<=\\\\[bfnrt]))`;

function isLong(secret: string): boolean {
  return secret.length >= MIN_SECRET_CHARS;
}

/** The text itself and its base64. */
function patternsOf(secret: string): TextPattern[] {
  const base64 = [0, 1, 2].map((offset) => base64Core(secret, offset));
  return [patternOf(secret), ...base64.map((text) => patternOf(text, URL_BASE64))];
}

/**
 * The base64 characters that depend only on the secret, if it begins `offset` bytes after a
 * multiple of three. They are found in the base64 of `Bearer KEY`, `user:KEY` and other texts.
 */
function base64Core(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const first = Math.ceil(offset * 8 / 6);
  return bytes.toString("base64").slice(first, Math.floor(bytes.length * 8 / 6));
}
