/** One connection that several users share. */

import { assertEquals, assertThrows } from "@std/assert";
import { LocalCounters } from "../../../src/governance/local_counters.ts";
import type { StoreClient } from "../../../src/memory/shared_store/connection.ts";
import { SharedStore, type StoreUser } from "../../../src/memory/shared_store/shared_store.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { turn } from "../../support/elapse.ts";

/** A server whose replies are the names of the scripts. */
class Server {
  readonly clock = new ManualClock();
  readonly lines: string[] = [];
  readonly levels: string[] = [];
  readonly opened: string[][] = [];
  readonly closed: string[] = [];
  hangs = false;
  end = (_reason: string) => {};

  readonly store = new SharedStore({
    open: (scripts) => {
      const { promise: ended, resolve } = Promise.withResolvers<string>();
      this.end = resolve;
      this.opened.push(Object.keys(scripts));
      const client: StoreClient = {
        ended,
        close: () => resolve("closed"),
        run: (script) => this.hangs ? new Promise(() => {}) : Promise.resolve(script),
      };
      return Promise.resolve(client);
    },
    name: "store.test:6379",
    clock: this.clock,
    counters: new LocalCounters(),
    log: (text, level) => {
      this.lines.push(text);
      this.levels.push(level ?? "info");
    },
  });

  /** Joins a user that notes what it hears. */
  join(name: string, effect?: string) {
    const events: string[] = [];
    const user: StoreUser<"get", string> = {
      name,
      scripts: { get: `return '${name}'` },
      effect: () => effect,
      onOpen: async (run) => void events.push(`open ${await run("get", [], [])}`),
      onUp: () => events.push("up"),
      onDown: () => events.push("down"),
      onFailure: (failure) => events.push(failure),
      onReply: () => events.push("reply"),
    };
    return { link: this.store.join(user), events };
  }
}

Deno.test("SharedStore opens one connection for all users, and each runs its own scripts", async () => {
  const server = new Server();
  const [one, other] = [server.join("one"), server.join("other")];
  assertEquals(await one.link.ask("get", [], []), undefined);
  server.store.start();
  await turn();
  assertEquals(server.opened, [["one.get", "other.get"]]);
  assertEquals([one.link.generation, other.link.generation], [1, 1]);
  assertEquals(await other.link.ask("get", [], []), "other.get");
  assertEquals(one.events, ["open one.get", "up"]);
  assertEquals(other.events, ["open other.get", "up", "reply"]);
  assertThrows(() => server.join("late"), TypeError);
  await Promise.all([one.link.close(), other.link.close()]);
  assertEquals(server.clock.pending, 0);
});

Deno.test("SharedStore reports a timeout to the user whose call it was, and a loss to all", async () => {
  const server = new Server();
  const [one, other] = [server.join("one", "one waits"), server.join("other", "other waits")];
  server.store.start();
  await turn();
  server.hangs = true;
  const asked = one.link.ask("get", [], []);
  server.clock.advance(50);
  assertEquals(await asked, undefined);
  assertEquals([one.events.slice(2), other.events.slice(2)], [["timeout"], []]);
  server.hangs = false;
  server.end("ECONNRESET");
  await turn();
  assertEquals(server.store.isLost, true);
  assertEquals([one.events.slice(3), other.events.slice(2)], [
    ["connection", "down"],
    ["connection", "down"],
  ]);
  server.clock.advance(50);
  await turn();
  assertEquals(server.lines, [
    "the shared store store.test:6379 fails (ECONNRESET): one waits, other waits",
    "the shared store store.test:6379 is available again",
  ]);
  assertEquals(server.levels, ["error", "info"]);
  assertEquals([one.link.generation, one.events.at(-1)], [2, "up"]);
  await Promise.all([one.link.close(), other.link.close()]);
});

Deno.test("SharedStore stays connected until the last user has closed its link", async () => {
  const server = new Server();
  const [one, other] = [server.join("one"), server.join("other")];
  server.store.start();
  await turn();
  await one.link.close();
  assertEquals(await other.link.ask("get", [], []), "other.get");
  server.end("ECONNRESET");
  await turn();
  assertEquals(one.events.includes("down"), false);
  server.clock.advance(50);
  await turn();
  assertEquals(await other.link.ask("get", [], []), "other.get");
  await other.link.close();
  assertEquals([other.link.generation, server.clock.pending], [undefined, 0]);
});
