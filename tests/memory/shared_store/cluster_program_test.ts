/** A real cluster and real sentinels: scripts, failover of a primary, and a node that hangs. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { systemClock } from "../../../src/core/clock.ts";
import { toSharedStoreRules } from "../../../src/config/shared_store.ts";
import type { StoreServer } from "../../../src/memory/shared_store/client.ts";
import { openCluster, slotOf } from "../../../src/memory/shared_store/cluster_client.ts";
import { NodeLostError } from "../../../src/memory/shared_store/connection.ts";
import { keyOf } from "../../../src/memory/shared_store/shared_store.ts";
import { callAll, startReplicas } from "../../support/replicas.ts";
import {
  type GroupServer,
  startCluster,
  startSentinels,
  until,
  type ValkeyCluster,
} from "../../support/valkey_cluster.ts";
import { NEEDS_VALKEY, VALKEY } from "../../support/valkey_server.ts";

const ignore = VALKEY === undefined;
/** The slot of the service key of the replicas. */
const OWN_SLOT = slotOf(keyOf("key:own", ""));
const PER_MINUTE = 600;
const SECONDS = 8;

const SCRIPTS = {
  add: "return redis.call('INCRBY', KEYS[1], ARGV[1])",
  two: "return redis.call('GET', KEYS[1]) or redis.call('GET', KEYS[2])",
} as const;

function rulesOf(url: string): StoreServer {
  const rules = toSharedStoreRules(url, "local");
  if (rules === undefined) throw new Error(url);
  return rules;
}

async function open(cluster: ValkeyCluster) {
  const signal = new AbortController().signal;
  const options = { server: rulesOf(cluster.url), scripts: SCRIPTS, clock: systemClock };
  return await openCluster<keyof typeof SCRIPTS, number>(options, signal);
}

Deno.test("slotOf() is that of the servers", () => {
  // The examples of https://valkey.io/topics/cluster-spec/ and of CLUSTER KEYSLOT.
  assertEquals(slotOf("123456789"), 0x31c3);
  assertEquals(slotOf("foo"), 12182);
  assertEquals(slotOf("{user1000}.following"), slotOf("user1000"));
  assertEquals(slotOf("foo{}{bar}"), slotOf("foo{}{bar}".replace("none", "")));
  assert(slotOf("foo{}{bar}") !== slotOf("bar"));
  assertEquals(slotOf("foo{{bar}}zap"), slotOf("{bar"));
  assertEquals(slotOf("foo{bar}{zap}"), slotOf("bar"));
});

Deno.test({
  name:
    `a cluster: scripts run at the primary of their slot, and a primary that fails costs no request${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using cluster = await startCluster();
    await checkClient(cluster);
    await checkReplicas(cluster.url, await cluster.primaryOf(OWN_SLOT));
  },
});

Deno.test({
  name: `sentinels: a primary that fails under load costs no request${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using group = await startSentinels();
    await checkReplicas(group.url, group.primary);
  },
});

/** Runs scripts at all primaries while one of them hangs and fails over. */
async function checkClient(cluster: ValkeyCluster): Promise<void> {
  const [first] = cluster.servers;
  for (const key of ["é", "{a}b", keyOf("team é", "x"), "{}x"]) {
    assertEquals(slotOf(key), await first?.call("CLUSTER", "KEYSLOT", key));
  }
  const client = await open(cluster);
  let changes = 0;
  client.onChange?.(() => changes++);
  const keys = Array.from({ length: 30 }, (_, index) => keyOf(`owner ${index}`, "n"));
  const add = (key: string) => client.run("add", [key], [1]);
  assertEquals(await Promise.all(keys.map(add)), Array(30).fill(1));
  const error = await assertRejects(() => client.run("two", [keys[0] ?? "", keys[1] ?? ""], []));
  assert(/CROSSSLOT|non local/.test(String(error)), String(error));

  const [key = ""] = keys;
  const failing = await cluster.primaryOf(slotOf(key));
  const slots = await Promise.all(keys.map((one) => cluster.primaryOf(slotOf(one))));
  const others = keys.filter((_, index) => slots[index] !== failing);
  assert(others.length > 5 && others.length < 30);
  failing.signal("SIGSTOP");
  const failures: number[] = [];
  let rounds = 0;
  // The other primaries work while this one is missing. Its calls wait until it is given up, then
  // fail at once until its replica has taken its place.
  await until(async () => {
    rounds++;
    await Promise.all(others.map(add));
    const start = performance.now();
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const timer = setTimeout(() => resolve("late"), 100);
    const reply = await Promise.race([
      add(key).catch((thrown) => {
        assert(thrown instanceof NodeLostError, String(thrown));
        return "failed";
      }),
      late,
    ]);
    clearTimeout(timer);
    if (reply === "failed") failures.push(performance.now() - start);
    return typeof reply === "number";
  });
  assert(rounds > 3 && failures.length > 0);
  assert(Math.min(...failures) < 50);
  await until(() => changes > 0);
  // The replica had the value.
  assertEquals(await add(key), 3);
  failing.signal("SIGCONT");
  client.close();
  assertEquals(await client.ended, "closed");
  // The server that hung is a replica of its replica now.
  await until(async () =>
    new TextDecoder().decode(await failing.call("INFO", "replication") as Uint8Array)
      .includes("master_link_status:up")
  );
}

/** Two gateways admit what one limit allows, before and after a primary fails under load. */
async function checkReplicas(store: string, failing: GroupServer): Promise<void> {
  await using replicas = await startReplicas({
    ...{ store, count: 2 },
    key: { limits: { requests_per_minute: PER_MINUTE }, budget: { usd: 1000, per: "day" } },
    price: 1,
  });
  const load = callAll(replicas, { callers: 20, perSecond: 200, seconds: SECONDS });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await failing.kill();
  const { statuses } = await load;
  assertEquals([...statuses.keys()].sort(), [200, 429]);
  const admitted = statuses.get(200) ?? 0;
  const limit = PER_MINUTE + PER_MINUTE / 60 * SECONDS;
  // While the primary is missing, each replica has its share. Without a store, it would be twice the limit.
  assert(admitted > limit * 0.5 && admitted < limit * 1.9, `${admitted} of ${limit}`);
  // Afterwards, both replicas together have one limit, whose bucket is empty.
  const perSecond = PER_MINUTE / 60;
  await until(async () => {
    const seen = await callAll(replicas, { callers: 4, perSecond: 100, seconds: 1 });
    const now = seen.statuses.get(200) ?? 0;
    return now >= perSecond * 0.5 && now <= perSecond * 1.5;
  });
  const texts = await Promise.all(
    replicas.running.map(async (_, index) => (await replicas.fetch(index)).text()),
  );
  for (const text of texts) assert(/^sluice_limits_store_up 1$/m.test(text));
}
