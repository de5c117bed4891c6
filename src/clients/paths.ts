/** Where clients keep their settings on each operating system. */

import type { Places } from "./client.ts";
import { SettingsError } from "./edits.ts";

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

/**
 * A path in the folder for settings that follows the XDG convention: `~/.config` unless
 * `XDG_CONFIG_HOME` is set.
 */
export function inConfigHome(places: Places, ...parts: readonly string[]): string {
  const folder = places.env("XDG_CONFIG_HOME");
  return folder === undefined
    ? inHome(places, ".config", ...parts)
    : join(places, folder, ...parts);
}

/** A path in the folder for settings of desktop programs on Windows. */
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
