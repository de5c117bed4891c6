/** What a provider's `connections` and `timeout.connect` say, and how many idle ones are kept. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { HttpClient } from "../../../src/upstream/http1/client.ts";
import {
  type ConnectionRules,
  DEFAULT_CONNECTION_RULES,
} from "../../../src/config/connection_rules.ts";
import { turn } from "../../support/elapse.ts";
import { createTestGateway, loadTestConfig, VENDOR_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import {
  answering,
  ask,
  OK,
  readAll,
  readerOf,
  toInit,
  URL,
  withMemoryVendor,
} from "../../support/memory_client.ts";
import { MemoryVendor } from "../../support/memory_vendor.ts";

function rulesOf(members: Record<string, unknown>): ConnectionRules | undefined {
  const v = { kind: "openai", api_key: VENDOR_KEY, models: ["m"], ...members };
  return loadTestConfig({ providers: { v } }).providers.get("v")?.connection;
}

Deno.test("the rules of connections are those of the configuration, or the defaults", () => {
  assertEquals(rulesOf({}), DEFAULT_CONNECTION_RULES);
  const members = {
    connections: { reuse: false, max_age: "1m", max_requests: 7 },
    resend: "never",
    timeout: { connect: "3s" },
  };
  assertEquals(rulesOf(members), {
    connectTimeout: 3000,
    reuse: false,
    maxAge: 60_000,
    maxRequests: 7,
    resend: false,
  });
});

Deno.test("with `reuse: false` every request has a separate connection and sends `connection: close`", async () => {
  const heads: string[] = [];
  await withMemoryVendor(async (line) => {
    for (let heard = await line.request(); heard; heard = await line.request()) {
      heads.push(heard.head);
      line.say(OK);
    }
  }, async ({ client, vendor, clock }) => {
    const connection = { ...DEFAULT_CONNECTION_RULES, reuse: false };
    for (let request = 0; request < 3; request++) {
      assertEquals(await ask(client, { connection }), "ok");
      assertEquals([vendor.open, clock.pending], [0, 0]);
    }
    assertEquals(vendor.lines.map((line) => line.requests), [1, 1, 1]);
    assert(heads.every((head) => head.includes("\r\nconnection: close")));
    // Nor does it take one that another provider of the same host has left.
    await ask(client);
    await ask(client, { connection });
    assertEquals(vendor.lines.length, 5);
  });
});

Deno.test("a connection serves its maximum number of requests, and no more", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor }) => {
    const connection = { ...DEFAULT_CONNECTION_RULES, maxRequests: 3 };
    for (let request = 0; request < 7; request++) {
      assertEquals(await ask(client, { connection }), "ok");
    }
    assertEquals(vendor.lines.map(({ requests, closed }) => [requests, closed]), [
      [3, true],
      [3, true],
      [1, false],
    ]);
  });
});

Deno.test("a connection that is too old serves no further request, idle or in use", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor, clock }) => {
    const connection = { ...DEFAULT_CONNECTION_RULES, maxAge: 50_000 };
    for (let request = 0; request < 3; request++) {
      assertEquals(await ask(client, { connection }), "ok");
      clock.advance(25_000);
    }
    assertEquals(vendor.lines.map(({ requests, closed }) => [requests, closed]), [
      [2, true],
      [1, false],
    ]);
    // It has grown too old while a request was under way.
    const reader = readerOf(await client.fetch(URL, toInit({ connection })));
    assertEquals(vendor.lines[1]?.requests, 2);
    clock.advance(25_000);
    assertEquals(await readAll(reader), "ok");
    assertEquals(vendor.lines[1]?.closed, true);
  });
});

Deno.test("at most 512 idle connections of an origin stay open", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor, clock }) => {
    const texts = await Promise.all(Array.from({ length: 600 }, () => ask(client)));
    assertEquals(new Set(texts), new Set(["ok"]));
    assertEquals([vendor.lines.length, vendor.open, clock.pending], [600, 512, 1]);
  });
});

Deno.test("connections of a burst are closed when fewer are in use", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor, clock }) => {
    await Promise.all(Array.from({ length: 50 }, () => ask(client)));
    // One request a second: the connections that are not needed see none.
    for (let second = 0; second < 40; second++) {
      clock.advance(1000);
      await ask(client);
    }
    assertEquals(vendor.open, 1);
  });
});

Deno.test("idle connections to thousands of origins are closed", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor, clock }) => {
    for (let host = 0; host < 2500; host++) {
      assertEquals(await ask(client, {}, `http://h${host}.test/`), "ok");
      clock.advance(100);
    }
    assertEquals([vendor.lines.length, vendor.open, clock.pending], [2500, 299, 1]);
  });
});

/** A gateway whose vendor takes connections that never open. */
function unopened(members: Record<string, unknown>) {
  const clock = new ManualClock();
  const aborted: unknown[] = [];
  const client = new HttpClient({
    clock,
    dial: (_, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.push(signal.reason);
          reject(signal.reason);
        });
      }),
  });
  const gateway = createTestGateway({
    config: {
      providers: {
        v: {
          kind: "openai_compatible",
          base_url: "https://vendor.test/v1",
          api_key: VENDOR_KEY,
          models: ["m"],
          ...members,
        },
      },
    },
    fetch: client.fetch,
  });
  return { gateway, clock, aborted };
}

for (const stream of [false, true]) {
  const what = stream ? "a stream" : "a plain answer";
  Deno.test(`a connection that does not open in time is a 504, and is given up: ${what}`, async () => {
    const { gateway, clock, aborted } = unopened({ timeout: { connect: "3s" } });
    const messages = [{ role: "user", content: "Hi" }];
    const answering = gateway.call("/v1/chat/completions", { model: "m", messages, stream });
    while (clock.pending === 0) await turn();
    clock.advance(2999);
    await turn();
    assertEquals(aborted.length, 0);
    clock.advance(1);
    const response = await answering;
    const { error } = await response.json();
    assertEquals([response.status, error.code], [504, "upstream_timeout"]);
    assertEquals(error.message, "Cannot connect to provider 'v': connection timed out");
    assertEquals([aborted.length, clock.pending], [1, 0]);
    assertEquals(gateway.lines[0]?.cause, "no connection within 3000 ms (vendor.test:443)");
  });
}

Deno.test("an abort while a connection opens ends the attempt with the signal's reason", async () => {
  const clock = new ManualClock();
  const vendor = new MemoryVendor(answering(OK));
  const opened = Promise.withResolvers<void>();
  const client = new HttpClient({
    clock,
    // It does not listen to the signal.
    dial: async () => {
      await opened.promise;
      return vendor.connect();
    },
  });
  const controller = new AbortController();
  const reason = new TypeError("gone");
  const answer = client.fetch(URL, toInit({ signal: controller.signal }));
  controller.abort(reason);
  opened.resolve();
  assertEquals(await assertRejects(() => answer), reason);
  assertEquals([vendor.open, clock.pending], [0, 0]);
});
