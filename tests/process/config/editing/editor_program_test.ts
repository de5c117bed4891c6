/** The configuration of a running gateway is shown, checked, saved and rolled back by API. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Running, startSluice } from "../../../support/process.ts";

const KEY = "sk-service-0123456789";
const OPS = "sk-ops-0123456789";
const EDITOR = "sk-editor-0123456789";
const SECRET = "sk-vendor-literal-0123456789";

const TEXT = `# Everything that we run. Ask Ana before you change it.
server:
  port: 0
  workers: WORKERS
  keys:
    - { name: web, key: ${KEY} } # the only one
  admin_keys:
    - { name: ops, key: ${OPS} }
    - { name: editor, key: ${EDITOR}, edit_config: true }
providers:
  mock: { kind: mock, models: [mock-echo] }
  east: { kind: openai, api_key: "${SECRET}", models: [gpt-5.4] }
  north: { kind: openai, api_key: "\${NORTH_KEY}", models: [gpt-5.5] }
aliases:
  fast: mock-echo
`;

interface Gateway {
  readonly running: Running;
  call(path: string, body?: unknown, key?: string): Promise<{ status: number; body: Body }>;
  file(): string;
}
// deno-lint-ignore no-explicit-any
type Body = any;

async function start(text: string, owned: AsyncDisposableStack): Promise<Gateway> {
  const env = { NORTH_KEY: "sk-north-0123456789" };
  const running = owned.use(startSluice([], { files: { "config.yaml": text }, env }));
  await running.logged("Next steps");
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(running.stderr()) ?? [];
  assert(url !== undefined, running.stderr());
  return {
    running,
    file: () => Deno.readTextFileSync(`${running.directory}/config.yaml`),
    async call(path, body, key = EDITOR) {
      const response = await fetch(`${url}/v1/${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${key}`, connection: "close" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
  };
}

/** Shows, checks, saves and rolls back. */
async function saveAndRollBack({ call, file }: Gateway): Promise<void> {
  const written = file();
  const { body: shown } = await call("admin/config", undefined, OPS);
  assertEquals([shown.source, shown.valid, shown.editable], ["./config.yaml", true, false]);
  const { body: config } = await call("admin/config");
  assertEquals([config.editable, config.read_only_reason, config.versions], [true, null, []]);
  for (const secret of [KEY, OPS, EDITOR, SECRET]) assert(!config.text.includes(secret));
  assertStringIncludes(config.text, "Ask Ana before you change it.");
  assertStringIncludes(config.text, "${NORTH_KEY}");

  const wrong = config.text.replace("fast: mock-echo", "fast: mock-ecko");
  const { body: check } = await call("admin/config/check", { text: wrong }, OPS);
  assertEquals([check.valid, check.problems[0].line], [false, 15]);
  assertEquals(check.changes, [{
    ...{ section: "aliases", name: "fast", change: "changed" },
    ...{ before: "mock-echo", after: "mock-ecko" },
  }]);
  const refused = await call("admin/config", { text: wrong, hash: config.hash });
  assertEquals([refused.status, refused.body.error.code], [400, "config_invalid"]);
  assertMatch(refused.body.error.message, /line 15: aliases\.fast/);
  assertEquals(file(), written);

  const edits = [{ path: ["providers", "mock", "models"], items: ["free", 0] }];
  const { body: form } = await call("admin/config/form", { text: config.text, edits }, OPS);
  assertEquals(form.text, config.text.replace("[mock-echo]", "[free, mock-echo]"));
  assertEquals(form.objects[1].fields[1], { path: ["api_key"], value: tokenIn(form.text) });
  const broken = await call("admin/config/form", { text: "a: [", edits: [] }, OPS);
  assertEquals([broken.status, broken.body.error.code], [400, "config_form_refused"]);

  const text = config.text.replace("  fast:", "  quick: mock-echo\n  fast:");
  const reason = "for people in a hurry";
  const saved = await call("admin/config", { text, hash: config.hash, reason: ` ${reason} ` });
  assertEquals([saved.status, saved.body.valid], [200, true]);
  assertEquals(file(), written.replace("  fast:", "  quick: mock-echo\n  fast:"));
  assertEquals((await call("models/quick", undefined, KEY)).status, 200);
  const late = await call("admin/config", { text, hash: config.hash });
  assertEquals([late.status, late.body.error.code], [409, "config_changed"]);

  const [version] = saved.body.versions;
  assertEquals([version.by, version.reason], ["editor", reason]);
  const { body: before } = await call(`admin/config/versions/${version.id}`, undefined, OPS);
  assertEquals(before.text, config.text);
  const back = await call("admin/config", { text: before.text, hash: saved.body.hash });
  assertEquals([back.status, back.body.versions[0].reason, file()], [200, null, written]);
  assertEquals((await call("models/quick", undefined, KEY)).status, 404);
  assertEquals((await call("admin/config/versions/..%2Fconfig")).status, 404);
}

/** The token of the secret of the provider `east`. */
function tokenIn(text: string): string | undefined {
  return /east: .*(hidden-\w{25})/.exec(text)?.[1];
}

/** Texts that would lock out clients, or that have lost a secret, are not saved. */
async function refuseLosses({ call, file }: Gateway): Promise<void> {
  const written = file();
  const { body: { text, hash } } = await call("admin/config");
  const lost = await call("admin/config", {
    ...{ text: text.replace("${NORTH_KEY}", "${NORTH_KEY_2}"), hash },
  });
  assertEquals(lost.status, 400);
  assertStringIncludes(lost.body.error.message, "providers.north would be disabled");
  for (const without of [/^ {2}admin_keys:\n(?: {4}- .*\n)+/m, /, edit_config: true/]) {
    const locked = await call("admin/config", { text: text.replace(without, ""), hash });
    assertEquals(locked.status, 400);
    assertStringIncludes(locked.body.error.message, "No admin key would have 'edit_config'");
  }
  const unknown = await call("admin/config", {
    ...{ text: text.replace(/hidden-\w{25}/, `hidden-${"0".repeat(25)}`), hash },
  });
  assertEquals(unknown.status, 400);
  assertStringIncludes(unknown.body.error.message, "line 6: The hidden value is no longer known");
  assertEquals(file(), written);
  assertEquals((await call("models/gpt-5.5", undefined, KEY)).status, 200);
}

/** A file that has errors is shown beside the text in use. */
async function repair({ call, running, file }: Gateway): Promise<void> {
  running.write("config.yaml", file().replace("kind: mock,", "knd: mock,"));
  await running.logged("The previous configuration stays in use");
  const { body: config } = await call("admin/config");
  assertEquals(config.valid, false);
  assertStringIncludes(config.faults.join(), "providers.mock");
  assertStringIncludes(config.text, "kind: mock,");
  assertStringIncludes(config.file_text, "knd: mock,");
  assert(!config.file_text.includes(SECRET));
  const { status, body } = await call("admin/config", { text: config.text, hash: config.hash });
  assertEquals([status, body.valid, body.file_text], [200, true, null]);
  assertStringIncludes(file(), SECRET);
}

/** A text that takes long to check delays no request. */
async function checkSlowly({ call }: Gateway): Promise<void> {
  const names = Array.from({ length: 400 }, (_, index) => `name-of-a-model-number-${index}`);
  const text = `providers: { a: { kind: mock, models: [${names}] } }\naliases:\n` +
    names.map((name, index) => `  a${index}: ${name.replace("model", "mdoel")}\n`).join("");
  const checking = call("admin/config/check", { text });
  let answered = 0;
  const isOver = checking.then(() => true);
  while (!await Promise.race([isOver, Promise.resolve(false)])) {
    await call("models", undefined, KEY);
    answered++;
  }
  const { status, body } = await checking;
  assertEquals(status, body.error === undefined ? 200 : 400);
  assert(answered > 3, `${answered} requests were answered meanwhile`);
}

Deno.test("a text is shown, checked, saved, used, rolled back and repaired", async (test) => {
  await using owned = new AsyncDisposableStack();
  const gateway = await start(TEXT.replace("WORKERS", "1"), owned);
  await test.step("it is saved and rolled back", () => saveAndRollBack(gateway));
  await test.step("a loss is refused", () => refuseLosses(gateway));
  await test.step("a slow check delays no request", () => checkSlowly(gateway));
  await test.step("a file with errors is repaired", () => repair(gateway));
});

Deno.test("all workers use a text that was saved", async () => {
  await using owned = new AsyncDisposableStack();
  await saveAndRollBack(await start(TEXT.replace("WORKERS", "2"), owned));
});

Deno.test("without a key that may edit, the process cannot write", async () => {
  await using owned = new AsyncDisposableStack();
  const text = TEXT.replace("WORKERS", "1").replace(", edit_config: true", "");
  const { call, running, file } = await start(text, owned);
  const { body: { text: shown, hash } } = await call("admin/config");
  assertEquals((await call("admin/config", { text: shown, hash })).status, 403);
  running.write("config.yaml", text.replace(`${EDITOR} }`, `${EDITOR}, edit_config: true }`));
  await running.logged("Loaded");
  // Nothing was written to find out whether it could be.
  assertEquals([...Deno.readDirSync(running.directory)].map(({ name }) => name), ["config.yaml"]);
  const { body: later } = await call("admin/config");
  assertEquals(later.editable, false);
  assertStringIncludes(later.read_only_reason, "given up the permission to write");
  const refused = await call("admin/config", { text: `${later.text}\n`, hash: later.hash });
  assertEquals([refused.status, refused.body.error.code], [409, "config_read_only"]);
  assert(file().endsWith("fast: mock-echo\n"));
});
