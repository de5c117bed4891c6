/** Which connections are taken, and when each is closed: without a network, in a time of the test's own. */

import { assertEquals } from "@std/assert";
import { toCallerAddress } from "../../../src/upstream/public_addresses.ts";
import {
  type Connection,
  type ConnectionLimits,
  Connections,
} from "../../../src/process/listener/connections.ts";
import type { CloseReason, RefusalReason } from "../../../src/telemetry/server_metrics.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const LIMITS: ConnectionLimits = {
  max_connections: 100,
  max_connections_per_address: 50,
  head_timeout: 20_000,
  idle_timeout: 120_000,
  write_timeout: 60_000,
};

/** Connections with names; what is cut is noted. */
class Stage {
  readonly clock = new ManualClock();
  readonly refused: RefusalReason[] = [];
  readonly connections: Connections;
  readonly #cut: string[] = [];
  readonly #reasons: (CloseReason | undefined)[] = [];
  #open = 0;

  constructor(limits: Partial<ConnectionLimits> = {}) {
    this.connections = new Connections({
      limits: () => ({ ...LIMITS, ...limits }),
      clock: this.clock,
      onRefuse: (reason) => this.refused.push(reason),
      onOpen: () => this.#open++,
      onClose: (reason) => {
        this.#open--;
        this.#reasons.push(reason);
      },
    });
  }

  admit(name: string, address = "192.0.2.1"): Connection | undefined {
    return this.connections.admit(address, () => this.#cut.push(name));
  }

  /** The same, where there is room. */
  open(name: string, address?: string): Connection {
    const connection = this.admit(name, address);
    if (connection === undefined) throw new RangeError(`${name} was refused`);
    return connection;
  }

  /** The same, with an answer behind it. */
  serve(name: string, unsent = 0): Connection {
    const connection = this.open(name);
    connection.requestBegan();
    connection.requestEnded(unsent, this.clock.now());
    return connection;
  }

  /** What was cut since the last call, and why. */
  cut(): [string[], (CloseReason | undefined)[]] {
    assertEquals(this.#open, this.connections.size);
    return [this.#cut.splice(0), this.#reasons.splice(0)];
  }
}

Deno.test("all open connections move to other workers with the next answer, later ones do not", () => {
  const stage = new Stage();
  const open = Array.from({ length: 9 }, (_, index) => stage.serve(String(index)));
  stage.connections.move();
  assertEquals(open.filter(({ isMoving }) => isMoving).length, 9);
  assertEquals(stage.open("new").isMoving, false);
});

Deno.test("a connection without a request is closed after head_timeout", () => {
  const stage = new Stage();
  stage.open("a");
  stage.clock.advance(10_000);
  stage.open("b");
  stage.clock.advance(9000);
  assertEquals(stage.cut(), [[], []]);
  stage.clock.advance(1000);
  assertEquals(stage.cut(), [["a"], ["head_timeout"]]);
  stage.clock.advance(10_000);
  assertEquals(stage.cut(), [["b"], ["head_timeout"]]);
  assertEquals([stage.connections.size, stage.clock.pending], [0, 0]);
});

Deno.test("a connection is closed idle_timeout after its last answer, not during a request", () => {
  const stage = new Stage();
  const connection = stage.open("a");
  connection.requestBegan();
  stage.clock.advance(3_600_000);
  // Over HTTP/2 there may be several.
  connection.requestBegan();
  connection.requestEnded(0, stage.clock.now());
  stage.clock.advance(3_600_000);
  assertEquals(stage.cut(), [[], []]);
  connection.requestEnded(0, stage.clock.now());
  stage.clock.advance(119_000);
  assertEquals(stage.cut(), [[], []]);
  connection.requestBegan();
  connection.requestEnded(0, stage.clock.now());
  stage.clock.advance(119_000);
  assertEquals(stage.cut(), [[], []]);
  stage.clock.advance(1000);
  assertEquals(stage.cut(), [["a"], ["idle_timeout"]]);
});

Deno.test("a long answer may be unread for write_timeout and one second for each 64 KiB", () => {
  const stage = new Stage();
  stage.serve("a", 64 * 1024 * 100);
  stage.serve("b", 64 * 1024);
  stage.clock.advance(119_000);
  assertEquals(stage.cut(), [[], []]);
  stage.clock.advance(2000);
  assertEquals(stage.cut(), [["b"], ["idle_timeout"]]);
  stage.clock.advance(38_000);
  assertEquals(stage.cut(), [[], []]);
  stage.clock.advance(1000);
  assertEquals(stage.cut(), [["a"], ["idle_timeout"]]);
});

Deno.test("after its last answer a connection is closed as soon as that can have arrived", () => {
  const stage = new Stage();
  const connection = stage.open("a");
  connection.requestBegan();
  connection.closeAfterAnswer();
  stage.clock.advance(60_000);
  assertEquals(stage.cut(), [[], []]);
  connection.requestEnded(64 * 1024, stage.clock.now());
  stage.clock.advance(2000);
  assertEquals(stage.cut(), [[], []]);
  stage.clock.advance(1000);
  assertEquals(stage.cut(), [["a"], ["answered"]]);
});

Deno.test("the connection of a client that does not read is closed at once, and only once", () => {
  const stage = new Stage();
  const connection = stage.open("a");
  connection.requestBegan();
  connection.closeUnread();
  connection.closeUnread();
  assertEquals(stage.cut(), [["a"], ["write_timeout"]]);
  connection.ended();
  assertEquals(stage.cut(), [[], []]);
});

Deno.test("a connection that the client has closed is removed, and so is its address", () => {
  const stage = new Stage({ max_connections_per_address: 1 });
  for (let round = 0; round < 3; round++) {
    const connection = stage.open("a");
    connection.requestBegan();
    assertEquals(stage.admit("b"), undefined);
    connection.ended();
    connection.requestEnded(0, stage.clock.now());
    assertEquals(stage.cut(), [[], [undefined]]);
    assertEquals(stage.clock.pending, 0);
  }
  assertEquals(stage.refused, Array(3).fill("max_connections_per_address"));
});

Deno.test("an address is limited to its share, and only its own connections are closed for it", () => {
  const stage = new Stage({ max_connections_per_address: 2 });
  stage.open("of another", "192.0.2.2");
  stage.open("idle");
  stage.open("busy").requestBegan();
  stage.open("in its place").requestBegan();
  assertEquals(stage.cut(), [["idle"], ["room"]]);
  assertEquals(stage.admit("one too many"), undefined);
  stage.open("of another, too", "192.0.2.2");
  assertEquals([stage.refused, stage.cut()], [["max_connections_per_address"], [[], []]]);
});

Deno.test("at max_connections idle connections are closed: first those without a request, then the longest idle", () => {
  const stage = new Stage({ max_connections: 4 });
  stage.serve("oldest");
  stage.clock.advance(10);
  const busy = stage.serve("busy");
  stage.clock.advance(10);
  stage.serve("newest");
  stage.clock.advance(10);
  stage.open("silent");
  busy.requestBegan();
  const order = ["silent", "oldest", "newest"];
  for (const name of order) {
    stage.open(`instead of ${name}`).requestBegan();
    assertEquals(stage.cut(), [[name], ["room"]]);
  }
  assertEquals(stage.admit("one too many"), undefined);
  assertEquals([stage.refused, stage.connections.size], [["max_connections"], 4]);
});

Deno.test("a connection that may still be sending an answer is not closed", () => {
  const stage = new Stage({ max_connections: 1 });
  stage.serve("long", 64 * 1024 * 10);
  stage.clock.advance(9000);
  assertEquals(stage.admit("refused"), undefined);
  stage.clock.advance(1000);
  stage.open("taken");
  assertEquals(stage.cut(), [["long"], ["room"]]);
});

Deno.test("several connections are closed at once, so that a flood costs little", () => {
  const stage = new Stage({ max_connections: 1600, max_connections_per_address: 2000 });
  for (let count = 0; count < 1600; count++) stage.open(`${count}`);
  stage.open("next");
  const [cut] = stage.cut();
  assertEquals([cut.length, cut[0], cut.at(-1)], [100, "0", "99"]);
});

Deno.test("when file descriptors run out, idle connections are closed, and for a minute an eighth stays free", () => {
  const stage = new Stage({ max_connections_per_address: 100 });
  for (let count = 0; count < 40; count++) stage.open(`${count}`);
  assertEquals(stage.connections.relieve(), 8);
  // Others who lack one wait for the same.
  assertEquals(stage.connections.relieve(), 8);
  assertEquals([stage.cut()[0].length, stage.connections.size], [8, 32]);
  for (let count = 40; count < 80; count++) stage.open(`${count}`);
  assertEquals(stage.connections.size <= 32, true);
  stage.clock.advance(60_000);
  stage.cut();
  for (let count = 80; count < 120; count++) stage.open(`${count}`);
  assertEquals([stage.connections.size, stage.cut()[0].length], [40, 0]);
});

Deno.test("when that was not enough, more are closed", () => {
  const stage = new Stage();
  for (let count = 0; count < 20; count++) stage.open(`${count}`);
  const closed = [0, 20, 20, 20].map((ms) => {
    stage.clock.advance(ms);
    return stage.connections.relieve();
  });
  assertEquals([closed, stage.connections.size], [[8, 8, 4, 0], 0]);
});

Deno.test("without idle connections none is closed, and new ones are still accepted", () => {
  const stage = new Stage();
  for (let count = 0; count < 10; count++) stage.open(`${count}`).requestBegan();
  assertEquals(stage.connections.relieve(), 0);
  stage.open("another");
  assertEquals([stage.connections.size, stage.cut()], [11, [[], []]]);
});

Deno.test("at shutdown, slow clients get the time to read their answers", () => {
  const stage = new Stage();
  stage.open("silent");
  assertEquals(stage.connections.lingerMs(), 2000);
  stage.serve("short");
  stage.serve("long", 64 * 1024 * 10);
  assertEquals(stage.connections.lingerMs(), 12_000);
  stage.clock.advance(4000);
  assertEquals(stage.connections.lingerMs(), 8000);
  stage.clock.advance(60_000);
  assertEquals(stage.connections.lingerMs(), 2000);
});

Deno.test("changed limits apply to new connections", () => {
  let maxConnections = 1;
  const clock = new ManualClock();
  const connections = new Connections({
    limits: () => ({ ...LIMITS, max_connections: maxConnections }),
    clock,
  });
  connections.admit("a", () => {})?.requestBegan();
  assertEquals(connections.admit("a", () => {}), undefined);
  maxConnections = 2;
  assertEquals(connections.admit("a", () => {}) === undefined, false);
});

Deno.test("clients are identified by IPv4 address or IPv6 network", () => {
  const networks = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::", "2001:db8:1:2"],
    ["2001:0db8:0001:0002:ffff::9", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80::1%eth0"],
  ] as const;
  for (const [address, network] of networks) assertEquals(toCallerAddress(address), network);
});
