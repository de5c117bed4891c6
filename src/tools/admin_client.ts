/**
 * Requests to the admin API of a running gateway, for `sluice keys` and `sluice usage`, and their
 * output.
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import { isObject, type JsonObject } from "../contract/chat.ts";

/** The output of a command. */
export interface AdminOutput {
  /** For standard output. */
  readonly text: string;
  /** For standard error. */
  readonly note?: string;
}

/** Time limit of a request, in milliseconds. */
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Thrown if the gateway cannot be reached or rejects the request. The message is for the operator.
 */
export class AdminError extends Error {
  override readonly name = "AdminError";
}

/** The text of one page, and the position of the next one, if any. */
export interface AdminPage {
  readonly text: string;
  readonly next: string | undefined;
}

/** Calls the admin API with an admin key. Redirects are not followed: they could leak the key. */
export class AdminClient {
  readonly #base: string;
  readonly #key: string;

  /** @param base the address of the gateway, without a path or with one that precedes `/v1` */
  constructor(base: string, key: string) {
    this.#base = base;
    this.#key = key;
  }

  /** @throws {AdminError} */
  async json(method: string, path: string, body?: unknown): Promise<JsonObject> {
    const text = await this.text(method, path, body);
    const value = parsed(text);
    if (isObject(value)) return value;
    throw new AdminError(`${this.#base} does not answer like Sluice`);
  }

  /** @throws {AdminError} */
  async text(method: string, path: string, body?: unknown): Promise<string> {
    return (await this.page(method, path, body)).text;
  }

  /**
   * A text that may be one page of several; `next` is the position of the next page.
   *
   * @throws {AdminError}
   */
  async page(method: string, path: string, body?: unknown): Promise<AdminPage> {
    const { status, text, next } = await this.#send(method, path, body);
    if (status >= 200 && status < 300) return { text, next };
    const value = parsed(text);
    const error = isObject(value) && isObject(value.error) ? value.error : {};
    throw new AdminError(
      typeof error.message === "string"
        ? error.message
        : `${this.#base} does not answer like Sluice: status ${status}`,
    );
  }

  #send(method: string, path: string, body: unknown): Promise<AdminPage & { status: number }> {
    const isPlain = this.#base.startsWith("http:");
    return isPlain ? this.#sendPlain(method, path, body) : this.#sendByTls(method, path, body);
  }

  /** Node's TLS client needs a permission that the program does not have. */
  async #sendByTls(
    method: string,
    path: string,
    body: unknown,
  ): Promise<AdminPage & { status: number }> {
    try {
      const response = await fetch(this.#base + path, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { status, headers } = response;
      return {
        status,
        text: await textWithin(response),
        next: headers.get("x-sluice-next") ?? undefined,
      };
    } catch (thrown) {
      throw new AdminError(this.#explain(thrown instanceof Error ? thrown.name : "", undefined));
    }
  }

  #sendPlain(method: string, path: string, body: unknown): Promise<AdminPage & { status: number }> {
    const { promise, resolve, reject } = Promise.withResolvers<AdminPage & { status: number }>();
    const url = new URL(this.#base + path);
    const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const fail = ({ name, code }: { readonly name: string; readonly code?: string }) =>
      reject(new AdminError(this.#explain(name, code)));
    // Unlike fetch, this ignores proxy settings of the environment. Loaded on use.
    const request = process.getBuiltinModule("node:http").request(url, {
      method,
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(sent && { "content-type": "application/json", "content-length": sent.length }),
      },
    }, (response) => {
      const packets: Buffer[] = [];
      let bytes = 0;
      response.on("data", (packet: Buffer) => {
        packets.push(packet);
        bytes += packet.length;
        if (bytes > MAX_ANSWER_BYTES) response.destroy(new Error("The answer is too large"));
      });
      response.on("error", fail);
      response.on("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(packets).toString(),
          next: response.headers["x-sluice-next"]?.toString(),
        });
      });
    });
    request.on("error", fail);
    request.end(sent);
    return promise;
  }

  #explain(name: string, code: string | undefined): string {
    if (name === "AbortError" || name === "TimeoutError") {
      return `${this.#base} did not answer within ${TIMEOUT_MS / 1000} s`;
    }
    const reason = code === undefined ? "" : ` (${code})`;
    return `Cannot connect to ${this.#base}${reason}; start the gateway, or set --url`;
  }
}

/** The body of a response; rejects when it is too large. */
async function textWithin(response: Response): Promise<string> {
  const packets: Uint8Array[] = [];
  let bytes = 0;
  for await (const packet of response.body ?? []) {
    packets.push(packet);
    bytes += packet.length;
    if (bytes > MAX_ANSWER_BYTES) throw new RangeError("The answer is too large");
  }
  return Buffer.concat(packets).toString();
}

/**
 * The address of a gateway from the option `--url`; a path that ends in `/v1` is accepted.
 *
 * @throws {UsageError} for anything but an http or https URL.
 */
export function toBase(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === "" && url.password === "" &&
    !/[?#]/.test(text);
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new UsageError("--url must be an http or https URL without query and password");
  }
  return url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The entries of a list. */
export function entriesOf({ data }: JsonObject): JsonObject[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}

/** A value in a table. */
export function cell(value: unknown): string {
  return value === undefined || value === null ? "-" : String(value);
}

/** A value as indented JSON. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) + "\n";
}

/** Thrown for an invalid command line. The message says what is valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
