/** The settings of the store that replicas share. */

import * as z from "zod";
import type { Address, StoreServer } from "../memory/shared_store/client.ts";

/** What happens to requests while the store fails. */
const FAILURE_POLICIES = ["allow", "local", "deny"] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** What replicas share in the store. */
const SHARED = ["limits", "breakers"] as const;
/** `breakers` includes the suspended keys of providers. */
export type Shared = (typeof SHARED)[number];

/** A Valkey or Redis server, and the behavior while it fails. */
export interface SharedStoreRules extends StoreServer {
  readonly onFailure: FailurePolicy;
}

const DEFAULT_PORT = 6379;
const SCHEMES: ReadonlyMap<string, { readonly tls: boolean }> = new Map([
  ["redis:", { tls: false }],
  ["rediss:", { tls: true }],
  ["valkey:", { tls: false }],
  ["valkeys:", { tls: true }],
]);

/**
 * Several servers: the scheme, the user information, the hosts, and the sentinels' path and
 * parameters.
 */
const SEVERAL = /^(\w+):\/\/(?:(.*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const SENTINEL_PORT = 26379;
const SENTINEL_PARAMETERS = new Set(["sentinel_username", "sentinel_password"]);

/** The schema of `shared_store`. A message never quotes the URL, which may contain a password. */
export const sharedStoreUrl = z.string().refine((text) => readServer(text) !== undefined, {
  error:
    "must be the URL of a Valkey or Redis server, such as 'redis://host:6379' or 'rediss://user:password@host:6379/0', of a cluster, 'redis+cluster://a:6379,b:6379', or of sentinels, 'redis+sentinel://a:26379,b:26379/name'",
});

/** The schema of `on_store_failure`. */
export const onStoreFailure = z.enum(FAILURE_POLICIES).default("local");

/** The schema of `share`. */
export const share = z.array(z.enum(SHARED)).min(1).default(["limits"]);

/** Converts `shared_store` and `on_store_failure`. */
export function toSharedStoreRules(
  url: string | undefined,
  onFailure: FailurePolicy,
): SharedStoreRules | undefined {
  const server = url === undefined ? undefined : readServer(url);
  return server && { ...server, onFailure };
}

/** Whether two settings name the same server with the same credentials. */
export function isSameServer(
  one: SharedStoreRules | undefined,
  other: SharedStoreRules | undefined,
): boolean {
  const identity = ({ onFailure: _, ...server }: SharedStoreRules) => JSON.stringify(server);
  return (one && identity(one)) === (other && identity(other));
}

/** The name of a store in messages, without credentials. */
export function toServerName({ host, port, cluster, sentinel }: StoreServer): string {
  const nodes = cluster ?? sentinel?.nodes ?? [{ host, port }];
  const hosts = nodes.map((node) => `${node.host}:${node.port}`).join(",");
  return sentinel === undefined ? hosts : `${hosts}/${sentinel.name}`;
}

/** Reads the URL of a server, a cluster or sentinels; undefined for anything else. */
function readServer(text: string): StoreServer | undefined {
  const [, scheme = "", kind] = /^([a-z]+)\+(cluster|sentinel):/.exec(text) ?? [];
  if (kind === undefined) return readOne(text);
  const several = scheme + text.slice(text.indexOf(":"));
  return kind === "cluster" ? readCluster(several) : readSentinels(several);
}

function readCluster(text: string): StoreServer | undefined {
  const [, scheme, login, hosts, path = "", query] = SEVERAL.exec(text) ?? [];
  const [first, ...others] = readNodes(scheme, login, hosts, DEFAULT_PORT);
  // A cluster has only one database.
  if (first === undefined || !/^0?$/.test(path) || query !== undefined) return undefined;
  return { ...first, cluster: toAddresses([first, ...others]) };
}

function readSentinels(text: string): StoreServer | undefined {
  const [, scheme, login, hosts, path = "", query] = SEVERAL.exec(text) ?? [];
  const [first, ...others] = readNodes(scheme, login, hosts, SENTINEL_PORT);
  const [, encoded = "", database] = /^([^/]+)(?:\/(\d{0,5}))?$/.exec(path) ?? [];
  const name = decode(encoded);
  const parameters = new URLSearchParams(query);
  const isKnown = [...parameters.keys()].every((key) => SENTINEL_PARAMETERS.has(key));
  if (first === undefined || !name || !isKnown) return undefined;
  const [username, password] = [...SENTINEL_PARAMETERS].map((key) => parameters.get(key));
  return {
    ...first,
    database: Number(database ?? 0),
    sentinel: {
      nodes: toAddresses([first, ...others]),
      name,
      username: username || undefined,
      password: password || undefined,
    },
  };
}

/** The servers in a list of hosts, which share a login; none if one of them cannot be read. */
function readNodes(scheme = "", login = "", hosts = "", port: number): StoreServer[] {
  const servers = hosts.split(",").map((host) => {
    const url = `${scheme}://${login === "" ? "" : `${login}@`}${host}`;
    const server = readOne(url);
    return server && { ...server, port: URL.parse(url)?.port ? server.port : port };
  });
  return servers.every((server) => server !== undefined) ? servers : [];
}

function toAddresses(servers: readonly StoreServer[]): Address[] {
  return servers.map(({ host, port }) => ({ host, port }));
}

/** Reads the URL of one server. */
function readOne(text: string): StoreServer | undefined {
  const url = URL.parse(text);
  const scheme = SCHEMES.get(url?.protocol ?? "");
  if (!url || scheme === undefined || url.hostname === "" || url.search !== "" || url.hash !== "") {
    return undefined;
  }
  const database = /^\/?(\d{0,5})$/.exec(url.pathname)?.[1];
  const [username, password] = [decode(url.username), decode(url.password)];
  if (database === undefined || username === undefined || password === undefined) return undefined;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    ...scheme,
    username: username || undefined,
    password: password || undefined,
    database: Number(database),
  };
}

/** Decodes `%40`; undefined for text that is not encoded correctly. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * How the connection to a server is encrypted; the values have the same meaning as libpq's
 * `sslmode`.
 */
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

/** A PostgreSQL server and its login. */
export interface PostgresRules {
  readonly kind: "postgres";
  /**
   * The setting itself, used to detect changes. It contains the password, so it is never printed.
   */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly sslMode: SslMode;
  /** The path to the CA certificates that verify the server's certificate. */
  readonly rootCertificate: string | undefined;
}

/** The ledger's store. */
export type StoreRules =
  | { readonly kind: "sqlite"; readonly url: string; readonly path: string }
  | PostgresRules;

const POSTGRES_PORT = 5432;
const SQLITE = "sqlite:";
const POSTGRES = /^postgres(?:ql)?:\/\//;

/** The schema of `store`. No message repeats the URL, which contains a password. */
export const storeUrl = z.string().check(({ value, issues }) => {
  const message = storeError(value);
  if (message !== undefined) issues.push({ code: "custom", message, input: undefined });
});

/** Reads a URL that {@linkcode storeUrl} accepts. */
export function toStoreRules(text: string): StoreRules {
  if (text.startsWith(SQLITE)) {
    return { kind: "sqlite", url: text, path: text.slice(SQLITE.length) };
  }
  const { hostname, port, pathname, username, password, searchParams } = new URL(text);
  const user = decodeURIComponent(username);
  return {
    kind: "postgres",
    url: text,
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ""),
    port: port === "" ? POSTGRES_PORT : Number(port),
    database: decodeURIComponent(pathname.slice(1)) || user,
    user,
    password: decodeURIComponent(password),
    sslMode: (searchParams.get("sslmode") ?? "prefer") as SslMode,
    rootCertificate: searchParams.get("sslrootcert") ?? undefined,
  };
}

/** The name of a server in messages, without the password. */
export function toStoreName({ host, port, database }: PostgresRules): string {
  return `postgres://${host.includes(":") ? `[${host}]` : host}:${port}/${database}`;
}

/** The reason why a URL cannot be used. */
function storeError(text: string): string | undefined {
  if (text.startsWith(SQLITE)) {
    return text.length > SQLITE.length ? undefined : "must have a file path after 'sqlite:'";
  }
  if (!POSTGRES.test(text)) {
    return "must be 'sqlite:' and a file path, such as 'sqlite:./sluice.db', or the URL of " +
      "a PostgreSQL database, such as 'postgres://user:password@host/database'";
  }
  if (!URL.canParse(text) || !isDecodable(text)) {
    return "is not a valid URL: percent-encode the special characters in the user name and the " +
      "password";
  }
  const { hostname, username, searchParams } = new URL(text);
  if (hostname === "" || username === "") return "must name the user and the host";
  for (const [name, value] of searchParams) {
    if (name === "sslrootcert") continue;
    if (name !== "sslmode") return "has an unknown parameter; known are sslmode and sslrootcert";
    if (!(SSL_MODES as readonly string[]).includes(value)) {
      return `has an unknown sslmode; known are ${SSL_MODES.join(", ")}`;
    }
  }
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
