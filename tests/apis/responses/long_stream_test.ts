/** A converted stream repeats its answer at the end, so the length of the answer is limited. */

import { assert, assertEquals } from "@std/assert";
import { createTestGateway } from "../../support/gateway.ts";
import { CHUNKS, ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const PIECE = "x".repeat(1_000_000);

/** The text of a stream whose vendor sends this many pieces of a megabyte. */
async function stream(pieces: number): Promise<string> {
  const delta = (members: object, finish_reason: string | null = null) => ({
    ...CHUNKS[0],
    choices: [{ index: 0, delta: members, finish_reason }],
  });
  const vendor = new ScriptedVendor(() =>
    toEventStream([...Array(pieces).fill(delta({ content: PIECE })), delta({}, "stop")])
  );
  const chat = { kind: "openai_compatible", base_url: "http://chat.test/v1", models: ["m"] };
  const gateway = createTestGateway({ config: { providers: { chat } }, fetch: vendor.fetch });
  // An answer that is stored would be written, in steps, after its stream has ended.
  const request = { model: "m", input: "Hi", stream: true, store: false };
  const answer = await gateway.call("/v1/responses", request);
  const text = await answer.text();
  assertEquals(gateway.bugs, []);
  return text;
}

Deno.test("a stream of up to 8 MiB is complete, a longer one fails with an event", async () => {
  const whole = await stream(8);
  assert(whole.includes("event: response.completed\n"));
  const long = await stream(9);
  assert(!long.includes("event: response.completed\n"));
  assert(long.includes("event: response.failed\n"));
  assert(long.includes("too long to be streamed"));
  assert(long.length < 30_000_000);
});
