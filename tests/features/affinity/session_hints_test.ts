/** What vendors learn of sessions: a pseudonym, where they document that they take one. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = "/v1/messages";
const RESPONSES = "/v1/responses";

type Json = Record<string, unknown>;

const KEYS = ["one", "two"].map((name) => ({ name, key: `sk-test-${name}-${"x".repeat(30)}` }));

function configOf(provider: Json, routing: Json = { affinity: {} }): Json {
  const p = { api_key: VENDOR_KEY, models: ["m"], ...provider };
  return { providers: { p }, routing, server: { keys: KEYS } };
}

interface Asked {
  readonly path?: string;
  readonly body?: Json;
  readonly headers?: Record<string, string>;
  readonly key?: string;
  readonly routing?: Json;
}

async function send(
  provider: Json,
  { path = CHAT, body = {}, headers = {}, key = "one", routing }: Asked = {},
) {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({ config: configOf(provider, routing), fetch: vendor.fetch });
  const input = path === RESPONSES
    ? { input: "hi" }
    : { messages: [{ role: "user", content: "hi" }], ...(path === MESSAGES && { max_tokens: 9 }) };
  const request = { model: "m", ...input, ...body };
  const sent = {
    authorization: `Bearer ${KEYS.find(({ name }) => name === key)?.key}`,
    "x-session-id": "secret words",
    ...headers,
  };
  const answer = await gateway.call(path, request, sent);
  assertEquals(answer.status, 200, await answer.text());
  const [first] = vendor.sent;
  const explained = await gateway.call(path, request, { ...sent, "x-sluice-explain": "true" });
  const { targets } = await explained.json();
  assertEquals(targets[0].request.body, first?.body, "what is explained is what is sent");
  const added = answer.headers.get("x-sluice-added");
  const rows = targets[0].receipt.filter(({ fate }: Json) => fate === "added")
    .map(({ parameter }: Json) => parameter);
  for (const name of added?.split(", ") ?? []) assert(rows.includes(name), name);
  assert(!JSON.stringify([first?.body, ...(first?.headers ?? [])]).includes("secret words"));
  return { body: first?.body ?? {}, headers: first?.headers ?? new Headers(), added };
}

/** By vendor and API: the member or the header. */
const ROWS: readonly (readonly [provider: Json, path: string, member: string, header: string])[] = [
  [{ kind: "openai" }, CHAT, "prompt_cache_key", ""],
  [{ kind: "openai" }, RESPONSES, "prompt_cache_key", ""],
  [{ kind: "mistral" }, CHAT, "prompt_cache_key", ""],
  [{ kind: "moonshot" }, CHAT, "prompt_cache_key", ""],
  [{ kind: "deepinfra" }, CHAT, "prompt_cache_key", ""],
  [{ kind: "xai" }, RESPONSES, "prompt_cache_key", ""],
  [{ kind: "xai" }, CHAT, "", "x-grok-conv-id"],
  [{ kind: "fireworks" }, CHAT, "", "x-session-affinity"],
  [{ kind: "fireworks" }, MESSAGES, "", "x-session-affinity"],
  [
    { kind: "openai_compatible", base_url: "https://opencode.ai/zen/v1" },
    CHAT,
    "",
    "x-opencode-session",
  ],
  [
    { kind: "anthropic", base_url: "https://opencode.ai/zen/v1" },
    MESSAGES,
    "",
    "x-opencode-session",
  ],
  [{ kind: "openai", base_url: "https://eu.opencode.ai/zen/v1" }, CHAT, "", "x-opencode-session"],
];

for (const [provider, path, member, header] of ROWS) {
  const where = provider.base_url ?? provider.kind;
  Deno.test(`${where}, ${path}: the session is in ${member || header}`, async () => {
    const { body, headers, added } = await send(provider, { path });
    const id = member === "" ? headers.get(header) : body[member];
    assert(typeof id === "string" && /^[\w-]{16}$/.test(id), String(id));
    assertEquals(added, member || header);
    const again = await send(provider, { path });
    assertEquals(member === "" ? again.headers.get(header) : again.body[member], id);
    for (const other of [{ key: "two" }, { headers: { "x-session-id": "another one" } }]) {
      const { body, headers } = await send(provider, { path, ...other });
      assertNotEquals(member === "" ? headers.get(header) : body[member], id);
    }
    const off = await send(provider, { path, routing: {} });
    assertEquals([off.added, off.headers.get(header || "x"), off.body[member]], [
      null,
      null,
      undefined,
    ]);
  });
}

Deno.test("the caller's own member wins, and is its session", async () => {
  const { body, added } = await send({ kind: "openai" }, { body: { prompt_cache_key: "mine" } });
  assertEquals([body.prompt_cache_key, added], ["mine", null]);
});

Deno.test("no other server learns of sessions", async () => {
  for (
    const provider of [
      { kind: "openai_compatible", base_url: "https://opencode.ai.test/v1" },
      { kind: "openai_compatible", base_url: "https://notopencode.ai/v1" },
      { kind: "openai", base_url: "https://api.openai.com.test/v1" },
      { kind: "xai", base_url: "https://x.ai.test/v1" },
      { kind: "fireworks", base_url: "https://proxy.test/v1" },
      { kind: "groq" },
    ]
  ) {
    const { body, headers, added } = await send(provider);
    assertEquals([added, body.prompt_cache_key, headers.get("x-opencode-session")], [
      null,
      undefined,
      null,
    ]);
    assertEquals([headers.get("x-session-affinity"), headers.get("x-grok-conv-id")], [null, null]);
  }
});

Deno.test("one gateway gives each session of each service key the same pseudonym each time", async () => {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({
    config: configOf({ kind: "openai" }),
    fetch: vendor.fetch,
  });
  const hints = new Map<string, Set<unknown>>();
  for (let round = 0; round < 3; round++) {
    for (const { name, key } of KEYS) {
      for (const session of ["a", "b", "a b"]) {
        const body = { model: "m", messages: [{ role: "user", content: "hi" }] };
        const headers = { authorization: `Bearer ${key}`, "x-session-id": session };
        const answer = await gateway.call(CHAT, body, headers);
        assertEquals(answer.status, 200, await answer.text());
        const own = `${name} ${session}`;
        hints.set(
          own,
          (hints.get(own) ?? new Set()).add(vendor.sent.at(-1)?.body.prompt_cache_key),
        );
      }
    }
  }
  const all = [...hints.values()].flatMap((one) => [...one]);
  assertEquals([all.length, new Set(all).size], [6, 6]);
  for (const one of all) assert(/^[\w-]{16}$/.test(String(one)), String(one));
});
