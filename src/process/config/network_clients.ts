/**
 * The HTTP clients that read the configuration's secrets, lists of models, and metadata services.
 */

import { type Clock, systemClock } from "../../core/clock.ts";
import { HttpClient } from "../../upstream/http1/client.ts";
import { dial } from "../../upstream/http1/dial.ts";
import type { Fetch } from "../../upstream/transport.ts";
import type {
  HasMetadata,
  MetadataFacts,
  MetadataService,
} from "../../upstream/credentials/find_ambient.ts";
import { logMessage, StartError } from "../system/stdio.ts";
import { messageOf } from "../../core/errors.ts";
import { toExcluded } from "../../upstream/excluded_hosts.ts";
import { type ProxyServer, toProxyServer } from "../../upstream/http1/proxy_server.ts";

// The metadata services of the clouds, which provide credentials for providers without keys.
// Startup does not wait for the checks of whether they exist.

/**
 * The intervals between checks for a missing service, in milliseconds. After that, only a reload
 * checks for it.
 */
const RETRY_MS: readonly number[] = [
  ...[1000, 2000, 5000, 10_000, 30_000],
  ...[60_000, 60_000, 120_000, 300_000],
];

/** The state of one service. */
interface Known {
  readonly service: MetadataService;
  /** Undefined until the service has been found, or two checks have failed to find it. */
  facts: MetadataFacts | boolean | undefined;
  isChecked: boolean;
  /** The number of checks that failed to find it. */
  misses: number;
}

/** The options for checking services. */
interface MetadataWatch {
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** Called after a check whose result differs from the last one. */
  readonly onChange: (service: MetadataService, exists: boolean) => void;
}

/** Tracks which metadata services exist. */
export class MetadataServices {
  /** Keyed by cloud and address. */
  readonly #known = new Map<string, Known>();
  readonly #cancels = new Set<() => void>();
  #watch: MetadataWatch | undefined;

  /**
   * Whether a service exists, or its response. Starts checking for a service unless it is already
   * being checked.
   */
  readonly has: HasMetadata = (service) => {
    const name = `${service.cloud} ${service.address}`;
    let known = this.#known.get(name);
    if (known === undefined) {
      this.#known.set(name, known = { service, facts: undefined, isChecked: false, misses: 0 });
    }
    if (!known.facts && !known.isChecked) this.#begin(known);
    return known.facts;
  };

  /**
   * Checks the services until the returned function is called. A missing service is checked again,
   * since some services start later than their machines.
   */
  start(watch: MetadataWatch): () => void {
    this.#watch = watch;
    for (const known of this.#known.values()) this.#begin(known);
    return () => {
      this.#watch = undefined;
      for (const cancel of this.#cancels) cancel();
      this.#cancels.clear();
    };
  }

  #begin(known: Known): void {
    if (this.#watch === undefined) return;
    known.isChecked = true;
    known.misses = 0;
    void this.#check(known, this.#watch);
  }

  async #check(known: Known, watch: MetadataWatch): Promise<void> {
    const { clock, fetch, onChange } = watch;
    const facts = await known.service.probe({ clock, fetch, direct: fetch });
    if (this.#watch !== watch) return;
    const exists = facts !== false;
    // A machine that is busy during startup may miss the first reply.
    const isSure = exists || known.facts !== undefined || known.misses > 0;
    const isNew = isSure && (known.facts === undefined || exists !== (known.facts !== false));
    if (isSure) known.facts = facts;
    const wait = exists ? undefined : RETRY_MS[known.misses++];
    if (wait === undefined) {
      known.isChecked = false;
    } else {
      const cancel = clock.after(wait, () => {
        this.#cancels.delete(cancel);
        void this.#check(known, watch);
      });
      this.#cancels.add(cancel);
    }
    if (isNew) onChange(known.service, exists);
  }
}

/** Checks the services until the returned function is called, and reloads the configuration. */
export function watchMetadata(
  services: MetadataServices,
  live: { reload(): Promise<void> },
): () => void {
  return services.start({
    clock: systemClock,
    fetch: metadataClient(),
    onChange({ label }, exists) {
      logMessage(`${label}: ${exists ? "found" : "not found"}`);
      void live.reload();
    },
  });
}

/** A client for metadata services, which does not use a proxy. */
function metadataClient(): Fetch {
  return new HttpClient({ dial, clock: systemClock }).fetch;
}

/** The proxy for a URL, if there is one. */
type ProxyFor = (url: URL) => ProxyServer | undefined;

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case.
 *
 * @throws {StartError} when one of them is not the URL of a proxy.
 */
export function readEnvironmentProxies(): ProxyFor {
  const all = readProxy("ALL_PROXY");
  // CGI servers put the client's `Proxy` header into this variable.
  const plain = Deno.env.has("REQUEST_METHOD") ? undefined : readProxy("HTTP_PROXY");
  const secure = readProxy("HTTPS_PROXY");
  const excluded = toExcluded(Deno.env.get("NO_PROXY") || Deno.env.get("no_proxy") || "");
  return ({ protocol, hostname }) =>
    excluded(hostname) ? undefined : (protocol === "http:" ? plain : secure) ?? all;
}

function readProxy(variable: string): ProxyServer | undefined {
  for (const name of [variable, variable.toLowerCase()]) {
    const text = Deno.env.get(name);
    if (!text) continue;
    try {
      return toProxyServer(text, name);
    } catch {
      throw new StartError(`${name} is not the URL of a proxy`);
    }
  }
  return undefined;
}

/**
 * Checks the certificates named in DENO_CERT, which every client of the runtime reads.
 *
 * @throws {StartError} when they cannot be read.
 */
export function checkCertificates(): void {
  const path = Deno.env.get("DENO_CERT");
  if (!path) return;
  try {
    Deno.createHttpClient({}).close();
  } catch (thrown) {
    throw new StartError(
      `Cannot read the certificates of DENO_CERT, ${path}: ${messageOf(thrown)}`,
    );
  }
}

export interface NetworkClients {
  /** The client for metadata services, which does not use a proxy. */
  readonly direct: Fetch;
  /** The client for other services, through the environment's proxy if there is one. */
  readonly fetch: Fetch;
}

/** Creates the clients. They do not connect to anything yet. */
export function createNetworkClients(): NetworkClients {
  const proxyFor = readEnvironmentProxies();
  const client = new HttpClient({ dial, clock: systemClock, proxyFor });
  return { direct: metadataClient(), fetch: client.fetch };
}
