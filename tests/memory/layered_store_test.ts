import { assertEquals } from "@std/assert";
import { LayeredStore, MemoryStore, type StateSource } from "../../src/memory/store.ts";

const STATE = new TextEncoder().encode("state");

/** A source with these entries, which records its calls. */
function createSource(ids: readonly string[], end: Promise<void> = Promise.resolve()) {
  const reported: unknown[] = [];
  const source: StateSource = {
    async find(owner, asked) {
      reported.push(["find", owner, ...asked]);
      await end;
      return new Map(asked.filter((id) => ids.includes(id)).map((id) => [id, STATE]));
    },
    onPut: (owner, id, state) => void reported.push(["put", owner, id, state]),
    onRemove: (owner, id) => void reported.push(["remove", owner, id]),
    take: (owner, id, hasIt) => {
      reported.push(["take", owner, id, hasIt]);
      return Promise.resolve(ids.includes(id) ? STATE : undefined);
    },
  };
  return { source, reported };
}

function createStore(sources: readonly StateSource[], bytes = 10_000): LayeredStore {
  return new LayeredStore(new MemoryStore(() => ({ bytes, ttlMs: 1000 }), () => 0), sources);
}

Deno.test("LayeredStore queries all sources at once, and does not wait for those it does not need", async () => {
  const never = new Promise<void>(() => {});
  const [slow, fast] = [createSource(["a"], never), createSource(["a"])];
  const store = createStore([slow.source, fast.source]);
  assertEquals([...await store.get("one", ["a"])], [["a", STATE]]);
  assertEquals([slow.reported, fast.reported], [[["find", "one", "a"]], [["find", "one", "a"]]]);
});

Deno.test("LayeredStore puts together what several sources have", async () => {
  const [one, other] = [createSource(["a"]), createSource(["b"])];
  const store = createStore([one.source, other.source]);
  store.put("one", "c", STATE);
  const found = await store.get("one", ["a", "b", "c", "d"]);
  assertEquals([...found.keys()].sort(), ["a", "b", "c"]);
  assertEquals(one.reported[1], ["find", "one", "a", "b", "d"]);
});

Deno.test("LayeredStore tells its sources what was stored and removed, but not its copies", async () => {
  const { source, reported } = createSource(["b"]);
  const store = createStore([source], 500);
  assertEquals(store.put("one", "a", STATE), true);
  assertEquals(store.put("one", "large", new Uint8Array(1000)), false);
  await store.get("one", ["b"]);
  store.remove("one", "a");
  assertEquals(reported, [["put", "one", "a", STATE], ["find", "one", "b"], [
    "remove",
    "one",
    "a",
  ]]);
});
