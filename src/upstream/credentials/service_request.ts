/** Requests to the services that issue credentials: token services and metadata services. */

import { DEFAULT_CONNECTION_RULES } from "../../config/connection_rules.ts";
import type { Clock } from "../../core/clock.ts";
import { GatewayError, kindOfStatus } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { readText } from "../read_response.ts";
import { type Fetch, type OutgoingRequest, send } from "../transport.ts";
import type { VendorHeaders } from "../../contract/vendor_request.ts";

/** Returns the value of an environment variable. */
export type Env = (name: string) => string | undefined;

/** The dependencies for requests. */
export interface NetworkDeps {
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** Sends requests to metadata services, which bypass proxies. */
  readonly direct: Fetch;
}

/** The dependencies for obtaining credentials. */
export interface ServiceDeps extends NetworkDeps {
  /** Reads a file as text. Throws when it cannot be read. */
  readonly readFile: (path: string) => string;
}

/** A request for credentials. */
export interface ServiceRequest extends Omit<OutgoingRequest, "contentLength"> {
  /** The service's name in messages, such as `the token service`. */
  readonly service: string;
  /** Whether the service is on the machine or its network, so that no proxy is used. */
  readonly isLocal?: boolean;
  /** Certificates in PEM to trust for the service, in addition to the system's. */
  readonly ca?: string | undefined;
  /** The time limit in milliseconds. Default: 15 s, or 3 s for a local service. */
  readonly timeoutMs?: number;
}

/** A service's response. */
export interface ServiceAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: VendorHeaders;
  readonly text: string;
}

/** The time limit for a request that only checks whether a service exists, in milliseconds. */
export const PROBE_TIMEOUT_MS = 1000;
/** The time limits for a request, in milliseconds. */
const TIMEOUT_MS = 15_000;
const LOCAL_TIMEOUT_MS = 3000;
/** The maximum size of an answer, in bytes. */
const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Sends a request for credentials and reads the answer, regardless of its status.
 *
 * @throws {GatewayError} `upstream_unavailable`, `upstream_timeout` or `upstream_error` when there
 * is no answer.
 */
export async function askService(
  { service, isLocal = false, timeoutMs, ca, ...request }: ServiceRequest,
  { clock, direct, fetch }: NetworkDeps,
): Promise<ServiceAnswer> {
  const controller = new AbortController();
  const { signal } = controller;
  const limit = timeoutMs ?? (isLocal ? LOCAL_TIMEOUT_MS : TIMEOUT_MS);
  const cancel = clock.after(limit, () =>
    controller.abort(
      new GatewayError("upstream_timeout", `No credentials: ${service} did not answer in time`),
    ));
  try {
    const recipient = {
      name: service,
      ...(ca !== undefined && { connection: { ...DEFAULT_CONNECTION_RULES, route: { ca } } }),
    };
    const response = await send(request, recipient, signal, isLocal ? direct : fetch);
    const text = await readText(response, signal, { maxSize: MAX_ANSWER_BYTES });
    const { status, ok, headers } = response;
    return { status, ok, headers, text };
  } finally {
    cancel();
  }
}

/** A form as a request body, with its header. */
export function toForm(
  members: Readonly<Record<string, string | undefined>>,
): Pick<OutgoingRequest, "body" | "headers"> {
  const form = Object.entries(members).filter((pair): pair is [string, string] =>
    pair[1] !== undefined
  );
  return {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  };
}

/** The JSON object in an answer; empty for any other text. */
export function readObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * The error when a service refuses to issue credentials. A 4xx status means that the configuration
 * is wrong, unless it requests a retry.
 *
 * @param what the failure, without secrets, such as `the role cannot be assumed`
 * @param code the service's error code
 */
export function refusedBy(what: string, status: number, code?: string): GatewayError {
  const details = code === undefined ? `status ${status}` : `status ${status}, ${code}`;
  const kind = kindOfStatus(status);
  const isFault = kind === "invalid_request" || kind === "model_not_found" || kind === "quota";
  return new GatewayError(
    isFault ? "upstream_auth" : kind,
    `${PREFIX}${what} (${details})`,
  );
}

/**
 * The error from an existing metadata service. Only its rejections are evidence about the machine,
 * not failures or overload.
 *
 * @param what the meaning of a rejection
 */
export function refusedLocally(what: string, service: string, status: number): GatewayError {
  const isUnavailable = status === 429 || status >= 500;
  return refusedBy(isUnavailable ? `${service} is unavailable` : what, status);
}

/** The beginning of error messages. */
const PREFIX = "Cannot get credentials: ";

/** An error code such as `invalid_grant`; undefined for other values. */
export function toCode(code: unknown): string | undefined {
  return typeof code === "string" && /^\w{1,80}$/.test(code) ? code : undefined;
}

/** The error for misconfigured credentials. */
export function unusable(what: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_auth", `${PREFIX}${what}`, { cause });
}

/** The text of an error, without the common prefix. */
export function faultIn({ message }: GatewayError): string {
  return message.replace(PREFIX, "");
}

/** The error for a response without credentials. */
export function withoutCredentials(service: string): GatewayError {
  return new GatewayError("upstream_error", `${PREFIX}${service} sent an answer without them`);
}

/**
 * The token in a file, trimmed because a line break would make the header invalid.
 *
 * @param what the file in messages, such as `the web identity token`
 * @throws {GatewayError} `upstream_auth`
 */
export function readToken(
  path: string,
  what: string,
  { readFile }: Pick<ServiceDeps, "readFile">,
): string {
  let text: string;
  try {
    text = readFile(path).trim();
  } catch (cause) {
    throw unusable(`${what} cannot be read from its file`, cause);
  }
  if (text === "") throw unusable(`the file for ${what} is empty`);
  if (!/^[!-~]+$/.test(text)) throw unusable(`the file for ${what} contains no token`);
  return text;
}

/** Converts a wall-clock time to the clock that measures lifetimes. */
export function toEnd(wallTime: number, { clock }: Pick<ServiceDeps, "clock">): number {
  return clock.now() + (wallTime - clock.wallTime());
}

/**
 * The expiry of a token, from its lifetime in seconds, which some services send as text.
 *
 * @param assumed the lifetime of a token that does not state one, in seconds
 */
export function endAfter(
  seconds: unknown,
  assumed: number,
  { clock }: Pick<ServiceDeps, "clock">,
): number {
  const given = typeof seconds === "string" && seconds !== "" ? Number(seconds) : seconds;
  const lifetime = typeof given === "number" && given > 0 ? given : assumed;
  return clock.now() + lifetime * 1000;
}
