/**
 * Connections to vendors that fail to open: each attempt ends when it is aborted, and leaks
 * nothing.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { dial, dialPublic, PrivateAddressError } from "../../../src/upstream/http1/dial.ts";
import { toProxyServer } from "../../../src/upstream/http1/proxy_server.ts";
import { TransportError } from "../../../src/core/transport_error.ts";
import { until } from "../../support/elapse.ts";
import { readRoot } from "../../support/read_root.ts";

const ATTEMPTS = 60;

/** A local port: the connections that it accepted, and the number that the client has closed. */
class Port implements AsyncDisposable {
  readonly accepted: Deno.TcpConn[] = [];
  ended = 0;
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #accepting: Promise<void>;
  readonly #serving: Promise<void>[] = [];

  /** @param serve what to do with a connection before the other side's end of it is waited for */
  constructor(serve: (connection: Deno.TcpConn) => Promise<void> | void = () => {}) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = this.#listener.addr.port;
    this.#accepting = this.#accept(serve);
  }

  async #accept(serve: (connection: Deno.TcpConn) => Promise<void> | void): Promise<void> {
    for await (const connection of this.#listener) {
      this.accepted.push(connection);
      this.#serving.push(this.#watch(connection, serve));
    }
  }

  async #watch(
    connection: Deno.TcpConn,
    serve: (connection: Deno.TcpConn) => Promise<void> | void,
  ): Promise<void> {
    const bytes = new Uint8Array(16 * 1024);
    try {
      await serve(connection);
      while (await connection.read(bytes) !== null);
    } catch (thrown) {
      // We have closed it ourselves: at the end of the test, or as the test has it.
      if (thrown instanceof Deno.errors.Interrupted) return;
      if (thrown instanceof Deno.errors.BadResource) return;
    }
    this.ended++;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    for (const connection of this.accepted) close(connection);
    await Promise.all(this.#serving);
  }
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}

/** Starts an attempt; the functions abort it and wait for its failure. */
function attempt(port: number, tls: boolean, host = "127.0.0.1") {
  const controller = new AbortController();
  const reason = new TypeError("enough");
  const dialling = dial({ host, port, tls }, controller.signal);
  dialling.catch(() => {});
  return {
    dialling,
    abort: () => controller.abort(reason),
    failure: () => assertRejects(() => dialling),
    async aborted(): Promise<void> {
      controller.abort(reason);
      assertEquals(await assertRejects(() => dialling), reason);
    },
  };
}

Deno.test("after an abort, a TLS port that never answers leaves no resources open", async () => {
  await using port = new Port();
  const attempts = Array.from({ length: ATTEMPTS }, () => attempt(port.port, true));
  await until(() => port.accepted.length === ATTEMPTS, 5000);
  for (const one of attempts) await one.aborted();
  // All of them are closed although the other side has closed none.
  await until(() => port.ended === ATTEMPTS, 5000);
});

Deno.test("after an abort, a TLS port that stops within its hello leaves no resources open", async () => {
  // The beginning of a handshake record of 16 KiB, of which no more comes.
  await using port = new Port(async (connection) => {
    await connection.write(new Uint8Array([22, 3, 3, 64, 0, 2, 0, 0]));
  });
  const one = attempt(port.port, true);
  await until(() => port.accepted.length === 1);
  await one.aborted();
  await until(() => port.ended === 1, 5000);
});

for (
  const [what, serve] of [
    ["closes at once", close],
    ["closes within the handshake", async (connection: Deno.TcpConn) => {
      await connection.read(new Uint8Array(1024));
      close(connection);
    }],
    ["speaks plain HTTP", async (connection: Deno.TcpConn) => {
      await connection.read(new Uint8Array(1024));
      await connection.write(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
    }],
  ] as const
) {
  Deno.test(`a TLS port that ${what} is a failure of TLS, and its connection is closed`, async () => {
    await using port = new Port(serve);
    const error = await attempt(port.port, true).failure();
    assert(error instanceof TransportError);
    assertEquals(error.failure, "tls");
    assert(error.message.endsWith(`(127.0.0.1:${port.port})`), error.message);
    await until(() => port.ended === 1 || what.startsWith("closes"), 5000);
  });
}

/** A port whose queue is full: what comes now is neither accepted nor refused. */
class FullPort implements AsyncDisposable {
  readonly port: number;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  readonly #fillers: Promise<Deno.TcpConn | undefined>[] = [];

  constructor() {
    this.port = this.#listener.addr.port;
  }

  /** Connects until no connection is accepted. */
  async fill(): Promise<void> {
    for (;;) {
      let opened = false;
      const controller = new AbortController();
      controller.signal.throwIfAborted = () => {};
      const { port } = this;
      const { signal } = controller;
      const filler = Deno.connect({ hostname: "127.0.0.1", port, signal })
        .then((connection) => {
          opened = true;
          return connection;
        }, () => undefined);
      this.#fillers.push(filler);
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (opened) continue;
      controller.abort();
      return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const filler of this.#fillers) (await filler)?.close();
    this.#listener.close();
  }
}

for (const tls of [false, true]) {
  Deno.test(`a connection that never completes ends at the abort: ${tls ? "TLS" : "plain"}`, async () => {
    await using port = new FullPort();
    await port.fill();
    const attempts = Array.from({ length: 10 }, () => attempt(port.port, tls));
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const one of attempts) await one.aborted();
    // The sanitizer of the runtime's operations fails this test if one of them continues.
  });

  Deno.test(`a port where nobody listens is refused: ${tls ? "TLS" : "plain"}`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    const error = await attempt(port, tls).failure();
    assert(error instanceof TransportError);
    assertEquals(error.failure, "refused");
    assert(error.message.endsWith(`(127.0.0.1:${port})`), error.message);
  });

  Deno.test(`a host that has no address is a failure of DNS: ${tls ? "TLS" : "plain"}`, async () => {
    const failures = await Promise.all(
      Array.from({ length: 3 }, () => attempt(443, tls, "vendor.invalid").failure()),
    );
    for (const error of failures) {
      assert(error instanceof TransportError);
      assertEquals(error.failure, "dns");
      assert(error.message.endsWith("(vendor.invalid:443)"), error.message);
    }
  });
}

Deno.test("an aborted lookup ends immediately", async () => {
  const one = attempt(443, true, "other-vendor.invalid");
  await one.aborted();
  // Another one waits for the same lookup, so that it has ended with this test.
  await attempt(443, true, "other-vendor.invalid").failure();
});

/** A port behind TLS that answers each packet with what it is given. */
function serveTls(name: string, answer: (connection: Deno.TlsConn) => Promise<void>) {
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: readRoot(`tests/support/tls/${name}.pem`),
    key: readRoot(`tests/support/tls/${name}.key.pem`),
  });
  const serving = (async () => {
    const open: Promise<void>[] = [];
    for await (const connection of listener) {
      open.push(answer(connection).catch(() => {}).finally(() => connection.close()));
    }
    await Promise.all(open);
  })();
  return {
    port: listener.addr.port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

for (
  const [name, host, words] of [
    ["localhost", "localhost", "self-signed certificate"],
    ["localhost", "127.0.0.1", "self-signed certificate"],
    ["expired", "localhost", "certificate expired on 2021-01-01"],
  ] as const
) {
  Deno.test(`the certificate '${name}' of ${host} is refused for its reason`, async () => {
    await using vendor = serveTls(name, async (connection) => {
      await connection.read(new Uint8Array(1));
    });
    const error = await attempt(vendor.port, true, host).failure();
    assert(error instanceof TransportError);
    assertEquals(error.failure, "tls");
    assert(error.message.includes(words), error.message);
    assert(error.message.endsWith(`(${host}:${vendor.port})`), error.message);
  });
}

Deno.test("an abort in any turn of the queue leaves no connection open", async () => {
  const { connect } = Deno;
  let opened = 0;
  const closed = new Set<number>();
  Object.assign(Deno, {
    connect: () => {
      const id = ++opened;
      return Promise.resolve({ setNoDelay() {}, close: () => closed.add(id) });
    },
  });
  try {
    let isAborted = false;
    for (let turns = 0; turns < 30; turns++) {
      const controller = new AbortController();
      const before = opened;
      const dialed = dial({ host: "127.0.0.1", port: 1, tls: false }, controller.signal)
        .then(() => true, () => false);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      controller.abort();
      const isOpen = await dialed;
      // The connection belongs to the caller, or is closed, or was never begun.
      assertEquals(opened > before && !closed.has(opened), isOpen, `after ${turns} turns`);
      isAborted ||= !isOpen && opened > before;
    }
    assert(isAborted, "no abort came while a connection was opened");
  } finally {
    Object.assign(Deno, { connect });
  }
});

Deno.test("dialPublic() refuses hosts with private addresses, by address and by name", async () => {
  await using server = new Port();
  const { signal } = new AbortController();
  for (const host of ["127.0.0.1", "localhost", "::1", "169.254.169.254"]) {
    for (const tls of [false, true]) {
      const refused = dialPublic({ host, port: server.port, tls }, signal);
      const { cause } = await assertRejects(() => refused, TransportError) as TransportError;
      assert(cause instanceof PrivateAddressError, host);
    }
  }
  assert(server.accepted.length === 0);
});

Deno.test("dialPublic() checks an address that a proxy would reach", async () => {
  const { signal } = new AbortController();
  const via = toProxyServer("http://127.0.0.1:1", "HTTPS_PROXY");
  const refused = dialPublic({ host: "10.0.0.1", port: 443, tls: true, via }, signal);
  const { cause } = await assertRejects(() => refused, TransportError) as TransportError;
  assert(cause instanceof PrivateAddressError);
});
