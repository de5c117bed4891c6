/**
 * Access tokens for Google's service accounts. A signed assertion (JWT) is exchanged for a token
 * (https://developers.google.com/identity/protocols/oauth2/service-account, 2026-11-20).
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import type { Clock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { kindOfStatus } from "../../core/status_kinds.ts";
import { readText } from "../read_response.ts";
import { type Fetch, send, type VendorResponse } from "../transport.ts";

/** The dependencies of getting a token. */
export interface TokenDeps {
  readonly clock: Clock;
  readonly fetch: Fetch;
}

/** An access token. */
export interface GoogleToken {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

/**
 * Gets a token for requests to Google's APIs.
 *
 * @param credentials the path of a service account's key, or its JSON
 * @throws {GatewayError} `upstream_auth` when the key is invalid or refused, or the kind of the
 * failure when the token service fails.
 */
export async function fetchServiceAccountToken(
  credentials: string,
  readFile: (path: string) => string,
  deps: TokenDeps,
): Promise<GoogleToken> {
  const isInline = credentials.trimStart().startsWith("{");
  const text = isInline ? credentials : readable(() => readFile(credentials));
  return await fetchToken(readAccount(text), deps);
}

interface Account {
  readonly email: string;
  readonly keyId: string | undefined;
  readonly privateKey: string;
  readonly tokenUri: string;
}

/** The time limit of an exchange, in milliseconds. */
const EXCHANGE_TIMEOUT_MS = 15_000;
/** The lifetime of an assertion, and of a token without `expires_in`, in seconds. */
const LIFETIME_S = 3600;
/** Google refuses assertions from the future, so they are dated back by this many seconds. */
const CLOCK_SKEW_S = 10;
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URI = "https://oauth2.googleapis.com/token";
const TOKEN_SERVICE = "Google's token service";

function readAccount(text: string): Account {
  const key = readable((): unknown => JSON.parse(text));
  if (!isObject(key) || key.type !== "service_account") {
    throw badKey("'credentials' is not the key of a service account");
  }
  const { client_email: email, private_key: pem, private_key_id: keyId, token_uri: uri } = key;
  if (typeof email !== "string" || typeof pem !== "string") {
    throw badKey("the service account's key lacks 'client_email' or 'private_key'");
  }
  return {
    email,
    keyId: typeof keyId === "string" ? keyId : undefined,
    // A key that was passed through a shell may contain `\n` instead of line breaks.
    privateKey: pem.replaceAll("\\n", "\n"),
    tokenUri: isTokenUri(uri) ? uri : TOKEN_URI,
  };
}

/** The key file contains this URL, so it must be one of Google's. */
function isTokenUri(uri: unknown): uri is string {
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  return url?.protocol === "https:" && url.hostname.endsWith(".googleapis.com");
}

async function fetchToken(account: Account, deps: TokenDeps): Promise<GoogleToken> {
  const assertion = await signAssertion(account, deps.clock);
  const controller = new AbortController();
  const { signal } = controller;
  const cancel = deps.clock.after(EXCHANGE_TIMEOUT_MS, () =>
    controller.abort(
      new GatewayError("upstream_timeout", "Google did not return an access token in time"),
    ));
  try {
    const response = await ask(account.tokenUri, assertion, deps, signal);
    const text = await readText(response, signal);
    if (!response.ok) throw refused(response.status);
    return readToken(text, deps.clock.now());
  } finally {
    cancel();
  }
}

async function signAssertion(account: Account, clock: Clock): Promise<string> {
  // Loaded late: few configurations need it.
  const { importPKCS8, SignJWT } = await import("jose");
  let key;
  try {
    key = await importPKCS8(account.privateKey, "RS256");
  } catch (cause) {
    throw badKey("'private_key' is not a PKCS#8 key (BEGIN PRIVATE KEY)", cause);
  }
  const now = Math.floor(clock.wallTime() / 1000) - CLOCK_SKEW_S;
  const kid = account.keyId === undefined ? {} : { kid: account.keyId };
  return await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...kid })
    .setIssuer(account.email)
    .setAudience(account.tokenUri)
    .setIssuedAt(now)
    .setExpirationTime(now + LIFETIME_S)
    .sign(key);
}

async function ask(
  url: string,
  assertion: string,
  deps: TokenDeps,
  signal: AbortSignal,
): Promise<VendorResponse> {
  const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ grant_type, assertion }).toString();
  return await send({ url, headers, body }, { name: TOKEN_SERVICE }, signal, deps.fetch);
}

/** A 400 means that the account or its key was deleted, or that the clock is wrong. */
function refused(status: number): GatewayError {
  const kind = kindOfStatus(status);
  if (kind === "invalid_request" || kind === "upstream_auth" || kind === "model_not_found") {
    return badKey(`Google refused the service account's key (status ${status})`);
  }
  return new GatewayError(kind, `Google returned no access token (status ${status})`);
}

function readToken(text: string, now: number): GoogleToken {
  const answer = parse(text);
  const { access_token: token, expires_in: seconds } = answer;
  if (typeof token !== "string" || token === "") {
    throw new GatewayError("upstream_error", "Google's response contains no access token");
  }
  const lifetime = typeof seconds === "number" && seconds > 0 ? seconds : LIFETIME_S;
  return { text: token, endsAt: now + lifetime * 1000 };
}

function parse(text: string): JsonObject {
  try {
    const answer: unknown = JSON.parse(text);
    return isObject(answer) ? answer : {};
  } catch {
    return {};
  }
}

function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw badKey("the file that 'credentials' names cannot be read", cause);
  }
}

function badKey(what: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_auth", `Cannot get an access token: ${what}`, { cause });
}
