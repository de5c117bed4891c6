/** The limits of all bodies that are being received, and which body is refused over them. */

import { assert, assertEquals } from "@std/assert";
import type { GatewayError } from "../../src/core/errors.ts";
import { Shutdown } from "../../src/core/stop_signal.ts";
import { IncomingBodies } from "../../src/http/open_requests.ts";
import { createTestGateway } from "../support/gateway.ts";

/** Bodies that note their name when they are refused. */
function createBodies(limits: { bodies: number; bytes: number }) {
  const shutdown = new Shutdown();
  const bodies = new IncomingBodies(shutdown);
  const refused: string[] = [];
  const errors: unknown[] = [];
  const begin = (name: string) => {
    const refuse = (error: GatewayError) => {
      refused.push(name);
      errors.push([error.kind, error.headers]);
    };
    const entry = bodies.begin({ bytesHeld: 0, refuse }, limits);
    return {
      hold: (bytes: number) => bodies.hold(entry, bytes, limits),
      end: () => bodies.end(entry),
    };
  };
  return { bodies, refused, errors, begin, shutdown };
}

Deno.test("too many bodies: the oldest one is refused", () => {
  const { bodies, refused, errors, begin } = createBodies({ bodies: 2, bytes: 100 });
  const first = begin("first");
  begin("second");
  begin("third");
  assertEquals([refused, bodies.size], [["first"], 2]);
  first.end();
  begin("fourth");
  assertEquals([refused, bodies.size], [["first", "second"], 2]);
  assertEquals(errors[0], ["overloaded", { "retry-after": "1", connection: "close" }]);
});

Deno.test("too many bytes: the oldest bodies with data are refused until the limit is met", () => {
  const { refused, begin } = createBodies({ bodies: 10, bytes: 100 });
  begin("empty");
  const [first, second, third] = [begin("first"), begin("second"), begin("third")];
  first.hold(40);
  second.hold(40);
  third.hold(20);
  assertEquals(refused, []);
  third.hold(95);
  assertEquals(refused, ["first", "second"]);
  third.hold(101);
  assertEquals(refused, ["first", "second", "third"]);
});

Deno.test("an ended or refused body does not count", () => {
  const { bodies, refused, begin } = createBodies({ bodies: 2, bytes: 100 });
  const done = begin("done");
  done.hold(90);
  done.end();
  done.end();
  done.hold(1000);
  const first = begin("first");
  first.hold(90);
  begin("second").hold(20);
  first.hold(95);
  first.end();
  begin("third").hold(80);
  assertEquals([refused, bodies.size], [["first"], 2]);
});

Deno.test("the shutdown refuses all bodies", () => {
  const { bodies, refused, begin, shutdown } = createBodies({ bodies: 2, bytes: 100 });
  begin("first");
  begin("second").hold(40);
  shutdown.begin();
  assertEquals([refused, bodies.size], [["first", "second"], 0]);
});

Deno.test("the limits scale with those of the server and have a minimum", () => {
  const MiB = 1024 * 1024;
  const limits = (server: Record<string, unknown>) =>
    createTestGateway({ config: { providers: {}, server } }).config.server.bodies.incoming;
  assertEquals(limits({ max_in_flight: 20, max_body: 1000 }), { bodies: 1000, bytes: 256 * MiB });
  assertEquals(limits({ max_in_flight: 2000, max_body: "100MiB" }), {
    bodies: 8000,
    bytes: 800 * MiB,
  });
});

Deno.test("a hundred thousand bodies take linear time", () => {
  const { bodies, refused, begin } = createBodies({ bodies: 1e6, bytes: 1e9 });
  const all = Array.from({ length: 100_000 }, (_, index) => begin(String(index)));
  for (const body of all) body.hold(10);
  for (const body of all) body.end();
  assert(bodies.size === 0 && refused.length === 0);
});
