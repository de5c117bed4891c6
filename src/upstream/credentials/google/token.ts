/** Google's access tokens, and the requests for them. */

import type { OutgoingRequest } from "../../transport.ts";
import {
  askService,
  endAfter,
  readObject,
  refusedBy,
  type ServiceDeps,
  toCode,
  withoutCredentials,
} from "../service_request.ts";

/** An access token. */
export interface GoogleToken {
  readonly text: string;
  /** Milliseconds since the epoch, by the clock's `now()`. */
  readonly endsAt: number;
  /** The project that requests of a user are counted for. */
  readonly quotaProject?: string | undefined;
}

/** The scope of all tokens. What an account may do is decided by its roles. */
export const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** The token service for Google's accounts. */
export const TOKEN_URL = "https://oauth2.googleapis.com/token";
const SERVICE = "Google's token service";
/** The lifetime of a token without `expires_in`, in seconds. */
const LIFETIME_S = 3600;

/** A URL from a file, if it is one of Google's; others would get the credentials. */
export function googleUrl(text: unknown): string | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const isGoogle = url?.protocol === "https:" && url.hostname.endsWith(".googleapis.com");
  return isGoogle ? url.href : undefined;
}

/**
 * Requests a token of OAuth 2.
 *
 * @param credentials what is exchanged, such as `the service account's key`
 * @throws {GatewayError} `upstream_auth` when it is refused.
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

/** @throws {GatewayError} `upstream_error` for a value that is no token. */
export function toGoogleToken(token: unknown, endsAt: number, service: string): GoogleToken {
  if (typeof token !== "string" || !/^[!-~]+$/.test(token)) throw withoutCredentials(service);
  return { text: token, endsAt };
}
