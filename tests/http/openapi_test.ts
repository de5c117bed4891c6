/** GET /openapi.json: a linter accepts it, and real requests and answers fit what it says. */

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { RunConfigCall } from "../../src/config/editing/changes.ts";
import { listFormObjects } from "../../src/config/editing/form_objects.ts";
import type { ListenerPart } from "../../src/config/listeners.ts";
import { describe } from "../../src/http/routes/gateway.ts";
import { createRoutes, type RouteServices } from "../../src/http/routes/table.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { type Description, DescriptionCheck } from "../support/openapi.ts";
import { serveAllParts } from "../../src/http/routes/route.ts";

const ADMIN = "sk-test-admin-key";

/** Answers of a vendor for the operations that the mock lacks, by the ends of their paths. */
const VENDOR: Readonly<Record<string, BodyInit>> = {
  "/rerank": JSON.stringify({ results: [{ index: 0, relevance_score: 0.5 }] }),
  "/moderations": JSON.stringify({
    id: "m",
    model: "m",
    results: [{ categories: { violence: false } }],
  }),
  "/images/generations": JSON.stringify({ created: 1, data: [{ b64_json: "AA==" }] }),
  "/audio/speech": "audio",
  "/audio/transcriptions": JSON.stringify({ text: "Hello" }),
};

const gateway = createTestGateway({
  runConfigCall: (call) => runConfigCall(call),
  config: {
    server: { admin_keys: [{ name: "admin", key: ADMIN, edit_config: true }] },
    providers: {
      mock: { kind: "mock", models: ["mock-echo"], passthrough: true },
      other: {
        kind: "openai_compatible",
        base_url: "https://vendor.example/v1",
        api_key: VENDOR_KEY,
        models: ["other"],
      },
    },
  },
  fetch: (input) => {
    const { pathname } = new URL(input);
    const [, answer] = Object.entries(VENDOR).find(([end]) => pathname.endsWith(end)) ?? [];
    const type = pathname.endsWith("/speech") ? "audio/mpeg" : "application/json";
    return Promise.resolve(
      new Response(answer ?? "", {
        status: answer === undefined ? 404 : 200,
        headers: { "content-type": type },
      }),
    );
  },
});

const SHOWN = { source: "config.yaml", loadedAt: 0, text: "", hash: "h", versions: [] };
const CHANGE = { section: "aliases", name: "a", change: "added", after: "b" } as const;
const PROBLEM = { path: "", message: "is wrong", line: 1, column: 1 };

const FORM = "aliases: { a: b, c: [d, { model: e }] }\nlimits: { concurrent: 5 }\n";

/** Answers each call on the configuration. */
const runConfigCall: RunConfigCall = ({ type }) => {
  const more = { more_problems: 0, more_changes: 0, unread: ["keep"] };
  const check = { problems: [PROBLEM], changes: [CHANGE], ...more };
  const version = { id: "v", replaced: 0, by: "ops" };
  const shown = { ...SHOWN, versions: [version] };
  switch (type) {
    case "show":
      return Promise.resolve({ type: "shown", shown });
    case "save":
      return Promise.resolve({ type: "saved", shown });
    case "show_version":
      return Promise.resolve({ type: "text", text: "" });
    case "check":
      return Promise.resolve({ type: "checked", check });
    case "form":
      return Promise.resolve({ type: "form", form: { text: "", objects: listFormObjects(FORM) } });
  }
};

const text = await (await gateway.call("/openapi.json")).text();
const description = JSON.parse(text) as Description;
const check = new DescriptionCheck(description);

Deno.test("a linter finds no fault in the description", async () => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    // The linter does not see what `x-event-schema` refers to.
    rules: { "no-unused-components": "off" },
  });
  const problems = await lintFromString({ source: text, config, absoluteRef: "openapi.json" });
  assertEquals(
    problems.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer]),
    [],
  );
});

Deno.test("each schema of the description is used", () => {
  const names = Object.keys(description.components.schemas);
  assert(names.length > 50);
  assertEquals(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`)), []);
});

Deno.test("the linter finds a planted fault", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const source = text.replace('"#/components/schemas/Error"', '"#/components/schemas/None"');
  const problems = await lintFromString({ source, config, absoluteRef: "openapi.json" });
  assert(problems.some(({ ruleId }) => ruleId === "no-unresolved-refs"));
});

const chat = { model: "mock-echo", messages: [{ role: "user", content: "Hello" }] };
const message = { ...chat, max_tokens: 10 };
const response = { model: "mock-echo", input: "Hello" };
const contents = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
const content = { content: { parts: [{ text: "Hello" }] } };
const gemini = "/v1beta/models/{model_id}";

/** Requests whose answers are checked: the path of the description, the body, the path of the call. */
const CALLS: readonly (readonly [path: string, body: unknown, called?: string])[] = [
  ["/v1/chat/completions", chat],
  ["/v1/chat/completions", { ...chat, stream: true, stream_options: { include_usage: true } }],
  ["/v1/chat/completions", {
    ...chat,
    tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
    tool_choice: "required",
  }],
  ["/v1/completions", { model: "mock-echo", prompt: "Hello" }],
  ["/v1/completions", { model: "mock-echo", prompt: "Hello", stream: true }],
  ["/v1/messages", message],
  ["/v1/messages", { ...message, stream: true }],
  ["/v1/messages/count_tokens", chat],
  ["/v1/responses", response],
  ["/v1/responses", { ...response, stream: true }],
  ["/v1/responses/input_tokens", response],
  ["/v1/responses/compact", response],
  ["/v1/embeddings", response],
  ["/v1/embeddings", { ...response, input: ["a", "b"], encoding_format: "base64" }],
  ["/v1/rerank", { model: "other", query: "a", documents: ["a"] }],
  ["/v1/moderations", { model: "other", input: "a" }],
  ["/v1/images/generations", { model: "other", prompt: "a" }],
  ["/v1/images/generations", { model: "other", prompt: "a", stream: true }],
  ["/v1/audio/speech", { model: "other", input: "a", voice: "alloy" }],
  [`${gemini}:generateContent`, contents, "/v1beta/models/mock-echo:generateContent"],
  [`${gemini}:streamGenerateContent`, contents, "/v1beta/models/mock-echo:streamGenerateContent"],
  [
    `${gemini}:streamGenerateContent`,
    contents,
    "/v1beta/models/mock-echo:streamGenerateContent?alt=sse",
  ],
  [`${gemini}:countTokens`, contents, "/v1beta/models/mock-echo:countTokens"],
  [`${gemini}:embedContent`, content, "/v1beta/models/mock-echo:embedContent"],
  [
    `${gemini}:batchEmbedContents`,
    { requests: [{ model: "models/mock-echo", ...content }] },
    "/v1beta/models/mock-echo:batchEmbedContents",
  ],
  ["/api/chat", chat],
  ["/api/chat", { ...chat, stream: false }],
  ["/api/generate", { model: "mock-echo", prompt: "Hello" }],
  ["/api/embed", response],
  ["/api/embeddings", { model: "mock-echo", prompt: "Hello" }],
  ["/api/show", { model: "mock-echo" }],
];

for (const [path, body, called = path] of CALLS) {
  Deno.test(`POST ${called} ${JSON.stringify(body)} is as described`, async () => {
    assert(check.acceptsBody("post", path, body), "the description refuses the body");
    const answer = await gateway.call(called, body);
    assertEquals(answer.status, 200);
    await check.checkAnswer("post", path, answer);
  });

  Deno.test(`the error of POST ${called} without members is as described`, async () => {
    assert(!check.acceptsBody("post", path, {}), "the description accepts an empty body");
    const answer = await gateway.call(called, {});
    assert(answer.status >= 400 && answer.status < 500, `${answer.status}`);
    await check.checkAnswer("post", path, answer);
  });
}

/** Bodies that the gateway and the description refuse alike. */
const WRONG: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  ["/v1/chat/completions", { ...chat, temperature: 3 }],
  ["/v1/chat/completions", { ...chat, messages: [] }],
  ["/v1/chat/completions", { ...chat, messages: [{ role: "tool", content: "a" }] }],
  ["/v1/chat/completions", { ...chat, models: Array(17).fill("a") }],
  ["/v1/messages", { ...chat }],
  ["/v1/messages", { ...message, messages: [{ role: "user", content: 1 }] }],
  ["/v1/responses", { ...response, metadata: { a: 1 } }],
  ["/v1/embeddings", { model: "mock-echo", input: "a", dimensions: 0 }],
  ["/v1/rerank", { model: "other", query: "a", documents: [] }],
  ["/v1/audio/speech", { model: "other", input: "a", voice: "alloy", speed: 9 }],
];

for (const [path, body] of WRONG) {
  Deno.test(`POST ${path} ${JSON.stringify(body).slice(0, 120)} is refused, as described`, async () => {
    assert(!check.acceptsBody("post", path, body));
    const answer = await gateway.call(path, body);
    assertEquals(answer.status, 400);
    await check.checkAnswer("post", path, answer);
  });
}

/** Paths that are read: the path of the description, and that of the call. */
const READ: readonly (readonly [path: string, called?: string])[] = [
  ["/v1/models"],
  ["/v1/models/{model_id}", "/v1/models/mock-echo"],
  ["/v1/models/{model_id}", "/v1/models/none"],
  ["/v1beta/models"],
  ["/v1beta/models/{model_id}", "/v1beta/models/mock-echo"],
  ["/v1beta/models/{model_id}", "/v1beta/models/none"],
  ["/api/tags"],
  ["/api/ps"],
  ["/api/version"],
  ["/v1/clients", "/v1/clients?os=windows"],
  ["/v1/providers"],
  ["/v1/usage"],
  ["/v1/usage", "/v1/usage?format=csv"],
  ["/v1/usage", "/v1/usage?group_by=day&limit=1&after=0"],
  ["/v1/requests"],
  ["/v1/requests/{request_id}", "/v1/requests/none?time=2026-11-01"],
  ["/v1/request_counts"],
  ["/v1/routes"],
  ["/v1/responses/{response_id}", "/v1/responses/none"],
  ["/v1/responses/{response_id}/input_items", "/v1/responses/none/input_items"],
  ["/openai/models"],
  ["/openai/v1/models"],
  ["/openai/v1/models/{model_id}", "/openai/v1/models/mock-echo"],
  ["/healthz"],
  ["/readyz"],
  ["/metrics"],
  ["/openapi.json"],
  ["/v1/admin/usage"],
  ["/v1/admin/requests"],
  ["/v1/admin/requests/{request_id}", "/v1/admin/requests/none?time=2026-11-01"],
  ["/v1/admin/request_counts"],
  ["/v1/admin/routes"],
  ["/v1/admin/health"],
  ["/v1/admin/providers"],
  ["/v1/admin/keys"],
  ["/v1/admin/keys/{key_id}", "/v1/admin/keys/none"],
  ["/v1/admin/config"],
  ["/v1/admin/config/schema"],
  ["/v1/admin/config/versions/{version_id}", "/v1/admin/config/versions/v"],
  ["/v1/admin/providers/{provider_id}/test", "/v1/admin/providers/mock/test"],
];

for (const [path, called = path] of READ) {
  Deno.test(`GET ${called} is as described`, async () => {
    const key = path.startsWith("/v1/admin") ? ADMIN : SERVICE_KEY;
    const answer = await gateway.call(called, undefined, { authorization: `Bearer ${key}` });
    await check.checkAnswer("get", path, answer);
    const described = description.paths[path]?.get?.parameters?.map(({ name }) => name) ?? [];
    const used = [...new URL(called, "http://localhost").searchParams.keys()];
    assertEquals(used.filter((name) => !described.includes(name)), []);
  });
}

/** Calls of admins with a body: the path of the description, the body, the path of the call. */
const ADMIN_CALLS: readonly (readonly [path: string, body: unknown, called?: string])[] = [
  ["/v1/admin/config", { text: "", hash: "h" }],
  ["/v1/admin/config/check", { text: "" }],
  ["/v1/admin/config/form", { text: "", edits: [{ path: ["aliases", "a"], value: "b" }] }],
  ["/v1/admin/providers/{provider_id}/test", {}, "/v1/admin/providers/mock/test"],
];

for (const [path, body, called = path] of ADMIN_CALLS) {
  Deno.test(`POST ${called} is as described`, async () => {
    assert(check.acceptsBody("post", path, body));
    const headers = { authorization: `Bearer ${ADMIN}` };
    const answer = await gateway.call(called, body, headers);
    assertEquals(answer.status, 200);
    await check.checkAnswer("post", path, answer);
    assertEquals((await gateway.call(called, { other: 1 }, headers)).status, 400);
  });
}

Deno.test("models in the format of another client are as described", async () => {
  const answer = await gateway.call("/v1/models", undefined, { "anthropic-version": "2023-06-01" });
  assert("first_id" in await answer.clone().json());
  await check.checkAnswer("get", "/v1/models", answer);
});

Deno.test("the description needs no key, and names no model, provider or key", async () => {
  const answer = await gateway.call("/openapi.json", undefined, { authorization: "" });
  assertEquals([answer.status, await answer.text()], [200, text]);
  for (const secret of ["mock-echo", "vendor.example", ADMIN, SERVICE_KEY, VENDOR_KEY]) {
    assert(!text.includes(secret), secret);
  }
});

Deno.test("a listener describes only the routes that it serves", async () => {
  const routes = createRoutes({} as RouteServices);
  const pathsFor = async (...serves: ListenerPart[]) => {
    const listener = { ...serveAllParts(false), serves: new Set(serves) };
    return Object.keys(JSON.parse(`${(await describe(routes, listener)).body}`).paths);
  };
  assertEquals((await pathsFor("metrics")).sort(), [
    "/",
    "/api/hello",
    "/api/version",
    "/healthz",
    "/metrics",
    "/openapi.json",
    "/readyz",
    "/v1",
  ]);
  assert((await pathsFor("api")).includes("/v1/chat/completions"));
  assert(!(await pathsFor("api")).includes("/v1/admin/keys"));
  assert((await pathsFor("admin")).includes("/v1/admin/keys"));
});

Deno.test("each check of the description finds planted faults", async () => {
  const wrong = new Response('{"object":"list"}', {
    headers: { "content-type": "application/json" },
  });
  let found = "";
  await check.checkAnswer("get", "/v1/models", wrong).catch(({ message }) => found = message);
  assertStringIncludes(found, "must have required property 'data'");
  const html = new Response("<p>", { headers: { "content-type": "text/html" } });
  await check.checkAnswer("get", "/v1/models", html).catch(({ message }) => found = message);
  assertStringIncludes(found, "is not a described type");
});
