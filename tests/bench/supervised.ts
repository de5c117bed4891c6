/**
 * Sluice with one worker in a separate thread, which it never uses by itself. Compared with one
 * worker in the main thread, it shows the cost of supervision.
 */

import { StoredKeyring } from "../../src/governance/keys/stored_keyring.ts";
import { refuseConfigCall } from "../../src/config/editing/calls.ts";
import { refuseKeyCall } from "../../src/governance/keys/key_calls.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { allocateInFlight } from "../../src/core/in_flight_memory.ts";
import { allocateCounters } from "../../src/governance/shared_counters.ts";
import { readCommand } from "../../src/cli/arguments.ts";
import { systemClock } from "../../src/core/clock.ts";
import { readEnvironment } from "../../src/process/system/files.ts";
import { readConfigAtOnce } from "../../src/process/config/load_config.ts";
import { createSharedLog, logMessage } from "../../src/process/system/stdio.ts";
import { spawnFrom } from "../../src/process/threads/threads.ts";
import type { WorkerCommand, WorkerReport } from "../../src/process/workers/messages.ts";
import { Workers } from "../../src/process/workers/workers.ts";

const command = readCommand(Deno.args);
const { snapshot } = readConfigAtOnce(command, readEnvironment());
const spawn = spawnFrom<WorkerCommand, WorkerReport>(
  new URL("../../src/main.ts", import.meta.url).href,
);
const workers = new Workers({ snapshot, stale: undefined }, {
  init: {
    endpoints: [{ address: { hostname: command.host ?? "", port: Number(command.port) } }],
    hostname: command.host ?? "",
    stateKey: new Uint8Array(32),
    startedAt: systemClock.now(),
    counters: allocateCounters(1),
    inFlight: allocateInFlight(1),
    replica: "replica-1",
    log: createSharedLog({}),
  },
  store: new MemoryUsageStore(),
  keyring: new StoredKeyring(),
  runKeyCall: refuseKeyCall,
  runConfigCall: refuseConfigCall,
  onRefused: () => {},
  spawn: (number, listener) => spawn(`worker ${number}`, listener),
  clock: systemClock,
  log: logMessage,
});
await workers.start();
