/** `sluice keys` and `sluice usage`, against the admin API of a gateway. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { runAdminCommand } from "../../src/tools/admin.ts";
import { AdminClient, AdminError, toBase, UsageError } from "../../src/tools/admin_client.ts";
import { readCommand } from "../../src/tools/arguments.ts";
import {
  ADMIN_KEY,
  openKeyFile,
  type Replica,
  startReplica,
  withKeyFile,
} from "../support/keys.ts";

interface Setting {
  readonly replica: Replica;
  readonly url: string;
  /** Runs a command line. */
  run(...args: string[]): Promise<{ text: string; note?: string }>;
}

/** A gateway on a free port. */
async function withGateway(run: (setting: Setting) => Promise<void>): Promise<void> {
  await withKeyFile(async (path) => {
    await using replica = await startReplica({ store: openKeyFile(path) });
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => replica.gateway.app.handle(request),
    );
    const url = `http://127.0.0.1:${server.addr.port}`;
    await run({
      replica,
      url,
      async run(...args) {
        const { admin } = readCommand(args);
        if (admin === undefined) throw new TypeError("This is no admin command");
        return await runAdminCommand(admin, new AdminClient(url, ADMIN_KEY));
      },
    });
  });
}

Deno.test("create prints the key alone on standard output, with all settings applied", async () => {
  await withGateway(async ({ run, replica }) => {
    const { text, note } = await run(
      ...["keys", "create", "search team", "--models", "mock-*, other", "--budget", "250/month"],
      ...["--requests-per-minute", "600", "--tokens-per-minute", "200k", "--concurrent", "20"],
      ...["--expires", "2027-01-01", "--unknown-prices", "allow"],
      ...["--priority", "batch", "--weight", "0.5"],
      ...["--owner", "Ada Osei", "--team", "search", "--note", "the nightly job"],
    );
    assertMatch(text, /^sk-sluice-[\w-]{51}\n$/);
    assertMatch(note ?? "", /^This is the key 'search team' \(key_.*shown only once$/);
    assertEquals(await replica.ask(text.trim()), 200);
    const shown = JSON.parse((await run("keys", "show", "search team", "--json")).text);
    assertEquals([shown.priority, shown.weight], ["batch", 0.5]);
    assertEquals([shown.owner, shown.team, shown.note], ["Ada Osei", "search", "the nightly job"]);
    assertMatch(
      (await run("keys", "show", "search team")).text,
      /\npriority +batch\nweight +0.5\nowner +Ada Osei\nteam +search\nnote +the nightly job\n/,
    );
    assertEquals([shown.models, shown.limits, shown.budget, shown.expires], [
      ["mock-*", "other"],
      { requests_per_minute: 600, tokens_per_minute: 200_000, concurrent: 20 },
      { usd: 250, per: "month", unknown_prices: "allow" },
      1_798_761_600,
    ]);
    assert(!("key" in shown));
    const created = JSON.parse((await run("keys", "create", "second", "--json")).text);
    assertMatch(created.key, /^sk-sluice-/);
  });
});

Deno.test("list and show print tables, with a name or an ID", async () => {
  await withGateway(async ({ run }) => {
    await run("keys", "create", "team", "--budget", "0.5/day", "--expires", "2027-01-01");
    const [head, configured, stored, ...rest] = (await run("keys", "list")).text.split("\n");
    assertMatch(head ?? "", /^NAME +STATUS +SOURCE +PREFIX +BUDGET +EXPIRES +CREATED +ID$/);
    assertMatch(configured ?? "", /^test +active +config .*config:test$/);
    assertMatch(stored ?? "", /^team +active +store +sk-sluice-.{8} +0\.5 USD\/day +2027-01-01 /);
    assertEquals(rest, [""]);
    const id = stored?.split(/\s+/).at(-1) ?? "";
    const [byName, byId] = [await run("keys", "show", "team"), await run("keys", "show", id)];
    assertEquals(byName, byId);
    assertMatch(byName.text, /^name +team\nid +key_.*\nstatus +active\n.*\nexpires +2027-01-01\n/s);
    assertMatch((await run("keys", "show", "test")).text, /source +config/);
  });
});

Deno.test("rotate prints the new key, revoke ends it, and list --revoked still shows it", async () => {
  await withGateway(async ({ run, replica }) => {
    const first = (await run("keys", "create", "team")).text.trim();
    const second = (await run("keys", "rotate", "team", "--overlap", "1h")).text.trim();
    assertEquals([await replica.ask(first), await replica.ask(second)], [200, 200]);
    assertMatch(
      (await run("keys", "revoke", "team")).text,
      /^Revoked the key 'team' \(key_.*\)\n$/,
    );
    assertEquals([await replica.ask(first), await replica.ask(second)], [401, 401]);
    assert(!(await run("keys", "list")).text.includes("team"));
    assertMatch((await run("keys", "list", "--revoked")).text, /^team +revoked/m);
  });
});

Deno.test("errors say what is wrong", async () => {
  await withGateway(async ({ run, url }) => {
    const failing = async (...args: string[]) =>
      (await assertRejects(() => run(...args), AdminError) as AdminError).message;
    assertEquals(
      await failing("keys", "revoke", "nobody"),
      "There is no key with the name or ID 'nobody'",
    );
    assertMatch(await failing("keys", "revoke", "test"), /defined in config.yaml/);
    assertMatch(await failing("keys", "create", "test"), /A key in config.yaml has this name/);
    assertMatch(
      await failing("keys", "create", "a", "--weight", "much"),
      /'weight' must be a number|weight.*number/,
    );
    assertMatch(
      await failing("keys", "create", "a", "--concurrent", "many"),
      /^Invalid value for 'limits.concurrent': must be an integer of at least 1$/,
    );
    assertMatch(await failing("usage", "--group-by", "color"), /'group_by': must be a list of key/);
    await assertRejects(
      () => run("keys", "create", "a", "--budget", "250"),
      UsageError,
      "--budget must be US dollars and a period, such as 250/month",
    );
    await assertRejects(
      () => run("keys", "create", "a", "--unknown-prices", "allow"),
      UsageError,
      "--unknown-prices is a part of --budget",
    );
    const { message } = await assertRejects(
      () => new AdminClient("http://127.0.0.1:1", "k").json("GET", "/"),
      AdminError,
    ) as AdminError;
    assertMatch(message, /^Cannot connect to http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\); start the/);
    await assertRejects(
      () => new AdminClient(`${url}/healthz`, "k").text("GET", "/x"),
      AdminError,
    );
  });
});

Deno.test("usage prints a table, JSON or CSV, also for names that are formulas", async () => {
  await withGateway(async ({ run, replica }) => {
    assertMatch((await run("usage")).text, /^From .* to .*\n\nNo requests\n$/);
    const header =
      "key,requests,errors,rescued_requests,unused_cost_usd,input_tokens,cached_input_tokens," +
      "cache_write_tokens,output_tokens,reasoning_tokens,estimated_requests,cost_usd,unpriced_requests,saved_usd," +
      "searches,images,characters,seconds," +
      "cache_write_usd,unpriced_cached_requests,response_cache_hits,response_cache_misses," +
      "response_cache_saved_usd,unpriced_response_cache_hits,queued_requests,queued_ms," +
      "hedged_requests,hedge_usd,unpriced_hedges,price_ordered_requests,price_order_saved_usd," +
      "unpriced_price_orders,affinity_hits,affinity_moves,affinity_starts," +
      "affinity_input_tokens,affinity_cached_input_tokens,affinity_saved_usd,p50_ms,p95_ms," +
      "first_token_p50_ms";
    assertEquals((await run("usage", "--csv", "--group-by", "key")).text, `${header}\n`);
    const name = '=HYPERLINK("http://x")';
    await replica.ask((await run("keys", "create", name)).text.trim());
    const { text } = await run("usage", "--group-by", "key,model");
    assertMatch(
      text,
      /\n\nKEY +MODEL +REQUESTS +ERRORS +INPUT +OUTPUT +USD +P50 MS +P95 MS +FIRST/,
    );
    assertMatch(text, /^=HYPERLINK\("http:\/\/x"\) +mock-echo +1 +0 +\d+ +\d+ +0 /m);
    const { data } = JSON.parse((await run("usage", "--json", "--key", name)).text);
    assertEquals(data[0].requests, 1);
    const csv = (await run("usage", "--csv", "--group-by", "key")).text.split("\n");
    assertEquals([csv.length, csv[0]], [3, header]);
    assertMatch(csv[1] ?? "", /^"'=HYPERLINK\(""http:\/\/x""\)",1,0,/);
    assertEquals(
      (await run("usage", "--from", "2023-11-01", "--key", "nobody", "--csv")).text.includes(
        "\n1,",
      ),
      false,
    );
  });
});

/** Serves a report of usage with this many pages, of one group each. */
function serveUsage(pages: number, asked: URLSearchParams[]) {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const { searchParams } = new URL(url);
    asked.push(searchParams);
    const at = Number(searchParams.get("after") ?? 0);
    const next = at + 1 < pages ? String(at + 1) : null;
    if (searchParams.get("format") === "csv") {
      const headers: HeadersInit = next === null ? [] : [["x-sluice-next", next]];
      return new Response(`key,requests\nkey-${at},1\n`, { headers });
    }
    return Response.json({
      from: searchParams.get("from") ?? `2026-11-01T00:00:00.0${asked.length}Z`,
      to: searchParams.get("to") ?? `2026-12-01T00:00:00.0${asked.length}Z`,
      group_by: ["key"],
      data: [{ key: `key-${at}`, requests: 1, cost_usd: null, unpriced_requests: 1 }],
      has_more: next !== null,
      next,
    });
  });
}

for (const format of ["--json", "--csv", undefined]) {
  const name = format ?? "a table";
  Deno.test(`usage follows the pages of one time as ${name}, and says when some are left`, async () => {
    for (const [pages, read] of [[1, 1], [3, 3], [1000, 20]] as const) {
      const asked: URLSearchParams[] = [];
      await using server = serveUsage(pages, asked);
      const client = new AdminClient(`http://127.0.0.1:${server.addr.port}`, ADMIN_KEY);
      const args = ["usage", "--group-by", "key", ...(format === undefined ? [] : [format])];
      const { admin } = readCommand(args);
      if (admin === undefined) throw new TypeError("This is no admin command");
      const { text, note } = await runAdminCommand(admin, client);
      assertEquals(text.match(/key-\d+/g), Array.from({ length: read }, (_, at) => `key-${at}`));
      if (format === "--csv") assertEquals(text.match(/key,requests/g)?.length, 1);
      if (format === undefined) {
        assertMatch(text, /^key-0 +1 .* -\* /m);
        assertMatch(text, /\n\* without requests whose price is unknown\n/);
      }
      if (format === "--json") assertEquals(JSON.parse(text).has_more, pages > 20);
      assertEquals(note?.includes("more groups than the first 100000") ?? false, pages > 20);
      const grouped = asked.filter((query) => query.has("group_by"));
      assertEquals(grouped.length, read);
      const times = grouped.slice(1).map((query) => `${query.get("from")} ${query.get("to")}`);
      assertEquals(new Set(times).size, Math.min(1, read - 1));
      if (format === "--csv") assert(grouped.every((query) => query.has("from")));
    }
  });
}

Deno.test("a redirect is not followed with the admin key", async () => {
  const sent: string[] = [];
  await using target = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ headers }) => {
      sent.push(headers.get("authorization") ?? "");
      return Response.json({ data: [] });
    },
  );
  const location = `http://127.0.0.1:${target.addr.port}/`;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(null, { status: 307, headers: { location } }),
  );
  const client = new AdminClient(`http://127.0.0.1:${server.addr.port}`, ADMIN_KEY);
  await assertRejects(() => client.json("GET", "/"), AdminError, "status 307");
  assertEquals(sent, []);
});

Deno.test("toBase() accepts addresses with and without /v1, and nothing but http", () => {
  assertEquals(
    ["http://x:1", "http://x:1/", "https://x/v1/", "https://x/gateway/v1"].map(toBase),
    ["http://x:1", "http://x:1", "https://x", "https://x/gateway"],
  );
  for (const text of ["x", "ftp://x", "http://a:b@x", "http://x?y=1", "localhost:8787"]) {
    assertThrowsUsage(text);
  }
});

function assertThrowsUsage(text: string): void {
  try {
    toBase(text);
  } catch (thrown) {
    return assert(thrown instanceof UsageError, text);
  }
  throw new Error(`${text} is accepted`);
}
