/**
 * Loaded before the product: its workers answer as ever, but one that is asked
 * for `/die` ends of an error that nobody has seen coming.
 */

import { attend, type WorkerScope } from "../../src/process/worker.ts";

function becomeFrail(): void {
  const { serve } = Deno;
  const frail = (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler<Deno.NetAddr>) =>
    serve(options, (request, info) => {
      if (request.url.endsWith("/die")) void Promise.reject(new RangeError("sk-secret"));
      return handler(request, info);
    });
  Object.assign(Deno, { serve: frail });
  attend(globalThis as unknown as WorkerScope);
}

class FrailWorker extends Worker {
  constructor(_: string | URL, options: WorkerOptions) {
    super(import.meta.url, options);
  }
}

if ("DedicatedWorkerGlobalScope" in globalThis) becomeFrail();
else Object.assign(globalThis, { Worker: FrailWorker });
