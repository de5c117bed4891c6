/** The gateway in the thread that it is made in, and the port that it answers on. */

import { createAccessLog } from "./access_log.ts";
import { type App, createApp } from "./app.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { dial } from "./dial.ts";
import { GoogleTokens } from "./google_tokens.ts";
import { HttpClient } from "./http_client.ts";
import { newId, random } from "./ids.ts";
import { createDownload, resolveBySystem } from "./image_download.ts";
import { readFile, reasonOf, report, StartError, write } from "./machine.ts";
import { Metrics } from "./metrics.ts";
import { Shutdown } from "./shutdown.ts";
import type { State } from "./state.ts";
import { isExporting, Telemetry } from "./telemetry.ts";
import { VERSION } from "./version.ts";

/** Milliseconds that the log and the metrics may be behind. */
const LAG = 10;

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
}

export function createGateway({ config, stale, state, startedAt, gather }: GatewayOptions): App {
  const clock = systemClock;
  const memory = () => Deno.memoryUsage();
  const capturesContent = () => config().telemetry.captureContent;
  const traced = isExporting();
  return createApp({
    config,
    stale,
    ...(gather && { gather }),
    // Lines of several threads stay whole: the runtime writes one after the other.
    log: createAccessLog((lines) => write(Deno.stdout, lines), Deno.stdout.isTerminal()),
    lag: LAG,
    deps: {
      // The runtime's own client is the one that hands a trace on.
      fetch: traced || isProxied() ? fetch : new HttpClient({ dial, clock }).fetch,
      download: createDownload(clock, resolveBySystem),
      clock,
      newId,
      random,
      state,
      tokens: new GoogleTokens(readFile),
      shutdown: new Shutdown(),
      metrics: new Metrics({ version: VERSION, startedAt, memory }),
      telemetry: traced ? new Telemetry({ version: VERSION, clock, capturesContent }) : undefined,
    },
    onBug: (thrown, id) => report(`${id} ${describe(thrown)}\n`),
  });
}

/**
 * Listens, and hands every request to the app.
 *
 * @param shared whether other threads listen on the same port; so could a stranger's process
 * @throws {StartError} when it cannot listen there.
 */
export function listen(app: App, where: Address, shared: boolean): Listening {
  const options = { ...where, ...(shared && { reusePort: true }), onListen() {} };
  const server = opened(where, () => Deno.serve(options, (request) => app.handle(request)));
  return {
    address: { hostname: server.addr.hostname, port: server.addr.port },
    async drain() {
      await app.drain();
      // What the last answers were may still be on its way.
      await server.shutdown();
    },
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

/** For our own eyes only: callers never see it. */
function describe(thrown: unknown): string {
  return thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
}
