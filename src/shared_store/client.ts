/** One connection to a Valkey or Redis server. This module is loaded only if a store is configured. */

import { Redis } from "iovalkey";
import { messageOf } from "../core/errors.ts";
import type { ScriptClient, StoreArgument } from "./connection.ts";

/** A Valkey or Redis server. */
export interface StoreServer {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The number of the database. */
  readonly database: number;
}

/** How long a connection that is being closed may take, in milliseconds. */
const DISCONNECT_MS = 100;

/**
 * Connects, authenticates and loads the scripts. An abort closes the connection.
 *
 * Strings in replies are byte arrays. That the replies have this type is the caller's assertion.
 *
 * @throws {Error} with the reason, which contains no credentials.
 */
export async function openClient<Script extends string, Reply>(
  { host, port, tls, username, password, database }: StoreServer,
  scripts: Readonly<Record<Script, string>>,
  signal: AbortSignal,
): Promise<ScriptClient<Script, StoreArgument, Reply>> {
  const client = new Redis({
    host,
    port,
    db: database,
    ...(tls && { tls: {} }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    connectionName: "sluice",
    lazyConnect: true,
    // The caller of this function decides when to connect again; nothing waits in the client.
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
  client.once("end", () => resolve(failure ?? "the server closed the connection"));
  // To disconnect what has ended would start a timer.
  const close = () => void (client.status !== "end" && client.disconnect());
  signal.addEventListener("abort", close, { once: true });
  try {
    await client.connect();
    const hashes = await loadScripts(client, scripts);
    return {
      ended,
      close,
      run: async (script, keys, args) =>
        await client.callBuffer(
          "EVALSHA",
          hashes[script],
          keys.length,
          ...keys,
          ...args,
        ) as Reply,
    };
  } catch (thrown) {
    close();
    await ended;
    throw new Error(failure ?? messageOf(thrown));
  } finally {
    signal.removeEventListener("abort", close);
  }
}

async function loadScripts<Script extends string>(
  client: Redis,
  scripts: Readonly<Record<Script, string>>,
): Promise<Readonly<Record<Script, string>>> {
  const names = Object.keys(scripts) as Script[];
  const hashes = await Promise.all(names.map((name) => client.script("LOAD", scripts[name])));
  return Object.fromEntries(names.map((name, index) => [name, String(hashes[index])])) as Record<
    Script,
    string
  >;
}
