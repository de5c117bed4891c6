/**
 * Downloads an image from wherever a caller says, but never from a network of
 * ours: a host's addresses are checked, and the connection goes to the very
 * addresses that were checked. `fetch` would ask for them again, and may be
 * told others.
 */

import { Buffer } from "node:buffer";
import { lookup } from "node:dns/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { connect, isIP, type Socket, type TcpNetConnectOpts } from "node:net";
import { connect as connectTls } from "node:tls";
import { isPublic } from "./public_addresses.ts";
import type { ImageRules } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { VERSION } from "../../core/version.ts";

/** The bytes that all images of one request may have together. */
export class Budget {
  readonly #total: number;
  #left: number;

  constructor(total: number) {
    this.#total = total;
    this.#left = total;
  }

  /** @throws {ImageRefusal} when there are not as many bytes left; none are taken. */
  expect(bytes: number): void {
    if (bytes <= this.#left) return;
    throw new ImageRefusal(`the images of this request are over ${this.#total} bytes together`);
  }

  /** @throws {ImageRefusal} when there are not as many bytes left. */
  take(bytes: number): void {
    this.expect(bytes);
    this.#left -= bytes;
  }
}

/** Why an image cannot be had, as the end of a sentence that a caller may see. */
export class ImageRefusal extends Error {
  override readonly name = "ImageRefusal";
}

/**
 * Gives the bytes at a URL. Throws an {@linkcode ImageRefusal}, or the signal's
 * own reason when it was aborted.
 */
export type Download = (
  url: string,
  rules: ImageRules,
  budget: Budget,
  signal: AbortSignal,
) => Promise<Uint8Array>;

/** Every address of a host; throws when there is none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Asks the system, as every other program would. */
export const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Makes a {@linkcode Download} that goes to the network. */
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
      // Whatever is still open is of no more use.
      stop.abort();
    }
  };
}

const MOST_REDIRECTS = 3;
const LONGEST_URL = 8192;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface Trip {
  readonly rules: ImageRules;
  readonly budget: Budget;
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
}

async function follow(start: string, trip: Trip): Promise<Uint8Array> {
  let address = start;
  let base: URL | undefined;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    // What a redirect leads to is not named: the caller may not be meant to know.
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
  throw new ImageRefusal(`it redirects more than ${MOST_REDIRECTS} times`);
}

function readUrl(address: string, base: URL | undefined, rules: ImageRules, place: string): URL {
  const url = address.length > LONGEST_URL ? null : URL.parse(address, base);
  if (url === null) throw new ImageRefusal(`${place} URL is not valid`);
  if (url.protocol !== "https:" && !(rules.http && url.protocol === "http:")) {
    throw new ImageRefusal(`${place} URL must be https${rules.http ? " or http" : ""}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ImageRefusal(`${place} URL must not hold a user name or password`);
  }
  return url;
}

/** The addresses to connect to, each of them fit to be. */
async function addressesOf(url: URL, trip: Trip, place: string): Promise<readonly string[]> {
  const host = hostOf(url);
  let addresses: readonly string[] = [host];
  if (isIP(host) === 0) {
    try {
      addresses = await unlessAborted(trip.resolve(host), trip.signal);
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

/** The host as the resolver knows it: an IPv6 address without its brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** The system's resolver cannot be told to stop, but need not be waited for. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Sends the request, and gives the answer once its headers are there. */
function open(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
  place: string,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = requestHttp({
    path: url.pathname + url.search,
    headers: { ...HEADERS, host: url.host },
    createConnection: () => connectTo(url, addresses),
  }, (response) => {
    // It may break before anybody reads it.
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
 * Opens a connection to one of these addresses. With a look-up of our own the
 * name is not asked for again, and still is what the certificate must be for.
 * `node:https` would want the permission to list the machine's certificates.
 */
function connectTo(url: URL, addresses: readonly string[]): Socket {
  const host = hostOf(url);
  const secure = url.protocol === "https:";
  const port = Number(url.port) || (secure ? 443 : 80);
  const to = { host, port, lookup: pinnedTo(addresses) };
  if (!secure) return connect(to);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ ...to, ...servername, ALPNProtocols: ["http/1.1"] });
}

/** A look-up that knows one answer, whatever it is asked. */
export function pinnedTo(addresses: readonly string[]): NonNullable<TcpNetConnectOpts["lookup"]> {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    if (options.all) return done(null, all);
    const [first] = all;
    done(null, first?.address ?? "", first?.family);
  };
}

async function readImage(response: IncomingMessage, trip: Trip): Promise<Uint8Array> {
  const { maxSize } = trip.rules;
  const { "content-type": type = "", "content-length": length = "0" } = response.headers;
  if (!/^image\//i.test(type)) throw new ImageRefusal("its content type is not that of an image");
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
  signal: AbortSignal,
  onPacket: (packet: Uint8Array) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const breakOff = (cause?: unknown) =>
    reject(new ImageRefusal("its connection broke off", { cause }));
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
