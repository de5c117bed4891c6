/** One request of the client for vendors and its answer: what is sent, what is refused, who ends it. */

import { assertEquals, assertRejects } from "@std/assert";
import { HttpClient } from "../../../src/upstream/http1/client.ts";
import { turn } from "../../support/elapse.ts";
import { ManualClock } from "../../support/manual_clock.ts";
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
import { MemoryVendor, type Serve } from "../../support/memory_vendor.ts";

/** Never plays along. */
const silent: Serve = async (line) => void await line.request();

for (const value of ["a\r\nx-evil: 1", "a\nb", "a\rb", "a\0b", "\r\n\r\nGET / HTTP/1.1\r\n"]) {
  Deno.test(`a header with ${JSON.stringify(value)} for its value is refused before anything is sent`, async () => {
    await withMemoryVendor(silent, async ({ client, vendor }) => {
      const init = toInit({ headers: { "x-team": value } });
      await assertRejects(() => client.fetch(URL, init), TypeError, "x-team");
      assertEquals(vendor.lines.length, 0);
    });
  });
}

for (const name of ["x: 1\r\ny", "x\ny", "x y", "x:", "", "caf\xe9", "x\0"]) {
  Deno.test(`a header with ${JSON.stringify(name)} for its name is refused before anything is sent`, async () => {
    await withMemoryVendor(silent, async ({ client, vendor }) => {
      const init = toInit({ headers: { [name]: "a" } });
      await assertRejects(() => client.fetch(URL, init), TypeError, "header");
      assertEquals(vendor.lines.length, 0);
    });
  });
}

Deno.test("characters of a URL cannot end the request line", async () => {
  await withMemoryVendor(async (line) => {
    const heard = await line.request();
    line.say(CHUNKED, `40\r\n${(heard?.head.split("\r\n")[0] ?? "").padEnd(64)}\r\n0\r\n\r\n`);
    await line.request();
  }, async ({ client }) => {
    const url = "http://vendor.test/a b\r\nX: y/\u00e9?c d\n#gone";
    assertEquals((await ask(client, {}, url)).trimEnd(), "POST /a%20bX:%20y/%C3%A9?c%20d HTTP/1.1");
  });
});

for (
  const [what, body, length] of [
    ["no bytes", "", 0],
    ["characters of several bytes", "é€😀", 9],
    ["halves of characters", "a\ud800b\udc00", 8],
  ] as const
) {
  Deno.test(`a body of ${what} is sent with the length that it has in bytes`, async () => {
    await withMemoryVendor(async (line) => {
      const heard = await line.request();
      assertEquals(heard?.head.includes(`\r\ncontent-length: ${length}`), true);
      assertEquals(heard?.body, new TextDecoder().decode(new TextEncoder().encode(body)));
      // Nothing came behind it.
      assertEquals(line.pending, 0);
      line.say(OK);
      await line.request();
    }, async ({ client }) => {
      assertEquals(await ask(client, { body }), "ok");
    });
  });
}

Deno.test("a body of 10 MB is sent completely, even if each write accepts few bytes", async () => {
  const body = Array.from({ length: 1_000_000 }, (_, at) => String(at).padStart(10)).join("");
  const serve: Serve = async (line) => {
    line.pace = 100_003;
    const heard = await line.request();
    assertEquals(heard?.body === body, true);
    line.say(OK);
    await line.request();
  };
  await withMemoryVendor(serve, async ({ client, vendor }) => {
    assertEquals(await ask(client, { body }), "ok");
    assertEquals([vendor.open, vendor.lines[0]?.requests], [1, 1]);
  });
});

Deno.test("a request is sent completely, one byte at a time", async () => {
  const serve: Serve = (line, number) => {
    line.pace = 1;
    return answering(OK)(line, number);
  };
  await withMemoryVendor(serve, async ({ client }) => {
    assertEquals(await ask(client, { body: "0123456789" }), "ok");
    assertEquals(await ask(client, { body: "another" }), "ok");
  });
});

Deno.test("an answer that arrives before the request was sent is used, and its connection is closed", async () => {
  const answer = "HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nlong";
  const serve: Serve = async (line, number) => {
    if (number > 1) return await answering(OK)(line, number);
    line.room = 1000;
    line.say(answer);
    await line.request();
  };
  await withMemoryVendor(serve, async ({ client, vendor }) => {
    const response = await client.fetch(URL, toInit({ body: "x".repeat(1_000_000) }));
    assertEquals(response.status, 413);
    assertEquals(await readAll(readerOf(response)), "long");
    assertEquals([vendor.open, vendor.lines[0]?.requests], [0, 0]);
    assertEquals(await ask(client), "ok");
    assertEquals(vendor.lines.length, 2);
  });
});

Deno.test("an answer is used even if the vendor stopped reading and sending failed", async () => {
  const serve: Serve = async (line) => {
    line.say("HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\nno");
    line.end();
    await line.request();
  };
  await withMemoryVendor(serve, async ({ client }) => {
    const response = await client.fetch(URL, toInit());
    assertEquals([response.status, await readAll(readerOf(response))], [401, "no"]);
  });
});

for (
  const [what, packets] of [
    ["in one packet with it", [`HTTP/1.1 100 Continue\r\n\r\n${OK}`]],
    ["each in a packet", ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103\r\nLink: a\r\n\r\n", OK]],
    ["a byte at a time", [...`HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 100\r\n\r\n${OK}`]],
  ] as const
) {
  Deno.test(`what comes before the answer proper is passed over, ${what}`, async () => {
    await withMemoryVendor(answering(...packets), async ({ client, vendor }) => {
      for (let request = 0; request < 2; request++) {
        const response = await client.fetch(URL, toInit());
        assertEquals([response.status, response.headers.get("link")], [200, null]);
        assertEquals(await readAll(readerOf(response)), "ok");
      }
      assertEquals(vendor.lines.length, 1);
    });
  });
}

Deno.test("1xx heads do not count towards the limit of the answer's head", async () => {
  const early = `HTTP/1.1 103 Early\r\nLink: ${"x".repeat(10_000)}\r\n\r\n`;
  // The bytes around each value arrive one by one.
  const bytes = early.repeat(5).split(/(x{9000})/).flatMap((part) =>
    part.startsWith("x".repeat(9000)) ? part : [...part]
  );
  for (const packets of [[early.repeat(8) + headOf(32 * 1024) + "ok"], [...bytes, OK]]) {
    await withMemoryVendor(answering(...packets), async ({ client, vendor }) => {
      assertEquals(await ask(client), "ok");
      assertEquals(vendor.open, 1);
    });
  }
});

Deno.test("100 1xx heads are skipped, more are refused", async () => {
  const early = "HTTP/1.1 102 Processing\r\n\r\n";
  await withMemoryVendor(answering(early.repeat(100) + OK), async ({ client }) => {
    assertEquals(await ask(client), "ok");
  });
  await withMemoryVendor(answering(early.repeat(101) + OK), async ({ client, vendor }) => {
    await assertRejects(() => client.fetch(URL, toInit()), Error, "too many");
    assertEquals(vendor.open, 0);
  });
});

Deno.test("an answer that switches protocols is refused, since no request contains an upgrade", async () => {
  const answer = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n";
  await withMemoryVendor(answering(answer + OK), async ({ client, vendor }) => {
    await assertRejects(() => client.fetch(URL, toInit()), Error, "protocol");
    assertEquals(vendor.open, 0);
  });
});

/** A head of this many bytes. */
function headOf(size: number): string {
  const [first, last] = ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-long: ", "\r\n\r\n"];
  return first + "x".repeat(size - first.length - last.length) + last;
}

Deno.test("a head of 32 KiB is read, one of a byte more is refused and closes the connection", async () => {
  await withMemoryVendor(answering(headOf(32 * 1024), "ok"), async ({ client, vendor }) => {
    assertEquals(await ask(client), "ok");
    assertEquals(vendor.open, 1);
  });
  await withMemoryVendor(answering(headOf(32 * 1024 + 1), "ok"), async ({ client, vendor }) => {
    await assertRejects(() => client.fetch(URL, toInit()), Error, "too long");
    assertEquals([vendor.open, vendor.lines.length], [0, 1]);
  });
});

for (
  const [what, answer] of [
    ["a faulty header", "HTTP/1.1 200 OK\r\nX-Sum : 1\r\n\r\n"],
    ["a faulty length", "HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nok"],
    ["an unknown encoding", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nok"],
    ["another protocol", "SSH-2.0-OpenSSH\r\n\r\n"],
  ] as const
) {
  Deno.test(`an answer with ${what} fails, is not asked for again, and costs the connection`, async () => {
    await withMemoryVendor(answering(answer), async ({ client, vendor }) => {
      await assertRejects(() => client.fetch(URL, toInit()), Error, "answer");
      assertEquals(vendor.lines.map(({ requests, closed }) => [requests, closed]), [[1, true]]);
    });
  });
}

Deno.test("a malformed chunk fails the answer and closes the connection", async () => {
  await withMemoryVendor(
    answering(CHUNKED, "2\r\nok\r\n", "zz\r\n"),
    async ({ client, vendor }) => {
      const reader = readerOf(await client.fetch(URL, toInit()));
      assertEquals((await reader.read()).done, false);
      await assertRejects(() => reader.read(), Error, "faulty size");
      assertEquals(vendor.open, 0);
      await assertRejects(() => reader.read(), Error, "faulty size");
      await reader.cancel();
    },
  );
});

/** A reason that can be told from every other. */
const reason = new TypeError("The caller has left");

Deno.test("a connection that opens after its request was aborted is closed", async () => {
  const vendor = new MemoryVendor(silent);
  const opened = Promise.withResolvers<void>();
  const client = new HttpClient({
    dial: async () => {
      await opened.promise;
      return vendor.connect();
    },
    clock: new ManualClock(),
  });
  const controller = new AbortController();
  const answer = client.fetch(URL, toInit({ signal: controller.signal }));
  controller.abort(reason);
  opened.resolve();
  assertEquals(await assertRejects(() => answer), reason);
  assertEquals(vendor.lines.map(({ closed, pending }) => [closed, pending]), [[true, 0]]);
});

Deno.test("an abort reaches the dial", async () => {
  const client = new HttpClient({
    dial: (_, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    clock: new ManualClock(),
  });
  const controller = new AbortController();
  const answer = client.fetch(URL, toInit({ signal: controller.signal }));
  controller.abort(reason);
  assertEquals(await assertRejects(() => answer), reason);
});

/** How far a vendor goes before the caller leaves. */
const STAGES: readonly (readonly [string, Serve])[] = [
  ["while its body is sent", async (line) => {
    line.room = 1000;
    await line.request();
  }],
  ["before its answer", silent],
  ["within the head of its answer", async (line) => {
    await line.request();
    line.say("HTTP/1.1 200");
  }],
];

for (const [when, play] of STAGES) {
  for (const kept of [false, true]) {
    const which = kept ? "kept" : "fresh";
    Deno.test(`a request that is aborted ${when} ends with the reason, and so does its ${which} connection`, async () => {
      const serve: Serve = async (line, number) => {
        if (kept) {
          await line.request();
          line.say(OK);
        }
        await play(line, number);
      };
      await withMemoryVendor(serve, async ({ client, vendor }) => {
        if (kept) assertEquals(await ask(client), "ok");
        const controller = new AbortController();
        const { signal } = controller;
        const answer = client.fetch(URL, toInit({ signal, body: "x".repeat(100_000) }));
        await turn();
        controller.abort(reason);
        assertEquals(await assertRejects(() => answer), reason);
        assertEquals(vendor.lines.map(({ closed }) => closed), [true]);
      });
    });
  }
}

Deno.test("an abort after the answer has begun does not affect later requests", async () => {
  const controller = new AbortController();
  await withMemoryVendor(answering(OK), async ({ client, vendor }) => {
    assertEquals(await ask(client, { signal: controller.signal }), "ok");
    const later = client.fetch(URL, toInit());
    controller.abort(reason);
    assertEquals(await readAll(readerOf(await later)), "ok");
    assertEquals([vendor.lines.length, vendor.open], [1, 1]);
  });
});

Deno.test("cancelling ends a pending read and closes the connection", async () => {
  await withMemoryVendor(answering(CHUNKED + "2\r\nok\r\n"), async ({ client, vendor }) => {
    const reader = readerOf(await client.fetch(URL, toInit()));
    await reader.read();
    const waiting = reader.read();
    await reader.cancel();
    assertEquals([(await waiting).done, vendor.open], [true, 0]);
  });
});
