/** The messages between a worker and its supervisor. */

import type { StaleConfig } from "../../config/stale_config.ts";
import type { Snapshot } from "../../config/snapshot.ts";
import type { InFlightBuffer } from "../../core/in_flight_memory.ts";
import type { KeyCall, KeyResult } from "../../governance/keys/key_calls.ts";
import type { KeySet } from "../../governance/keys/key_store.ts";
import type { SharedMemory } from "../../governance/shared_counters.ts";
import type { AdminAnswer, AdminCommand, AdminResult } from "../../routing/admin.ts";
import type { MetricsSnapshot } from "../../telemetry/aggregate_metrics.ts";
import type { Address } from "../listener/port.ts";
import type { StoreCall, StoreResult } from "../stores/store_calls.ts";

/** The settings of a worker that never change. */
export interface WorkerInit {
  readonly address: Address;
  /** The start time of the process, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The memory of the counters that all workers share. */
  readonly counters: SharedMemory;
  /** The memory of requests and answers that all workers count together. */
  readonly inFlight: InFlightBuffer;
  /** The ID of the process among those that share a limits store. */
  readonly replica: string;
  /** The key of the process for reasoning state. */
  readonly stateKey: Uint8Array;
}

/** The current configuration, and why it differs from the file, if it does. */
export interface WorkerConfig {
  readonly snapshot: Snapshot;
  readonly stale: StaleConfig | undefined;
}

/** A message from the supervisor to a worker. */
export type WorkerCommand =
  | {
    readonly type: "serve";
    /** The number of the worker, from 1. */
    readonly number: number;
    readonly init: WorkerInit;
    readonly config: WorkerConfig;
    /** The keys of the store, if it has been read. */
    readonly keys: KeySet | undefined;
  }
  | { readonly type: "set"; readonly id: number; readonly config: WorkerConfig }
  | { readonly type: "change_keys"; readonly id: number; readonly keys: KeySet }
  /** The number of workers has changed. */
  | { readonly type: "share" }
  /** Asks the clients of all open connections to open others. */
  | { readonly type: "move_connections" }
  /** Ends the worker if no client uses it and nothing would be lost. */
  | { readonly type: "end_if_idle" }
  /** Writes all output. */
  | { readonly type: "flush"; readonly id: number }
  | { readonly type: "read"; readonly id: number }
  /** The answer to `gather`. */
  | { readonly type: "gathered"; readonly id: number; readonly text: string }
  | { readonly type: "administer"; readonly id: number; readonly command: AdminCommand }
  /** The answer to `ask_all`. */
  | { readonly type: "answered"; readonly id: number; readonly answers: readonly AdminAnswer[] }
  /** The answer to `store`. */
  | { readonly type: "stored"; readonly id: number; readonly result: StoreResult }
  /** The answer to `key_call`. */
  | { readonly type: "key_result"; readonly id: number; readonly result: KeyResult }
  | { readonly type: "drain" }
  | { readonly type: "abort" };

/** A message from a worker to the supervisor. */
export type WorkerReport =
  | { readonly type: "serves"; readonly address: Address }
  /** The worker cannot start. */
  | { readonly type: "fails"; readonly reason: string }
  | { readonly type: "done"; readonly id: number }
  | { readonly type: "read"; readonly id: number; readonly metrics: MetricsSnapshot }
  /** Requests the metrics of all workers. */
  | { readonly type: "gather"; readonly id: number }
  | { readonly type: "administered"; readonly id: number; readonly result: AdminResult }
  /** Requests that every worker runs an admin command. */
  | { readonly type: "ask_all"; readonly id: number; readonly command: AdminCommand }
  /** Calls the store of the ledger. */
  | { readonly type: "store"; readonly id: number; readonly call: StoreCall }
  /** Calls the store of keys. */
  | { readonly type: "key_call"; readonly id: number; readonly call: KeyCall }
  | { readonly type: "drained" }
  /** The worker accepts no more connections, since it is idle. */
  | { readonly type: "ending" }
  /** The worker has closed its last connection and written all output. */
  | { readonly type: "ended"; readonly metrics: MetricsSnapshot };
