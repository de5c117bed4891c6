/** A configuration as data: every thread that is given the same one makes the same of it. */

import { type Config, loadConfig, type Surroundings } from "./config.ts";
import type { Adapter } from "../providers/contract/adapter.ts";

/** The text of a config.yaml, with all that it took from the world. */
export interface Snapshot {
  readonly text: string;
  readonly source: string;
  /** What its variables were, by name. */
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** The files that it refers to, by path; those that cannot be read are not there. */
  readonly files: ReadonlyMap<string, string>;
  /** Milliseconds since 1970. */
  readonly loadedAt: number;
  /** The service key that was made, where none is configured. */
  readonly key: string | undefined;
}

/** A configuration, and what another thread needs to load the same. */
export interface Recorded {
  readonly config: Config;
  readonly snapshot: Snapshot;
}

/**
 * Loads a configuration, and writes down what it looked up.
 *
 * @throws {ConfigFaults} with every fault of it.
 */
export function loadRecorded(text: string, surroundings: Surroundings): Recorded {
  const variables = new Map<string, string | undefined>();
  const files = new Map<string, string>();
  const loadedAt = surroundings.now();
  const config = loadConfig(text, {
    ...surroundings,
    now: () => loadedAt,
    env: (name) => noted(variables, name, surroundings.env(name)),
    readFile: (path) => noted(files, path, surroundings.readFile(path)),
  });
  const { source } = surroundings;
  const snapshot = { text, source, variables, files, loadedAt, key: config.generatedKey };
  return { config, snapshot };
}

/** Loads what was loaded before, wherever that was. */
export function loadSnapshot(
  { text, source, variables, files, loadedAt, key }: Snapshot,
  adapters: ReadonlyMap<string, Adapter>,
): Config {
  return loadConfig(text, {
    source,
    adapters,
    env: (name) => variables.get(name),
    readFile: (path) => known(files.get(path)),
    now: () => loadedAt,
    newKey: () => known(key),
  });
}

function noted<Value>(notes: Map<string, Value>, name: string, value: Value): Value {
  notes.set(name, value);
  return value;
}

/** What could not be read when it was written down cannot be read now. */
function known(value: string | undefined): string {
  if (value === undefined) throw new TypeError("The snapshot does not have it");
  return value;
}
