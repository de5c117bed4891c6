/** The messages between a worker and its supervisor. */

import type { Snapshot, StaleConfig } from "../../config/snapshot.ts";
import type { ConfigCall, ConfigResult } from "../../config/editing/changes.ts";
import type { InFlightBuffer } from "../../core/in_flight_memory.ts";
import type { KeyCall, KeyResult, KeySet } from "../../governance/keys/key_store.ts";
import type { SharedMemory } from "../../governance/shared_counters.ts";
import type { HealthHistory, HealthReport } from "../../console/health/health_board.ts";
import type { TargetAttempt } from "../../console/health/target_attempts.ts";
import type { BreakerSwitch } from "../../gateway/state.ts";
import type { AdminAnswer, AdminCommand, AdminResult } from "../../gateway/admin.ts";
import type { Endpoint, RenewedCertificate } from "../listener/endpoint.ts";
import type { SharedLog } from "../system/stdio.ts";
import type { StoreCall, StoreResult } from "../stores/store_calls.ts";
import type { CallMessage, ReplyMessage } from "../threads/threads.ts";
import type { MetricsSnapshot } from "../../telemetry/process_metrics.ts";

/** Settings of a worker that never change. */
export interface WorkerInit {
  /** The endpoints of the gateway. */
  readonly endpoints: readonly Endpoint[];
  /** The host name or IP address of the first endpoint, as it was configured. */
  readonly hostname: string;
  /** The log of all threads. */
  readonly log: SharedLog;
  /** The start time of the process, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The memory of the counters that all workers share. */
  readonly counters: SharedMemory;
  /** The shared accounting of the memory of requests and answers. */
  readonly inFlight: InFlightBuffer;
  /** The ID of the process among those that share a shared store. */
  readonly replica: string;
  /** Whether the health of targets is tracked, for the console or for alerts. */
  readonly hasHealth: boolean;
  /** The process's key for reasoning state. */
  readonly stateKey: Uint8Array;
}

/** The current configuration and, if it differs from the file, the reason. */
export interface WorkerConfig {
  readonly snapshot: Snapshot;
  readonly stale: StaleConfig | undefined;
}

/** A call from the supervisor to a worker. */
export type WorkerCall =
  | { readonly type: "set"; readonly config: WorkerConfig }
  | { readonly type: "change_keys"; readonly keys: KeySet }
  /** Writes all output. */
  | { readonly type: "flush" }
  /** Reads the metrics of the worker. */
  | { readonly type: "read" }
  | { readonly type: "administer"; readonly command: AdminCommand };

/** The results of each {@linkcode WorkerCall}. */
export interface WorkerResults {
  readonly set: undefined;
  readonly change_keys: undefined;
  readonly flush: undefined;
  readonly read: MetricsSnapshot;
  readonly administer: AdminResult;
}

/** A call from a worker to the supervisor. */
export type SupervisorCall =
  /** Gathers the metrics of all workers, in the text format of Prometheus. */
  | { readonly type: "gather" }
  /** Runs an admin command in every worker. */
  | { readonly type: "administer_all"; readonly command: AdminCommand }
  /** Calls the store of the ledger. */
  | { readonly type: "store"; readonly call: StoreCall }
  /** Calls the key store. */
  | { readonly type: "keys"; readonly call: KeyCall }
  /** Calls the editor of the configuration. */
  | { readonly type: "config"; readonly call: ConfigCall }
  /** Reads the health of all targets. */
  | { readonly type: "health" }
  | { readonly type: "health_history" };

/** The results of each {@linkcode SupervisorCall}. */
export interface SupervisorResults {
  readonly gather: string;
  readonly administer_all: readonly AdminAnswer[];
  readonly store: StoreResult;
  readonly keys: KeyResult;
  readonly config: ConfigResult;
  readonly health: HealthReport;
  readonly health_history: HealthHistory;
}

/** A message from the supervisor to a worker. */
export type WorkerCommand =
  | {
    readonly type: "serve";
    /** The number of the worker, from 1. */
    readonly number: number;
    /** Whether other workers are serving, so that this one warms up before it listens. */
    readonly isAdded: boolean;
    readonly init: WorkerInit;
    readonly config: WorkerConfig;
    /** The keys in the store, if it has been read. */
    readonly keys: KeySet | undefined;
  }
  /** The number of workers has changed. */
  | { readonly type: "share" }
  /** Makes clients reconnect (`Connection: close`). */
  | { readonly type: "move_connections" }
  /** Uses a new certificate for new connections. */
  | { readonly type: "renew"; readonly renewed: RenewedCertificate }
  /** Ends the worker, optionally only if no client uses it and nothing would be lost. */
  | { readonly type: "end"; readonly onlyIfIdle: boolean }
  /** Reports that the process is about to end; requests are still served. */
  | { readonly type: "leave_soon" }
  | { readonly type: "drain" }
  | { readonly type: "abort" }
  | CallMessage<WorkerCall>
  | ReplyMessage<SupervisorResults[SupervisorCall["type"]]>;

/** A message from a worker to the supervisor. */
export type WorkerReport =
  | { readonly type: "serves" }
  /** The worker cannot start. */
  | { readonly type: "fails"; readonly reason: string }
  /** A vendor has rejected credentials, and the configuration uses secret managers. */
  | { readonly type: "refused" }
  | { readonly type: "drained" }
  /** Attempts have ended. */
  | { readonly type: "attempts"; readonly attempts: readonly TargetAttempt[] }
  /** A breaker was opened or closed, which the console shows. */
  | { readonly type: "breaker"; readonly change: BreakerSwitch }
  /** The worker has stopped accepting connections. */
  | { readonly type: "ending" }
  /** The worker has closed its last connection and written all output. */
  | { readonly type: "ended"; readonly metrics: MetricsSnapshot }
  | CallMessage<SupervisorCall>
  | ReplyMessage<WorkerResults[WorkerCall["type"]]>;
