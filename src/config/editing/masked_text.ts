/**
 * Replaces the secrets in the text of a config.yaml by tokens, and tokens by the secrets again. All
 * other characters, comments included, stay as they are.
 */

import { createHmac } from "node:crypto";
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from "yaml";

/** A text without secrets. */
export interface MaskedText {
  readonly text: string;
  /** The source of each secret by its token. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** The options of {@linkcode maskText}. */
export interface MaskOptions {
  /** The secret from which tokens are derived, so that a token says nothing about its secret. */
  readonly key: Uint8Array;
  /** The members of providers that are credentials. */
  readonly credentials: ReadonlySet<string>;
}

/** Tokens are long enough for members that ask for 32 characters. */
const TOKEN = /\bhidden-[0-9a-f]{25}\b/g;
const TOKEN_DIGITS = 25;

/** The name of a member whose value is a secret. */
const SECRET_NAME =
  /(?:^|[_-])(?:keys?|secret|token|password|passphrase|pepper|credentials?|authorization|cookie)$/i;
/** Names that only look like those of secrets. */
const PUBLIC_NAMES = new Set(["keys", "admin_keys", "first_token", "metric_keys"]);
/** `name: value` in a comment, or in a text that is not valid YAML. */
const SECRET_LINE =
  /(?:^|[\s{,"'-])["']?[\w-]*(?:key|secret|token|password|passphrase|pepper|credentials?|authorization|cookie)["']?\s*[:=]\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'#,{}[\]|>&*][^\s,#]*))/gi;
/** Keys with a well-known form, wherever they are. */
const KNOWN_FORM =
  /\b(?:sk|pk|rk|gsk|hf|ghp|github_pat|glpat|xox[abprs])[-_][\w-]{12,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bsha256:[0-9a-f]{64}\b|-----BEGIN [^-]+-----[^]*?-----END [^-]+-----/gi;
/** The password in a URL, a long name without one, and a query that may be one. */
const URL_PASSWORD = /(?<=[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:"']*:)[^\s/?#"'${}]+(?=@)/gi;
const URL_TOKEN = /(?<=[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@:"'${}]{12,}(?=@)/gi;
const URL_SECRET = /(?<=[?&](?:key|api[-_]?key|token|password|secret|sig|code)=)[^\s&#"'${}]+/gi;
/** Shorter texts are replaced only where they are a value. */
const MIN_SEARCHED_CHARS = 8;
const REFERENCE = /\$\{(?:[^}$]|\$\{[^}]*\})*\}/g;

/** Replaces all secrets. A reference such as `${NAME}` is none, but its default may be one. */
export function maskText(text: string, options: MaskOptions): MaskedText {
  const ranges = new Map<number, number>();
  const add = (start: number, end: number) => {
    if (end > start) ranges.set(start, Math.max(end, ranges.get(start) ?? 0));
  };
  const { nodes, isValid } = secretNodes(text, options);
  for (const node of nodes) {
    const [start, end] = innerRange(text, node);
    if (isSecretText(text.slice(start, end))) add(start, end);
  }
  for (const match of text.matchAll(SECRET_LINE)) {
    const value = match.slice(1).find((one) => one !== undefined) ?? "";
    const start = match.index + match[0].lastIndexOf(value);
    const isOfText = isValid && !isInComment(text, start);
    if (!isOfText && isSecretText(value) && !isPublicLine(match[0])) {
      add(start, start + value.length);
    }
  }
  for (const pattern of [KNOWN_FORM, URL_PASSWORD, URL_TOKEN, URL_SECRET]) {
    for (const match of text.matchAll(pattern)) add(match.index, match.index + match[0].length);
  }
  return replace(text, ranges, options.key);
}

/**
 * Replaces tokens by their secrets.
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

/** The scalars that are secrets because of their names. An alias counts where it stands. */
function secretNodes(
  text: string,
  { credentials }: MaskOptions,
): { readonly nodes: readonly Scalar[]; readonly isValid: boolean } {
  let document;
  try {
    document = parseDocument(text, { logLevel: "silent", schema: "core", uniqueKeys: false });
  } catch {
    // Text that is nested too deeply. The patterns are used nevertheless.
    return { nodes: [], isValid: false };
  }
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_, node) {
      if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  const found: Scalar[] = [];
  const seen = new Set<Node>();
  const walk = (node: unknown, path: readonly string[], isSecret: boolean): void => {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (!isSecret || target === undefined || seen.has(target)) return;
      seen.add(target);
      return walk(target, path, true);
    }
    if (isScalar(node)) {
      if (isSecret && typeof node.value === "string") found.push(node);
    } else if (isSeq(node)) {
      for (const item of node.items) walk(item, path, isSecret);
    } else if (isMap(node)) {
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : "";
        const own = [...path, name];
        walk(value, own, isSecret || isSecretName(own, credentials));
      }
    }
  };
  walk(document.contents, [], false);
  return { nodes: found, isValid: document.errors.length === 0 };
}

/** Whether the line has a comment before a position. */
function isInComment(text: string, position: number): boolean {
  return /(?:^|\s)#/.test(text.slice(text.lastIndexOf("\n", position) + 1, position));
}

function isSecretName(path: readonly string[], credentials: ReadonlySet<string>): boolean {
  const name = path.at(-1) ?? "";
  // The names of providers, models and aliases are chosen by the operator.
  if (path.length === 2 && ["providers", "aliases", "pins"].includes(path[0] ?? "")) return false;
  if (path.at(-2) === "headers") return true;
  if (path[0] === "providers" && path.length === 3 && credentials.has(name)) return true;
  return SECRET_NAME.test(name) && !PUBLIC_NAMES.has(name);
}

function isPublicLine(line: string): boolean {
  return [...PUBLIC_NAMES].some((name) => line.trimStart().startsWith(name));
}

/** The characters of a scalar without its quotes. */
function innerRange(text: string, { range, type }: Scalar): readonly [number, number] {
  const [start = 0, end = 0] = range ?? [];
  if (type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") return [start + 1, end - 1];
  const source = text.slice(start, end);
  // The line break after a block stays.
  return [start, start + source.trimEnd().length];
}

/** Whether something is left without references to what is stored elsewhere. */
function isSecretText(text: string): boolean {
  if (new RegExp(`^${TOKEN.source}$`).test(text)) return false;
  const left = text.replaceAll(REFERENCE, (reference) => {
    const [, fallback = ""] = /^\$\{[A-Za-z_]\w*:-(.*)\}$/s.exec(reference) ?? [];
    return fallback;
  });
  return left.replace(/^(?:bearer|basic|token)\s+/i, "").trim() !== "";
}

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
    // A range within another one is hidden with it.
    if (last <= end) continue;
    const first = Math.max(start, end);
    masked += text.slice(end, first) + tokenOf(text.slice(first, last));
    end = last;
  }
  masked += text.slice(end);
  // The same secrets in comments or elsewhere.
  for (const [secret, token] of tokens) {
    if (secret.length >= MIN_SEARCHED_CHARS) masked = masked.replaceAll(secret, token);
  }
  return { text: masked, secrets };
}
