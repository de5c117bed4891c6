/** `GET /v1/live`: the state once in a second, only while someone watches, and only what a key may see. */

import { assert, assertEquals } from "@std/assert";
import { createTestGateway, loadTestConfig, type TestGateway } from "../support/gateway.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";

const CONFIG = {
  server: {
    keys: [{ name: "team-a", key: "sk-a" }, { name: "narrow", key: "sk-n", models: ["echo"] }],
    admin_keys: [{ name: "root", key: "sk-root" }],
  },
  providers: {
    mock: { kind: "mock", retries: 0, models: ["echo", "mock-500", "mock-hang"] },
    other: { kind: "mock", models: ["elsewhere"] },
    unset: { kind: "openai", api_key: "${file:/run/secrets/of-the-operator}", models: ["gpt-x"] },
  },
};

interface State {
  readonly at: string;
  readonly in_flight: number;
  readonly requests_per_second: number | null;
  readonly errors_per_second: number | null;
  readonly providers: readonly Record<string, unknown>[];
  readonly models: readonly Record<string, unknown>[];
  readonly config: Record<string, unknown>;
  readonly alerts?: readonly unknown[];
}

const as = (key: string) => ({ authorization: `Bearer ${key}` });

/** A client that reads states. */
class Client {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = "";

  constructor(response: Response) {
    this.response = response;
    this.#reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  }

  /** The next state; undefined at the end of the stream. */
  async next(): Promise<State | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const event = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        assert(event.startsWith("event: state\ndata: "), event);
        return JSON.parse(event.slice("event: state\ndata: ".length));
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += new TextDecoder().decode(value);
    }
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }
}

async function watch(gateway: TestGateway, key: string, path = "/v1/live"): Promise<Client> {
  const response = await gateway.call(path, undefined, as(key));
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  assertEquals(response.headers.get("cache-control"), "no-store");
  return new Client(response);
}

async function ask(gateway: TestGateway, model: string): Promise<void> {
  const response = await gateway.call(CHAT, { model, messages: MESSAGES }, as("sk-a"));
  await response.text();
  gateway.flush();
}

/** Lets callbacks that are ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** Advances the time until the feed has sent another state. */
async function tick({ clock }: TestGateway): Promise<void> {
  await settle();
  clock.advance(1000);
  await settle();
}

Deno.test("the state comes at once and then in every second, with rates", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  await ask(gateway, "echo");
  await ask(gateway, "mock-500");
  const client = await watch(gateway, "sk-a");
  const first = await client.next();
  assertEquals([first?.requests_per_second, first?.in_flight], [null, 0]);
  const mock = first?.providers.find(({ id }) => id === "mock");
  const { p50_ms, p95_ms, history, last_failure, ...rest } = mock ?? {};
  assert(typeof p50_ms === "number" && typeof p95_ms === "number");
  assertEquals(rest, {
    id: "mock",
    kind: "mock",
    enabled: true,
    reason: null,
    in_flight: 0,
    attempts: 2,
    failed_attempts: 1,
    rescued: 0,
    usual_p50_ms: null,
    keys: 0,
    resting_keys: 0,
    breaker: "closed",
    // The sums are of all keys, so a service key does not see them.
    health: { state: "ok", since: "2023-11-14T22:13:20.000Z" },
  });
  const { request: _, ...failure } = last_failure as Record<string, unknown>;
  assertEquals(failure, { time: first?.at, error: "upstream_error", status: 502 });
  assertEquals((history as unknown[]).slice(-2), [null, [2, 1]]);
  assertEquals((history as unknown[]).length, 24);
  assertEquals(first?.config, {
    valid: true,
    loaded_at: "2023-11-14T22:13:20.000Z",
    reason: null,
  });
  for (let index = 0; index < 4; index++) await ask(gateway, index === 0 ? "mock-500" : "echo");
  await tick(gateway);
  const second = await client.next();
  assertEquals([second?.requests_per_second, second?.errors_per_second], [4, 1]);
  await tick(gateway);
  assertEquals((await client.next())?.requests_per_second, 0);
  await client.leave();
});

Deno.test("a request that waits for a vendor is in flight, a client that watches is not", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const client = await watch(gateway, "sk-a");
  await client.next();
  const left = new AbortController();
  const body = { model: "mock-hang", messages: MESSAGES };
  const hanging = gateway.call(CHAT, body, as("sk-a"), left.signal);
  await tick(gateway);
  const state = await client.next();
  assertEquals(state?.in_flight, 1);
  assertEquals(state?.providers.find(({ id }) => id === "mock")?.in_flight, 1);
  assertEquals([gateway.app.inFlight()], [1]);
  left.abort();
  await (await hanging).text();
  await tick(gateway);
  assertEquals((await client.next())?.in_flight, 0);
  await client.leave();
});

Deno.test("open breakers are shown by model, and by provider as the worst of them", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  for (let index = 0; index < 5; index++) await ask(gateway, "mock-500");
  const client = await watch(gateway, "sk-root", "/v1/admin/live");
  const state = await client.next();
  const model = state?.models.find(({ id }) => id === "mock-500");
  assertEquals([model?.breaker, model?.failures, model?.provider], ["open", 5, "mock"]);
  assert(Number(model?.tries_again_in_ms) > 0);
  assertEquals(state?.providers.map(({ breaker }) => breaker), ["open", "closed", undefined]);
  await client.leave();
});

Deno.test("an attempt that failed is the target's, although another one answered", async () => {
  // Another provider has a model of the same name at its vendor.
  const twin = { kind: "mock", models: [{ id: "twin", upstream: "mock-500" }] };
  const providers = { ...CONFIG.providers, twin };
  const aliases = { rescued: ["mock-500", "elsewhere"] };
  const gateway = createTestGateway({ config: { ...CONFIG, providers, aliases } });
  await ask(gateway, "rescued");
  await ask(gateway, "rescued");
  await ask(gateway, "elsewhere");
  const client = await watch(gateway, "sk-root", "/v1/admin/live");
  const state = await client.next();
  const attemptsOf = (entries: readonly Record<string, unknown>[] | undefined, id: string) => {
    const entry = entries?.find((one) => one.id === id);
    return [entry?.attempts, entry?.failed_attempts, entry?.rescued];
  };
  assertEquals(attemptsOf(state?.providers, "mock"), [2, 2, 2]);
  assertEquals(attemptsOf(state?.providers, "other"), [3, 0, 0]);
  assertEquals(attemptsOf(state?.models, "mock-500"), [2, 2, 2]);
  for (const unused of ["echo", "twin"]) {
    assertEquals(attemptsOf(state?.models, unused), [0, 0, 0], unused);
  }
  const failed = state?.models.find(({ id }) => id === "mock-500")?.last_failure;
  const { cause, error } = failed as Record<string, unknown>;
  assertEquals([cause, error], [null, "upstream_error"]);
  assertEquals(state?.models.find(({ id }) => id === "elsewhere")?.last_failure, null);
  await client.leave();
});

Deno.test("a key sees its models and its usage alone, without what operators see", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  await ask(gateway, "echo");
  const client = await watch(gateway, "sk-n");
  const state = await client.next();
  assertEquals(state?.models.map(({ id }) => id), ["echo"]);
  const enabled = state?.providers.filter((provider) => provider.enabled) ?? [];
  assertEquals(enabled.map(({ id, attempts }) => [id, attempts]), [["mock", 0]]);
  const text = JSON.stringify(state);
  for (const hidden of ["of-the-operator", "faults", "elsewhere", "mock-500"]) {
    assert(!text.includes(hidden), hidden);
  }
  await client.leave();
  const admin = await watch(gateway, "sk-root", "/v1/admin/live");
  const all = await admin.next();
  assertEquals(all?.models.length, 4);
  assertEquals(all?.config.faults, []);
  assert(JSON.stringify(all).includes("of-the-operator"));
  await admin.leave();
  for (
    const [path, key, status] of [
      ["/v1/live", "sk-root", 401],
      ["/v1/live", "", 401],
      ["/v1/admin/live", "sk-a", 403],
      ["/v1/admin/live", "wrong", 401],
    ] as const
  ) {
    const response = await gateway.call(path, undefined, as(key));
    assertEquals(response.status, status);
    await response.text();
  }
});

Deno.test("nothing runs before, between and after clients", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  assertEquals(gateway.clock.pending, 0);
  const [one, other] = [await watch(gateway, "sk-a"), await watch(gateway, "sk-a")];
  await Promise.all([one.next(), other.next()]);
  await settle();
  assertEquals(gateway.clock.pending, 1);
  await one.leave();
  assertEquals(gateway.clock.pending, 1);
  await other.leave();
  assertEquals(gateway.clock.pending, 0);
  const head = await gateway.app.handle(
    new Request("http://gateway.test/v1/live", { method: "HEAD", headers: as("sk-a") }),
  );
  assertEquals([head.status, head.body, gateway.clock.pending], [200, null, 0]);
  const again = await watch(gateway, "sk-a");
  assertEquals((await again.next())?.requests_per_second, null);
  await again.leave();
  assertEquals(gateway.clock.pending, 0);
  assertEquals(gateway.lines.filter(({ route }) => route === "/v1/live").length, 4);
});

Deno.test("a second client gets a state at once, not only with the next one", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const one = await watch(gateway, "sk-a");
  await one.next();
  await settle();
  const other = await watch(gateway, "sk-n");
  assertEquals((await other.next())?.models.length, 1);
  await one.leave();
  await other.leave();
});

Deno.test("the number of clients is bounded", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const clients: Client[] = [];
  for (;;) {
    const response = await gateway.call("/v1/live", undefined, as("sk-a"));
    if (response.status !== 200) {
      assertEquals([response.status, response.headers.get("retry-after")], [503, "10"]);
      assertEquals((await response.json()).error.code, "overloaded");
      break;
    }
    clients.push(new Client(response));
    assert(clients.length <= 100);
  }
  for (const client of clients) await client.leave();
  const client = await watch(gateway, "sk-a");
  await client.leave();
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("a client that does not read gets no more states, and is left after a while", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call("/v1/live", undefined, as("sk-a"));
  for (let second = 0; second < 40; second++) await tick(gateway);
  assertEquals(gateway.clock.pending, 0);
  assertEquals(gateway.lines.filter(({ route }) => route === "/v1/live").length, 1);
  await response.body?.cancel().catch(() => {});
});

Deno.test("a drain ends the streams, so that it can end", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const client = await watch(gateway, "sk-a");
  await client.next();
  await gateway.app.drain();
  assertEquals(await client.next(), undefined);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("a key that is revoked ends its stream", async () => {
  const live = { current: loadTestConfig(CONFIG), stale: undefined };
  const gateway = createTestGateway({ config: CONFIG, live });
  const [revoked, kept] = [await watch(gateway, "sk-n"), await watch(gateway, "sk-a")];
  await Promise.all([revoked.next(), kept.next()]);
  const { keys: [first] } = CONFIG.server;
  live.current = loadTestConfig({ ...CONFIG, server: { ...CONFIG.server, keys: [first] } });
  await tick(gateway);
  assertEquals(await revoked.next(), undefined);
  assertEquals((await kept.next())?.models.length, 4);
  await kept.leave();
});

Deno.test("a configuration that is stale is shown, its errors to admins alone", async () => {
  const stale = { reason: "The file has 1 error; see the log", faults: ["server.port: is wrong"] };
  const live = { current: loadTestConfig(CONFIG), stale };
  const gateway = createTestGateway({ config: CONFIG, live });
  const own = await watch(gateway, "sk-a");
  const admin = await watch(gateway, "sk-root", "/v1/admin/live");
  const [seen, all] = [await own.next(), await admin.next()];
  assertEquals([seen?.config.valid, seen?.config.reason], [false, stale.reason]);
  assert(!JSON.stringify(seen).includes("server.port"));
  assertEquals(all?.config.faults, stale.faults);
  await own.leave();
  await admin.leave();
});

Deno.test("admins see the open alerts, which name other keys; service keys do not", async () => {
  const alert = { rule: "budget", object: "team-b", text: "It is spent", since: 0 };
  const gateway = createTestGateway({ config: CONFIG, openAlerts: () => [alert] });
  const admin = await watch(gateway, "sk-root", "/v1/admin/live");
  const service = await watch(gateway, "sk-a");
  const { alerts } = await admin.next() ?? {};
  assertEquals(alerts, [{ ...alert, since: "1970-01-01T00:00:00.000Z" }]);
  assert(!("alerts" in (await service.next() ?? {})));
  await admin.leave();
  await service.leave();
});

Deno.test("without alerts in the configuration the state has none", async () => {
  const admin = await watch(createTestGateway({ config: CONFIG }), "sk-root", "/v1/admin/live");
  assert(!("alerts" in (await admin.next() ?? {})));
  await admin.leave();
});
