/**
 * One connection to a Valkey or Redis server. This module is loaded only if a store is configured.
 */

import { Redis } from "iovalkey";
import { messageOf } from "../../core/errors.ts";
import { random } from "../../core/ids.ts";
import type { ScriptClient, StoreArgument } from "./connection.ts";

/** The address of a server. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A Valkey or Redis server: a single server, the primary of several, or a cluster's first node. */
export interface StoreServer extends Address {
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The database number. */
  readonly database: number;
  /** Cluster nodes for discovery. */
  readonly cluster?: readonly Address[];
  /**
   * The sentinels that report the current primary. The server's address is that of the first
   * sentinel.
   */
  readonly sentinel?: SentinelRules;
}

/** The sentinels for a primary, which have their own login. They use TLS if the servers do. */
export interface SentinelRules {
  readonly nodes: readonly Address[];
  /** The name of the primary. */
  readonly name: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** The default reason why a connection ended. */
const CLOSED = "the server closed the connection";

/** The time limit for closing a connection, in milliseconds. */
const DISCONNECT_MS = 100;

/** An open connection to one server. Strings in replies are byte arrays. */
export interface ServerConnection {
  call(command: string, ...args: readonly StoreArgument[]): Promise<unknown>;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  close(): void;
}

/**
 * Connects, authenticates and loads the scripts. An abort closes the connection.
 *
 * Strings in replies are byte arrays. The caller asserts that the replies have this type.
 *
 * @throws {Error} with the reason, which contains no credentials.
 */
export async function openClient<Script extends string, Reply>(
  server: StoreServer,
  scripts: Readonly<Record<Script, string>>,
  signal: AbortSignal,
): Promise<ScriptClient<Script, StoreArgument, Reply>> {
  const connection = await connect(server, signal);
  const { ended, close } = connection;
  try {
    const hashes = await loadScripts(connection, scripts);
    return {
      ended,
      close,
      run: async (script, keys, args) =>
        await connection.call("EVALSHA", hashes[script], keys.length, ...keys, ...args) as Reply,
    };
  } catch (thrown) {
    close();
    const reason = await ended;
    // If the login was rejected, that is why the server rejects the scripts.
    throw reason === CLOSED ? thrown : new Error(reason);
  }
}

/**
 * Connects and authenticates. An abort closes the connection.
 *
 * @throws {Error} with the reason, which contains no credentials.
 */
export async function connect(
  { host, port, tls, username, password, database, sentinel }: StoreServer,
  signal: AbortSignal,
): Promise<ServerConnection> {
  const client = new Redis({
    ...(sentinel === undefined ? { host, port } : toSentinelOptions(sentinel, tls)),
    db: database,
    ...(tls && { tls: {} }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    connectionName: "sluice",
    lazyConnect: true,
    // The caller of this function decides when to connect again; the client queues nothing.
    retryStrategy: () => null,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // The signal ends an attempt to connect.
    connectTimeout: 0,
    disconnectTimeout: DISCONNECT_MS,
  });
  let failure: string | undefined;
  client.on("error", (thrown) => failure ??= messageOf(thrown));
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  client.once("end", () => resolve(failure ?? CLOSED));
  // Disconnecting a closed client would start a timer.
  const close = () => void (client.status !== "end" && client.disconnect());
  signal.addEventListener("abort", close, { once: true });
  try {
    await client.connect();
    return { ended, close, call: (command, ...args) => client.callBuffer(command, ...args) };
  } catch (thrown) {
    close();
    await ended;
    throw new Error(failure ?? messageOf(thrown));
  } finally {
    signal.removeEventListener("abort", close);
  }
}

/** The options with which the client queries each sentinel once. */
function toSentinelOptions({ nodes, name, username, password }: SentinelRules, tls: boolean) {
  // The next attempt begins with another sentinel, so that one that hangs does not block the
  // others.
  const first = Math.floor(random() * nodes.length);
  return {
    sentinels: [...nodes.slice(first), ...nodes.slice(0, first)].map((node) => ({ ...node })),
    name,
    role: "master" as const,
    ...(username !== undefined && { sentinelUsername: username }),
    ...(password !== undefined && { sentinelPassword: password }),
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinelRetryStrategy: () => null,
  };
}

/** Loads scripts into a server. Returns their hashes. */
export async function loadScripts<Script extends string>(
  { call }: Pick<ServerConnection, "call">,
  scripts: Readonly<Record<Script, string>>,
): Promise<Readonly<Record<Script, string>>> {
  const names = Object.keys(scripts) as Script[];
  const hashes = await Promise.all(names.map((name) => call("SCRIPT", "LOAD", scripts[name])));
  return Object.fromEntries(names.map((name, index) => [name, String(hashes[index])])) as Record<
    Script,
    string
  >;
}
