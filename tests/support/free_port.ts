/**
 * Below the ephemeral ports, so that no other socket takes the port between the check and the start
 * of its server, or while the server restarts.
 */
const FIRST = 10_000;
const LAST = 32_767;

/** A free port of the loopback interface for a server that cannot choose one itself. */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AddrInUse)) throw thrown;
    }
  }
}
