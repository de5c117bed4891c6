/** What every client for vendors sends: methods, headers, and bodies of every kind. */

import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import {
  type FetchInit,
  type RequestBody,
  RequestBodyError,
} from "../../src/upstream/transport.ts";
import { turn, turns, until } from "../support/elapse.ts";
import { Gate } from "../support/server.ts";
import type { VendorConnection } from "../support/raw_vendor.ts";
import { testTransport, textOf } from "./transports.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

const encoder = new TextEncoder();
const bytesOf = (text: string) => encoder.encode(text);

/** Responds with the request's first line, its headers about length, and its body, as JSON. */
async function echo(connection: VendorConnection): Promise<void> {
  for (let head = await connection.readHead(); head; head = await connection.readHead()) {
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const chunked = /^transfer-encoding: chunked/im.test(head);
    const body = chunked ? await readChunks(connection) : await connection.readBytes(length);
    const [line] = head.split("\r\n");
    const reported = JSON.stringify({ line, head, body });
    await connection.write(
      `HTTP/1.1 200 OK\r\ncontent-length: ${bytesOf(reported).length}\r\n\r\n${reported}`,
    );
  }
}

async function readChunks(connection: VendorConnection): Promise<string | undefined> {
  for (let body = "";;) {
    const size = parseInt(await connection.readTo("\r\n") ?? "", 16);
    if (Number.isNaN(size)) return undefined;
    body += await connection.readBytes(size);
    await connection.readTo("\r\n");
    if (size === 0) return body;
  }
}

interface Echo {
  readonly line: string;
  readonly head: string;
  readonly body: string;
}

for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]) {
  testTransport(`${method} without a body`, echo, async ({ send }) => {
    const response = await send({ method, headers: { "x-one": "a" } }, "/v1/files?limit=2");
    assertEquals(response.status, 200);
    const text = await textOf(response);
    if (method === "HEAD") return assertEquals(text, "");
    const { line, head, body }: Echo = JSON.parse(text);
    assertEquals([line, body], [`${method} /v1/files?limit=2 HTTP/1.1`, ""]);
    assertMatch(head, /^x-one: a\r$/m);
    assertMatch(head, /^host: 127\.0\.0\.1:\d+\r$/m);
    assert(!/transfer-encoding/i.test(head), head);
    if (method !== "POST" && method !== "PUT" && method !== "PATCH") {
      assert(!/content-length/i.test(head), head);
    }
  });
}

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await Promise.resolve();
    yield bytesOf(text);
  }
}

const TEXT = "x".repeat(40_000);
const LONG = `${"0123456789abcdef".repeat(100_000)}!`;

const BODIES: readonly (readonly [string, () => RequestBody, string])[] = [
  ["a text", () => "{}", "{}"],
  ["an empty text", () => "", ""],
  ["a text beyond ASCII", () => "é😀", "é😀"],
  ["a long text", () => LONG, LONG],
  ["bytes", () => bytesOf("ab"), "ab"],
  ["many bytes", () => bytesOf(LONG), LONG],
  ["an iterable", () => pieces("ab", "", "c", TEXT, TEXT), `abc${TEXT}${TEXT}`],
  ["an iterable of one long piece", () => pieces(LONG), LONG],
  ["an empty iterable", () => pieces(), ""],
  ["a ReadableStream", () => ReadableStream.from(pieces("ab", "c")), "abc"],
];

for (const [what, create, text] of BODIES) {
  const size = bytesOf(text).length;
  testTransport(`a body: ${what}`, echo, async ({ send }) => {
    for (const contentLength of [undefined, size]) {
      const response = await send({ method: "PUT", body: create(), contentLength });
      const { head, body }: Echo = JSON.parse(await textOf(response));
      // The vendor reads each byte as a character.
      const heard = new TextDecoder().decode(Uint8Array.from(body, (unit) => unit.charCodeAt(0)));
      assert(heard === text, `${heard.length} characters instead of ${text.length}`);
      const stated = /^content-length: (\d+)/im.exec(head)?.[1];
      assertEquals(stated ?? String(size), String(size));
      assertEquals(stated === undefined, /^transfer-encoding: chunked/im.test(head));
    }
  });
}

testTransport("no type is added to a body", echo, async ({ send }) => {
  const { head }: Echo = JSON.parse(await textOf(await send({ body: "text" })));
  assert(!/content-type/i.test(head), head);
});

testTransport("headers beyond ASCII are sent as single bytes", echo, async ({ send }) => {
  const headers = { "x-name": "caf\u00e9" };
  for (const body of ["{}", bytesOf("{}"), pieces("{}")]) {
    const { head, body: heard }: Echo = JSON.parse(await textOf(await send({ headers, body })));
    assertStringIncludes(head, "x-name: caf\u00e9\r\n");
    assertEquals(heard, "{}");
  }
});

const REFUSED: readonly Partial<FetchInit>[] = [
  { headers: { "x-a": "b\r\nx-c: d" } },
  { headers: { "x-a": "b\nx-c: d" } },
  { headers: { "x-a": "b\0" } },
  { headers: { "x-a": "€" } },
  { headers: { "x-a\r\nx-c": "b" } },
  { headers: { "x a": "b" } },
  { headers: { "": "b" } },
  { headers: { host: "elsewhere.test" } },
  { headers: { "Content-Length": "3" } },
  { headers: { "transfer-encoding": "chunked" } },
  { headers: { connection: "upgrade", upgrade: "h2c" } },
  { headers: { expect: "100-continue" } },
  { method: "CONNECT" },
  { method: "TRACE" },
  { method: "post" },
  { method: "" },
  { method: "GET / HTTP/1.1\r\nx-a: b\r\n\r\nGET" },
  { method: "GET", body: "{}" },
];

testTransport("a request that could be read as another is refused", echo, async (parts) => {
  for (const init of REFUSED) {
    const thrown = await assertRejects(() => parts.send(init), TypeError, "", JSON.stringify(init));
    assert(!/[\r\n]/.test(thrown.message), thrown.message);
  }
  assertEquals(parts.vendor.connections, 0);
});

/** A body that tells whether it was given up. */
function watched(source: AsyncGenerator<Uint8Array>) {
  const state = { read: 0, isEnded: false };
  const body = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const next = await source.next();
        state.read += next.value?.length ?? 0;
        return next;
      },
      return() {
        state.isEnded = true;
        return source.return(undefined);
      },
    }),
  };
  return { body, state };
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield* pieces("ab");
  throw new RangeError("The file has gone");
}

testTransport("a body that fails ends the request unfinished", async (connection) => {
  const heard = await connection.readToEnd();
  assert(!heard.includes("0\r\n\r\n"), heard);
}, async ({ send, vendor }) => {
  for (const contentLength of [undefined, 9]) {
    const thrown = await assertRejects(() => send({ body: failing(), contentLength }));
    assertInstanceOf(thrown, RequestBodyError);
    assertInstanceOf(thrown.cause, RangeError);
  }
  await vendor.played();
});

testTransport("a body of another size than declared ends the request", async (connection) => {
  await connection.readToEnd();
}, async ({ send }) => {
  for (const contentLength of [3, 5]) {
    const { body, state } = watched(pieces("ab", "cd"));
    const thrown = await assertRejects(() => send({ body, contentLength }));
    assertInstanceOf(thrown, RequestBodyError);
    assertInstanceOf(thrown.cause, TypeError);
    assert(state.isEnded);
  }
});

/** Bytes without end. */
async function* endless(): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(64 * 1024);
  for (;;) {
    await Promise.resolve();
    yield piece;
  }
}

/** What a client and two kernels may hold of a body that the vendor does not read. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

testTransport(
  "a vendor that does not read pauses the body, and an abort ends it",
  async (connection) => {
    await connection.readHead();
    await stopped.opened;
  },
  async ({ send }) => {
    stopped = new Gate();
    const { body, state } = watched(endless());
    const controller = new AbortController();
    const sent = send({ body, signal: controller.signal });
    const failure = assertRejects(() => sent);
    for (let before = -1; before !== state.read;) {
      before = state.read;
      await turns(50);
    }
    assert(state.read > 0 && state.read < MAX_BUFFERED_BYTES, `${state.read} bytes were read`);
    const reason = new DOMException("uploading", "AbortError");
    controller.abort(reason);
    assertEquals(await failure, reason);
    await until(() => state.isEnded);
    stopped.open();
  },
);

let stopped = new Gate();

testTransport(
  "a response that arrives before the body was sent is read, and ends the body",
  async (connection) => {
    await connection.readHead();
    await connection.write("HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nlong");
    await connection.readToEnd();
  },
  async ({ send }) => {
    const { body, state } = watched(stalling());
    const response = await send({ body });
    assertEquals([response.status, await textOf(response)], [413, "long"]);
    await until(() => state.isEnded);
    await turns(2);
  },
);

/** Bytes that stop coming, without an end. */
async function* stalling(): AsyncGenerator<Uint8Array> {
  yield* pieces("ab");
  for (;;) {
    await turn();
    yield bytesOf("c");
  }
}

testTransport(
  "a body is cancelled when its request is refused or aborted first",
  echo,
  async ({ send }) => {
    for (const init of [{ method: "TRACE" }, { signal: AbortSignal.abort() }]) {
      const { body, state } = watched(pieces("ab"));
      await assertRejects(() => send({ method: "PUT", ...init, body }));
      assert(state.isEnded);
      const stream = new ReadableStream<Uint8Array>({ cancel: () => void (state.isEnded = false) });
      await assertRejects(() => send({ method: "PUT", ...init, body: stream }));
      assert(!state.isEnded);
    }
  },
);

const UPLOAD_BYTES = 64 * 1024 * 1024;
let received = 0;

testTransport(
  "an upload of 64 MiB arrives complete, and is read no faster than it is sent",
  async (connection) => {
    await connection.readHead();
    received = connection.unread;
    while (!connection.endsWith("\r\n0\r\n\r\n")) received += await connection.drop();
    await connection.write(OK);
  },
  async ({ send }) => {
    received = 0;
    const piece = new Uint8Array(256 * 1024);
    async function* large(): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < UPLOAD_BYTES; sent += piece.length) {
        assert(sent - received < MAX_BUFFERED_BYTES, `${sent - received} bytes are held`);
        await Promise.resolve();
        yield piece;
      }
    }
    const response = await send({ method: "PUT", body: large() });
    assertEquals([response.status, await textOf(response)], [200, "ok"]);
    assert(received > UPLOAD_BYTES);
  },
);
