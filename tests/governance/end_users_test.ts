/** Limits and budgets of each end user of a key, besides those of the key. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";

const HEADERS = { authorization: "Bearer sk-app" };

/** Each answer costs 0.34 dollars. */
const CONFIG = (key: Record<string, unknown>, ids = "plain") => ({
  server: { keys: [{ name: "app", key: "sk-app", ...key }], end_users: { ids } },
  providers: {
    p: {
      ...{ kind: "groq", api_key: "k" },
      models: [{ id: "m", prices: { input: 10_000, output: 10_000 }, max_output_tokens: 4 }],
    },
  },
});

function start(key: Record<string, unknown>) {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({ config: CONFIG(key), fetch: vendor.fetch });
  return { ...asker(gateway), gateway, vendor };
}

function asker(gateway: Pick<TestGateway, "call">) {
  const ask = async (user?: string, headers = {}) => {
    const body = { model: "m", messages: MESSAGES, max_tokens: 4, ...(user && { user }) };
    const response = await gateway.call(CHAT, body, { ...HEADERS, ...headers });
    const text = await response.text();
    const error = response.ok ? undefined : JSON.parse(text).error;
    return { status: response.status, error, headers: response.headers };
  };
  const statuses = async (...users: (string | undefined)[]) => {
    const found: number[] = [];
    for (const user of users) found.push((await ask(user)).status);
    return found;
  };
  return { ask, statuses };
}

Deno.test("each end user has a limit; requests without one have that of the key", async () => {
  const { ask, statuses, vendor } = start({
    limits: { requests_per_minute: 100 },
    end_users: { limits: { requests_per_minute: 2 } },
  });
  assertEquals(await statuses("ada", "ada", "ada", "bob"), [200, 200, 429, 200]);
  assertEquals(await statuses(undefined, undefined, undefined), [200, 200, 200]);
  const { error, headers } = await ask("ada");
  assertEquals(error.code, "rate_limit_exceeded");
  assertEquals(
    error.message,
    "Rate limit reached for end user 'ada' of key 'app': 2 requests per minute",
  );
  assertEquals(headers.get("retry-after"), "30");
  assertEquals(vendor.sent.length, 6);
  // What a user was refused does not count for the key.
  assertEquals((await ask("bob")).headers.get("x-ratelimit-remaining-requests"), "93");
});

Deno.test("the limit of the key still counts, and its refusal does not count for the user", async () => {
  const { statuses, gateway } = start({
    limits: { requests_per_minute: 2 },
    end_users: { limits: { requests_per_minute: 2 } },
  });
  assertEquals(await statuses("ada", "bob", "ada"), [200, 200, 429]);
  gateway.clock.advance(30_000);
  assertEquals(await statuses("ada"), [200]);
});

Deno.test("the defaults of keys are not those of end users", async () => {
  const vendor = new ScriptedVendor();
  const config = { ...CONFIG({ end_users: { limits: {} } }), limits: { requests_per_minute: 3 } };
  const gateway = createTestGateway({ config, fetch: vendor.fetch });
  assertEquals(await asker(gateway).statuses("ada", "ada", "bob", "bob"), [200, 200, 200, 429]);
});

Deno.test("an end user from Open WebUI's header, also as a pseudonym", async () => {
  const vendor = new ScriptedVendor();
  const key = { end_users: { limits: { requests_per_minute: 1 } } };
  const gateway = createTestGateway({ config: CONFIG(key, "pseudonym"), fetch: vendor.fetch });
  const { ask } = asker(gateway);
  const ada = { "x-openwebui-user-id": "ada" };
  const found = [await ask("x", ada), await ask("y", ada), await ask("x")];
  assertEquals(found.map(({ status }) => status), [200, 429, 200]);
  assert(/end user 'u_[\w-]{20}' of/.test(found[1]?.error.message), found[1]?.error.message);
});

Deno.test("a budget of each end user is used up and renews", async () => {
  const { ask, statuses, gateway } = start({ end_users: { budget: { usd: 0.5, per: "day" } } });
  assertEquals(await statuses("ada", "ada", "ada", "bob"), [200, 200, 429, 200]);
  const { error, headers } = await ask("ada");
  assertEquals([error.code, headers.get("x-should-retry")], ["insufficient_quota", "false"]);
  assertEquals(
    error.message,
    "The budget of the end user 'ada' of key 'app' is used up: 0.68 of 0.5 USD per day is spent; " +
      "it renews at 2023-11-15T00:00Z",
  );
  gateway.clock.advance(2 * 3_600_000);
  assertEquals(await statuses("ada"), [200]);
});

Deno.test("a budget of end users needs known prices", async () => {
  const vendor = new ScriptedVendor();
  const config = CONFIG({ end_users: { budget: { usd: 1, per: "day" } } });
  const providers = { p: { kind: "groq", api_key: "k", models: ["m"] } };
  const gateway = createTestGateway({ config: { ...config, providers }, fetch: vendor.fetch });
  const { status, error } = await asker(gateway).ask("ada");
  assertEquals([status, error.code, vendor.sent.length], [403, "price_unknown", 0]);
});

Deno.test("the budget of end users counts only for requests that name one", async () => {
  const vendor = new ScriptedVendor();
  const config = CONFIG({
    budget: { usd: 10, per: "day", unknown_prices: "allow" },
    end_users: { budget: { usd: 1, per: "day" } },
  });
  const providers = { p: { kind: "groq", api_key: "k", models: ["m"] } };
  const gateway = createTestGateway({ config: { ...config, providers }, fetch: vendor.fetch });
  assertEquals(await asker(gateway).statuses(undefined, "ada"), [200, 403]);
});

Deno.test("end users beyond the bound share the limits of one, until others are idle", async () => {
  const { ask, statuses, gateway } = start({
    end_users: { limits: { requests_per_minute: 2 }, max: 2 },
  });
  assertEquals(await statuses("a", "b", "c", "d", "e"), [200, 200, 200, 200, 429]);
  assert((await ask("f")).error.message.includes("end user '(other)' of key 'app'"));
  assertEquals(await statuses("a", "b"), [200, 200]);
  // Their limits are whole again, so that they may be forgotten.
  gateway.clock.advance(60_000);
  assertEquals(await statuses("c", "c", "c"), [200, 200, 429]);
});

Deno.test("a user with a budget in its period is not forgotten for another", async () => {
  const { statuses, gateway } = start({
    end_users: { budget: { usd: 0.5, per: "day" }, max: 1 },
  });
  assertEquals(await statuses("a", "a", "a"), [200, 200, 429]);
  gateway.clock.advance(3_600_000);
  assertEquals(await statuses("b", "a"), [200, 429]);
  gateway.clock.advance(3_600_000);
  assertEquals(await statuses("b", "b", "b", "a", "a"), [200, 200, 429, 200, 200]);
});

Deno.test("limits of end users without end users are a fault of the configuration", () => {
  const config = CONFIG({ end_users: { max: 5 } }, "off");
  assertThrows(
    () => createTestGateway({ config }),
    Error,
    "server.keys[0].end_users: needs end users",
  );
});
