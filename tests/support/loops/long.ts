/** Reasoning state that comes back in the second turn, even in long IDs. */

import { assert, assertEquals } from "@std/assert";
import { REASONING_LOOPS, type ReasoningLoop } from "./reasoning.ts";
import { createLoopWorld, type LoopWorld } from "./world.ts";

/** Checks that the vendor has received its state back unchanged. */
export function checkReturned({ arrived }: LoopWorld, loop: ReasoningLoop): void {
  assertEquals(arrived.length, 2);
  const body = arrived.at(-1)?.body ?? {};
  assertEquals(withReadArguments(loop.found(body)), withReadArguments(loop.expected));
  assert(!JSON.stringify(body).includes("_sluice_"), "a vendor got an id of the gateway's");
}

/** A value with parsed call arguments, since clients may format the same JSON differently. */
function withReadArguments(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null), (name, inner) => {
    return name === "arguments" && typeof inner === "string" ? JSON.parse(inner) : inner;
  });
}

/** How long an id may be at most: as `server.reasoning_state.max_id_length` allows. */
const LONGEST = 16_384;

const [FIRST] = REASONING_LOOPS as readonly [ReasoningLoop];

/** A loop whose IDs are nearly as long as allowed. */
export function longLoop(): ReasoningLoop {
  return withSignature(FIRST, LONGEST * 3 / 4);
}

/** A gateway that keeps state only in IDs. */
export function createLongWorld(loop: ReasoningLoop): LoopWorld {
  return createLoopWorld(loop, loop.calls, {
    reasoning_state: { max_id_length: LONGEST, memory: 0 },
  });
}

function withSignature(loop: ReasoningLoop, length: number): ReasoningLoop {
  // Letters that compress poorly, the same in each run.
  let letters = "EqQBlong";
  for (let seed = 1; letters.length < length;) {
    seed = seed * 48_271 % 2_147_483_647;
    letters += seed.toString(36);
  }
  const text = JSON.stringify(loop.answer(loop.calls));
  const longer = text.replace("EqQBsig+/nature=", letters);
  return {
    ...loop,
    expected: JSON.parse(JSON.stringify(loop.expected).replace("EqQBsig+/nature=", letters)),
    answer: () => JSON.parse(longer),
    stream: (calls) => replaceIn(loop.stream(calls), "EqQBsig+/nature=", letters),
  };
}

function replaceIn(response: Response, from: string, to: string): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode((await response.text()).replace(from, to)));
      controller.close();
    },
  });
  return new Response(body, response);
}
