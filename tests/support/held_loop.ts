/** Measures for how long a request holds the event loop. */

import { threadCpuMs } from "./thread_cpu.ts";

/** CPU time, so that other processes do not matter; many times what it should be. */
export const MAX_HELD_CPU_MS = 500;
const PACKET_BYTES = 64 * 1024;

/** A body that arrives as fast as it is read. */
export function streamed(
  bytes: Uint8Array<ArrayBuffer>,
  packetBytes = PACKET_BYTES,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += packetBytes));
    },
  });
}

/** The most CPU time between two ticks of a timer while something runs. */
export async function heldCpuMs(run: () => Promise<void>): Promise<number> {
  let most = 0;
  let last = threadCpuMs();
  const tick = () => {
    const now = threadCpuMs();
    most = Math.max(most, now - last);
    last = now;
  };
  const ticking = setInterval(tick, 1);
  await run();
  tick();
  clearInterval(ticking);
  return most;
}
