/** A gateway without a port, whose vendor is inside of the process. It keeps and writes nothing. */

import { loadConfig } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { newId, random, randomBytes } from "../../core/ids.ts";
import { Shutdown } from "../../core/stop_signal.ts";
import { refuseKeyCall } from "../../governance/keys/key_store.ts";
import { MemoryUsageStore } from "../../governance/ledger/memory_store.ts";
import { Limiter } from "../../governance/limiter.ts";
import { LocalCounters } from "../../governance/local_counters.ts";
import { type App, createApp } from "../../http/app.ts";
import { MemoryStore } from "../../memory/store.ts";
import { FeatureState } from "../../features/feature_state.ts";
import { createFeatures } from "../../features/list.ts";
import { Plans } from "../../gateway/plan.ts";
import { OPERATIONS } from "../../gateway/execute/list.ts";
import { adapters } from "../../providers/registry.ts";
import { warmUpProviders } from "../../providers/warm_up_providers.ts";
import { StateCarrier } from "../../features/reasoning_state/carrier.ts";
import { KEY_BYTES } from "../../features/reasoning_state/packing.ts";
import { State } from "../../gateway/state.ts";
import { createAccessLog } from "../../telemetry/access_log.ts";
import { Metrics } from "../../telemetry/metrics.ts";
import { createObserver } from "../../telemetry/observers.ts";
import { Credentials } from "../../upstream/credentials/credentials.ts";
import { HttpClient } from "../../upstream/http1/client.ts";
import { LocalVendor } from "./local_vendor.ts";

/** The service key of callers, and the vendor's key. */
const KEY = "sk-warm-up";
const HOST = "localhost";
const ORIGIN = `http://${HOST}`;

/** Milliseconds that the log and the metrics may lag behind. */
const LAG_MS = 10;
const KEPT = { bytes: 1_000_000, ttlMs: 60_000 };

/** Its metrics are never read. */
const NO_FACTS = {
  version: "",
  startedAt: 0,
  memory: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0 }),
  cpu: () => ({ user: 0, system: 0 }),
  freeDescriptor: () => undefined,
};

/** A gateway for requests from inside of the process. */
export interface WarmUpGateway {
  readonly app: App;
  /** One model for each kind of adapter that is in use. */
  readonly models: readonly string[];
  /** Creates a caller's request with a body in ASCII. */
  toRequest(path: string, body: string): Request;
}

/**
 * Creates a gateway. The requests that its HTTP client sends to the vendor are answered by the
 * gateway itself with the mock model, so the vendors' formats need no samples.
 *
 * @param kinds the kinds of the providers in use
 * @param clock ended by the caller, with all timers of the gateway
 */
export function createWarmUpGateway(kinds: Iterable<string>, clock: Clock): WarmUpGateway {
  const { models, providers } = warmUpProviders(kinds, ORIGIN, KEY);
  const settings = { server: { keys: [{ name: "warm-up", key: KEY }] }, providers };
  const config = loadConfig(JSON.stringify(settings), {
    source: "warm-up",
    adapters,
    env: () => undefined,
    readFile: () => "",
    now: () => clock.wallTime(),
    newKey: () => KEY,
  });
  const keep = () => new MemoryStore(() => KEPT, () => clock.now());
  const secret = randomBytes(KEY_BYTES);
  const state = new State();
  const reasoning = new StateCarrier({ key: secret, store: keep(), randomBytes });
  const vendor = new LocalVendor((request) => app.handle(request));
  const app = createApp({
    config: () => config,
    usage: new MemoryUsageStore(),
    runKeyCall: refuseKeyCall,
    isLocal: true,
    printMetrics: () => Promise.resolve({ contentType: "text/plain", text: "" }),
    deps: {
      fetch: new HttpClient({ dial: () => Promise.resolve(vendor.open()), clock }).fetch,
      download: () => Promise.reject(new TypeError("Nothing is downloaded")),
      ...{ clock, newId, random, reasoning },
      state,
      credentials: new Credentials({ readFile: () => "", log() {} }),
      plans: new Plans(createFeatures({
        ...{ reasoning, clock, newId, cache: keep(), secret },
        state: new FeatureState(state),
      })),
      operations: OPERATIONS,
      answers: keep(),
      unsettled: keep(),
      shutdown: new Shutdown(),
      limiter: new Limiter(new LocalCounters(), clock),
      observer: createObserver({
        metrics: new Metrics(NO_FACTS, () => 0),
        log: createAccessLog(() => {}),
        clock,
        lagMs: LAG_MS,
        ledger: { add() {} },
      }),
    },
  });
  return { app, models, toRequest };
}

function toRequest(path: string, body: string): Request {
  const headers = {
    host: HOST,
    authorization: `Bearer ${KEY}`,
    "content-type": "application/json",
    "content-length": String(body.length),
  };
  return new Request(ORIGIN + path, { method: "POST", headers, body });
}
