/** Finds and loads the configuration. */

import defaultConfig from "../../../config.yaml" with { type: "text" };
import { type ConfigWithSnapshot, loadWithSnapshotInSteps } from "../../config/snapshot.ts";
import { runInSlices, type Steps } from "../../core/steps.ts";
import type { SecretResult } from "../../config/references.ts";
import { systemClock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import { KINDS, kindsIn, loadAdapters, loadedAdapters } from "../../providers/kinds.ts";
import { UnloadedKinds } from "../../config/text_errors.ts";
import { findAmbient, type HasMetadata } from "../../upstream/credentials/find_ambient.ts";
import {
  isSecretReference,
  readSecret,
  reasonFor,
} from "../../upstream/credentials/secrets/read_secret.ts";
import { type Environment, type FileLimits, readFile, readOptional } from "../system/files.ts";
import { ManagedSecrets } from "./secrets.ts";
import { createModelLists, type ModelLists } from "./model_lists.ts";
import { LOG_FORMATS } from "../../config/schema.ts";
import { LOG_LEVELS } from "../../core/log_level.ts";
import { type LogDefaults, logMessage, StartError } from "../system/stdio.ts";
import { VaultLogins } from "../../upstream/credentials/secrets/vault_login.ts";
import { createNetworkClients, type NetworkClients } from "./network_clients.ts";
import type { Config } from "../../config/config.ts";

/** The options of a command that select the configuration. */
export interface ConfigOptions {
  /** The path of `--config`. */
  readonly config?: string | undefined;
  /**
   * True for a reload, which must not read a pipe: the pipe is empty by then, so reading would
   * block.
   */
  readonly reloads?: boolean;
  /** Whether a reload may disable providers and keys whose secrets are missing. Default: no. */
  readonly allowsLosses?: boolean;
  /** Whether a metadata service exists. Default: it is unknown. */
  readonly hasMetadata?: HasMetadata;
  /** The values of secret managers. Default: references to them have no value. */
  readonly secrets?: ManagedSecrets;
  /** What vendors list. Default: nothing is known. */
  readonly lists?: ModelLists;
}

/** The paths that are tried when no file is given. */
const DEFAULT_PATHS = ["./config.yaml", "/etc/sluice/config.yaml"];

/** The source of the configuration if there is no file. */
export const BUILT_IN = "built-in";

/** The service key of this run if none is configured. Reloads do not change it. */
const GENERATED_KEY = newId("sk-sluice-");

/**
 * Loads the configuration of a command, or the first that exists, after reading the secrets that it
 * refers to and the vendors' lists of models.
 *
 * @throws {StartError} when the file cannot be read.
 * @throws {ConfigErrors} when the configuration is invalid.
 */
export async function readConfig(
  options: ConfigOptions,
  env: Environment,
): Promise<ConfigWithSnapshot> {
  const found = findText(options, env);
  await options.secrets?.prepare(found.text, env);
  const first = await load(found, options, env);
  const { lists } = options;
  if (lists === undefined || first.config.sources.length === 0) return first;
  return await lists.prepare() ? await load(found, options, env) : first;
}

/**
 * The same without reading secrets, for a reload: uses their known values, and runs in slices, so
 * that requests are served in between.
 *
 * @throws {StartError} when the file cannot be read.
 * @throws {ConfigErrors} when the configuration is invalid.
 */
export async function readConfigAgain(
  options: ConfigOptions,
  env: Environment,
): Promise<ConfigWithSnapshot> {
  return await load(findText(options, env), options, env);
}

/** Reads the secrets of a configuration before its reload; undefined if it has none. */
export function prepareReload(options: ConfigOptions, env: Environment): Promise<void> | undefined {
  let text: string;
  try {
    ({ text } = findText(options, env));
  } catch (thrown) {
    // The reload reports the error.
    if (thrown instanceof StartError) return undefined;
    throw thrown;
  }
  return options.secrets?.prepare(text, env);
}

function findText(options: ConfigOptions, env: Environment) {
  return findConfig(options.config ?? env("SLUICE_CONFIG"), { pipes: options.reloads !== true });
}

async function load(
  found: ReturnType<typeof findText>,
  options: ConfigOptions,
  env: Environment,
): Promise<ConfigWithSnapshot> {
  const loaded = await loadText(found, options, env);
  options.lists?.follow(loaded.config.sources);
  return loaded;
}

/**
 * Loads a text with known secrets and the adapters of its kinds, in slices, without side effects.
 *
 * @throws {ConfigErrors} when it has errors.
 */
export async function loadText(
  found: ReturnType<typeof findText>,
  options: ConfigOptions,
  env: Environment,
): Promise<ConfigWithSnapshot> {
  await loadAdapters(kindsIn(found.text));
  for (;;) {
    try {
      return await runInSlices(loadTextInSteps(found, options, env));
    } catch (thrown) {
      // The text refers to a variable or a file with the name of a kind.
      if (!(thrown instanceof UnloadedKinds)) throw thrown;
      await loadAdapters(thrown.kinds);
    }
  }
}

function loadTextInSteps(
  { text, source }: ReturnType<typeof findText>,
  { hasMetadata = () => undefined, secrets, lists }: ConfigOptions,
  env: Environment,
): Steps<ConfigWithSnapshot> {
  return loadWithSnapshotInSteps(text, {
    source,
    env,
    adapters: loadedAdapters(),
    kinds: KINDS,
    readFile,
    secret: secrets?.lookUp ?? unread,
    findAmbient: (search) => findAmbient(search, { env, readFile }, hasMetadata),
    ...(lists && { findList: lists.find }),
    now: () => systemClock.wallTime(),
    newKey: () => GENERATED_KEY,
  });
}

/** In commands that do not need them, references to secret managers have no value. */
function unread(reference: string): SecretResult | undefined {
  if (!isSecretReference(reference)) return undefined;
  const reason = "secret managers are not queried";
  return { reason, publicReason: reason };
}

/** The text and the source of the configuration. */
export function findConfig(
  path: string | undefined,
  limits: FileLimits = {},
): { text: string; source: string } {
  for (const source of path === undefined ? DEFAULT_PATHS : [path]) {
    const text = readOptional(source, limits);
    if (text !== undefined) return { text, source };
  }
  if (path !== undefined) throw new StartError(`Cannot read ${path}: the file does not exist`);
  return { text: defaultConfig, source: BUILT_IN };
}

/**
 * Reads SLUICE_LOG_LEVEL and SLUICE_LOG_FORMAT.
 *
 * @throws {StartError} for an unknown value.
 */
export function readLogDefaults(env: Environment): LogDefaults {
  const level = read(env, "SLUICE_LOG_LEVEL", LOG_LEVELS);
  const format = read(env, "SLUICE_LOG_FORMAT", LOG_FORMATS);
  return { ...(level && { level }), ...(format && { format }) };
}

function read<Value extends string>(
  env: Environment,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = env(name);
  if (text === undefined) return undefined;
  const value = values.find((one) => one === text);
  if (value === undefined) throw new StartError(`${name} must be one of ${values.join(", ")}`);
  return value;
}

/** Creates the store of secrets of this process. It does not connect to anything yet. */
export function createSecrets(): ManagedSecrets {
  const clock = systemClock;
  const logins = new VaultLogins();
  let clients: NetworkClients | undefined;
  return new ManagedSecrets({
    clock,
    readFile,
    log: logMessage,
    isReference: isSecretReference,
    async read(reference, env) {
      clients ??= createNetworkClients();
      try {
        return await readSecret(reference, env, { ...clients, clock, readFile, logins });
      } catch (thrown) {
        throw new Error(reasonFor(thrown), { cause: thrown });
      }
    },
  });
}

/** Loads the configuration of a short-lived command, with its secrets and the vendors' lists. */
export async function readConfigOnce(command: ConfigOptions, env: Environment): Promise<Config> {
  const lists = createModelLists();
  const { config } = await readConfig({ ...command, secrets: createSecrets(), lists }, env);
  // Lists that are still being read are not needed.
  lists.follow([]);
  return config;
}
