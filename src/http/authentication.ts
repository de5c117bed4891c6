/** Authenticates a request by its service key or admin key. */

import type { AdminKey, Config, ServiceKey } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { AuthPolicy } from "./routes/route.ts";

/** The key of a request to a route that needs none. */
export const NO_KEY: ServiceKey = { name: "", models: undefined };

/**
 * Checks the key that a route requires.
 *
 * @throws {GatewayError} the errors of {@linkcode authenticate} and {@linkcode authenticateAdmin}.
 */
export function authorize(
  auth: AuthPolicy,
  request: Request,
  config: Config,
  clock: Pick<Clock, "wallTime">,
): ServiceKey {
  switch (auth) {
    case "none":
      return NO_KEY;
    case "metrics":
      return config.server.publicMetrics ? NO_KEY : authenticate(request, config, clock);
    case "service_key":
      return authenticate(request, config, clock);
    case "query_key":
      return authenticate(withQueryKey(request), config, clock);
    default:
      return authenticateAdmin(request, config);
  }
}

/** The headers of a request; a key in the query counts if no header holds one. */
function withQueryKey(request: Request): Pick<Request, "headers"> {
  const { headers, url } = request;
  const start = url.indexOf("?");
  const key = start === -1 ? null : new URLSearchParams(url.slice(start)).get("key");
  if (!key || headers.has("x-goog-api-key")) return request;
  const own = new Headers(headers);
  try {
    own.set("x-goog-api-key", key);
  } catch {
    // A key that no header can hold is not valid either.
    own.set("x-goog-api-key", "?");
  }
  return { headers: own };
}

/**
 * Returns the service key of a request.
 *
 * @throws {GatewayError} `unauthenticated` for a missing, invalid or expired key.
 */
function authenticate(
  request: Pick<Request, "headers">,
  config: Config,
  clock: Pick<Clock, "wallTime">,
): ServiceKey {
  const { key, token } = findServiceKey(request, config);
  if (key?.expires !== undefined && clock.wallTime() >= key.expires * 1000) {
    const day = new Date(key.expires * 1000).toISOString().slice(0, 10);
    throw refusal(`The service key '${key.name}' expired on ${day}`);
  }
  if (key !== undefined) return key;
  throw refusal(
    config.authenticateAdmin(token) === undefined
      ? `The service key is not valid: use ${describeServiceKey(config)}, not a vendor's key`
      : "This is an admin key, which is valid for /v1/admin only; send a service key",
  );
}

/**
 * The headers that clients send an API key in besides `authorization`: those of Anthropic, Azure
 * and Google.
 */
const KEY_HEADERS = ["x-api-key", "api-key", "x-goog-api-key"] as const;

/** The credentials that a caller presents, in all headers that may contain a service key. */
export function presentedTokens({ headers }: Request): readonly string[] {
  return ["authorization", ...KEY_HEADERS]
    .map((name) => headers.get(name)?.replace(/^bearer +/i, "").trim() ?? "")
    .filter((token) => token !== "");
}

/**
 * Finds the key by the token in `authorization`, or else in a key header: some clients send several
 * headers, of which one may be for another service.
 */
function findServiceKey(
  { headers }: Pick<Request, "headers">,
  config: Config,
): { readonly key: ServiceKey | undefined; readonly token: string } {
  const header = headers.get("authorization");
  const bearer = header === null ? undefined : bearerOf(header);
  let key = bearer === undefined ? undefined : config.authenticate(bearer);
  if (key !== undefined && bearer !== undefined) return { key, token: bearer };
  let first: string | undefined;
  for (const name of KEY_HEADERS) {
    const token = headers.get(name)?.trim();
    if (!token) continue;
    first ??= token;
    key = config.authenticate(token);
    if (key !== undefined) return { key, token };
  }
  if (first !== undefined && !header) return { key: undefined, token: first };
  const token = readToken(header, "service key", () => {
    return `${
      describeServiceKey(config)
    } as ${HEADER}, or in 'x-api-key', 'api-key' or 'x-goog-api-key'`;
  });
  return { key: undefined, token };
}

/**
 * Returns the admin key of a request.
 *
 * @throws {GatewayError} `route_not_found` when no admin key is configured, `admin_key_required`
 * for
 * a service key, else `unauthenticated`.
 */
function authenticateAdmin(request: Request, config: Config): AdminKey {
  if (!config.hasAdmin) {
    throw new GatewayError(
      "route_not_found",
      "The admin routes are disabled; to enable them, add a key to 'server.admin_keys'",
    );
  }
  const header = request.headers.get("authorization");
  const token = readToken(header, "admin key", () => `a key of 'server.admin_keys' as ${HEADER}`);
  const key = config.authenticateAdmin(token);
  if (key !== undefined) return key;
  if (config.authenticate(token) === undefined) throw refusal("The admin key is not valid");
  throw new GatewayError(
    "admin_key_required",
    "A service key cannot use the admin routes; send a key of 'server.admin_keys'",
  );
}

/** The token of an `authorization` header with the scheme Bearer. */
function bearerOf(header: string): string | undefined {
  return /^bearer +(.+)$/i.exec(header.trim())?.[1];
}

function readToken(authorization: string | null, wanted: string, advice: () => string): string {
  const header = authorization?.trim() ?? "";
  const token = bearerOf(header);
  if (token !== undefined) return token;
  // An unset shell variable leaves "Bearer" without a key.
  if (/^(bearer)?$/i.test(header)) throw refusal(`No ${wanted} was sent: send ${advice()}`);
  throw refusal("The Authorization header must be 'Bearer <key>'");
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
