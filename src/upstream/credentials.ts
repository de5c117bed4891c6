/** Adds a provider's credentials to requests, and removes them from messages. */

import { type AwsKeys, type SignableRequest, signAws } from "./aws_signature.ts";
import type { Clock } from "../core/clock.ts";
import type { Provider } from "../config/config.ts";
import type { GoogleTokens } from "./google_tokens.ts";
import type { Auth, VendorRequest } from "../providers/contract/adapter.ts";
import type { Fetch, SignedRequest } from "./transport.ts";
import { VERSION } from "../core/version.ts";

/** The dependencies of signing: some schemes need the time, or a token from the network. */
export interface SigningDeps {
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  readonly tokens: GoogleTokens;
}

/**
 * Signs a vendor's request with one key. Headers are built here and nowhere
 * copied from the caller; those of config.yaml come last and win.
 *
 * @param body the request's body as it will be sent
 */
export function sign(
  request: VendorRequest,
  body: string,
  provider: Provider,
  key: string | undefined,
  deps: SigningDeps,
): SignedRequest | Promise<SignedRequest> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "user-agent": `sluice/${VERSION}`,
    // A compressed stream would arrive in large pieces.
    "accept-encoding": "identity",
    ...request.headers,
    ...provider.headers,
  };
  return addCredentials({ url: request.url, headers, body }, request.auth, provider, key, deps);
}

/** Adds the provider's credentials to a request that is complete otherwise. */
export function addCredentials<Request extends SignableRequest>(
  request: Request,
  auth: Auth,
  provider: Provider,
  key: string | undefined,
  deps: SigningDeps,
): Request | Promise<Request> {
  const headers = { ...request.headers };
  switch (auth.type) {
    case "bearer":
      if (key !== undefined) headers.authorization ??= `Bearer ${key}`;
      break;
    case "header":
      if (key !== undefined) headers[auth.name] ??= key;
      break;
    case "google":
      return withGoogleToken(request, provider, deps);
    case "sigv4": {
      const keys = awsKeysOf(provider, key);
      if (keys !== undefined) return signAws(request, keys, auth, deps.clock.wallTime());
      if (key !== undefined) headers.authorization ??= `Bearer ${key}`;
      break;
    }
    case "none":
      break;
    default:
      auth satisfies never;
  }
  return { ...request, headers };
}

/** Whether a signature covers the body, which must then be known before it is sent. */
export function signsBody({ type }: Auth, provider: Provider, key: string | undefined): boolean {
  return type === "sigv4" && awsKeysOf(provider, key) !== undefined;
}

/** The AWS keys of a provider; undefined if it has none, or an API key that is used instead. */
function awsKeysOf({ secrets }: Provider, key: string | undefined): AwsKeys | undefined {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = secrets;
  if (key !== undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    return undefined;
  }
  return { accessKeyId, secretAccessKey, sessionToken: secrets.session_token };
}

/**
 * Drops a token that the vendor has refused, so that signing again gets another
 * one. False where the credentials do not change by themselves.
 */
export function renew(
  auth: Auth,
  refused: Pick<SignedRequest, "headers">,
  provider: Provider,
  { tokens }: Pick<SigningDeps, "tokens">,
): boolean {
  if (auth.type !== "google") return false;
  const token = refused.headers.authorization?.replace(/^Bearer /, "") ?? "";
  tokens.forget(accountOf(provider), token);
  return true;
}

/** Removes a provider's credentials from a vendor's message: some vendors echo them. */
export function redact(text: string, provider: Provider): string {
  return provider.redactor.redact(text);
}

async function withGoogleToken<Request extends SignableRequest>(
  request: Request,
  provider: Provider,
  deps: SigningDeps,
): Promise<Request> {
  const token = await deps.tokens.get(accountOf(provider), deps);
  return { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } };
}

function accountOf({ settings }: Provider): string {
  const { credentials } = settings.options;
  return typeof credentials === "string" ? credentials : "";
}
