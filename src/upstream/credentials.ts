/** Puts a provider's credentials on a request, and keeps them out of everything else. */

import { signAws } from "./aws_signature.ts";
import type { Clock } from "../core/clock.ts";
import type { Provider } from "../config/config.ts";
import type { GoogleTokens } from "./google_tokens.ts";
import type { Auth, VendorRequest } from "../providers/contract/adapter.ts";
import type { Fetch, SignedRequest } from "./transport.ts";
import { VERSION } from "../core/version.ts";

/** What signing needs of the world: some vendors want the time, or a token fetched first. */
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
    // Compressed streams arrive in lumps.
    "accept-encoding": "identity",
    ...request.headers,
    ...provider.headers,
  };
  const { auth } = request;
  switch (auth.type) {
    case "bearer":
      if (key !== undefined) headers.authorization ??= `Bearer ${key}`;
      break;
    case "header":
      if (key !== undefined) headers[auth.name] ??= key;
      break;
    case "google":
      return withGoogleToken({ url: request.url, headers, body }, provider, deps);
    case "sigv4": {
      const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = provider.secrets;
      if (key !== undefined) headers.authorization ??= `Bearer ${key}`;
      else if (accessKeyId !== undefined && secretAccessKey !== undefined) {
        const keys = { accessKeyId, secretAccessKey, sessionToken: provider.secrets.session_token };
        return signAws({ url: request.url, headers, body }, keys, auth, deps.clock.wallTime());
      }
      break;
    }
    case "none":
      break;
    default:
      auth satisfies never;
  }
  return { url: request.url, headers, body };
}

/**
 * Drops a token that the vendor has refused, so that signing again gets another
 * one. False where the credentials do not change by themselves.
 */
export function renew(
  auth: Auth,
  refused: SignedRequest,
  provider: Provider,
  { tokens }: Pick<SigningDeps, "tokens">,
): boolean {
  if (auth.type !== "google") return false;
  const token = refused.headers.authorization?.replace(/^Bearer /, "") ?? "";
  tokens.forget(accountOf(provider), token);
  return true;
}

/** Strikes a provider's credentials out of a vendor's words; vendors do echo them. */
export function redact(text: string, provider: Provider): string {
  return provider.redactor.redact(text);
}

async function withGoogleToken(
  request: SignedRequest,
  provider: Provider,
  deps: SigningDeps,
): Promise<SignedRequest> {
  const token = await deps.tokens.get(accountOf(provider), deps);
  return { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } };
}

function accountOf({ settings }: Provider): string {
  const { credentials } = settings.options;
  return typeof credentials === "string" ? credentials : "";
}
