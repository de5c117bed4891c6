/** Response bodies that are encoded while they are sent. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { isLargeBody, withLargeBody } from "../../src/http/response.ts";
import { turn } from "../support/elapse.ts";
import { ManualClock } from "../support/manual_clock.ts";

const TEXT = "aé文😀".repeat(200_000);

function start() {
  const clock = new ManualClock();
  let unread = 0;
  const { status, headers, body } = withLargeBody(
    { status: 200, headers: { "content-type": "application/json" }, body: TEXT },
    TEXT,
    { clock, writeTimeout: 1000, onUnread: () => unread++ },
  );
  const response = new Response(body, { status, headers });
  return { clock, response, unread: () => unread };
}

Deno.test("a large body is the same text, with its length, and leaves no timer", async () => {
  assertEquals([isLargeBody(TEXT), isLargeBody("short"), isLargeBody(null)], [true, false, false]);
  const { clock, response, unread } = start();
  const bytes = new TextEncoder().encode(TEXT);
  assertEquals(Object.fromEntries(response.headers), {
    "content-length": String(bytes.length),
    "content-type": "application/json",
  });
  assertEquals(await response.bytes() as Uint8Array, bytes);
  assertEquals([clock.pending, unread()], [0, 0]);
});

Deno.test("a large body that the caller does not read is aborted after the write timeout", async () => {
  const { clock, response, unread } = start();
  const reader = response.body?.getReader();
  assert((await reader?.read())?.value instanceof Uint8Array);
  await turn();
  clock.advance(999);
  // A client that reads on has the time once more.
  await reader?.read();
  await turn();
  clock.advance(999);
  assertEquals(unread(), 0);
  clock.advance(1);
  assertEquals([unread(), clock.pending], [1, 0]);
  await assertRejects(async () => await reader?.read(), Error, "stopped reading");
});

Deno.test("a large body whose client leaves has no timer left", async () => {
  const { clock, response, unread } = start();
  await turn();
  await response.body?.cancel();
  assertEquals([clock.pending, unread()], [0, 0]);
});
