/** Every stream below tests/fixtures, cut wherever a network may cut it. */

import { assertEquals } from "@std/assert";
import { cutsOf } from "../support/cuts.ts";
import { readFixtures } from "../support/fixtures.ts";
import { fold, prepared, toValue } from "../support/folding.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

for (const fixture of readFixtures()) {
  if (fixture.upstream.type !== "stream") continue;
  const { bytes } = fixture.upstream;

  Deno.test(`${fixture.vendor}/${fixture.name}: the events are the same wherever the bytes are split`, () => {
    // Thousands of cuts follow: nothing is prepared twice, and only text is compared.
    const one = prepared(fixture);
    const { request } = one.call;
    const before = structuredClone(request);
    const whole = fold(one, [bytes]);
    assertEquals(fold(one, Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
    for (const cut of cutsOf(bytes.length)) {
      const events = fold(one, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      if (events !== whole) assertEquals(events, whole, `cut at ${cut}`);
    }
    assertEquals(request, before, "a stream has changed its request");
  });
}

/** What ends a line, and how many blank ones stand behind an event. */
const LINES = [["\n", 1], ["\n", 2], ["\n", 5], ["\r\n", 1], ["\r\n", 2], ["\r", 1]] as const;

for (const fixture of readFixtures()) {
  if (fixture.upstream.type !== "stream") continue;
  const one = prepared(fixture);
  if (one.adapter.framing !== "sse") continue;
  const events = decoder.decode(fixture.upstream.bytes).replaceAll("\r\n", "\n").split("\n\n");

  Deno.test(`${fixture.vendor}/${fixture.name}: other line ends and additional blank lines change nothing`, () => {
    const said = toValues(fold(one, [encoder.encode(events.join("\n\n"))]));
    for (const [end, blank] of LINES) {
      const behind = end.repeat(1 + blank);
      const last = events.length - 1;
      const packets = events.map((event, at) =>
        encoder.encode(event.replaceAll("\n", end) + (at === last ? "" : behind))
      );
      const whole = Uint8Array.from(packets.flatMap((packet) => [...packet]));
      const bytes = Array.from(whole, (byte) => Uint8Array.of(byte));
      for (const pieces of [[whole], packets, bytes]) {
        assertEquals(toValues(fold(one, pieces)), said, JSON.stringify(behind));
      }
    }
  });
}

for (const fixture of readFixtures()) {
  if (fixture.upstream.type !== "stream") continue;
  const one = prepared(fixture);
  if (one.adapter.framing !== "sse") continue;
  const events = decoder.decode(fixture.upstream.bytes).replaceAll("\r\n", "\n").split(/(?<=\n\n)/);

  Deno.test(`${fixture.vendor}/${fixture.name}: a repeated event is converted as if it were parsed`, () => {
    const again = [encoder.encode(events.map((event) => event.repeat(3)).join(""))];
    assertEquals(toValues(fold(one, again)), toValues(fold(one, again, Infinity)));
  });
}

/** Comments that vendors send as data, which are no events. */
const HEARTBEATS = [": keepalive", ":", ":ping", " : OPENROUTER PROCESSING", ": {}"];

for (const fixture of readFixtures()) {
  if (fixture.upstream.type !== "stream") continue;
  const one = prepared(fixture);
  const { framing } = one.adapter;
  if (framing === "aws-event-stream") continue;
  const end = framing === "sse" ? "\n\n" : "\n";
  const text = decoder.decode(fixture.upstream.bytes).replaceAll("\r\n", "\n");
  const events = text.split(end).filter((event) => event.trim() !== "");
  // An error without a frame must be the last text of its stream.
  if (framing === "sse" && events.at(-1)?.startsWith("{")) continue;

  Deno.test(`${fixture.vendor}/${fixture.name}: heartbeats that are sent as data change nothing`, () => {
    const prefix = framing === "sse" ? "data: " : "";
    const said = toValues(fold(one, [encoder.encode(events.join(end) + end)]));
    const heard = events.flatMap((event, at) => {
      const heartbeat = prefix + HEARTBEATS[at % HEARTBEATS.length];
      return at % 3 === 2 && framing === "sse"
        ? [`${heartbeat}\n${event}`]
        : [heartbeat, event, `event: ping\ndata:${HEARTBEATS[at % 2]}`].slice(
          0,
          framing === "sse" ? 3 : 2,
        );
    });
    const bytes = encoder.encode(heard.join(end) + end);
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    for (const pieces of [[bytes], single]) assertEquals(toValues(fold(one, pieces)), said);
  });
}

/** The content of the events: none passes unchanged if carriage returns end its lines. */
function toValues(events: string): unknown[] {
  return events.split("\n\n").map(toValue);
}
