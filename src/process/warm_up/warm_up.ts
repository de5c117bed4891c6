/**
 * Sends requests through a gateway inside of the process before callers need it, so that the engine
 * compiles the code of their requests. Without it, the first thousand requests take three times the
 * processor time of later ones, with it about twice (32 connections, measured 2026-11-26).
 */

import process from "node:process";
import { SystemClock, TimeSlice } from "../../core/clock.ts";
import type { ReadLoad } from "../memory/idle_memory.ts";
import { createWarmUpGateway, type WarmUpGateway } from "./gateway.ts";

/** The processor time of this thread that it takes, in milliseconds. */
const BUDGET_MS = 500;
/** How long it waits while requests of callers are open. */
const PAUSE_MS = 50;
/** After this time, it gives up: the callers have left no pauses. */
const MAX_MS = 30_000;
/** After this number of requests of callers, the code is warm. */
const ENOUGH_REQUESTS = 1000;

const TEXT = "Say hello to the world, please.";
const INSTRUCTIONS = "You are a helpful assistant.";
const USER = { role: "user", content: TEXT };

/** Requests as most callers send them, in the share that each format has. */
const SAMPLES: readonly { readonly path: string; readonly body: object }[] = [
  ...[false, false, true].map((stream) => ({
    path: "/v1/chat/completions",
    body: {
      messages: [{ role: "system", content: INSTRUCTIONS }, USER],
      temperature: 0.5,
      max_tokens: 100,
      stream,
    },
  })),
  ...[false, true].map((stream) => ({
    path: "/v1/messages",
    body: { system: INSTRUCTIONS, messages: [USER], max_tokens: 100, stream },
  })),
  ...[false, true].map((stream) => ({
    path: "/v1/responses",
    body: { instructions: INSTRUCTIONS, input: TEXT, store: false, stream },
  })),
];

/** What {@linkcode warmUp} needs. */
export interface WarmUpOptions {
  /** The kinds of the providers in use. */
  readonly kinds: readonly string[];
  /** Reads the requests of callers. */
  readonly load: ReadLoad;
}

/** Warms this thread in the pauses between the requests of callers. */
export async function warmUp({ kinds, load }: WarmUpOptions): Promise<void> {
  if (kinds.length === 0) return;
  const first = load().requests;
  const clock = new SystemClock();
  try {
    const slice = new TimeSlice();
    const gateway = createWarmUpGateway(kinds, clock);
    const requests = repeat(listRequests(gateway));
    const began = clock.now();
    const end = cpuMs() + BUDGET_MS;
    const isDone = () =>
      cpuMs() >= end || load().requests - first >= ENOUGH_REQUESTS || clock.now() - began >= MAX_MS;
    while (!isDone()) {
      if (load().inFlight > 0) {
        await new Promise<void>((resolve) => void clock.after(PAUSE_MS, resolve));
        continue;
      }
      while (!slice.isOver) {
        const response = await gateway.app.handle(requests.next().value());
        await response.bytes();
      }
      await slice.next();
    }
    await gateway.app.drain();
  } finally {
    clock.close();
  }
}

/**
 * Functions that create the requests of one round: each sample for each model. Exported for tests.
 */
export function listRequests({ models, toRequest }: WarmUpGateway): (() => Request)[] {
  return models.flatMap((model) =>
    SAMPLES.map(({ path, body }) => {
      const text = JSON.stringify({ model, ...body });
      return () => toRequest(path, text);
    })
  );
}

/** The processor time of this thread so far, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function* repeat<Item>(items: readonly Item[]): Generator<Item, never> {
  while (true) yield* items;
}
