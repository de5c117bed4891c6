/**
 * Loaded before the product: it answers as ever, but a thread that is asked for
 * `/die` ends of an error that nobody catches, and for `/reject` a promise is
 * rejected that nobody waits for.
 */

import { findServeConnection, type ServeConnection } from "../../src/process/runtime_server.ts";
import { attend, type WorkerScope } from "../../src/process/worker.ts";

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
      if (request.url.endsWith("/reject")) void Promise.reject(new RangeError("\u001b[31mred"));
      return handler(request);
    };
    return serve(connection, signal, handle, ...others);
  };
  Object.assign(Reflect.get(Deno, Reflect.get(Deno, "internal")), {
    serveHttpOnConnection: frail,
  });
}

class FrailWorker extends Worker {
  constructor(_: string | URL, options: WorkerOptions) {
    super(import.meta.url, options);
  }
}

becomeFrail();
if ("DedicatedWorkerGlobalScope" in globalThis) attend(globalThis as unknown as WorkerScope);
else Object.assign(globalThis, { Worker: FrailWorker });
