/** Commands that change files or call a gateway. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SERVICE_KEY } from "../support/gateway.ts";
import { ADMIN_KEY, openKeyFile, startReplica, withKeyFile } from "../support/keys.ts";
import { runCommand } from "../support/command.ts";
import { serveGateway } from "../support/server.ts";

/** A folder for the files of clients, which is removed at the end of the scope. */
function makeHome() {
  const path = Deno.makeTempDirSync({ prefix: "sluice-" });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

Deno.test("sluice connect changes files of the home folder, with the models of the configuration", async () => {
  using home = makeHome();
  Deno.mkdirSync(`${home.path}/zed`);
  Deno.writeTextFileSync(`${home.path}/zed/settings.json`, '{\n  "theme": "One Dark" // dark\n}\n');
  const config = "providers:\n  m: { kind: mock, models: [mock-echo] }\n" +
    "aliases: { smart: mock-echo }\nserver: { port: 9999, keys: [{ name: a, key: sk-secret-1 }] }\n";
  const around = {
    files: { "config.yaml": config },
    env: { XDG_CONFIG_HOME: home.path, SLUICE_API_KEY: "sk-secret-1" },
  };
  const dry = await runCommand(["connect", "zed"], around);
  assertEquals(dry.code, 0, dry.stderr);
  assertStringIncludes(dry.stdout, '+        "api_url": "http://127.0.0.1:9999/v1",\n');
  assertStringIncludes(dry.stderr, "--write");
  assertEquals([...Deno.readDirSync(`${home.path}/zed`)].map(({ name }) => name), [
    "settings.json",
  ]);
  const written = await runCommand(["connect", "zed", "--write"], around);
  assertEquals(written.code, 0, written.stderr);
  const text = Deno.readTextFileSync(`${home.path}/zed/settings.json`);
  assertStringIncludes(text, '"theme": "One Dark", // dark\n');
  assertStringIncludes(text, '"name": "smart"');
  assert(!text.includes("sk-secret"));
  const undone = await runCommand(["connect", "zed", "--undo", "--write"], around);
  assertEquals([undone.code, undone.stderr], [0, ""]);
  assertEquals(
    Deno.readTextFileSync(`${home.path}/zed/settings.json`),
    '{\n  "theme": "One Dark" // dark\n}\n',
  );
});

Deno.test("sluice connect ends with 1 and a message for a file that it cannot change", async () => {
  using home = makeHome();
  Deno.writeTextFileSync(`${home.path}/config.toml`, "model = \n");
  const around = { env: { CODEX_HOME: home.path } };
  const { code, stdout, stderr } = await runCommand(["connect", "codex", "--write"], around);
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, `Cannot change ${home.path}/config.toml: it is not valid TOML`);
});

Deno.test("with --url, sluice connect reads the models of the gateway with the service key", async () => {
  using home = makeHome();
  const config = { providers: { m: { kind: "mock", models: ["mock-echo", "mock-think"] } } };
  await using served = serveGateway({ config });
  const run = (key: string) =>
    runCommand(["connect", "opencode", "--print", "--url", `${served.url}/v1`], {
      env: { XDG_CONFIG_HOME: home.path, SLUICE_API_KEY: key },
    });
  const { code, stdout, stderr } = await run(SERVICE_KEY);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, `"baseURL": "${served.url}/v1"`);
  assertStringIncludes(stdout, '"mock-think": {');
  assertStringIncludes(stdout, '"model": "sluice/mock-echo"');
  const refused = await run("sk-wrong");
  assertEquals([refused.code, refused.stdout], [1, ""]);
});

Deno.test("sluice keys and usage: standard output, exit codes, and the address of the configuration", async () => {
  await withKeyFile(async (path) => {
    await using replica = await startReplica({ store: openKeyFile(path) });
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => replica.gateway.app.handle(request),
    );
    const url = `http://127.0.0.1:${server.addr.port}`;
    const env = { SLUICE_ADMIN_KEY: ADMIN_KEY };
    const files = {
      "config.yaml": `server: { host: 0.0.0.0, port: ${server.addr.port} }\nproviders: {}`,
    };
    const created = await runCommand(["keys", "create", "team"], { env, files });
    assertMatch(created.stdout, /^sk-sluice-[\w-]{51}\n$/);
    assertMatch(created.stderr, /^sluice: This is the key 'team'/);
    assertEquals([created.code, await replica.ask(created.stdout.trim())], [0, 200]);
    const refused = await runCommand(["keys", "show", "nobody", "--url", `${url}/v1`], { env });
    assertEquals(refused, {
      code: 1,
      stdout: "",
      stderr: "sluice: There is no key with the name or ID 'nobody'\n",
    });
    const unset = await runCommand(["usage", "--url", url], {});
    assertEquals([unset.code, unset.stdout], [1, ""]);
    assertMatch(unset.stderr, /^sluice: Set SLUICE_ADMIN_KEY to a key of 'server.admin_keys'/);
    const wrong = await runCommand(["keys", "remove", "x"], { env });
    assertEquals([wrong.code, wrong.stdout], [2, ""]);
    const help = await runCommand(["keys", "--help"], {});
    assertEquals(help.code, 0);
    assertMatch(help.stdout, /^Keys and usage of a running gateway\.\n/);
  });
});
