/** The vendors' lists of models, read at startup, at a reload and on timers. */

import type { LogLevel } from "../../core/log_level.ts";
import { counted } from "../../core/text.ts";
import { isDeepStrictEqual } from "node:util";
import type { ModelSource } from "../../config/model_sources.ts";
import type { ModelList, Provider } from "../../config/providers.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { GatewayError, messageOf } from "../../core/errors.ts";
import { MAX_MODELS, readModelList } from "../../upstream/model_lists.ts";
import type { ListedModel } from "../../contract/adapter.ts";
import { Credentials } from "../../upstream/credentials/credentials.ts";
import { readFile } from "../system/files.ts";
import { logMessage } from "../system/stdio.ts";
import { createNetworkClients, type NetworkClients } from "./network_clients.ts";

/** The dependencies of {@linkcode ModelLists}. */
interface ModelListsDeps {
  readonly clock: Clock;
  /** Reads the list of a provider. Rejects with a message for the operator. */
  readonly read: (provider: Provider, signal: AbortSignal) => Promise<readonly ListedModel[]>;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
}

/** The time limit of one list, in milliseconds. */
const READ_MS = 20_000;
/** How long startup waits for lists, in milliseconds. */
const START_MS = 2000;
/** How long startup waits for servers that may not be running, in milliseconds. */
const OPTIONAL_START_MS = 100;
/** The delay before a list that has never been read is requested again, in milliseconds. */
const RETRY_MS = 30_000;

/** The state of the list of one provider. */
interface Known {
  /** The provider's settings, which determine the list. */
  readonly identity: string;
  source: ModelSource;
  list: ModelList | undefined;
  reading: Promise<void> | undefined;
  cancelTimer: () => void;
  readonly abort: AbortController;
}

/** Stores the last list of each provider for the lifetime of the process. */
export class ModelLists {
  readonly #deps: ModelListsDeps;
  /** By provider ID. */
  readonly #known = new Map<string, Known>();
  /** Called when a list has changed, once the timers run. */
  #onChange: (() => void) | undefined;
  /** Whether a list has changed since the configuration was loaded. */
  #hasChanged = false;

  constructor(deps: ModelListsDeps) {
    this.#deps = deps;
  }

  /** The list of a provider; undefined if it has not been read yet. */
  readonly find = (provider: Provider): ModelList | undefined => {
    const known = this.#known.get(provider.settings.id);
    return known?.identity === identityOf(provider) ? known.list : undefined;
  };

  /** Keeps the lists of these providers up to date, and drops all others. */
  follow(sources: readonly ModelSource[]): void {
    const wanted = new Map(sources.map((source) => [source.provider.settings.id, source]));
    for (const [id, known] of this.#known) {
      const source = wanted.get(id);
      if (source !== undefined && identityOf(source.provider) === known.identity) {
        known.source = source;
        // A truncated list may lack models that the configuration now selects.
        const isFull = (known.list?.models.length ?? 0) >= MAX_MODELS;
        if (isFull && this.#onChange !== undefined) void this.#read(known);
      } else {
        known.cancelTimer();
        known.abort.abort();
        this.#known.delete(id);
      }
    }
    for (const [id, source] of wanted) {
      if (this.#known.has(id)) continue;
      const known: Known = {
        identity: identityOf(source.provider),
        ...{ source, list: undefined, reading: undefined, cancelTimer() {} },
        abort: new AbortController(),
      };
      this.#known.set(id, known);
      if (this.#onChange !== undefined) void this.#read(known);
    }
  }

  /**
   * Waits briefly until the followed lists have been read for the first time. Lists that arrive
   * later are used at once.
   *
   * @returns whether any list is known, so that the configuration must be loaded again
   */
  async prepare(limitMs = START_MS): Promise<boolean> {
    const waits = [...this.#known.values()].map((known) => {
      const { isOptional } = known.source;
      return this.#within(isOptional ? OPTIONAL_START_MS : limitMs, this.#read(known));
    });
    await Promise.all(waits);
    if (!this.#hasChanged) return false;
    this.#hasChanged = false;
    return true;
  }

  /**
   * Reads the lists on timers until the returned function is called.
   *
   * @param onChange called after a list has changed, to load the configuration again
   */
  start(onChange: () => void): () => void {
    this.#onChange = onChange;
    for (const known of this.#known.values()) {
      if (known.reading === undefined) this.#schedule(known);
    }
    if (this.#hasChanged) this.#report();
    return () => {
      this.#onChange = undefined;
      this.follow([]);
    };
  }

  #report(): void {
    if (this.#onChange === undefined) {
      this.#hasChanged = true;
    } else {
      this.#hasChanged = false;
      this.#onChange();
    }
  }

  #schedule(known: Known): void {
    known.cancelTimer();
    if (this.#onChange === undefined || known.abort.signal.aborted) return;
    const { refreshMs, isOptional } = known.source;
    const isMissing = known.list?.readAt === undefined && !isOptional;
    const wait = isMissing ? Math.min(RETRY_MS, refreshMs) : refreshMs;
    known.cancelTimer = this.#deps.clock.after(wait, () => void this.#read(known));
  }

  /** Reads a list, unless it is being read. Never rejects. */
  #read(known: Known): Promise<void> {
    return known.reading ??= this.#readOnce(known).finally(() => {
      known.reading = undefined;
      this.#schedule(known);
    });
  }

  async #readOnce(known: Known): Promise<void> {
    const { provider, isOptional } = known.source;
    const { settings: { id } } = provider;
    const { clock, read, log } = this.#deps;
    const before = known.list;
    const limit = new AbortController();
    const cancel = clock.after(READ_MS, () => limit.abort(new Error("it did not answer in time")));
    try {
      const models = await read(provider, AbortSignal.any([limit.signal, known.abort.signal]));
      if (known.abort.signal.aborted) return;
      const isSame = before?.readAt !== undefined && isDeepStrictEqual(models, before.models);
      known.list = { models: isSame ? before.models : models, readAt: clock.wallTime() };
      if (isSame && before.failure === undefined) return;
      if (before?.readAt === undefined || !isSame) log(changeOf(id, before?.models ?? [], models));
      else log(`The models of provider '${id}' can be read again`);
    } catch (thrown) {
      if (known.abort.signal.aborted) return;
      // A server that is not running is not a failure.
      if (isOptional && before === undefined) return;
      const failure = messageOf(limit.signal.aborted ? limit.signal.reason : thrown);
      if (failure === before?.failure) return;
      known.list = { models: [], ...before, failure };
      const effect = before?.readAt === undefined ? "" : "; the last list stays in use";
      if (before?.failure === undefined) {
        log(`Cannot read the models of provider '${id}': ${failure}${effect}`, "warn");
      } else {
        return;
      }
    } finally {
      cancel();
    }
    this.#report();
  }

  async #within(ms: number, work: Promise<void>): Promise<void> {
    let cancel = () => {};
    const limit = new Promise<void>((resolve) => {
      cancel = this.#deps.clock.after(ms, resolve);
    });
    await Promise.race([work, limit]);
    cancel();
  }
}

/** All settings that determine a provider's list, except its credentials. */
function identityOf({ adapter, settings: { baseUrl, options } }: Provider): string {
  return JSON.stringify([adapter.kind, baseUrl, options]);
}

/** The changes in a list, for the operator. */
function changeOf(
  id: string,
  before: readonly ListedModel[],
  after: readonly ListedModel[],
): string {
  const [old, now] = [before, after].map((models) => new Set(models.map((model) => model.id)));
  const added = now?.difference(old ?? new Set()).size ?? 0;
  const removed = old?.difference(now ?? new Set()).size ?? 0;
  const change = before.length === 0 ? "" : ` (${added} new, ${removed} removed)`;
  return `Provider '${id}' lists ${counted(after.length, "model")}${change}`;
}

/** Creates the lists of this process. They do not connect to anything yet. */
export function createModelLists(): ModelLists {
  const clock = systemClock;
  let client: NetworkClients | undefined;
  let credentials: Credentials | undefined;
  /** The last reported reasons by provider, since a list is read every few minutes. */
  const cuts = new Map<string, string>();
  return new ModelLists({
    clock,
    log: logMessage,
    async read(provider, signal) {
      client ??= createNetworkClients();
      credentials ??= new Credentials({ readFile, direct: client.direct, log: logMessage });
      const { models } = provider.adapter;
      if (models === undefined) throw new GatewayError("internal", "The vendor has no list");
      const { fetch } = client;
      const { id } = provider.settings;
      return await readModelList(provider, models, {
        ...{ clock, credentials, fetch, signal },
        onCut: (reason) => {
          if (cuts.get(id) === reason) return;
          cuts.set(id, reason);
          logMessage(`The list of models of provider '${id}' is truncated: ${reason}`, "warn");
        },
      });
    },
  });
}
