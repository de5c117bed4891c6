/** The endpoints of a configuration, and their certificates while the gateway runs. */

import type { ServerSettings } from "../../config/server_settings.ts";
import type { TlsFiles } from "../../config/listeners.ts";
import type { Clock } from "../../core/clock.ts";
import type { LogLevel } from "../../core/log_level.ts";
import { isLoopback } from "../../core/loopback.ts";
import { followFile } from "../config/reload.ts";
import { readFile, readIfPossible } from "../system/files.ts";
import { StartError } from "../system/startup_error.ts";
import {
  type Address,
  type Certificate,
  type Endpoint,
  isCertifiedBy,
  readCertificate,
  type RenewedCertificate,
} from "./endpoint.ts";

/**
 * The endpoints that a gateway listens on, the main one first.
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
  /** Uses a new certificate for new connections. Throws when that is not possible. */
  readonly renew: (renewed: RenewedCertificate) => void;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
}

/** How often it is checked whether certificates are about to end, in milliseconds. */
const CHECK_MS = 3_600_000;
const DAY_MS = 24 * CHECK_MS;
/** A certificate that is valid for less than this is worth a warning. */
export const MIN_VALID_DAYS = 14;

/** The files of an endpoint, and what of them is in use. */
interface Followed {
  readonly tls: TlsFiles;
  readonly loaded: string;
  certificate: Certificate;
  /** What the last warning said. */
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
   * Uses certificates whose files have changed, once they can be used together. Until then the
   * previous one stays in use, also in place of one that has ended or is not valid yet. Warns before a
   * certificate ends.
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

/** Uses what is in the files now, if it is better than what is in use. */
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
 * Warns once a day of a certificate that is about to end, and tries the files again: a certificate
 * that was not valid yet may be by now, or better than one that has ended.
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
    // Without files, there is nothing to try.
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
