/** The client for vendors, against servers that write their own bytes. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { MIN_COOLDOWN_MS } from "../../../src/upstream/http1/connection_pool.ts";
import { HttpClient } from "../../../src/upstream/http1/client.ts";
import { dial } from "../../../src/upstream/http1/dial.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import type { FetchInit, PacketReader } from "../../../src/upstream/transport.ts";
import { turn } from "../../support/elapse.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

function toChunk(text: string): string {
  return `${encoder.encode(text).length.toString(16)}\r\n${text}\r\n`;
}

/** One connection, as the vendor sees it. */
class PooledConnection {
  readonly #connection: Deno.Conn;
  readonly #decoder = new TextDecoder();

  constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /** What one read brings, or undefined at the end. */
  async read(): Promise<string | undefined> {
    const bytes = new Uint8Array(64 * 1024);
    const size = await this.#connection.read(bytes).catch(() => null);
    return size === null
      ? undefined
      : this.#decoder.decode(bytes.subarray(0, size), { stream: true });
  }

  /** A request with its body, which all tests end with an exclamation mark. */
  async readRequest(): Promise<string | undefined> {
    let text = "";
    while (!text.endsWith("!")) {
      const part = await this.read();
      if (part === undefined) return undefined;
      text += part;
    }
    return text;
  }

  async write(text: string): Promise<void> {
    let bytes = encoder.encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
  }

  close(): void {
    try {
      this.#connection.close();
    } catch {
      // The other side was first.
    }
  }
}

/** A vendor that works with bytes, and its client. Both are closed at the end. */
async function withVendor(
  serve: (line: PooledConnection, connection: number) => Promise<void>,
  test: (url: string, client: HttpClient, clock: ManualClock) => Promise<void>,
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const lines: PooledConnection[] = [];
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      const line = new PooledConnection(connection);
      lines.push(line);
      serving.push(serve(line, lines.length).catch(() => {}));
    }
  })();
  const clock = new ManualClock();
  const client = new HttpClient({ dial, clock });
  try {
    await test(`http://127.0.0.1:${listener.addr.port}`, client, clock);
  } finally {
    client.close();
    listener.close();
    await accepting;
    for (const line of lines) line.close();
    await Promise.all(serving);
    // The client detects the end in a later turn of the event loop.
    await turn();
  }
}

function toInit(init: Partial<FetchInit> = {}): FetchInit {
  const { signal } = new AbortController();
  return { method: "POST", headers: {}, body: "{}!", signal, ...init };
}

async function readAll(reader: PacketReader): Promise<string> {
  let text = "";
  for (let packet = await reader.read(); !packet.done; packet = await reader.read()) {
    text += decoder.decode(packet.value, { stream: true });
  }
  return text;
}

/** Answers every request of a connection alike. */
const answering = (answer: string) => async (line: PooledConnection) => {
  while (await line.readRequest() !== undefined) await line.write(answer);
};

async function post(client: HttpClient, url: string, init: Partial<FetchInit> = {}) {
  const response = await client.fetch(url, toInit(init));
  const { body } = response;
  if (body === null) throw new TypeError("There is no body");
  return { response, reader: body.getReader() };
}

Deno.test("a long body arrives unchanged in any pieces", async () => {
  // One unit before it moves every character of two units across the cut, or not.
  for (const before of ["", "x"]) {
    const body = `${before}${"😀é\ud800a".repeat(60_000)}!`;
    const heard = Promise.withResolvers<string | undefined>();
    await withVendor(async (line) => {
      heard.resolve(await line.readRequest());
      await line.write(OK);
    }, async (url, client) => {
      const { reader } = await post(client, url, { body });
      assertEquals(await readAll(reader), "ok");
      const [head = "", text = ""] = (await heard.promise ?? "").split("\r\n\r\n");
      assertStringIncludes(head, `content-length: ${encoder.encode(body).length}`);
      assert(text === body.toWellFormed());
    });
  }
});

Deno.test("a request is sent with its path, headers and UTF-8 body, and nothing else", async () => {
  const heard = Promise.withResolvers<string | undefined>();
  await withVendor(async (line) => {
    heard.resolve(await line.readRequest());
    await line.write(OK);
  }, async (url, client) => {
    const { reader } = await post(client, `${url}/v1/chat?a=b`, {
      headers: { "content-type": "application/json", "x-api-key": "k" },
      body: '{"x":"é"}!',
    });
    assertEquals(await readAll(reader), "ok");
    const [head = "", body] = (await heard.promise ?? "").split("\r\n\r\n");
    const [first, ...headers] = head.split("\r\n");
    assertEquals(first, "POST /v1/chat?a=b HTTP/1.1");
    assertEquals(headers.map((header) => header.toLowerCase()).toSorted(), [
      "content-length: 11",
      "content-type: application/json",
      `host: ${new URL(url).host}`,
      "x-api-key: k",
    ]);
    assertEquals(body, '{"x":"é"}!');
  });
});

Deno.test("status and headers are unchanged, repeated ones joined, and redirects are not followed", async () => {
  const answer = "HTTP/1.1 307 Over There\r\nLocation: http://127.0.0.1:1/\r\n" +
    "X-Request-Id: r1\r\nX-Two: a\r\nX-Two: b\r\nContent-Length: 0\r\n\r\n";
  await withVendor(answering(answer), async (url, client) => {
    const { response, reader } = await post(client, url);
    assertEquals([response.status, response.ok], [307, false]);
    assertEquals(response.headers.get("x-request-id"), "r1");
    assertEquals(response.headers.get("x-two"), "a, b");
    assertEquals(response.headers.get("constructor"), null);
    assertEquals(new Map(response.headers).get("location"), "http://127.0.0.1:1/");
    assertEquals(await readAll(reader), "");
  });
});

Deno.test("a connection serves one request after another", async () => {
  let connections = 0;
  await withVendor((line, connection) => {
    connections = connection;
    return answering(OK)(line);
  }, async (url, client, clock) => {
    for (let round = 0; round < 5; round++) {
      const { reader } = await post(client, url);
      assertEquals(await readAll(reader), "ok");
      // The connection is free once the end of the answer has been heard.
      await turn();
      clock.advance(MIN_COOLDOWN_MS);
    }
    assertEquals(connections, 1);
  });
});

Deno.test("packets are read as they arrive, before the answer has ended", async () => {
  const heard = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await withVendor(async (line) => {
    await line.readRequest();
    await line.write(CHUNKED + toChunk("one"));
    await heard[0]?.promise;
    await line.write(toChunk("two"));
    await heard[1]?.promise;
    await line.write("0\r\n\r\n");
  }, async (url, client) => {
    const { reader } = await post(client, url);
    for (const [index, text] of ["one", "two"].entries()) {
      const packet = await reader.read();
      assertEquals(packet.done ? undefined : decoder.decode(packet.value), text);
      heard[index]?.resolve();
    }
    assertEquals((await reader.read()).done, true);
  });
});

Deno.test("a vendor whose answer is not read has to wait, and nothing is lost", async () => {
  const SIZE = 64 * 1024;
  const COUNT = 400;
  let written = 0;
  await withVendor(async (line) => {
    await line.readRequest();
    await line.write(CHUNKED);
    for (; written < COUNT; written++) await line.write(toChunk("x".repeat(SIZE)));
    await line.write("0\r\n\r\n");
  }, async (url, client) => {
    const { reader } = await post(client, url);
    const first = await reader.read();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert(written < COUNT, `${written} of ${COUNT} pieces were taken without a reader`);
    const rest = await readAll(reader);
    assertEquals((first.value?.byteLength ?? 0) + rest.length, SIZE * COUNT);
  });
});

Deno.test("a request that is aborted before its answer fails with the signal's reason and closes its connection", async () => {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<string | undefined>();
  await withVendor(async (line) => {
    await line.readRequest();
    asked.resolve();
    left.resolve(await line.read());
  }, async (url, client) => {
    const controller = new AbortController();
    const answer = client.fetch(url, toInit({ signal: controller.signal }));
    await asked.promise;
    const reason = new TypeError("enough");
    controller.abort(reason);
    assertEquals(await assertRejects(() => answer), reason);
    assertEquals(await left.promise, undefined);
  });
});

Deno.test("nothing is sent if the signal is already aborted", async () => {
  const controller = new AbortController();
  controller.abort(new TypeError("too late"));
  await withVendor(() => Promise.reject(new Error("asked")), async (url, client) => {
    const init = toInit({ signal: controller.signal });
    await assertRejects(() => client.fetch(url, init), TypeError, "too late");
  });
});

Deno.test("cancelling an answer closes the vendor's connection, and ends a pending read", async () => {
  const left = Promise.withResolvers<string | undefined>();
  await withVendor(async (line) => {
    await line.readRequest();
    await line.write(CHUNKED + toChunk("one"));
    left.resolve(await line.read());
  }, async (url, client) => {
    const { reader } = await post(client, url);
    await reader.read();
    const waiting = reader.read();
    await reader.cancel();
    assertEquals((await waiting).done, true);
    assertEquals((await reader.read()).done, true);
    assertEquals(await left.promise, undefined);
  });
});

for (
  const [what, answer] of [
    ["in its chunks", CHUNKED + toChunk("one")],
    ["short of its length", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\none"],
  ] as const
) {
  Deno.test(`an answer that breaks off ${what} gives what came, then fails`, async () => {
    await withVendor(async (line) => {
      await line.readRequest();
      await line.write(answer);
      line.close();
    }, async (url, client) => {
      const { reader } = await post(client, url);
      const packet = await reader.read();
      assertEquals(packet.done ? undefined : decoder.decode(packet.value), "one");
      await assertRejects(() => reader.read());
      await assertRejects(() => reader.read());
    });
  });
}

Deno.test("a request is not retried if the vendor closes a new connection", async () => {
  let requests = 0;
  await withVendor(async (line) => {
    await line.readRequest();
    requests++;
    line.close();
  }, async (url, client) => {
    await assertRejects(() => client.fetch(url, toInit()));
    assertEquals(requests, 1);
  });
});

Deno.test("if an idle connection closes during a request, the request is sent again on another one", async () => {
  const heard: unknown[] = [];
  await withVendor(async (line, connection) => {
    heard.push([connection, (await line.readRequest())?.split("\r\n\r\n")[1]]);
    await line.write(OK);
    heard.push([connection, (await line.readRequest())?.split("\r\n\r\n")[1]]);
    line.close();
  }, async (url, client, clock) => {
    for (const body of ["one!", "two!"]) {
      assertEquals(await readAll((await post(client, url, { body })).reader), "ok");
      await turn();
      clock.advance(1000);
    }
    assertEquals(heard, [[1, "one!"], [1, "two!"], [2, "two!"]]);
  });
});

Deno.test("an idle connection that the vendor has closed is not used again", async () => {
  const closed = Promise.withResolvers<void>();
  let connections = 0;
  await withVendor(async (line, connection) => {
    connections = connection;
    await line.readRequest();
    await line.write(OK);
    if (connection > 1) return;
    line.close();
    closed.resolve();
  }, async (url, client) => {
    assertEquals(await readAll((await post(client, url)).reader), "ok");
    await closed.promise;
    await new Promise((resolve) => setTimeout(resolve, 200));
    assertEquals(await readAll((await post(client, url)).reader), "ok");
    assertEquals(connections, 2);
  });
});

Deno.test("an unreachable vendor, and an answer that is not HTTP, are failures", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const client = new HttpClient({ dial, clock: new ManualClock() });
  await assertRejects(() => client.fetch(`http://127.0.0.1:${port}`, toInit()));
  client.close();
  await withVendor(answering("SSH-2.0-OpenSSH\r\n\r\n"), async (url, client) => {
    await assertRejects(() => client.fetch(url, toInit()));
  });
});

Deno.test("dial() leaves no connection open, whenever it is aborted", async () => {
  const accepted: Deno.TcpConn[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepting = (async () => {
    for await (const connection of listener) accepted.push(connection);
  })();
  const origin = { host: "127.0.0.1", port: listener.addr.port, tls: false };
  for (let round = 0; round < 20; round++) {
    await Promise.allSettled(Array.from({ length: 60 }, async (_, index) => {
      const controller = new AbortController();
      // Some before, some while and some after the two sides are connected.
      const timer = setTimeout(() => controller.abort(), index % 5);
      const connection = await dial(origin, controller.signal);
      connection.close();
      clearTimeout(timer);
    }));
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  listener.close();
  await accepting;
  const patience = setTimeout(() => accepted.forEach((connection) => connection.close()), 3000);
  const ends = await Promise.all(
    accepted.map((connection) => connection.read(new Uint8Array(1)).catch((thrown) => `${thrown}`)),
  );
  clearTimeout(patience);
  assertEquals(ends.filter((end) => String(end).includes("Interrupted")), []);
  for (const connection of accepted) connection.close();
});
