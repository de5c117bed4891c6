/** Moved sessions that the workers of a process share. */

import { assertEquals } from "@std/assert";
import {
  type MovesChannel,
  type MovesMessage,
  shareAmongWorkers,
} from "../../../src/features/affinity/moved_exchange.ts";
import { MAX_MOVES, MovedSessions } from "../../../src/features/affinity/moved_sessions.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const TTL = 300_000;

/** Channels whose messages arrive at once, at all others. */
function createChannels() {
  const listeners = new Map<MovesChannel, (event: MessageEvent<MovesMessage>) => void>();
  const messages: MovesMessage[] = [];
  const open = (): MovesChannel => {
    const channel: MovesChannel = {
      postMessage(message) {
        messages.push(message);
        const data = structuredClone(message);
        for (const [other, listener] of listeners) {
          if (other !== channel) listener(new MessageEvent("message", { data }));
        }
      },
      addEventListener: (_, listener) => void listeners.set(channel, listener),
      close: () => void listeners.delete(channel),
    };
    return channel;
  };
  return { open, messages, listeners };
}

function setUp(isUsed = true) {
  const clock = new ManualClock();
  const { open, messages, listeners } = createChannels();
  const start = () => {
    const moved = new MovedSessions();
    const { close } = shareAmongWorkers(moved, clock, open, isUsed);
    const find = (key: string, session: string) =>
      moved.find(key, () => session, clock.now())?.target;
    const move = (key: string, session: string, target: string) =>
      moved.moved(key, session, { target, until: clock.now() + TTL }, clock.now());
    return {
      moved,
      close,
      find,
      move,
      forget: (key: string, session: string) => moved.forget(key, () => session),
    };
  };
  return { clock, messages, listeners, start };
}

Deno.test("a session that one worker moved is known to the others, until its time or its return", async () => {
  const { clock, start, listeners } = setUp();
  const [one, other] = [start(), start()];
  one.move("a", "s1 m", "x@p");
  one.move("a", "s2 m", "x@p");
  assertEquals([other.find("a", "s1 m"), other.find("a", "s2 m")], ["x@p", "x@p"]);
  // The same session of another service key is another one.
  assertEquals(other.find("b", "s1 m"), undefined);
  other.forget("a", "s1 m");
  assertEquals(one.find("a", "s1 m"), undefined);
  clock.advance(TTL - 1);
  assertEquals(other.find("a", "s2 m"), "x@p");
  clock.advance(1);
  assertEquals(other.find("a", "s2 m"), undefined);
  for (const { close } of [one, other]) await close();
  assertEquals([listeners.size, clock.pending], [0, 0]);
});

Deno.test("a worker that starts later requests what the others know", async () => {
  const { start } = setUp();
  const first = start();
  for (let index = 0; index < 1500; index++) first.move(`k${index % 2}`, `s${index} m`, "x@p");
  const late = start();
  assertEquals([late.find("k0", "s0 m"), late.find("k1", "s1499 m")], ["x@p", "x@p"]);
  for (const { close } of [first, late]) await close();
});

Deno.test("a session that stays where it moved is sent again from time to time, not at each request", async () => {
  const { clock, messages, start } = setUp();
  const [one, other] = [start(), start()];
  const before = messages.length;
  for (let second = 0; second < 600; second++) {
    one.move("a", "s m", "x@p");
    clock.advance(1000);
  }
  assertEquals(messages.length - before, 20);
  assertEquals(other.find("a", "s m"), "x@p");
  for (const { close } of [one, other]) await close();
});

Deno.test("without a request that uses affinity there is no channel", async () => {
  const { listeners, messages, start } = setUp(false);
  const [one, other] = [start(), start()];
  assertEquals([listeners.size, messages.length], [0, 0]);
  one.find("a", "s m");
  other.find("a", "s m");
  one.move("a", "s m", "x@p");
  assertEquals([listeners.size, other.find("a", "s m")], [2, "x@p"]);
  for (const { close } of [one, other]) await close();
});

Deno.test("the memory of moved sessions is bounded, and fair to the service keys", () => {
  const moved = new MovedSessions();
  const count = () => [...moved.all(0)].length;
  for (let key = 0; key < 600; key++) {
    for (let session = 0; session < 1100; session += key < 400 ? 1 : 100) {
      moved.moved(`k${key}`, `s${session}`, { target: "x@p", until: 1 }, 0);
    }
  }
  assertEquals(count() <= MAX_MOVES, true);
  assertEquals(count() > MAX_MOVES / 2, true);
  for (const [session, found] of [["s0", "x@p"], ["s1000", "x@p"], ["s1", undefined]] as const) {
    assertEquals(moved.find("k599", () => session, 0)?.target, found);
  }
  // One key has its newest sessions, and none of the others' places.
  assertEquals([...moved.all(0)].filter(({ key }) => key === "k399").length, 1000);
  for (let key = 0; key < 600; key++) {
    for (let session = 0; session < 1100; session++) moved.forget(`k${key}`, () => `s${session}`);
  }
  assertEquals(count(), 0);
});
