/** Patterns that find a text in every encoding that URLs, forms, JSON and HTML give it. */

/** A part of a regular expression. */
export interface TextPattern {
  readonly source: string;
  /** The length of the longest match, in characters. */
  readonly maxChars: number;
}

/** Characters that no usual encoding changes. */
const UNCHANGED = /^[\w.-]$/;
/** How many times an encoded text may have been encoded again. */
const REPEATS = 3;
/** Each further string of JSON around a text doubles its backslashes. */
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
 * The pattern of a text, for an expression that ignores case. Encoders differ in the characters
 * that they change, so that each character may be encoded on its own. Matching takes linear time.
 *
 * @param aliases other characters that stand for one, such as `-` for `+` in base64
 */
export function patternOf(
  text: string,
  aliases: ReadonlyMap<string, string> = new Map(),
): TextPattern {
  let source = "";
  let maxChars = 0;
  // Backslashes are taken together: on their own, they could be matched in too many ways.
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

/** JSON doubles a backslash; the other encodings write each on its own. */
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

/** As in URLs and forms. Addresses within addresses are encoded more than once. */
function percentEncoded(character: string): TextPattern {
  const bytes = [...new TextEncoder().encode(character)];
  const source = bytes.map((byte) => `%(?:25){0,${REPEATS}}${hex(byte, 2)}`).join("");
  return { source, maxChars: bytes.length * (3 + 2 * REPEATS) };
}

/**
 * As in JSON: quotes and line breaks, slashes by some writers, and characters that are special in
 * HTML or not ASCII by number.
 */
function backslashEscaped(character: string): TextPattern {
  const last = JSON.stringify(character).slice(1, -1).replace(/^\\(?=.)/, "");
  const { source, maxChars } = unicodeEscaped(character);
  return { source: `${BACKSLASHES}${escaped(last)}|${source}`, maxChars };
}

/** By the numbers of its UTF-16 units. */
function unicodeEscaped(character: string): TextPattern {
  const units = character.split("");
  const source = units.map((unit) => `${BACKSLASHES}u${hex(unit.charCodeAt(0), 4)}`).join("");
  return { source, maxChars: units.length * (MAX_BACKSLASHES + 5) };
}

/** As in HTML and XML, by number or name. */
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
