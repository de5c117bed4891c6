/** Authenticates a request with the schemes that callers may use. */

import { authenticateAdmin, refusalOf, serviceKeys } from "./keys.ts";
import type { Config } from "../config/config.ts";
import type { IdentityContext, IdentityScheme, Principal } from "./principal.ts";

/** The authentication that a route requires. */
export type AuthPolicy =
  /** No key. */
  | "none"
  | "service_key"
  /** A service key, which may also be the query parameter `key`. */
  | "query_key"
  /** A service key; no key when `server.metrics` is `public`. */
  | "metrics"
  | AdminPolicy;

/** An admin key. Without an admin key the route does not exist, and `GET /` does not list it. */
export interface AdminPolicy {
  /** The admin's action, for the log. */
  readonly admin: string;
}

/** Checks an open connection's credentials again, since a key may have been revoked. */
export type Reauthenticate = (
  auth: AuthPolicy,
  request: Request,
  config: Config,
) => Principal | Promise<Principal>;

/** The caller on a route that needs no key. */
export const NOBODY: Principal = { id: "", key: { name: "", models: undefined } };

/** The authentication schemes, in the order in which they are tried. */
const SCHEMES: readonly IdentityScheme[] = [serviceKeys];

/**
 * Finds the caller that a route requires, synchronously unless a scheme returns a promise.
 *
 * @throws {GatewayError} `unauthenticated` for missing, invalid or expired credentials, and the
 * errors of {@linkcode authenticateAdmin}.
 */
export function authenticate(
  auth: AuthPolicy,
  request: Request,
  context: IdentityContext,
  schemes: readonly IdentityScheme[] = SCHEMES,
): Principal | Promise<Principal> {
  const { config } = context;
  if (auth === "none" || auth === "metrics" && config.server.metrics === "public") return NOBODY;
  const { headers } = request;
  const authorization = headers.get("authorization");
  if (typeof auth === "object") return authenticateAdmin(authorization, config);
  const sent = auth === "query_key" ? withQueryKey(request) : headers;
  for (const scheme of schemes) {
    const principal = scheme.authenticate(authorization, sent, context);
    if (principal !== undefined) return principal;
  }
  throw refusalOf(authorization, sent, config);
}

/** A request's headers. A key in the query is used if no header contains one. */
function withQueryKey({ headers, url }: Request): Headers {
  const start = url.indexOf("?");
  const key = start === -1 ? null : new URLSearchParams(url.slice(start)).get("key");
  if (!key || headers.has("x-goog-api-key")) return headers;
  const own = new Headers(headers);
  try {
    own.set("x-goog-api-key", key);
  } catch {
    // A key that cannot be sent in a header is invalid.
    own.set("x-goog-api-key", "?");
  }
  return own;
}
