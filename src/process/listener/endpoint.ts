/** The address and protocol of a listener: TCP, TLS or a Unix socket. */

import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import type { ListenerRules, TlsFiles } from "../../config/listeners.ts";
import {
  findFolderFault,
  readFile,
  readIfPossible,
  reasonOf,
  removeIfExists,
} from "../system/files.ts";
import type { RuntimeServer } from "./runtime_server.ts";
import type { ServerSettings } from "../../config/server_settings.ts";
import type { Clock } from "../../core/clock.ts";
import type { LogLevel } from "../../core/log_level.ts";
import { isLoopback } from "../../core/loopback.ts";
import { followFile } from "../config/reload.ts";
import { StartError } from "../system/stdio.ts";

/** A TCP address to listen on. */
export interface Address {
  readonly hostname: string;
  readonly port: number;
}

/** A Unix socket. */
interface SocketAddress {
  readonly path: string;
  /** The file mode of the socket; the system's default if absent. */
  readonly mode?: number;
}

/** One entry of the list of endpoints. */
export interface Endpoint {
  readonly address: Address | SocketAddress;
  /** Absent: without TLS. */
  readonly tls?: TlsFiles;
  /**
   * The loaded certificate, regardless of the current content of the files. If absent, it is read
   * when needed.
   */
  readonly certificate?: Certificate;
  /** Whether it serves clients without TLS that the runtime's own server rejects. */
  readonly compatible?: boolean;
  /** The parts that it serves. Absent: all parts. */
  readonly rules?: ListenerRules;
}

/** Whether an endpoint is a Unix socket, which only one thread can open. */
export function isUnix({ address }: Endpoint): boolean {
  return "path" in address;
}

/** An endpoint in human-readable form. */
export function nameOf({ address }: Pick<Endpoint, "address">): string {
  return "path" in address ? `unix:${address.path}` : `${address.hostname}:${address.port}`;
}

/** A certificate chain and its private key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The start and end of the certificate's validity, in milliseconds since 1970. */
  readonly startsAt: number;
  readonly endsAt: number;
}

/** A certificate that replaces the one from the same files. */
export interface RenewedCertificate {
  readonly tls: TlsFiles;
  readonly certificate: Certificate;
}

/** Whether an endpoint uses a certificate from these files. */
export function isCertifiedBy({ tls }: Endpoint, { cert, key }: TlsFiles): boolean {
  return tls?.cert === cert && tls.key === key;
}

/**
 * Opens the socket of an address.
 *
 * @param shared whether other workers listen on the same port
 * @throws the error of the system when it cannot listen on the address.
 */
export function bind(address: Endpoint["address"], shared: boolean): Deno.Listener {
  if ("path" in address) return bindSocket(address);
  return Deno.listen({ ...address, ...(shared && { reusePort: true }) });
}

/** The suffix of a socket's path while it is being opened. */
const TEMPORARY_SUFFIX = ".new";

/**
 * Opens a Unix socket. It is opened under another name and renamed, so that it replaces the socket
 * of a process or worker that has ended, and has the right file mode from the start.
 */
function bindSocket({ path, mode }: SocketAddress): Deno.Listener {
  const temporary = path + TEMPORARY_SUFFIX;
  removeIfExists(temporary);
  const socket = Deno.listen({ transport: "unix", path: temporary });
  try {
    if (mode !== undefined) Deno.chmodSync(temporary, mode);
    Deno.renameSync(temporary, path);
  } catch (thrown) {
    socket.close();
    removeIfExists(temporary);
    throw thrown;
  }
  return socket;
}

/** Removes the file of a socket that is about to be closed. */
export function removeSocket({ address }: Pick<Endpoint, "address">): void {
  if (!("path" in address)) return;
  try {
    Deno.removeSync(address.path);
  } catch {
    // The file was removed, or the folder cannot be changed. The next process replaces it.
  }
}

/** The maximum length of a socket's path in bytes, including the suffix of its temporary name. */
const MAX_SOCKET_PATH = Deno.build.os === "linux" ? 107 : 103;

/**
 * The reason why a Unix socket cannot be opened, regardless of other processes; undefined for other
 * endpoints.
 */
export function findSocketFault({ address }: Endpoint): string | undefined {
  if (!("path" in address)) return undefined;
  const { path } = address;
  const max = MAX_SOCKET_PATH - TEMPORARY_SUFFIX.length;
  if (Buffer.byteLength(path) > max) return `its path has more than ${max} bytes`;
  try {
    if (Deno.lstatSync(path).isSocket === false) return "the file exists";
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) return reasonOf(thrown);
  }
  return findFolderFault(path);
}

/**
 * Checks that no other process listens on a Unix socket.
 *
 * @throws {StartError} otherwise.
 */
export async function checkSocket({ address }: Endpoint): Promise<void> {
  if (!("path" in address)) return;
  const { path } = address;
  try {
    (await Deno.connect({ transport: "unix", path })).close();
  } catch {
    // There is no socket, or the process that opened it has ended.
    return;
  }
  throw new StartError(`Cannot listen on unix:${path}: another process listens on it`);
}

/**
 * Checks that the certificate of an endpoint can be used with its key.
 *
 * @throws {StartError} otherwise.
 */
export function checkCertificate({ tls }: Endpoint): void {
  if (tls !== undefined) readCertificate(tls);
}

/**
 * Reads the certificate of an endpoint with TLS.
 *
 * @throws {StartError} when a file cannot be read, or the certificate cannot be used with the key.
 */
export function readCertificate(tls: TlsFiles): Certificate {
  const parts = [["certificate", tls.cert], ["private key", tls.key]] as const;
  for (const [what, path] of parts) {
    try {
      readFile(path);
    } catch (thrown) {
      throw new StartError(`Cannot read the ${what} ${path}: ${describeFile(thrown)}`);
    }
  }
  const texts = { cert: readFile(tls.cert), key: readFile(tls.key) };
  try {
    // Reads both as a server does, without opening a port.
    Deno.createHttpClient(texts).close();
    const { validFromDate, validToDate } = new X509Certificate(texts.cert);
    return { ...texts, startsAt: validFromDate.getTime(), endsAt: validToDate.getTime() };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new StartError(
      `Cannot use the certificate ${tls.cert} with the private key ${tls.key}: ${reason}`,
    );
  }
}

function describeFile(thrown: unknown): string {
  return thrown instanceof Deno.errors.NotFound ? "the file does not exist" : reasonOf(thrown);
}

/** Serves all connections of an address with the runtime's own server. */
export function serveAll(
  address: Endpoint["address"],
  shared: boolean,
  onError: (thrown: unknown) => Response,
  handle: (request: Request) => Promise<Response>,
): RuntimeServer & { readonly addr: Deno.Addr } {
  const options = { onListen() {}, onError };
  if ("path" in address) return Deno.serve({ ...options, path: address.path }, handle);
  return Deno.serve({ ...options, ...address, ...(shared && { reusePort: true }) }, handle);
}

/** The opened address; a port of 0 is replaced by the one that the system chose. */
export function openedAddress({ address }: Endpoint, opened: Deno.Addr): Endpoint["address"] {
  return "hostname" in opened ? { hostname: opened.hostname, port: opened.port } : address;
}

/**
 * The endpoints on which a gateway listens, the main one first.
 *
 * @param address the address of the main endpoint, which the command line may have set
 */
export function toEndpoints(
  { tls, serves, listeners }: Pick<ServerSettings, "tls" | "serves" | "listeners">,
  address: Address,
): readonly Endpoint[] {
  const isLocal = isLoopback(address.hostname);
  const main = {
    address,
    ...(tls && { tls }),
    rules: { serves, hosts: undefined, host: undefined, isLocal },
  };
  return [
    main,
    ...listeners.map(({ address, tls, compatible, rules }) => ({
      address,
      ...(tls && { tls }),
      compatible,
      rules,
    })),
  ];
}

/** The options of {@linkcode Certificates.follow}. */
export interface FollowOptions {
  readonly clock: Clock;
  /** Uses a new certificate for new connections. Throws if that is not possible. */
  readonly renew: (renewed: RenewedCertificate) => void;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
}

/** The interval of checks for expiring certificates, in milliseconds. */
const CHECK_MS = 3_600_000;
const DAY_MS = 24 * CHECK_MS;
/** The remaining validity of a certificate that causes a warning. */
export const MIN_VALID_DAYS = 14;

/** The files of an endpoint, and the certificate in use. */
interface Followed {
  readonly tls: TlsFiles;
  readonly loaded: string;
  certificate: Certificate;
  /** The content of the last warning. */
  warning?: string | undefined;
}

/** The certificates of endpoints, as they were loaded. */
export class Certificates {
  /** The endpoints with their certificates. */
  readonly endpoints: readonly Endpoint[];
  readonly #files: readonly Followed[];

  private constructor(endpoints: readonly Endpoint[], files: readonly Followed[]) {
    this.endpoints = endpoints;
    this.#files = files;
  }

  /**
   * Reads the files before the endpoints are opened, so that no change is missed.
   *
   * @throws {StartError} when one of them cannot be used.
   */
  static async load(endpoints: readonly Endpoint[]): Promise<Certificates> {
    const files: Followed[] = [];
    const certified = await Promise.all(endpoints.map(async (endpoint) => {
      const { tls } = endpoint;
      if (tls === undefined) return endpoint;
      const loaded = await readBoth(tls) ?? "";
      const known = files.find(({ tls: { cert, key } }) => isCertifiedBy(endpoint, { cert, key }));
      const certificate = known?.certificate ?? readCertificate(tls);
      if (known === undefined) files.push({ tls, loaded, certificate });
      return { ...endpoint, certificate };
    }));
    return new Certificates(certified, files);
  }

  /**
   * Uses certificates whose files have changed, once they can be used together. Until then, the
   * previous certificate stays in use, even if it has expired or if the new one is not yet valid.
   * Warns before a certificate expires.
   *
   * @returns a function that stops it
   */
  follow(options: FollowOptions): () => void {
    const { clock } = options;
    const stops = this.#files.map((followed) => {
      const { loaded, tls } = followed;
      const read = () => readBoth(tls);
      return followFile({ loaded, read }, clock, () => replace(followed, options));
    });
    let cancel = () => {};
    const check = () => {
      for (const followed of this.#files) checkEnd(followed, options);
      cancel = clock.after(CHECK_MS, check);
    };
    check();
    return () => {
      cancel();
      stops.forEach((stop) => stop());
    };
  }
}

/** Loads the certificate from the files if it is preferable to the one in use. */
function replace(followed: Followed, { clock, renew, log }: FollowOptions): void {
  const { certificate: current, tls } = followed;
  try {
    const certificate = readCertificate(tls);
    const now = clock.wallTime();
    if (isValid(current, now) && !isValid(certificate, now)) {
      const { startsAt, endsAt } = certificate;
      const reason = startsAt > now
        ? `is not valid before ${toDate(startsAt)}`
        : `has expired on ${toDate(endsAt)}`;
      const text = `the new certificate ${tls.cert} ${reason}; the previous one stays in use`;
      return log(text, "error");
    }
    renew({ tls, certificate });
    followed.certificate = certificate;
    log(`the new certificate ${tls.cert} is in use`);
    checkEnd(followed, { clock, renew, log }, false);
  } catch (thrown) {
    if (!(thrown instanceof StartError)) throw thrown;
    log(`${thrown.message}; the previous certificate stays in use`, "error");
  }
}

/**
 * Warns once a day about a certificate that is about to expire, and tries the files again: a
 * certificate that was not yet valid may now be valid, or preferable to an expired one.
 */
function checkEnd(followed: Followed, options: FollowOptions, isRetried = true): void {
  const now = options.clock.wallTime();
  const { certificate: { cert, key, endsAt }, tls } = followed;
  if (isRetried && !hasSameText(tls, cert, key)) replace(followed, options);
  if (followed.certificate.endsAt !== endsAt) return;
  const days = Math.floor((endsAt - now) / DAY_MS);
  if (days >= MIN_VALID_DAYS) return void (followed.warning = undefined);
  const warning = endsAt <= now
    ? `the certificate ${tls.cert} has expired on ${toDate(endsAt)}: clients refuse it`
    : `the certificate ${tls.cert} ends in ${days} days, on ${toDate(endsAt)}`;
  if (warning === followed.warning) return;
  followed.warning = warning;
  options.log(warning, endsAt <= now ? "error" : "warn");
}

function hasSameText(tls: TlsFiles, cert: string, key: string): boolean {
  try {
    return readFile(tls.cert) === cert && readFile(tls.key) === key;
  } catch {
    // Without files, there is nothing to load.
    return true;
  }
}

function isValid({ startsAt, endsAt }: Certificate, now: number): boolean {
  return startsAt <= now && now < endsAt;
}

function toDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

async function readBoth(tls: TlsFiles): Promise<string | undefined> {
  const texts = await Promise.all([readIfPossible(tls.cert), readIfPossible(tls.key)]);
  return texts.includes(undefined) ? undefined : texts.join("");
}
