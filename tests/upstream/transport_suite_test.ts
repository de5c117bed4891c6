/** What the client for vendors does on real ports: responses, aborts, limits and connections. */

import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { DEFAULT_CONNECTION_RULES } from "../../src/config/connection_rules.ts";
import { toTransportError, TransportError } from "../../src/core/transport_error.ts";
import { readPackets } from "../../src/upstream/read_response.ts";
import { Gate } from "../support/server.ts";
import type { PlayVendor } from "../support/raw_vendor.ts";
import { testTransport, textOf } from "./transports.ts";
import { turn, until } from "../support/elapse.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Answers every request, whose bodies are `{}`, with these bytes. */
const answering = (...pieces: readonly string[]): PlayVendor => async (connection) => {
  while (await connection.readHead() !== undefined && await connection.readTo("{}")) {
    for (const piece of pieces) await connection.write(piece);
  }
};

/** The same to requests without a body. */
const answeringHeads = (answer: string): PlayVendor => async (connection) => {
  while (await connection.readHead() !== undefined) await connection.write(answer);
};

testTransport(
  "a response has its status, all of its headers and its body",
  answering(
    "HTTP/1.1 418 Teapot\r\nX-One: a\r\nx-one:  b \r\nset-cookie: a=1, x\r\nset-cookie: b=2\r\n" +
      "content-type: text/plain\r\ncontent-length: 5\r\n\r\nhello",
  ),
  async ({ send }) => {
    const response = await send();
    assertEquals([response.status, response.ok], [418, false]);
    assertEquals(response.headers.get("x-one"), "a, b");
    assertEquals(response.headers.get("x-two"), null);
    assertEquals([...response.headers].sort(), [
      ["content-length", "5"],
      ["content-type", "text/plain"],
      ["set-cookie", "a=1, x"],
      ["set-cookie", "b=2"],
      ["x-one", "a, b"],
    ]);
    assertEquals(await textOf(response), "hello");
  },
);

testTransport(
  "a chunked body is read to its end",
  answering(
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
  ),
  async ({ send }) => assertEquals(await textOf(await send()), "abcde"),
);

testTransport("a body without a length ends with its connection", async (connection) => {
  await connection.readTo("{}");
  await connection.write("HTTP/1.1 200 OK\r\n\r\nall");
}, async ({ send }) => assertEquals(await textOf(await send()), "all"));

const second = new Gate();

testTransport("each packet can be read before the next one is sent", async (connection) => {
  await connection.readTo("{}");
  await connection.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n");
  await second.opened;
  await connection.write("3\r\ntwo\r\n0\r\n\r\n");
  await connection.readToEnd();
}, async ({ send }) => {
  const packets = readPackets(await send(), new AbortController().signal);
  const decoder = new TextDecoder();
  assertEquals(decoder.decode(await packets.next()), "one");
  second.open();
  assertEquals(decoder.decode(await packets.next()), "two");
  assertEquals(await packets.next(), undefined);
  packets.close();
});

testTransport(
  "1xx heads before a response are skipped",
  answering("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", OK),
  async ({ send }) => {
    const response = await send();
    assertEquals([response.status, response.headers.get("link")], [200, null]);
    assertEquals(await textOf(response), "ok");
  },
);

testTransport(
  "a redirect is not followed",
  answering("HTTP/1.1 307 Moved\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n"),
  async ({ send, vendor }) => {
    const response = await send();
    assertEquals([response.status, response.headers.get("location")], [307, "/elsewhere"]);
    assertEquals(await textOf(response), "");
    assertEquals(vendor.connections, 1);
  },
);

const LARGE = "0123456789abcdef".repeat(512 * 1024);

testTransport(
  "a body of 8 MiB is read to its end",
  answering(`HTTP/1.1 200 OK\r\ncontent-length: ${LARGE.length}\r\n\r\n`, LARGE),
  async ({ send }) => assert(await textOf(await send()) === LARGE),
);

for (
  const [what, answer, method] of [
    ["to HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", "HEAD"],
    ["of status 204", "HTTP/1.1 204 No Content\r\n\r\n", "DELETE"],
    ["of status 304", "HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n", "GET"],
  ] as const
) {
  testTransport(`a response ${what} has no body`, answeringHeads(answer), async ({ send }) => {
    const response = await send({ method });
    assertEquals(response.headers.get("content-length"), method === "DELETE" ? null : "5");
    assertEquals(await textOf(response), "");
    // The connection is not left in the middle of a response that never comes.
    const next = await send({ method });
    assertEquals([next.status, await textOf(next)], [response.status, ""]);
  });
}

testTransport("a body that ends early is a failure", async (connection) => {
  await connection.readTo("{}");
  await connection.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
}, async ({ send }) => {
  const reader = (await send()).body?.getReader();
  const failure = await assertRejects(async () => {
    while (!(await reader?.read())?.done);
  });
  const { failure: kind } = toTransportError(failure);
  assert(kind === "reset" || kind === "protocol", kind);
});

testTransport("an abort before the request opens no connection", answering(OK), async (parts) => {
  const reason = new DOMException("before", "AbortError");
  const thrown = await assertRejects(() => parts.send({ signal: AbortSignal.abort(reason) }));
  assertEquals(thrown, reason);
  assertEquals(parts.vendor.connections, 0);
});

testTransport("an abort before the head ends the connection", async (connection) => {
  await connection.readHead();
  await connection.readToEnd();
}, async ({ send, vendor }) => {
  const controller = new AbortController();
  const sent = send({ signal: controller.signal });
  await until(() => vendor.connections > 0);
  const reason = new DOMException("waiting", "AbortError");
  controller.abort(reason);
  assertEquals(await assertRejects(() => sent), reason);
});

testTransport("an abort within the body ends the connection", async (connection) => {
  await connection.readTo("{}");
  await connection.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
  await connection.readToEnd();
}, async ({ send, vendor }) => {
  const controller = new AbortController();
  const packets = readPackets(await send({ signal: controller.signal }), controller.signal);
  assertEquals((await packets.next())?.length, 4);
  const reason = new DOMException("reading", "AbortError");
  const next = packets.next();
  controller.abort(reason);
  assertEquals(await assertRejects(() => next), reason);
  await vendor.played();
});

testTransport("a body that is cancelled ends the connection", async (connection) => {
  await connection.readTo("{}");
  await connection.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
  await connection.readToEnd();
}, async ({ send, vendor }) => {
  const reader = (await send()).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await vendor.played();
});

const RULES = { ...DEFAULT_CONNECTION_RULES, connectTimeout: 5000 };

testTransport(
  "a connection that does not open times out",
  async (connection) => void await connection.readToEnd(),
  async ({ send, clock }) => {
    const sent = send({ connection: RULES });
    const failure = assertRejects(() => sent);
    for (let tick = 0; tick < 2; tick++) {
      await turn();
      clock.advance(RULES.connectTimeout);
    }
    const thrown = await failure;
    assertInstanceOf(thrown, TransportError);
    assertEquals(thrown.failure, "timeout");
    assert(/^no connection within \d+ ms \(127\.0\.0\.1:\d+\)$/.test(thrown.message));
  },
  (_, signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
);

testTransport("a vendor that thinks for long is waited for", async (connection) => {
  // One connection asks, another one may look whether the vendor can be reached.
  if (await connection.readTo("{}") === undefined) return;
  await thought.opened;
  await connection.write(OK);
  await connection.readToEnd();
}, async ({ send, clock }) => {
  thought = new Gate();
  const sent = send({ connection: RULES });
  for (let tick = 0; tick < 20; tick++) {
    await turn();
    clock.advance(RULES.connectTimeout);
  }
  thought.open();
  assertEquals(await textOf(await sent), "ok");
});

let thought = new Gate();

testTransport("without reuse each request has a separate connection", async (connection) => {
  const head = await connection.readHead() ?? "";
  await connection.readTo("{}");
  assert(/^connection: close\r$/im.test(head), head);
  await connection.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  await connection.readToEnd();
}, async ({ send, vendor }) => {
  const connection = { ...DEFAULT_CONNECTION_RULES, reuse: false };
  for (let number = 1; number <= 3; number++) {
    assertEquals(await textOf(await send({ connection })), "ok");
    await vendor.played();
    assertEquals(vendor.connections, number);
  }
});

testTransport("close() ends idle connections", async (connection) => {
  await connection.readTo("{}");
  await connection.write(OK);
  await connection.readToEnd();
}, async ({ send, transport, vendor }) => {
  assertEquals(await textOf(await send()), "ok");
  transport.close();
  await vendor.played();
  // Closing twice is no fault.
  transport.close();
});
