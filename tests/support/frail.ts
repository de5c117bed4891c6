/**
 * Loaded before Sluice: requests to `/die` end a worker thread with an uncaught error, and requests
 * to `/reject` cause an unhandled rejection. Other requests are answered normally.
 */

import {
  findServeConnection,
  type ServeConnection,
} from "../../src/process/listener/runtime_server.ts";
import { runWorker, type WorkerScope } from "../../src/process/workers/worker.ts";

const isWorkerThread = "DedicatedWorkerGlobalScope" in globalThis;

function becomeFrail(): void {
  const serve = findServeConnection(Deno);
  if (serve === undefined) throw new TypeError("The runtime serves no single connection");
  const frail: ServeConnection = (connection, signal, handler, ...others) => {
    const handle = (request: Request) => {
      if (isWorkerThread && request.url.endsWith("/die")) {
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
if (isWorkerThread) runWorker(globalThis as unknown as WorkerScope);
else Object.assign(globalThis, { Worker: FrailWorker });
