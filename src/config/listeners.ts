/** The listeners of the gateway: their addresses, certificates and routes. */

import * as z from "zod";
import { isLoopback } from "../core/loopback.ts";
import { hostName, integer } from "./values.ts";
import { withCheck } from "../core/validation_messages.ts";

/** The parts of the gateway that a listener can serve, besides the health routes. */
export const LISTENER_PARTS = ["api", "admin", "metrics", "console"] as const;

/** A part of the gateway. */
export type ListenerPart = typeof LISTENER_PARTS[number];

/** The parts and host names that a listener serves. Plain data that can be sent to workers. */
export interface ListenerRules {
  readonly serves: ReadonlySet<ListenerPart>;
  /** Names in the `Host` header, besides IP addresses and loopback names; `server.hosts` if undefined. */
  readonly hosts: ReadonlySet<string> | undefined;
  /** The configured host name of the listener, which is also accepted. */
  readonly host: string | undefined;
  /** Whether only this machine can connect through the network. */
  readonly isLocal: boolean;
}

/** The files with a certificate chain and its private key, in PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A listener besides the main one. */
export interface ListenerSettings {
  readonly address:
    | { readonly hostname: string; readonly port: number }
    | { readonly path: string; readonly mode: number };
  readonly tls: TlsFiles | undefined;
  /** Whether it supports clients that the runtime's server rejects. */
  readonly compatible: boolean;
  readonly rules: ListenerRules;
}

const DEFAULT_SOCKET_MODE = "0660";

const file = (description: string) => z.string().min(1).describe(description);

/** Other servers' names for client certificate settings. */
const CLIENT_CERTIFICATES = /^(?:ca|ca_.*|.*client.*|.*verify.*)$/;
/** The runtime's server cannot request client certificates (Deno 2.9.6). */
const NO_CLIENT_CERTIFICATES =
  "is not possible: the gateway does not request client certificates; a proxy such as nginx can";

/** The schema of `server.tls`. */
export const tls = z.strictObject({
  cert: file("File with the certificate and its chain, in PEM"),
  key: file("File with the private key, in PEM"),
}, {
  error: (issue) =>
    issue.code === "unrecognized_keys" && issue.keys.every((key) => CLIENT_CERTIFICATES.test(key))
      ? issue.keys.map(() => NO_CLIENT_CERTIFICATES).join("\n")
      : undefined,
});

/** The schema of `server.serves`. */
export const serves = z.array(z.enum(LISTENER_PARTS)).min(1).optional()
  .describe(
    "Parts that this listener serves: 'api' with service keys, 'admin', 'metrics', 'console'; " +
      "all if omitted. Other routes return status 404; health routes are always served",
  );

/** The schema of an entry of `server.listeners`. */
export const listener = withCheck(
  z.strictObject({
    host: z.string().min(1).optional().describe("IP address or host name to listen on"),
    port: integer("Port to listen on; 0 selects a free port", 0, 65535).optional(),
    path: z.string().min(1).optional()
      .describe("Unix socket to listen on, instead of 'host' and 'port'"),
    mode: z.string().regex(/^0?[0-7]{3}$/, { error: "must be a file mode such as '0660'" })
      .default(DEFAULT_SOCKET_MODE).describe("File mode of the Unix socket"),
    tls: tls.optional().describe("Serve TLS; the files are read again when they change"),
    compatible: z.boolean().default(false).describe(
      "Support Java's HTTP client with its default settings: it requests an upgrade to HTTP/2, " +
        "which other listeners reject with an empty 400; requests take slightly more CPU time",
    ),
    serves,
    hosts: z.array(hostName).optional()
      .describe("Host names that clients of this listener use; 'server.hosts' if omitted"),
  }),
  function* ({ host, port, path, tls: files, compatible }) {
    const at = (member: string, message: string) => ({ path: [member], message });
    if (path === undefined && port === undefined) {
      yield { message: "needs 'port', or 'path' for a Unix socket" };
    }
    if (compatible === true && files !== undefined) {
      yield at("compatible", "excludes 'tls': over TLS, clients do not request an upgrade");
    }
    if (path === undefined) return;
    if (port !== undefined) yield at("port", "excludes 'path'");
    if (host !== undefined) yield at("host", "excludes 'path'");
    if (files !== undefined) yield at("tls", "excludes 'path': a Unix socket has no TLS");
  },
);

const DEFAULT_HOST = "127.0.0.1";

/** The settings of an entry of `server.listeners`. */
export function toListenerSettings(
  { host = DEFAULT_HOST, port, path, mode, tls: files, compatible, serves: parts, hosts }: z.infer<
    typeof listener
  >,
): ListenerSettings {
  const address = path === undefined
    ? { hostname: host, port: port ?? 0 }
    : { path, mode: parseInt(mode, 8) };
  return {
    address,
    tls: files,
    compatible,
    rules: {
      serves: new Set(parts ?? LISTENER_PARTS),
      hosts: hosts && new Set(hosts),
      ...("path" in address
        ? { host: undefined, isLocal: false }
        : { host: address.hostname, isLocal: isLoopback(address.hostname) }),
    },
  };
}

/**
 * The host of the first listener through which other machines can reach the API; undefined if there
 * is none.
 *
 * @param host the host name or IP address of the main listener
 */
export function reachableHost(
  { serves, listeners }: {
    readonly serves: ReadonlySet<ListenerPart>;
    readonly listeners: readonly ListenerSettings[];
  },
  host: string,
): string | undefined {
  if (serves.has("api") && !isLoopback(host)) return host;
  return listeners.flatMap(({ address, rules }) =>
    "path" in address || rules.isLocal || !rules.serves.has("api") ? [] : [address.hostname]
  )[0];
}
