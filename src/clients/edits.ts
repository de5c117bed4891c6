/** Plans the edits to a settings file, based on its parsed value. */

import type { Places, Setting } from "./client.ts";

/** Reads and edits text in one format. */
export interface TextFormat {
  /** The value of a text; undefined if there is none. Throws if the text is invalid. */
  parse(text: string): unknown;
  /** Applies edits to a text; the result must have the value `expected`. */
  edit(text: string, edits: readonly Edit[], expected: unknown): string;
}

/** Thrown for a settings file that cannot be edited. The message follows `Cannot change FILE: `. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** The names of members and the positions in lists that lead to a value. */
type Path = readonly (string | number)[];

/**
 * Sets a value, or removes it if `value` is undefined. The object or list that contains the value
 * must exist; a position just past the end of a list adds an entry.
 */
export interface Edit {
  readonly path: Path;
  readonly value: unknown;
}

/** Edits, and the resulting value. */
interface Plan {
  readonly edits: readonly Edit[];
  readonly value: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** @throws {SettingsError} when a value does not have the type that the settings need. */
export function planSettings(value: unknown, settings: readonly Setting[]): Plan {
  const draft = new Draft(value);
  for (const setting of settings) {
    if ("entries" in setting) setEntries(draft, setting);
    else if (setting.isDefault !== true || draft.at(setting.path) === undefined) {
      draft.set(setting.path, setting.value);
    }
  }
  return draft;
}

/** @throws {SettingsError} when a value does not have the type that the settings need. */
export function planRestore(value: unknown, before: unknown, settings: readonly Setting[]): Plan {
  const draft = new Draft(value);
  for (const setting of settings) {
    const { path } = setting;
    if ("entries" in setting) restoreEntries(draft, before, setting);
    else if (draft.at(path) !== undefined || valueAt(before, path) !== undefined) {
      draft.set(path, valueAt(before, path));
    }
    draft.emptyTo(path, before);
  }
  return draft;
}

/** Whether two values differ only in the settings. */
export function isSameApartFrom(
  settings: readonly Setting[],
  one: unknown,
  other: unknown,
): boolean {
  return isSame(withoutSettings(one, settings), withoutSettings(other, settings));
}

function withoutSettings(value: unknown, settings: readonly Setting[]): unknown {
  const draft = new Draft(value);
  for (const setting of settings) {
    if ("entries" in setting) restoreEntries(draft, undefined, setting);
    else draft.set(setting.path, undefined);
    draft.emptyTo(setting.path, undefined);
  }
  return isEmpty(draft.value) ? undefined : draft.value;
}

type ListSetting = Extract<Setting, { readonly entries: unknown }>;

/** Updates the gateway's entries, removes obsolete ones, and adds new ones. */
function setEntries(draft: Draft, { path, entries, identity, isOurs }: ListSetting): void {
  const list = draft.listAt(path);
  if (list === undefined) return draft.set(path, entries);
  const kept = new Set<unknown>();
  for (const index of [...list.keys()].reverse()) {
    const entry = list[index];
    if (!isMembers(entry) || !isOurs(entry)) continue;
    const wanted = entries.find((one) => isSame(one[identity], entry[identity]));
    if (wanted === undefined || kept.has(wanted)) {
      draft.set([...path, index], undefined);
      continue;
    }
    kept.add(wanted);
    for (const [name, member] of Object.entries(wanted)) {
      draft.set([...path, index, name], member);
    }
  }
  for (const entry of entries) {
    if (!kept.has(entry)) draft.set([...path, draft.listAt(path)?.length ?? 0], entry);
  }
}

function restoreEntries(draft: Draft, before: unknown, setting: ListSetting): void {
  const { path, identity, isOurs } = setting;
  const list = draft.listAt(path) ?? [];
  const earlier = valueAt(before, path);
  const old = Array.isArray(earlier) ? earlier.filter(isMembers).filter(isOurs) : [];
  for (const index of [...list.keys()].reverse()) {
    const entry = list[index];
    if (!isMembers(entry) || !isOurs(entry)) continue;
    const same = old.find((one) => isSame(one[identity], entry[identity]));
    draft.set([...path, index], same);
  }
  for (const entry of old) {
    const isThere = draft.listAt(path)?.some((one) =>
      isMembers(one) && isOurs(one) && isSame(one[identity], entry[identity])
    );
    if (!isThere) draft.set([...path, draft.listAt(path)?.length ?? 0], entry);
  }
}

/** A value to which edits are applied one by one. */
class Draft implements Plan {
  readonly edits: Edit[] = [];
  value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  at(path: Path): unknown {
    return valueAt(this.value, path);
  }

  /** A list; undefined if there is none. @throws {SettingsError} for another value. */
  listAt(path: Path): readonly unknown[] | undefined {
    const list = this.at(path) ?? undefined;
    if (list === undefined || Array.isArray(list)) return list;
    throw new SettingsError(`${nameOf(path)} is not a list`);
  }

  /**
   * Sets or removes a value. Missing containers are created.
   *
   * @throws {SettingsError} when a container is neither an object nor a list.
   */
  set(path: Path, value: unknown): void {
    for (const length of path.keys()) {
      const container = this.at(path.slice(0, length)) ?? undefined;
      if (container === undefined) {
        if (value === undefined) return;
        return this.#apply(path.slice(0, length), nested(path.slice(length), value));
      }
      const isList = typeof path[length] === "number";
      if (isList ? !Array.isArray(container) : !isMembers(container)) {
        throw new SettingsError(`${nameOf(path.slice(0, length))} is not an object`);
      }
    }
    if (!isSame(this.at(path), value)) this.#apply(path, value);
  }

  /** Removes empty objects and lists that the earlier value does not contain, innermost first. */
  emptyTo(path: Path, before: unknown): void {
    for (let length = path.length; length > 0; length--) {
      const container = path.slice(0, length);
      const earlier = valueAt(before, container) ?? undefined;
      if (isEmpty(this.at(container)) && earlier === undefined) {
        this.set(container, valueAt(before, container));
      }
    }
  }

  #apply(path: Path, value: unknown): void {
    this.edits.push({ path, value });
    this.value = changed(this.value, path, value);
  }
}

function nameOf(path: Path): string {
  return path.length === 0 ? "its content" : `'${path.join(".")}'`;
}

function nested([name, ...rest]: Path, value: unknown): unknown {
  return name === undefined ? value : { [name]: nested(rest, value) };
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Date);
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isMembers(value) && Object.keys(value).length === 0;
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const name of path) {
    if (typeof name === "number") found = Array.isArray(found) ? found[name] : undefined;
    else found = isMembers(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

/** A copy with another value at a path; everything else is shared with the original. */
function changed(value: unknown, [name, ...rest]: Path, to: unknown): unknown {
  if (name === undefined) return to;
  const isRemoved = rest.length === 0 && to === undefined;
  if (typeof name === "number") {
    const list = Array.isArray(value) ? value : [];
    return isRemoved
      ? list.toSpliced(name, 1)
      : list.toSpliced(name, 1, changed(list[name], rest, to));
  }
  const members = isMembers(value) ? value : {};
  if (isRemoved) {
    return Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));
  }
  return { ...members, [name]: changed(members[name], rest, to) };
}

/** Joins the parts of a path. */
export function join({ os }: Pick<Places, "os">, ...parts: readonly string[]): string {
  const separator = os === "windows" ? "\\" : "/";
  const [first = "", ...rest] = parts;
  return [first.replace(/[/\\]+$/, ""), ...rest].join(separator);
}

/** A path in the user's home folder. @throws {SettingsError} when the home folder is unknown. */
export function inHome(places: Places, ...parts: readonly string[]): string {
  return join(places, homeOf(places), ...parts);
}

/** A path in the XDG settings folder: `~/.config` unless `XDG_CONFIG_HOME` is set. */
export function inConfigHome(places: Places, ...parts: readonly string[]): string {
  const folder = places.env("XDG_CONFIG_HOME");
  return folder === undefined
    ? inHome(places, ".config", ...parts)
    : join(places, folder, ...parts);
}

/** A path in the settings folder of desktop programs on Windows. */
export function inAppData(places: Places, ...parts: readonly string[]): string {
  const folder = places.env("APPDATA");
  return folder === undefined
    ? inHome(places, "AppData", "Roaming", ...parts)
    : join(places, folder, ...parts);
}

function homeOf({ os, env }: Places): string {
  const [first, second] = os === "windows" ? ["USERPROFILE", "HOME"] : ["HOME", "USERPROFILE"];
  const home = env(first ?? "") ?? env(second ?? "");
  if (home === undefined) {
    throw new SettingsError(
      `The home folder is unknown: set ${first}, or name the file with --file`,
    );
  }
  return home;
}

/** Whether two values have the same content, regardless of the classes that the parser uses. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isComposed(one) || !isComposed(other)) return false;
  if (one instanceof Date || other instanceof Date) return String(one) === String(other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))];
  return left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isSame(value, right.get(name)));
}

function isComposed(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
