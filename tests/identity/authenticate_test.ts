/** Which key a request presents, by header, query and route, and why one is refused. */

import { setImmediate } from "node:timers";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { authenticate, type AuthPolicy, NOBODY } from "../../src/identity/authenticate.ts";
import { presentedTokens, serviceKeys } from "../../src/identity/keys.ts";
import type { IdentityScheme, Principal } from "../../src/identity/principal.ts";
import { createTestGateway } from "../support/gateway.ts";
import { loadListed } from "../support/model_lists.ts";

const NOW = Date.parse("2026-11-28T12:00:00Z");
const KEYS = [
  { name: "one", key: "sk-one-12345678" },
  { name: "two", key: "sk-two-12345678" },
  { name: "old", key: "sk-old-12345678", expires: NOW / 1000 },
];
const ADMIN = "sk-admin-12345678";
const PROVIDERS = { mock: { kind: "mock", models: ["mock-echo"] } };

function configOf(server: Record<string, unknown>) {
  return loadListed(PROVIDERS, undefined, { server });
}

const CONFIG = configOf({ keys: KEYS, admin_keys: [{ name: "ops", key: ADMIN }] });

type Sent = readonly [headers: Record<string, string>, query?: string];

function nameOf(auth: AuthPolicy, [headers, query = ""]: Sent, config = CONFIG, now = NOW): string {
  const request = new Request(`http://g.test/${query}`, { headers });
  const deps = { clock: { wallTime: () => now } };
  return (authenticate(auth, request, { config, deps }) as Principal).key.name;
}

function refusalOf(auth: AuthPolicy, sent: Sent, config = CONFIG, now = NOW): GatewayError {
  return assertThrows(() => nameOf(auth, sent, config, now), GatewayError);
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

Deno.test("a service key is found in each header, and a valid one wins over others", () => {
  const sent: readonly (readonly [Record<string, string>, string])[] = [
    [bearer("sk-one-12345678"), "one"],
    [{ authorization: "bearer   sk-one-12345678 " }, "one"],
    [{ "x-api-key": "sk-one-12345678" }, "one"],
    [{ "api-key": " sk-one-12345678 " }, "one"],
    [{ "x-goog-api-key": "sk-one-12345678" }, "one"],
    [{ "x-api-key": "of-another-service", "api-key": "sk-two-12345678" }, "two"],
    [{ ...bearer("sk-one-12345678"), "x-api-key": "sk-two-12345678" }, "one"],
    [{ ...bearer("sk-one-12345678"), "x-api-key": "of-another-service" }, "one"],
    [{ ...bearer("sk-one-12345678"), "x-api-key": " " }, "one"],
  ];
  for (const [headers, name] of sent) {
    assertEquals(nameOf("service_key", [headers]), name, JSON.stringify(headers));
  }
});

Deno.test("a key in the query counts only where the route allows it, and no header holds one", () => {
  const query = "?a=1&key=sk-one-12345678";
  assertEquals(nameOf("query_key", [{}, query]), "one");
  assertEquals(nameOf("query_key", [{ "x-goog-api-key": "sk-two-12345678" }, query]), "two");
  assertEquals(nameOf("query_key", [bearer("sk-two-12345678")]), "two");
  assertEquals(nameOf("query_key", [bearer("sk-two-12345678"), "?key="]), "two");
  assertStringIncludes(refusalOf("service_key", [{}, query]).message, "No service key was sent");
  for (const without of ["", "?key=", "?keys=sk-one-12345678"]) {
    assertStringIncludes(
      refusalOf("query_key", [{}, without]).message,
      "No service key was sent",
    );
  }
  for (
    const wrong of ["?key=", "?key=wrong", "?key=%0A%C3%BC%E2%82%AC", "?other=sk-one-12345678"]
  ) {
    assertEquals(refusalOf("query_key", [{}, wrong]).kind, "unauthenticated", wrong);
  }
});

Deno.test("a refusal says what to send instead, and that it is final", () => {
  const cases: readonly (readonly [Record<string, string>, string])[] = [
    [{}, "No service key was sent: send a service key of Sluice"],
    [{ authorization: "Bearer" }, "No service key was sent"],
    [{ authorization: "Basic abc" }, "The Authorization header must be 'Bearer <key>'"],
    [{ authorization: "Bearer-sk" }, "The Authorization header must be 'Bearer <key>'"],
    [{ "x-api-key": "wrong" }, "The service key is not valid: use a service key of Sluice"],
    [bearer("wrong"), "not a vendor's key"],
    [bearer(ADMIN), "This is an admin key, which is valid for /v1/admin only"],
  ];
  for (const [headers, words] of cases) {
    const { kind, message, headers: answer } = refusalOf("service_key", [headers]);
    assertEquals(kind, "unauthenticated");
    assertStringIncludes(message, words);
    assertEquals(answer, { "www-authenticate": "Bearer", "x-should-retry": "false" });
  }
  const generated = configOf({});
  assertStringIncludes(
    refusalOf("service_key", [{}], generated).message,
    "the service key that Sluice generated for this run",
  );
});

Deno.test("a key is valid until it expires", () => {
  const sent = [bearer("sk-old-12345678")] as const;
  assertEquals(nameOf("service_key", sent, CONFIG, NOW - 1), "old");
  assertEquals(
    refusalOf("service_key", sent).message,
    "The service key 'old' expired on 2026-11-28",
  );
});

Deno.test("routes without a key, public metrics, and admin routes", () => {
  assertEquals(
    authenticate("none", new Request("http://g.test/"), {
      config: CONFIG,
      deps: { clock: { wallTime: () => NOW } },
    }),
    NOBODY,
  );
  assertEquals(refusalOf("metrics", [{}]).kind, "unauthenticated");
  assertEquals(nameOf("metrics", [bearer("sk-one-12345678")]), "one");
  assertEquals(nameOf("metrics", [{}], configOf({ keys: KEYS, metrics: "public" })), "");
  const admin = (headers: Record<string, string>, config = CONFIG) =>
    refusalOf({ admin: "test" }, [headers], config);
  assertEquals(nameOf({ admin: "test" }, [bearer(ADMIN)]), "ops");
  assertEquals(admin(bearer("sk-one-12345678")).kind, "admin_key_required");
  assertEquals(admin(bearer("wrong")).message, "The admin key is not valid");
  assertStringIncludes(admin({}).message, "No admin key was sent: send a key of 'server.admin_k");
  assertStringIncludes(admin({ "x-api-key": ADMIN }).message, "No admin key was sent");
  assertEquals(admin(bearer(ADMIN), configOf({ keys: KEYS })).kind, "route_not_found");
});

Deno.test("all credentials that a caller presents are known, without their scheme", () => {
  const headers = { ...bearer("a"), "api-key": " b ", "x-api-key": "", "x-goog-api-key": "c" };
  assertEquals(presentedTokens(new Request("http://g.test/", { headers })), ["a", "b", "c"]);
});

Deno.test("the ID of a principal is the owner: that of the group, or of the key", () => {
  const config = configOf({
    keys: [{ ...KEYS[0], group: "team" }, { ...KEYS[1], group: "team" }, KEYS[2]],
  });
  const idOf = (key: string) => {
    const request = new Request("http://g.test/", { headers: bearer(key) });
    const deps = { clock: { wallTime: () => NOW - 1 } };
    return (authenticate("service_key", request, { config, deps }) as Principal).id;
  };
  const [one, two, old] = KEYS.map(({ key }) => idOf(key));
  assertEquals([one === two, one === old, old], [true, false, "old"]);
  assertEquals(idOf("sk-one-12345678"), one);
});

/** Knows a caller by a header, after a while. */
const late: IdentityScheme = {
  authenticate(_, headers) {
    const name = headers.get("x-late");
    if (name === null) return undefined;
    return Promise.resolve().then(() => {
      if (name === "wrong") throw new GatewayError("unauthenticated", "Not known");
      return { id: `late ${name}`, key: { name } };
    });
  },
};

Deno.test("a scheme may answer later, and others are tried if it does not know the caller", async () => {
  const gateway = createTestGateway({
    config: { providers: PROVIDERS },
    schemes: [late, serviceKeys],
  });
  const body = { model: "mock-echo", messages: [{ role: "user", content: "Hi" }] };
  const ask = async (headers: Record<string, string>) => {
    const response = await gateway.call("/v1/chat/completions", body, headers);
    return [response.status, await response.text()] as const;
  };
  assertEquals((await ask({ "x-late": "ann", authorization: "" }))[0], 200);
  const [status, text] = await ask({ "x-late": "wrong" });
  assertEquals([status, JSON.parse(text).error.message], [401, "Not known"]);
  assertEquals((await ask({}))[0], 200);
  gateway.flush();
  assertEquals(gateway.lines.map(({ key }) => key), ["ann", undefined, "test"]);
});

Deno.test("an open WebSocket is checked again by the scheme that knew its caller", async () => {
  const allowed = new Set(["ann"]);
  const scheme: IdentityScheme = {
    authenticate(_, headers) {
      const name = headers.get("x-late");
      if (name === null || !allowed.has(name)) return undefined;
      return Promise.resolve({ id: name, key: { name } });
    },
  };
  const closed: (number | undefined)[] = [];
  const socket = {
    ...{ isOpen: true, bufferedAmount: 0 },
    start: () => {},
    send: () => {},
    close: (code?: number) => closed.push(code),
  };
  const gateway = createTestGateway({
    config: { providers: PROVIDERS },
    schemes: [scheme, serviceKeys],
    upgrade: () => ({ response: new Response(null), socket }),
  });
  await gateway.call("/v1/responses", undefined, {
    ...{ authorization: "", upgrade: "websocket", "x-late": "ann" },
    ...{ "sec-websocket-version": "13", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" },
  });
  const nextCheck = async () => {
    gateway.clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    return closed.length;
  };
  assertEquals([await nextCheck(), await nextCheck()], [0, 0]);
  allowed.delete("ann");
  assertEquals(await nextCheck(), 1);
});
