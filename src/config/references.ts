/**
 * Resolves `${NAME}`, `${NAME:-default}`, `${file:/path}` and references to secret managers in the
 * strings of config.yaml.
 */

import { isObject } from "../contract/chat.ts";
import { runAtOnce, type Steps } from "../core/steps.ts";
import type { Path, PlacedError } from "./positions.ts";

/** Looks up the values of references. */
export interface Sources {
  readonly env: (name: string) => string | undefined;
  /** Reads a file. Throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /**
   * Looks up a secret by its reference, such as `vault:secret/data/x#key`; undefined if it does not
   * refer to a secret manager. Default: none.
   */
  readonly secret?: ((reference: string) => SecretResult | undefined) | undefined;
}

/** The value of a secret, or the reason why it has none. */
export type SecretResult = { readonly value: string } | Omit<UnresolvedReference, "path">;

/** A reference without a value; its text is left unchanged. */
export interface UnresolvedReference {
  readonly path: Path;
  /** E.g. `OPENAI_API_KEY is not set`. */
  readonly reason: string;
  /** The same for clients, without file paths. */
  readonly publicReason: string;
}

/** A document with resolved references. */
export interface ResolvedDocument {
  readonly value: unknown;
  readonly unset: readonly UnresolvedReference[];
  readonly errors: readonly PlacedError[];
}

/** The maximum number of values in a configuration. */
export const MAX_VALUES = 200_000;

/** The message for a YAML alias within its own anchor's value. */
export const CONTAINS_ITSELF = "must not contain itself";

/** Resolves every reference in a copy of `raw`. Empty sections (null) are dropped. */
export function resolveReferences(raw: unknown, sources: Sources): ResolvedDocument {
  return runAtOnce(resolveInSteps(raw, sources));
}

/** The number of values per step. */
const STEP_VALUES = 500;

/** The same in steps. */
export function* resolveInSteps(raw: unknown, sources: Sources): Steps<ResolvedDocument> {
  const unset: UnresolvedReference[] = [];
  const errors: PlacedError[] = [];
  const open = new Set<unknown>();
  let values = 0;

  function* walk(value: unknown, path: Path): Steps<unknown> {
    if (++values > MAX_VALUES) return undefined;
    if (values % STEP_VALUES === 0) yield;
    if (typeof value === "string") return fill(value, path);
    if (typeof value !== "object" || value === null) return value;
    if (open.has(value)) {
      errors.push({ path, message: CONTAINS_ITSELF });
      return undefined;
    }
    open.add(value);
    const copy = Array.isArray(value)
      ? yield* walkItems(value, path)
      : yield* walkMembers(value, path);
    open.delete(value);
    return copy;
  }

  function* walkItems(items: readonly unknown[], path: Path): Steps<unknown[]> {
    const copy: unknown[] = [];
    for (const [index, item] of items.entries()) {
      if (values > MAX_VALUES) break;
      copy.push(yield* walk(item, [...path, index]));
    }
    return copy;
  }

  function* walkMembers(value: object, path: Path): Steps<unknown> {
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      if (values > MAX_VALUES) break;
      const at = [...path, name];
      if (name === "__proto__") errors.push({ path: at, message: "cannot be used as a name" });
      else if (member !== null || !isEmptyMember(at)) members.push([name, yield* walk(member, at)]);
    }
    return Object.fromEntries(members);
  }

  function fill(text: string, path: Path): string {
    if (!text.includes("${")) return text;
    const missing = new Map<string, UnresolvedReference>();
    let isValid = !text.replaceAll(REFERENCE, "").includes("${");
    const resolved = text.replaceAll(REFERENCE, (_, inner: string) => {
      const found = lookUp(inner, sources);
      if (found === undefined) isValid = false;
      else if ("reason" in found) missing.set(found.reason, { path, ...found });
      else return found.value;
      return "";
    });
    if (!isValid) errors.push({ path, message: MALFORMED });
    unset.push(...missing.values());
    return isValid && missing.size === 0 ? resolved : text;
  }

  const value = yield* walk(raw, []);
  if (values <= MAX_VALUES) return { value, unset, errors };
  // Nested YAML aliases can expand to any number of values.
  const message = `The file has more than ${MAX_VALUES} values, with all aliases expanded`;
  return { value: undefined, unset: [], errors: [{ path: [], message }] };
}

/** The references to secret managers in a document. */
export function* secretReferences(
  raw: unknown,
  sources: Omit<Sources, "secret">,
): Steps<ReadonlySet<string>> {
  const found = new Set<string>();
  yield* resolveInSteps(raw, { ...sources, secret: (reference) => void found.add(reference) });
  return found;
}

/** The text at a path before references were resolved, so it contains no secrets from them. */
export function rawTextAt(raw: unknown, path: Path): string {
  let value = raw;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === "number") value = value[step];
    else value = isObject(value) ? value[String(step)] : undefined;
  }
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** Whether part of a text comes from a secret manager. */
export function isManaged(text: string): boolean {
  return [...text.matchAll(REFERENCE)].some(([, inner = ""]) =>
    MANAGED.test(inner) && !inner.startsWith("file:")
  );
}

/** A reference, which may contain another one. */
const REFERENCE = /\$\{((?:[^}$]|\$(?!\{)|\$\{[^}$]*\})*)\}/g;
/** The secret manager prefix before a secret's name; `:-` introduces a default. */
const MANAGED = /^[a-z][a-z-]*:(?!-)/;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const MALFORMED =
  "Malformed reference: write '${NAME}', '${NAME:-default}', '${file:/run/secrets/name}', " +
  "'${file:${FOLDER}/name}' or one to a secret manager";

function lookUp(inner: string, sources: Sources): SecretResult | undefined {
  if (inner.startsWith("file:")) return readSecretAt(inner.slice("file:".length), sources);
  if (inner.includes("${")) return undefined;
  if (MANAGED.test(inner)) return sources.secret?.(inner);
  const [, name, fallback] = VARIABLE.exec(inner) ?? [];
  if (name === undefined) return undefined;
  const value = sources.env(name) || fallback;
  return value === undefined ? unresolved(`${name} is not set`) : { value };
}

function unresolved(reason: string, publicReason = reason): SecretResult {
  return { reason, publicReason };
}

/** A variable in a path, such as systemd's `CREDENTIALS_DIRECTORY`. */
const VARIABLE_IN_PATH = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function readSecretAt(written: string, sources: Sources): SecretResult | undefined {
  const missing: string[] = [];
  const path = written.replaceAll(VARIABLE_IN_PATH, (_, name: string) => {
    const value = sources.env(name);
    if (!value) missing.push(name);
    return value ?? "";
  });
  const [name] = missing;
  if (name !== undefined) return unresolved(`${name} is not set`);
  return path === "" || path.includes("${") ? undefined : readSecret(path, sources);
}

function readSecret(path: string, sources: Sources): SecretResult {
  try {
    const value = sources.readFile(path).replace(/[\r\n]+$/, "");
    return value === "" ? unresolved(`${path} is empty`, "a secret file is empty") : { value };
  } catch {
    return unresolved(`cannot read ${path}`, "a secret file cannot be read");
  }
}

/** `pins:` with only comments below it parses as null and means an empty section. */
function isEmptyMember(path: Path): boolean {
  const [section] = path;
  return path.length === 1 || (path.length === 2 && section === "server") ||
    (path.length === 3 && section === "providers");
}

/** Line numbers (from 1) of lines that are not `NAME=value`, a comment or part of a quoted value. */
export function ignoredLines(text: string): number[] {
  // A quoted value may span several lines.
  const unquoted = text.replace(
    /=[ \t]*(["'`])[^]*?\1/g,
    (value) => `=${value.replace(/[^\n]/g, "")}`,
  );
  return unquoted.split("\n").flatMap((line, index) =>
    /^\s*(?:#|$|(?:export\s+)?[\w.-]+\s*=)/.test(line) ? [] : [index + 1]
  );
}
