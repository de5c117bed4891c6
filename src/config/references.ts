/** Fills `${NAME}`, `${NAME:-default}` and `${file:/path}` into the strings of config.yaml. */

import { isObject } from "../chat/chat.ts";
import type { Path, PlacedFault } from "./config_errors.ts";

/** Where references are looked up. */
export interface Sources {
  readonly env: (name: string) => string | undefined;
  /** Throws when the file cannot be read. */
  readonly readFile: (path: string) => string;
}

/** A reference that leads nowhere; its text stays as it was written. */
export interface Unset {
  readonly path: Path;
  /** E.g. `OPENAI_API_KEY is not set`. */
  readonly reason: string;
  /** The same for callers, who are told no path of a file. */
  readonly publicReason: string;
}

/** The document with its references filled in. */
export interface Filled {
  readonly value: unknown;
  readonly unset: readonly Unset[];
  readonly faults: readonly PlacedFault[];
}

/** Fills every reference below `raw`, which is left as it is. Members that are null are dropped. */
export function fillReferences(raw: unknown, sources: Sources): Filled {
  const unset: Unset[] = [];
  const faults: PlacedFault[] = [];
  const open = new Set<unknown>();

  function walk(value: unknown, path: Path): unknown {
    if (typeof value === "string") return fill(value, path);
    if (typeof value !== "object" || value === null) return value;
    if (open.has(value)) {
      faults.push({ path, message: "must not contain itself" });
      return undefined;
    }
    open.add(value);
    const copy = Array.isArray(value)
      ? value.map((item, index) => walk(item, [...path, index]))
      : walkMembers(value, path);
    open.delete(value);
    return copy;
  }

  function walkMembers(value: object, path: Path): unknown {
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const at = [...path, name];
      if (name === "__proto__") faults.push({ path: at, message: "cannot be used as a name" });
      else if (member !== null || !isEmptyMember(at)) members.push([name, walk(member, at)]);
    }
    return Object.fromEntries(members);
  }

  function fill(text: string, path: Path): string {
    if (!text.includes("${")) return text;
    const missing = new Map<string, Unset>();
    let sound = !text.replaceAll(REFERENCE, "").includes("${");
    const filled = text.replaceAll(REFERENCE, (_, inner: string) => {
      const found = lookUp(inner, sources);
      if (found === undefined) sound = false;
      else if ("reason" in found) missing.set(found.reason, { path, ...found });
      else return found.value;
      return "";
    });
    if (!sound) faults.push({ path, message: MALFORMED });
    unset.push(...missing.values());
    return sound && missing.size === 0 ? filled : text;
  }

  return { value: walk(raw, []), unset, faults };
}

/** The text at a path as it was written, which is safe to print: no reference is filled in. */
export function writtenAt(raw: unknown, path: Path): string {
  let value = raw;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === "number") value = value[step];
    else value = isObject(value) ? value[String(step)] : undefined;
  }
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

const REFERENCE = /\$\{([^}]*)\}/g;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const MALFORMED =
  "Malformed reference: write '${NAME}', '${NAME:-default}' or '${file:/run/secrets/name}'";

type Found = { readonly value: string } | Omit<Unset, "path">;

function lookUp(inner: string, sources: Sources): Found | undefined {
  if (inner.startsWith("file:")) return readSecret(inner.slice("file:".length), sources);
  const [, name, fallback] = VARIABLE.exec(inner) ?? [];
  if (name === undefined) return undefined;
  const value = sources.env(name) || fallback;
  return value === undefined ? unresolved(`${name} is not set`) : { value };
}

function unresolved(reason: string, publicReason = reason): Found {
  return { reason, publicReason };
}

function readSecret(path: string, sources: Sources): Found | undefined {
  if (path === "") return undefined;
  try {
    const value = sources.readFile(path).replace(/[\r\n]+$/, "");
    return value === "" ? unresolved(`${path} is empty`, "a secret file is empty") : { value };
  } catch {
    return unresolved(`cannot read ${path}`, "a secret file cannot be read");
  }
}

/** `pins:` with nothing but comments below it reads as null, and means that there is none. */
function isEmptyMember(path: Path): boolean {
  const [section] = path;
  return path.length === 1 || (path.length === 2 && section === "server") ||
    (path.length === 3 && section === "providers");
}
