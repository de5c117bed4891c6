/**
 * Loaded into a Sluice that is soaked, before its own main module: collects all
 * garbage when it is asked over a port of its own, and tells what lives. The
 * inspector could do it too, but the runtime splits each answer of `fetch` in
 * two for it, and a stream that its caller leaves is then never closed.
 */

/** The environment variable that holds the port. */
export const PROBE_PORT = "BENCH_PROBE_PORT";

/** What the probe tells, in bytes, garbage aside. */
export interface HeapUsage {
  /** Objects of JavaScript. */
  readonly heapUsed: number;
}

const { gc } = globalThis as { gc?: () => void };
const port = Deno.env.get(PROBE_PORT);

// This module is also imported for its types and names alone.
if (gc !== undefined && port !== undefined) {
  const respond = () => {
    gc();
    return Response.json(Deno.memoryUsage(), { headers: { connection: "close" } });
  };
  // The main module begins when nothing of this one is waited for any more.
  Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen: () => {} }, respond).unref();
}
