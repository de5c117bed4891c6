/** Strikes secrets out of text that comes from outside. */

import { Buffer } from "node:buffer";

const REDACTED = "[redacted]";
/** Secrets shorter than this many characters are looked for as they are, and in no other form. */
const MIN_ENCODED_CHARS = 8;
/** Access tokens that Google gives out: they change every hour, so they are known by their form. */
const GOOGLE_ACCESS_TOKEN = "ya29\\.[\\w.-]{20,}";
const MIN_GOOGLE_TOKEN_CHARS = 25;

/**
 * Finds secrets as they are, in any case of letters, URL-encoded, escaped as in JSON, and in base64,
 * whatever stands before or behind them in it. The patterns are made once; to apply them is linear
 * in the text.
 */
export class Redactor {
  /** The most characters that a secret takes, in any of its forms. */
  readonly maxChars: number;
  readonly #pattern: RegExp | undefined;
  readonly #minChars: number;
  readonly #shortSecrets: readonly string[];

  constructor(secrets: Iterable<string>) {
    const all = [...new Set([...secrets].map((secret) => secret.toWellFormed()))]
      .filter((secret) => secret !== "");
    const forms = all.filter(isLong).flatMap(formsOf);
    // The first alternative that fits is taken: a secret may be the beginning of another one.
    const alternatives = [...new Set(forms)].sort((one, other) => other.length - one.length);
    this.#shortSecrets = all.filter((secret) => !isLong(secret));
    this.maxChars = Math.max(0, ...alternatives.map(({ length }) => length));
    const lengths = [...alternatives, ...this.#shortSecrets].map(({ length }) => length);
    this.#minChars = lengths.length === 0 ? Infinity : Math.min(MIN_GOOGLE_TOKEN_CHARS, ...lengths);
    this.#pattern = alternatives.length === 0
      ? undefined
      : new RegExp([...alternatives.map(escaped), GOOGLE_ACCESS_TOKEN].join("|"), "gi");
  }

  redact(text: string): string {
    if (text.length < this.#minChars) return text;
    let clean = this.#pattern === undefined ? text : text.replace(this.#pattern, REDACTED);
    for (const secret of this.#shortSecrets) clean = clean.replaceAll(secret, REDACTED);
    return clean;
  }
}

function isLong(secret: string): boolean {
  return secret.length >= MIN_ENCODED_CHARS;
}

function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((offset) => base64Core(secret, offset));
  return [
    ...[secret, ...base64].flatMap((
      text,
    ) => [text, encodeURIComponent(text), percentEncoded(text)]),
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    JSON.stringify(secret).slice(1, -1),
  ];
}

/** Everything but letters, digits and `-._`: some encoders leave less as it is than ours. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}

/**
 * The base64 characters that depend on the secret alone, when it begins `offset` bytes after a
 * multiple of three: those of `Bearer KEY`, `user:KEY` and everything else around a key.
 */
function base64Core(secret: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const first = Math.ceil(offset * 8 / 6);
  return bytes.toString("base64").slice(first, Math.floor(bytes.length * 8 / 6));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
