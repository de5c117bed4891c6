/** Gateways with keys at run time, over a store in a temporary file. */

import { KeyRegistry } from "../../src/governance/keys/key_registry.ts";
import type { KeySet, KeyStore } from "../../src/governance/keys/key_store.ts";
import { SqliteKeyStore } from "../../src/governance/keys/sqlite_key_store.ts";
import { StoredKeyring } from "../../src/governance/keys/stored_keyring.ts";
import type { Config } from "../../src/config/config.ts";
import { newId, randomBytes } from "../../src/core/ids.ts";
import { systemClock } from "../../src/core/clock.ts";
import { ManualClock } from "./manual_clock.ts";
import { createGatewayOn, loadTestConfig, type TestGateway } from "./gateway.ts";

export const ADMIN_KEY = "sk-admin-secret";
const MOCK = { mock: { kind: "mock", models: ["mock-echo", "other"] } };

/** A replica of a gateway with keys at run time. */
export interface Replica extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly clock: ManualClock;
  readonly registry: KeyRegistry;
  /** Messages for the operator. */
  readonly messages: string[];
  /** Loads another configuration. */
  reload(config: Record<string, unknown>): void;
  /** Calls an admin route. */
  admin(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<
    { status: number; body: Record<string, unknown> & { error?: { [name: string]: string } } }
  >;
  /** The status of a chat request with this key. */
  ask(key: string, model?: string): Promise<number>;
}

export interface ReplicaOptions {
  readonly store: KeyStore;
  readonly server?: Record<string, unknown>;
  readonly config?: Record<string, unknown>;
}

/** Opens a store in a file. */
export function openKeyFile(path: string): SqliteKeyStore {
  return new SqliteKeyStore(path, () => "pepper-of-the-store", systemClock);
}

export async function startReplica(
  { store, server = {}, config = {} }: ReplicaOptions,
): Promise<Replica> {
  const clock = new ManualClock();
  const messages: string[] = [];
  const load = (more: Record<string, unknown>): Config =>
    loadTestConfig({
      providers: MOCK,
      ...config,
      ...more,
      server: {
        admin_keys: [{ name: "ops", key: ADMIN_KEY }],
        ...server,
        ...more.server as object,
      },
    });
  let loaded = load({});
  let current = loaded;
  const keyring = new StoredKeyring();
  const addKeys = () => current = keyring.addTo(loaded);
  const registry = new KeyRegistry({
    ...{ store, clock, newId, randomBytes },
    config: () => loaded,
    publish(changes: KeySet) {
      keyring.apply(changes);
      addKeys();
      return Promise.resolve();
    },
    log: (text) => messages.push(text),
    reasonOf: (thrown) => thrown instanceof Error ? thrown.message : String(thrown),
  });
  await registry.start();
  const gateway = createGatewayOn(clock, {
    config: {},
    live: {
      get current() {
        return current;
      },
      stale: undefined,
    },
    runKeyCall: (call) => registry.run(call),
  });
  return {
    gateway,
    clock,
    registry,
    messages,
    reload(more) {
      loaded = load(more);
      addKeys();
    },
    async admin(method, path, body, headers = {}) {
      const response = await gateway.app.handle(
        new Request(`http://gateway.test${path}`, {
          method,
          headers: { authorization: `Bearer ${ADMIN_KEY}`, ...headers },
          ...(body !== undefined && {
            body: typeof body === "string" ? body : JSON.stringify(body),
          }),
        }),
      );
      return { status: response.status, body: await response.json() };
    },
    async ask(key, model = "mock-echo") {
      const body = { model, messages: [{ role: "user", content: "Hi" }] };
      const headers = { authorization: `Bearer ${key}` };
      const response = await gateway.call("/v1/chat/completions", body, headers);
      await response.body?.cancel();
      return response.status;
    },
    [Symbol.asyncDispose]: () => registry.close(),
  };
}

/** Runs with the path of a store in a temporary folder, which is removed afterwards. */
export async function withKeyFile(run: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "sluice-" });
  try {
    await run(`${directory}/keys.db`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
