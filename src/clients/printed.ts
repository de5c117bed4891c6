/** Client settings as text to copy. */

import type { Client, ClientFile, ClientTarget, Places } from "./client.ts";
import { applySettings } from "./settings_text.ts";
import { CHAT_APPS, EDITORS } from "./editors.ts";
import { CODING_AGENTS } from "./coding_agents.ts";

/** A file with only the settings. */
export interface PrintedFile {
  readonly path: string;
  readonly text: string;
}

/** A new file's content. */
export function printFile({ path, format, settings }: ClientFile): PrintedFile {
  return { path, text: applySettings("", format, settings) };
}

/** A client's settings. */
export interface PrintedClient {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly checked: string;
  readonly files: readonly PrintedFile[];
  readonly steps: readonly string[];
}

/** Prints client settings. */
export function printClients(
  clients: Iterable<Client>,
  target: ClientTarget,
  places: Places,
): readonly PrintedClient[] {
  return [...clients].map(({ id, title, source, checked, files, steps }) => ({
    ...{ id, title, source, checked },
    files: files(target, places).map(printFile),
    steps: steps(target, places),
  }));
}

/** The folder variables, in each operating system's notation. */
const FOLDERS: Readonly<Record<Places["os"], ReadonlyMap<string, string>>> = {
  linux: new Map([["HOME", "~"]]),
  darwin: new Map([["HOME", "~"]]),
  windows: new Map([["USERPROFILE", "%USERPROFILE%"], ["APPDATA", "%APPDATA%"]]),
};

/** An operating system, by name. */
export function isOperatingSystem(name: string): name is Places["os"] {
  return Object.hasOwn(FOLDERS, name);
}

/** The default locations of a user's files on an operating system. */
export function usualPlaces(os: Places["os"]): Places {
  return { os, env: (name) => FOLDERS[os].get(name), exists: () => false };
}

/** All clients, by their name on the command line. */
export const CLIENTS: ReadonlyMap<string, Client> = new Map(
  [...CODING_AGENTS, ...EDITORS, ...CHAT_APPS].map((client) => [client.id, client]),
);
