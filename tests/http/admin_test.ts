/** The admin routes: who may use them, what they show, and what a reset clears. */

import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { createAccessLog } from "../../src/telemetry/access_log.ts";
import { digestOf } from "../../src/config/keys.ts";
import { RequestRecord } from "../../src/gateway/request_record.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";
import { scrape } from "../support/samples.ts";
import { sayHello, type Sent } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const LIST = "/v1/admin/providers";
const RESET = "/v1/admin/providers/p/reset";
const ADMIN = { authorization: "Bearer admin-secret" };
const MESSAGES = [{ role: "user", content: "Hi" }];

const DIGEST = `sha256:${digestOf("admin-digest").toString("hex")}`;

const SERVER = {
  keys: [{ name: "test", key: SERVICE_KEY }],
  admin_keys: [{ name: "ops", key: "admin-secret" }, { name: "night", key: DIGEST }],
};

const PROVIDERS = {
  p: {
    kind: "openai_compatible",
    base_url: "http://p",
    api_key: ["sk-first-key", "sk-second-key"],
    retries: 0,
    models: ["m", { id: "also-m", upstream: "m" }, "n"],
  },
  off: { kind: "openai", models: ["o"] },
};

/** A gateway with one provider that answers by this script. */
function gatewayOf(
  script: (sent: Sent) => Response = sayHello,
  server: Record<string, unknown> = SERVER,
) {
  return createTestGateway({
    config: { server, providers: PROVIDERS },
    fetch: (url, { headers, body }) =>
      Promise.resolve(
        script({ url, headers: new Headers(headers), body: JSON.parse(String(body)) }),
      ),
  });
}

type Gateway = ReturnType<typeof gatewayOf>;

/** A POST without a body. */
const post = (gateway: Gateway, path: string, headers: Record<string, string> = ADMIN) =>
  gateway.call(path, "", headers);

async function ask(gateway: Gateway, members: Record<string, unknown> = {}): Promise<number> {
  const answer = await gateway.call(CHAT, { model: "m", messages: MESSAGES, ...members });
  await answer.body?.cancel();
  return answer.status;
}

async function errorOf(answer: Response) {
  const { error } = await answer.json();
  return { status: answer.status, ...error };
}

Deno.test("admin routes accept admin keys, plain or as a digest", async () => {
  const gateway = gatewayOf();
  for (const key of ["admin-secret", "admin-digest"]) {
    const headers = { authorization: `Bearer ${key}` };
    const listed = await gateway.call(LIST, undefined, headers);
    assertEquals([listed.status, (await listed.json()).object], [200, "list"]);
    const cleared = await post(gateway, RESET, headers);
    assertEquals([cleared.status, (await cleared.json()).object], [200, "provider.reset"]);
  }
});

Deno.test("a service key on an admin route is a 403, and no key or another one a 401", async () => {
  const gateway = gatewayOf();
  for (const path of [LIST, RESET]) {
    const call = (headers: Record<string, string>) =>
      gateway.call(path, path === RESET ? "" : undefined, headers);
    const service = await errorOf(await call({}));
    assertEquals([service.status, service.type, service.code], [
      403,
      "permission_error",
      "admin_key_required",
    ]);
    assertMatch(service.message, /service key cannot use the admin routes.*server\.admin_keys/);
    for (const authorization of ["", "Bearer wrong", "Basic x"]) {
      const reported = await errorOf(await call({ authorization }));
      assertEquals([reported.status, reported.code], [401, "invalid_api_key"], authorization);
    }
  }
});

Deno.test("an admin key is not a service key", async () => {
  const gateway = gatewayOf();
  const calls: readonly (readonly [string, unknown])[] = [
    [CHAT, { model: "m", messages: MESSAGES }],
    ["/v1/models", undefined],
    ["/v1/models/m", undefined],
    ["/v1/providers", undefined],
    ["/metrics", undefined],
  ];
  for (const [path, body] of calls) {
    const reported = await errorOf(await gateway.call(path, body, ADMIN));
    assertEquals([reported.status, reported.code], [401, "invalid_api_key"], path);
    assertMatch(reported.message, /This is an admin key/);
  }
});

Deno.test("without admin keys the routes are a 404 that explains how to enable them", async () => {
  const unset = { keys: SERVER.keys, admin_keys: [{ name: "ops", key: "${NOT_SET}" }] };
  for (const server of [{ keys: SERVER.keys }, unset]) {
    const gateway = gatewayOf(sayHello, server);
    for (const headers of [{}, ADMIN]) {
      for (
        const reported of [await gateway.call(LIST, undefined, headers), await post(gateway, RESET)]
      ) {
        const { status, message } = await errorOf(reported);
        assertEquals(status, 404);
        assertMatch(message, /admin routes are disabled.*server\.admin_keys/);
      }
    }
  }
});

Deno.test("the wrong method, an unknown path and an unknown provider have different errors", async () => {
  const gateway = gatewayOf();
  const wrong = await gateway.call(RESET, undefined, ADMIN);
  assertEquals([wrong.status, wrong.headers.get("allow")], [405, "POST"]);
  await wrong.body?.cancel();
  const nothing = await errorOf(await gateway.call("/v1/admin", undefined, ADMIN));
  assertEquals([nothing.status, nothing.code], [404, null]);
  const unknown = await errorOf(await post(gateway, "/v1/admin/providers/nobody/reset"));
  assertEquals([unknown.status, unknown.code], [404, "provider_not_found"]);
  assertEquals(unknown.message, "Unknown provider 'nobody'");
  const off = await errorOf(await post(gateway, "/v1/admin/providers/off/reset"));
  assertEquals([off.status, off.message], [404, "The provider 'off' is disabled: no api_key"]);
});

/** Refuses the first key, does not know `seed`, and fails for the model `n`. */
function failing({ headers, body }: Sent): Response {
  if (headers.get("authorization") === "Bearer sk-first-key") {
    return Response.json({}, { status: 401 });
  }
  if (body.model === "n") return Response.json({}, { status: 503 });
  const error = { message: "No", code: "unknown_parameter", param: "seed" };
  if ("seed" in body) return Response.json({ error }, { status: 400 });
  return sayHello({ url: "", body });
}

/** A gateway that has learned one of each kind. */
async function taught(): Promise<Gateway> {
  const gateway = gatewayOf(failing);
  assertEquals(await ask(gateway, { seed: 1 }), 200);
  for (let count = 0; count < 5; count++) assertEquals(await ask(gateway, { model: "n" }), 503);
  gateway.clock.advance(1000);
  return gateway;
}

Deno.test("the list shows learned rejections, and of keys only index and fingerprint", async () => {
  const gateway = await taught();
  const text = await (await gateway.call(LIST, undefined, ADMIN)).text();
  assert(!text.includes("sk-first-key") && !text.includes("sk-second-key"), text);
  assertEquals(JSON.parse(text), {
    object: "list",
    data: [
      {
        id: "p",
        kind: "openai_compatible",
        state: "on",
        keys: [
          { index: 0, fingerprint: digestOf("sk-first-key").toString("hex").slice(0, 8) },
          { index: 1, fingerprint: digestOf("sk-second-key").toString("hex").slice(0, 8) },
        ],
        workers: [{
          worker: 1,
          suspended_keys: [{ key: 0, reason: "upstream_auth", ends_in_ms: 299_000 }],
          breakers: [
            { model: "m", state: "closed", failures: 0 },
            { model: "n", state: "open", failures: 5, tries_again_in_ms: 29_000 },
          ],
          learned_rejections: [{ model: "m", parameter: "seed", expires_in_ms: 3_599_000 }],
        }],
      },
      { id: "off", kind: "openai", state: "off", reason: "no api_key" },
    ],
    workers: 1,
    pending_workers: 0,
  });
});

Deno.test("GET /v1/providers and the metrics show learned rejections too", async () => {
  const gateway = await taught();
  const { data: [provider] } = await (await gateway.call("/v1/providers")).json();
  assertEquals(provider.learned_rejections, [
    { model: "m", parameter: "seed", expires_in_ms: 3_599_000 },
    { model: "also-m", parameter: "seed", expires_in_ms: 3_599_000 },
  ]);
  const name = "sluice_learned_rejections";
  const labels = { provider: "p", model: "m", parameter: "seed" };
  assertEquals((await scrape(gateway)).all(name), [[labels, 1]]);
  gateway.clock.advance(3_600_000);
  assertEquals((await scrape(gateway)).all(name), []);
});

Deno.test("a reset clears all state, returns the counts, and is logged", async () => {
  const gateway = await taught();
  const cleared = { suspended_keys: 1, breakers: 1, learned_rejections: 1 };
  const reported = await post(gateway, RESET);
  assertEquals(await reported.json(), {
    object: "provider.reset",
    id: "p",
    cleared,
    workers: 1,
    pending_workers: 0,
  });
  const line = gateway.lines.at(-1);
  assertEquals([line?.key, line?.route, line?.status], [
    "ops",
    "/v1/admin/providers/{provider_id}/reset",
    200,
  ]);
  const audit = { action: "providers.reset", provider: "p", cleared, result: "done" };
  assertEquals(line?.audit, audit);
  const { data } = await (await gateway.call(LIST, undefined, ADMIN)).json();
  assertEquals(data[0].workers[0], {
    worker: 1,
    suspended_keys: [],
    breakers: [
      { model: "m", state: "closed", failures: 0 },
      { model: "n", state: "closed", failures: 0 },
    ],
    learned_rejections: [],
  });
  const again = await (await post(gateway, RESET)).json();
  assertEquals(again.cleared, { suspended_keys: 0, breakers: 0, learned_rejections: 0 });
});

Deno.test("readable log lines name the admin and what was reset", () => {
  let lines = "";
  const log = createAccessLog((text) => lines += text, { readable: () => true });
  const record = new RequestRecord(
    "req_1",
    new AbortController().signal,
    0,
    chatCompletions,
    () => {},
  );
  record.key = "ops";
  record.audit = { action: "providers.reset", provider: "p" };
  log.record([record.close(0, 0)]);
  assertMatch(
    lines,
    /key=ops \{"action":"providers.reset","provider":"p","result":"done"\} req_1\n$/,
  );
});

Deno.test("admin routes answer when too many requests are in flight", async () => {
  const gateway = createTestGateway({
    config: { server: { ...SERVER, max_in_flight: 1 }, providers: PROVIDERS },
    fetch: (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const caller = new AbortController();
  const waiting = gateway.call(CHAT, { model: "m", messages: MESSAGES }, {}, caller.signal);
  assertEquals(await ask(gateway), 503);
  const listed = await gateway.call(LIST, undefined, ADMIN);
  assertEquals([listed.status, (await listed.json()).object], [200, "list"]);
  caller.abort();
  await (await waiting).body?.cancel();
});
