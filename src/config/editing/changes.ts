/**
 * Changes to config.yaml: the differences between two files, and the types of the calls that edit
 * it.
 */

import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { shortened } from "../../core/text.ts";

/** The longest value of a change, in UTF-16 units. */
const MAX_VALUE_CHARS = 300;

/** A name with its value in one section. */
type Named = ReadonlyMap<string, unknown>;
type Sections = ReadonlyMap<ConfigChange["section"], Named>;

/**
 * Compares two documents whose references are not resolved.
 *
 * @param before the current one
 */
export function changesBetween(before: unknown, after: unknown): ConfigChange[] {
  const [old, next] = [sectionsOf(before), sectionsOf(after)];
  return [...next].flatMap(([section, named]) => {
    const earlier = old.get(section) ?? new Map<string, unknown>();
    const names = new Set([...earlier.keys(), ...named.keys()]);
    return [...names].flatMap((name): ConfigChange[] => {
      const [one, other] = [earlier.get(name), named.get(name)];
      if (isDeepStrictEqual(one, other)) return [];
      const change = !earlier.has(name) ? "added" : !named.has(name) ? "removed" : "changed";
      return [{ section, name, change, ...toTexts(one, other) }];
    });
  });
}

function sectionsOf(document: unknown): Sections {
  const { providers, aliases, pins, limits, server, ...others } = isObject(document)
    ? document
    : {};
  const { keys, admin_keys: admins, ...settings } = isObject(server) ? server : {};
  return new Map<ConfigChange["section"], Named>([
    ["providers", new Map(membersOf(providers).map(([id, entry]) => [id, withoutModels(entry)]))],
    ["models", new Map(membersOf(providers).flatMap(([id, entry]) => modelsOf(id, entry)))],
    ["aliases", new Map(membersOf(aliases))],
    ["pins", new Map(membersOf(pins))],
    ["limits", new Map(membersOf(limits))],
    ["keys", namedKeys(keys)],
    ["admin_keys", namedKeys(admins)],
    ["settings", new Map(leavesOf({ ...others, server: settings }))],
  ]);
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function withoutModels(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { models: _, ...rest } = entry;
  return rest;
}

function modelsOf(provider: string, entry: unknown): [string, unknown][] {
  const models = isObject(entry) && Array.isArray(entry.models) ? entry.models : [];
  return models.map((model: unknown) => {
    const id = isObject(model) ? String(model.id ?? "?") : String(model);
    return [`${id}@${provider}`, model];
  });
}

function namedKeys(list: unknown): Named {
  if (!Array.isArray(list)) return new Map();
  return new Map(list.map((key: unknown, index) => [
    isObject(key) ? String(key.name ?? index) : String(index),
    key,
  ]));
}

/** The members of other sections, by path, two levels deep. */
function leavesOf(sections: JsonObject): [string, unknown][] {
  return Object.entries(sections).flatMap(([section, value]): [string, unknown][] =>
    isObject(value)
      ? Object.entries(value).map(([name, member]) => [`${section}.${name}`, member])
      : [[section, value]]
  );
}

/** A value's text before and after a change; for an object, only the members that differ. */
function toTexts(before: unknown, after: unknown): { before?: string; after?: string } {
  const [old, next] = isObject(before) && isObject(after)
    ? [without(before, after), without(after, before)]
    : [before, after];
  const [one, other] = [old, next].map((value) =>
    shortened(
      value === undefined ? "" : isObject(value) ? membersText(value) : flow(value),
      MAX_VALUE_CHARS,
    )
  );
  return { ...(one && { before: one }), ...(other && { after: other }) };
}

/** The members of an object that are missing in another one or have a different value there. */
function without(object: JsonObject, other: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) =>
      !Object.hasOwn(other, name) || !isDeepStrictEqual(value, other[name])
    ),
  );
}

function membersText(object: JsonObject): string {
  return Object.entries(object).map(([name, value]) => `${flow(name)}: ${flow(value)}`).join(", ");
}

const PLAIN = /^[A-Za-z0-9_./][\w./@+:*-]*(?<!:)$/;
/** Text that parsers may interpret as something other than a string. */
const AMBIGUOUS =
  /^(?:true|false|null|yes|no|on|off|y|n|[.\d][\d_.:eExXoO+a-fA-F-]*|\.(?:inf|nan))$/i;

/** Writes a value on one line. */
export function flow(value: unknown): string {
  if (typeof value === "string") {
    return PLAIN.test(value) && !AMBIGUOUS.test(value) ? value : JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (!isObject(value)) return String(value);
  const members = membersText(value);
  return members === "" ? "{}" : `{ ${members} }`;
}

/** An admin call. `comments` are shown to admins who may edit them. */
export type ConfigCall =
  | { readonly type: "show"; readonly comments: boolean }
  /** Shows an earlier version. */
  | { readonly type: "show_version"; readonly id: string; readonly comments: boolean }
  | { readonly type: "check"; readonly text: string }
  /** Lists a text's objects for forms, after edits. Nothing is saved. */
  | { readonly type: "form"; readonly text: string; readonly edits: readonly FormEdit[] }
  | {
    readonly type: "save";
    readonly text: string;
    /** The hash of the file that the text was derived from. */
    readonly hash: string;
    /** The name of the admin key. */
    readonly admin: string;
    /** Why the text was changed. */
    readonly reason?: string | undefined;
  };

/** The path to a value: names of members and indexes of list entries. */
export type FormPath = readonly (string | number)[];

/** A change to one value. */
export type FormEdit =
  /** Sets a value; members and objects that are missing are added. */
  | { readonly path: FormPath; readonly value: unknown }
  /** The entries of a list: the index of an existing entry, or the text of a new one. */
  | { readonly path: FormPath; readonly items: readonly (string | number)[] }
  | { readonly path: FormPath; readonly remove: true };

/** An entry of a list: its text or name. `is_text`: it has other members, or cannot be read. */
export interface FormItem {
  readonly name: string;
  readonly is_text: boolean;
  /** The members of an entry whose members can all be changed. Their paths start at the entry. */
  readonly fields?: readonly FormField[];
}

/** A value or list that a form can change. The path starts at the object. */
export interface FormField {
  readonly path: readonly string[];
  readonly value?: string | number | boolean;
  readonly items?: readonly FormItem[];
}

/** A provider, an alias, a key, the default limits, or the limits of a model. */
export interface FormObject {
  readonly path: FormPath;
  readonly name: string;
  readonly first_line: number;
  readonly last_line: number;
  readonly fields: readonly FormField[];
  /** Members that can only be changed in the text. */
  readonly kept: readonly string[];
}

/** A text for forms: its objects, after the edits. */
export interface FormText {
  readonly text: string;
  readonly objects: readonly FormObject[];
}

/** A problem in a text. Lines and columns are counted from 1. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** A change to one name. Values are shortened, and secrets are hidden. */
interface ConfigChange {
  readonly section:
    | "providers"
    | "models"
    | "aliases"
    | "pins"
    | "limits"
    | "keys"
    | "admin_keys"
    | "settings";
  readonly name: string;
  readonly change: "added" | "removed" | "changed";
  readonly before?: string;
  readonly after?: string;
}

/** The result of a check. */
export interface ConfigCheck {
  readonly problems: readonly ConfigProblem[];
  /** The number of problems that are not listed. */
  readonly more_problems: number;
  /** Compared with the current configuration. */
  readonly changes: readonly ConfigChange[];
  /** The number of changes that are not listed. */
  readonly more_changes: number;
  /** The paths of references that only a reload reads. */
  readonly unread: readonly string[];
}

/** An earlier text of the file. */
export interface ConfigVersion {
  readonly id: string;
  /** When it was replaced, in milliseconds since 1970. */
  readonly replaced: number;
  /** The admin key with which it was replaced. */
  readonly by: string;
  /** Why it was replaced, if the admin gave a reason. */
  readonly reason?: string | undefined;
}

/** The current configuration, and its file. */
export interface ShownConfig {
  /** The path of the file, or `built-in`. */
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly loadedAt: number;
  /** The current text. Secrets are replaced with tokens. */
  readonly text: string;
  /** The text of the file, if it can be read and differs. */
  readonly fileText?: string | undefined;
  /** Identifies the text of the file; undefined if it cannot be read. */
  readonly hash: string | undefined;
  /** Why the file is not used; undefined if it is. */
  readonly stale?: { readonly reason: string; readonly faults: readonly string[] } | undefined;
  /** Why the file cannot be saved here; undefined if it can. */
  readonly readOnly?: string | undefined;
  /** The earlier texts, the latest first. */
  readonly versions: readonly ConfigVersion[];
}

/** Why a call was rejected. */
export type ConfigRefusal =
  | { readonly reason: "unavailable" | "unknown_version" | "too_slow" }
  /** The file has changed since the admin loaded it. */
  | { readonly reason: "changed" }
  | { readonly reason: "read_only"; readonly detail: string };

/** The result of a {@linkcode ConfigCall}. */
export type ConfigResult =
  | { readonly type: "shown"; readonly shown: ShownConfig }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "checked"; readonly check: ConfigCheck }
  | { readonly type: "form"; readonly form: FormText }
  /** A form cannot make the change. */
  | { readonly type: "form_refused"; readonly message: string }
  /** The text has errors, or would lock out clients; nothing was written. */
  | { readonly type: "invalid"; readonly problems: readonly ConfigProblem[] }
  | { readonly type: "saved"; readonly shown: ShownConfig }
  | { readonly type: "refused"; readonly refusal: ConfigRefusal };

/** Runs calls. */
export type RunConfigCall = (call: ConfigCall) => Promise<ConfigResult>;

/** Rejects calls if no configuration file is watched. */
export const refuseConfigCall: RunConfigCall = () =>
  Promise.resolve({ type: "refused", refusal: { reason: "unavailable" } });
