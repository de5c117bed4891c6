/** The scheme for service keys, and admins' keys. */

import type { Config } from "../config/config.ts";
import { ownerOf, type ServiceKey } from "../config/keys.ts";
import { GatewayError } from "../core/errors.ts";
import type { IdentityContext, IdentityScheme, Principal } from "./principal.ts";

/** Cached principals by key, for as long as a configuration is current. */
const PRINCIPALS = new WeakMap<ServiceKey, Principal>();

/** A key's principal. */
function principalOf(key: ServiceKey): Principal {
  let principal = PRINCIPALS.get(key);
  if (principal === undefined) PRINCIPALS.set(key, principal = { id: ownerOf(key), key });
  return principal;
}

/** Service keys from config.yaml and from the store. */
export const serviceKeys: IdentityScheme = {
  authenticate(
    authorization: string | null,
    headers: Headers,
    { config, deps: { clock } }: IdentityContext,
  ): Principal | undefined {
    const bearer = tokenOf(authorization);
    const key = (bearer === undefined ? undefined : config.authenticate(bearer)) ??
      keyInOtherHeader(headers, config);
    if (key === undefined) return undefined;
    if (key.expires !== undefined && clock.wallTime() >= key.expires * 1000) {
      const day = new Date(key.expires * 1000).toISOString().slice(0, 10);
      throw refusal(`The service key '${key.name}' expired on ${day}`);
    }
    return principalOf(key);
  },
};

/**
 * The headers in which clients send an API key, besides `authorization`: Anthropic's, Azure's and
 * Google's.
 */
const KEY_HEADERS = ["x-api-key", "api-key", "x-goog-api-key"] as const;

/**
 * The valid key in another header: some clients send several keys, some of which may be for another
 * service.
 */
function keyInOtherHeader(headers: Headers, config: Config): ServiceKey | undefined {
  for (const name of KEY_HEADERS) {
    const token = headers.get(name)?.trim();
    const key = token ? config.authenticate(token) : undefined;
    if (key !== undefined) return key;
  }
  return undefined;
}

/** The error for headers without a valid service key: it describes the expected header. */
export function refusalOf(
  authorization: string | null,
  headers: Headers,
  config: Config,
): GatewayError {
  const token = (authorization ? undefined : firstToken(headers)) ??
    tokenOf(authorization);
  if (token === undefined) {
    return withoutToken(
      authorization,
      "service key",
      `${
        describeServiceKey(config)
      } as ${HEADER}, or in 'x-api-key', 'api-key' or 'x-goog-api-key'`,
    );
  }
  return refusal(
    config.authenticateAdmin(token) === undefined
      ? `The service key is not valid: use ${describeServiceKey(config)}, not a vendor's key`
      : "This is an admin key, which is valid for /v1/admin only; send a service key",
  );
}

function firstToken(headers: Headers): string | undefined {
  return KEY_HEADERS.map((name) => headers.get(name)?.trim()).find(Boolean);
}

/** The credentials that a caller presents, in all headers that may contain a service key. */
export function presentedTokens({ headers }: Request): readonly string[] {
  return ["authorization", ...KEY_HEADERS]
    .map((name) => headers.get(name)?.replace(/^bearer +/i, "").trim() ?? "")
    .filter((token) => token !== "");
}

/**
 * Finds a request's admin.
 *
 * @throws {GatewayError} `route_not_found` if no admin key is configured, `admin_key_required` for
 * a service key, otherwise `unauthenticated`.
 */
export function authenticateAdmin(authorization: string | null, config: Config): Principal {
  if (!config.hasAdmin) {
    throw new GatewayError(
      "route_not_found",
      "The admin routes are disabled; to enable them, add a key to 'server.admin_keys'",
    );
  }
  const token = tokenOf(authorization);
  if (token === undefined) {
    throw withoutToken(authorization, "admin key", `a key of 'server.admin_keys' as ${HEADER}`);
  }
  const key = config.authenticateAdmin(token);
  if (key !== undefined) return principalOf(key);
  if (config.authenticate(token) === undefined) throw refusal("The admin key is not valid");
  throw new GatewayError(
    "admin_key_required",
    "A service key cannot use the admin routes; send a key of 'server.admin_keys'",
  );
}

/** The token in an `authorization` header with the scheme Bearer. */
function tokenOf(authorization: string | null): string | undefined {
  return authorization === null ? undefined : /^bearer +(.+)$/i.exec(authorization.trim())?.[1];
}

/** The error for an `authorization` header without a token. */
function withoutToken(authorization: string | null, wanted: string, advice: string): GatewayError {
  const header = authorization?.trim() ?? "";
  // An unset shell variable leaves "Bearer" without a key.
  return refusal(
    /^(bearer)?$/i.test(header)
      ? `No ${wanted} was sent: send ${advice}`
      : "The Authorization header must be 'Bearer <key>'",
  );
}

const HEADER = "'Authorization: Bearer <key>'";

/** Describes which key to send and where it is configured. */
function describeServiceKey({ generatedKey }: Config): string {
  return generatedKey === undefined
    ? "a service key of Sluice (server.keys in its config.yaml, usually SLUICE_API_KEY)"
    : "the service key that Sluice generated for this run and printed at startup";
}

function refusal(message: string): GatewayError {
  return new GatewayError("unauthenticated", message, {
    // Claude Code silently retries a 401 for minutes unless the response forbids it.
    headers: { "www-authenticate": "Bearer", "x-should-retry": "false" },
  });
}
