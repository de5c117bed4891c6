/** How long one request holds up the others, and what memory it takes. */

import { cpuOf } from "../bench/process_books.ts";
import { call, type CallOptions } from "./caller.ts";
import type { GatewayProcess } from "./gateway_process.ts";
import type { Pinger } from "./pinger.ts";
import { resetPeak, residentOf } from "./process_limits.ts";
import type { Trial } from "./trial.ts";

/** A gateway and what asks for its health. */
export interface Watched {
  readonly gateway: GatewayProcess;
  readonly pinger: Pinger;
}

/** What one request did, in milliseconds and bytes. */
export interface Held {
  /** 0 when there was no answer in time. */
  readonly status: number;
  readonly ms: number;
  /**
   * The longest that somebody else waited, or the CPU time that the gateway took if that is less:
   * then it was the machine that made them wait.
   */
  readonly gap: number;
  /** Resident memory at the peak over that before. */
  readonly memory: number;
}

/** Peak memory over that before the request: a factor of its size, and what V8 rounds up. */
const MAX_MEMORY_FACTOR = 8;
const MEMORY_SLACK = 48 * 2 ** 20;

/** Whether a request or an answer of this size took no more memory than it may. */
export function isWithinMemory({ memory }: Held, size: number): boolean {
  return memory <= MAX_MEMORY_FACTOR * size + MEMORY_SLACK;
}

/** A request must be answered within this. */
export const MAX_ANSWER_MS = 4000;
/** The most that the event loop may be held. CI machines have other work, which adds to it. */
const MAX_GAP_MS = 100;
const MAX_GAP_SHORT_MS = 150;
/** A busy machine makes gaps now and then; the gateway's own come every time. */
const ATTEMPTS = 5;
const NOISE_MS = 600;

export function maxGapOf({ short }: Trial): number {
  return short ? MAX_GAP_SHORT_MS : MAX_GAP_MS;
}

/** Starts a gateway, and asks for its health all the time. */
export async function watch(
  trial: Trial,
  options: Parameters<Trial["start"]>[0],
): Promise<Watched> {
  const gateway = await trial.start(options);
  return { gateway, pinger: trial.ping(gateway) };
}

/** Sends a request until one attempt is within `maxGap`: the least gap, and the most memory. */
export async function measure(
  { gateway, pinger }: Watched,
  body: unknown,
  maxGap: number,
  options: CallOptions = {},
): Promise<Held> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  let held: Held = { status: 0, ms: Infinity, gap: Infinity, memory: 0 };
  for (let attempt = 0; attempt < ATTEMPTS && held.gap > maxGap; attempt++) {
    resetPeak(gateway.pid);
    await pinger.read();
    const before = residentOf(gateway.pid).now;
    const busy = cpuOf(gateway.pid) ?? 0;
    const { status, ms } = await call(gateway.port, text, { patience: MAX_ANSWER_MS, ...options });
    const memory = residentOf(gateway.pid).peak - before;
    const { longest } = await pinger.read();
    const used = (cpuOf(gateway.pid) ?? Infinity) - busy;
    held = {
      status,
      ms: Math.min(held.ms, ms),
      gap: Math.min(held.gap, longest, used),
      memory: Math.max(held.memory, memory),
    };
    if (!copes(held)) break;
  }
  return held;
}

/** Whether the gateway is fit for another request; what is slower than this is no noise. */
export function copes({ status, gap }: Held): boolean {
  return status !== 0 && gap <= NOISE_MS;
}
