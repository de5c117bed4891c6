import { AlertMetrics } from "../../src/alerts/alerts.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { SharedLimitsMetrics, SharedStateMetrics } from "../../src/telemetry/shared_metrics.ts";
import {
  createTestGateway,
  createTestMetrics,
  NO_GAUGES,
  type TestGateway,
  VENDOR_KEY,
} from "../support/gateway.ts";
import { Samples, scrape } from "../support/samples.ts";
import {
  CHUNKS,
  failing,
  sayHello,
  ScriptedVendor,
  toEventStream,
} from "../support/scripted_vendor.ts";
import { Gate } from "../support/server.ts";
import { turn } from "../support/elapse.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];
const OPENAI = { kind: "openai", api_key: VENDOR_KEY };

function configOf(server: Record<string, unknown> = {}) {
  return {
    server,
    providers: {
      one: { ...OPENAI, models: [{ id: "m", upstream: "up" }, "other"] },
      two: { ...OPENAI, base_url: "https://two.test/v1", models: ["second"] },
    },
    aliases: { chain: ["m", "second"] },
  };
}

/** A gateway whose vendor takes 120 ms for the head of every answer. */
function gatewayOver(
  vendor = new ScriptedVendor(),
  config: Record<string, unknown> = configOf(),
): TestGateway {
  const gateway = createTestGateway({
    config,
    fetch: async (url, init) => {
      await settle();
      gateway.clock.advance(120);
      return await vendor.fetch(url, init);
    },
  });
  return gateway;
}

async function chat(gateway: TestGateway, members: Record<string, unknown> = {}) {
  const answer = await gateway.call(CHAT, { model: "m", messages: MESSAGES, ...members });
  await answer.text();
  return answer;
}

Deno.test("a request is counted by route, target, status and code, under names of config.yaml", async () => {
  const gateway = gatewayOver();
  await chat(gateway);
  await chat(gateway, { model: "chain" });
  await chat(gateway, { model: "m@one" });
  const target = { provider: "one", model: "up" };
  const labels = { route: CHAT, format: "chat_completions", ...target, status: "200" };
  assertEquals((await scrape(gateway)).all("sluice_requests_total"), [
    [labels, 2],
    [{ ...labels, alias: "chain" }, 1],
  ]);
});

Deno.test("no text of a caller or a vendor becomes a label", async () => {
  const gateway = gatewayOver(failing(400, { error: { message: "no", code: "made_up" } }));
  await chat(gateway, { model: "made-up" });
  await chat(gateway, { model: "m@made-up" });
  await chat(gateway, { model: "m" });
  await (await gateway.call("/made-up")).text();
  await (await gateway.call("/v1/models/made-up")).text();
  await (await gateway.call(CHAT, "{}", { authorization: "Bearer made-up" })).text();
  const text = await (await gateway.call("/metrics")).text();
  assert(!text.includes("made"), text);
  const counted = new Samples(text).all("sluice_requests_total");
  assertEquals(
    counted.map(([{ route, model, status, error_code }, count]) => [
      ...[route, model, status, error_code, count],
    ]),
    [
      [CHAT, undefined, "404", "model_not_found", 2],
      [CHAT, "up", "400", "invalid_request", 1],
      ["unknown", undefined, "404", "route_not_found", 1],
      ["/v1/models/{model_id}", undefined, "404", "model_not_found", 1],
      [CHAT, undefined, "401", "invalid_api_key", 1],
    ],
  );
});

/** A vendor that says hello and tells this usage. */
function vendorUsing(usage: Record<string, unknown>): ScriptedVendor {
  return new ScriptedVendor(async (sent) =>
    Response.json({ ...await sayHello(sent).json(), usage })
  );
}

Deno.test("tokens are counted by kind, and no token twice", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  const gateway = gatewayOver(vendorUsing(usage));
  await chat(gateway);
  const target = { provider: "one", model: "up" };
  assertEquals((await scrape(gateway)).all("sluice_tokens_total"), [
    [{ ...target, kind: "input" }, 40],
    [{ ...target, kind: "cached_input" }, 60],
    [{ ...target, kind: "output" }, 30],
    [{ ...target, kind: "reasoning" }, 20],
  ]);
});

Deno.test("written tokens are a kind, and what caches save and lose is counted in dollars", async () => {
  const read = { cached_tokens: 1000 };
  const written = { cached_tokens: 0, cache_write_tokens: 800 };
  const details: Record<string, number>[] = [written, read, { ...written, cached_tokens: 100 }];
  const vendor = new ScriptedVendor(async (sent) => {
    const usage = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 };
    const prompt_tokens_details = details.shift();
    return Response.json({
      ...await sayHello(sent).json(),
      usage: { ...usage, prompt_tokens_details },
    });
  });
  const prices = { input: 10, output: 10, cached_input: 1, cache_write: 12.5 };
  const gateway = gatewayOver(vendor, {
    providers: { one: { ...OPENAI, models: [{ id: "m", upstream: "up", prices }] } },
  });
  for (let times = 0; times < 3; times++) await chat(gateway);
  const metrics = await scrape(gateway);
  const target = { provider: "one", model: "up" };
  assertEquals(metrics.all("sluice_tokens_total"), [
    [{ ...target, kind: "input" }, 200 + 100],
    [{ ...target, kind: "cache_write" }, 1600],
    [{ ...target, kind: "output" }, 30],
    [{ ...target, kind: "cached_input" }, 1100],
  ]);
  // Each write of 800 tokens costs 2.5 dollars per million more than other input.
  assertEquals(metrics.all("sluice_prompt_cache_loss_usd_total"), [
    [target, 0.002 + 0.002 - 0.0009],
  ]);
  assertEquals(metrics.all("sluice_saved_usd_total"), [[{ ...target, cache: "prompt" }, 0.009]]);
});

Deno.test("an answer of the response cache counts what it saved", async () => {
  const prices = { input: 10, output: 10 };
  const gateway = gatewayOver(new ScriptedVendor(), {
    providers: { one: { ...OPENAI, models: [{ id: "m", upstream: "up", prices }] } },
    routing: { cache: { ttl: "5m" } },
  });
  const first = await chat(gateway, { temperature: 0 });
  const second = await chat(gateway, { temperature: 0 });
  const saved = Number(second.headers.get("x-sluice-saved-usd"));
  assert(saved > 0);
  assertEquals(Number(first.headers.get("x-sluice-cost-usd")), saved);
  const metrics = await scrape(gateway);
  assertEquals(metrics.all("sluice_saved_usd_total"), [[{ cache: "response" }, saved]]);
});

Deno.test("sessions are counted by where they are served, and moves by their reason", async () => {
  const down = new Set<string>();
  const full = new Set<string>();
  const vendor = new ScriptedVendor((sent) => {
    const { hostname } = new URL(sent.url);
    if (down.has(hostname)) return new Response("{}", { status: 503 });
    const answer = sayHello(sent);
    if (full.has(hostname)) answer.headers.set("x-ratelimit-remaining-requests", "0");
    return answer;
  });
  const provider = (id: string) => ({
    ...{ ...OPENAI, base_url: `https://${id}/v1`, retries: 0, models: [{ id, upstream: "up" }] },
  });
  const gateway = createTestGateway({
    config: {
      providers: { a: provider("a"), b: provider("b") },
      aliases: {
        x: {
          targets: [["a", "b"]],
          balance: "p2c",
          affinity: { leave: { ttft_worse_by: "5s" } },
        },
      },
    },
    fetch: vendor.fetch,
  });
  const ask = async (session: string) => {
    const messages = [...MESSAGES, { role: "assistant", content: "Hi" }, ...MESSAGES];
    const body = { model: "x", messages: session === "new" ? MESSAGES : messages };
    const answer = await gateway.call(CHAT, body, { "x-session-id": session });
    assertEquals(answer.status, 200, await answer.text());
    return answer.headers.get("x-sluice-provider") ?? "";
  };
  const results = async () =>
    Object.fromEntries(
      (await scrape(gateway)).all("sluice_affinity_requests_total")
        .map(([{ result, reason }, count]) => [`${result} ${reason ?? ""}`.trim(), count]),
    );
  await ask("new");
  const home = await ask("s");
  assertEquals(await results(), { new: 1, hit: 1 });
  // A failure moves the session.
  down.add(home);
  const other = await ask("s");
  down.clear();
  assertEquals(await results(), { new: 1, hit: 1, "moved failed": 1 });
  assertEquals(await ask("s"), other);
  assertEquals(await results(), { new: 1, hit: 2, "moved failed": 1 });
  // Without room it leaves that too.
  full.add(other);
  assertEquals(await ask("s"), other);
  full.clear();
  assertEquals(await ask("s"), home);
  assertEquals(await results(), { new: 1, hit: 4, "moved failed": 1 });
  // A slow target is left, and one whose breaker is open.
  gateway.clock.advance(3_600_000);
  const { state, config: { providers }, clock } = gateway;
  const targets = new Map(
    [...providers.values()].flatMap((provider) =>
      provider.models.map((model) => [provider.settings.id, { provider, model }] as const)
    ),
  );
  const slow = targets.get(home);
  const quick = targets.get(other);
  if (slow === undefined || quick === undefined) throw new TypeError("There is no such target");
  state.statsOf(quick).begin(false, clock.now() - 100).answered(undefined, clock.now());
  state.statsOf(slow).begin(false, clock.now() - 20_000).answered(undefined, clock.now());
  assertEquals(await ask("s"), other);
  assertEquals((await results())["moved slow"], 1);
});

Deno.test("invalid token counts are ignored", async () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: "2" },
  };
  const gateway = gatewayOver(vendorUsing(usage));
  await chat(gateway);
  assertEquals(gateway.bugs, []);
  const target = { provider: "one", model: "up" };
  // More cached tokens than the prompt has are counted beside it.
  assertEquals((await scrape(gateway)).all("sluice_tokens_total"), [
    [{ ...target, kind: "input" }, 10],
    [{ ...target, kind: "cached_input" }, 60],
    [{ ...target, kind: "output" }, 5],
  ]);
});

Deno.test("durations include the whole answer, and overhead excludes the vendor", async () => {
  const gateway = gatewayOver();
  const answer = await chat(gateway);
  assertEquals(answer.headers.get("x-sluice-overhead-ms"), "0.00");
  const samples = await scrape(gateway);
  assertEquals(samples.all("sluice_request_duration_seconds_sum"), [
    [{ route: CHAT, provider: "one", model: "up" }, 0.12],
  ]);
  assertEquals(samples.sum("sluice_request_duration_seconds_bucket", { le: "0.1" }), 0);
  assertEquals(samples.sum("sluice_request_duration_seconds_bucket", { le: "0.25" }), 1);
  assertEquals(samples.sum("sluice_overhead_seconds_count", { route: CHAT }), 1);
  assertEquals(samples.sum("sluice_overhead_seconds_sum"), 0);
  assertEquals(samples.names.includes("sluice_time_to_first_token_seconds_count"), false);
});

Deno.test("overhead is the time without waiting for the vendor", async () => {
  const gateway = gatewayOver();
  const { clock } = gateway;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      clock.advance(7);
      controller.enqueue(
        new TextEncoder().encode(JSON.stringify({ model: "m", messages: MESSAGES })),
      );
      controller.close();
    },
  }, { highWaterMark: 0 });
  const answer = await gateway.app.handle(
    new Request(`http://gateway.test${CHAT}`, {
      method: "POST",
      headers: { authorization: "Bearer sk-test-service-key" },
      body,
    }),
  );
  await answer.text();
  assertEquals([answer.status, answer.headers.get("x-sluice-overhead-ms")], [200, "7.00"]);
});

Deno.test("the wait of an early stream for its vendor is not overhead", async () => {
  const [begun, released] = [new Gate(), new Gate()];
  const gateway = gatewayOver(
    new ScriptedVendor(async (sent) => {
      begun.open();
      await released.opened;
      return sayHello(sent);
    }),
    configOf({ early_keep_alive: "5s" }),
  );
  const asked = gateway.call(CHAT, { model: "m", messages: MESSAGES, stream: true });
  await begun.opened;
  gateway.clock.advance(5000);
  const answer = await asked;
  assertEquals(answer.headers.get("x-sluice-overhead-ms"), "0.00");
  released.open();
  await answer.text();
  const samples = await scrape(gateway);
  assertEquals(samples.sum("sluice_overhead_seconds_sum", { route: CHAT }), 0);
  assertEquals(samples.sum("sluice_requests_total", { route: CHAT, status: "200" }), 1);
});

Deno.test("every answer has its overhead in a header", async () => {
  const gateway = gatewayOver(failing(500, ""));
  const answers = [
    await gateway.call("/healthz"),
    await gateway.call("/nowhere"),
    await gateway.call("/v1/models"),
    await chat(gateway),
    await chat(gateway, { model: "unknown" }),
    await chat(gateway, { stream: true }),
    await gateway.call(CHAT, "{"),
    await gateway.call("/readyz"),
    await gateway.call("/metrics"),
    await gateway.call("/v1/models", {}),
    await gateway.call("/v1/models", undefined, { authorization: "" }),
    await gateway.call(CHAT, { model: "m", messages: MESSAGES }, { "x-sluice-explain": "true" }),
  ];
  await gateway.app.drain();
  answers.push(await gateway.call("/v1/models"));
  assertEquals(answers.map(({ status }) => status), [
    ...[200, 404, 200, 502, 404, 502, 400, 200, 200, 405, 401, 200],
    503,
  ]);
  for (const answer of answers) {
    assertMatch(answer.headers.get("x-sluice-overhead-ms") ?? "", /^\d+\.\d\d$/);
    if (!answer.bodyUsed) await answer.text();
  }
});

Deno.test("a stream is measured: first token and gaps", async () => {
  const events = CHUNKS.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  let pulls = 0;
  const gateway = gatewayOver(
    new ScriptedVendor(() => {
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        pull(controller) {
          // The role and the first text come together, so that the rest is timed.
          const text = pulls === 0 ? events.slice(0, 2).join("") : events[pulls + 1];
          if (pulls++ > 0) gateway.clock.advance(40);
          controller.enqueue(new TextEncoder().encode(text ?? "data: [DONE]\n\n"));
          if (text === undefined) controller.close();
        },
      }, { highWaterMark: 0 });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }),
  );
  const answer = await chat(gateway, { stream: true });
  assertEquals(answer.headers.get("x-sluice-overhead-ms"), "0.00");
  const samples = await scrape(gateway);
  assertEquals(samples.sum("sluice_time_to_first_token_seconds_sum"), 0.12);
  // The packet with the usage leads to no write: the caller did not ask for it.
  const gaps = ["sum", "count"].map((of) =>
    samples.sum(`sluice_time_between_events_seconds_${of}`, { model: "up" })
  );
  assertEquals(gaps, [0.12, 2]);

  const quick = gatewayOver(new ScriptedVendor(() => toEventStream([...CHUNKS, "[DONE]"])));
  await chat(quick, { stream: true });
  assertEquals(quick.lines.map(({ status }) => status), [200]);
  assertEquals((await scrape(quick)).sum("sluice_requests_total", { status: "200" }), 1);
});

Deno.test("retries, fallbacks and breakers are counted by target", async () => {
  const vendor = new ScriptedVendor((sent) =>
    sent.url.startsWith("https://two.test") ? sayHello(sent) : new Response("", { status: 503 })
  );
  const config = configOf();
  const retrying = {
    ...config,
    providers: { ...config.providers, one: { ...config.providers.one, retries: 1 } },
  };
  const gateway = gatewayOver(vendor, retrying);
  for (let count = 0; count < 3; count++) {
    const asked = chat(gateway, { model: "chain" });
    // Lets the wait before the retry begin, then ends it.
    while (gateway.clock.pending === 0 || vendor.sent.length % 3 !== 1) await settle();
    while (vendor.sent.length % 3 === 1) {
      gateway.clock.advance(1000);
      await settle();
    }
    assertEquals((await asked).status, 200);
  }
  const samples = await scrape(gateway);
  const one = { provider: "one", model: "up", reason: "upstream_unavailable" };
  // The fifth failure opens the breaker, so the third request is not retried.
  assertEquals(samples.all("sluice_retries_total"), [[one, 2]]);
  assertEquals(samples.all("sluice_fallbacks_total"), [[one, 3]]);
  assertEquals(samples.all("sluice_breaker_state"), [
    [{ provider: "one", model: "up" }, 2],
    [{ provider: "two", model: "second" }, 0],
  ]);
  assertEquals(
    samples.sum("sluice_requests_total", { provider: "two", model: "second", status: "200" }),
    3,
  );
});

Deno.test("another model of the provider, and the model at another provider, are fallbacks", async () => {
  const retries = { retries: 0 };
  const gateway = gatewayOver(failing(503, {}), {
    server: {},
    providers: {
      one: { ...OPENAI, ...retries, models: [{ id: "m", upstream: "up" }, "other"] },
      two: { ...OPENAI, ...retries, base_url: "https://two.test/v1", models: ["other"] },
    },
    aliases: { chain: ["m", "other@one", "other@two"] },
  });
  await chat(gateway, { model: "chain" });
  const samples = await scrape(gateway);
  const reason = "upstream_unavailable";
  assertEquals(samples.all("sluice_retries_total"), []);
  assertEquals(samples.all("sluice_fallbacks_total"), [
    [{ provider: "one", model: "up", reason }, 1],
    [{ provider: "one", model: "other", reason }, 1],
  ]);
});

Deno.test("targets have their open attempts, speed and failures", async () => {
  const vendor = new ScriptedVendor((sent) =>
    sent.url.startsWith("https://two.test") ? new Response("", { status: 503 }) : sayHello(sent)
  );
  const gateway = gatewayOver(vendor, configOf());
  await chat(gateway, { stream: true });
  await chat(gateway, { stream: true, model: "second" });
  const samples = await scrape(gateway);
  const one = { provider: "one", model: "up" };
  const two = { provider: "two", model: "second" };
  assertEquals(samples.all("sluice_target_in_flight"), [[one, 0], [two, 0]]);
  assertEquals(samples.all("sluice_target_failure_share"), [[one, 0], [two, 1]]);
  const firstContent = samples.all("sluice_target_first_content_seconds");
  assertEquals(firstContent, [[one, 0.12]], "a target that has only failed has none");
});

Deno.test("a removed breaker has no value", async () => {
  const metrics = createTestMetrics();
  const breakers = [{ provider: "one", model: "up", state: "open" }] as const;
  metrics.readGaugesFrom({ ...NO_GAUGES, breakers: () => breakers });
  assertEquals(new Samples(await metrics.print()).sum("sluice_breaker_state"), 2);
  metrics.readGaugesFrom(NO_GAUGES);
  assertEquals(new Samples(await metrics.print()).all("sluice_breaker_state"), []);
});

function settle(): Promise<void> {
  return turn();
}

Deno.test("the process and open requests have gauges; a scrape does not count", async () => {
  const [begun, released] = [new Gate(), new Gate()];
  const gateway = gatewayOver(
    new ScriptedVendor(async (sent) => {
      begun.open();
      await released.opened;
      return sayHello(sent);
    }),
  );
  assertEquals((await scrape(gateway)).sum("sluice_in_flight_requests"), 0);
  const asked = chat(gateway);
  await begun.opened;
  const samples = await scrape(gateway);
  released.open();
  await asked;
  assertEquals(samples.sum("sluice_in_flight_requests"), 1);
  const gauges = ["resident_memory", "heap_total", "heap_used", "external_memory"];
  assertEquals(gauges.map((name) => samples.sum(`process_${name}_bytes`)), [4, 3, 2, 1]);
  assertEquals(samples.sum("process_start_time_seconds"), 1_700_000_000);
  assertEquals(samples.all("sluice_build_info"), [[{ version: "1.2.3" }, 1]]);
  assertEquals(samples.sum("sluice_config_stale"), 0);
});

Deno.test("the table of metrics holds every metric with its labels, and no others", async () => {
  const readme = Deno.readTextFileSync(
    new URL("../../docs/reference/metrics.md", import.meta.url),
  );
  const documented = [...readme.matchAll(/^\| `(sluice_\w+)` +\|([^|]*)\|/gm)]
    .map(([, name, labels = ""]) => `${name} ${[...labels.matchAll(/\w+/g)].join(" ")}`.trim());
  const { meter, registry, server } = createTestMetrics();
  // This exists only with TLS, the others with a limits store or with alerts.
  server.certificatesEnd(0);
  new AlertMetrics(registry);
  new SharedLimitsMetrics(meter);
  new SharedStateMetrics(meter);
  const metrics = registry.getMetricsAsArray() as unknown as {
    readonly name: string;
    readonly labelNames: readonly string[];
  }[];
  const made = metrics.filter(({ name }) => name.startsWith("sluice_"))
    .map(({ name, labelNames }) => [name, ...labelNames].join(" "));
  assertEquals(documented.toSorted(), made.toSorted());
  for (const { name } of await registry.getMetricsAsJSON()) assert(readme.includes(name), name);
});

Deno.test("a client disconnect during a stream is counted", async () => {
  const gateway = gatewayOver(
    new ScriptedVendor(() => {
      const text = CHUNKS.slice(0, 2).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("");
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }),
  );
  const answer = await gateway.call(CHAT, { model: "m", messages: MESSAGES, stream: true });
  await answer.body?.cancel();
  const samples = await scrape(gateway);
  assertEquals(samples.sum("sluice_requests_total", { error_code: "client_gone" }), 1);
});

Deno.test("/metrics requires a service key unless server.metrics is public, and answers while draining", async () => {
  const closed = gatewayOver();
  const nobody = { authorization: "" };
  const refused = await closed.call("/metrics", undefined, nobody);
  assertEquals([refused.status, (await refused.json()).error.code], [401, "invalid_api_key"]);
  const open = gatewayOver(new ScriptedVendor(), configOf({ metrics: "public" }));
  await open.app.drain();
  const answer = await open.call("/metrics", undefined, nobody);
  assertEquals(answer.status, 200);
  assertMatch(answer.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  assert((await answer.text()).startsWith("# HELP sluice_requests_total "));
  const wrong = await open.call("/metrics", {}, nobody);
  assertEquals([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD"]);
  await wrong.text();
});

Deno.test("a key that may use models by an alias with a star alone cannot read the metrics", async () => {
  const keys = [{ name: "some", key: "sk-some", models: ["new-*"] }];
  const config = { ...configOf({ keys }), aliases: { "new-*": "m" } };
  const gateway = gatewayOver(new ScriptedVendor(), config);
  const ask = async (path: string, body?: unknown) => {
    const answer = await gateway.call(path, body, { authorization: "Bearer sk-some" });
    await answer.text();
    return answer.status;
  };
  assertEquals(await ask(CHAT, { model: "new-one", messages: MESSAGES }), 200);
  assertEquals(await ask("/metrics"), 404);
});

Deno.test("a key without models can read the metrics, and nothing else", async () => {
  const scraper = { name: "scraper", key: "sk-scraper", models: ["none"] };
  const keys = [{ name: "all", key: "sk-all" }, scraper];
  const gateway = gatewayOver(new ScriptedVendor(), configOf({ keys }));
  const ask = async (path: string, key: string, body?: unknown) => {
    const answer = await gateway.call(path, body, { authorization: `Bearer ${key}` });
    return { status: answer.status, text: await answer.text() };
  };
  const body = { model: "m", messages: MESSAGES };
  assertEquals((await ask(CHAT, "sk-all", body)).status, 200);
  assertEquals((await ask(CHAT, "sk-scraper", body)).status, 404);
  assertMatch((await ask("/metrics", "sk-scraper")).text, /model="up",status="200".* 1$/m);
});
