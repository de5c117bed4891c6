/** `GET /v1/clients`: the same settings as `sluice connect --print`. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CLIENTS, type PrintedClient } from "../../src/clients/printed.ts";
import { modelsOfConfig } from "../../src/clients/target.ts";
import { runConnect, toTarget } from "../../src/tools/connect/connect.ts";
import { createTestGateway } from "../support/gateway.ts";

const MODELS = [
  { id: "smart", context_window: 200_000 },
  { id: "fast" },
  { id: "hidden" },
  { id: "vectors", capabilities: { embeddings: true } },
  { id: "painter", capabilities: { images: true } },
];
const SERVER = {
  keys: [{ name: "all", key: "sk-all" }, { name: "few", key: "sk-few", models: ["f*"] }],
};
const config = { server: SERVER, providers: { p: { kind: "mock", models: MODELS } } };

function createWorld() {
  const gateway = createTestGateway({ config });
  const ask = async (query = "", key = "sk-all") => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await gateway.call(`/v1/clients${query}`, undefined, headers);
    return { status: response.status, body: await response.json() };
  };
  const list = async (query?: string, key?: string) =>
    (await ask(query, key)).body.data as readonly PrintedClient[];
  return { gateway, ask, list };
}

Deno.test("every client has the texts that sluice connect prints", async () => {
  const { gateway, list } = createWorld();
  const target = toTarget("https://llm.test", modelsOfConfig(gateway.config), new Map());
  const home = new Map([["HOME", "~"]]);
  const places = {
    os: "linux",
    env: (name: string) => home.get(name),
    exists: () => false,
  } as const;
  const clients = await list("?origin=https://llm.test");
  assertEquals(clients.map(({ id }) => id), [...CLIENTS.keys()]);
  for (const { id, title, files, steps } of clients) {
    const command = { action: "print", client: id, writes: false, options: new Map() } as const;
    const open = () => assert(false, "no file is opened") as never;
    const { text } = await runConnect(command, target, { places, open, ask: undefined });
    const own = files.map(({ path, text }) => `${path}:\n\n${text}`);
    const end = steps.length === 0 ? "" : `${title}:\n\n${steps.join("\n")}\n`;
    assertEquals([...own, end].join("\n"), text, id);
  }
});

Deno.test("the settings name the models of the key, and the address of the request", async () => {
  const { list } = createWorld();
  const textOf = async (id: string, query?: string, key?: string) =>
    (await list(query, key)).find((client) => client.id === id)?.files[0]?.text ?? "";
  const all = await textOf("opencode");
  for (const id of ["smart", "fast", "hidden"]) assertStringIncludes(all, `"${id}"`);
  for (const id of ["vectors", "painter"]) assert(!all.includes(`"${id}"`), id);
  assertStringIncludes(all, "http://gateway.test/v1");
  const few = await textOf("opencode", "?origin=https://llm.test:8443", "sk-few");
  assert(few.includes('"fast"') && !few.includes("smart") && !few.includes("hidden"), few);
  assertStringIncludes(few, "https://llm.test:8443/v1");
  assertStringIncludes(await textOf("codex", "?model=hidden"), 'model = "hidden"');
  const claude = (await list("?os=windows&small_model=hidden"))[0]?.files[0];
  assertEquals(claude?.path, "%USERPROFILE%\\.claude\\settings.json");
  assertStringIncludes(claude?.text ?? "", '"ANTHROPIC_DEFAULT_HAIKU_MODEL": "hidden"');
});

Deno.test("parameters that are not valid are a 400, and a key is needed", async () => {
  const { ask, gateway } = createWorld();
  const faults = [
    ["?os=beos", "os"],
    ["?os=constructor", "os"],
    ["?model=none", "model"],
    ["?origin=javascript:alert(1)", "origin"],
    ["?origin=https://a.test/path", "origin"],
    [`?origin=https://${"a".repeat(400)}`, "origin"],
  ] as const;
  for (const [query, param] of faults) {
    const { status, body } = await ask(query);
    assertEquals([status, body.error.param], [400, param], query);
  }
  assertEquals((await ask("?model=smart", "sk-few")).status, 400);
  assertEquals((await ask("", "sk-wrong")).status, 401);
  assertEquals(gateway.bugs, []);
});
