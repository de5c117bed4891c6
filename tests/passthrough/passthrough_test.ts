/** Requests of the pass-through as the vendor gets them, and its responses as the caller does. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Fetch, type FetchInit, RequestBodyError } from "../../src/upstream/transport.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { serviceAccount } from "../support/service_account.ts";
import { turn, turns } from "../support/elapse.ts";

interface Sent {
  readonly url: string;
  readonly init: FetchInit;
  readonly body: string;
}

async function textOf(body: FetchInit["body"]): Promise<string> {
  if (body === undefined || typeof body === "string") return body ?? "";
  const parts: string[] = [];
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  try {
    for await (const packet of body) parts.push(new TextDecoder().decode(packet));
  } catch (thrown) {
    throw new RequestBodyError(thrown);
  }
  return parts.join("");
}

function world(
  provider: Record<string, unknown>,
  answer: () => Response = () => Response.json({ ok: true }),
  server: Record<string, unknown> = {},
) {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    if (url.includes("oauth2")) return Response.json({ access_token: "ya29.token" });
    sent.push({ url, init, body: await textOf(init.body) });
    return answer();
  };
  const vendor = { api_key: VENDOR_KEY, models: ["m"], passthrough: true, ...provider };
  const gateway = createTestGateway({ config: { providers: { vendor }, server }, fetch });
  const ask = (path: string, init: RequestInit = {}) =>
    gateway.app.handle(
      new Request(`http://gateway.test/v1/providers/vendor/proxy/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${SERVICE_KEY}`, ...init.headers },
      }),
    );
  return { gateway, sent, ask };
}

Deno.test("a request passes with the vendor's key, and its response comes back as it is", async () => {
  const answer = () =>
    new Response("PNG", {
      status: 201,
      headers: { "content-type": "image/png", "x-request-id": "req_v", "set-cookie": "a=b" },
    });
  const { gateway, sent, ask } = world({ kind: "openai" }, answer);
  const response = await ask("images/edits?size=big&key=x", {
    method: "POST",
    body: "the form",
    headers: { "content-type": "multipart/form-data; boundary=b", cookie: "s=1" },
  });
  assertEquals(response.status, 201);
  assertEquals(await response.text(), "PNG");
  assertEquals(response.headers.get("content-type"), "image/png");
  assertEquals(response.headers.get("set-cookie"), null);
  assertEquals(response.headers.get("x-sluice-provider"), "vendor");
  assertEquals(response.headers.get("x-sluice-upstream-request-id"), "req_v");
  const [{ url, init, body } = { url: "", init: undefined, body: "" }] = sent;
  assertEquals(url, "https://api.openai.com/v1/images/edits?size=big");
  assertEquals(init?.method, "POST");
  assertEquals(body, "the form");
  assertEquals({ ...init?.headers }, {
    "accept-encoding": "identity",
    "authorization": `Bearer ${VENDOR_KEY}`,
    "content-type": "multipart/form-data; boundary=b",
  });
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
});

Deno.test("each kind authenticates as its vendor requires", async () => {
  const anthropic = world({ kind: "anthropic" });
  await (await anthropic.ask("files")).text();
  assertEquals(anthropic.sent[0]?.url, "https://api.anthropic.com/v1/files");
  assertEquals(anthropic.sent[0]?.init.headers["x-api-key"], VENDOR_KEY);
  assertEquals(anthropic.sent[0]?.init.headers["anthropic-version"], "2023-06-01");

  const gemini = world({ kind: "gemini" });
  await (await gemini.ask("models/gemini-2.5-flash:countTokens", { method: "POST", body: "{}" }))
    .text();
  assertEquals(gemini.sent[0]?.init.headers["x-goog-api-key"], VENDOR_KEY);
  assertEquals("authorization" in (gemini.sent[0]?.init.headers ?? {}), false);

  const azure = world({
    kind: "azure",
    base_url: "https://r.openai.azure.com",
    api_version: "2024-10-21",
  });
  await (await azure.ask("files?limit=1")).text();
  assertEquals(
    azure.sent[0]?.url,
    "https://r.openai.azure.com/openai/files?limit=1&api-version=2024-10-21",
  );
  assertEquals(azure.sent[0]?.init.headers["api-key"], VENDOR_KEY);

  const vertex = world({
    kind: "vertex",
    api_key: undefined,
    credentials: serviceAccount().json,
    project: "p",
    location: "us-central1",
  });
  await (await vertex.ask("projects/p/locations/us-central1/batchPredictionJobs")).text();
  assertEquals(
    vertex.sent.at(-1)?.url,
    "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/batchPredictionJobs",
  );
  assertStringIncludes(vertex.sent.at(-1)?.init.headers.authorization ?? "", "Bearer ya29.");
});

Deno.test("AWS keys sign the body, which is read as a whole within max_body", async () => {
  const keys = { access_key_id: "AKIA1", secret_access_key: "s3cret-s3cret" };
  const bedrock = world(
    { kind: "bedrock", api_key: undefined, region: "us-east-1", ...keys },
    undefined,
    { max_body: "1KiB" },
  );
  const response = await bedrock.ask("model/x/invoke", { method: "POST", body: '{"a":1}' });
  assertEquals(response.status, 200);
  await response.text();
  const [{ init, body } = { init: undefined, body: "" }] = bedrock.sent;
  assertEquals(body, '{"a":1}');
  assertStringIncludes(init?.headers.authorization ?? "", "AWS4-HMAC-SHA256 Credential=AKIA1/");
  const large = await bedrock.ask("model/x/invoke", { method: "POST", body: "x".repeat(2000) });
  assertEquals(large.status, 413);
  await large.body?.cancel();
});

Deno.test("errors and redirects of the vendor come back as they are, and are not followed", async () => {
  for (
    const [status, headers] of [[404, {}], [429, { "retry-after": "3" }], [302, {
      location: "https://cdn.example/f",
    }]] as const
  ) {
    const { gateway, sent, ask } = world(
      { kind: "openai", retries: 2 },
      () => new Response(`{"detail":${status}}`, { status, headers }),
    );
    const response = await ask("files/x");
    assertEquals(response.status, status);
    assertEquals(await response.text(), `{"detail":${status}}`);
    for (const [name, value] of Object.entries(headers)) {
      assertEquals(response.headers.get(name), value);
    }
    assertEquals(sent.length, 1);
    assertEquals(gateway.clock.pending, 0);
  }
});

Deno.test("the pass-through is disabled unless the provider enables it, and allows what its patterns match", async () => {
  const off = world({ kind: "openai", passthrough: false });
  const closed = await off.ask("files");
  assertEquals(closed.status, 404);
  assertStringIncludes((await closed.json()).error.message, "is disabled");
  const some = world({ kind: "openai", passthrough: ["GET files/*"] });
  assertEquals((await some.ask("files/1")).status, 200);
  for (const [path, method] of [["files", "GET"], ["files/1", "DELETE"], ["images/x", "GET"]]) {
    const response = await some.ask(path ?? "", method === undefined ? {} : { method });
    assertEquals(response.status, 404, `${method} ${path}`);
    await response.body?.cancel();
  }
  assertEquals(some.sent.length, 1);
});

Deno.test("a provider that is unknown, a key that is wrong or limited, and other methods are refused", async () => {
  const keys = [{ name: "all", key: "sk-all" }, { name: "some", key: "sk-some", models: ["m"] }];
  const { gateway, sent, ask } = world({ kind: "openai" }, undefined, { keys });
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  assertEquals((await ask("files", as("sk-wrong"))).status, 401);
  assertEquals((await ask("files", as("sk-some"))).status, 404);
  assertEquals((await ask("files", { ...as("sk-all"), method: "OPTIONS" })).status, 404);
  const unknown = await gateway.call("/v1/providers/other/proxy/x", undefined, {
    authorization: "Bearer sk-all",
  });
  assertEquals(unknown.status, 404);
  assertEquals(sent, []);
});

Deno.test("HEAD stays HEAD, and keeps the length that the vendor reports", async () => {
  const { sent, ask } = world(
    { kind: "openai" },
    () => new Response(null, { headers: { "content-length": "12345" } }),
  );
  const response = await ask("files/x/content", { method: "HEAD" });
  assertEquals(sent[0]?.init.method, "HEAD");
  assertEquals(response.headers.get("content-length"), "12345");
  assertEquals(response.body, null);
});

Deno.test("the pass-through counts in metrics, in the log and in the requests in flight", async () => {
  let open = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("begun"));
      open = () => controller.close();
    },
  });
  const { gateway, ask } = world({ kind: "openai" }, () => new Response(body), {
    max_in_flight: 1,
  });
  const response = await ask("files/x/content");
  const second = await ask("files");
  assertEquals(second.status, 503);
  await second.body?.cancel();
  open();
  assertEquals(await response.text(), "begun");
  const metrics = await (await gateway.call("/metrics")).text();
  assertStringIncludes(metrics, 'route="/v1/providers/{provider_id}/proxy/{path}"');
  const line = gateway.lines.find(({ outcome, provider }) => outcome === "done" && provider);
  assertEquals(line?.provider, "vendor");
  assertEquals(line?.path, "/v1/providers/vendor/proxy/files/x/content");
  assertEquals(line?.attempts, 1);
});

Deno.test("a vendor that falls silent, and a client that stops reading, end the response", async () => {
  for (const [limits, outcome] of [["vendor", "failed"], ["caller", "client_gone"]]) {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (limits === "caller") controller.enqueue(new Uint8Array(10));
      },
      cancel: () => void (cancelled = true),
    });
    const { gateway, ask } = world(
      { kind: "openai", timeout: { idle: "10s" } },
      () => new Response(body),
      { write_timeout: "5s" },
    );
    const response = await ask("files/x/content");
    const reader = response.body?.getReader();
    const reading = limits === "caller"
      ? await reader?.read()
      : reader?.read().catch((thrown) => thrown);
    await turn();
    gateway.clock.advance(limits === "caller" ? 5000 : 10_000);
    await reading;
    await turn();
    assert(cancelled, limits);
    gateway.flush();
    assertEquals(gateway.lines[0]?.outcome, outcome);
    assertEquals(gateway.clock.pending, 0);
    await reader?.cancel().catch(() => {});
  }
});

Deno.test("a caller that stalls within its upload is answered with 408", async () => {
  const { gateway, ask } = world({ kind: "openai" }, undefined, { body_timeout: "7s" });
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("begun")),
  });
  const pending = ask("files", { method: "POST", body });
  await turns(20);
  gateway.clock.advance(7000);
  const response = await pending;
  assertEquals(response.status, 408);
  await response.body?.cancel();
});

Deno.test("a key with a budget cannot use the pass-through, and limits of requests count", async () => {
  const keys = [
    { name: "budgeted", key: "sk-budgeted", budget: { usd: 1, per: "day" } },
    { name: "slow", key: "sk-slow", limits: { requests_per_minute: 1 } },
  ];
  const { sent, ask } = world({ kind: "openai" }, undefined, { keys });
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const budgeted = await ask("files", as("sk-budgeted"));
  assertEquals(budgeted.status, 404);
  assertStringIncludes((await budgeted.json()).error.message, "budget");
  assertEquals((await ask("models", as("sk-slow"))).status, 200);
  assertEquals((await ask("models", as("sk-slow"))).status, 429);
  assertEquals(sent.length, 1);
});

function inPieces(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = text.match(/[^]{1,65536}/g) ?? [];
  return ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
}

Deno.test("each end user of a key has a limit, whether a header or the body names it", async () => {
  const keys = [{ name: "app", key: "sk-app", end_users: { limits: { requests_per_minute: 1 } } }];
  const { gateway, sent, ask } = world({ kind: "openai" }, undefined, {
    ...{ keys, end_users: { ids: "plain" } },
  });
  const statusOf = async (members: string | undefined, user?: string) => {
    const headers = {
      authorization: "Bearer sk-app",
      ...(user && { "x-openwebui-user-id": user }),
    };
    const response = await ask("responses", {
      headers,
      ...(members !== undefined && { method: "POST", body: inPieces(`{"model":"m",${members}}`) }),
    });
    const text = await response.text();
    return response.status === 429 ? JSON.parse(text).error.message : response.status;
  };
  const refusal = (user: string) =>
    `Rate limit reached for end user '${user}' of key 'app': 1 request per minute`;
  const padding = `"input":"${"x".repeat(100_000)}"`;
  assertEquals(await statusOf(`${padding},"user":"ada"`), 200);
  assertEquals(await statusOf(`"safety_identifier":"ada"`), refusal("ada"));
  assertEquals(await statusOf(`"metadata":{"user_id":"ada"}`), refusal("ada"));
  assertEquals(await statusOf(undefined, "ada"), refusal("ada"));
  assertEquals(await statusOf(`"user":"ada","metadata":{"tags":"red"}`, "bob"), 200);
  assertEquals(await statusOf(`"input":"{\\"user\\":\\"ada\\"}"`), 200);
  assertEquals(await statusOf(undefined), 200);
  assertEquals(sent.length, 4);
  // A body that is too long to be searched may name a user with limits.
  const long = `"input":"${"x".repeat(5_000_000)}"`;
  assertEquals(await statusOf(`${long},"user":"ada"`), 413);
  assertEquals(await statusOf(`"user":"eve",${long}`), 200);
  gateway.flush();
  const headers = { authorization: "Bearer sk-app" };
  const rows = (await (await gateway.call("/v1/requests", undefined, headers)).json()).data;
  const labels = rows.map((
    row: { end_user: string; tags: string[] },
  ) => [row.end_user, ...row.tags]);
  assertEquals(labels.reverse(), [["ada"], ["bob", "red"], [null], [null], ["eve"]]);
});

Deno.test("a key whose end users have a budget cannot use the pass-through", async () => {
  const budget = { usd: 1, per: "day" };
  const keys = [{ name: "app", key: "sk-app", end_users: { budget } }];
  const { sent, ask } = world({ kind: "openai" }, undefined, { keys });
  const response = await ask("files", { headers: { authorization: "Bearer sk-app" } });
  assertEquals([response.status, sent.length], [404, 0]);
  assertStringIncludes((await response.json()).error.message, "whose end users have a budget");
});

Deno.test("a caller that leaves before it reads ends the response and its record", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  const { gateway, ask } = world({ kind: "openai" }, () => new Response(body));
  const controller = new AbortController();
  await ask("files/x/content", { signal: controller.signal });
  assertEquals(gateway.app.inFlight(), 1);
  controller.abort();
  await turn();
  assert(cancelled);
  assertEquals(gateway.app.inFlight(), 0);
  assertEquals(gateway.lines[0]?.outcome, "client_gone");
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("the total time of a response is limited, also while its caller does not read", async () => {
  const body = new ReadableStream<Uint8Array>();
  const { gateway, ask } = world(
    { kind: "openai", timeout: { total: "20s", idle: "1h" } },
    () => new Response(body),
  );
  await ask("files/x/content");
  gateway.clock.advance(20_000);
  await turn();
  assertEquals(gateway.app.inFlight(), 0);
  assertEquals(gateway.lines[0]?.outcome, "failed");
});
