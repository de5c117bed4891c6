/** Checks whether a gateway is running, for container images without curl. */

import { get } from "node:http";

/** Time limit of a health check, in milliseconds. */
const TIMEOUT_MS = 3000;

/**
 * Requests `/healthz`. Returns undefined if the gateway is healthy, else an error message.
 *
 * @param host the host that the gateway listens on; wildcard addresses become localhost
 */
export function checkHealth(host: string, port: number): Promise<string | undefined> {
  const target = reachable(host);
  const url = `${originOf({ host, port })}/healthz`;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  // Unlike fetch, `get` ignores proxy settings of the environment.
  const request = get(
    { host: target, port, path: "/healthz", agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) },
    (response) => {
      const { statusCode } = response;
      response.resume();
      resolve(statusCode === 200 ? undefined : `${url} returned status ${statusCode}`);
    },
  );
  request.on("error", ({ name }) => {
    resolve(
      name === "AbortError"
        ? `${url} timed out after ${TIMEOUT_MS / 1000} s`
        : `Cannot connect to ${url}`,
    );
  });
  return promise;
}

/**
 * The origin of a gateway that listens on an address.
 *
 * @param address its host may be a wildcard address, which becomes localhost
 */
export function originOf(
  { host, port }: { readonly host: string; readonly port: number },
): string {
  const target = reachable(host);
  return `http://${target.includes(":") ? `[${target}]` : target}:${port}`;
}

function reachable(host: string): string {
  const bare = host.replace(/^\[|\]$/g, "");
  return WILDCARDS.get(bare) ?? bare;
}

/** Wildcard listen addresses, with the loopback address that reaches them. */
const WILDCARDS = new Map([["0.0.0.0", "127.0.0.1"], ["::", "::1"]]);
