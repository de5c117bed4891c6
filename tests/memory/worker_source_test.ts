import { assertEquals } from "@std/assert";
import { LayeredStore, MemoryStore } from "../../src/memory/store.ts";
import {
  type StateChannel,
  type StateMessage,
  WorkerSource,
} from "../../src/memory/worker_source.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { turn } from "../support/elapse.ts";

const STATE = new TextEncoder().encode("state");

/** Workers whose messages reach all others that are not deaf. */
function createWorkers(count: number, deaf: ReadonlySet<number> = new Set()) {
  const clock = new ManualClock();
  const messages: StateMessage[] = [];
  const listeners: ((event: MessageEvent<StateMessage>) => void)[] = [];
  const channels = Array.from({ length: count }, (_, from): StateChannel => ({
    addEventListener: (_, listener) => void (listeners[from] = listener),
    postMessage(message) {
      messages.push(message);
      const data = structuredClone(message);
      listeners.forEach((listener, to) => {
        if (to !== from && !deaf.has(to)) listener(new MessageEvent("message", { data }));
      });
    },
  }));
  let ids = 0;
  const stores = channels.map((channel) => {
    const local = new MemoryStore(() => ({ bytes: 1e6, ttlMs: 1e6 }), () => clock.now());
    const newId = (prefix: string) => `${prefix}${++ids}`;
    const others = count - 1;
    return new LayeredStore(local, [
      new WorkerSource({ local, channel, others: () => others, clock, newId }),
    ]);
  });
  const at = (index: number) => stores[index] ?? nothing();
  return { clock, messages, at };
}

/** A source with two other workers, whose replies are sent by hand. */
function createSource(options: { readonly waitMs?: number } = {}) {
  const clock = new ManualClock();
  const sent: StateMessage[] = [];
  let receive = (_: MessageEvent<StateMessage>) => {};
  const channel: StateChannel = {
    addEventListener: (_, listener) => void (receive = listener),
    postMessage: (message) => void sent.push(message),
  };
  const local = new MemoryStore(() => ({ bytes: 1e6, ttlMs: 1e6 }), () => clock.now());
  const newId = (prefix: string) => `${prefix}${sent.length}`;
  const source = new WorkerSource({ local, channel, others: () => 2, clock, newId, ...options });
  const reply = (question: string, ids: readonly string[]) => {
    const entries = new Map(ids.map((id) => [id, STATE]));
    receive(new MessageEvent("message", { data: { type: "answer", question, entries } }));
  };
  return { source, clock, local, sent, reply };
}

function nothing(): never {
  throw new TypeError("There is none");
}

Deno.test("WorkerSource finds entries of another worker, and stores a copy", async () => {
  const { at, messages, clock } = createWorkers(3);
  at(0).put("one", "a", STATE);
  at(2).put("one", "b", STATE);
  const found = await at(1).get("one", ["a", "b"]);
  assertEquals([...found], [["a", STATE], ["b", STATE]]);
  const sent = messages.length;
  assertEquals([...await at(1).get("one", ["a", "b"])], [...found]);
  assertEquals(messages.length, sent, "it asked again");
  assertEquals(clock.pending, 0);
});

Deno.test("WorkerSource does not query others for its own entries", async () => {
  const { at, messages } = createWorkers(2);
  at(0).put("one", "a", STATE);
  assertEquals([...await at(0).get("one", ["a"])], [["a", STATE]]);
  assertEquals([...await at(0).get("one", [])], []);
  assertEquals(messages, []);
});

Deno.test("WorkerSource returns entries of other workers only to their owner", async () => {
  const { at } = createWorkers(2);
  at(0).put("one", "a", STATE);
  assertEquals((await at(1).get("other", ["a"])).size, 0);
});

Deno.test("WorkerSource ends when every worker has answered that it has nothing", async () => {
  const { at, clock } = createWorkers(3);
  assertEquals((await at(0).get("one", ["a"])).size, 0);
  assertEquals(clock.pending, 0);
});

Deno.test("WorkerSource waits a second for a worker that does not answer", async () => {
  const { at, clock } = createWorkers(3, new Set([2]));
  at(1).put("one", "b", STATE);
  const asked = at(0).get("one", ["a", "b"]);
  await Promise.resolve();
  await Promise.resolve();
  assertEquals(clock.pending, 1);
  await turn();
  clock.advance(1000);
  assertEquals([...await asked], [["b", STATE]]);
});

Deno.test("WorkerSource finds an entry of a worker that is busy for less than a second", async () => {
  const { source, clock, reply, sent } = createSource();
  const asked = source.find("one", ["a"]);
  reply("state_0", []);
  clock.advance(999);
  reply("state_0", ["a"]);
  assertEquals([...await asked], [["a", STATE]]);
  assertEquals([sent.length, clock.pending], [1, 0]);
});

Deno.test("WorkerSource of a cache has a shorter limit", async () => {
  const { source, clock } = createSource({ waitMs: 50 });
  const asked = source.find("one", ["a"]);
  clock.advance(50);
  assertEquals([[...await asked], clock.pending], [[], 0]);
});

Deno.test("WorkerSource requests a bounded number of IDs", async () => {
  const { at, messages } = createWorkers(2);
  await at(0).get("one", Array.from({ length: 5000 }, (_, index) => `id_${index}`));
  assertEquals(messages[0]?.type === "ask" && messages[0].ids.length, 1000);
});

Deno.test("WorkerSource gives an entry away once, to its owner", async () => {
  const { at, clock } = createWorkers(3);
  at(0).put("one", "a", STATE);
  assertEquals(await at(1).take("other", "a"), undefined);
  const taken = await Promise.all([1, 0, 2, 1].map((index) => at(index).take("one", "a")));
  assertEquals(taken.filter((state) => state !== undefined), [STATE]);
  assertEquals((await at(0).get("one", ["a"])).size, 0);
  assertEquals(clock.pending, 0);
});

Deno.test("WorkerSource keeps an entry that arrives too late for the request", async () => {
  const { source, clock, local, reply } = createSource();
  const late = async () => {
    const taking = source.take("one", "a", false);
    clock.advance(1000);
    assertEquals(await taking, undefined);
  };
  await late();
  reply("state_0", []);
  reply("state_0", ["a"]);
  assertEquals(await local.take("one", "a"), STATE);
  assertEquals(clock.pending, 0);
  await late();
  clock.advance(5000);
  reply("state_1", ["a"]);
  assertEquals([await local.take("one", "a"), clock.pending], [undefined, 0]);
});
