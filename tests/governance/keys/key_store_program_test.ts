/** What holds for every store of keys. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../../src/core/clock.ts";
import type { KeyStore, StoredKey } from "../../../src/governance/keys/key_store.ts";
import { PostgresKeyStore } from "../../../src/governance/keys/postgres_key_store.ts";
import { SqliteKeyStore } from "../../../src/governance/keys/sqlite_key_store.ts";
import { StoreError } from "../../../src/governance/ledger/usage_store.ts";
import { PostgresConnection } from "../../../src/governance/ledger/postgres_connection.ts";
import { type PostgresRules, toStoreRules } from "../../../src/config/shared_store.ts";
import { startReplica } from "../../support/keys.ts";
import { HAS_POSTGRES, PostgresServer, withPostgres } from "../../support/postgres.ts";
import { emptyDatabase, stopPostgres } from "../../support/postgres_store.ts";

Deno.test.afterAll(stopPostgres);

/** Opens the same store once more. Each one has a separate pepper for a new store. */
type Open = () => KeyStore;

let peppers = 0;
const newPepper = () => `pepper ${++peppers}`;

const KINDS = [
  {
    kind: "SQLite",
    isAvailable: true,
    async run(test: (open: Open) => Promise<void>) {
      const directory = await Deno.makeTempDir({ prefix: "sluice-" });
      await test(() => new SqliteKeyStore(`${directory}/keys.db`, newPepper, systemClock));
      await Deno.remove(directory, { recursive: true });
    },
  },
  {
    kind: "PostgreSQL",
    isAvailable: HAS_POSTGRES,
    async run(test: (open: Open) => Promise<void>) {
      const rules = await emptyDatabase();
      await test(() => new PostgresKeyStore(rules, newPepper));
    },
  },
];

function testStores(name: string, test: (open: Open) => Promise<void>): void {
  for (const { kind, isAvailable, run } of KINDS) {
    const title = `${kind}: ${name}`;
    Deno.test({
      name: kind === "PostgreSQL" ? withPostgres(title) : title,
      ignore: !isAvailable,
      fn: () => run(test),
    });
  }
}

async function using(stores: readonly KeyStore[], run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

let keys = 0;

function keyOf(name: string, members: Partial<StoredKey> = {}): StoredKey {
  const number = ++keys;
  return {
    id: `key_${number}`,
    name,
    prefix: `sk-sluice-${number}`,
    hash: "ab".repeat(32),
    pepper: "0123456789abcdef",
    settings: {},
    created: 1_790_000_000_123,
    revoked: undefined,
    previous: [],
    ...members,
  };
}

Deno.test("SQLite: a key waits for a locked file without blocking the event loop", async () => {
  const path = await Deno.makeTempFile({ suffix: ".db" });
  const store = new SqliteKeyStore(path, newPepper, systemClock);
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  let isInserted = false;
  const inserting = store.insert(keyOf("waiting"), 10).then(() => isInserted = true);
  // A blocked event loop could not release the lock.
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert(!isInserted);
  other.exec("COMMIT");
  await inserting;
  other.close();
  assertEquals((await store.readKeys()).keys.length, 1);
  await store.close();
  await Deno.remove(path);
});

testStores("a key is read as it was written, by another process too", async (open) => {
  const [one, other] = [open(), open()];
  await using([one, other], async () => {
    const full = keyOf(`it's "=1+1" 名前 🔑 \\u0000 --`, {
      settings: {
        models: ["gpt-*", "a'b", "__proto__"],
        limits: { requests_per_minute: 600, tokens_per_minute: 200_000, concurrent: 20 },
        budget: { usd: 250.5, per: "month" },
        expires: 1_798_761_600,
        priority: "batch",
        weight: 0.01,
      },
      previous: [{ prefix: "sk-p", hash: "cd", pepper: "ef", until: 1_790_000_000_456 }],
    });
    const plain = keyOf("plain");
    assertEquals(await one.insert(full, 10), "inserted");
    assertEquals(await one.insert(plain, 10), "inserted");
    assertEquals(await other.find(full.id), full);
    const set = await other.readKeys();
    assertEquals(set.keys, [full, plain]);
    assertEquals(set, await one.readKeys());
    assertEquals(await other.find("key_none"), undefined);
  });
});

testStores(
  "every change increments the version, and refusals leave the keys as they are",
  async (open) => {
    const store = open();
    await using([store], async () => {
      const versions = [await store.readVersion()];
      const key = keyOf("a");
      const note = async () => versions.push(await store.readVersion());
      await store.insert(key, 10);
      await note();
      const hash = { prefix: "sk-2", hash: "00", pepper: "11" };
      assertEquals(await store.update(key.id, { settings: { models: ["m"], expires: 5 } }), true);
      await note();
      assertEquals(await store.update(key.id, { hash, previous: [{ ...hash, until: 7 }] }), true);
      await note();
      assertEquals((await store.find(key.id))?.previous[0]?.until, 7);
      assertEquals(await store.update(key.id, { hash, previous: [] }), true);
      await note();
      assertEquals(await store.update(key.id, { settings: { models: null } }), true);
      await note();
      const changed = { ...key, ...hash, settings: { expires: 5 } };
      assertEquals(await store.find(key.id), changed);
      assertEquals(await store.insert({ ...keyOf("a"), prefix: "sk-3" }, 10), "name_taken");
      assertEquals(await store.insert(keyOf("b"), 1), "full");
      assertEquals(await store.update("key_none", { revoked: 1 }), false);
      assertEquals((await store.readKeys()).keys, [changed]);
      versions.push(await store.readVersion());
      assertEquals(await store.update(key.id, { revoked: 9 }), true);
      await note();
      assertEquals(await store.update(key.id, { settings: { models: ["x"] } }), false);
      assertEquals((await store.find(key.id))?.revoked, 9);
      assertEquals((await store.readKeys()).keys, []);
      // A revoked key leaves its place to another one, but not its name.
      assertEquals(await store.insert(keyOf("a"), 1), "name_taken");
      assertEquals(await store.insert(keyOf("c"), 1), "inserted");
      const grew = versions.map((version, index) => version > (versions[index - 1] ?? -1));
      assertEquals(
        grew.filter((_, index) => index !== versions.length - 2),
        Array(versions.length - 1).fill(true),
      );
    });
  },
);

testStores(
  "changes after a version hold new, changed and revoked keys, and no others",
  async (open) => {
    const [one, other] = [open(), open()];
    await using([one, other], async () => {
      const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(name));
      if (a === undefined || b === undefined || c === undefined) throw new TypeError("No keys");
      await one.insert(a, 10);
      await one.insert(b, 10);
      const first = await other.readKeys();
      assertEquals([first.isWhole, first.keys], [true, [a, b]]);
      const none = await other.readKeys(first.version);
      assertEquals([none.isWhole, none.keys], [false, []]);
      await one.insert(c, 10);
      await one.update(a.id, { revoked: 5 });
      const second = await other.readKeys(first.version);
      assertEquals([second.isWhole, second.keys], [false, [{ ...a, revoked: 5 }, c]]);
      await one.update(b.id, { settings: { models: ["m"] } });
      const third = await other.readKeys(second.version);
      assertEquals(third.keys, [{ ...b, settings: { models: ["m"] } }]);
      // A store that is older than what is known, such as a restored backup, is read anew.
      const restored = await other.readKeys(third.version + 5);
      assertEquals([restored.isWhole, restored.keys.map(({ name }) => name)], [true, ["b", "c"]]);
    });
  },
);

testStores("pages hold keys in the order of their creation", async (open) => {
  const store = open();
  await using([store], async () => {
    const made = Array.from({ length: 5 }, (_, index) => keyOf(`key ${index}`));
    for (const key of made) await store.insert(key, 10);
    await store.update(made[1]?.id ?? "", { revoked: 1 });
    const names = async (query: Partial<Parameters<KeyStore["list"]>[0]>) =>
      (await store.list({ revoked: false, limit: 10, ...query })).map(({ name }) => name);
    assertEquals(await names({}), ["key 0", "key 2", "key 3", "key 4"]);
    assertEquals(await names({ limit: 2 }), ["key 0", "key 2"]);
    assertEquals(await names({ after: made[0]?.id, limit: 1 }), ["key 2"]);
    assertEquals(await names({ after: made[0]?.id, revoked: true, limit: 1 }), ["key 1"]);
    assertEquals(await names({ after: "key_none" }), []);
    assertEquals(await names({ name: "key 3" }), ["key 3"]);
    assertEquals(await names({ name: "key 1" }), []);
    assertEquals(await names({ name: "' OR '1'='1" }), []);
    assertEquals(await names({ search: "KEY" }), ["key 0", "key 2", "key 3", "key 4"]);
    assertEquals(await names({ search: "Y 3" }), ["key 3"]);
    assertEquals(await names({ search: "key", after: made[0]?.id, limit: 2 }), ["key 2", "key 3"]);
    assertEquals(await names({ search: made[4]?.prefix.toUpperCase() }), ["key 4"]);
    for (const search of ["%", "_", "*", "' OR '1'='1", "key 1", "\u{1f600}"]) {
      assertEquals(await names({ search }), [], search);
    }
  });
});

testStores(
  "of replicas that start and create at once, all agree on one pepper and one owner of a name",
  async (open) => {
    const stores = Array.from({ length: 4 }, () => open());
    await using(stores, async () => {
      const sets = await Promise.all(stores.map((store) => store.readKeys()));
      assertEquals(new Set(sets.map(({ pepper }) => pepper)).size, 1);
      const outcomes = await Promise.all(stores.map((store) => store.insert(keyOf("same"), 10)));
      assertEquals(outcomes.toSorted(), ["inserted", "name_taken", "name_taken", "name_taken"]);
      const many = await Promise.all(
        stores.flatMap((store) => [1, 2, 3].map(() => store.insert(keyOf(`key ${++keys}`), 6))),
      );
      assertEquals(many.filter((outcome) => outcome === "inserted").length, 5);
      assertEquals((await stores[0]?.readKeys())?.keys.length, 6);
    });
  },
);

testStores(
  "settings that this version cannot read make a key invalid, not the others",
  async (open) => {
    const [first, again] = [open(), open()];
    await using([first, again], async () => {
      await first.insert(keyOf("newer", { settings: { scope: 1, models: [] } as never }), 10);
      await first.insert(keyOf("good"), 10);
      const { keys } = await again.readKeys();
      assertEquals(keys.map(({ name, settings }) => [name, settings]), [
        ["newer", undefined],
        ["good", {}],
      ]);
    });
  },
);

Deno.test({
  name: withPostgres(
    "known keys work while PostgreSQL is down, and changes arrive when it is back",
  ),
  ignore: !HAS_POSTGRES,
  async fn() {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await PostgresServer.start(), (server) => server.stop());
    const rules = toStoreRules(await server.createDatabase("keys")) as PostgresRules;
    await using replica = await startReplica({ store: new PostgresKeyStore(rules, newPepper) });
    const { body } = await replica.admin("POST", "/v1/admin/keys", { name: "team" });
    const key = String(body.key);
    assertEquals(await replica.ask(key), 200);
    // PostgreSQL refuses such a text, which must not look like a failure.
    assertEquals((await replica.admin("DELETE", "/v1/admin/keys/key_%00")).status, 404);
    for (const query of ["name=%00", "after=%00", "search=%00"]) {
      const listed = await replica.admin("GET", `/v1/admin/keys?${query}`);
      assertEquals([listed.status, listed.body.data], [200, []], query);
    }
    await server.kill();
    const refused = await replica.admin("DELETE", `/v1/admin/keys/${body.id}`);
    assertEquals([refused.status, refused.body.error?.code], [503, "store_unavailable"]);
    assertEquals(await replica.ask(key), 200);
    await server.resume();
    const revoked = await replica.admin("DELETE", `/v1/admin/keys/${body.id}`);
    assertEquals([revoked.status, await replica.ask(key)], [200, 401]);
    const text = JSON.stringify([replica.messages, replica.gateway.lines, refused.body]);
    assert(!text.includes(rules.password) && !text.includes(key.slice(18)), text);
    const dump = await server.dump(rules.database);
    assert(dump.includes(key.slice(0, 18)) && !dump.includes(key.slice(18)));
  },
});

Deno.test({
  name: withPostgres("a table of keys of a newer version is refused"),
  ignore: !HAS_POSTGRES,
  async fn() {
    const rules = await emptyDatabase();
    const [one, other] = [0, 1].map(() => new PostgresKeyStore(rules, newPepper));
    await one?.readKeys();
    const connection = new PostgresConnection(rules, undefined, 5000);
    await connection.call((sql) => sql("UPDATE sluice_keys_state SET schema = 99"));
    await connection.close();
    await assertRejects(async () => await other?.readKeys(), StoreError, "has version 99");
    await Promise.all([one?.close(), other?.close()]);
  },
});

testStores("texts of rotations at the same time, on two replicas, are all valid", async (open) => {
  await using one = await startReplica({ store: open() });
  await using two = await startReplica({ store: open() });
  const { body: { id, key } } = await one.admin("POST", "/v1/admin/keys", { name: "team" });
  const rotate = (replica: typeof one, overlap: string) =>
    replica.admin("POST", `/v1/admin/keys/${id}/rotate`, { overlap });
  const rotated = await Promise.all([one, two, one, two].map((each) => rotate(each, "1h")));
  assertEquals(rotated.map(({ status }) => status), [200, 200, 200, 200]);
  await rotate(one, "1h");
  const texts = [key, ...rotated.map(({ body }) => body.key)].map(String);
  assertEquals(await Promise.all(texts.map((text) => one.ask(text))), texts.map(() => 200));
  // Without an overlap one of them ends the others, so only one text is handed out at a time.
  const store = open();
  const read = store.find.bind(store);
  await using three = await startReplica({
    store: Object.assign(store, {
      find: async (wanted: string) => {
        const found = await read(wanted);
        await rotate(one, "1h");
        return found;
      },
    }),
  });
  const { status, body } = await rotate(three, "0s");
  assertEquals([status, body.error?.code], [409, "key_rotating"]);
});
