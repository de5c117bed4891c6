/** A request's caller, and the interface of authentication schemes. */

import type { Config } from "../config/config.ts";
import type { ServiceKey } from "../config/keys.ts";
import type { Clock } from "../core/clock.ts";

/** A request's caller. */
export interface Principal {
  /** The owner of all data that is stored for the caller. Keys in the same group share an owner. */
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
   * @param authorization the header with this name, which contains most schemes' credentials
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
