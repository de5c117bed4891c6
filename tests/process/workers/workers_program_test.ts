/** Several workers on one port: what callers, operators and Prometheus see of them. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { addressOf, startSluice, withPreloaded } from "../../support/process.ts";
import { RawCaller, RawCallers } from "../../support/raw_caller.ts";
import { Samples } from "../../support/samples.ts";
import { needs } from "../../support/needs.ts";

const CHAT = "/v1/chat/completions";

const MESSAGES = [{ role: "user", content: "Hi" }];

/** The process itself, from here on. */
const fileOf = (server: Record<string, unknown>, models = ["mock-echo"]) =>
  JSON.stringify({
    server: { port: 0, workers: 2, keys: [{ name: "own", key: "sk-own" }], ...server },
    providers: { mock: { kind: "mock", models } },
  });

interface Ask {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/**
 * Uses a new connection, so that the system chooses a worker again. As clients do, connects again
 * if the worker that it chose ends before it has accepted the connection.
 */
async function ask<Answer>(
  url: string,
  { headers = {}, body }: Ask,
  read: (answer: Response) => Promise<Answer>,
): Promise<Answer> {
  const send = async () => {
    using client = Deno.createHttpClient({});
    const answer = await fetch(url, {
      client,
      headers: { authorization: "Bearer sk-own", ...headers },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    return await read(answer);
  };
  try {
    return await send();
  } catch (thrown) {
    const { cause } = thrown as Error;
    if (!(cause instanceof Error && cause.message.includes("Connection reset"))) throw thrown;
    return await send();
  }
}

const statusOf = (url: string, asking: Ask = {}) =>
  ask(url, asking, async (answer) => {
    await answer.text();
    return answer.status;
  });

const textOf = (url: string, asking: Ask = {}) => ask(url, asking, (answer) => answer.text());

const chat = (model: string, members = {}) => ({ body: { model, messages: MESSAGES, ...members } });

/** Enough connections that each of two workers has some, but for a chance of 2^-39. */
const MANY = 40;

function many<Result>(run: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: MANY }, (_, index) => run(index)));
}

Deno.test("two workers share a port, /metrics sums them, a reload reaches both, SIGTERM drains both", async () => {
  await using running = startSluice([], {
    files: { "config.yaml": fileOf({}, ["mock-echo", "mock-stall"]) },
  });
  const base = await addressOf(running);
  assertMatch(running.stderr(), /^ {2}workers {3}2$/m);
  const { port } = new URL(base);
  // No other process takes a part of the port, not even another gateway.
  await using second = startSluice(["--port", port], {
    files: { "config.yaml": fileOf({}) },
  });
  assertEquals(
    (await second.finished).stderr,
    `sluice: Cannot listen on 127.0.0.1:${port}: the port is in use; choose another with --port\n`,
  );

  const ignored = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`a_rather_long_name_of_a_field_${index}`, 1]),
  );
  const answers = await many(() => statusOf(`${base}${CHAT}`, chat("mock-echo", ignored)));
  assertEquals(new Set(answers), new Set([200]));
  for (let scrapes = 0; scrapes < 10; scrapes++) {
    const samples = new Samples(await textOf(`${base}/metrics`));
    assertEquals(samples.sum("sluice_requests_total", { route: CHAT }), MANY);
    assertEquals(samples.sum("sluice_workers"), 2);
  }

  running.write("config.yaml", fileOf({}, ["mock-echo", "mock-stall", "mock-slow"]));
  await running.logged("Loaded ./config.yaml: 3 models, 1 provider");
  const found = await many(() => statusOf(`${base}/v1/models/mock-slow`));
  assertEquals(new Set(found), new Set([200]));
  running.write("config.yaml", "server: { prt: 1 }");
  await running.logged("stays in use");
  const states = await many(() => textOf(`${base}/readyz`));
  assertEquals(states.filter((text) => !text.includes('"config":"stale"')), []);
  assertEquals(new Set(await many(() => statusOf(`${base}/v1/models/mock-slow`))), new Set([200]));
  running.write("config.yaml", fileOf({ drain: "300ms", workers: 3 }, ["mock-echo", "mock-stall"]));
  await running.logged("Changing server.workers to 3 requires a restart");
  const ready = await many(() => textOf(`${base}/readyz`));
  assertEquals(new Set(ready), new Set(['{"status":"ready"}']));

  using client = Deno.createHttpClient({ poolMaxIdlePerHost: MANY });
  const streams = await many(() =>
    fetch(`${base}${CHAT}`, {
      client,
      method: "POST",
      headers: { authorization: "Bearer sk-own" },
      body: JSON.stringify({ model: "mock-stall", stream: true, messages: MESSAGES }),
    })
  );
  running.signal("SIGTERM");
  await running.logged("draining");
  for (const text of await Promise.all(streams.map((stream) => stream.text()))) {
    const events = text.split("\n\n").slice(0, -1);
    assertStringIncludes(events.at(-1) ?? "", '"code":"overloaded"');
    assertEquals(events.filter((event) => event.includes('"error"')).length, 1);
  }
  const { code, stdout, stderr } = await running.finished;
  assertEquals(code, 0);
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.filter(({ route }) => route === CHAT).length, 2 * MANY);
  assert(!(stdout + stderr).includes("sk-own"));
  assertEquals(stderr.match(/Sluice listens/g)?.length, 1);
});

const HEALTH = "GET /healthz HTTP/1.1\nhost: localhost\n\n";

/** The product, which seems to be under load. */
const BUSY = withPreloaded("busy.ts");

Deno.test({
  ...needs(
    "Linux and two processors",
    Deno.build.os === "linux" && navigator.hardwareConcurrency >= 2,
    "a gateway under load adds workers, which share limits and connections; SIGTERM drains all",
  ),
  async fn() {
    const max = Math.min(navigator.hardwareConcurrency, 64);
    await using running = startSluice([], {
      files: {
        "config.yaml": fileOf({ workers: "auto", max_in_flight: 2 * max }, [
          "mock-echo",
          "mock-stall",
        ]),
      },
      program: BUSY,
    });
    const base = await addressOf(running);
    assertMatch(running.stderr(), new RegExp(`^ {2}workers {3}1, up to ${max} under load$`, "m"));
    // Connections that stay open.
    await using held = new RawCallers();
    const callers = await held.open(base, MANY, HEALTH);
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: MANY });
    const open = await many(() =>
      fetch(`${base}${CHAT}`, {
        client,
        method: "POST",
        headers: { authorization: "Bearer sk-own" },
        body: JSON.stringify({ model: "mock-stall", stream: true, messages: MESSAGES }),
      })
    );
    // The only worker has the whole limit.
    assertEquals(open.filter(({ status }) => status === 200).length, 2 * max);
    await Promise.all(open.map(({ body }) => body?.cancel()));
    await running.logged(`under load: ${max} workers are running`);
    for (const caller of callers) await caller.send(HEALTH);
    const isAnswered = ({ text }: RawCaller) => text.split("HTTP/1.1 200").length === 3;
    await until(() => callers.every(isAnswered));
    const moved = callers.filter(({ text }) => text.includes("connection: close"));
    assertEquals(moved.length, MANY);
    const again = await many(() =>
      fetch(`${base}${CHAT}`, {
        client,
        method: "POST",
        headers: { authorization: "Bearer sk-own" },
        body: JSON.stringify(chat("mock-echo").body),
      })
    );
    for (const answer of again) await answer.text();
    const samples = new Samples(await textOf(`${base}/metrics`));
    assertEquals(samples.sum("sluice_workers"), max);
    assertEquals(samples.sum("sluice_requests_total", { route: CHAT }), 2 * MANY);
    running.signal("SIGTERM");
    const { code, stdout, stderr } = await running.finished;
    assertEquals(code, 0);
    assertEquals(stderr.match(/Sluice listens/g)?.length, 1);
    const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.filter(({ route }) => route === CHAT).length, 2 * MANY);
  },
});

/** Waits at most 30 seconds. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3000 && !await isTrue(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert(await isTrue());
}

/** The product, whose time passes 20 times as fast. */
const WAVES = withPreloaded("waves.ts");

const SPEED = 20;

/** The message that no more workers are added. */
const FULL_LOAD = `under load: ${Math.min(navigator.hardwareConcurrency, 64)} workers are running`;

Deno.test({
  ...needs(
    "Linux and two processors",
    Deno.build.os === "linux" && navigator.hardwareConcurrency >= 2,
    "workers that were added end when they are idle, and are added again",
  ),
  async fn() {
    // Longer than the minutes for which an added worker always stays.
    const ttl = 200;
    await using running = startSluice([], {
      files: {
        load: "high",
        "config.yaml": fileOf({
          workers: "auto",
          idle_timeout: "1h",
          responses_memory: { ttl: `${ttl}s` },
        }),
      },
      program: WAVES,
    });
    const base = await addressOf(running);
    await running.logged(FULL_LOAD);
    running.write("load", "low");
    // Each worker gets some of them.
    const request = { body: { model: "mock-echo", input: "Hello" } };
    const sentAt = performance.now();
    const statuses = await many(() => statusOf(`${base}/v1/responses`, request));
    assertEquals(new Set(statuses), new Set([200]));
    // Clients without requests to models do not hold a worker.
    await using held = new RawCallers();
    const probes = await held.open(base, MANY, HEALTH);
    const idle = await held.open(base, MANY, HEALTH);
    await until(async () => {
      const open = probes.filter(({ isClosed }) => !isClosed);
      await Promise.allSettled(open.map((caller) => caller.send(HEALTH)));
      return running.stderr().includes("workers left: 1");
    });
    assert(performance.now() - sentAt >= ttl * 1000 / SPEED);
    const closed = probes.filter(({ isClosed }) => isClosed);
    assert(closed.length > 0 && idle.some(({ isClosed }) => isClosed));
    for (const { text } of closed) assertStringIncludes(text, "connection: close");
    const answers = probes.map(({ text }) => text.split("HTTP/1.1 200").length);
    assert(answers.every((count) => count > 5), String(answers));
    const counted = async () => {
      const samples = new Samples(await textOf(`${base}/metrics`));
      const requests = samples.sum("sluice_requests_total", { route: "/v1/responses" });
      return requests === MANY && samples.sum("sluice_workers") === 1;
    };
    await until(counted);

    running.write("load", "high");
    await until(() => running.stderr().split(FULL_LOAD).length === 3);
    const again = await many(() => statusOf(`${base}${CHAT}`, chat("mock-echo")));
    assertEquals(new Set(again), new Set([200]));
    const lines = () => running.stdout().match(/"route":"\/v1\/(responses|chat)/g)?.length;
    await until(() => lines() === 2 * MANY);
    running.signal("SIGTERM");
    const { code, stderr } = await running.finished;
    assertEquals([code, stderr.match(/error/gi)], [0, null]);
  },
});

Deno.test({
  ...needs(
    "Linux and two processors",
    Deno.build.os === "linux" && navigator.hardwareConcurrency >= 2,
    "what a worker stores while it ends is found by others, and holds it",
  ),
  async fn() {
    const ttl = 60;
    await using running = startSluice([], {
      files: {
        load: "high",
        "config.yaml": fileOf({
          workers: "auto",
          idle_timeout: "1h",
          responses_memory: { ttl: `${ttl}s` },
        }),
      },
      program: WAVES,
    });
    const base = await addressOf(running);
    await running.logged(FULL_LOAD);
    running.write("load", "low");
    await using held = new RawCallers();
    const probes = await held.open(base, MANY, HEALTH);
    const callers = await held.open(base, MANY, HEALTH);
    const isMoved = () => probes.some(({ text }) => text.includes("connection: close"));
    await until(async () => {
      const open = probes.filter(({ isClosed }) => !isClosed);
      await Promise.allSettled(open.map((caller) => caller.send(HEALTH)));
      return isMoved();
    });
    // Some of these are connected to the workers that end.
    const body = JSON.stringify({ model: "mock-echo", input: "Hello" });
    const post = "POST /v1/responses HTTP/1.1\nhost: localhost\nauthorization: Bearer sk-own\n" +
      `content-length: ${body.length}\n\n${body}`;
    const sentAt = performance.now();
    await Promise.all(callers.map((caller) => caller.send(post)));
    const ids = () => callers.flatMap(({ text }) => /"id":"(resp_[\w-]+)"/.exec(text)?.[1] ?? []);
    await until(() => ids().length === MANY);
    assert(callers.some(({ text }) => text.includes("connection: close")));
    // The clock is fast, so a lookup in other workers has only 50 ms: one that is late is repeated.
    for (const id of ids()) {
      const again = { model: "mock-echo", input: "Again", previous_response_id: id };
      await until(async () => await statusOf(`${base}/v1/responses`, { body: again }) === 200);
    }
    await running.logged("workers left: 1");
    // Each answer is held from a time after this on.
    assert(performance.now() - sentAt >= ttl * 1000 / SPEED);
  },
});

/** Stores on a port that nothing listens on. */
const GONE = [
  ["store", "postgres://a:b@127.0.0.1:1/c", "rows are queued in memory"],
  ["shared_store", "redis://127.0.0.1:1", "the shared store 127.0.0.1:1 fails"],
] as const;

for (const [member, url, message] of GONE) {
  Deno.test({
    ...needs(
      "Linux and two processors",
      Deno.build.os === "linux" && navigator.hardwareConcurrency >= 2,
      `a worker does not end while its ${member} fails`,
    ),
    async fn() {
      const config = { ...JSON.parse(fileOf({ workers: "auto" })), [member]: url };
      await using running = startSluice([], {
        files: { load: "high", "config.yaml": JSON.stringify(config) },
        program: WAVES,
      });
      const base = await addressOf(running);
      await running.logged(FULL_LOAD);
      running.write("load", "low");
      await many(() => statusOf(`${base}${CHAT}`, chat("mock-echo")));
      await running.logged(message);
      // Without the failure, they would end in the fourth minute.
      await new Promise((resolve) => setTimeout(resolve, 240_000 / SPEED));
      assert(!running.stderr().includes("exited"));
      running.signal("SIGTERM");
      const { code, stderr } = await running.finished;
      assertEquals(code, 0);
      const lost = [...stderr.matchAll(/(\d+) rows of the ledger are lost/g)];
      const count = lost.reduce((sum, [, text]) => sum + Number(text), 0);
      assertEquals(count, member === "store" ? MANY : 0);
    },
  });
}

Deno.test("each of two workers has half of the limits", async () => {
  await using running = startSluice([], {
    files: { "config.yaml": fileOf({ max_in_flight: 6 }, ["mock-echo", "mock-stall"]) },
  });
  const base = await addressOf(running);
  const opened = new AbortController();
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: MANY });
  const streams = await many(() =>
    fetch(`${base}${CHAT}`, {
      client,
      signal: opened.signal,
      method: "POST",
      headers: { authorization: "Bearer sk-own" },
      body: JSON.stringify({ model: "mock-stall", stream: true, messages: MESSAGES }),
    })
  );
  const refused = streams.filter(({ status }) => status === 503);
  for (const answer of refused) assertEquals((await answer.json()).error.code, "overloaded");
  assertEquals(MANY - refused.length, 6);
  opened.abort();
  await Promise.allSettled(streams.filter(({ bodyUsed }) => !bodyUsed).map((one) => one.text()));
});

Deno.test("a single worker does not share its port", async () => {
  await using running = startSluice([], { files: { "config.yaml": fileOf({ workers: 1 }) } });
  const { hostname, port } = new URL(await addressOf(running));
  assert(!running.stderr().includes("workers"));
  const share = () => Deno.listen({ hostname, port: Number(port), reusePort: true });
  await assertRejects(() => Promise.resolve().then(share), Deno.errors.AddrInUse);
});

/** The product, with workers that can be ended from outside. */
const FRAIL = withPreloaded("frail.ts");

Deno.test("a worker that exits does not affect others and is restarted", async () => {
  await using running = startSluice([], {
    files: { "config.yaml": fileOf({}) },
    program: FRAIL,
  });
  const base = await addressOf(running);
  await many(() => statusOf(`${base}${CHAT}`, chat("mock-echo")));
  const counted = async () =>
    new Samples(await textOf(`${base}/metrics`)).sum("sluice_requests_total", { route: CHAT });
  assertEquals(await counted(), MANY);
  // Each connection is given to either worker by chance; the main thread answers.
  let isDead = false;
  while (!isDead) await statusOf(`${base}/die`).catch(() => isDead = true);
  await running.logged("worker 2 exited: RangeError; restarting in 100 ms");
  // A connection that the dead one had not taken yet breaks; asked again, another answers.
  const during = await many(() =>
    statusOf(`${base}${CHAT}`, chat("mock-echo")).catch(() =>
      statusOf(`${base}${CHAT}`, chat("mock-echo"))
    )
  );
  assertEquals(new Set(during), new Set([200]));
  await running.logged("is running again");
  assertEquals(await counted(), 2 * MANY);
  const after = await many(() => statusOf(`${base}${CHAT}`, chat("mock-echo")));
  assertEquals(new Set(after), new Set([200]));
  const last = new Samples(await textOf(`${base}/metrics`));
  assertEquals(last.sum("sluice_workers"), 2);
  running.signal("SIGTERM");
  assertEquals((await running.finished).code, 0);
  assertEquals(running.stderr().match(/^sluice: .*sk-secret/gm), null);
});

const ADMIN = { authorization: "Bearer sk-admin" };

Deno.test("a reset reaches every worker, whichever gets the request", async () => {
  await using running = startSluice([], {
    files: {
      "config.yaml": fileOf({ admin_keys: [{ name: "ops", key: "sk-admin" }] }, ["mock-503"]),
    },
  });
  const base = await addressOf(running);
  /** The state of the only breaker in each worker. */
  const states = async () => {
    const answer = await fetch(`${base}/v1/admin/providers`, { headers: ADMIN });
    const { data: [provider], workers, pending_workers } = await answer.json();
    assertEquals([workers, pending_workers], [2, 0]);
    const reports: { worker: number; breakers: { state: string }[] }[] = provider.workers;
    return reports.map(({ worker, breakers }) => [worker, breakers[0]?.state]);
  };
  assertEquals(await states(), [[1, "closed"], [2, "closed"]]);
  // Every connection is given to either worker by chance.
  for (let round = 0; round < 20; round++) {
    await many(() => statusOf(`${base}${CHAT}`, chat("mock-503")));
    if ((await states()).every(([, state]) => state === "open")) break;
  }
  assertEquals(await states(), [[1, "open"], [2, "open"]]);
  const url = `${base}/v1/admin/providers/mock/reset`;
  const { cleared } = await (await fetch(url, { method: "POST", headers: ADMIN })).json();
  assertEquals(cleared, { suspended_keys: 0, breakers: 2, learned_rejections: 0 });
  assertEquals(await states(), [[1, "closed"], [2, "closed"]]);
  running.signal("SIGTERM");
  const { stdout } = await running.finished;
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const audits = lines.filter(({ audit }) => audit !== undefined);
  const isReset = ({ audit }: { audit: { action: string } }) => audit.action === "providers.reset";
  assertEquals(audits.filter(isReset).map(({ key, audit }) => [key, audit]), [
    ["ops", { action: "providers.reset", provider: "mock", cleared, result: "done" }],
  ]);
});

for (const workers of [1, 2]) {
  Deno.test(`an unhandled rejection is logged and counted, and does not end the process (workers: ${workers})`, async () => {
    await using running = startSluice([], {
      files: { "config.yaml": fileOf({ workers }) },
      program: FRAIL,
    });
    const base = await addressOf(running);
    for (let time = 0; time < 3; time++) await statusOf(`${base}/reject`);
    const answers = await many(() => statusOf(`${base}${CHAT}`, chat("mock-echo")));
    assertEquals(new Set(answers), new Set([200]));
    const samples = new Samples(await textOf(`${base}/metrics`));
    assertEquals(samples.sum("sluice_unhandled_errors_total"), 3);
    assertEquals(samples.sum("sluice_requests_total", { route: CHAT }), MANY);
    const stderr = running.stderr();
    assertEquals(
      stderr.match(/unhandled error.*\n.*RangeError: \\u001b\[31mred/g)?.length,
      3,
      stderr,
    );
    assert(!stderr.includes("\u001b"), stderr);
    assert(!stderr.includes(" exited: "), stderr);
  });
}
