/** The current configuration, and its replacement while the gateway runs. */

import { counted } from "../../core/text.ts";
import { isDeepStrictEqual } from "node:util";
import type { ServerSettings } from "../../config/server_settings.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { LogLevel } from "../../core/log_level.ts";
import { type Config, ConfigErrors } from "../../config/config.ts";
import { isSameServer } from "../../config/shared_store.ts";
import type { StaleConfig } from "../../config/snapshot.ts";
import { isPipe, readEnvironment, readIfPossible } from "../system/files.ts";
import { BUILT_IN, type ConfigOptions, prepareReload } from "./load_config.ts";
import { reachableHost } from "../../config/listeners.ts";
import { unsetVariable } from "../../config/disabled_providers.ts";

/** The options of {@linkcode LiveConfig}. */
export interface ReloadOptions {
  /** Loads the inputs that the configuration needs; undefined if it does not need any. */
  readonly prepare?: () => Promise<void> | undefined;
  /** Loads the configuration; throws when it is invalid. Requests may be served in the meantime. */
  readonly load: () => Config | Promise<Config>;
  /**
   * The reasons why a valid configuration must not replace the current one, one text per error.
   * Default: none.
   */
  readonly faultsOf?: (current: Config, next: Config) => readonly string[];
  /** Writes a message of one or more lines for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
  /** Called when the configuration was replaced. */
  readonly onSwap: (config: Config) => void;
  /** Called when the file cannot be used. */
  readonly onStale?: (stale: StaleConfig) => void;
}

/** Stores the current configuration. A request keeps the configuration it started with. */
export class LiveConfig {
  readonly #options: ReloadOptions;
  /** The configuration at startup. Its address and workers stay in use. */
  readonly #first: Config;
  #current: Config;
  /** The number of reloads that have begun. */
  #reloads = 0;
  #stale: StaleConfig | undefined;

  constructor(first: Config, options: ReloadOptions) {
    this.#first = this.#current = first;
    this.#options = options;
  }

  get current(): Config {
    return this.#current;
  }

  /** The reason why the current configuration differs from the file; undefined when it does not. */
  get stale(): StaleConfig | undefined {
    return this.#stale;
  }

  /**
   * Loads the file again. When the promise resolves, a valid configuration is in use. If the file
   * has errors, the current configuration stays in use, and the promise resolves once they are
   * reported.
   */
  async reload(): Promise<void> {
    const reload = ++this.#reloads;
    const { prepare, load, log, onSwap, faultsOf = () => [] } = this.#options;
    const preparing = prepare?.();
    if (preparing !== undefined) {
      await preparing;
      if (reload !== this.#reloads) return;
    }
    let next: Config;
    try {
      const loading = load();
      next = loading instanceof Promise ? await loading : loading;
      // A later reload reads the file again.
      if (reload !== this.#reloads) return;
    } catch (thrown) {
      const failure = thrown instanceof ConfigErrors ? await thrown.located() : thrown;
      // A later reload has read the file again, so these errors may be fixed.
      if (reload !== this.#reloads) return;
      this.#keep(toStale(failure), messageOf(failure));
      return;
    }
    const faults = faultsOf(this.#current, next);
    if (faults.length > 0) {
      this.#keep(
        { reason: MISSING_SECRETS, faults: faults.slice(0, MAX_FAULTS) },
        [`Cannot use ${next.source}:`, ...faults].join("\n  "),
      );
      return;
    }
    const { generatedKey } = next;
    if (generatedKey !== undefined && this.#current.generatedKey === undefined) {
      log(`No service key is configured; the generated key for this run is ${generatedKey}`);
    }
    this.#current = next;
    this.#stale = undefined;
    onSwap(next);
    const { models, providers, source } = next;
    log(
      `Loaded ${source}: ${counted(models.length, "model")}, ${
        counted(providers.size, "provider")
      }`,
    );
    for (const setting of ["host", "port", "websockets", "workers"] as const) {
      if (next.server[setting] === this.#first.server[setting]) continue;
      log(`Changing server.${setting} to ${next.server[setting]} requires a restart`, "warn");
    }
    if (!isSameListening(next.server, this.#first.server)) {
      log("Changing server.tls, serves or listeners requires a restart", "warn");
    }
    if (next.store?.url !== this.#first.store?.url) {
      log("Changing 'store' requires a restart", "warn");
    }
    if (!isSameServer(next.sharedStore, this.#first.sharedStore)) {
      log("Changing 'shared_store' requires a restart", "warn");
    }
    if (next.sharedStore && !isKeySet(this.#first) && isKeySet(next)) {
      log("Replicas share reasoning state and answers only after a restart", "warn");
    }
    if (next.alerts !== undefined && this.#first.alerts === undefined) {
      log("Enabling alerts requires a restart", "warn");
    }
    if (next.shared.symmetricDifference(this.#first.shared).size > 0) {
      log("Changing 'share' requires a restart", "warn");
    }
  }

  #keep(stale: StaleConfig, message: string): void {
    const { log, onStale } = this.#options;
    this.#stale = stale;
    onStale?.(stale);
    log(`${message}\nThe previous configuration stays in use`, "error");
  }
}

/** Whether two configurations have the same listeners, certificates and parts. */
function isSameListening(one: ServerSettings, other: ServerSettings): boolean {
  return isDeepStrictEqual(
    [one.tls, one.serves, one.listeners],
    [other.tls, other.serves, other.listeners],
  );
}

/** Whether reasoning state is encrypted with a key that replicas can share. */
function isKeySet({ server }: Config): boolean {
  return server.reasoning_state.key !== undefined;
}

/** The interval at which the file is read, in milliseconds. */
const POLL_MS = 500;

/** The delay between a change and the next reading of the file, in milliseconds. */
const SETTLE_MS = 100;

/** A watched file. */
interface Followed {
  /** The loaded text. */
  readonly loaded: string;
  /** Reads the file: undefined when it cannot be read; rejects when a later attempt may succeed. */
  readonly read: () => Promise<string | undefined>;
}

/**
 * Calls `changed` when the text of the file has changed and is the same in two consecutive reads,
 * since a file may be written in several steps.
 *
 * The file is read at an interval. File system events would cover the whole folder, where logs and
 * databases change constantly, and some drives do not support events.
 *
 * @returns a function that stops it
 */
export function followFile(
  { loaded, read }: Followed,
  clock: Clock,
  changed: () => void,
): () => void {
  let current: string | undefined = loaded;
  let last: string | undefined = loaded;
  let isEnded = false;
  let cancel = () => {};
  const check = async () => {
    try {
      const text = await read();
      const isSettled = text === last;
      last = text;
      if (isEnded) return;
      if (isSettled && text !== current) {
        current = text;
        changed();
      }
    } catch {
      // Whether the file has changed is unknown.
    }
    if (!isEnded) schedule();
  };
  const schedule = () => {
    cancel = clock.after(last === current ? POLL_MS : SETTLE_MS, () => void check());
  };
  schedule();
  return () => {
    isEnded = true;
    cancel();
  };
}

const MISSING_SECRETS = "Secrets of providers or keys that work are missing; see the log";

/** The maximum number of errors that admins see, and their maximum length in UTF-16 units. */
const MAX_FAULTS = 50;
const MAX_FAULT_CHARS = 500;

function toStale(thrown: unknown): StaleConfig {
  if (!(thrown instanceof ConfigErrors)) {
    return { reason: "The file cannot be read; see the log", faults: [] };
  }
  const { length } = thrown.errors;
  return {
    reason: `The file has ${counted(length, "error")}; see the log`,
    faults: thrown.errors.slice(0, MAX_FAULTS)
      .map(({ path, message }) => `${path}: ${message}`.slice(0, MAX_FAULT_CHARS)),
  };
}

/** Reloads the configuration when its file changes, until the returned function is called. */
export function watchConfig(live: LiveConfig, loaded: string): () => void {
  const { source } = live.current;
  if (source === BUILT_IN || isPipe(source)) return () => {};
  const file = { loaded, read: () => readIfPossible(source) };
  return followFile(file, systemClock, () => void live.reload());
}

/** The command for a reload, which uses the same file, so that a deleted file is an error. */
export function withSameFile(command: ConfigOptions, { source }: Config): ConfigOptions {
  return source === BUILT_IN
    ? { ...command, reloads: true }
    : { ...command, config: source, reloads: true };
}

/**
 * Providers and keys that work now and are still configured, but whose credentials are missing by
 * mistake. Entries that were removed from the file are not included.
 *
 * @returns one text for the operator per provider and key
 */
function findLosses(
  current: Pick<Config, "providers" | "keyNames">,
  next: Pick<Config, "providers" | "keyNames" | "disabled" | "unset">,
): string[] {
  const disabled = next.disabled.flatMap(({ id, reason }) => {
    const before = current.providers.get(id);
    // Whether a metadata service exists was unknown.
    if (before === undefined || before.ambient?.isUnconfirmed) return [];
    return [`providers.${id} would be disabled: ${reason}`];
  });
  const fewer = [...next.unset.providers].flatMap(([id, reasons]) => {
    const [before, after] = [current.providers.get(id), next.providers.get(id)];
    if (before === undefined || after === undefined) return [];
    return countOf(after) < countOf(before)
      ? [`providers.${id} would lose credentials: ${reasons.join(", ")}`]
      : [];
  });
  const keys = next.unset.keys.flatMap(({ list, name, reason }) =>
    current.keyNames.has(name) && !next.keyNames.has(name)
      ? [`The key '${name}' in server.${list} would be disabled: ${reason}`]
      : []
  );
  return [...disabled, ...fewer, ...keys];
}

function countOf({ keys, secrets }: { keys: readonly string[]; secrets: object }): number {
  return keys.length + Object.keys(secrets).length;
}

/**
 * The reason why a configuration cannot be used: its service key would be generated although other
 * machines can connect. The key would be printed to a log, and each replica would have a different
 * one.
 *
 * @param host the host name or IP address of the main listener
 */
export function findPublicFault(
  { generatedKey, server, unset }: Pick<Config, "generatedKey" | "server" | "unset">,
  host: string,
): string | undefined {
  const reachable = reachableHost(server, host);
  if (generatedKey === undefined || reachable === undefined) return undefined;
  const variable = unsetVariable(
    unset.keys.flatMap(({ list, reason }) => list === "keys" ? [reason] : []),
  );
  return `No service key is set, and other machines can connect to ${reachable}: set ` +
    `${variable ?? "SLUICE_API_KEY or 'server.keys' in config.yaml"}, or listen on 127.0.0.1`;
}

/**
 * The reason why a reload keeps the current configuration although the next one is valid.
 * Exported for tests.
 */
export function findReloadFaults(
  current: Config,
  next: Config,
  { allowsLosses = false, host }: {
    readonly allowsLosses?: boolean;
    readonly host: string;
  },
): string[] {
  const unserved = findPublicFault(next, host);
  const losses = allowsLosses ? [] : findLosses(current, next);
  return [
    ...losses,
    ...(unserved === undefined ? [] : [unserved]),
    ...(losses.length === 0 ? [] : [
      "Set what is missing, remove from the file what is no longer needed, or start with " +
      "'--allow-losses' to reload nevertheless",
    ]),
  ];
}

/**
 * The reload options that follow from how the gateway was started.
 *
 * @param host the host name or IP address of the main listener
 */
export function reloadOptions(
  command: ConfigOptions,
  first: Config,
  host: string,
): Pick<ReloadOptions, "prepare" | "faultsOf"> {
  return {
    ...(command.secrets && {
      prepare: () => prepareReload(withSameFile(command, first), readEnvironment()),
    }),
    faultsOf: (current, next) => findReloadFaults(current, next, { ...command, host }),
  };
}
