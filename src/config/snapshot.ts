/** A configuration as plain data, so that every worker loads the same one. */

import type { AmbientResult } from "./disabled_providers.ts";
import { runAtOnce, type Steps } from "../core/steps.ts";
import { type Config, type ConfigEnvironment, loadConfigInSteps } from "./config.ts";
import type { SecretResult } from "./references.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { ModelList } from "./providers.ts";

/** The text of config.yaml, and all inputs from which it was loaded. */
export interface Snapshot {
  readonly text: string;
  readonly source: string;
  /** The values of the environment variables that it refers to, by name. */
  readonly variables: ReadonlyMap<string, string | undefined>;
  /** The contents of the files that it refers to, by path; unreadable files are absent. */
  readonly files: ReadonlyMap<string, string>;
  /** The secrets that it refers to, by reference. */
  readonly secrets: ReadonlyMap<string, SecretResult | undefined>;
  /** Discovered credentials for providers without keys, by provider ID. */
  readonly ambient: ReadonlyMap<string, AmbientResult>;
  /** The kinds whose adapters it needs. */
  readonly kinds: readonly string[];
  /** The vendors' model lists, by provider ID. */
  readonly lists: ReadonlyMap<string, ModelList | undefined>;
  /** Milliseconds since 1970. */
  readonly loadedAt: number;
  /** The generated service key, when none is configured. */
  readonly key: string | undefined;
}

/** A configuration, and the snapshot from which another thread loads the same one. */
export interface ConfigWithSnapshot {
  readonly config: Config;
  readonly snapshot: Snapshot;
}

/**
 * Loads a configuration and records every variable and file that was read. Exported for tests.
 *
 * @throws {ConfigErrors} with all errors in the text.
 */
export function loadConfigWithSnapshot(
  text: string,
  environment: ConfigEnvironment,
): ConfigWithSnapshot {
  return runAtOnce(loadWithSnapshotInSteps(text, environment));
}

/** The same in steps. */
export function* loadWithSnapshotInSteps(
  text: string,
  environment: ConfigEnvironment,
): Steps<ConfigWithSnapshot> {
  const variables = new Map<string, string | undefined>();
  const files = new Map<string, string>();
  const secrets = new Map<string, SecretResult | undefined>();
  const ambient = new Map<string, AmbientResult>();
  const lists = new Map<string, ModelList | undefined>();
  const loadedAt = environment.now();
  const { findAmbient, findList } = environment;
  const config = yield* loadConfigInSteps(text, {
    ...environment,
    now: () => loadedAt,
    env: (name) => record(variables, name, environment.env(name)),
    readFile: (path) => record(files, path, environment.readFile(path)),
    secret: (reference) => record(secrets, reference, environment.secret?.(reference)),
    ...(findAmbient && {
      findAmbient: (search) => record(ambient, search.id, findAmbient(search)),
    }),
    ...(findList && {
      findList: (provider) => record(lists, provider.settings.id, findList(provider)),
    }),
  });
  const { source } = environment;
  const kinds = [...environment.adapters.keys()];
  const snapshot = {
    ...{ text, source, variables, files, secrets, ambient, kinds, lists, loadedAt },
    key: config.generatedKey,
  };
  return { config, snapshot };
}

/** Loads the configuration of a snapshot, usually in another thread. */
export function loadSnapshot(
  snapshot: Snapshot,
  adapters: ReadonlyMap<string, Adapter>,
): Config {
  return runAtOnce(loadSnapshotInSteps(snapshot, adapters));
}

/** The same in steps. */
export function loadSnapshotInSteps(
  { text, source, variables, files, secrets, ambient, lists, loadedAt, key }: Snapshot,
  adapters: ReadonlyMap<string, Adapter>,
): Steps<Config> {
  return loadConfigInSteps(text, {
    source,
    adapters,
    env: (name) => variables.get(name),
    readFile: (path) => required(files.get(path)),
    secret: (reference) => secrets.get(reference),
    findAmbient: ({ id }) => ambient.get(id),
    findList: ({ settings }) => lists.get(settings.id),
    now: () => loadedAt,
    newKey: () => required(key),
  });
}

function record<Value>(records: Map<string, Value>, name: string, value: Value): Value {
  records.set(name, value);
  return value;
}

/** A file that was unreadable when the snapshot was created is also unreadable in the snapshot. */
function required(value: string | undefined): string {
  if (value === undefined) throw new TypeError("The snapshot does not contain this value");
  return value;
}

/** The reason why the current configuration differs from the file. */
export interface StaleConfig {
  /** Safe to show to clients: it contains no names. */
  readonly reason: string;
  /** The errors in the file, for admins. */
  readonly faults: readonly string[];
}
