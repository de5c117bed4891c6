/** Checks whether a gateway is running, for container images without curl. */

import process from "node:process";
import type { TlsFiles } from "../config/listeners.ts";
import { statusOverTls } from "../process/listener/tls_server.ts";

/** Time limit of a health check, in milliseconds. */
const TIMEOUT_MS = 3000;

/** Where a gateway listens. */
export interface GatewayAddress {
  /** Wildcard addresses become localhost. */
  readonly host: string;
  readonly port: number;
  /** The files of its certificate; undefined without TLS. */
  readonly tls: TlsFiles | undefined;
}

/** Requests `/healthz`. Returns undefined if the gateway is healthy, otherwise an error message. */
export function checkHealth(address: GatewayAddress): Promise<string | undefined> {
  const { host, port, tls } = address;
  const target = reachable(host);
  const url = `${originOf(address)}/healthz`;
  const explain = (status: number | undefined) =>
    status === 200 ? undefined : `${url} returned status ${status}`;
  if (tls !== undefined) {
    return statusOverTls({ host: target, port, tls }, "/healthz", TIMEOUT_MS)
      .then(explain, (thrown) => toFailure(url, thrown));
  }
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  // Unlike fetch, `get` ignores proxy settings of the environment. Loaded on use.
  const request = process.getBuiltinModule("node:http").get(
    { host: target, port, path: "/healthz", agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) },
    (response) => {
      const { statusCode } = response;
      response.resume();
      resolve(explain(statusCode));
    },
  );
  request.on("error", (thrown) => resolve(toFailure(url, thrown)));
  return promise;
}

/** Messages for the error codes of Node.js. */
const REASONS = new Map([
  ["ECONNREFUSED", "connection refused: no process listens there"],
  ["ECONNRESET", "the connection was reset: does the port speak TLS?"],
  ["ENOTFOUND", "unknown host"],
  ["EHOSTUNREACH", "no route to the host"],
  ["ENETUNREACH", "no route to the network"],
]);

/** The runtime's message about a CA certificate that a server presents as its own. */
const OF_CA = "CaUsedAsEndEntity";

function toFailure(url: string, thrown: unknown): string {
  if (!(thrown instanceof Error)) return `Cannot connect to ${url}: ${String(thrown)}`;
  if (thrown.name === "AbortError" || thrown.name === "TimeoutError") {
    return `${url} timed out after ${TIMEOUT_MS / 1000} s`;
  }
  const reason = REASONS.get(String(Reflect.get(thrown, "code"))) ??
    (thrown.message.includes(OF_CA)
      ? "its certificate is that of a CA (CA:TRUE); use one of a server"
      : thrown.message.replace(/ \(os error \d+\)$/, ""));
  return `Cannot connect to ${url}: ${reason}`;
}

/** The origin of a gateway that listens on an address. */
export function originOf({ host, port, tls }: GatewayAddress): string {
  const target = reachable(host);
  return `${tls ? "https" : "http"}://${target.includes(":") ? `[${target}]` : target}:${port}`;
}

function reachable(host: string): string {
  const bare = host.replace(/^\[|\]$/g, "");
  return WILDCARDS.get(bare) ?? bare;
}

/** Wildcard listen addresses, with the loopback address that reaches them. */
const WILDCARDS = new Map([["0.0.0.0", "127.0.0.1"], ["::", "::1"]]);
