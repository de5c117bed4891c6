import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { VERSION } from "../../src/core/version.ts";
import {
  createTestGateway,
  SERVICE_KEY,
  type TestGateway,
  VENDOR_KEY,
} from "../support/gateway.ts";
import process from "node:process";
import { ScriptedVendor } from "../support/scripted_vendor.ts";

const DIGEST = digestOf("sk-digested");

const CONFIG = {
  providers: { mock: { kind: "mock", models: ["m"] }, other: { kind: "mock", models: ["x"] } },
};

const REQUEST = { model: "m", messages: [{ role: "user", content: "Hi" }] };
const CHAT = "/v1/chat/completions";

function gatewayWith(server: Record<string, unknown> = {}): TestGateway {
  return createTestGateway({ config: { ...CONFIG, server } });
}

/** A request as it comes, without the key that the test gateway adds by itself. */
function bare(gateway: TestGateway, path: string, init: RequestInit = {}): Promise<Response> {
  return gateway.app.handle(new Request(`http://gateway.test${path}`, init));
}

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

interface Expected {
  readonly status: number;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

/** Checks that an answer is an error as every error must look, and gives its message. */
async function errorOf(response: Response, expected: Expected): Promise<string> {
  const { status, type = "invalid_request_error", param = null, code = null } = expected;
  const { error, ...others } = await response.json();
  assertEquals(response.status, status);
  assertEquals(others, {});
  assertEquals({ ...error, message: "" }, { message: "", type, param, code });
  assertMatch(error.message, /^[A-Z].*[^.]$/);
  assertEquals(response.headers.get("content-type"), "application/json");
  assert(response.headers.has("x-request-id"));
  return error.message;
}

const UNKNOWN_PATHS = [
  "/v2/models",
  "/v1/engines",
  "/v1/videos",
  "/favicon.ico",
];

for (const path of UNKNOWN_PATHS) {
  Deno.test(`${path} is a 404 for every method, with or without a key`, async () => {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
      const message = await errorOf(await bare(gatewayWith(), path, { method }), { status: 404 });
      assertStringIncludes(message, "; GET / lists the endpoints");
    }
  });
}

for (const path of ["/chat/completions", "/models", "/models/m", "/models/a/b", "/providers"]) {
  Deno.test(`${path} is a 404 that says how the base URL must end`, async () => {
    const message = await errorOf(await bare(gatewayWith(), path), { status: 404 });
    assertStringIncludes(message, "must end in /v1");
  });
}

Deno.test("a 404 shows the requested path, shortened, with a hint about the base URL", async () => {
  const paths = [
    "/v1/v1/models",
    "//v1/models",
    "/v1//chat/completions",
    "/v1/videos?key=sk-1",
    `/${"a".repeat(300)}`,
  ];
  const doubled =
    "the path has a double slash: remove the trailing slash from the client's base URL";
  const messages = await Promise.all(
    paths.map(async (path) => (await (await bare(gatewayWith(), path)).json()).error.message),
  );
  assertEquals(messages, [
    "Unknown path '/v1/v1/models'; the path has '/v1' twice: the client adds '/v1', so " +
    "remove it from the base URL",
    `Unknown path '//v1/models'; ${doubled}`,
    `Unknown path '/v1//chat/completions'; ${doubled}`,
    "Unknown path '/v1/videos'; GET / lists the endpoints",
    `Unknown path '/${"a".repeat(199)}…'; GET / lists the endpoints`,
  ]);
});

for (
  const path of [
    "/v1beta/cachedContents",
    "/v1beta/files",
    "/v1alpha/models/m:countTokens",
    "/v1beta1/projects/p/locations/global/publishers/google/models/m:generateContent",
    "/v1/projects/p/locations/global/publishers/anthropic/models/m:streamRawPredict",
  ]
) {
  Deno.test(`${path} of Gemini's API is a 404 that says what is offered instead`, async () => {
    const response = await bare(gatewayWith(), path, { method: "POST", body: "{}" });
    const message = await errorOf(response, { status: 404 });
    assertStringIncludes(message, "Gemini's API is offered at /v1beta/models/");
  });
}

Deno.test("a model whose ID has a colon is still looked up, and has no other method", async () => {
  const gateway = gatewayWith();
  const missing = await gateway.call("/v1/models/gpt-oss:120b");
  await errorOf(missing, { status: 404, code: "model_not_found", param: "model" });
  const called = await gateway.call("/v1/models/gpt-oss:120b", {});
  assertEquals([called.status, (await called.json()).error.status], [404, "NOT_FOUND"]);
});

Deno.test("Claude Code's question at /api/hello is answered without a key", async () => {
  const head = await bare(gatewayWith(), "/api/hello", { method: "HEAD" });
  assertEquals([head.status, await head.text()], [200, ""]);
  const get = await bare(gatewayWith(), "/api/hello");
  assertEquals([get.status, await get.json()], [200, { message: "hello" }]);
});

Deno.test("GET / and GET /v1 describe the API without a key and do not show the configuration", async () => {
  const config = {
    providers: { secret: { kind: "openai", api_key: VENDOR_KEY, models: ["hidden"] } },
  };
  const gateway = createTestGateway({ config });
  for (const path of ["/", "/v1", "/v1/"]) {
    const response = await bare(gateway, path);
    assertEquals([response.status, response.headers.get("content-type")], [
      200,
      "application/json",
    ]);
    const text = await response.text();
    assert(!/secret|hidden|sk-/.test(text), text);
    const { endpoints, ...others } = JSON.parse(text);
    assertEquals([others.name, others.version], ["sluice", VERSION]);
    assertEquals([others.api, others.health], ["/v1", "/healthz"]);
    for (const endpoint of ["POST /v1/chat/completions", "GET /v1/models", "GET /metrics"]) {
      assert(endpoints.includes(endpoint), endpoint);
    }
    for (const endpoint of endpoints) {
      const [method = "", at = ""] = endpoint.split(" ");
      const answer = await bare(gateway, at, { method });
      await answer.body?.cancel();
      assert([200, 401].includes(answer.status), `${endpoint}: ${answer.status}`);
    }
  }
});

Deno.test("a path of many slashes is a 404", async () => {
  const gateway = gatewayWith();
  await errorOf(await bare(gateway, "/".repeat(60_000)), { status: 404 });
  assertEquals(gateway.bugs, []);
});

/** A path, and what its `Allow` says. */
const METHODS: readonly (readonly [string, string])[] = [
  [CHAT, "POST"],
  ["/v1/models", "GET, HEAD"],
  ["/v1/models/m", "GET, HEAD, POST"],
  ["/v1/providers", "GET, HEAD"],
  ["/healthz", "GET, HEAD"],
  ["/readyz", "GET, HEAD"],
  ["/", "GET, HEAD"],
  ["/v1", "GET, HEAD"],
];

for (const [path, allowed] of METHODS) {
  Deno.test(`${path} answers other methods with 405 and Allow, without checking the key`, async () => {
    const others = ["PUT", "DELETE", "PATCH", "OPTIONS", "GET", "POST"].filter((method) =>
      !allowed.split(", ").includes(method)
    );
    for (const method of others) {
      const response = await bare(gatewayWith(), path, { method });
      const message = await errorOf(response, { status: 405 });
      assertEquals(response.headers.get("allow"), allowed);
      assertStringIncludes(message, method);
    }
  });

  if (path === CHAT) continue;
  Deno.test(`HEAD ${path} behaves as GET, without the body`, async () => {
    const gateway = gatewayWith();
    const headers = { authorization: `Bearer ${SERVICE_KEY}` };
    const got = await bare(gateway, path, { headers });
    const head = await bare(gateway, path, { headers, method: "HEAD" });
    const length = new TextEncoder().encode(await got.text()).length;
    assertEquals(head.status, got.status);
    assertEquals(head.headers.get("content-length"), String(length));
    assertEquals(head.headers.get("content-type"), got.headers.get("content-type"));
    assertEquals(await head.text(), "");
  });
}

Deno.test("HEAD of the chat endpoint is a 405", async () => {
  const response = await bare(gatewayWith(), CHAT, { method: "HEAD" });
  assertEquals([response.status, response.headers.get("allow")], [405, "POST"]);
  assertEquals(await response.text(), "");
});

Deno.test("a trailing slash is ignored", async () => {
  const gateway = gatewayWith();
  for (const path of ["/v1/models/", "/v1/providers/", "/healthz/", "/readyz/"]) {
    const response = await gateway.call(path);
    await response.body?.cancel();
    assertEquals(response.status, 200, path);
  }
  const response = await gateway.call(`${CHAT}/`, REQUEST);
  await response.body?.cancel();
  assertEquals(response.status, 200);
});

Deno.test("/healthz and /readyz need no key and show no names", async () => {
  const gateway = gatewayWith();
  for (const [path, status] of [["/healthz", "ok"], ["/readyz", "ready"]] as const) {
    const response = await bare(gateway, path);
    assertEquals([response.status, await response.json()], [200, { status }]);
  }
});

const KEYS = [
  { name: "plain", key: "sk-plain" },
  { name: "digest", key: `sha256:${DIGEST}` },
  { name: "shouted", key: `sha256:${digestOf("sk-shouted").toUpperCase()}` },
];

/** An `Authorization` header, and the name of the key that it holds, or undefined. */
const HEADERS: readonly (readonly [string | undefined, string | undefined])[] = [
  ["Bearer sk-plain", "plain"],
  ["bearer sk-plain", "plain"],
  ["BEARER sk-plain", "plain"],
  ["Bearer   sk-plain  ", "plain"],
  ["Bearer sk-digested", "digest"],
  ["Bearer sk-shouted", "shouted"],
  [undefined, undefined],
  ["", undefined],
  ["Bearer", undefined],
  ["Bearer ", undefined],
  ["Bearer sk-wrong", undefined],
  ["Bearer SK-PLAIN", undefined],
  ["Bearer sk-plain2", undefined],
  ["Bearer sk-plai", undefined],
  ["sk-plain", undefined],
  ["Basic sk-plain", undefined],
  ["Bearersk-plain", undefined],
  [`Bearer sha256:${DIGEST}`, undefined],
  [`Bearer ${DIGEST}`, undefined],
];

for (const [authorization, name] of HEADERS) {
  const what = authorization === undefined ? "no Authorization" : `'${authorization}'`;
  Deno.test(`${what} ${name === undefined ? "is a 401" : `is the key '${name}'`} everywhere`, async () => {
    const gateway = gatewayWith({ keys: KEYS });
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const requests: (readonly [string, RequestInit])[] = [
      ["/v1/models", { headers }],
      ["/v1/models/m", { headers }],
      ["/v1/providers", { headers }],
      [CHAT, { headers, method: "POST", body: JSON.stringify(REQUEST) }],
    ];
    for (const [path, init] of requests) {
      const response = await bare(gateway, path, init);
      if (name === undefined) {
        const message = await errorOf(response, { status: 401, code: "invalid_api_key" });
        assert(!/sk-|sha256/.test(message));
        assertEquals(response.headers.get("www-authenticate"), "Bearer");
        assertEquals(response.headers.get("x-should-retry"), "false", "clients repeat a 401");
      } else {
        await response.body?.cancel();
        assertEquals(response.status, 200);
      }
      assertEquals(gateway.lines.at(-1)?.key, name);
    }
  });
}

/** Descriptions of a configured key and of a generated key in error messages. */
const CONFIGURED =
  "a service key of Sluice (server.keys in its config.yaml, usually SLUICE_API_KEY)";
const PRINTED = "the service key that Sluice generated for this run and printed at startup";

/** An invalid `Authorization` header and the error message for it. */
const REFUSALS: readonly (readonly [string | undefined, string])[] = [
  [
    undefined,
    `No service key was sent: send ${CONFIGURED} as 'Authorization: Bearer <key>', or in 'x-api-key', 'api-key' or 'x-goog-api-key'`,
  ],
  ["Bearer sk-wrong", `The service key is not valid: use ${CONFIGURED}, not a vendor's key`],
];

for (const [authorization, expected] of REFUSALS) {
  const what = authorization === undefined ? "no Authorization" : `'${authorization}'`;
  Deno.test(`a 401 for ${what} says how to fix the request: ${expected}`, async () => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await bare(gatewayWith({ keys: KEYS }), "/v1/models", { headers });
    assertEquals((await response.json()).error.message, expected);
  });
}

Deno.test("a 401 says that the generated key was printed at startup", async () => {
  const gateway = gatewayWith({ keys: [] });
  const { generatedKey = "" } = gateway.config;
  assert(generatedKey !== "");
  for (const authorization of [undefined, "Bearer sk-of-the-run-before"]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await bare(gateway, "/v1/models", { headers });
    const { message } = (await response.json()).error;
    assertEquals([response.status, message.includes(PRINTED)], [401, true], message);
    assert(!message.includes(generatedKey));
  }
});

/** Ids of callers that are kept; every other one is replaced. */
const KEPT = ["a", "req-1 of 2", "!~", "x".repeat(128)];
const REPLACED = ["", "x".repeat(129), "caf\u00e9", "tab\there"];

for (const id of [...KEPT, ...REPLACED]) {
  const kept = KEPT.includes(id);
  Deno.test(`the request id '${id.slice(0, 20)}' of ${id.length} characters is ${kept ? "kept" : "replaced"}`, async () => {
    const gateway = gatewayWith();
    for (const path of ["/healthz", "/v1/models", "/nowhere"]) {
      const response = await gateway.call(path, undefined, { "x-request-id": id });
      await response.body?.cancel();
      const answered = response.headers.get("x-request-id") ?? "";
      assertEquals(answered === id, kept);
      if (!kept) assertMatch(answered, /^req_[\w-]{7}\d+$/);
      // Probes are in the log only at the level debug.
      if (path !== "/healthz") assertEquals(gateway.lines.at(-1)?.id, answered);
    }
  });
}

Deno.test("an answer to a request without an ID has a new one", async () => {
  const gateway = gatewayWith();
  const ids = new Set<string | null>();
  for (let count = 0; count < 3; count++) {
    const response = await gateway.call("/healthz");
    await response.body?.cancel();
    ids.add(response.headers.get("x-request-id"));
  }
  assertEquals(ids.size, 3);
});

Deno.test("the checks come in order: path, method, key, size, JSON, fields, model, key's models, strict", async () => {
  const gateway = createTestGateway({
    config: {
      providers: { v: { kind: "anthropic", api_key: "sk-v", models: ["claude-haiku-4-5", "m"] } },
      server: {
        max_body: 200,
        keys: [{ name: "some", key: "sk-some", models: ["claude-*"] }],
      },
    },
    fetch: new ScriptedVendor().fetch,
  });
  const headers: Record<string, string> = { "x-sluice-strict": "true" };
  let method = "PUT";
  let path = "/nowhere";
  let body = "x".repeat(201);
  const expect = async (expected: Expected) => {
    await errorOf(await bare(gateway, path, { method, headers, body }), expected);
  };
  const request = (members: Record<string, unknown>) => {
    body = JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...members });
  };

  await expect({ status: 404 });
  path = CHAT;
  await expect({ status: 405 });
  method = "POST";
  await expect({ status: 401, code: "invalid_api_key" });
  headers.authorization = "Bearer sk-some";
  await expect({ status: 413, code: "request_too_large" });
  body = "{";
  await expect({ status: 400 });
  request({ model: "nothing", temperature: 3, seed: 1 });
  await expect({ status: 400, param: "temperature", code: "invalid_value" });
  request({ model: "nothing", seed: 1 });
  await expect({ status: 404, param: "model", code: "model_not_found" });
  request({ model: "m", seed: 1 });
  await expect({ status: 404, param: "model", code: "model_not_found" });
  request({ model: "claude-haiku-4-5", seed: 1 });
  await expect({ status: 400, param: "seed", code: "unsupported_parameter" });
  request({ model: "claude-haiku-4-5" });
  const response = await bare(gateway, path, { method, headers, body });
  assertEquals([response.status, (await response.json()).object], [200, "chat.completion"]);
});

Deno.test("draining closes each connection after its answer and records all ended requests", async () => {
  const config = { providers: { mock: { kind: "mock", models: ["mock-echo"] } } };
  for (const end of ["drain", "abort"] as const) {
    const gateway = createTestGateway({ config, lag: 60_000 });
    await (await gateway.call("/v1/models")).body?.cancel();
    assertEquals(gateway.lines.length, 0);
    await gateway.app[end]();
    assertEquals(gateway.lines.length, 1);
    if (end === "abort") continue;
    for (
      const [path, status] of [["/healthz", 200], ["/v1/models", 503], ["/none", 404]] as const
    ) {
      const response = await gateway.call(path);
      await response.body?.cancel();
      assertEquals([response.status, response.headers.get("connection")], [status, "close"]);
    }
  }
});

Deno.test("the metrics count every ended request, even if the log lags behind", async () => {
  const config = { providers: { mock: { kind: "mock", models: ["mock-echo"] } } };
  const gateway = createTestGateway({ config, lag: 60_000 });
  await (await gateway.call("/v1/models")).body?.cancel();
  const text = await (await gateway.call("/metrics")).text();
  assert(text.includes('route="/v1/models"'), text);
});

Deno.test("authentication of a long token takes the same time with many keys", () => {
  const keys = Array.from({ length: 3000 }, (_, index) => ({
    name: `key ${index}`,
    key: `sk-${index}`,
  }));
  const { config } = gatewayWith({ keys });
  const before = process.cpuUsage();
  for (let count = 0; count < 10; count++) {
    assertEquals(config.authenticate("x".repeat(300_000)), undefined);
  }
  const { user, system } = process.cpuUsage(before);
  // With a look at each key, this takes many seconds.
  assert(user + system < 1_000_000);
  assertEquals(config.authenticate("sk-2999")?.name, "key 2999");
  assertEquals(config.authenticate("sk-29990"), undefined);
});
