/** The caller of a request, and the interface of authentication schemes. */

import type { Config } from "../config/config.ts";
import type { ServiceKey } from "../config/keys.ts";
import type { Clock } from "../core/clock.ts";

/** The caller of a request. */
export interface Principal {
  /** The owner of all data that is stored for the caller. Keys of the same group share an owner. */
  readonly id: string;
  /** Its permissions, and its name in the log and the ledger. */
  readonly key: ServiceKey;
}

/** Inputs to a scheme other than the headers. */
export interface IdentityContext {
  readonly config: Config;
  readonly deps: { readonly clock: Pick<Clock, "wallTime"> };
}

/** An authentication scheme. */
export interface IdentityScheme {
  /**
   * Finds the caller by this scheme's credentials, synchronously or as a promise.
   *
   * @param authorization the header of this name, which contains the credentials of most schemes
   * @returns undefined, synchronously, if the headers contain none that are valid, so that the next
   * scheme is tried
   * @throws {GatewayError} `unauthenticated` for credentials that no other scheme may accept.
   */
  authenticate(
    authorization: string | null,
    headers: Headers,
    context: IdentityContext,
  ): Principal | Promise<Principal> | undefined;
}
