/**
 * Access tokens for Google's service accounts. A signed assertion (JWT) is exchanged for a token
 * (https://developers.google.com/identity/protocols/oauth2/service-account, 2026-11-20).
 */

import type { Clock } from "../../../core/clock.ts";
import type { JsonObject } from "../../../core/json/object.ts";
import { type ServiceDeps, toForm, unusable } from "../service_request.ts";
import { fetchGoogleToken, type GoogleToken, googleUrl, SCOPE, TOKEN_URL } from "./token.ts";

interface Account {
  readonly email: string;
  readonly keyId: string | undefined;
  readonly privateKey: string;
  readonly tokenUrl: string;
}

/** The lifetime of an assertion, in seconds. */
const LIFETIME_S = 3600;
/** Google refuses assertions from the future, so they are dated back by this many seconds. */
const CLOCK_SKEW_S = 10;

/**
 * Gets a token with the key of a service account.
 *
 * @throws {GatewayError} `upstream_auth` when the key is invalid or refused, or the kind of the
 * failure when the token service fails.
 */
export async function serviceAccountToken(
  key: JsonObject,
  deps: ServiceDeps,
): Promise<GoogleToken> {
  const account = readAccount(key);
  const assertion = await signAssertion(account, deps.clock);
  const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  const request = { url: account.tokenUrl, ...toForm({ grant_type, assertion }) };
  return await fetchGoogleToken(request, "the service account's key", deps);
}

function readAccount(key: JsonObject): Account {
  const { client_email: email, private_key: pem, private_key_id: keyId, token_uri: uri } = key;
  if (typeof email !== "string" || typeof pem !== "string") {
    throw unusable("the service account's key lacks 'client_email' or 'private_key'");
  }
  return {
    email,
    keyId: typeof keyId === "string" ? keyId : undefined,
    // A key that was passed through a shell may contain `\n` instead of line breaks.
    privateKey: pem.replaceAll("\\n", "\n"),
    // The key file contains this URL, so it must be one of Google's.
    tokenUrl: googleUrl(uri) ?? TOKEN_URL,
  };
}

async function signAssertion(account: Account, clock: Clock): Promise<string> {
  // Loaded late: few configurations need it.
  const { importPKCS8, SignJWT } = await import("jose");
  let key;
  try {
    key = await importPKCS8(account.privateKey, "RS256");
  } catch (cause) {
    throw unusable("'private_key' is not a PKCS#8 key (BEGIN PRIVATE KEY)", cause);
  }
  const now = Math.floor(clock.wallTime() / 1000) - CLOCK_SKEW_S;
  const kid = account.keyId === undefined ? {} : { kid: account.keyId };
  return await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...kid })
    .setIssuer(account.email)
    .setAudience(account.tokenUrl)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME_S)
    .sign(key);
}
