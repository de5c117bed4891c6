import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { untilReply } from "../../support/elapse.ts";
import { addressOf, type Running, runSluice, startSluice } from "../../support/process.ts";

const CHAT = "/v1/chat/completions";

const MESSAGES = [{ role: "user", content: "Hi" }];

/** The process's configuration: one mock, and a key when one is given. */
function fileOf(model: string | readonly string[], key?: string): string {
  const keys = key === undefined ? {} : { keys: [{ name: "own", key }] };
  return JSON.stringify({
    server: { port: 0, ...keys },
    providers: { mock: { kind: "mock", models: [model].flat() } },
  });
}

async function begin(running: Running): Promise<{ base: string; key: string | undefined }> {
  const base = await addressOf(running);
  return { base, key: /\bsk-sluice-[\w-]+/.exec(running.stderr())?.[0] };
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
  await running.logged("Loaded ./config.yaml: 1 model, 1 provider");
  assertEquals((await ask("/v1/models/zero"))[0], 404);
  assertEquals((await ask("/v1/models/one"))[0], 200);
  // What no target of the new configuration can use is forgotten.
  assertEquals(await breakers(), null);

  running.write("config.yaml", fileOf("two"));
  await untilReply(async () => (await ask("/v1/models/two"))[0] === 200);
  running.write("config.yaml", "server: { prt: 1 }");
  await untilReply(async () => (await ask("/readyz"))[1].config === "stale");
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
    await running.logged("Loaded ./config.yaml: 1 model");
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

const FILES = {
  "config.yaml": `
server: { port: 0, workers: 2, keys: [{ name: app, key: "\${file:svc}" }] }
providers:
  mock: { kind: mock, models: [m] }
  vendor: { kind: openai, api_key: "\${file:vendor}", models: [v] }
`,
  svc: "sk-own-key",
  vendor: "sk-vendor-key",
};

for (const args of [[], ["--allow-losses"]]) {
  Deno.test(`a reload after a secret file was emptied: sluice ${args}`, async () => {
    await using running = startSluice(args, { files: FILES });
    const base = await addressOf(running);
    using client = Deno.createHttpClient({});
    const read = async (path: string) => {
      const headers = { authorization: "Bearer sk-own-key" };
      const response = await fetch(`${base}${path}`, { client, headers });
      return [response.status, await response.json()] as const;
    };
    running.write("vendor", "");
    running.signal("SIGHUP");
    if (args.length > 0) {
      await running.logged("Loaded ./config.yaml: 1 model");
      assertEquals((await read("/v1/models/v"))[0], 404);
    } else {
      await running.logged("The previous configuration stays in use");
      assertStringIncludes(running.stderr(), "providers.vendor would be disabled: vendor is empty");
      assertEquals((await read("/v1/models/v"))[0], 200);
      const reason = "Secrets of providers or keys that work are missing; see the log";
      assertEquals(await read("/readyz"), [200, { status: "ready", config: "stale", reason }]);
    }
    running.signal("SIGTERM");
    assertEquals((await running.finished).code, 0);
  });
}

Deno.test("keys without a text are named by the check and at the start", async () => {
  const files = {
    "config.yaml": `
server:
  port: 0
  keys: [{ name: app, key: sk-app }, { name: batch, key: "\${BATCH_KEY}" }]
  admin_keys: [{ name: ops, key: "\${file:/none/ops}" }]
providers: { mock: { kind: mock, models: [m] } }
`,
  };
  const { stdout } = await runSluice(["check"], { files });
  assertMatch(
    stdout,
    /service key batch +BATCH_KEY is not set\n.*admin key ops +cannot read \/none/,
  );
  await using running = startSluice([], { files });
  await running.logged("\n    -d ");
  assertStringIncludes(running.stderr(), "Disabled: service key batch, admin key ops ('sluice");
});
