import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Config } from "../../../src/config/config.ts";
import { followFile, LiveConfig } from "../../../src/process/config/reload.ts";
import { createTestGateway, loadTestConfig, VENDOR_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { type Running, startSluice } from "../../support/process.ts";
import { scrape } from "../../support/samples.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";
import { Gate } from "../../support/server.ts";

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
  assertEquals(logged, ["Loaded test: 1 models, 1 providers"]);
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
    "A change of server.host to 0.0.0.0 requires a restart",
    "A change of server.port to 9000 requires a restart",
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
      "A change of server.tls, serves or listeners requires a restart",
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
      await new Promise((resolve) => setTimeout(resolve, 0));
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

/** The process's configuration: one mock, and a key when one is given. */
function fileOf(model: string | readonly string[], key?: string): string {
  const keys = key === undefined ? {} : { keys: [{ name: "own", key }] };
  return JSON.stringify({
    server: { port: 0, ...keys },
    providers: { mock: { kind: "mock", models: [model].flat() } },
  });
}

async function begin(running: Running): Promise<{ base: string; key: string | undefined }> {
  await running.logged("\n    -d ");
  return {
    base: /^Sluice listens on (http:\S+)$/m.exec(running.stderr())?.[1] ?? "",
    key: /\bsk-sluice-[\w-]+/.exec(running.stderr())?.[0],
  };
}

Deno.test("SIGHUP reloads config.yaml and .env, and keeps a generated key", async () => {
  const client = Deno.createHttpClient({});
  await using running = startSluice([], {
    files: { "config.yaml": fileOf("${MODEL:-none}"), ".env": "MODEL=zero" },
  });
  const { base, key } = await begin(running);
  const asking = { headers: { authorization: `Bearer ${key}` }, client };
  const ask = async (path: string) => {
    const answer = await fetch(`${base}${path}`, asking);
    return [answer.status, await answer.json()];
  };
  const askText = async (path: string) => await (await fetch(`${base}${path}`, asking)).text();
  const breakers = async () => (await askText("/metrics")).match(/^sluice_breaker_state.*/gm);
  await fetch(`${base}${CHAT}`, {
    ...asking,
    method: "POST",
    body: JSON.stringify({ model: "zero", messages: MESSAGES }),
  }).then((answer) => answer.text());
  assertEquals(await breakers(), ['sluice_breaker_state{provider="mock",model="zero"} 0']);
  running.write(".env", "MODEL=one");
  running.signal("SIGHUP");
  await running.logged("Loaded ./config.yaml: 1 models, 1 providers");
  assertEquals((await ask("/v1/models/zero"))[0], 404);
  assertEquals((await ask("/v1/models/one"))[0], 200);
  // What no target of the new configuration can use is forgotten.
  assertEquals(await breakers(), null);

  running.write("config.yaml", fileOf("two"));
  while ((await ask("/v1/models/two"))[0] !== 200) await pause();
  running.write("config.yaml", "server: { prt: 1 }");
  while ((await ask("/readyz"))[1].config !== "stale") await pause();
  await running.logged("server.prt");
  assertEquals((await ask("/v1/models/two"))[0], 200);
  client.close();
  running.signal("SIGTERM");
  assertEquals((await running.finished).code, 0);
  assert(!running.stdout().includes(String(key)));
});

Deno.test("a change of a file that is mounted without its folder is detected", async () => {
  // A second name in another folder stands for the mount: neither is an event of the first folder.
  const folder = Deno.makeTempDirSync({ prefix: "sluice-mount-" });
  for (const name of ["inside", "outside"]) Deno.mkdirSync(`${folder}/${name}`);
  const [inside, outside] = [`${folder}/inside/config.yaml`, `${folder}/outside/config.yaml`];
  Deno.writeTextFileSync(outside, fileOf("one"));
  Deno.linkSync(outside, inside);
  {
    await using running = startSluice(["--config", inside], {});
    const { base } = await begin(running);
    using client = Deno.createHttpClient({});
    // Once it answers, it watches.
    await (await fetch(`${base}/healthz`, { client })).text();
    Deno.writeTextFileSync(outside, fileOf(["one", "two"]));
    await running.logged(`Loaded ${inside}: 2 models`);
    running.signal("SIGTERM");
    const { code, stderr } = await running.finished;
    assertEquals(code, 0);
    assertStringIncludes(stderr, `Loaded ${inside}: 2 models`);
  }
  Deno.removeSync(folder, { recursive: true });
});

Deno.test("when the target of a symbolic link changes, the new target is watched", async () => {
  // As Kubernetes and many deployments do it: config.yaml -> now/config.yaml, now -> a release.
  const folder = Deno.makeTempDirSync({ prefix: "sluice-links-" });
  const write = (release: string, models: readonly string[]) =>
    Deno.writeTextFileSync(`${folder}/${release}/config.yaml`, fileOf(models));
  const lead = (release: string) => {
    Deno.symlinkSync(release, `${folder}/next`);
    Deno.renameSync(`${folder}/next`, `${folder}/now`);
  };
  for (const release of ["first", "second"]) Deno.mkdirSync(`${folder}/${release}`);
  write("first", ["one"]);
  write("second", ["one", "two"]);
  lead("first");
  const file = `${folder}/config.yaml`;
  Deno.symlinkSync("now/config.yaml", file);
  {
    await using running = startSluice(["--config", file], {});
    await begin(running);
    lead("second");
    await running.logged(`Loaded ${file}: 2 models`);
    write("second", ["one", "two", "three"]);
    await running.logged(`Loaded ${file}: 3 models`);
    Deno.removeSync(file);
    await running.logged("The previous configuration stays in use");
    Deno.writeTextFileSync(file, fileOf(["one", "two", "three", "four"]));
    await running.logged(`Loaded ${file}: 4 models`);
    running.signal("SIGTERM");
    assertEquals((await running.finished).code, 0);
  }
  Deno.removeSync(folder, { recursive: true });
});

for (const workers of [1, 2]) {
  Deno.test(`signals are handled during startup (workers: ${workers})`, async () => {
    const config = fileOf("one").replace('"port":0', `"port":0,"workers":${workers}`);
    await using running = startSluice([], {
      files: { "config.yaml": config },
      // What it says of this is the first that is heard of it.
      env: { OTEL_DENO: "1" },
    });
    await running.logged("OTEL_DENO is set");
    running.signal("SIGHUP");
    await running.logged("Loaded ./config.yaml: 1 models");
    await running.logged("\n    -d ");
    running.signal("SIGTERM");
    assertEquals((await running.finished).code, 0);

    await using other = startSluice([], {
      files: { "config.yaml": config },
      env: { OTEL_DENO: "1" },
    });
    await other.logged("OTEL_DENO is set");
    other.signal("SIGTERM");
    const { code, stderr } = await other.finished;
    assertEquals(code, 0);
    assertStringIncludes(stderr, "draining");
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
