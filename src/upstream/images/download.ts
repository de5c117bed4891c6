/**
 * Downloads images from URLs that clients choose, but never from private networks. The host's
 * addresses are checked, and the connection uses exactly these addresses. `fetch` would look them
 * up again, and could get different ones.
 */

import { type StopSignal, untilAborted } from "../../core/stop_signal.ts";
import { Buffer } from "node:buffer";
import { lookup } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isPublic } from "../public_addresses.ts";
import type { ImageRules } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { VERSION } from "../../core/version.ts";
import { pinnedTo } from "../excluded_hosts.ts";

/** The maximum total size of all images in one request, in bytes. */
export class Budget {
  readonly #total: number;
  #left: number;

  constructor(total: number) {
    this.#total = total;
    this.#left = total;
  }

  /**
   * Checks the remaining bytes, without reserving any.
   *
   * @throws {ImageRefusal} when fewer remain.
   */
  expect(bytes: number): void {
    if (bytes <= this.#left) return;
    throw new ImageRefusal(`the images in this request are over ${this.#total} bytes together`);
  }

  /**
   * Reserves bytes.
   *
   * @throws {ImageRefusal} when fewer remain.
   */
  take(bytes: number): void {
    this.expect(bytes);
    this.#left -= bytes;
  }
}

/** The reason why an image cannot be downloaded, as the end of a sentence for the client. */
export class ImageRefusal extends Error {
  override readonly name = "ImageRefusal";
}

/**
 * Downloads the bytes at a URL.
 *
 * @throws {ImageRefusal} when this fails; the signal's reason when it is aborted.
 */
export type Download = (
  url: string,
  rules: ImageRules,
  budget: Budget,
  signal: StopSignal,
) => Promise<Uint8Array>;

/** Looks up all addresses of a host; throws when there are none. Exported for tests. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Uses the system's resolver. */
export const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Creates a {@linkcode Download} that uses the network. */
export function createDownload(clock: Clock, resolve: Resolve): Download {
  return async (url, rules, budget, signal) => {
    signal.throwIfAborted();
    const stop = new AbortController();
    const leave = () => stop.abort(signal.reason);
    signal.addEventListener("abort", leave);
    const cancel = clock.after(rules.timeout, () => {
      stop.abort(new ImageRefusal(`it took longer than ${rules.timeout} ms`));
    });
    try {
      return await follow(url, { rules, budget, resolve, signal: stop.signal });
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
      // Closes any open connection.
      stop.abort();
    }
  };
}

const MAX_REDIRECTS = 3;
/** The maximum length of a URL, in UTF-16 code units. */
const MAX_URL_LENGTH = 8192;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface DownloadState {
  readonly rules: ImageRules;
  readonly budget: Budget;
  readonly resolve: Resolve;
  readonly signal: StopSignal;
}

async function follow(start: string, trip: DownloadState): Promise<Uint8Array> {
  let address = start;
  let base: URL | undefined;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    // The target of a redirect is not named, because it may be confidential.
    const place = hops === 0 ? "its" : "a redirect's";
    const url = readUrl(address, base, trip.rules, place);
    const addresses = await addressesOf(url, trip, place);
    const response = await open(url, addresses, trip.signal, place);
    const { statusCode = 0, headers } = response;
    if (!REDIRECTS.has(statusCode) || headers.location === undefined) {
      if (statusCode !== 200) {
        throw new ImageRefusal(`${place} host answered with status ${statusCode}`);
      }
      return await readImage(response, trip);
    }
    response.destroy();
    address = headers.location;
    base = url;
  }
  throw new ImageRefusal(`it redirects more than ${MAX_REDIRECTS} times`);
}

function readUrl(address: string, base: URL | undefined, rules: ImageRules, place: string): URL {
  const url = address.length > MAX_URL_LENGTH ? null : URL.parse(address, base);
  if (url === null) throw new ImageRefusal(`${place} URL is not valid`);
  if (url.protocol !== "https:" && !(rules.http && url.protocol === "http:")) {
    throw new ImageRefusal(`${place} URL must be https${rules.http ? " or http" : ""}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ImageRefusal(`${place} URL must not hold a user name or password`);
  }
  return url;
}

/** The addresses to connect to. All of them are allowed. */
async function addressesOf(
  url: URL,
  trip: DownloadState,
  place: string,
): Promise<readonly string[]> {
  const host = hostOf(url);
  let addresses: readonly string[] = [host];
  if (isIP(host) === 0) {
    try {
      addresses = await untilAborted(trip.resolve(host), trip.signal);
    } catch (cause) {
      trip.signal.throwIfAborted();
      throw new ImageRefusal(`${place} host was not found`, { cause });
    }
  }
  if (addresses.length === 0) throw new ImageRefusal(`${place} host was not found`);
  if (!trip.rules.allow.has(host.replace(/\.$/, "")) && !addresses.every(isPublic)) {
    throw new ImageRefusal(`${place} host is not on the public internet`);
  }
  return addresses;
}

/** The host in the form that the resolver expects, in which an IPv6 address has no brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Sends the request and waits for the response head. */
function open(
  url: URL,
  addresses: readonly string[],
  signal: StopSignal,
  place: string,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = requestHttp({
    path: url.pathname + url.search,
    headers: { ...HEADERS, host: url.host },
    createConnection: () => connectTo(url, addresses),
  }, (response) => {
    // The response may fail before it is read.
    response.on("error", () => {});
    resolve(response);
  });
  request.on("error", (cause) => {
    reject(new ImageRefusal(`${place} host cannot be reached`, { cause }));
  });
  signal.addEventListener("abort", () => {
    reject(signal.reason);
    request.destroy();
  }, { once: true });
  request.end();
  return promise;
}

const HEADERS = {
  accept: "image/png, image/jpeg, image/gif, image/webp",
  "accept-encoding": "identity",
  connection: "close",
  "user-agent": `sluice/${VERSION}`,
};

/**
 * Opens a connection to one of these addresses. A custom lookup avoids a second DNS query, while
 * the certificate must still match the name. `node:https` would need permission to read the
 * machine's certificates.
 */
function connectTo(url: URL, addresses: readonly string[]): Socket {
  const host = hostOf(url);
  const secure = url.protocol === "https:";
  const port = Number(url.port) || (secure ? 443 : 80);
  const to = { host, port, lookup: pinnedTo(addresses) };
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = secure
    ? connectTls({ ...to, ...servername, ALPNProtocols: ["http/1.1"] })
    : connect(to);
  return socket.setNoDelay(true);
}

async function readImage(response: IncomingMessage, trip: DownloadState): Promise<Uint8Array> {
  const { maxSize } = trip.rules;
  const { "content-type": type = "", "content-length": length = "0" } = response.headers;
  if (!/^image\//i.test(type)) throw new ImageRefusal("its content type is not an image type");
  if (Number(length) > maxSize) throw tooLarge(maxSize);
  trip.budget.expect(Number(length));
  const packets: Uint8Array[] = [];
  let size = 0;
  await readBody(response, trip.signal, (packet) => {
    size += packet.byteLength;
    if (size > maxSize) throw tooLarge(maxSize);
    trip.budget.take(packet.byteLength);
    packets.push(packet);
  });
  return Buffer.concat(packets);
}

function readBody(
  response: IncomingMessage,
  signal: StopSignal,
  onPacket: (packet: Uint8Array) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const breakOff = (cause?: unknown) =>
    reject(new ImageRefusal("the connection was lost", { cause }));
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  response.on("error", breakOff);
  response.on("close", () => breakOff());
  response.on("end", () => response.complete ? resolve() : breakOff());
  response.on("data", (packet: Uint8Array) => {
    try {
      onPacket(packet);
    } catch (thrown) {
      reject(thrown);
      response.destroy();
    }
  });
  return promise;
}

function tooLarge(maxSize: number): ImageRefusal {
  return new ImageRefusal(`it is over ${maxSize} bytes`);
}
