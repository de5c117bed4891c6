/** Requests to the gateway that serves this page. */

import { noteServerDate } from "./server_clock.js";
import { isObject } from "./json_text.js";
import { adminKey, serviceKey, setRefused } from "./session.js";

/** The statuses of a draining gateway, and of a proxy in front of a restarting one. */
const PASSING = new Set([502, 503, 504]);

/** An answer of the gateway with an error status, or a connection that failed. */
export class ApiError extends Error {
  name = "ApiError";

  /**
   * @param {string} message
   * @param {{ status?: number, type?: string | null, code?: string | null, param?: string | null,
   *   requestId?: string | null, headers?: Headers, isPassing?: boolean }} details
   */
  constructor(message, details = {}) {
    super(message);
    this.status = details.status ?? 0;
    this.type = details.type ?? null;
    this.code = details.code ?? null;
    this.param = details.param ?? null;
    this.requestId = details.requestId ?? null;
    this.headers = details.headers ?? new Headers();
    /** Whether the same request may succeed soon, for example after the gateway has restarted. */
    this.isPassing = details.isPassing ?? PASSING.has(this.status);
  }
}

/** The maximum number of characters shown of an answer that is not a JSON error. */
const MAX_SHOWN_CHARS = 500;

/**
 * Sends a request. A path below `/v1/admin` gets the admin key, every other one the service key.
 *
 * @param {string} path such as `/v1/models`
 * @param {{ method?: string, body?: unknown, headers?: Record<string, string>,
 *   signal?: AbortSignal, key?: string }} [options] `key` replaces the key of the session
 * @returns {Promise<Response>} a response with a status of success
 * @throws {ApiError}
 */
export async function send(path, { method, body, headers, signal, key } = {}) {
  const used = key ?? (path.startsWith("/v1/admin") ? adminKey() : serviceKey());
  // The browser sets the content type of a form, since it contains the boundary.
  const isForm = body instanceof FormData;
  const isText = typeof body === "string";
  let response;
  try {
    response = await fetch(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(used !== "" && { authorization: `Bearer ${used}` }),
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
        ...headers,
      },
      cache: "no-store",
      ...(body !== undefined && { body: isForm || isText ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    // A header value that is not ASCII, such as a key with a typographic dash.
    if (/header|ByteString|ISO-8859-1/i.test(String(thrown?.message))) {
      throw new ApiError("The key or a header contains a character that cannot be sent");
    }
    dispatchEvent(new Event("gateway-away"));
    throw new ApiError("Cannot connect to the gateway: it is not running or cannot be reached", {
      isPassing: true,
    });
  }
  noteServerDate(response.headers);
  if (!response.ok) {
    const error = await toApiError(response);
    // The sign-in form reports a refused key itself.
    if (key === undefined && error.status === 401 && error.code === "invalid_api_key") setRefused();
    throw error;
  }
  return response;
}

/** Sends a request and parses the answer. @throws {ApiError} */
export async function getJson(path, options) {
  const response = await send(path, options);
  try {
    return await response.json();
  } catch (thrown) {
    if (options?.signal?.aborted) throw thrown;
    throw new ApiError("The answer is not JSON", {
      status: response.status,
      requestId: response.headers.get("x-request-id"),
      headers: response.headers,
    });
  }
}

/** Reads the error of an answer. */
async function toApiError(response) {
  const text = await response.text().catch(() => "");
  const details = {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    headers: response.headers,
  };
  return toErrorOf(parsed(text), details) ??
    new ApiError(
      text.slice(0, MAX_SHOWN_CHARS) || `The gateway responded with status ${response.status}`,
      details,
    );
}

/** The error in a parsed body or event; undefined if it contains none. */
export function toErrorOf(body, details = {}) {
  const error = body?.error;
  if (!isObject(error)) return undefined;
  return new ApiError(String(error.message ?? "The gateway reports an error without a message"), {
    ...details,
    type: error.type,
    code: error.code,
    param: error.param,
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
