/** Checks with one cheap request whether a vendor is reachable and accepts its credentials. */

import type { Provider } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import { shortened } from "../core/text.ts";
import { type Credentials, toOutgoing } from "./credentials/credentials.ts";
import type { CredentialDeps } from "./credentials/scheme.ts";
import { isObject } from "../core/json/object.ts";
import { readFailure, readText } from "./read_response.ts";
import type { VendorResponse } from "./transport.ts";
import type { UpstreamError, VendorRequest } from "../contract/vendor_request.ts";

/** The result of checking a vendor with one key. */
export interface VendorCheck {
  /**
   * `accepted`; `unreadable` if the reply is not the vendor's model list, but for example a login
   * page; `untested` if the vendor replied but the reply does not show whether it accepts the
   * credentials; `refused`; `forbidden` if the credentials may be valid, but not for this request;
   * `limited` by a rate limit; `failing`; or `unreachable`.
   */
  readonly outcome:
    | "accepted"
    | "unreadable"
    | "untested"
    | "refused"
    | "forbidden"
    | "limited"
    | "failing"
    | "unreachable";
  /** For the operator, without secrets. */
  readonly detail: string;
  /** The upstream names of configured models that the vendor does not list, if the list is known. */
  readonly unlisted: readonly string[];
  /** Milliseconds until the response headers arrived. */
  readonly ms: number;
  /** How far this machine's clock is ahead of the vendor's, in milliseconds, within a second. */
  readonly skewMs: number | undefined;
}

/** The maximum size of a list, in bytes. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** The maximum length of a vendor's message, in UTF-16 units. */
const MAX_WORDS = 200;

/**
 * Requests the model list, which vendors do not bill, with one key.
 *
 * @param key the API key; undefined for other credentials, or none
 */
export async function checkVendor(
  provider: Provider,
  key: string | undefined,
  deps: CredentialDeps & { readonly credentials: Credentials },
): Promise<VendorCheck> {
  const { clock, credentials, signal } = deps;
  const { adapter, connection, redactor, settings } = provider;
  const began = clock.now();
  const end = (
    outcome: VendorCheck["outcome"],
    detail: string,
    response?: VendorResponse,
    unlisted: readonly string[] = [],
  ) => ({
    outcome,
    unlisted,
    detail: redactor.redact(detail),
    ms: Math.round(clock.now() - began),
    skewMs: response && skewOf(response, clock.wallTime()),
  });
  try {
    const request = listRequestOf(provider);
    const { auth, body, method } = request;
    const response = await credentials.send({
      request: toOutgoing(request, method === undefined ? JSON.stringify(body) : "", provider),
      auth,
      recipient: { name: `provider '${settings.id}'`, connection },
      isRepeatable: true,
      provider,
      key,
    }, deps);
    if (response.ok) {
      const text = await readText(response, signal, { maxSize: MAX_LIST_BYTES });
      const unlisted = findUnlisted(text, request, provider);
      return unlisted === undefined
        ? end("unreadable", `status ${response.status}${typeOf(response)}`, response)
        : end("accepted", `status ${response.status}`, response, unlisted);
    }
    const failure = await readFailure(response, signal);
    const error = adapter.toError(failure);
    const { message } = error;
    const words = message === undefined ? "" : `: ${shortened(message, MAX_WORDS)}`;
    return end(toOutcome(response.status, error), `status ${response.status}${words}`, response);
  } catch (thrown) {
    if (signal.aborted) return end("unreachable", "no response in time");
    if (!(thrown instanceof GatewayError)) throw thrown;
    const { kind, message, loggedCause } = thrown;
    const detail = loggedCause === undefined ? message : `${message} (${loggedCause})`;
    return end(kind === "upstream_auth" ? "refused" : "unreachable", detail);
  }
}

/** An answer's media type, for the operator. */
function typeOf({ headers }: VendorResponse): string {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type === "" ? "" : `, ${shortened(type, MAX_WORDS)}`;
}

/**
 * The configured models that an answer does not list; none if the list has more pages or a
 * different format. Undefined if the answer is not a list.
 */
function findUnlisted(
  text: string,
  request: VendorRequest,
  { adapter, models, settings }: Provider,
): readonly string[] | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const api = adapter.models;
  if (api === undefined) return isObject(body) || Array.isArray(body) ? [] : undefined;
  try {
    const { models: listed, next = [] } = api.read(body, request, settings);
    const ids = new Set(listed.map(({ id }) => id));
    // Such a request reads the details of a model on the list.
    const isWhole = api.toRequests(settings).length === 1 &&
      next.every(({ body }) => ids.has(String(body.model)));
    return isWhole
      ? models.map(({ upstream }) => upstream).filter((name) => !isListed(name, ids))
      : [];
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

/** Names of local servers may lack the tag `latest`. */
function isListed(name: string, ids: ReadonlySet<string>): boolean {
  return ids.has(name) || ids.has(`${name}:latest`);
}

/** The first request for the list that `models: auto` uses. */
function listRequestOf({ adapter, settings }: Provider): VendorRequest {
  const [request] = adapter.models?.toRequests(settings) ?? [];
  if (request !== undefined) return request;
  const { baseUrl, auth, headers = {}, query } = adapter.passthrough?.(settings) ??
    { baseUrl: settings.baseUrl, auth: { type: "bearer" as const }, query: undefined };
  const search = query === undefined ? "" : `?${new URLSearchParams(query)}`;
  return { url: `${baseUrl}/models${search}`, method: "GET", headers, auth, body: {} };
}

/**
 * Some vendors reject a key with status 400, which their adapter recognizes. A status 403 often
 * concerns the list or the region; a valid key may lack permission to list models.
 */
function toOutcome(status: number, { kind, suspends }: UpstreamError): VendorCheck["outcome"] {
  if (status === 403 && suspends?.scope !== "key") return "forbidden";
  if (status === 401 || kind === "upstream_auth") return "refused";
  if (status === 402 || kind === "quota") return "refused";
  if (status === 429) return "limited";
  return status >= 500 ? "failing" : "untested";
}

function skewOf({ headers }: VendorResponse, now: number): number | undefined {
  const time = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(time) ? undefined : now - time;
}
