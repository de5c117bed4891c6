import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  StreamedContent,
  toInputMessages,
  toOutputMessages,
} from "../../src/telemetry/traced_content.ts";
import { addressOf, startSluice } from "../support/process.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { type Port, serveVendor } from "../support/server.ts";

const CHAT = "/v1/chat/completions";
const SECRET = "what-was-said";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly Attribute[];
}

interface DataPoint {
  readonly attributes: readonly Attribute[];
  readonly sum: number;
  readonly count: string;
  readonly explicitBounds: readonly number[];
}

interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: { readonly dataPoints: readonly DataPoint[] };
}

const CLIENT = 3;
const SERVER = 2;

/** An OTLP collector on a separate port. */
class Collector implements AsyncDisposable {
  readonly bodies: string[] = [];
  readonly #port: Port;

  constructor() {
    this.#port = serveVendor(async (request) => {
      this.bodies.push(await request.text());
      return Response.json({});
    });
  }

  get url(): string {
    return this.#port.url;
  }

  get spans(): readonly Span[] {
    return this.#all<{ scopeSpans: { spans: Span[] }[] }>("resourceSpans")
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }

  /** The spans that the gateway made itself. */
  get attempts(): readonly Span[] {
    return this.spans.filter(({ name }) => name.startsWith("chat "));
  }

  /** The last exported value of a metric. */
  points(name: string): readonly DataPoint[] {
    const metrics = this.#all<{ scopeMetrics: { metrics: Metric[] }[] }>("resourceMetrics")
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
    return metrics.findLast((metric) => metric.name === name)?.histogram?.dataPoints ?? [];
  }

  #all<Resource>(member: string): readonly Resource[] {
    return this.bodies.flatMap((body) => JSON.parse(body)[member] ?? []);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#port[Symbol.asyncDispose]() as Promise<void>;
  }
}

function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new RangeError("There is none");
  return item;
}

function attributesOf({ attributes }: { readonly attributes: readonly Attribute[] }) {
  return Object.fromEntries(attributes.map(({ key, value }) => {
    const [only] = Object.values(value);
    const { values } = only as { values?: Record<string, unknown>[] };
    return [key, values === undefined ? only : values.flatMap((one) => Object.values(one))];
  }));
}

/** Runs the gateway with the runtime's exporter on, sends these requests, and ends it. */
async function traced(
  collector: Collector,
  vendor: Port,
  requests: readonly Record<string, unknown>[],
  config: Record<string, unknown> = {},
  wish: Record<string, string> = { OTEL_DENO: "true" },
) {
  const client = Deno.createHttpClient({});
  const one = { kind: "xai", api_key: "sk-v", retries: 0 };
  await using running = startSluice([], {
    files: {
      "config.yaml": JSON.stringify({
        server: { port: 0, keys: [{ name: "own", key: "sk-own" }] },
        providers: {
          one: { ...one, base_url: `${vendor.url}/one`, models: ["m"] },
          two: { ...one, base_url: `${vendor.url}/two`, models: ["second"] },
        },
        aliases: { chain: ["m", "second"] },
        ...config,
      }),
    },
    env: {
      ...wish,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    },
  });
  const base = await addressOf(running);
  for (const members of requests) {
    const { path = CHAT, ...body } = members;
    const answer = await fetch(`${base}${path}`, {
      method: "POST",
      headers: { authorization: "Bearer sk-own", traceparent: `00-${TRACE}-${PARENT}-01` },
      body: JSON.stringify({ messages: [{ role: "user", content: SECRET }], ...body }),
      client,
    });
    await answer.text();
  }
  client.close();
  running.signal("SIGTERM");
  assertEquals((await running.finished).code, 0);
}

/** Says hello; the vendor at /one fails when asked to. */
function serveHello(sent: (string | null)[], failing = false): Port {
  return serveVendor(async (request) => {
    sent.push(request.headers.get("traceparent"));
    const body = await request.json();
    if (failing && request.url.includes("/one/")) return new Response("", { status: 503 });
    return sayHello({ url: request.url, body });
  });
}

Deno.test("an attempt is a client span between the caller's trace and the vendor's", async () => {
  await using collector = new Collector();
  const sent: (string | null)[] = [];
  await using vendor = serveHello(sent);
  await traced(collector, vendor, [{ model: "m", temperature: 0.5, max_tokens: 7 }]);

  const server = first(collector.spans.filter(({ kind }) => kind === SERVER));
  const attempt = first(collector.attempts);
  assertEquals([server.traceId, server.parentSpanId], [TRACE, PARENT]);
  assertEquals(server.name, `POST ${CHAT}`);
  assertEquals(attributesOf(server)["http.route"], CHAT);
  assertEquals([attempt.kind, attempt.traceId, attempt.parentSpanId], [
    CLIENT,
    TRACE,
    server.spanId,
  ]);
  assertEquals([attempt.name, collector.attempts.length], ["chat m", 1]);
  // There is no second client span.
  assertEquals(collector.spans.map(({ kind }) => kind).toSorted(), [SERVER, CLIENT]);
  assertEquals(sent, [`00-${TRACE}-${attempt.spanId}-01`]);
  assertEquals(attributesOf(attempt), {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "x_ai",
    "gen_ai.request.model": "m",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.max_tokens": 7,
    "gen_ai.response.id": "chatcmpl-vendor",
    "gen_ai.response.model": "vendor-model",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 30,
    "gen_ai.usage.output_tokens": 4,
    "server.address": "127.0.0.1",
    "server.port": Number(new URL(vendor.url).port),
    "sluice.provider": "one",
  });
  assert(!collector.bodies.join("").includes(SECRET));
  assert(!/sk-v|sk-own/.test(collector.bodies.join("")));
});

Deno.test("a span of the runtime has no query, which may hold a key, on any path", async () => {
  await using collector = new Collector();
  await using vendor = serveHello([]);
  const paths = [
    ...[CHAT, "/v1beta/models/m:generateContent", "/v1/models", "/nothing", "/v1/responses"],
    "/v1beta/models/m:streamGenerateContent",
  ];
  const secrets = ["?key=sk-own", "?x=1&KEY=sk%2Down&y=2", "?sk-own", "?api_key=sk-own#sk-own"];
  const requests = paths.flatMap((path) => secrets.map((query) => ({ path: path + query })));
  await traced(collector, vendor, requests.map((request) => ({ ...request, model: "m" })));
  const servers = collector.spans.filter(({ kind }) => kind === SERVER);
  assertEquals(servers.length, requests.length);
  for (const span of servers) {
    const names = span.attributes.map(({ key }) => key);
    assertEquals(names.toSorted(), [...new Set(names)].toSorted());
    const { "url.full": full, "url.query": query, "url.path": path } = attributesOf(span);
    assertStringIncludes(String(full), `${path}?REDACTED`);
    assertEquals(query, "REDACTED");
  }
  assert(!/sk(?:-|%2D)own/.test(collector.bodies.join("")));
});

Deno.test("a chain is one span for each attempt, with the failure in those that failed", async () => {
  await using collector = new Collector();
  await using vendor = serveHello([], true);
  await traced(collector, vendor, [{ model: "chain" }, { model: "unknown" }]);
  const reported = collector.attempts.map((span) => {
    const { "error.type": error, "sluice.provider": provider } = attributesOf(span);
    return [span.name, provider, error, span.status.code];
  });
  assertEquals(reported.toSorted(), [
    ["chat m", "one", "upstream_unavailable", 2],
    ["chat second", "two", undefined, 0],
  ]);
});

Deno.test("an attempt that reaches nobody is one client span without a stack trace", async () => {
  await using collector = new Collector();
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const base_url = `http://127.0.0.1:${closed.addr.port}/v1`;
  closed.close();
  await using vendor = serveHello([]);
  const one = { kind: "xai", api_key: "sk-v", retries: 0, base_url, models: ["m"] };
  await traced(collector, vendor, [{ model: "m" }], { providers: { one }, aliases: {} });
  const spans = collector.spans.filter(({ kind }) => kind === CLIENT);
  assertEquals(spans.map(({ name }) => name), ["chat m"]);
  assertEquals(attributesOf(first(spans))["error.type"], "upstream_unavailable");
  assert(!/stacktrace|file:\/\/\//.test(collector.bodies.join("")));
});

Deno.test("a request of the pass-through is a client span for each key that is tried", async () => {
  await using collector = new Collector();
  const sent: (string | null)[] = [];
  await using vendor = serveVendor(async (request) => {
    sent.push(request.headers.get("traceparent"));
    await request.body?.cancel();
    const isFirst = request.headers.get("authorization") === "Bearer sk-v1";
    return Response.json({ made: true }, { status: isFirst ? 429 : 201 });
  });
  const one = {
    kind: "xai",
    api_key: ["sk-v1", "sk-v2"],
    base_url: `${vendor.url}/one`,
    models: ["m"],
    passthrough: true,
  };
  const path = "/v1/providers/one/proxy/images/generations";
  await traced(collector, vendor, [{ path }], { providers: { one }, aliases: {} });
  const spans = collector.spans.filter(({ name }) => name === "POST passthrough");
  const server = first(collector.spans.filter(({ kind }) => kind === SERVER));
  assertEquals(server.name, "POST /v1/providers/{provider_id}/proxy/{path}");
  const reported = spans.map((span) => {
    const { "http.response.status_code": status, "error.type": error } = attributesOf(span);
    assertEquals([span.kind, span.traceId, span.parentSpanId], [CLIENT, TRACE, server.spanId]);
    return [status, error, span.status.code];
  });
  assertEquals(reported.toSorted(), [[201, undefined, 0], [429, "429", 2]]);
  const parents = spans.map(({ spanId }) => `00-${TRACE}-${spanId}-01`);
  assertEquals(collector.spans.filter(({ kind }) => kind === CLIENT).length, spans.length);
  assertEquals(sent.toSorted(), parents.toSorted());
  assertEquals(attributesOf(first(spans))["sluice.provider"], "one");
  assert(!/sk-v|sk-own/.test(collector.bodies.join("")));
});

Deno.test("metrics follow the conventions: tokens, durations and the first token", async () => {
  await using collector = new Collector();
  await using vendor = serveHello([]);
  await traced(collector, vendor, [{ model: "m" }, { model: "m", stream: true }]);
  const tokens = collector.points("gen_ai.client.token.usage").map((point) => [
    attributesOf(point)["gen_ai.token.type"],
    point.sum,
    Number(point.count),
  ]);
  assertEquals(tokens.toSorted(), [["input", 60, 2], ["output", 8, 2]]);
  const duration = first(collector.points("gen_ai.client.operation.duration"));
  assertEquals([Number(duration.count), duration.explicitBounds.slice(0, 3)], [2, [
    0.01,
    0.02,
    0.04,
  ]]);
  assertEquals(attributesOf(duration)["gen_ai.provider.name"], "x_ai");
  assertEquals(Number(first(collector.points("gen_ai.server.time_to_first_token")).count), 1);
  const streamed = collector.attempts.map(attributesOf);
  for (const attributes of streamed) {
    assertEquals(attributes["gen_ai.response.finish_reasons"], ["stop"]);
    assertEquals(attributes["gen_ai.usage.output_tokens"], 4);
    assertMatch(String(attributes["gen_ai.response.id"]), /^chatcmpl-v/);
  }
  assertEquals(streamed.length, 2);
});

Deno.test("content is exported only with telemetry.capture_content", async () => {
  await using collector = new Collector();
  await using vendor = serveHello([]);
  const requests = [{ model: "m" }, { model: "m", stream: true }];
  await traced(collector, vendor, requests, { telemetry: { capture_content: true } });
  const reported = collector.attempts.map(attributesOf);
  assertEquals(reported.length, 2);
  for (const attributes of reported) {
    assertEquals(JSON.parse(String(attributes["gen_ai.input.messages"])), [
      { role: "user", parts: [{ type: "text", content: SECRET }] },
    ]);
    assertStringIncludes(String(attributes["gen_ai.output.messages"]), '"content":"Hello');
  }
});

Deno.test("only traces are exported if only they are enabled", async () => {
  await using collector = new Collector();
  await using vendor = serveHello([]);
  const wishes: Record<string, string>[] = [
    { OTEL_DENO_TRACING: "true" },
    { OTEL_DENO: "true", OTEL_METRICS_EXPORTER: "none" },
  ];
  for (const wish of wishes) await traced(collector, vendor, [{ model: "m" }], {}, wish);
  assertEquals(collector.attempts.map(({ name }) => name), ["chat m", "chat m"]);
  assertEquals(collector.points("gen_ai.client.token.usage"), []);
});

Deno.test("two workers export their requests as one does", async () => {
  await using collector = new Collector();
  await using vendor = serveHello([]);
  const server = { port: 0, workers: 2, keys: [{ name: "own", key: "sk-own" }] };
  await traced(collector, vendor, [{ model: "m" }, { model: "m" }], { server });
  assertEquals(collector.attempts.map(({ name }) => name), ["chat m", "chat m"]);
});

Deno.test("an OTEL_DENO without effect is reported at startup", async () => {
  const server = { port: 0, keys: [{ name: "own", key: "sk-own" }] };
  const providers = { mock: { kind: "mock", models: ["m"] } };
  // The runtime reads only the environment; so does an executable built without --otel.
  await using running = startSluice([], {
    files: { "config.yaml": JSON.stringify({ server, providers }), ".env": "OTEL_DENO=true\n" },
  });
  await addressOf(running);
  assertMatch(
    running.stderr(),
    /^sluice: OTEL_DENO is set, but no traces are exported: .*--otel$/m,
  );
});

Deno.test("calls and results follow the conventions, and of images only the type is exported", () => {
  const call = {
    id: "call_1",
    type: "function" as const,
    function: { name: "look_up", arguments: '{"a":1}' },
  };
  const part = { type: "tool_call", id: "call_1", name: "look_up", arguments: '{"a":1}' };
  const image = { type: "image_url" as const, image_url: { url: "data:image/png;base64,AAAA" } };
  const reported = JSON.parse(toInputMessages([
    { role: "user", content: [{ type: "text", text: "See" }, image] },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "found" },
  ]));
  assertEquals(reported, [
    { role: "user", parts: [{ type: "text", content: "See" }, { type: "image_url" }] },
    { role: "assistant", parts: [part] },
    { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "found" }] },
  ]);

  const said = new StreamedContent();
  const deltas = [
    { content: "Let " },
    { content: "me" },
    { tool_calls: [{ index: 0, id: "call_1", function: { name: "look_up", arguments: '{"a"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
  ];
  for (const delta of deltas) {
    said.push(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
  }
  const own = { id: "call_2", type: "custom", custom: { name: "draw", input: "a " } };
  const pieces = [{ ...own, index: 1 }, { index: 1, custom: { input: "line" } }];
  for (const piece of pieces) {
    const choices = [{ index: 0, delta: { tool_calls: [piece] } }];
    said.push(`data: ${JSON.stringify({ choices })}\n\n`);
  }
  const last = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  said.push(new TextEncoder().encode(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`));
  assertEquals(JSON.parse(toOutputMessages(said.choices)), [{
    role: "assistant",
    parts: [
      { type: "text", content: "Let me" },
      part,
      { type: "tool_call", id: "call_2", name: "draw", arguments: "a line" },
    ],
    finish_reason: "tool_call",
  }]);
});
