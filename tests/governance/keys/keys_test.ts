/** Keys at run time: who may use them, when changes take effect, and what the store outlives. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { KeyStore } from "../../../src/governance/keys/key_store.ts";
import { StoredKeyring } from "../../../src/governance/keys/stored_keyring.ts";
import { openKeyFile, type Replica, startReplica, withKeyFile } from "../../support/keys.ts";
import { untilReply } from "../../support/elapse.ts";

const KEYS = "/v1/admin/keys";

/** Runs with one replica. */
async function withReplica(
  run: (replica: Replica, path: string) => Promise<void>,
  options: Omit<Parameters<typeof startReplica>[0], "store"> = {},
): Promise<void> {
  await withKeyFile(async (path) => {
    await using replica = await startReplica({ ...options, store: openKeyFile(path) });
    await run(replica, path);
  });
}

async function create(
  { admin }: Replica,
  name: string,
  settings: Record<string, unknown> = {},
): Promise<{ id: string; key: string }> {
  const { status, body } = await admin("POST", KEYS, { name, ...settings });
  assertEquals(status, 201, JSON.stringify(body));
  return { id: String(body.id), key: String(body.key) };
}

Deno.test("a created key works at once; a revoked one stops at once, also in the memory of tokens", async () => {
  await withReplica(async (replica) => {
    const { id, key } = await create(replica, "team");
    assertEquals([await replica.ask(key), await replica.ask(key)], [200, 200]);
    assertEquals(await replica.ask(`${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`), 401);
    const { status, body } = await replica.admin("DELETE", `${KEYS}/${id}`);
    assertEquals([status, body.status], [200, "revoked"]);
    assertEquals(await replica.ask(key), 401);
    const again = await replica.admin("DELETE", `${KEYS}/${id}`);
    assertEquals([again.status, again.body.revoked], [200, body.revoked]);
  });
});

Deno.test("keys of config.yaml and of the store work side by side", async () => {
  await withReplica(async (replica) => {
    const { key } = await create(replica, "team");
    assertEquals(await replica.ask(key), 200);
    assertEquals(await replica.ask("sk-configured"), 200);
    const { body } = await replica.admin("GET", KEYS);
    const names = (body.data as { name: string; source: string }[])
      .map(({ name, source }) => [name, source]);
    assertEquals(names, [["batch", "config"], ["team", "store"]]);
  }, { server: { keys: [{ name: "batch", key: "sk-configured" }] } });
});

Deno.test("models, limits, budget and expiry of a key apply, and changes apply at once", async () => {
  await withReplica(async (replica) => {
    const { id, key } = await create(replica, "team", {
      models: ["mock-*"],
      limits: { requests_per_minute: 2, tokens_per_minute: "200k" },
      budget: { usd: 5, per: "month" },
    });
    assertEquals([await replica.ask(key), await replica.ask(key, "other")], [200, 404]);
    assertEquals([await replica.ask(key), await replica.ask(key)], [200, 429]);
    const { status, body } = await replica.admin("PATCH", `${KEYS}/${id}`, {
      models: null,
      limits: null,
    });
    assertEquals([status, body.models, body.limits, body.budget], [200, null, null, {
      usd: 5,
      per: "month",
    }]);
    assertEquals([await replica.ask(key), await replica.ask(key, "other")], [200, 200]);
    await replica.admin("PATCH", `${KEYS}/${id}`, { expires: 1_700_000_000 });
    assertEquals(await replica.ask(key), 401);
    const shown = await replica.admin("GET", `${KEYS}/${id}`);
    assertEquals([shown.body.status, shown.body.expires], ["expired", 1_700_000_000]);
    await replica.admin("PATCH", `${KEYS}/${id}`, { expires: null });
    assertEquals(await replica.ask(key), 200);
  });
});

Deno.test("queues see the class and the weight of a key, and their changes", async () => {
  await withReplica(async (replica, path) => {
    const { id, key } = await create(replica, "team", { priority: "batch", weight: 3 });
    const inQueues = async () => {
      const store = openKeyFile(path);
      const keyring = new StoredKeyring();
      keyring.apply(await store.readKeys());
      await store.close();
      const found = keyring.addTo(replica.gateway.config).authenticate(key);
      return [found?.name, found?.priority, found?.weight];
    };
    assertEquals(await inQueues(), ["team", "batch", 3]);
    const { body } = await replica.admin("PATCH", `${KEYS}/${id}`, { priority: null, weight: 7 });
    assertEquals([body.priority, body.weight, body.models], [null, 7, null]);
    assertEquals(await inQueues(), ["team", undefined, 7]);
    await replica.admin("PATCH", `${KEYS}/${id}`, { weight: null });
    assertEquals(await inQueues(), ["team", undefined, undefined]);
  });
});

Deno.test("a rotated key has a new text; the one before is valid for the overlap alone", async () => {
  await withReplica(async (replica) => {
    const { id, key } = await create(replica, "team");
    const first = await replica.admin("POST", `${KEYS}/${id}/rotate`);
    assertEquals(first.status, 200);
    const second = String(first.body.key);
    assertEquals([await replica.ask(key), await replica.ask(second)], [401, 200]);
    const { body } = await replica.admin("POST", `${KEYS}/${id}/rotate`, { overlap: "1h" });
    const third = String(body.key);
    assertEquals(body.previous_valid_until, 1_700_003_600);
    assertEquals([await replica.ask(second), await replica.ask(third)], [200, 200]);
    replica.clock.advance(3_600_000);
    assertEquals([await replica.ask(second), await replica.ask(third)], [401, 200]);
    await replica.admin("DELETE", `${KEYS}/${id}`);
    assertEquals([await replica.ask(second), await replica.ask(third)], [401, 401]);
  });
});

Deno.test("a rotation within the overlap of another does not end a text early", async () => {
  await withReplica(async (replica) => {
    const { id, key } = await create(replica, "team");
    const rotate = async (body: object) =>
      String((await replica.admin("POST", `${KEYS}/${id}/rotate`, body)).body.key);
    const second = await rotate({ overlap: "2h" });
    const third = await rotate({ overlap: "1h" });
    const statuses = () => Promise.all([key, second, third].map((text) => replica.ask(text)));
    assertEquals(await statuses(), [200, 200, 200]);
    replica.clock.advance(3_600_000);
    assertEquals(await statuses(), [200, 401, 200]);
    replica.clock.advance(3_600_000);
    assertEquals(await statuses(), [401, 401, 200]);
    await rotate({ overlap: "1h" });
    await rotate({});
    assertEquals(await statuses(), [401, 401, 401], "without an overlap, all of them end");
  });
});

Deno.test("names are unique among all keys, and a revoked key keeps its name", async () => {
  await withReplica(async (replica) => {
    const { id } = await create(replica, "team");
    for (
      const [name, code] of [["team", "name_taken"], ["test", "name_taken"], ["ops", "name_taken"]]
    ) {
      const { status, body } = await replica.admin("POST", KEYS, { name });
      assertEquals([status, body.error?.code], [409, code], name);
    }
    await replica.admin("DELETE", `${KEYS}/${id}`);
    const { status, body } = await replica.admin("POST", KEYS, { name: "team" });
    assertEquals(status, 409);
    assertStringIncludes(body.error?.message ?? "", "revoked key stays taken");
  });
});

Deno.test("a key of config.yaml disables a stored key of the same name", async () => {
  await withReplica(async (replica) => {
    const { id, key } = await create(replica, "team");
    assertEquals(await replica.ask(key), 200);
    replica.reload({ server: { keys: [{ name: "team", key: "sk-of-config" }] } });
    assertEquals([await replica.ask(key), await replica.ask("sk-of-config")], [401, 200]);
    const { body } = await replica.admin("GET", `${KEYS}/${id}`);
    assertEquals([body.status, body.reason], [
      "disabled",
      "config.yaml has a key with the same name",
    ]);
    replica.reload({});
    assertEquals(await replica.ask(key), 200);
  });
});

Deno.test("models of a stored key follow the configuration", async () => {
  await withReplica(async (replica) => {
    const { key } = await create(replica, "team", { models: ["new-*"] });
    assertEquals(await replica.ask(key, "mock-echo"), 404);
    replica.reload({
      providers: { mock: { kind: "mock", models: [{ id: "new-one", upstream: "mock-echo" }] } },
    });
    assertEquals(await replica.ask(key, "new-one"), 200);
  });
});

Deno.test("keys outlive the process", async () => {
  await withKeyFile(async (path) => {
    const keys: string[] = [];
    {
      await using replica = await startReplica({ store: openKeyFile(path) });
      keys.push((await create(replica, "team", { models: ["mock-echo"] })).key);
    }
    await using replica = await startReplica({ store: openKeyFile(path) });
    assertEquals(await replica.ask(keys[0] ?? ""), 200);
    assertEquals(await replica.ask(keys[0] ?? "", "other"), 404);
  });
});

Deno.test("another server.key_pepper disables the keys, and the first one enables them again", async () => {
  const [one, other] = ["a".repeat(32), "b".repeat(32)];
  await withKeyFile(async (path) => {
    await using replica = await startReplica({
      store: openKeyFile(path),
      server: { key_pepper: one },
    });
    const { id, key } = await create(replica, "team");
    assertEquals(await replica.ask(key), 200);
    replica.reload({ server: { key_pepper: other } });
    assertEquals(await replica.ask(key), 401);
    const { body } = await replica.admin("GET", `${KEYS}/${id}`);
    assertEquals([body.status, body.reason], [
      "disabled",
      "It was created with another server.key_pepper",
    ]);
    replica.reload({});
    assertEquals(await replica.ask(key), 200);
  });
});

Deno.test("changes reach another replica within 5 seconds", async () => {
  await withKeyFile(async (path) => {
    await using one = await startReplica({ store: openKeyFile(path) });
    await using other = await startReplica({ store: openKeyFile(path) });
    const { id, key } = await create(one, "team");
    other.clock.advance(2000);
    await untilReply(async () => await other.ask(key) === 200);
    await one.admin("DELETE", `${KEYS}/${id}`);
    assertEquals(await one.ask(key), 401);
    other.clock.advance(2000);
    await untilReply(async () => await other.ask(key) === 401);
    // Its own calls see what others have changed at once.
    const made = await create(one, "second");
    const { body } = await other.admin("GET", `${KEYS}/${made.id}`);
    assertEquals(body.name, "second");
  });
});

/** A store that fails while told to. */
function failing(store: KeyStore): KeyStore & { isGone: boolean } {
  const gone = (call: () => Promise<unknown>) =>
    self.isGone ? Promise.reject(new Error("connection refused")) : call();
  const self = {
    name: "test",
    isGone: false,
    readVersion: () => gone(() => store.readVersion()),
    readKeys: () => gone(() => store.readKeys()),
    find: (id: string) => gone(() => store.find(id)),
    list: (query: Parameters<KeyStore["list"]>[0]) => gone(() => store.list(query)),
    insert: (...args: Parameters<KeyStore["insert"]>) => gone(() => store.insert(...args)),
    update: (...args: Parameters<KeyStore["update"]>) => gone(() => store.update(...args)),
    close: () => store.close(),
  };
  return self as unknown as KeyStore & { isGone: boolean };
}

Deno.test("while the store is unavailable, known keys work, admin calls are a 503, and one line is logged", async () => {
  await withKeyFile(async (path) => {
    const store = failing(openKeyFile(path));
    await using replica = await startReplica({ store });
    const { key } = await create(replica, "team");
    store.isGone = true;
    for (let poll = 0; poll < 3; poll++) {
      replica.clock.advance(2000);
      await untilReply(() => replica.clock.pending === 1);
    }
    assertEquals(await replica.ask(key), 200);
    assertEquals(replica.messages, [
      "cannot read the keys in store test; continuing with the keys already loaded: " +
      "connection refused",
    ]);
    const { status, body } = await replica.admin("POST", KEYS, { name: "second" });
    assertEquals([status, body.error?.code], [503, "store_unavailable"]);
    assert(!JSON.stringify(body).includes("connection refused"));
    store.isGone = false;
    replica.clock.advance(2000);
    await untilReply(() => replica.messages.length === 3);
    assertEquals(replica.messages.at(-1), "the keys in store test can be read again");
    await create(replica, "second");
  });
});

Deno.test("a store that is unavailable at the start is read when it is back", async () => {
  await withKeyFile(async (path) => {
    const store = failing(openKeyFile(path));
    let key = "";
    {
      await using replica = await startReplica({ store: openKeyFile(path) });
      key = (await create(replica, "team")).key;
    }
    store.isGone = true;
    await using replica = await startReplica({ store });
    assertEquals([await replica.ask(key), await replica.ask("sk-test-service-key")], [401, 200]);
    store.isGone = false;
    // An admin's call reads it at once.
    await create(replica, "other");
    assertEquals(await replica.ask(key), 200);
  });
});

Deno.test("a store that is unavailable at the start is polled until it is back", async () => {
  await withKeyFile(async (path) => {
    const store = failing(openKeyFile(path));
    await using other = await startReplica({ store: openKeyFile(path) });
    const { key } = await create(other, "team");
    store.isGone = true;
    await using replica = await startReplica({ store });
    store.isGone = false;
    replica.clock.advance(2000);
    await untilReply(async () => await replica.ask(key) === 200);
  });
});

Deno.test("keys that are read anew replace all others", () => {
  const keyring = new StoredKeyring();
  const key = { hash: "00", pepper: "", settings: {}, created: 0 };
  const [one, other] = ["one", "other"].map((name) => ({
    ...{ ...key, id: name, name, prefix: name, revoked: undefined, previous: [] },
  }));
  if (one === undefined || other === undefined) throw new TypeError("No keys");
  keyring.apply({ version: 5, pepper: "", isWhole: true, keys: [one] });
  keyring.apply({ version: 6, pepper: "", isWhole: false, keys: [other] });
  assertEquals(keyring.keys, [one, other]);
  keyring.apply({ version: 2, pepper: "", isWhole: true, keys: [other] });
  assertEquals(keyring.keys, [other]);
});

Deno.test("the last poll ends with the registry", async () => {
  await withKeyFile(async (path) => {
    const replica = await startReplica({ store: openKeyFile(path) });
    assertEquals(replica.clock.pending, 1);
    await replica[Symbol.asyncDispose]();
    assertEquals(replica.clock.pending, 0);
  });
});

Deno.test("a poll that runs while the registry closes is the last one, and is silent", async () => {
  await withKeyFile(async (path) => {
    const store = openKeyFile(path);
    const replica = await startReplica({ store });
    const { promise, reject } = Promise.withResolvers<number>();
    store.readVersion = () => promise;
    replica.clock.advance(2000);
    await replica[Symbol.asyncDispose]();
    reject(new Error("The store is closed"));
    await promise.catch(() => {});
    await Promise.resolve();
    assertEquals([replica.clock.pending, replica.messages], [0, []]);
  });
});

Deno.test("a key has at most 20 earlier texts, and those that have just ended do not count", async () => {
  await withReplica(async (replica) => {
    const { id } = await create(replica, "team");
    const rotate = () => replica.admin("POST", `${KEYS}/${id}/rotate`, { overlap: "1h" });
    for (let count = 0; count < 20; count++) assertEquals((await rotate()).status, 200);
    assertEquals((await rotate()).status, 409);
    replica.clock.advance(3_600_000);
    assertEquals((await rotate()).status, 200);
  });
});
