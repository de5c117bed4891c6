/** Shared stores for tests. */

import { type Clock, SystemClock, systemClock } from "../../src/core/clock.ts";
import type { SharedStoreRules } from "../../src/config/shared_store.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { openClient } from "../../src/memory/shared_store/client.ts";
import type { ScriptClient, StoreClient } from "../../src/memory/shared_store/connection.ts";
import {
  SharedStore,
  type SharedStoreOptions,
} from "../../src/memory/shared_store/shared_store.ts";

/**
 * A clock whose waits are 20 times as long: on a busy machine, the store may take longer than an
 * admission waits for it, in which case each replica decides on its own.
 */
export class PatientClock extends SystemClock {
  override after(ms: number, run: () => void): () => void {
    return super.after(ms * 20, run);
  }
}

/** The settings of a server on loopback, for a client. */
export function rulesFor(port: number): SharedStoreRules {
  return {
    ...{ host: "127.0.0.1", port, tls: false, username: undefined, password: undefined },
    ...{ database: 0, onFailure: "local" },
  };
}

/** The store on a Valkey server of this machine. It is not started. */
export function valkeyStore(port: number, clock: Clock = systemClock): SharedStore {
  return new SharedStore({
    open: (scripts, signal) => openClient(rulesFor(port), scripts, signal),
    ...{ name: "valkey", clock, counters: new LocalCounters(), log: () => {} },
  });
}

/** A store whose server is a client that runs the scripts of one user. It is not started. */
export function scriptedStore<Script extends string, Argument, Reply>(
  clock: Clock,
  open: () => Promise<ScriptClient<Script, Argument, Reply>>,
  options: Partial<SharedStoreOptions> = {},
): SharedStore {
  return new SharedStore({
    async open() {
      const client = await open() as ScriptClient<string, unknown, unknown>;
      // The name of a script begins with that of its user.
      const run: StoreClient["run"] = (script, ...rest) =>
        client.run(script.slice(script.indexOf(".") + 1), ...rest);
      return { ...client, run };
    },
    ...{ name: "store.test:6379", clock, counters: new LocalCounters(), log: () => {} },
    ...options,
  });
}
