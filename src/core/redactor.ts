/** Removes secrets from text that comes from outside. */

import { Buffer } from "node:buffer";
import { patternOf, type TextPattern } from "./encoded_text.ts";

const REDACTED = "[redacted]";
/**
 * Shorter secrets, in characters, occur in words by chance: they are searched in their plain form
 * only, as whole tokens.
 */
export const MIN_SECRET_CHARS = 8;
/** How many secrets of the running process are kept: up to three current ones and earlier ones. */
const MAX_ADDED = 9;
/** The characters that differ between base64 and base64url. */
const URL_BASE64: ReadonlyMap<string, string> = new Map([["+", "-"], ["/", "_"]]);

/**
 * Finds secrets in plain form, in any letter case, encoded as in URLs, forms, JSON or HTML, and
 * inside base64. Short secrets are found as whole tokens. The pattern is built once for each set of secrets; applying it takes linear time.
 */
export class Redactor {
  readonly #secrets: readonly string[];
  /** The latest secrets that were added, such as access tokens. */
  #added: readonly string[] = [];
  #maxChars = 0;
  #pattern: RegExp | undefined;
  #minChars = Infinity;
  #shortPattern: RegExp | undefined;

  constructor(secrets: Iterable<string>) {
    this.#secrets = [...secrets];
    this.#compile();
  }

  /** The length of the longest form of a secret, in characters. */
  get maxChars(): number {
    return this.#maxChars;
  }

  /** Adds a secret that was obtained while the process runs. It replaces the oldest one. */
  add(secret: string): void {
    if (!isLong(secret) || this.#added.includes(secret)) return;
    this.#added = [...this.#added, secret].slice(-MAX_ADDED);
    this.#compile();
  }

  #compile(): void {
    const secrets = [...this.#secrets, ...this.#added].map((secret) => secret.toWellFormed());
    const all = [...new Set(secrets)].filter((secret) => secret !== "");
    // Longest first: the first alternative that matches wins, and a secret may begin with another.
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

  /** Replaces every secret in a text by `[redacted]`. */
  redact(text: string): string {
    if (text.length < this.#minChars) return text;
    const clean = this.#pattern === undefined ? text : text.replace(this.#pattern, REDACTED);
    return this.#shortPattern === undefined ? clean : clean.replace(this.#shortPattern, REDACTED);
  }
}

/** A character of a token or a word. */
const TOKEN = "[\\p{L}\\p{M}\\p{N}_-]";
/** The beginning of a token, also after a line break in the text of JSON. */
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
 * The base64 characters that depend only on the secret, when it begins `offset` bytes after a
 * multiple of three. They are found in the base64 of `Bearer KEY`, `user:KEY` and other texts.
 */
function base64Core(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const first = Math.ceil(offset * 8 / 6);
  return bytes.toString("base64").slice(first, Math.floor(bytes.length * 8 / 6));
}
