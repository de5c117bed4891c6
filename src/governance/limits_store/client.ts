/** One connection to a Valkey or Redis server. This module is loaded only if a store is configured. */

import { Redis } from "iovalkey";
import type { LimitsStoreRules } from "../../config/limits_store.ts";
import type { StoreClient, StoreReply } from "./connection.ts";
import { type ScriptName, SCRIPTS } from "./scripts.ts";

/** How long a connection that is being closed may take, in milliseconds. */
const DISCONNECT_MS = 100;

/**
 * Connects, authenticates and loads the scripts. An abort closes the connection.
 *
 * @throws {Error} with the reason, which contains no credentials.
 */
export async function openClient(
  { host, port, tls, username, password, database }: LimitsStoreRules,
  signal: AbortSignal,
): Promise<StoreClient> {
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
  const close = () => client.disconnect();
  signal.addEventListener("abort", close, { once: true });
  try {
    await client.connect();
    const hashes = await loadScripts(client);
    return {
      ended,
      close,
      run: async (script, keys, args) =>
        await client.evalsha(hashes[script], keys.length, ...keys, ...args) as StoreReply,
    };
  } catch (thrown) {
    if (client.status !== "end") close();
    await ended;
    throw new Error(failure ?? messageOf(thrown));
  } finally {
    signal.removeEventListener("abort", close);
  }
}

async function loadScripts(client: Redis): Promise<Readonly<Record<ScriptName, string>>> {
  const names = Object.keys(SCRIPTS) as ScriptName[];
  const hashes = await Promise.all(names.map((name) => client.script("LOAD", SCRIPTS[name])));
  return Object.fromEntries(names.map((name, index) => [name, String(hashes[index])])) as Record<
    ScriptName,
    string
  >;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
