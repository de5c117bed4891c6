/** The settings of the store that replicas share. */

import * as z from "zod";
import type { StoreServer } from "../shared_store/client.ts";

/** What happens to requests while the store fails. */
const FAILURE_POLICIES = ["allow", "local", "deny"] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

/** What replicas share in the store. */
const SHARED = ["limits", "breakers"] as const;
/** `breakers` includes the suspended keys of providers. */
export type Shared = (typeof SHARED)[number];

/** A Valkey or Redis server, and what to do without it. */
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

/** The schema of `shared_store`. A message never quotes the URL, which may contain a password. */
export const sharedStoreUrl = z.string().refine((text) => readServer(text) !== undefined, {
  error:
    "must be the URL of a Valkey or Redis server, such as 'redis://host:6379' or 'rediss://user:password@host:6379/0'",
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
  const identity = ({ host, port, tls, username, password, database }: SharedStoreRules) =>
    JSON.stringify([host, port, tls, username, password, database]);
  return (one && identity(one)) === (other && identity(other));
}

/** Reads the URL of a server; undefined for anything else. */
function readServer(text: string): StoreServer | undefined {
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
