/** Who calls: the service key or the admin key that a request presents. */

import type { AdminKey, Config, ServiceKey } from "./config.ts";
import { GatewayError } from "./errors.ts";

/** @throws {GatewayError} `unauthenticated` */
export function authenticate(request: Request, config: Config): ServiceKey {
  const token = readToken(request, "service key");
  const key = config.authenticate(token);
  if (key !== undefined) return key;
  throw refusal(
    config.authenticateAdmin(token) === undefined
      ? "The service key is not valid"
      : "This is an admin key, which opens /v1/admin only; send a service key",
  );
}

/**
 * The admin key that a request presents.
 *
 * @throws {GatewayError} `route_not_found` when no admin key is configured, `admin_key_required` for
 * a service key, else `unauthenticated`.
 */
export function authenticateAdmin(request: Request, config: Config): AdminKey {
  if (!config.hasAdmin) {
    throw new GatewayError(
      "route_not_found",
      "The admin routes are disabled; to enable them, add a key to 'server.admin_keys'",
    );
  }
  const token = readToken(request, "admin key");
  const key = config.authenticateAdmin(token);
  if (key !== undefined) return key;
  if (config.authenticate(token) === undefined) throw refusal("The admin key is not valid");
  throw new GatewayError(
    "admin_key_required",
    "A service key cannot use the admin routes; send a key of 'server.admin_keys'",
  );
}

function readToken(request: Request, wanted: string): string {
  const header = request.headers.get("authorization")?.trim() ?? "";
  // A shell's variable that is not set leaves the word alone.
  if (/^(bearer)?$/i.test(header)) {
    throw refusal(`No ${wanted} was sent; send it as 'Authorization: Bearer <key>'`);
  }
  const token = /^bearer +(.+)$/i.exec(header)?.[1];
  if (token === undefined) throw refusal("The Authorization header must say 'Bearer <key>'");
  return token;
}

function refusal(message: string): GatewayError {
  return new GatewayError("unauthenticated", message, {
    headers: { "www-authenticate": "Bearer" },
  });
}
