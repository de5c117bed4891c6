/** Which certificates connections are verified by, and which one they show. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import type { VendorRoute } from "../../config/vendor_route.ts";
import { messageOf } from "../../core/errors.ts";
import { TransportError } from "../../core/transport_error.ts";

/** Options of a handshake. */
interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The certificates of one provider. */
class Trust {
  /** Whether the provider has authorities besides those of the system. */
  readonly hasOwn: boolean;
  readonly #ca: TlsOptions;
  readonly #client: TlsOptions;
  /**
   * Peers with certificates of the system's authorities, by host and port. The runtime verifies by
   * one list of authorities; one of all takes 30 ms for each connection (Deno 2.9.6).
   */
  readonly #bySystem = new Set<string>();

  /** @throws {TransportError} when the certificates cannot be used. */
  constructor({ ca, client }: VendorRoute = {}) {
    try {
      for (const pem of [ca, client?.cert]) if (pem !== undefined) new X509Certificate(pem);
      if (client !== undefined) createPrivateKey(client.key);
    } catch (thrown) {
      const cause = `the certificates cannot be used: ${messageOf(thrown)}`;
      throw new TransportError("tls", cause, undefined, { cause: thrown });
    }
    this.hasOwn = ca !== undefined;
    this.#ca = ca === undefined ? {} : { ca };
    this.#client = client ?? {};
  }

  /** @param peer host and port */
  optionsFor(peer: string): TlsOptions {
    return this.#bySystem.has(peer) ? this.#client : { ...this.#ca, ...this.#client };
  }

  /** Verifies a peer by the other authorities from now on. */
  switchFor(peer: string): void {
    if (!this.#bySystem.delete(peer)) this.#bySystem.add(peer);
  }
}

const NO_ROUTE = new Trust();
const trusts = new WeakMap<VendorRoute, Trust>();

/**
 * The certificates of a route.
 *
 * @throws {TransportError} when they cannot be used.
 */
export function trustOf(route: VendorRoute | undefined): Trust {
  if (route === undefined) return NO_ROUTE;
  let trust = trusts.get(route);
  if (trust === undefined) trusts.set(route, trust = new Trust(route));
  return trust;
}
