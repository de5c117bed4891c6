/** The endpoints of a configuration, and their certificates while the gateway runs. */

import type { ServerSettings } from "../../config/server_settings.ts";
import type { Clock } from "../../core/clock.ts";
import { isLoopback } from "../../core/loopback.ts";
import { followFile } from "../config/reload.ts";
import { readIfPossible } from "../system/files.ts";
import { StartError } from "../system/startup_error.ts";
import { type Address, checkCertificate, type Endpoint } from "./endpoint.ts";

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
  /** Opens the endpoints with TLS again. Throws when one of them cannot be opened. */
  readonly renew: () => void;
  /** Writes a message for the operator. */
  readonly log: (text: string) => void;
}

/** The certificates of endpoints, as they were loaded. */
export class Certificates {
  readonly #files: readonly CertificateFiles[];

  private constructor(files: readonly CertificateFiles[]) {
    this.#files = files;
  }

  /** Reads the files before the endpoints are opened, so that no change is missed. */
  static async load(endpoints: readonly Endpoint[]): Promise<Certificates> {
    const withTls = endpoints.filter(({ tls }) => tls !== undefined);
    return new Certificates(
      await Promise.all(withTls.map(async (endpoint) => {
        const read = () => readBoth(endpoint);
        return { endpoint, read, loaded: await read() ?? "" };
      })),
    );
  }

  /**
   * Opens the endpoints again when their files have changed and can be used together. Until then the
   * previous certificate stays in use.
   *
   * @returns a function that stops it
   */
  follow({ clock, renew, log }: FollowOptions): () => void {
    const stops = this.#files.map(({ endpoint, read, loaded }) =>
      followFile({ loaded, read }, clock, () => {
        try {
          checkCertificate(endpoint);
          renew();
          log(`the new certificate ${endpoint.tls?.cert} is in use`);
        } catch (thrown) {
          if (!(thrown instanceof StartError)) throw thrown;
          log(`${thrown.message}; the previous certificate stays in use`);
        }
      })
    );
    return () => stops.forEach((stop) => stop());
  }
}

/** The files of one endpoint. */
interface CertificateFiles {
  readonly endpoint: Endpoint;
  readonly read: () => Promise<string | undefined>;
  readonly loaded: string;
}

async function readBoth({ tls }: Endpoint): Promise<string | undefined> {
  if (tls === undefined) return undefined;
  const texts = await Promise.all([readIfPossible(tls.cert), readIfPossible(tls.key)]);
  return texts.includes(undefined) ? undefined : texts.join("");
}
