/** The admin routes of the configuration, and the test of a provider. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ConfigCall, ConfigResult } from "../../src/config/editing/changes.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";

const OPS = "sk-ops-0123456789";
const EDITOR = "sk-editor-0123456789";

const calls: ConfigCall[] = [];
let result: ConfigResult = { type: "refused", refusal: { reason: "unavailable" } };
/** The bodies that the vendor got, and its next answer. */
const sent: Record<string, unknown>[] = [];
let answer = () => Response.json({});

const gateway = createTestGateway({
  config: {
    server: {
      admin_keys: [{ name: "ops", key: OPS }, { name: "editor", key: EDITOR, edit_config: true }],
    },
    providers: {
      east: {
        kind: "openai_compatible",
        base_url: "https://vendor.example/v1",
        api_key: VENDOR_KEY,
        retries: 0,
        models: [
          { id: "priced", prices: { input: 2, output: 10 } },
          { id: "other", upstream: "other-2" },
        ],
      },
    },
  },
  async fetch(_, init) {
    sent.push(JSON.parse(await new Response(init?.body as BodyInit).text()));
    return answer();
  },
  runConfigCall(call) {
    calls.push(call);
    return Promise.resolve(result);
  },
});

const call = (path: string, body?: unknown, key = OPS, headers = {}) =>
  gateway.call(path, body, { authorization: `Bearer ${key}`, ...headers });

async function errorOf(response: Response) {
  const { error } = await response.json();
  return { status: response.status, ...error };
}

Deno.test("a service key and a page of another site cannot use the routes of the configuration", async () => {
  const path = "/v1/admin/config";
  for (const [to, body] of [[path], [path, {}], [`${path}/check`, { text: "" }]] as const) {
    assertEquals((await errorOf(await call(to, body, SERVICE_KEY))).code, "admin_key_required");
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    assertEquals((await errorOf(await call(to, body, OPS, headers))).code, "cross_site_request");
  }
  assertEquals(calls, []);
});

Deno.test("only an admin key with edit_config can save", async () => {
  const body = { text: "providers: {}\n", hash: "abc", reason: "a test" };
  const { status, code } = await errorOf(await call("/v1/admin/config", body));
  assertEquals([status, code, calls], [403, "config_edit_denied", []]);
  result = { type: "refused", refusal: { reason: "changed" } };
  const changed = await errorOf(await call("/v1/admin/config", body, EDITOR));
  assertEquals([changed.status, changed.code], [409, "config_changed"]);
  assertEquals(calls, [{ type: "save", ...body, admin: "editor" }]);
  result = { type: "invalid", problems: [{ path: "keep", message: "is wrong", line: 3 }] };
  const invalid = await errorOf(await call("/v1/admin/config", body, EDITOR));
  assertEquals([invalid.status, invalid.code], [400, "config_invalid"]);
  assertStringIncludes(invalid.message, "line 3: keep: is wrong");
  gateway.flush();
  const line = gateway.lines.at(-1);
  assertEquals([line?.key, line?.audit], [
    "editor",
    { action: "config.save", reason: "a test", result: "config_invalid" },
  ]);
  const long = { ...body, reason: "x".repeat(201) };
  assertEquals((await errorOf(await call("/v1/admin/config", long, EDITOR))).param, "reason");
});

Deno.test("the configuration says why a key cannot save", async () => {
  const shown = { source: "config.yaml", loadedAt: 0, text: "a", hash: "h", versions: [] };
  result = { type: "shown", shown };
  const other = await (await call("/v1/admin/config")).json();
  assertEquals(other.editable, false);
  assertStringIncludes(other.read_only_reason, "edit_config");
  const editor = await call("/v1/admin/config", undefined, EDITOR);
  assertEquals(editor.headers.get("cache-control"), "no-store");
  assertEquals((await editor.json()).editable, true);
  result = { type: "shown", shown: { ...shown, readOnly: "it is a pipe" } };
  const { editable, read_only_reason } = await (await call("/v1/admin/config", undefined, EDITOR))
    .json();
  assertEquals([editable, read_only_reason], [false, "it is a pipe"]);
});

Deno.test("a text that is too long is refused before it is examined", async () => {
  calls.length = 0;
  const response = await call("/v1/admin/config/check", { text: "#".repeat(600_000) });
  assertEquals([response.status, calls.length], [400, 0]);
  await response.body?.cancel();
  const huge = await call("/v1/admin/config/check", { text: "#".repeat(4_000_000) });
  assertEquals(huge.status, 413);
  await huge.body?.cancel();
});

Deno.test("the schema is that of config.yaml", async () => {
  const schema = await (await call("/v1/admin/config/schema")).json();
  assert("providers" in schema.properties);
});

Deno.test("the cost of a test is shown before, and nothing is sent for it", async () => {
  const plan = await (await call("/v1/admin/providers/east/test")).json();
  assertEquals(plan.models, [
    // 20 tokens of input and one of output.
    { id: "priced", max_cost_usd: 0.00005 },
    { id: "other", max_cost_usd: null },
  ]);
  assertEquals(sent, []);
  assertEquals(
    (await errorOf(await call("/v1/admin/providers/none/test"))).code,
    "provider_not_found",
  );
});

Deno.test("a test sends one token to the provider, and is recorded under the admin's name", async () => {
  answer = () =>
    Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "priced",
      choices: [{
        index: 0,
        message: { role: "assistant", content: "He" },
        finish_reason: "length",
      }],
      usage: { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9 },
    });
  const response = await call("/v1/admin/providers/east/test", { model: "priced" });
  const { usage, ms, ...others } = await response.json();
  assertEquals(others, {
    ...{ object: "provider.test", provider: "east", model: "priced" },
    ...{ answer: "He", finish_reason: "length" },
  });
  assertEquals([typeof ms, usage.total_tokens], ["number", 9]);
  assertEquals(response.headers.get("x-sluice-cost-usd"), "0.000026");
  const { model, messages, max_tokens } = sent.at(-1) ?? {};
  assertEquals([model, messages, max_tokens], ["priced", [{ role: "user", content: "Hi" }], 1]);
  gateway.flush();
  const line = gateway.lines.at(-1);
  assertEquals([line?.key, line?.provider, line?.model], ["ops", "east", "priced@east"]);
  const { data: [row] } = await (await call("/v1/admin/requests")).json();
  assertEquals([row.key, row.provider, row.cost_usd], ["ops", "east", 0.000026]);
});

Deno.test("a test that fails has the vendor's words, without its key", async () => {
  answer = () =>
    Response.json({ error: { message: `No such key ${VENDOR_KEY}`, code: "bad_key" } }, {
      status: 401,
    });
  const { status, code, message } = await errorOf(
    await call("/v1/admin/providers/east/test", {}),
  );
  assertEquals([status, code], [502, "upstream_auth"]);
  assertStringIncludes(message, "No such key [redacted]");
  answer = () => Response.json({ error: { message: "Try later" } }, { status: 503 });
  const busy = await errorOf(await call("/v1/admin/providers/east/test", {}));
  assertStringIncludes(busy.message, "Try later");
});

Deno.test("only models of the configuration in use are tested", async () => {
  const count = sent.length;
  const { status, code } = await errorOf(
    await call("/v1/admin/providers/east/test", { model: "else" }),
  );
  assertEquals([status, code], [404, "model_not_found"]);
  const url = await call("/v1/admin/providers/east/test", { base_url: "http://169.254.169.254" });
  assertEquals(url.status, 400);
  await url.body?.cancel();
  assertEquals(sent.length, count);
});

Deno.test("only a key that may edit the configuration sees its comments as they are", async () => {
  for (const [key, comments] of [[OPS, false], [EDITOR, true]] as const) {
    for (const path of ["/v1/admin/config", "/v1/admin/config/versions/1"]) {
      calls.length = 0;
      await (await call(path, undefined, key)).body?.cancel();
      assertEquals(calls.map((one) => "comments" in one && one.comments), [comments], path);
    }
  }
});

Deno.test("a form changes a text, and says why it cannot", async () => {
  const body = {
    text: "aliases: { a: b }",
    edits: [{ path: ["aliases", "a"], value: "c" }, { path: ["aliases", "a"], items: [0, "d"] }],
  };
  calls.length = 0;
  const form = { text: "aliases: { a: c }", objects: [] };
  result = { type: "form", form };
  const answer = await (await call("/v1/admin/config/form", body)).json();
  assertEquals([answer, calls], [{ object: "config.form", ...form }, [{ type: "form", ...body }]]);
  result = { type: "form_refused", message: "Change the text" };
  const refused = await errorOf(await call("/v1/admin/config/form", body));
  assertEquals([refused.status, refused.code, refused.message], [
    ...[400, "config_form_refused", "Change the text"],
  ]);
  const invalid = { text: "", edits: [{ path: [], value: "c" }] };
  const wrong = await call("/v1/admin/config/form", invalid);
  assertEquals(wrong.status, 400);
  await wrong.body?.cancel();
});
