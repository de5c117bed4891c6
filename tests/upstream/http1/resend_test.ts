/**
 * When a request is sent once more because its kept connection was closed, and where that is
 * recorded.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
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
import type { Serve } from "../../support/memory_vendor.ts";
import { DEFAULT_CONNECTION_RULES } from "../../../src/config/connection_rules.ts";
import { sayHello } from "../../support/scripted_vendor.ts";

const LONG_IDLE_MS = 1000;

/** Answers once on each of the first connections, and ends them within the second request. */
function ending(how: "ended" | "reset", before: () => void = () => {}, count = 1): Serve {
  return async (line, number) => {
    await line.request();
    line.say(OK);
    if (number <= count) {
      await line.request();
      before();
      line.end(how);
    } else await answering(OK)(line, number);
  };
}

for (const how of ["ended", "reset"] as const) {
  Deno.test(`a request goes out again when its connection, idle for a second, is ${how} at once`, async () => {
    await withMemoryVendor(ending(how), async ({ client, vendor, clock }) => {
      await ask(client);
      clock.advance(LONG_IDLE_MS);
      const causes: string[] = [];
      const onResend = ({ message }: Error) => causes.push(message);
      assertEquals(await ask(client, { body: "again", watcher: { onResend } }), "ok");
      assertEquals(vendor.lines.map((line) => line.requests), [2, 1]);
      assertEquals(causes.length, 1);
      assert(causes[0]?.endsWith("(vendor.test:80)"), causes[0]);
    });
  });

  Deno.test(`a request is sent once when its connection, just used, is ${how}`, async () => {
    await withMemoryVendor(ending(how), async ({ client, vendor, clock }) => {
      await ask(client);
      clock.advance(LONG_IDLE_MS - 1);
      await assertRejects(() => client.fetch(URL, toInit()));
      assertEquals(vendor.lines.map((line) => line.requests), [2]);
    });
  });

  Deno.test(`a request is sent once when its connection is ${how} late, whatever it was before`, async () => {
    let pass = () => {};
    const serve = ending(how, () => pass());
    await withMemoryVendor(serve, async ({ client, vendor, clock }) => {
      await ask(client);
      clock.advance(LONG_IDLE_MS);
      // The vendor had the request for longer than the end of an idle connection takes to arrive.
      pass = () => clock.advance(1001);
      await assertRejects(() => client.fetch(URL, toInit()));
      assertEquals(vendor.lines.map((line) => line.requests), [2]);
    });
  });

  Deno.test(`a provider's \`resend: never\` sends every request once: ${how}`, async () => {
    await withMemoryVendor(ending(how), async ({ client, vendor, clock }) => {
      const connection = { ...DEFAULT_CONNECTION_RULES, resend: false };
      await ask(client, { connection });
      clock.advance(LONG_IDLE_MS);
      await assertRejects(() => client.fetch(URL, toInit({ connection })));
      assertEquals(vendor.lines.map((line) => line.requests), [2]);
    });
  });
}

Deno.test("a request is sent twice at the most, and the second time on a new connection", async () => {
  // Three kept connections are ended under a request, and so is the new one.
  await withMemoryVendor(ending("ended", () => {}, 3), async ({ client, vendor, clock }) => {
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => client.fetch(URL, toInit())),
    );
    for (const answer of answers) assertEquals(await readAll(readerOf(answer)), "ok");
    clock.advance(LONG_IDLE_MS);
    assertEquals(await ask(client, { body: "again" }), "ok");
    assertEquals(vendor.lines.map((line) => line.requests), [1, 1, 2, 1]);
  });
  const silent: Serve = async (line, number) => {
    if (number === 1) {
      await line.request();
      line.say(OK);
    }
    await line.request();
    line.end();
  };
  await withMemoryVendor(silent, async ({ client, vendor, clock }) => {
    await ask(client);
    clock.advance(LONG_IDLE_MS);
    await assertRejects(() => client.fetch(URL, toInit()), Error, "without an answer");
    assertEquals(vendor.lines.map((line) => line.requests), [2, 1]);
  });
});

Deno.test("a request is not sent again after the first byte of an answer", async () => {
  const serve: Serve = async (line) => {
    await line.request();
    line.say(OK);
    await line.request();
    line.say("H");
    line.end();
  };
  await withMemoryVendor(serve, async ({ client, vendor, clock }) => {
    await ask(client);
    clock.advance(LONG_IDLE_MS);
    await assertRejects(() => client.fetch(URL, toInit()), Error, "without an answer");
    assertEquals(vendor.lines.map((line) => line.requests), [2]);
  });
});

Deno.test("a request is not sent again after a client disconnect", async () => {
  const controller = new AbortController();
  const serve = ending("ended", () => controller.abort(new TypeError("gone")));
  await withMemoryVendor(serve, async ({ client, vendor, clock }) => {
    await ask(client);
    clock.advance(LONG_IDLE_MS);
    const { signal } = controller;
    await assertRejects(() => client.fetch(URL, toInit({ signal })), TypeError, "gone");
    assertEquals(vendor.lines.map((line) => line.requests), [2]);
  });
});

/** A whole answer of OpenAI's. */
const COMPLETION = await sayHello({ url: "/chat/completions", body: {} }).text();
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n` +
  `content-length: ${COMPLETION.length}\r\n\r\n${COMPLETION}`;

for (const resend of ["once", "never"] as const) {
  Deno.test(`with \`retries: 0\` and \`resend: ${resend}\` the header, the log and the metrics tell what was sent`, async () => {
    const serve: Serve = async (line, number) => {
      await line.request();
      line.say(ANSWER);
      if (number > 1) return;
      await line.request();
      line.end();
    };
    await withMemoryVendor(serve, async ({ client, vendor, clock }) => {
      const gateway = createTestGateway({
        config: {
          providers: {
            v: {
              kind: "openai_compatible",
              base_url: "http://vendor.test/v1",
              api_key: VENDOR_KEY,
              models: ["m"],
              retries: 0,
              resend,
            },
          },
        },
        fetch: client.fetch,
      });
      const call = async () => {
        const messages = [{ role: "user", content: "Hi" }];
        const response = await gateway.call("/v1/chat/completions", { model: "m", messages });
        await response.text();
        return response;
      };
      const first = await call();
      assertEquals([first.status, first.headers.get("x-sluice-attempts")], [200, "1"]);
      clock.advance(LONG_IDLE_MS);
      gateway.lines.length = 0;
      const second = await call();
      const sent = vendor.lines.reduce((sum, line) => sum + line.requests, 0) - 1;
      const expected = resend === "once" ? [200, "2", 2] : [503, "1", 1];
      assertEquals([second.status, second.headers.get("x-sluice-attempts"), sent], expected);
      const attempts = gateway.lines.filter(({ attempt }) => attempt !== undefined);
      const request = gateway.lines.find(({ attempt }) => attempt === undefined);
      assertEquals(request?.attempts, sent);
      const metrics = await (await gateway.call("/metrics")).text();
      const retries = /^sluice_retries_total\{.*reason="upstream_unavailable".*\} (\d+)$/m.exec(
        metrics,
      );
      if (resend === "never") {
        assertEquals([attempts, retries], [[], null]);
        assertEquals(request?.cause, "connection closed without an answer (vendor.test:80)");
        return;
      }
      assertEquals(attempts.map(({ outcome, next, cause }) => [outcome, next, cause]), [
        [
          "upstream_unavailable",
          "sent again on a new connection",
          "connection closed without an answer (vendor.test:80)",
        ],
        ["done", undefined, undefined],
      ]);
      assertEquals(retries?.[1], "1");
    });
  });
}
