/** The interface of an authentication scheme, which adds a provider's credentials to requests. */

import type { StopSignal } from "../../core/stop_signal.ts";
import type { Provider } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Fetch, OutgoingRequest, VendorResponse } from "../transport.ts";
import type { Auth } from "../../contract/vendor_request.ts";

/** The dependencies for schemes that need the time or the network. */
export interface CredentialDeps {
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** Ends the wait of this request. */
  readonly signal: StopSignal;
}

/** One attempt's credentials. */
export interface Credential {
  readonly provider: Provider;
  /** The provider's key, for schemes with keys. */
  readonly key: string | undefined;
}

/** An authentication scheme. Adapters select it by name in their requests. */
export interface CredentialScheme<Kind extends Auth = Auth> {
  /**
   * Adds the credentials to a request that is otherwise ready to be sent.
   *
   * @throws {GatewayError} when there are none.
   */
  apply(
    request: OutgoingRequest,
    auth: Kind,
    credential: Credential,
    deps: CredentialDeps,
  ): OutgoingRequest | Promise<OutgoingRequest>;
  /**
   * The name and value of the only header that {@linkcode apply} adds, which are constant for a
   * key; absent if it does more.
   */
  headerOf?(auth: Kind, key: string | undefined): readonly [string, string | undefined];
  /** Whether the vendor rejected the credentials. Default: status 401. */
  isRefusal?(response: Pick<VendorResponse, "headers" | "status">): boolean;
  /**
   * Drops credentials that the vendor rejected. Returns whether the next request may use different
   * ones. Absent if they change only with the configuration.
   */
  renew?(refused: Pick<OutgoingRequest, "headers">, provider: Provider): boolean;
  /** Whether the credentials cover the body, which must then be known before it is sent. */
  signsBody?(credential: Credential): boolean;
  /** The headers that {@linkcode apply} adds, with `[redacted]` instead of secrets. */
  describe(auth: Kind, provider: Provider): Readonly<Record<string, string>>;
}

/** The replacement for secrets in explanations. */
export const REDACTED = "[redacted]";

/** Whether a provider has any credentials. */
export function hasCredentials({ keys, secrets }: Provider): boolean {
  return keys.length > 0 || Object.keys(secrets).length > 0;
}

/** A request with one more header, unless config.yaml or the adapter sets it. */
export function withHeader(
  request: OutgoingRequest,
  name: string,
  value: string | undefined,
): OutgoingRequest {
  return { ...request, headers: addHeader(request.headers, name, value) };
}

/** The same for headers without a request. */
export function addHeader(
  headers: OutgoingRequest["headers"],
  name: string,
  value: string | undefined,
): OutgoingRequest["headers"] {
  return value === undefined ? headers : { ...headers, [name]: headers[name] ?? value };
}
