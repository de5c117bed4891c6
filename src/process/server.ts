/** The gateway in the thread that it is made in, and the port that it answers on. */

import { createAccessLog, toLossLine } from "../telemetry/access_log.ts";
import type { Figures } from "../telemetry/aggregate_metrics.ts";
import { createObserver } from "../telemetry/observers.ts";
import { type Administer, type App, createApp } from "../http/app.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { Config } from "../config/config.ts";
import { Connections, RELIEF_MS } from "./connections.ts";
import { dial } from "../upstream/http1/dial.ts";
import { GoogleTokens } from "../upstream/google_tokens.ts";
import { type Dial, HttpClient } from "../upstream/http1/client.ts";
import { newId, random } from "../core/ids.ts";
import { createDownload, resolveBySystem } from "../upstream/images/download.ts";
import { LineWriter } from "../telemetry/line_writer.ts";
import {
  ConnectionListener,
  type Listener,
  type ListenerOptions,
  PortListener,
} from "./listener.ts";
import { isOutOfDescriptors, readFile, reasonOf } from "./files.ts";
import { surviveRejections } from "./signals.ts";
import { StartError } from "./startup_error.ts";
import { flushReports, report, tell, writeLater } from "./stdio.ts";
import { within } from "./time_limit.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { findServeConnection } from "./runtime_server.ts";
import type { ServerMetrics } from "../telemetry/server_metrics.ts";
import { Shutdown } from "../core/shutdown.ts";
import type { State } from "../routing/state.ts";
import { isExporting, Telemetry } from "../telemetry/tracing.ts";
import { VERSION } from "../core/version.ts";

/** Milliseconds that the log and the metrics may be behind. */
const LAG = 10;

/** The most characters of the access log that wait for its reader, over all threads. */
const MAX_LOG_CHARS = 8 * 1024 * 1024;

/** How long the end of the process waits for the readers of its output. */
export const FLUSH_MS = 500;

/** How often idle callers are closed for one connection to a vendor. */
const MAX_RELIEFS = 5;

const NO_CONNECTION_LIMITS = "this version of Deno cannot close single connections: " +
  "server.max_connections, max_connections_per_address, head_timeout and idle_timeout have no effect";

/** Where callers find the gateway. */
export interface Address {
  readonly hostname: string;
  readonly port: number;
}

/** A gateway that callers can reach. */
export interface Listening {
  readonly address: Address;
  /** New work is refused from now on; resolves when the last answer has left. */
  drain(): Promise<void>;
}

/** What a gateway is made of. */
export interface GatewayOptions {
  /** The configuration in force. */
  readonly config: () => Config;
  /** Why it is not the one in the file, if it is not. */
  readonly stale: () => string | undefined;
  readonly state: State;
  /** When the process began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The text of `/metrics`, where other threads have a part in it. */
  readonly gather?: () => Promise<string>;
  /** Asks every thread what an admin asks. */
  readonly administer?: Administer;
  /** How many threads share what is limited. */
  readonly workers?: number;
}

/** A gateway, and what the process does for it. */
export interface Gateway {
  readonly app: App;
  /** The metrics of this thread alone, to be added up with those of others. */
  readMetrics(): Promise<Figures>;
  /** Opens its port. @throws {StartError} when it cannot listen there. */
  listen(where: Address, shared: boolean): Listening;
  /** Waits until all output is written, but not for ever. */
  flush(): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { config, stale, state, startedAt, gather, administer, workers = 1 } = options;
  const clock = systemClock;
  const memory = () => Deno.memoryUsage();
  const metrics = new Metrics({ version: VERSION, startedAt, memory });
  surviveRejections((reason) => {
    metrics.server.errorUnhandled();
    reportUnhandled(reason);
  });
  const connections = createConnections(config, clock, metrics.server);
  const readable = Deno.stdout.isTerminal();
  const lines = createLines(readable, workers, metrics.server);
  const capturesContent = () => config().telemetry.captureContent;
  const traced = isExporting();
  const onBug = (thrown: unknown, id: string) => report(`${id} ${describe(thrown)}\n`);
  const observer = createObserver({
    metrics,
    log: createAccessLog((text) => lines.push(text), readable),
    tracing: traced ? new Telemetry({ version: VERSION, clock, capturesContent }) : undefined,
    clock,
    lagMs: LAG,
    onLogError: (thrown) => onBug(thrown, "the access log"),
  });
  const app = createApp({
    config,
    stale,
    ...(administer && { administer }),
    printMetrics: async (gauges) => ({
      contentType: metrics.registry.contentType,
      text: await (gather?.() ?? metrics.print(gauges)),
    }),
    deps: {
      // The runtime's own client is the one that hands a trace on.
      fetch: traced || isProxied()
        ? fetch
        : new HttpClient({ dial: relieving(connections, clock), clock }).fetch,
      download: createDownload(clock, resolveBySystem),
      clock,
      newId,
      random,
      state,
      tokens: new GoogleTokens(readFile),
      shutdown: new Shutdown(),
      observer,
    },
    onBug,
  });
  const flush = async () => {
    await Promise.all([within(FLUSH_MS, lines.flush()), flushReports(FLUSH_MS)]);
  };
  return {
    app,
    readMetrics: () => metrics.read(app.gauges()),
    flush,
    listen: (where, shared) =>
      listen(app, { where, shared, clock, connections, metrics: metrics.server, flush }),
  };
}

function createConnections(
  config: () => Config,
  clock: Clock,
  metrics: ServerMetrics,
): Connections {
  return new Connections({
    limits: () => config().server,
    clock,
    onOpen: () => metrics.connectionOpened(),
    onRefuse: (reason) => metrics.connectionRefused(reason),
    onClose: (reason) => metrics.connectionClosed(reason),
  });
}

/** The access log's way to standard output. */
function createLines(readable: boolean, workers: number, metrics: ServerMetrics): LineWriter {
  return new LineWriter({
    // Lines of several threads stay whole: the runtime writes one text after the other.
    write: (text) => writeLater(Deno.stdout, text),
    maxChars: MAX_LOG_CHARS / workers,
    toLossLine: (count) => toLossLine(count, systemClock.wallTime(), readable),
    onDrop: (count) => metrics.linesDropped(count),
  });
}

interface PortOptions {
  readonly where: Address;
  readonly shared: boolean;
  readonly clock: Clock;
  readonly connections: Connections;
  readonly metrics: ServerMetrics;
  readonly flush: () => Promise<void>;
}

function listen(
  app: App,
  { where, shared, clock, connections, metrics, flush }: PortOptions,
): Listening {
  const options: ListenerOptions = {
    where,
    shared,
    clock,
    handle: (request, connection) => app.handle(request, connection),
    say: tell,
    onAcceptFailure: () => metrics.acceptFailed(),
    onBug: (thrown) => report(`${describe(thrown)}\n`),
  };
  const listener = opened(where, () => openListener(options, connections));
  return {
    address: listener.address,
    async drain() {
      await app.drain();
      // What the last answers were may still be on its way.
      await listener.close();
      await flush();
    },
  };
}

function openListener(options: ListenerOptions, connections: Connections): Listener {
  const serveConnection = findServeConnection(Deno);
  if (serveConnection !== undefined) {
    return new ConnectionListener(options, connections, serveConnection);
  }
  const listener = new PortListener(options);
  options.say(NO_CONNECTION_LIMITS);
  return listener;
}

/** Where no file descriptor is left for a vendor, idle callers are closed, and it is tried again. */
function relieving(connections: Connections, clock: Clock): Dial {
  return async (origin, signal) => {
    for (let reliefs = 0;; reliefs++) {
      try {
        return await dial(origin, signal);
      } catch (thrown) {
        const isFinal = !isOutOfDescriptors(thrown) || reliefs === MAX_RELIEFS;
        if (isFinal || connections.relieve() === 0) throw thrown;
      }
      await new Promise<void>((resolve) => void clock.after(RELIEF_MS, resolve));
    }
  };
}

/**
 * Makes sure that nobody listens there, since a port that is shared is taken
 * from nobody, and finds a free port for 0.
 *
 * @throws {StartError} when it is taken.
 */
export function probe(where: Address): Address {
  using listener = opened(where, () => Deno.listen({ ...where }));
  return { hostname: where.hostname, port: listener.addr.port };
}

function opened<Listener>({ hostname, port }: Address, open: () => Listener): Listener {
  try {
    return open();
  } catch (thrown) {
    const where = `${hostname}:${port}`;
    if (thrown instanceof Deno.errors.AddrInUse) {
      throw new StartError(`Cannot listen on ${where}: the port is taken; try --port`);
    }
    const reason = isOfName(thrown) ? "there is no such host" : reasonOf(thrown);
    throw new StartError(`Cannot listen on ${where}: ${reason}`);
  }
}

/** Whether a host has no address, or cannot be a host at all. */
function isOfName(thrown: unknown): boolean {
  return thrown instanceof URIError ||
    (thrown instanceof Error && thrown.message.startsWith("failed to lookup address"));
}

const PROXIES = ["http_proxy", "https_proxy", "all_proxy"];

/** Whether vendors are reached through a proxy, which only the runtime's own client knows how to do. */
function isProxied(): boolean {
  return PROXIES.some((name) => Deno.env.get(name) || Deno.env.get(name.toUpperCase()));
}

/** Tells the operator of a rejection that nobody handled. */
export function reportUnhandled(reason: unknown): void {
  report(`sluice: nobody handled this error:\n${describe(reason)}\n`);
}

/** For our own eyes only: callers never see it. */
function describe(thrown: unknown): string {
  return thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
}
