/**
 * Loaded before the product: its workers answer as ever, but one that is asked
 * for `/die` ends of an error that nobody catches.
 */

import { findServeConnection, type ServeConnection } from "../../src/runtime_server.ts";
import { attend, type WorkerScope } from "../../src/worker.ts";

function becomeFrail(): void {
  const serve = findServeConnection(Deno);
  if (serve === undefined) throw new TypeError("The runtime serves no single connection");
  const frail: ServeConnection = (connection, signal, handler, ...others) => {
    const handle = (request: Request) => {
      if (request.url.endsWith("/die")) {
        queueMicrotask(() => {
          throw new RangeError("sk-secret");
        });
      }
      return handler(request);
    };
    return serve(connection, signal, handle, ...others);
  };
  Object.assign(Reflect.get(Deno, Reflect.get(Deno, "internal")), {
    serveHttpOnConnection: frail,
  });
  attend(globalThis as unknown as WorkerScope);
}

class FrailWorker extends Worker {
  constructor(_: string | URL, options: WorkerOptions) {
    super(import.meta.url, options);
  }
}

if ("DedicatedWorkerGlobalScope" in globalThis) becomeFrail();
else Object.assign(globalThis, { Worker: FrailWorker });
