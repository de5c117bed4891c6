/**
 * Sends requests through an in-process gateway in advance, so that the engine compiles the request
 * code. Without this, the first thousand requests take three times the processor time of later
 * ones; with it, about twice (32 connections, measured 2026-11-26).
 */

import process from "node:process";
import { type Clock, SystemClock, TimeSlice } from "../../core/clock.ts";
import type { ReadLoad } from "../memory/idle_memory.ts";
import { type App, createApp } from "../../http/app.ts";
import { WARM_UP_KINDS, warmUpProviders } from "../../providers/warm_up_providers.ts";
import { loadConfig } from "../../config/config.ts";
import { loadAdapters, loadedAdapters } from "../../providers/kinds.ts";
import { MemoryStore } from "../../memory/store.ts";
import { newId, random, randomBytes } from "../../core/ids.ts";
import { KEY_BYTES } from "../../features/reasoning_state/packing.ts";
import { State } from "../../gateway/state.ts";
import { StateCarrier } from "../../features/reasoning_state/carrier.ts";
import { LocalVendor } from "./local_vendor.ts";
import { MemoryUsageStore } from "../../governance/ledger/memory_store.ts";
import { refuseKeyCall } from "../../governance/keys/key_store.ts";
import { HttpClient } from "../../upstream/http1/client.ts";
import { Credentials } from "../../upstream/credentials/credentials.ts";
import { Plans } from "../../gateway/plan.ts";
import { createFeatures, FeatureState } from "../../features/list.ts";
import { OPERATIONS } from "../../gateway/execute/list.ts";
import { Shutdown } from "../../core/stop_signal.ts";
import { Limiter } from "../../governance/limiter.ts";
import { LocalCounters } from "../../governance/local_counters.ts";
import { createObserver } from "../../telemetry/observers.ts";
import { Metrics } from "../../telemetry/metrics.ts";
import { createAccessLog } from "../../telemetry/access_log.ts";

/** A gateway for in-process requests. */
export interface WarmUpGateway {
  readonly app: App;
  /** One model for each kind of adapter that is in use. */
  readonly models: readonly string[];
  /** Creates a caller's request with a body in ASCII. */
  toRequest(path: string, body: string): Request;
}

/** The processor time that this thread may spend on the warm-up, in milliseconds. */
const BUDGET_MS = 500;
/** How long to wait while real requests are open. */
const PAUSE_MS = 50;
/** How long to wait for a pause before giving up. */
const MAX_MS = 30_000;
/** The number of real requests after which the code is warm. */
const ENOUGH_REQUESTS = 1000;

const TEXT = "Say hello to the world, please.";
const INSTRUCTIONS = "You are a helpful assistant.";
const USER = { role: "user", content: TEXT };

/** Sample requests, weighted by the share of each format. */
const SAMPLES: readonly { readonly path: string; readonly body: object }[] = [
  ...[false, false, true].map((stream) => ({
    path: "/v1/chat/completions",
    body: {
      messages: [{ role: "system", content: INSTRUCTIONS }, USER],
      temperature: 0.5,
      max_tokens: 100,
      stream,
    },
  })),
  ...[false, true].map((stream) => ({
    path: "/v1/messages",
    body: { system: INSTRUCTIONS, messages: [USER], max_tokens: 100, stream },
  })),
  ...[false, true].map((stream) => ({
    path: "/v1/responses",
    body: { instructions: INSTRUCTIONS, input: TEXT, store: false, stream },
  })),
];

/** The options of {@linkcode warmUp}. */
export interface WarmUpOptions {
  /** The kinds of the providers in use. */
  readonly kinds: readonly string[];
  /** Reads the number of real requests. */
  readonly load: ReadLoad;
}

/** Warms this thread in the pauses between real requests. */
export async function warmUp({ kinds, load }: WarmUpOptions): Promise<void> {
  if (kinds.length === 0) return;
  const first = load().requests;
  const clock = new SystemClock();
  try {
    const slice = new TimeSlice();
    await loadAdapters(WARM_UP_KINDS);
    const gateway = createWarmUpGateway(kinds, clock);
    const requests = repeat(listRequests(gateway));
    const began = clock.now();
    const end = cpuMs() + BUDGET_MS;
    const isDone = () =>
      cpuMs() >= end || load().requests - first >= ENOUGH_REQUESTS || clock.now() - began >= MAX_MS;
    while (!isDone()) {
      if (load().inFlight > 0) {
        await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
        continue;
      }
      while (!slice.isOver) {
        const response = await gateway.app.handle(requests.next().value());
        await response.bytes();
      }
      await slice.next();
    }
    await gateway.app.drain();
  } finally {
    clock.close();
  }
}

/**
 * Functions that create the requests of one round: each sample for each model. Exported for tests.
 */
export function listRequests({ models, toRequest }: WarmUpGateway): (() => Request)[] {
  return models.flatMap((model) =>
    SAMPLES.map(({ path, body }) => {
      const text = JSON.stringify({ model, ...body });
      return () => toRequest(path, text);
    })
  );
}

/** The processor time of this thread so far, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function* repeat<Item>(items: readonly Item[]): Generator<Item, never> {
  while (true) yield* items;
}

/** The service key of callers, and the vendor's key. */
const KEY = "sk-warm-up";

const HOST = "localhost";

const ORIGIN = `http://${HOST}`;

/** Milliseconds by which the log and the metrics may lag. */
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

/**
 * Creates a gateway. The requests that its HTTP client sends to the vendor are answered by the
 * gateway itself with the mock model, so the vendors' formats need no samples.
 * Exported for tests.
 *
 * @param kinds the kinds of the providers in use
 * @param clock ended by the caller, with all timers of the gateway
 */
export function createWarmUpGateway(kinds: Iterable<string>, clock: Clock): WarmUpGateway {
  const { models, providers } = warmUpProviders(kinds, ORIGIN, KEY);
  const settings = { server: { keys: [{ name: "warm-up", key: KEY }] }, providers };
  const config = loadConfig(JSON.stringify(settings), {
    source: "warm-up",
    adapters: loadedAdapters(),
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
