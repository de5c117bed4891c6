/**
 * Google's access tokens, and requests for the tokens of machines, service accounts, and
 * impersonated service accounts.
 */

import type { OutgoingRequest } from "../../transport.ts";
import {
  askService,
  endAfter,
  type NetworkDeps,
  readObject,
  refusedBy,
  refusedLocally,
  type ServiceAnswer,
  type ServiceDeps,
  toCode,
  toEnd,
  toForm,
  unusable,
  withoutCredentials,
} from "../service_request.ts";
import type { Clock } from "../../../core/clock.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { toText } from "../../../core/json/values.ts";

/** An access token. */
export interface GoogleToken {
  readonly text: string;
  /** Milliseconds since the epoch, by the clock's `now()`. */
  readonly endsAt: number;
  /** The project to which a user's requests are attributed. */
  readonly quotaProject?: string | undefined;
}

/** The scope for all tokens. An account's roles determine its permissions. */
export const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** The token service for Google's accounts. */
export const TOKEN_URL = "https://oauth2.googleapis.com/token";
const SERVICE = "Google's token service";
/** The lifetime of a token without `expires_in`, in seconds. */
const LIFETIME_S = 3600;

/** A URL from a file, which must be one of Google's, since its host receives the credentials. */
export function googleUrl(text: unknown): string | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const isGoogle = url?.protocol === "https:" && url.hostname.endsWith(".googleapis.com");
  return isGoogle ? url.href : undefined;
}

/**
 * Requests an OAuth 2 token.
 *
 * @param credentials the exchanged credentials, such as `the service account's key`
 * @throws {GatewayError} `upstream_auth` when it is rejected.
 */
export async function fetchGoogleToken(
  request: Pick<OutgoingRequest, "body" | "headers" | "url">,
  credentials: string,
  deps: ServiceDeps,
): Promise<GoogleToken> {
  const { ok, status, text } = await askService({ ...request, service: SERVICE }, deps);
  const answer = readObject(text);
  if (!ok) throw refusedBy(`Google refused ${credentials}`, status, toCode(answer.error));
  return toGoogleToken(answer.access_token, endAfter(answer.expires_in, LIFETIME_S, deps), SERVICE);
}

/** @throws {GatewayError} `upstream_error` for a value that is not a token. */
function toGoogleToken(token: unknown, endsAt: number, service: string): GoogleToken {
  if (typeof token !== "string" || !/^[!-~]+$/.test(token)) throw withoutCredentials(service);
  return { text: token, endsAt };
}

// The service account on a Google Cloud machine
// (https://cloud.google.com/compute/docs/metadata/querying-metadata, 2026-11-22).

const METADATA_SERVER = "Google's metadata server";
const FLAVOR = { "metadata-flavor": "Google" };
/** The server returns cached tokens, so one without a lifetime may expire soon. */
const METADATA_LIFETIME_S = 60;

/** The default address of the server. Its name would need the network's resolver. */
export const METADATA_HOST = "169.254.169.254";

/**
 * Gets a token for the machine's service account.
 *
 * @throws {GatewayError} when there is no metadata server, or no service account.
 */
export async function metadataToken(host: string, deps: ServiceDeps): Promise<GoogleToken> {
  const query = new URLSearchParams({ scopes: SCOPE });
  const { text } = await askMetadata(host, `token?${query}`, deps);
  const answer = readObject(text);
  return toGoogleToken(
    answer.access_token,
    endAfter(answer.expires_in, METADATA_LIFETIME_S, deps),
    METADATA_SERVER,
  );
}

/**
 * Queries the machine's service account.
 *
 * @throws {GatewayError} unless Google's metadata server answers.
 */
export async function askMetadata(
  host: string,
  member: string,
  deps: NetworkDeps,
  timeoutMs?: number,
): Promise<ServiceAnswer> {
  const path = `instance/service-accounts/default/${member}`;
  const answer = await askServer(host, path, deps, timeoutMs);
  if (!answer.ok) {
    throw refusedLocally("the machine has no service account", METADATA_SERVER, answer.status);
  }
  return answer;
}

/**
 * The ID of the machine's project; undefined if the server does not return it.
 *
 * @throws {GatewayError} unless Google's metadata server answers.
 */
export async function machineProject(host: string, deps: NetworkDeps): Promise<string | undefined> {
  const { ok, text } = await askServer(host, "project/project-id", deps);
  return ok ? toProject(text.trim()) : undefined;
}

/** https://cloud.google.com/resource-manager/docs/creating-managing-projects (2026-11-26). */
export function toProject(id: unknown): string | undefined {
  return typeof id === "string" && /^[\w.:-]{1,100}$/.test(id) ? id : undefined;
}

async function askServer(
  host: string,
  path: string,
  deps: NetworkDeps,
  timeoutMs?: number,
): Promise<ServiceAnswer> {
  const answer = await askService({
    service: METADATA_SERVER,
    url: `http://${host}/computeMetadata/v1/${path}`,
    method: "GET",
    headers: FLAVOR,
    isLocal: true,
    ...(timeoutMs !== undefined && { timeoutMs }),
  }, deps);
  if (answer.headers.get("metadata-flavor") !== "Google") {
    throw withoutCredentials(METADATA_SERVER);
  }
  return answer;
}

// Access tokens for Google's service accounts. A signed assertion (JWT) is exchanged for a token
// (https://developers.google.com/identity/protocols/oauth2/service-account, 2026-11-20).

interface Account {
  readonly email: string;
  readonly keyId: string | undefined;
  readonly privateKey: string;
  readonly tokenUrl: string;
}

/** The lifetime of an assertion, in seconds. */
const ASSERTION_LIFETIME_S = 3600;
/** Google rejects assertions from the future, so they are backdated by this many seconds. */
const CLOCK_SKEW_S = 10;

/**
 * Gets a token with a service account's key.
 *
 * @throws {GatewayError} `upstream_auth` when the key is invalid or rejected, or the failure's kind
 * when the token service fails.
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
  // Loaded on demand, since few configurations need it.
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
    .setExpirationTime(now + ASSERTION_LIFETIME_S)
    .sign(key);
}

// Exchanges a token for a token of a service account that its holder may impersonate
// (https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken,
// 2026-11-22).

const IMPERSONATION_SERVICE = "Google's impersonation service";
/** The lifetime of a token, in seconds. */
const TOKEN_LIFETIME_S = 3600;

/** The impersonation settings in a credentials file. */
interface Impersonation {
  readonly url: unknown;
  /** The lifetime of the token, in seconds. */
  readonly lifetime?: unknown;
  /** The intermediate accounts. */
  readonly delegates?: unknown;
}

/**
 * Gets a token for the impersonated account.
 *
 * @throws {GatewayError} `upstream_auth` when it is rejected.
 */
export async function impersonate(
  { text: bearer }: GoogleToken,
  { url: given, lifetime, delegates }: Impersonation,
  deps: ServiceDeps,
): Promise<GoogleToken> {
  const url = googleUrl(given);
  if (url === undefined) throw unusable("'service_account_impersonation_url' is not Google's");
  const seconds = typeof lifetime === "number" && lifetime > 0 ? lifetime : TOKEN_LIFETIME_S;
  const { ok, status, text } = await askService({
    service: IMPERSONATION_SERVICE,
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
  return toGoogleToken(accessToken, endsAt, IMPERSONATION_SERVICE);
}
