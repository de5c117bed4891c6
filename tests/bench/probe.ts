/**
 * Loaded before the main module of a Sluice process in a soak test. On a request to a separate port
 * it collects garbage and reports the live memory. The inspector is not used, because with it the
 * runtime tees each answer of `fetch`, and a stream is not closed when its caller disconnects.
 */

/** The environment variable with the port. */
export const PROBE_PORT = "BENCH_PROBE_PORT";

/** The reported memory in bytes, without garbage. */
export interface HeapUsage {
  /** JavaScript objects. */
  readonly heapUsed: number;
}

const { gc } = globalThis as { gc?: () => void };
const port = Deno.env.get(PROBE_PORT);

// This module is also imported only for its types and constants.
if (gc !== undefined && port !== undefined) {
  const respond = () => {
    gc();
    return Response.json(Deno.memoryUsage(), { headers: { connection: "close" } });
  };
  // The main module starts when this module has no pending top-level await.
  Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen: () => {} }, respond).unref();
}
