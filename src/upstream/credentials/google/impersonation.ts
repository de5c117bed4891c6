/**
 * Exchanges a token for one of a service account that its holder may impersonate
 * (https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken,
 * 2026-11-22).
 */

import { isObject } from "../../../core/json/object.ts";
import { toText } from "../../../core/json/values.ts";
import {
  askService,
  readObject,
  refusedBy,
  type ServiceDeps,
  toCode,
  toEnd,
  unusable,
} from "../service_request.ts";
import { type GoogleToken, googleUrl, SCOPE, toGoogleToken } from "./token.ts";

const SERVICE = "Google's service for impersonation";
/** The lifetime of a token, in seconds. */
const LIFETIME_S = 3600;

/** What a file with credentials says about the impersonation. */
export interface Impersonation {
  readonly url: unknown;
  /** The lifetime of the token, in seconds. */
  readonly lifetime?: unknown;
  /** Accounts between the two. */
  readonly delegates?: unknown;
}

/**
 * Gets a token of the impersonated account.
 *
 * @throws {GatewayError} `upstream_auth` when it is refused.
 */
export async function impersonate(
  { text: bearer }: GoogleToken,
  { url: given, lifetime, delegates }: Impersonation,
  deps: ServiceDeps,
): Promise<GoogleToken> {
  const url = googleUrl(given);
  if (url === undefined) throw unusable("'service_account_impersonation_url' is not Google's");
  const seconds = typeof lifetime === "number" && lifetime > 0 ? lifetime : LIFETIME_S;
  const { ok, status, text } = await askService({
    service: SERVICE,
    url,
    headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
    body: JSON.stringify({
      scope: [SCOPE],
      lifetime: `${seconds}s`,
      ...(Array.isArray(delegates) && delegates.length > 0 && { delegates }),
    }),
  }, deps);
  const { accessToken, error, expireTime } = readObject(text);
  if (!ok) {
    const code = isObject(error) ? toCode(error.status) : undefined;
    throw refusedBy("the service account cannot be impersonated", status, code);
  }
  const wallTime = Date.parse(toText(expireTime));
  const endsAt = Number.isFinite(wallTime)
    ? toEnd(wallTime, deps)
    : deps.clock.now() + seconds * 1000;
  return toGoogleToken(accessToken, endsAt, SERVICE);
}
