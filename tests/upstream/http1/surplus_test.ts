/** A vendor that sends one answer too many: how many callers get an answer that is not theirs. */

import { assert, assertEquals } from "@std/assert";
import { SystemClock } from "../../../src/core/clock.ts";
import { dial } from "../../../src/upstream/http1/dial.ts";
import { HttpClient } from "../../../src/upstream/http1/client.ts";
import { MIN_COOLDOWN_MS } from "../../../src/upstream/http1/connection_pool.ts";
import { elapse, turn } from "../../support/elapse.ts";
import { answering, ask, withMemoryVendor } from "../../support/memory_client.ts";
import type { Serve } from "../../support/memory_vendor.ts";

/** The answer too many comes while the first of them wait. */
const CALLERS = 24;
function toAnswer(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Waits on the loopback: its timers are those of the machine. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * A vendor on the loopback that echoes each body after `latency` milliseconds. On its first
 * connection, the first answer comes once more after `lateness` milliseconds.
 *
 * @param noDelay whether its packets are sent at once, as nearly every server has it
 */
function startVendor(latency: number, lateness: number, noDelay: boolean) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const encoder = new TextEncoder();
  const serving: Promise<void>[] = [];
  const serve = async (connection: Deno.TcpConn, isFirst: boolean) => {
    const bytes = new Uint8Array(4096);
    let surplus: Promise<unknown> | undefined;
    try {
      for (let size = await connection.read(bytes); size !== null;) {
        const body = new TextDecoder().decode(bytes.subarray(0, size)).split("\r\n\r\n")[1] ?? "";
        await wait(latency);
        const answer = encoder.encode(toAnswer(body));
        await connection.write(answer);
        if (isFirst) {
          surplus ??= wait(lateness).then(() => connection.write(answer)).catch(() => {});
        }
        size = await connection.read(bytes);
      }
    } catch {
      // The client has seen enough.
    }
    await surplus;
    connection.close();
  };
  const accepting = (async () => {
    let isFirst = true;
    for await (const connection of listener) {
      connection.setNoDelay(noDelay);
      serving.push(serve(connection, isFirst));
      isFirst = false;
    }
  })();
  return {
    url: `http://127.0.0.1:${listener.addr.port}/`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(serving);
    },
  };
}

for (
  const [latency, lateness, noDelay, callers] of [
    [5, 3, true, 1],
    [5, 17, true, 1],
    [5, 25, true, 1],
    [5, 60, true, 1],
    [20, 90, true, 1],
    [40, 3, true, 1],
    [40, 45, true, 1],
    // A vendor whose system waits for acknowledgements also holds back the sign of the fault.
    [5, 3, false, 2],
    [5, 33, false, 2],
    [20, 90, false, 2],
  ] as const
) {
  const vendorIs = `of ${latency} ms${noDelay ? "" : " that waits for acknowledgements"}`;
  Deno.test(`an answer too many, ${lateness} ms late, misleads ${callers} at the most: a vendor ${vendorIs}`, async () => {
    const clock = new SystemClock();
    const client = new HttpClient({ dial, clock });
    const wrong: string[] = [];
    {
      await using vendor = startVendor(latency, lateness, noDelay);
      for (let caller = 0; caller <= CALLERS; caller++) {
        const body = String(1000 + caller);
        const answer = await ask(client, { body }, vendor.url).catch(() => "failed");
        if (answer !== body) wrong.push(`${body} got ${answer}`);
      }
      client.close();
    }
    clock.close();
    assert(wrong.length <= callers, wrong.join(", "));
  });
}

Deno.test("a connection's cooldown lasts until the answer to its last request must have arrived, if that request got another answer", async () => {
  const FIRST_MS = 300;
  const heard: string[] = [];
  await withMemoryVendor(
    async (line, number) => {
      // The first answer takes its time, so may every other one.
      for (let turn = 0;; turn++) {
        const request = await line.request();
        if (request === undefined) return;
        heard.push(`${number}: ${request.body}`);
        if (number === 1 && turn === 0) advance(FIRST_MS);
        line.say(toAnswer(request.body));
      }
    },
    async ({ client, clock }) => {
      advance = (ms) => clock.advance(ms);
      assertEquals(await ask(client, { body: "a" }), "a");
      // It was sent 300 ms ago, and four times that must have passed.
      clock.advance(3 * FIRST_MS - 1);
      assertEquals(await ask(client, { body: "b" }), "b");
      clock.advance(1);
      assertEquals(await ask(client, { body: "c" }), "c");
      // This answer came at once, and may be that of an earlier request. Its own would come within
      // four times the usual time, to which three answers have contributed until now, and 100 ms.
      const usual = FIRST_MS * 0.9 ** 2;
      clock.advance(4 * usual + 100 - 1);
      assertEquals(await ask(client, { body: "d" }), "d");
      clock.advance(1);
      assertEquals(await ask(client, { body: "e" }), "e");
      assertEquals(heard, ["1: a", "2: b", "1: c", "2: d", "1: e"]);
    },
  );
});
let advance: (ms: number) => void = () => {};

Deno.test("a connection has a cooldown of a few milliseconds, however fast its vendor answers", async () => {
  await withMemoryVendor(
    answering(toAnswer("ok")),
    async ({ client, vendor, clock }) => {
      const requests = () => vendor.lines.map((line) => line.requests);
      await ask(client);
      clock.advance(MIN_COOLDOWN_MS - 1);
      await ask(client);
      assertEquals(requests(), [1, 1]);
      clock.advance(1);
      await ask(client);
      assertEquals(requests(), [2, 1]);
    },
    MIN_COOLDOWN_MS,
  );
});

Deno.test("a connection whose rest would be longer than its life is closed at once", async () => {
  const serve: Serve = async (line) => {
    const request = await line.request();
    advance(11_000);
    line.say(toAnswer(request?.body ?? ""));
    await line.request();
  };
  await withMemoryVendor(serve, async ({ client, vendor, clock }) => {
    advance = (ms) => clock.advance(ms);
    assertEquals(await ask(client, { body: "a" }), "a");
    assertEquals([vendor.open, clock.pending], [0, 0]);
  });
});

Deno.test("a surplus answer during a connection's cooldown closes it, and the next request has a new one", async () => {
  const serve: Serve = async (line) => {
    for (let heard = await line.request(); heard; heard = await line.request()) {
      line.say(toAnswer(heard.body));
    }
  };
  await withMemoryVendor(serve, async ({ client, vendor, clock }) => {
    assertEquals(await ask(client, { body: "a" }), "a");
    clock.advance(3);
    vendor.lines[0]?.say(toAnswer("a"));
    await turn();
    assertEquals(vendor.open, 0);
    assertEquals(await elapse(clock, ask(client, { body: "b" })), "b");
    assertEquals(vendor.lines.map((line) => line.requests), [1, 1]);
  });
});
