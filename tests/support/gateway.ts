/** A whole gateway without a port: an app over an injected vendor. */

import { type App, createApp } from "../../src/app.ts";
import { createAccessLog } from "../../src/access_log.ts";
import { type Config, loadConfig } from "../../src/config.ts";
import { GoogleTokens } from "../../src/google_tokens.ts";
import { adapters } from "../../src/providers/registry.ts";
import { RepairBook } from "../../src/repairs.ts";
import type { Fetch } from "../../src/upstream.ts";
import { ManualClock } from "./manual_clock.ts";

export const SERVICE_KEY = "sk-test-service-key";
export const VENDOR_KEY = "sk-test-vendor-key";

export interface TestGateway {
  readonly app: App;
  readonly config: Config;
  readonly clock: ManualClock;
  /** The lines of the access log, parsed. */
  readonly lines: Record<string, unknown>[];
  readonly bugs: unknown[];
  /** Sends a request with the service key; a body makes it a POST. */
  call(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

export interface TestOptions {
  /** The configuration without its service key, as an object. */
  readonly config: Record<string, unknown>;
  readonly fetch?: Fetch;
  readonly env?: Record<string, string>;
}

/** Ids count up and time stands still, so that answers can be compared. */
export function createTestGateway({ config, fetch, env = {} }: TestOptions): TestGateway {
  const clock = new ManualClock();
  const loaded = loadTestConfig(config, env);
  const lines: Record<string, unknown>[] = [];
  const bugs: unknown[] = [];
  const app = createApp({
    config: () => loaded,
    log: createAccessLog((line) => lines.push(JSON.parse(line)), false),
    deps: {
      fetch: fetch ?? (() => Promise.reject(new TypeError("No vendor in this test"))),
      clock,
      newId: countedIds(),
      repairs: new RepairBook(),
      tokens: new GoogleTokens((path) => Deno.readTextFileSync(path)),
    },
    onBug: (thrown) => bugs.push(thrown),
  });
  return {
    app,
    config: loaded,
    clock,
    lines,
    bugs,
    call: (path, body, headers = {}) =>
      app.handle(
        new Request(`http://gateway.test${path}`, {
          method: body === undefined ? "GET" : "POST",
          headers: { authorization: `Bearer ${SERVICE_KEY}`, ...headers },
          ...(body === undefined
            ? {}
            : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        }),
      ),
  };
}

export function loadTestConfig(
  config: Record<string, unknown>,
  env: Record<string, string> = {},
): Config {
  const server = { keys: [{ name: "test", key: SERVICE_KEY }], ...config.server as object };
  return loadConfig(JSON.stringify({ ...config, server }), {
    source: "test",
    env: (name) => new Map(Object.entries(env)).get(name),
    adapters,
    readFile: (path) => Deno.readTextFileSync(path),
    now: () => 1_700_000_000_000,
    newKey: () => "sk-sluice-generated",
  });
}

export function countedIds(): (prefix: string) => string {
  let count = 0;
  return (prefix) => `${prefix}${++count}`;
}
