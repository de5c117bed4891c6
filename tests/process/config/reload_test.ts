import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Config } from "../../../src/config/config.ts";
import { followFile, LiveConfig } from "../../../src/process/config/reload.ts";
import { createTestGateway, loadTestConfig, VENDOR_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { scrape } from "../../support/samples.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";
import { Gate } from "../../support/server.ts";
import { turn } from "../../support/elapse.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];

function configWith(model: string, others: Record<string, unknown> = {}) {
  return {
    providers: { one: { kind: "openai", api_key: VENDOR_KEY, models: [model] } },
    ...others,
  };
}

/** A configuration that is read from a variable instead of a file. */
function liveOf(first: Record<string, unknown>) {
  const logged: string[] = [];
  const swapped: Config[] = [];
  const file = { document: first };
  const load = () => loadTestConfig(file.document);
  const live = new LiveConfig(load(), {
    load,
    log: (text) => logged.push(text),
    onSwap: (config) => swapped.push(config),
  });
  return { live, file, logged, swapped };
}

Deno.test("a reload applies at once, and an open request keeps its configuration", async () => {
  const { live, file, logged, swapped } = liveOf(configWith("old"));
  const [begun, released] = [new Gate(), new Gate()];
  const vendor = new ScriptedVendor(async (sent) => {
    begun.open();
    await released.opened;
    return sayHello(sent);
  });
  const gateway = createTestGateway({ config: {}, fetch: vendor.fetch, live });
  const underWay = gateway.call(CHAT, { model: "old", messages: MESSAGES });
  await begun.opened;
  file.document = configWith("new");
  await live.reload();
  const gone = await gateway.call(CHAT, { model: "old", messages: MESSAGES });
  assertEquals([gone.status, (await gone.json()).error.code], [404, "model_not_found"]);
  released.open();
  const finished = await underWay;
  assertEquals([finished.status, (await finished.json()).object], [200, "chat.completion"]);
  const fresh = await gateway.call(CHAT, { model: "new", messages: MESSAGES });
  assertEquals([fresh.status, (await fresh.json()).object], [200, "chat.completion"]);
  assertEquals(logged, ["Loaded test: 1 model, 1 provider"]);
  assertEquals(swapped, [live.current]);
});

Deno.test("added and removed keys apply to the next request", async () => {
  const { live, file } = liveOf(configWith("m"));
  const gateway = createTestGateway({ config: {}, live });
  const statusOf = async (key: string) => {
    const answer = await gateway.call("/v1/models", undefined, { authorization: `Bearer ${key}` });
    await answer.text();
    return answer.status;
  };
  const keys = (...texts: string[]) =>
    configWith("m", { server: { keys: texts.map((key) => ({ name: key, key })) } });
  file.document = keys("sk-a", "sk-b");
  await live.reload();
  assertEquals([await statusOf("sk-a"), await statusOf("sk-b")], [200, 200]);
  file.document = keys("sk-b");
  await live.reload();
  assertEquals([await statusOf("sk-a"), await statusOf("sk-b")], [401, 200]);
});

Deno.test("an invalid file keeps the current configuration, is logged, and is reported until it is fixed", async () => {
  const { live, file, logged, swapped } = liveOf(configWith("m"));
  const before = live.current;
  const gateway = createTestGateway({ config: {}, live });
  const ready = async () => {
    const answer = await gateway.call("/readyz", undefined, { authorization: "" });
    return [answer.status, await answer.json()];
  };
  assertEquals(await ready(), [200, { status: "ready" }]);

  file.document = configWith("m", { pins: { nothing: "one" }, unknown: 1 });
  await live.reload();
  assertEquals([live.current, swapped], [before, []]);
  assertMatch(logged.join(), /pins\.nothing: .* \(line \d+, column \d+\)\n/);
  assertStringIncludes(logged.join(), "unknown");
  assertMatch(logged.join(), /stays in use$/);
  const reason = "The file has 2 errors; see the log";
  assertEquals(live.stale?.faults.map((fault) => fault.split(":")[0]).toSorted(), [
    ...["pins.nothing", "unknown"],
  ]);
  assertEquals(await ready(), [200, { status: "ready", config: "stale", reason }]);
  assertEquals((await scrape(gateway)).sum("sluice_config_stale"), 1);

  file.document = configWith("m");
  await live.reload();
  assertEquals(await ready(), [200, { status: "ready" }]);
  assertEquals((await scrape(gateway)).sum("sluice_config_stale"), 0);
});

Deno.test("an unreadable file makes the configuration stale, and its path is not shown to clients", async () => {
  const first = loadTestConfig(configWith("m"));
  const logged: string[] = [];
  const live = new LiveConfig(first, {
    load: () => {
      throw new RangeError("Cannot read /secret/config.yaml: there is no such file");
    },
    log: (text) => logged.push(text),
    onSwap: () => {},
  });
  await live.reload();
  const stale = { reason: "The file cannot be read; see the log", faults: [] };
  assertEquals([live.current, live.stale], [first, stale]);
  assertStringIncludes(logged.join(), "/secret/config.yaml");
});

Deno.test("a changed address or port is logged as requiring a restart", async () => {
  const { live, file, logged } = liveOf(configWith("m"));
  file.document = configWith("m", { server: { port: 9000, host: "0.0.0.0" } });
  await live.reload();
  assertEquals(logged.slice(1), [
    "Changing server.host to 0.0.0.0 requires a restart",
    "Changing server.port to 9000 requires a restart",
  ]);
});

Deno.test("changed listeners are logged as requiring a restart, equal ones are not", async () => {
  const server = { serves: ["api"], listeners: [{ port: 9000, serves: ["admin"] }] };
  const { live, file, logged } = liveOf(configWith("m", { server }));
  file.document = configWith("m", { server: structuredClone(server) });
  await live.reload();
  assertEquals(logged.length, 1);
  for (
    const change of [{ serves: ["admin"] }, { tls: { cert: "a", key: "b" } }, {
      listeners: [{ port: 9000, serves: ["api"] }],
    }]
  ) {
    logged.length = 0;
    file.document = configWith("m", { server: { ...server, ...change } });
    await live.reload();
    assertEquals(logged.slice(1), [
      "Changing server.tls, serves or listeners requires a restart",
    ]);
  }
});

Deno.test("a key for state that replicas share is logged as requiring a restart", async () => {
  const shared_store = "redis://store.test";
  const { live, file, logged } = liveOf(configWith("m", { shared_store }));
  const reasoning_state = { key: "0123456789abcdef0123456789abcdef" };
  file.document = configWith("m", { shared_store, server: { reasoning_state } });
  await live.reload();
  assertEquals(logged.slice(1), [
    "Replicas share reasoning state and answers only after a restart",
  ]);
});

/** A file that is followed: its text, and how often it has changed. */
function follow(clock: ManualClock, loaded: string) {
  const state = { text: loaded as string | undefined | Error, changes: 0 };
  const read = () => {
    const { text } = state;
    return text instanceof Error ? Promise.reject(text) : Promise.resolve(text);
  };
  const stop = followFile({ loaded, read }, clock, () => state.changes++);
  const after = async (text: string | undefined | Error, ms: number) => {
    state.text = text;
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      await turn();
    }
    return state.changes;
  };
  return { after, stop };
}

Deno.test("a change of the file is reported once, when its text is the same twice", async () => {
  const clock = new ManualClock();
  const { after, stop } = follow(clock, "one");
  assertEquals(await after("one", 5000), 0);
  assertEquals(await after("half of", 500), 0);
  assertEquals(await after("half of two", 100), 0);
  assertEquals(await after("two", 100), 0);
  assertEquals(await after("two", 100), 1);
  assertEquals(await after("two", 5000), 1);
  assertEquals(await after("three", 600), 2);
  assertEquals(await after(undefined, 600), 3);
  assertEquals(await after("four", 600), 4);
  assertEquals(await after("half of five", 500), 4);
  assertEquals(await after("four", 5000), 4);
  stop();
  assertEquals(clock.pending, 0);
  assertEquals(await after("five", 5000), 4);
});

Deno.test("a file that cannot be opened for lack of a file descriptor is read again later", async () => {
  const clock = new ManualClock();
  const { after, stop } = follow(clock, "one");
  assertEquals(await after(new Error("Too many open files"), 5000), 0);
  assertEquals(await after("one", 5000), 0);
  assertEquals(await after(new Error("Too many open files"), 5000), 0);
  assertEquals(await after("two", 1000), 1);
  stop();
  assertEquals(clock.pending, 0);
});

Deno.test("a change that was made while the file was loaded is detected", async () => {
  const clock = new ManualClock();
  const { after, stop } = follow(clock, "one");
  assertEquals(await after("two", 600), 1);
  stop();
});
