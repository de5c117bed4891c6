/** Usage of keys: what is recorded, who can read it, and that SQLite keeps it after the process. */

import { assert, assertEquals } from "@std/assert";
import { noSums } from "../../src/governance/ledger/columns.ts";
import { StoreError } from "../../src/governance/ledger/usage_store.ts";
import { createTestGateway } from "../support/gateway.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";

const CONFIG = {
  server: {
    keys: [{ name: "team-a", key: "sk-a", team: "search", owner: "Ada" }, {
      name: "team-b",
      key: "sk-b",
    }],
    admin_keys: [{ name: "root", key: "sk-root" }],
  },
  providers: {
    mock: {
      kind: "mock",
      models: [
        { id: "echo", prices: { input: 1, output: 2 } },
        { id: "mock-quota" },
        { id: "free" },
      ],
    },
  },
};

const as = (key: string) => ({ authorization: `Bearer ${key}` });

function start() {
  const gateway = createTestGateway({ config: CONFIG });
  return {
    gateway,
    async ask(key: string, members: Record<string, unknown>, headers: Record<string, string> = {}) {
      const body = { messages: MESSAGES, ...members };
      const response = await gateway.call(CHAT, body, { ...as(key), ...headers });
      await response.text();
      return response.status;
    },
    async usage(path: string, key: string) {
      const response = await gateway.call(path, undefined, as(key));
      return { status: response.status, body: await response.json() };
    },
  };
}

Deno.test("a key sees only its own usage, an admin sees all", async () => {
  const { ask, usage } = start();
  await ask("sk-a", { model: "echo" });
  await ask("sk-a", { model: "echo", stream: true });
  await ask("sk-b", { model: "free" });
  const own = await usage("/v1/usage?group_by=key", "sk-a");
  assertEquals(own.status, 200);
  assertEquals(own.body.data.map((entry: { key: string }) => entry.key), ["team-a"]);
  const [entry] = own.body.data;
  assertEquals([entry.requests, entry.errors, entry.unpriced_requests], [2, 0, 0]);
  assert(entry.input_tokens > 0 && entry.output_tokens > 0 && entry.cost_usd > 0);
  const all = await usage("/v1/admin/usage?group_by=key,model", "sk-root");
  assertEquals(
    all.body.data.map((entry: Record<string, unknown>) => [entry.key, entry.model, entry.requests]),
    [["team-a", "echo", 2], ["team-b", "free", 1]],
  );
  const [priced, free] = all.body.data;
  assertEquals([free.unpriced_requests, free.cost_usd], [0, 0]);
  const together = await usage("/v1/admin/usage", "sk-root");
  assertEquals(together.body.data[0].cost_usd, priced.cost_usd);
  const one = await usage("/v1/admin/usage?key=team-b", "sk-root");
  assertEquals(one.body.data[0].requests, 1);
  assertEquals((await usage("/v1/admin/usage", "sk-a")).status, 403);
});

Deno.test("usage is that of a model, a provider, a tag or an end user", async () => {
  const { ask, usage } = start();
  await ask("sk-a", { model: "echo", user: "anna" }, { "x-sluice-tags": "red, blue" });
  await ask("sk-a", { model: "free" }, { "x-sluice-tags": "red" });
  await ask("sk-b", { model: "echo" }, { "x-sluice-tags": "red" });
  const requests = async (query: string, path = "/v1/usage", key = "sk-a") =>
    (await usage(`${path}?${query}`, key)).body.data.map(
      (entry: { requests: number }) => entry.requests,
    );
  assertEquals(await requests("model=echo"), [1]);
  assertEquals(await requests("model=none"), []);
  assertEquals(await requests("provider=mock"), [2]);
  assertEquals(await requests("tag=red"), [2]);
  assertEquals(await requests("tag=blue&group_by=tag,model"), [1]);
  assertEquals(await requests("tag=red&model=echo", "/v1/admin/usage", "sk-root"), [2]);
  assertEquals(await requests("tag=red&key=team-b", "/v1/admin/usage", "sk-root"), [1]);
  const users = await usage("/v1/usage?group_by=end_user", "sk-a");
  const [{ end_user }] = users.body.data;
  assertEquals(await requests(`end_user=${encodeURIComponent(end_user)}`), [1]);
  assertEquals(await requests("utc_offset=%2B02:00&group_by=day"), [2]);
  assertEquals(await requests("time_zone=Asia/Kolkata&group_by=day"), [2]);
  assertEquals(await requests("group_by=team&team=search", "/v1/admin/usage", "sk-root"), [2]);
  assertEquals(await requests("owner=Ada", "/v1/admin/usage", "sk-root"), [2]);
  const teams = await usage("/v1/admin/usage?group_by=team,owner", "sk-root");
  assertEquals(
    teams.body.data.map(({ team, owner }: Record<string, unknown>) => [team, owner]).sort(),
    [[null, null], ["search", "Ada"]],
  );
  const listed = await usage("/v1/admin/requests", "sk-root");
  assertEquals(listed.body.data.map(({ team }: { team: string }) => team), [
    ...[null, "search", "search"],
  ]);
});

Deno.test("tags split usage, from the header or from the metadata, within bounds", async () => {
  const { ask, usage } = start();
  await ask("sk-a", { model: "echo" }, { "x-sluice-tags": "project-x, user:7" });
  await ask("sk-a", { model: "echo", metadata: { tags: "project-x" } });
  await ask("sk-a", { model: "echo" }, {
    "x-sluice-tags": Array.from({ length: 50 }, (_, index) => `t${index}`).join(","),
  });
  await ask("sk-a", { model: "echo" });
  const { body } = await usage("/v1/usage?group_by=tag", "sk-a");
  const counts = new Map(
    body.data.map((entry: { tag: string; requests: number }) => [entry.tag, entry.requests]),
  );
  assertEquals(counts.get("project-x"), 2);
  assertEquals(counts.get("user:7"), 1);
  assertEquals(counts.get(null), 1);
  assertEquals(counts.size, 2 + 1 + 10);
});

Deno.test("failures are recorded with their error and cost nothing", async () => {
  const { ask, usage } = start();
  assertEquals(await ask("sk-a", { model: "mock-quota" }), 429);
  assertEquals(await ask("sk-a", { model: "unknown" }), 404);
  const { body: { data: [entry] } } = await usage("/v1/usage", "sk-a");
  assertEquals([entry.requests, entry.errors], [2, 2]);
  assertEquals([entry.input_tokens, entry.cost_usd], [0, 0]);
});

Deno.test("a wrong query is a 400 that names the parameter", async () => {
  const { usage } = start();
  for (
    const [query, param] of [
      ["group_by=nothing", "group_by"],
      ["from=yesterday", "from"],
      ["to=2026-13-01", "to"],
      ["from=2026-11-02&to=2026-11-01", "from"],
      ["utc_offset=%2B05:20", "utc_offset"],
      ["utc_offset=%2B15:00", "utc_offset"],
      ["time_zone=Europe/Atlantis", "time_zone"],
      ["time_zone=Asia/Kolkata&utc_offset=%2B05:30", "utc_offset"],
      ["tag=x&end_user=u", "tag"],
      ["tag=x&group_by=end_user", "tag"],
    ]
  ) {
    const { status, body } = await usage(`/v1/usage?${query}`, "sk-a");
    assertEquals([status, body.error.param], [400, param]);
  }
});

Deno.test("reports and lists of a store that fails are a 503 without its reason, which the log has", async () => {
  const reasons: string[] = [];
  const fail = () => Promise.reject(new StoreError("connect ECONNREFUSED 10.1.2.3:5432"));
  const gateway = createTestGateway({
    config: CONFIG,
    usage: { count: fail, list: fail, summarize: fail },
    onStoreError: ({ message }) => reasons.push(message),
  });
  const paths = ["/v1/usage", "/v1/requests", "/v1/requests/req_1", "/v1/request_counts"];
  for (const path of paths) {
    const response = await gateway.call(path, undefined, as("sk-a"));
    const { error } = await response.json();
    assertEquals([response.status, error.code], [503, "store_unavailable"]);
    assert(!JSON.stringify(error).includes("10.1.2.3"));
  }
  assertEquals(reasons, Array(4).fill("connect ECONNREFUSED 10.1.2.3:5432"));
});

Deno.test("a page of thousands of groups is written between other work, and complete", async () => {
  const sums = { ...noSums(), requests: 1, p50Ms: 1, p95Ms: 2, firstTokenP50Ms: null };
  const groups = Array.from({ length: 5001 }, (_, index) => ({ group: [`m-${index}`], ...sums }));
  const gateway = createTestGateway({
    config: CONFIG,
    usage: {
      count: () => Promise.resolve({ counts: [], next: undefined }),
      list: () => Promise.resolve({ rows: [], next: undefined }),
      summarize: () => Promise.resolve(groups),
    },
  });
  for (const format of ["json", "csv"]) {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const path = `/v1/usage?group_by=model&limit=5000&format=${format}`;
    // The pieces of the body are read later: the turns are those of writing it.
    const response = await gateway.call(path, undefined, as("sk-a"));
    clearInterval(timer);
    const text = await response.text();
    const names = format === "json"
      ? JSON.parse(text).data.map(({ model }: { model: string }) => model)
      : text.trim().split("\n").slice(1).map((line) => line.split(",")[0]);
    assertEquals(names, groups.slice(0, 5000).map(({ group }) => group[0]));
    assert(turns > 0, format);
  }
});

Deno.test("a report comes in pages, as JSON and as CSV", async () => {
  const { ask, gateway, usage } = start();
  for (const model of ["echo", "free", "mock-quota"]) await ask("sk-a", { model });
  const seen: unknown[] = [];
  let next: string | null = "0";
  while (next !== null) {
    const { body } = await usage(`/v1/usage?group_by=model&limit=2&after=${next}`, "sk-a");
    seen.push(...body.data.map((entry: { model: string }) => entry.model));
    assertEquals(body.has_more, body.next !== null);
    next = body.next;
  }
  assertEquals(seen.sort(), ["echo", "free", "mock-quota"]);
  const csv = await gateway.call(
    "/v1/usage?group_by=model&limit=2&format=csv",
    undefined,
    as("sk-a"),
  );
  assertEquals([csv.headers.get("x-sluice-next"), (await csv.text()).trim().split("\n").length], [
    "2",
    3,
  ]);
  for (const bad of ["limit=0", "limit=5001", "after=-1", "after=x"]) {
    assertEquals((await usage(`/v1/usage?${bad}`, "sk-a")).status, 400, bad);
  }
});

Deno.test("a vendor's count that no model can reach is replaced by an estimate", async () => {
  for (
    const [tokens, isBelieved] of [[1e308, false], [2 ** 27 + 1, false], [1000, true]] as const
  ) {
    const gateway = createTestGateway({
      config: {
        ...CONFIG,
        providers: {
          v: {
            kind: "openai_compatible",
            base_url: "http://vendor.test/v1",
            api_key: "k",
            models: [{ id: "big", prices: { input: 1, output: 2 } }],
          },
        },
      },
      fetch: () =>
        Promise.resolve(Response.json({
          id: "1",
          object: "chat.completion",
          created: 1,
          model: "big",
          choices: [{
            index: 0,
            message: { role: "assistant", content: "hi" },
            finish_reason: "stop",
          }],
          usage: { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens },
        })),
    });
    const body = { model: "big", messages: MESSAGES };
    await (await gateway.call(CHAT, body, as("sk-a"))).text();
    const report = await (await gateway.call("/v1/usage", undefined, as("sk-a"))).json();
    const [{ cost_usd: cost, estimated_requests: estimated, input_tokens: input }] = report.data;
    assertEquals(estimated, isBelieved ? 0 : 1);
    assert(cost > 0 && cost < 0.01, String(cost));
    assert(isBelieved ? input === 1000 : input < 1000, String(input));
  }
});
