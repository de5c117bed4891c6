/** Tags, sessions and end users of requests: their columns, reports and lists. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { createTestGateway } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";

const BODY = { model: "m", messages: [{ role: "user", content: "Hi" }] };
const CHAT = "/v1/chat/completions";
const SECRET = "0123456789abcdef0123456789abcdef";

function start(endUsers?: Record<string, string>, key = "sk-test-service-key") {
  const usage = new MemoryUsageStore();
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({
    config: {
      server: {
        keys: [{ name: "k", key }],
        ...(endUsers && { end_users: endUsers }),
      },
      providers: { p: { kind: "groq", api_key: "k", models: ["m"] } },
    },
    fetch: vendor.fetch,
    usage,
  });
  const call = async (members = {}, headers = {}, path = CHAT) => {
    const own = { authorization: `Bearer ${key}`, ...headers };
    const answer = await gateway.call(path, { ...BODY, max_tokens: 9, ...members }, own);
    assertEquals(answer.status, 200, await answer.text());
    gateway.flush();
    const [row] = (await usage.list({ limit: 1 })).rows;
    gateway.clock.advance(1000);
    return row ?? Promise.reject(new RangeError("There is no row"));
  };
  const get = async (path: string) => {
    const answer = await gateway.call(path, undefined, { authorization: `Bearer ${key}` });
    return { status: answer.status, body: await answer.json() };
  };
  return { call, get, vendor };
}

const AGENT_HEADERS = {
  "x-claude-code-session-id": "5b0d7f9e-session",
  "x-claude-code-agent-id": "agent-2",
  "x-claude-code-parent-agent-id": "agent-1",
};

Deno.test("a session, its agent and the agent before it are recorded, and sent nowhere", async () => {
  const { call, vendor } = start();
  const { session, agent, parentAgent } = await call({}, AGENT_HEADERS, "/v1/messages");
  assertEquals([session, agent, parentAgent], ["5b0d7f9e-session", "agent-2", "agent-1"]);
  assertEquals([...vendor.sent[0]?.headers ?? []].filter(([name]) => name.includes("claude")), []);
});

for (
  const [name, path] of [
    ["x-sluice-session", CHAT],
    ["x-session-id", "/v1/messages"],
    ["x-openwebui-chat-id", CHAT],
    ["session_id", "/v1/responses"],
  ] as const
) {
  Deno.test(`the header ${name} names a session, without agents`, async () => {
    const { "x-claude-code-session-id": _, ...agents } = AGENT_HEADERS;
    const headers = { [name]: "s:1", ...agents };
    const { session, agent, parentAgent } = await start().call({ input: "Hi" }, headers, path);
    assertEquals([session, agent, parentAgent], ["s:1", undefined, undefined]);
  });
}

Deno.test("a long ID, or one with spaces, is hashed", async () => {
  const { call } = start();
  const long = await call({}, { "x-session-id": "a".repeat(65) });
  const other = await call({}, { "x-session-id": "a".repeat(64) + "b" });
  const words = await call({}, { "x-session-id": "secret words" });
  for (const { session } of [long, other, words]) assertMatch(session ?? "", /^s_[0-9a-f]{16}$/);
  assertNotEquals(long.session, other.session);
  assertEquals((await call()).session, undefined);
});

Deno.test("usage and requests by session", async () => {
  const { call, get } = start();
  await call({}, AGENT_HEADERS, "/v1/messages");
  await call({}, AGENT_HEADERS, "/v1/messages");
  await call({}, { "x-session-id": "second" });
  await call();
  const { body } = await get("/v1/usage?group_by=session");
  const groups = body.data.map((
    { session, requests, input_tokens }: Record<string, unknown>,
  ) => [session, requests, input_tokens]);
  assertEquals(groups.sort(), [["5b0d7f9e-session", 2, 60], ["second", 1, 30]]);
  const listed = await get("/v1/requests?session=second");
  assertEquals(listed.body.data.map(({ session }: Record<string, unknown>) => session), ["second"]);
  const mixed = await get("/v1/usage?group_by=session,tag");
  assertEquals([mixed.status, mixed.body.error.param], [400, "group_by"]);
});

Deno.test("an end user is a pseudonym, the same for the same secret", async () => {
  const one = start({ secret: SECRET });
  const { endUser } = await one.call({ user: "ada@example.com" });
  assertMatch(endUser ?? "", /^u_[\w-]{20}$/);
  assertEquals(
    (await start({ secret: SECRET }, "sk-other").call({ user: "ada@example.com" })).endUser,
    endUser,
  );
  assertNotEquals((await one.call({ user: "bob@example.com" })).endUser, endUser);
  const { endUser: unset } = await start().call({ user: "ada@example.com" });
  assertNotEquals(unset, endUser);
  assertEquals((await start().call({ user: "ada@example.com" })).endUser, unset);
  assertNotEquals((await start({}, "sk-other").call({ user: "ada@example.com" })).endUser, unset);
});

const SOURCES: readonly [string, Record<string, unknown>, Record<string, string>, string][] = [
  ["user", { user: "u" }, {}, "u"],
  ["safety_identifier", { safety_identifier: "s", user: "u" }, {}, "s"],
  ["metadata", { metadata: { user_id: "x" } }, {}, "x"],
  [
    "Open WebUI's ID",
    { user: "u" },
    { "x-openwebui-user-email": "e@x", "x-openwebui-user-id": "i" },
    "i",
  ],
  ["Open WebUI's address", { user: "u" }, { "x-openwebui-user-email": "e@x" }, "e@x"],
  [
    "an account with a session",
    { metadata: { user_id: "user_0f_account_9c-1_session_77-2" } },
    {},
    "user_0f_account_9c-1",
  ],
  [
    "an account as JSON",
    { metadata: { user_id: '{"device_id":"d","account_uuid":"a","session_id":"s"}' } },
    {},
    "a",
  ],
  [
    "a device as JSON",
    { metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' } },
    {},
    "d",
  ],
  ["broken JSON", { metadata: { user_id: "{broken" } }, {}, "{broken"],
];

for (const [what, members, headers, expected] of SOURCES) {
  Deno.test(`the end user comes from ${what}`, async () => {
    const { call } = start({ ids: "plain" });
    const { endUser } = await call(members, headers);
    assertEquals(endUser, expected);
  });
}

Deno.test("a long name is never plain, and with 'off' no user is recorded", async () => {
  const plain = start({ ids: "plain" });
  assertMatch((await plain.call({ user: "a".repeat(65) })).endUser ?? "", /^u_/);
  assertEquals((await start({ ids: "off" }).call({ user: "ada" })).endUser, undefined);
  assertEquals((await plain.call({ user: "" })).endUser, undefined);
});

Deno.test("usage and requests by end user, and what is sent does not change", async () => {
  const { call, get, vendor } = start({ ids: "plain" });
  await call({ user: "ada" });
  await call({ user: "ada" });
  await call({}, { "x-openwebui-user-id": "bob" });
  await call();
  const { body } = await get("/v1/usage?group_by=end_user,model");
  const groups = body.data.map((
    { end_user, model, requests }: Record<string, unknown>,
  ) => [end_user, model, requests]);
  assertEquals(groups.sort(), [["ada", "m", 2], ["bob", "m", 1]]);
  const listed = await get("/v1/requests?end_user=bob");
  assertEquals(listed.body.data.length, 1);
  assertEquals(vendor.sent.map(({ body }) => body.user), ["ada", "ada", undefined, undefined]);
  assert(vendor.sent.every(({ headers }) => !headers.has("x-openwebui-user-id")));
});
