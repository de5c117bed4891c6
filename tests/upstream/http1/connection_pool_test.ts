/** Which connections the client for vendors keeps, and what it does with them. */

import { assertEquals } from "@std/assert";
import { turn } from "../../support/elapse.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import {
  answering,
  ask,
  CHUNKED,
  OK,
  readAll,
  readerOf,
  toInit,
  URL,
  withMemoryVendor,
} from "../../support/memory_client.ts";
import type { Serve } from "../../support/memory_vendor.ts";
import { CHUNKS } from "../../support/scripted_vendor.ts";

const decoder = new TextDecoder();

Deno.test("a connection that is idle for 30 seconds is closed, and each use restarts the time", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor, clock }) => {
    for (let turn = 0; turn < 3; turn++) {
      assertEquals(await ask(client), "ok");
      clock.advance(29_999);
    }
    assertEquals([vendor.lines.length, vendor.open], [1, 1]);
    clock.advance(1);
    assertEquals(vendor.open, 0);
    assertEquals(await ask(client), "ok");
    assertEquals(vendor.lines.length, 2);
  });
});

Deno.test("each idle connection has its own 30 seconds, with one timer for all", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor, clock }) => {
    await Promise.all([ask(client), ask(client), ask(client)]);
    assertEquals([vendor.open, clock.pending], [3, 1]);
    clock.advance(10_000);
    // The connection that was used last is used again.
    await ask(client);
    assertEquals([vendor.open, clock.pending], [3, 1]);
    clock.advance(19_999);
    assertEquals(vendor.open, 3);
    clock.advance(1);
    assertEquals([vendor.open, clock.pending], [1, 1]);
    clock.advance(9_999);
    assertEquals(vendor.open, 1);
    clock.advance(1);
    assertEquals([vendor.open, clock.pending], [0, 0]);
  });
});

Deno.test("no idle limit applies while a request is in progress", async () => {
  const slow: Serve = async (line) => {
    await line.request();
    line.say(OK);
    await line.request();
    await turn();
    line.say(CHUNKED + "2\r\nok\r\n");
  };
  await withMemoryVendor(slow, async ({ client, vendor, clock }) => {
    await ask(client);
    const answer = client.fetch(URL, toInit());
    clock.advance(60_000);
    const reader = readerOf(await answer);
    clock.advance(60_000);
    assertEquals((await reader.read()).done, false);
    assertEquals([clock.pending, vendor.open], [0, 1]);
    await reader.cancel();
  });
});

for (const how of ["ended", "reset"] as const) {
  Deno.test(`a waiting connection that is ${how} is closed and forgotten`, async () => {
    await withMemoryVendor(answering(OK), async ({ client, vendor, clock }) => {
      await ask(client);
      vendor.lines[0]?.end(how);
      await turn();
      assertEquals([vendor.open, clock.pending], [0, 0]);
      assertEquals(await ask(client), "ok");
      assertEquals(vendor.lines.map((line) => line.requests), [1, 1]);
    });
  });
}

Deno.test("unsolicited bytes of a vendor are not the answer to the next request", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor }) => {
    await ask(client);
    vendor.lines[0]?.say("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil");
    await turn();
    assertEquals(vendor.open, 0);
    assertEquals(await ask(client), "ok");
  });
});

for (
  const [what, ...packets] of [
    ["another answer", OK + OK],
    ["a byte too many", `${OK}!`],
    ["a byte behind the last chunk", `${CHUNKED}2\r\nok\r\n0\r\n\r\n!`],
    ["bytes in the packet of the last chunk", CHUNKED, "2\r\nok\r\n", `0\r\n\r\n${OK}`],
    ["a body where none may be", "HTTP/1.1 204 No\r\ncontent-length: 2\r\n\r\nok"],
  ] as const
) {
  Deno.test(`a connection with ${what} behind its answer is not used again`, async () => {
    await withMemoryVendor(answering(...packets), async ({ client, vendor }) => {
      const expected = packets[0].includes(" 204 ") ? "" : "ok";
      assertEquals(await ask(client), expected);
      assertEquals(vendor.open, 0);
      assertEquals(await ask(client), expected);
      assertEquals(vendor.lines.map((line) => line.requests), [1, 1]);
    });
  });
}

for (
  const [what, answer] of [
    [
      "says `Connection: close`",
      "HTTP/1.1 200 OK\r\nconnection: Close\r\ncontent-length: 2\r\n\r\nok",
    ],
    ["is HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"],
  ] as const
) {
  Deno.test(`a connection whose answer ${what} is closed at the end of it`, async () => {
    await withMemoryVendor(answering(answer), async ({ client, vendor }) => {
      assertEquals(await ask(client), "ok");
      assertEquals(vendor.open, 0);
    });
  });
}

Deno.test("an answer that ends with its connection is complete, and the connection is not reused", async () => {
  const serve: Serve = async (line) => {
    await line.request();
    line.say("HTTP/1.1 200 OK\r\n\r\n", "one ", "two");
    line.end();
  };
  await withMemoryVendor(serve, async ({ client, vendor, clock }) => {
    const reader = readerOf(await client.fetch(URL, toInit()));
    let text = "";
    for (let packet = await reader.read(); !packet.done; packet = await reader.read()) {
      text += decoder.decode(packet.value);
    }
    assertEquals(text, "one two");
    assertEquals([vendor.open, clock.pending], [0, 0]);
    // Nor was it kept for a moment: a request on it could have been received and not answered.
    assertEquals(vendor.lines[0]?.ends, 1);
  });
});

Deno.test("an answer that is not read to its end closes its connection", async () => {
  const half = `${CHUNKED}2\r\nok\r\n`;
  await withMemoryVendor(answering(half), async ({ client, vendor }) => {
    for (const reads of [0, 1]) {
      const { body } = await client.fetch(URL, toInit());
      for (let read = 0; read < reads; read++) await body?.getReader().read();
      assertEquals(vendor.open, 1);
      await body?.cancel();
      assertEquals(vendor.open, 0);
    }
  });
});

Deno.test("cancelling an answer that has arrived completely leaves its connection open", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor }) => {
    const reader = readerOf(await client.fetch(URL, toInit()));
    await reader.read();
    await reader.cancel();
    assertEquals(await ask(client), "ok");
    assertEquals(vendor.lines.length, 1);
  });
});

Deno.test("an old answer that is cancelled or read again does not affect the next user of its connection", async () => {
  const serve: Serve = async (line) => {
    await line.request();
    line.say(OK);
    await line.request();
    line.say(CHUNKED + "3\r\none\r\n");
    await turn();
    line.say("3\r\ntwo\r\n0\r\n\r\n");
  };
  await withMemoryVendor(serve, async ({ client, vendor }) => {
    const old = readerOf(await client.fetch(URL, toInit()));
    assertEquals(await readAll(old), "ok");
    const reader = readerOf(await client.fetch(URL, toInit()));
    await old.cancel();
    assertEquals((await old.read()).done, true);
    assertEquals(await readAll(reader), "onetwo");
    await old.cancel();
    assertEquals([vendor.lines.length, vendor.open], [1, 1]);
  });
});

Deno.test("500 concurrent requests have a connection each, and the next 500 reuse them", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor, clock }) => {
    for (let round = 0; round < 2; round++) {
      const bodies = Array.from({ length: 500 }, (_, index) => String(index));
      const texts = await Promise.all(bodies.map((body) => ask(client, { body })));
      assertEquals(new Set(texts), new Set(["ok"]));
      assertEquals([vendor.lines.length, vendor.open, clock.pending], [500, 500, 1]);
    }
    assertEquals(vendor.lines.every((line) => line.requests === 2), true);
    clock.advance(30_000);
    assertEquals([vendor.open, clock.pending], [0, 0]);
  });
});

Deno.test("many concurrent requests each get their own answer over shared connections", async () => {
  const echo: Serve = async (line) => {
    for (let heard = await line.request(); heard; heard = await line.request()) {
      const { body } = heard;
      if (Number(body) % 3 === 0) await turn();
      const size = body.length.toString(16);
      line.say(CHUNKED, `${size}\r\n`, body, "\r\n0\r\n", "\r\n");
    }
  };
  await withMemoryVendor(echo, async ({ client, vendor }) => {
    let next = 0;
    const caller = async () => {
      for (let body = next++; body < 2000; body = next++) {
        assertEquals(await ask(client, { body: String(body) }), String(body));
      }
    };
    await Promise.all(Array.from({ length: 40 }, caller));
    assertEquals(vendor.lines.reduce((sum, line) => sum + line.requests, 0), 2000);
    assertEquals(vendor.lines.length <= 40, true);
  });
});

Deno.test("each origin has separate connections, which its paths share", async () => {
  await withMemoryVendor(answering(OK), async ({ client, vendor }) => {
    for (
      const url of [
        "http://a.test/one",
        "http://a.test/two?x=y",
        "http://a.test:80/",
        "https://a.test/one",
        "http://a.test:8080/one",
        "http://b.test/one",
        "https://[2001:db8::1]/one",
        "https://[2001:DB8::1]:443/two",
      ]
    ) assertEquals(await ask(client, {}, url), "ok");
    assertEquals(vendor.origins, [
      { host: "a.test", port: 80, tls: false },
      { host: "a.test", port: 443, tls: true },
      { host: "a.test", port: 8080, tls: false },
      { host: "b.test", port: 80, tls: false },
      { host: "2001:db8::1", port: 443, tls: true },
    ]);
  });
});

Deno.test("unread packets stay unchanged while more bytes arrive", async () => {
  // As OpenAI writes them, so that they go through as they come.
  const toEvent = (delta: unknown, finish_reason: string | null = null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    return `data: ${JSON.stringify({ ...CHUNKS[0], choices })}\n\n`;
  };
  const texts = Array.from({ length: 20 }, (_, at) => String.fromCharCode(98 + at).repeat(50));
  const begin = toEvent({ role: "assistant", content: "" }) + toEvent({ content: "a" });
  const end = `${toEvent({}, "stop")}data: [DONE]\n\n`;
  const toChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const stream: Serve = async (line) => {
    while (await line.request() !== undefined) {
      line.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n");
      line.say("transfer-encoding: chunked\r\n\r\n", toChunk(begin));
      line.say(
        ...texts.map((text) => toChunk(toEvent({ content: text }))),
        toChunk(end),
        "0\r\n\r\n",
      );
    }
  };
  await withMemoryVendor(stream, async ({ client }) => {
    const gateway = createTestGateway({
      config: {
        providers: {
          v: {
            kind: "openai_compatible",
            base_url: "http://vendor.test",
            api_key: VENDOR_KEY,
            models: ["m"],
          },
        },
      },
      fetch: client.fetch,
    });
    const messages = [{ role: "user", content: "Hi" }];
    const response = await gateway.call("/v1/chat/completions", {
      model: "m",
      stream: true,
      messages,
    });
    // The runtime holds what it has taken, and sends it when the caller's connection has room.
    const taken: Uint8Array[] = [];
    for await (const bytes of response.body ?? []) taken.push(bytes);
    const said = taken.map((bytes) => decoder.decode(bytes)).join("");
    for (const text of texts) assertEquals(said.split(`"${text}"`).length, 2, text);
  });
});
