/**
 * Replaces the secrets in the text of a config.yaml with tokens, and tokens with the secrets. All
 * other characters are unchanged.
 */

import { createHmac } from "node:crypto";
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import {
  type Place,
  type Range,
  type SecretMembers,
  secretsOfUrl,
  secretsOfUrls,
} from "./secret_members.ts";

/** A text without secrets. */
export interface MaskedText {
  readonly text: string;
  /** The source of each secret, by its token. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** The options of {@linkcode maskText}. */
export interface MaskOptions {
  /** The secret from which tokens are derived, so that a token reveals nothing about the value. */
  readonly key: Uint8Array;
  readonly members: SecretMembers;
  /**
   * Whether to show all comments, and the member names in a text that is not valid YAML. Secrets
   * in free text cannot be detected, so other admins see only comments that consist of plain
   * words.
   */
  readonly comments: boolean;
}

/** Tokens have 32 characters, the minimum for some members. */
const TOKEN = /\bhidden-[0-9a-f]{25}\b/g;
const WHOLE_TOKEN = new RegExp(`^(?:${TOKEN.source}|[\\s"'])*$`);
const TOKEN_DIGITS = 25;

/** Shorter texts are replaced only if they are a whole value. */
const MIN_SEARCHED_CHARS = 8;
const REFERENCE = /\$\{(?:[^}$]|\$\{[^}]*\})*\}/g;
/** Matches a reference with a default, up to the start of the default. */
const WITH_DEFAULT = /^\$\{[A-Za-z_]\w*:-/;
/** A name and its value in a line, with any prefix. */
const NAMED_VALUE = /^[\s#>-]*(?:export\s+)?(["']?)([\w.-]+)\1\s*[:=]\s*/;

/**
 * Replaces all secrets. A reference such as `${NAME}` is not a secret, but its default may be one.
 */
export function maskText(text: string, options: MaskOptions): MaskedText {
  const ranges = new Map<number, number>();
  const add = ([start, end]: Range) => {
    if (end <= start || WHOLE_TOKEN.test(text.slice(start, end))) return;
    ranges.set(start, Math.max(end, ranges.get(start) ?? 0));
  };
  const found = valuesOf(text, options.members);
  const comments = found && commentsOf(text);
  if (found === undefined || comments === undefined) {
    for (const line of linesOf(text)) rangesOfLine(text, line, options, false).forEach(add);
  } else {
    for (const value of found) rangesOfValue(text, value).forEach(add);
    for (const comment of comments) rangesOfLine(text, comment, options, true).forEach(add);
  }
  return replace(text, ranges, options.key);
}

/**
 * Replaces tokens with their secrets.
 *
 * @returns the text, and the positions of tokens that are not known
 */
export function restoreText(
  text: string,
  secrets: ReadonlyMap<string, string>,
): { readonly text: string; readonly unknown: readonly number[] } {
  const unknown: number[] = [];
  const restored = text.replaceAll(TOKEN, (token, index: number) => {
    const secret = secrets.get(token);
    if (secret === undefined) unknown.push(index);
    return secret ?? token;
  });
  return { text: restored, unknown };
}

/** A scalar, and whether it may be shown. */
interface FoundValue {
  readonly node: Scalar;
  readonly isPublic: boolean;
}

/** All scalar values in a document; undefined for a text that is not valid YAML. */
function valuesOf(text: string, members: SecretMembers): readonly FoundValue[] | undefined {
  let documents;
  try {
    documents = parseAllDocuments(text, { logLevel: "silent", schema: "core", uniqueKeys: false });
  } catch {
    // The text is nested too deeply.
    return undefined;
  }
  const [document] = documents;
  if (document === undefined) return [];
  // A configuration consists of one document.
  if (documents.length > 1 || document.errors.length > 0) return undefined;
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_, node) {
      if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  const found: FoundValue[] = [];
  const seen = new Map<Node, Set<Place>>();
  // An alias has the position at which it is used.
  const walk = (node: unknown, place: Place): void => {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      const places = target && (seen.get(target) ?? new Set<Place>());
      if (target === undefined || places === undefined || places.has(place)) return;
      seen.set(target, places.add(place));
      return walk(target, place);
    }
    if (isScalar(node)) found.push({ node, isPublic: isPublic(members, place, node.value) });
    else if (isSeq(node)) {
      const items = members.items(place);
      for (const item of node.items) walk(item, items);
    } else if (isMap(node)) {
      const described = members.ofKind(place, kindOf(node));
      for (const { key, value } of node.items) {
        walk(value, members.member(described, isScalar(key) ? String(key.value) : ""));
      }
    }
  };
  walk(document.contents, members.root);
  return found;
}

function kindOf(node: YAMLMap): unknown {
  return node.get("kind");
}

function isPublic(members: SecretMembers, place: Place, value: unknown): boolean {
  if (value === null || typeof value === "boolean") return true;
  if (typeof value !== "string" || !value.includes("${")) return members.isPublic(place, value);
  // A text that consists only of references has nothing to hide; otherwise its defaults and the
  // text are checked.
  return withoutReferences(value) === "" || members.isPublic(place, withDefaults(value)) ||
    members.isPublic(place, value);
}

/** A text without its references, and their defaults. */
function withoutReferences(text: string): string {
  return withDefaults(text).replace(/^(?:bearer|basic|token)\s+/i, "").trim();
}

/** A text with each reference replaced by its default. */
function withDefaults(text: string): string {
  return text.replaceAll(REFERENCE, (reference) => {
    const start = WITH_DEFAULT.exec(reference)?.[0].length;
    return start === undefined ? "" : reference.slice(start, -1);
  });
}

/** The parts of a value that are hidden. */
function rangesOfValue(text: string, { node, isPublic }: FoundValue): readonly Range[] {
  const [start, end] = innerRange(text, node);
  const source = text.slice(start, end);
  if (!isPublic) return withoutReferences(source) === "" ? [] : [[start, end]];
  if (!source.includes("://")) return [];
  const value = typeof node.value === "string" ? node.value : source;
  // With escaped characters, positions in the value differ from those in the text.
  if (value !== source) return secretsOfUrl(value).length === 0 ? [] : [[start, end]];
  return secretsOfReferences(source).map(([from, to]): Range => [start + from, start + to]);
}

/** The secrets of a URL that may contain references, whose defaults are hidden. */
function secretsOfReferences(source: string): readonly Range[] {
  const references: Range[] = [];
  // The parser treats a reference as part of a name.
  const plain = source.replaceAll(REFERENCE, (reference, index: number) => {
    const start = WITH_DEFAULT.exec(reference)?.[0].length;
    if (start !== undefined) references.push([index + start, index + reference.length - 1]);
    return "_".repeat(reference.length);
  });
  const parts = secretsOfUrl(plain).filter(([start, end]) => /[^_]/.test(plain.slice(start, end)));
  return [...parts, ...references];
}

/** A scalar's characters without its quotes. */
function innerRange(text: string, { range, type }: Scalar): Range {
  const [start = 0, end = 0] = range ?? [];
  if (type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") return [start + 1, end - 1];
  const source = text.slice(start, end);
  // The line break after a block is not replaced.
  return [start, start + source.trimEnd().length];
}

/** The comments in a valid text, without the `#`; undefined if the text cannot be tokenized. */
function commentsOf(text: string): readonly Range[] | undefined {
  const comments: Range[] = [];
  let at = 0;
  let isScalar = false;
  for (const part of new Lexer().lex(text)) {
    // Control tokens of the lexer, which are not part of the text.
    if (part === "\x02" || part === "\x18" || part === "\x1f") {
      isScalar = part === "\x1f";
      continue;
    }
    if (!isScalar && part.startsWith("#")) comments.push([at + 1, at + part.length]);
    isScalar = false;
    at += part.length;
  }
  return at === text.length ? comments : undefined;
}

function linesOf(text: string): readonly Range[] {
  const lines: Range[] = [];
  for (let start = 0; start < text.length;) {
    const next = text.indexOf("\n", start);
    const end = next === -1 ? text.length : next;
    lines.push([start, end]);
    start = end + 1;
  }
  return lines;
}

/**
 * The hidden parts of a comment, or of a line of a text that is not valid YAML.
 *
 * @param isComment whether sentences are also shown
 */
function rangesOfLine(
  text: string,
  [start, end]: Range,
  { members, comments }: MaskOptions,
  isComment: boolean,
): readonly Range[] {
  const line = text.slice(start, end).trimEnd();
  const from = start + (line.length - line.trimStart().length);
  const all: Range = [from, start + line.length];
  if (!comments) return isComment && isPlainText(line) ? [] : [all];
  const named = NAMED_VALUE.exec(line);
  if (named === null) {
    if (!isComment || /[{[]/.test(line)) return /\w/.test(line) ? [all] : [];
    return secretsOfUrls(line).map(([from, to]): Range => [start + from, start + to]);
  }
  const [{ length }, , name = ""] = named;
  const value = line.slice(length).replace(/^(["'])(.*)\1$/, "$2");
  const at = start + line.indexOf(value, length);
  if (withoutReferences(value) === "") return [];
  if (!members.isPublicName(name, value)) return [[at, at + value.length]];
  return secretsOfReferences(value).map(([from, to]): Range => [at + from, at + to]);
}

/** Whether a text consists only of ordinary words and short numbers. */
function isPlainText(text: string): boolean {
  return text.split(/\s+/).every((word) => PLAIN_WORD.test(word));
}

const PLAIN_WORD =
  /^[("'#-]*(?:\p{L}?\p{Ll}{0,20}(?:['\u2019/-]\p{Ll}{1,20})*|\p{Lu}{1,6}|\d{1,4})[.,;!?)"']*$/u;

function replace(text: string, ranges: ReadonlyMap<number, number>, key: Uint8Array): MaskedText {
  const secrets = new Map<string, string>();
  const tokens = new Map<string, string>();
  const tokenOf = (secret: string) => {
    let token = tokens.get(secret);
    if (token === undefined) {
      const digest = createHmac("sha256", key).update(secret).digest("hex");
      token = `hidden-${digest.slice(0, TOKEN_DIGITS)}`;
      tokens.set(secret, token);
      secrets.set(token, secret);
    }
    return token;
  };
  let masked = "";
  let end = 0;
  for (const [start, last] of [...ranges].sort(([one], [other]) => one - other)) {
    // Ranges within another range are hidden with it.
    if (last <= end) continue;
    const first = Math.max(start, end);
    masked += text.slice(end, first) + tokenOf(text.slice(first, last));
    end = last;
  }
  masked += text.slice(end);
  // Further occurrences of the same secrets, for example in comments.
  for (const [secret, token] of tokens) {
    if (secret.length >= MIN_SEARCHED_CHARS) masked = masked.replaceAll(secret, token);
  }
  return { text: masked, secrets };
}
