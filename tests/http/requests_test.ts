/** `GET /v1/requests`: individual requests of the ledger, who sees them, and that none has content. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";

const SECRET = "words that only the caller and the vendor may know";

const CONFIG = {
  server: {
    keys: [{ name: "team-a", key: "sk-a" }, { name: "team-b", key: "sk-b" }],
    admin_keys: [{ name: "root", key: "sk-root" }],
  },
  providers: {
    mock: {
      kind: "mock",
      models: [
        { id: "echo", prices: { input: 1, output: 2 } },
        ...["mock-500", "mock-refuse", "mock-quota", "mock-cut"],
      ],
    },
  },
  aliases: { chain: ["mock-refuse", "mock-500", "echo"] },
};

interface Entry {
  readonly id: string;
  readonly key: string;
  readonly model: string;
  readonly status: number;
  readonly time: string;
}
interface Page {
  readonly data: readonly Entry[];
  readonly has_more: boolean;
  readonly next: string | null;
}

const as = (key: string) => ({ authorization: `Bearer ${key}` });

/** Calls a model as a client. Returns the ID of the request. */
async function ask(
  gateway: TestGateway,
  key: string,
  members: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<string> {
  const body = { messages: [...MESSAGES, { role: "user", content: SECRET }], ...members };
  const response = await gateway.call(CHAT, body, { ...as(key), ...headers });
  await response.text();
  gateway.flush();
  return response.headers.get("x-request-id") ?? "";
}

async function get(gateway: TestGateway, path: string, key = "sk-a") {
  const response = await gateway.call(path, undefined, as(key));
  const text = await response.text();
  assert(!text.includes("only the caller"), text);
  return { status: response.status, body: JSON.parse(text) };
}

async function list(gateway: TestGateway, path: string, key?: string): Promise<Page> {
  const { status, body } = await get(gateway, path, key);
  assertEquals(status, 200, JSON.stringify(body));
  return body;
}

Deno.test("an explanation is not sent to a model, so the ledger has no row of it", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const explain = { "x-sluice-explain": "true" };
  await ask(gateway, "sk-a", { model: "echo" }, explain);
  await ask(gateway, "sk-a", { model: "unknown" }, explain);
  const asked = await ask(gateway, "sk-a", { model: "echo" });
  const { data } = await list(gateway, "/v1/requests");
  assertEquals(data.map(({ id }) => id), [asked]);
});

Deno.test("a request is listed with what it used and cost, newest first", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const first = await ask(gateway, "sk-a", { model: "echo" }, { "x-sluice-tags": "red, blue" });
  const second = await ask(gateway, "sk-a", { model: "mock-quota", stream: true });
  const { data, ...page } = await list(gateway, "/v1/requests");
  assertEquals(page, { object: "list", has_more: false, next: null } as unknown as typeof page);
  const [newest, oldest] = data as unknown as Record<string, unknown>[];
  assertEquals([newest?.id, oldest?.id], [second, first]);
  assertMatch(String(oldest?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { cost_usd, input_tokens, output_tokens, prices, ms: _ms, time: _time, ...rest } = oldest ??
    {};
  assert(Number(cost_usd) > 0 && Number(input_tokens) > 0 && Number(output_tokens) > 0);
  assertEquals((prices as { input: number }).input, 1);
  assertEquals(rest, {
    object: "request",
    id: first,
    key: "team-a",
    path: [],
    tags: ["red", "blue"],
    model: "echo",
    provider: "mock",
    upstream: "echo",
    format: "chat_completions",
    status: 200,
    error: null,
    attempt_count: 1,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    usage_source: "vendor",
    first_token_ms: null,
    ...{ alias: null, saved_usd: 0, queued_ms: 0, hedged: false },
    ...{ route: null, cache_write_usd: 0, response_cache: null },
    ...{ hedge_usd: 0, price_ordered: false, price_order_saved_usd: 0 },
    ...{ searches: 0, images: 0, characters: 0, seconds: 0 },
    ...{ affinity: null, session: null, agent: null, parent_agent: null, end_user: null },
    ...{ team: null, owner: null },
  });
  assertEquals([newest?.status, newest?.error, newest?.cost_usd], [429, "insufficient_quota", 0]);
});

Deno.test("a key sees its own requests only; an admin sees all", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const [a, b] = [
    await ask(gateway, "sk-a", { model: "echo" }),
    await ask(gateway, "sk-b", { model: "echo" }),
  ];
  const idsOf = ({ data }: Page) => data.map(({ id }) => id);
  assertEquals(idsOf(await list(gateway, "/v1/requests")), [a]);
  assertEquals(idsOf(await list(gateway, "/v1/requests", "sk-b")), [b]);
  for (const key of ["team-b", "team-a' OR '1'='1", "%", "*", "team-a,team-b"]) {
    const path = `/v1/requests?key=${encodeURIComponent(key)}`;
    assertEquals(await list(gateway, path), {
      ...{ object: "list", data: [], has_more: false, next: null },
    } as unknown as Page);
  }
  assertEquals(idsOf(await list(gateway, "/v1/requests?key=team-a&key=team-b")), [a]);
  assertEquals(idsOf(await list(gateway, "/v1/admin/requests", "sk-root")), [b, a]);
  assertEquals(idsOf(await list(gateway, "/v1/admin/requests?key=team-b", "sk-root")), [b]);

  const foreign = await get(gateway, `/v1/requests/${b}`);
  const unknown = await get(gateway, `/v1/requests/${"x".repeat(b.length)}`);
  assertEquals([foreign.status, foreign.body.error.code], [404, "request_not_found"]);
  // The answer does not tell whether another key has such a request.
  assertEquals(
    JSON.stringify(foreign.body).replace(b, ""),
    JSON.stringify(unknown.body).replace("x".repeat(b.length), ""),
  );
  assertEquals((await get(gateway, `/v1/admin/requests/${b}`, "sk-root")).body.id, b);

  for (const path of ["/v1/admin/requests", `/v1/admin/requests/${a}`]) {
    assertEquals((await get(gateway, path, "sk-a")).status, 403);
    assertEquals((await get(gateway, path, "sk-wrong")).status, 401);
  }
  for (const path of ["/v1/requests", `/v1/requests/${a}`]) {
    assertEquals((await get(gateway, path, "sk-root")).status, 401);
    assertEquals((await get(gateway, path, "")).status, 401);
  }
});

Deno.test("pages follow each other without gaps, with each filter", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  for (let index = 0; index < 12; index++) {
    const model = ["echo", "mock-quota", "none"][index % 3];
    await ask(gateway, index % 2 === 0 ? "sk-a" : "sk-b", { model }, {
      "x-sluice-tags": `t${index % 4}`,
    });
  }
  const counts: [string, number][] = [
    ["", 12],
    ["model=echo", 4],
    ["model=none", 4],
    ["provider=mock", 8],
    ["status=200", 4],
    ["status=429", 4],
    ["status=ok", 4],
    ["status=error", 8],
    ["tag=t1", 3],
    ["tag=t1&status=error&key=team-b", 2],
    ["key=team-a", 6],
    ["model=", 12],
    ["model='%20OR%201=1--", 0],
    ["tag=%25", 0],
  ];
  for (const [query, count] of counts) {
    const ids = new Set<string>();
    let next: string | null = "";
    for (let pages = 0; next !== null; pages++) {
      assert(pages < 20);
      const path: string = `/v1/admin/requests?limit=5&${query}&before=${next}`;
      const page: Page = await list(gateway, path, "sk-root");
      assert(page.data.length <= 5);
      assertEquals(page.has_more, page.next !== null);
      for (const { id } of page.data) ids.add(id);
      next = page.next;
    }
    assertEquals(ids.size, count, query);
  }
});

Deno.test("a wrong limit, cursor, status or time is a 400 that names the parameter", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const wrong: [string, string][] = [
    ...["0", "-1", "201", "1.5", "1e2", "ten", "9".repeat(400)].map((value) =>
      ["limit", value] as [string, string]
    ),
    ...["x", "1", "1-", "-1", "1-2-3", `${"9".repeat(16)}-1`, "1-1 OR 1=1", "1".repeat(5000)].map(
      (value) => ["before", value] as [string, string],
    ),
    ...["600", "20", "2000", "ok,error", "5xx"].map((value) =>
      ["status", value] as [string, string]
    ),
    ...["x", "-1", "1e3", "1,5", "Infinity"].flatMap((value) =>
      ["min_ms", "min_cost_usd"].map((name) => [name, value] as [string, string])
    ),
    ["path", "toString"],
    ["model", "*".repeat(9)],
    ["model", `*${"x".repeat(200)}`],
    ["from", "yesterday"],
    ["to", "2026-13-01"],
    ["format", "xml"],
  ];
  for (const [param, value] of wrong) {
    const path = `/v1/requests?${param}=${encodeURIComponent(value)}`;
    const { status, body } = await get(gateway, path);
    assertEquals([status, body.error.param, body.error.code], [400, param, "invalid_value"], path);
  }
  const { status, body } = await get(gateway, "/v1/requests/x?time=yesterday");
  assertEquals([status, body.error.param], [400, "time"]);
  const max = "9".repeat(15);
  assertEquals((await list(gateway, `/v1/requests?before=${max}-${max}`)).data, []);
});

Deno.test("requests are found by parts of their texts, the start of their ID, time, duration and cost", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const named = { "x-request-id": "Order-4711/a" };
  const echo = await ask(gateway, "sk-a", { model: "echo" }, { "x-sluice-tags": "team:Blue" });
  const failed = await ask(gateway, "sk-a", { model: "mock-500" }, named);
  const other = await ask(gateway, "sk-b", { model: "echo" });
  const found = async (query: string, path = "/v1/requests", key = "sk-a") =>
    (await list(gateway, `${path}?${query}`, key)).data.map(({ id }) => id);
  assertEquals(await found("model=*CH*"), [echo]);
  assertEquals(await found("tag=*blue"), [echo]);
  assertEquals(await found("provider=mo*k&status=error"), [failed]);
  assertEquals(await found("id=Order-47"), [failed]);
  assertEquals(await found(`id=${other}`), []);
  assertEquals(await found(`id=${other}`, "/v1/admin/requests", "sk-root"), [other]);
  assertEquals(await found("key=*-b", "/v1/admin/requests", "sk-root"), [other]);
  assertEquals(await found("key=*", "/v1/requests"), []);
  assertEquals(await found("min_cost_usd=0.000001"), [echo]);
  assertEquals(await found("min_cost_usd=5"), []);
  assertEquals(await found("min_ms=3600000"), []);
  assertEquals(await found("path=cache"), []);
  const [{ time = "" } = {}] = (await list(gateway, "/v1/requests")).data;
  const later = new Date(Date.parse(time) + 1).toISOString();
  assertEquals(await found(`from=${later}`), []);
  assertEquals((await found(`to=${later}`)).sort(), [echo, failed].sort());
});

Deno.test("requests are sorted by any column, the largest or the smallest first", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const ids: string[] = [];
  for (const words of [2, 60, 20]) {
    const content = "word ".repeat(words);
    const ofKey = words === 20 ? "sk-b" : "sk-a";
    ids.push(await ask(gateway, ofKey, { model: "echo", messages: [{ role: "user", content }] }));
  }
  const [short, long, foreign] = ids;
  const idsOf = async (query: string, key?: string) =>
    (await list(gateway, `/v1/${key ? "admin/" : ""}requests?${query}`, key)).data
      .map(({ id }) => id);
  assertEquals(await idsOf("sort=input_tokens", "sk-root"), [long, foreign, short]);
  assertEquals(await idsOf("sort=cost_usd&order=asc", "sk-root"), [short, foreign, long]);
  assertEquals(await idsOf("sort=input_tokens&limit=1", "sk-root"), [long]);
  // A key sees its own only.
  assertEquals(await idsOf("sort=output_tokens&order=asc"), [short, long]);
  // No request was a stream.
  assertEquals(await idsOf("sort=first_token_ms"), []);
  assertEquals((await idsOf("sort=ms")).length, 2);
  assertEquals((await idsOf("sort=attempt_count&order=desc")).length, 2);
  assertEquals(await idsOf("sort=time&order=desc"), [long, short]);
  assertEquals((await idsOf("order=asc")).length, 2);
  assertEquals((await idsOf("sort=key&order=asc", "sk-root")).at(-1), foreign);
  assertEquals((await idsOf("sort=key", "sk-root"))[0], foreign);
  for (
    const [query, param] of [
      ["sort=usd", "sort"],
      ["sort=ms;", "sort"],
      ["sort=__proto__", "sort"],
      ["sort=ms&order=up", "order"],
    ]
  ) {
    const { status, body } = await get(gateway, `/v1/requests?${query}`);
    assertEquals([status, body.error.param], [400, param]);
  }
});

Deno.test("requests are written as CSV, a page at a time, with cells that are no formulas", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  await ask(gateway, "sk-a", { model: "=1+1" });
  const id = await ask(gateway, "sk-a", { model: "echo" }, { "x-sluice-tags": "red, blue" });
  const read = async (path: string) => {
    const response = await gateway.call(path, undefined, as("sk-a"));
    assertEquals(response.headers.get("content-type"), "text/csv; charset=utf-8");
    const [head = "", ...lines] = (await response.text()).trimEnd().split("\n");
    return { head, lines, next: response.headers.get("x-sluice-next") };
  };
  const first = await read("/v1/requests?format=csv&limit=1");
  assertMatch(first.head, /^id,time,key,tags,model,.*,cost_usd,/);
  assertMatch(first.lines[0] ?? "", new RegExp(`^${id},\\d{4}-.*Z,team-a,red blue,echo,`));
  const second = await read(`/v1/requests?format=csv&before=${first.next}`);
  assertEquals(second.lines.length, 1);
  assertMatch(second.lines[0] ?? "", /,'=1\+1,/);
  assertEquals(second.next, null);
  assertEquals((await get(gateway, "/v1/requests?limit=1000")).status, 400);
});

Deno.test("counts of requests say how many there were in each interval, and how many failed", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  await ask(gateway, "sk-a", { model: "echo" });
  await ask(gateway, "sk-a", { model: "mock-500" });
  await ask(gateway, "sk-b", { model: "echo" });
  const { data: [newest] } = await list(gateway, "/v1/requests");
  const time = Date.parse(newest?.time ?? "");
  const at = (ms: number) => new Date(time + ms).toISOString();
  const counted = async (query: string, key = "sk-a") => {
    const path = `/v1/${key === "sk-root" ? "admin/" : ""}request_counts?${query}`;
    const { status, body } = await get(gateway, path, key);
    assertEquals(status, 200, JSON.stringify(body));
    const sum = (name: string) =>
      body.data.reduce((all: number, count: Record<string, number>) => all + (count[name] ?? 0), 0);
    return { ...body, sums: [sum("requests"), sum("errors")] };
  };
  // From individual requests, and from sums by hour.
  for (const period of [60_000, 30 * 86_400_000]) {
    const range = `from=${at(-period)}&to=${at(60_000)}`;
    assertEquals((await counted(range)).sums, [2, 1]);
    assertEquals((await counted(range, "sk-root")).sums, [3, 1]);
    assertEquals((await counted(`${range}&key=team-b`, "sk-root")).sums, [1, 0]);
    assertEquals((await counted(`${range}&key=team-b`)).sums, [0, 0]);
    assertEquals((await counted(`${range}&model=e*&status=ok`)).sums, [1, 0]);
    assertEquals((await counted(`${range}&status=error`)).sums, [1, 1]);
    const { data: [{ start }], step_seconds } = await counted(range);
    assertEquals(Date.parse(start) % (1000 * step_seconds), 0);
  }
  const { data, step_seconds, has_more } = await counted(`from=${at(-60_000)}&to=${at(60_000)}`);
  assertEquals([step_seconds, has_more], [2, false]);
  assertEquals(
    data.map(({ start }: { start: string }) => Date.parse(start) % 2000),
    data.map(() => 0),
  );
  assertEquals((await counted("")).step_seconds, 1800);
  for (const query of ["from=2026-01-02&to=2026-01-01", "from=1990-01-01&to=2026-01-01"]) {
    const { status, body } = await get(gateway, `/v1/request_counts?${query}`);
    assertEquals([status, body.error.param], [400, "from"]);
  }
  assertEquals((await get(gateway, "/v1/admin/request_counts")).status, 403);
});

Deno.test("a request with several attempts shows each, why it ended and what followed", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const id = await ask(gateway, "sk-a", { model: "chain", stream: true });
  const { body } = await get(gateway, `/v1/requests/${id}`);
  assertEquals([body.id, body.status, body.error, body.attempt_count], [id, 200, null, 3]);
  assertEquals([body.model, body.alias], ["chain", "chain"]);
  const shown = body.attempts.map((attempt: Record<string, unknown>) => {
    assert(Number(attempt.started_ms) >= 0 && Number(attempt.ms) >= 0);
    assertEquals(attempt.provider, "mock");
    const { model, status, error, next, reason } = attempt;
    return [model, status, error, next, reason].join();
  });
  assertEquals(shown, [
    "mock-refuse,503,upstream_unavailable,next_target,",
    "mock-500,502,upstream_error,next_target,",
    "echo,200,,,",
  ]);
  assert(!("cause" in body.attempts[0]));
  const { body: seen } = await get(gateway, `/v1/admin/requests/${id}`, "sk-root");
  assert("cause" in seen.attempts[0]);
  assertEquals((await get(gateway, `/v1/requests/${id}?time=${body.time}`)).body, body);
  assertEquals((await get(gateway, `/v1/requests/${id}?time=2020-01-01T00:00:00Z`)).status, 404);
});

Deno.test("a request that one attempt answered shows that one, and a broken stream its error", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const plain = await get(gateway, `/v1/requests/${await ask(gateway, "sk-a", { model: "echo" })}`);
  assertEquals(plain.body.attempts.length, 1);
  const [{ started_ms, ...attempt }] = plain.body.attempts;
  assertEquals([started_ms, attempt.model, attempt.status, attempt.error], [0, "echo", 200, null]);
  const cut = await ask(gateway, "sk-a", { model: "mock-cut", stream: true });
  const { body } = await get(gateway, `/v1/requests/${cut}`);
  assertEquals([body.status, body.error], [200, "upstream_error"]);
  assertEquals(body.attempts.map(({ error }: { error: string }) => error), ["upstream_error"]);
  const { data } = await list(gateway, "/v1/requests?status=error");
  assertEquals(data.map(({ id }) => id), [cut]);
  const failed = await ask(gateway, "sk-a", { model: "none" });
  assertEquals((await get(gateway, `/v1/requests/${failed}`)).body.attempts, []);
});

Deno.test("an ID of the caller's own is found, whatever its text is", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  for (const id of ["a/b", "a b?c=d&e", "..", "%2e%2e", "' OR 1=1", '"<script>']) {
    assertEquals(await ask(gateway, "sk-a", { model: "echo" }, { "x-request-id": id }), id);
    if (id === "..") continue;
    const { status, body } = await get(gateway, `/v1/requests/${encodeURIComponent(id)}`);
    assertEquals([status, body.id], [200, id]);
  }
  const long = "y".repeat(3000);
  const { body } = await get(gateway, `/v1/requests/${long}`);
  assert(body.error.message.length < 300);
});
