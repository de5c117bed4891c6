/** Every stream below tests/fixtures, cut wherever a network may cut it. */

import { assertEquals } from "@std/assert";
import { readFixtures } from "./support/fixtures.ts";
import { fold, prepared } from "./support/folding.ts";

/** Streams up to this many bytes are cut at each of them. */
const CUT_EVERYWHERE = 8192;
const SEEDED_CUTS = 200;

for (const fixture of readFixtures()) {
  if (fixture.upstream.type !== "stream") continue;
  const { bytes } = fixture.upstream;

  Deno.test(`${fixture.vendor}/${fixture.name}: any cut of the bytes gives the same events`, () => {
    // Thousands of cuts follow: nothing is prepared twice, and only text is compared.
    const one = prepared(fixture);
    const { request } = one.call;
    const before = structuredClone(request);
    const whole = fold(one, [bytes]);
    assertEquals(fold(one, Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
    for (const cut of cutsOf(bytes)) {
      const events = fold(one, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      if (events !== whole) assertEquals(events, whole, `cut at ${cut}`);
    }
    assertEquals(request, before, "a stream has changed its request");
  });
}

function cutsOf(bytes: Uint8Array): number[] {
  if (bytes.length <= CUT_EVERYWHERE) return Array.from(bytes, (_, index) => index + 1);
  // A linear congruential generator: the same cuts in every run.
  let seed = bytes.length;
  return Array.from({ length: SEEDED_CUTS }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % bytes.length;
  });
}
