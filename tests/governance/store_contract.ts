/** What holds for every store of the ledger. */

import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { ROW_COLUMNS } from "../../src/governance/ledger/columns.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import type { UsageGroup, UsageQuery } from "../../src/governance/ledger/usage_store.ts";
import { zoneOffsets } from "../../src/core/time_zones.ts";
import { Random } from "../support/random.ts";
import type { StoreTest } from "../support/store_kinds.ts";
import { ROW_TIME, usageRow, writeRows } from "../support/usage_rows.ts";

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
const ALL = { from: ROW_TIME - 24 * HOUR_MS, to: ROW_TIME + 24 * HOUR_MS };

/** The tests. */
export const STORE_CONTRACT: StoreTest[] = [];

function add(what: string, run: StoreTest["run"]): void {
  STORE_CONTRACT.push({ what, run });
}

add(
  "usage is added up by key, with what is estimated, failed or unpriced",
  async (store) => {
    await writeRows(store, [
      usageRow(),
      usageRow({ source: "estimated", ms: 300, firstTokenMs: 50 }),
      usageRow({ status: 429, error: "rate_limit_exceeded", input: 0, output: 0, usd: undefined }),
      usageRow({ key: "b", usd: undefined }),
      usageRow({ key: undefined, status: 401, error: "invalid_api_key", usd: 0 }),
    ]);
    const groups = await store.summarize({ ...ALL, groupBy: ["key"] });
    const [a, b, none] = ["a", "b", null].map((key) =>
      groups.find(({ group }) => group[0] === key)
    );
    assertEquals(groups.length, 3);
    assertEquals([a?.requests, a?.errors, a?.estimated, a?.unpriced], [3, 1, 1, 0]);
    assertEquals([a?.input, a?.cachedInput, a?.output, a?.usd], [20, 6, 10, 0.002]);
    assertAlmostEquals(a?.p50Ms ?? 0, 100, 6);
    assertAlmostEquals(a?.p95Ms ?? 0, 300, 16);
    assertAlmostEquals(a?.firstTokenP50Ms ?? 0, 50, 3);
    assertEquals([b?.unpriced, b?.firstTokenP50Ms], [1, null]);
    assertEquals(none?.errors, 1);
  },
);

add("every column is returned as it was written", async (store) => {
  const full: LedgerRow = {
    ...usageRow({ id: "full", key: "b", time: ROW_TIME + 1, tags: ["x", "y"], error: "e" }),
    ...{
      modelFound: true,
      alias: "fast",
      savedUsd: 0.25,
      queuedMs: 12,
      hedged: true,
      affinity: "hit",
    },
    ...{ searches: 2, images: 3, characters: 40, seconds: 1.5 },
    ...{ cacheWriteUsd: 0.1, responseCache: "miss", hedgeUsd: 0.2, priceOrdered: true },
    ...{ priceOrderUsd: -0.05 },
    ...{ session: "s_\0\u2400", agent: "a2", parentAgent: "a1", endUser: "u_\0" },
    ...{ route: "p2c", firstTokenMs: 7.5, team: "search \0", owner: "Ada" },
    attemptRows: [{ provider: "p", upstream: "m", startedMs: 0, ms: 1, status: 200 }],
  };
  for (const { member } of ROW_COLUMNS) assert(full[member] !== undefined, member);
  const bare = {
    ...usageRow(),
    modelFound: false,
    hedged: false,
    savedUsd: 0,
    queuedMs: 0,
    priceOrdered: false,
  };
  await store.write([full, bare], "batch_1");
  await store.summarize({ ...ALL, groupBy: ["key"] });
  const { rows } = await store.list({ limit: 10 });
  for (const [index, written] of [full, bare].entries()) {
    for (const { member } of ROW_COLUMNS) {
      assertEquals(rows[index]?.[member], written[member], member);
    }
  }
});

add("each attempt is billed to its own provider", async (store) => {
  const attempt = (provider: string, members: object = {}) => ({
    ...{ provider, upstream: "up", startedMs: 0, ms: 10, status: 200 },
    ...members,
  });
  const lost = { input: 7, output: 3, cachedInput: 2, usd: 0.25, source: "estimated" as const };
  const own = { input: 10, output: 5, cachedInput: 4, usd: 0.5, source: "vendor" as const };
  const failed = attempt("a", { ...lost, error: "upstream_error", status: 502 });
  const amounts = { input: 17, output: 8, cachedInput: 6, reasoning: 0, usd: 0.75 };
  const shared = { ...amounts, provider: "b", attempts: 2, model: "alias" };
  await writeRows(store, [
    usageRow({ ...shared, attemptRows: [failed, attempt("b", own)], tags: ["x", "y"] }),
    usageRow({ ...shared, attemptRows: [attempt("b", own), { ...failed, hedge: true }] }),
    // Attempts at one provider, and one that is not billed.
    usageRow({
      ...shared,
      attemptRows: [{ ...failed, provider: "b" }, attempt("c", { status: 500 }), attempt("b", own)],
    }),
    // A price of the request is unknown.
    usageRow({ ...shared, usd: undefined, attemptRows: [failed, attempt("b", own)] }),
  ]);
  const sumsBy = async (query: Partial<UsageQuery>) => {
    const groups = await store.summarize({ ...ALL, groupBy: ["provider"], ...query });
    return groups.map(({ group, requests, errors, input, output, cachedInput, usd }) =>
      [group.join(), requests, errors, input, output, cachedInput, usd] as const
    ).sort(([one], [other]) => one < other ? -1 : 1);
  };
  const a = ["a", 0, 0, 21, 9, 6, 0.5] as const;
  const b = ["b", 4, 0, 47, 23, 18, 1.75] as const;
  assertEquals(await sumsBy({}), [a, b]);
  assertEquals(await sumsBy({ groupBy: ["model", "provider"] }), [
    ["alias,a", ...a.slice(1)],
    ["alias,b", ...b.slice(1)],
  ]);
  const day = new Date(ROW_TIME).toISOString().slice(0, 10);
  assertEquals(await sumsBy({ groupBy: ["day"], provider: "a" }), [[day, ...a.slice(1)]]);
  assertEquals(await sumsBy({ groupBy: ["key"], provider: "b" }), [["a", ...b.slice(1)]]);
  assertEquals(await sumsBy({ groupBy: ["key"] }), [["a", 4, 0, 68, 32, 24, 2.25]]);
  assertEquals(await sumsBy({ label: { kind: "tag", label: "x" } }), [
    ["a", 0, 0, 7, 3, 2, 0.25],
    ["b", 1, 0, 10, 5, 4, 0.5],
  ]);
  assertEquals(await sumsBy({ groupBy: ["hour"] }), [[
    `${new Date(ROW_TIME - ROW_TIME % HOUR_MS).toISOString().slice(0, 16)}Z`,
    ...[4, 0, 68, 32, 24, 2.25],
  ]]);
});

add("what was saved is added up, and nothing where it is unknown", async (store) => {
  await writeRows(store, [
    ...[0.5, 0.25, undefined].map((savedUsd) => usageRow({ savedUsd, tags: ["x"] })),
    usageRow({ key: "b" }),
  ]);
  for (const group of ["key", "day", "tag"] as const) {
    const sums = await store.summarize({ ...ALL, groupBy: [group] });
    assertEquals(sums.reduce((sum, { savedUsd }) => sum + savedUsd, 0), 0.75);
  }
});

add(
  "savings are added up by kind, and those of an unknown price are counted",
  async (store) => {
    const used = { input: 100, cachedInput: 40 };
    await writeRows(store, [
      usageRow({ ...used, savedUsd: 0.5, cacheWriteUsd: 0.125, affinity: "hit" }),
      usageRow({ ...used, affinity: "hit" }),
      usageRow({ ...used, savedUsd: 0.25, affinity: "moved", cachedInput: 0 }),
      usageRow({ ...used, affinity: "new", cachedInput: 0, cacheWrite: 3 }),
      ...["hit", "hit", "miss"].map((responseCache, index) =>
        usageRow({ responseCache, cachedInput: 0, affinity: "hit", ...[{ savedUsd: 2 }][index] })
      ),
      usageRow({ cachedInput: 0, queuedMs: 1500.4 }),
      usageRow({ cachedInput: 0, queuedMs: 0.4, hedged: false, priceOrdered: false }),
      usageRow({ cachedInput: 0, hedged: true, hedgeUsd: 0.75, priceOrdered: true }),
      usageRow({ cachedInput: 0, hedged: true, priceOrdered: true, priceOrderUsd: -0.25 }),
    ]);
    const [sums] = await store.summarize({ ...ALL, groupBy: [] });
    const { queued, queuedMs, hedged, hedgeUsd, unpricedHedges } = sums ?? {};
    assertEquals([queued, queuedMs, hedged, hedgeUsd, unpricedHedges], [1, 1500, 2, 0.75, 1]);
    const { savedUsd, cacheWriteUsd, unpricedCached } = sums ?? {};
    assertEquals([savedUsd, cacheWriteUsd, unpricedCached], [2.75, 0.125, 2]);
    const { cacheHits, cacheMisses, cacheHitUsd, unpricedHits } = sums ?? {};
    assertEquals([cacheHits, cacheMisses, cacheHitUsd, unpricedHits], [2, 1, 2, 1]);
    const { priceOrdered, priceOrderUsd, unpricedOrders } = sums ?? {};
    assertEquals([priceOrdered, priceOrderUsd, unpricedOrders], [2, -0.25, 1]);
    const { sessionHits, sessionMoves, sessionStarts } = sums ?? {};
    assertEquals([sessionHits, sessionMoves, sessionStarts], [5, 1, 1]);
    const { sessionInput, sessionCached, sessionUsd } = sums ?? {};
    assertEquals([sessionInput, sessionCached, sessionUsd], [230, 80, 0.5]);
  },
);

add("attempts count for the target that they were made at", async (store) => {
  const failed = { startedMs: 0, ms: 40, status: 503, error: "upstream_unavailable" };
  const attempt = (provider: string, members: object = {}) => ({
    ...{ provider, upstream: "up", startedMs: 50, ms: 10, status: 200 },
    ...members,
  });
  await writeRows(store, [
    usageRow({ provider: "b", attempts: 2, attemptRows: [attempt("a", failed), attempt("b")] }),
    usageRow({ provider: "b", upstream: "up" }),
    usageRow({
      ...{ key: "k", provider: "b", attempts: 2, status: 503, error: "upstream_unavailable" },
      attemptRows: [attempt("a", failed), attempt("b", failed)],
    }),
    // The fault of the request, and a client that left: no failures of the target.
    usageRow({
      ...{ provider: "a", status: 400, error: "context_length_exceeded" },
      attemptRows: [attempt("a", { ...failed, error: "context_length", status: 400 })],
    }),
    usageRow({ provider: "a", upstream: "up", status: 499, error: "client_gone" }),
    // A stream that broke after its first event.
    usageRow({ provider: "a", error: "upstream_error", attemptRows: [attempt("a")] }),
    usageRow({ provider: undefined, attempts: 0, status: 429, error: "rate_limit_exceeded" }),
  ]);
  const query = { ...ALL, of: "attempts" } as const;
  const groups = await store.summarize({ ...query, groupBy: ["provider", "model"] });
  assertEquals(
    groups.map(({ group, requests, errors, rescued }) => [...group, requests, errors, rescued])
      .sort(),
    [["a", "up", 5, 3, 1], ["b", "up", 3, 1, 0]],
  );
  const own = await store.summarize({ ...query, key: "k", groupBy: ["provider", "hour"] });
  assertEquals(
    own.map(({ group, requests, errors }) => [...group, requests, errors]).sort(),
    [["a", "2026-11-22T10:00Z", 1, 1], ["b", "2026-11-22T10:00Z", 1, 1]],
  );
  const [sums] = await store.summarize({ ...ALL, groupBy: [] });
  assertEquals([sums?.requests, sums?.errors, sums?.rescued], [7, 4, 1]);
  const { rows } = await store.list({ limit: 10, hasAttempts: true });
  assertEquals(rows.length, 4);
  const listed = await store.list({ limit: 10, hasAttempts: true, key: "k" });
  assertEquals(listed.rows.map(({ key }) => key), ["k"]);
});

add("a request that its client stopped neither failed nor succeeded", async (store) => {
  await writeRows(store, [
    usageRow({ id: "ok" }),
    usageRow({ id: "stopped", status: 499, error: "client_gone" }),
    usageRow({ id: "failed", status: 500, error: "internal_error" }),
  ]);
  const listed = async (query: Record<string, unknown>) =>
    (await store.list({ limit: 10, ...query })).rows.map(({ id }) => id);
  assertEquals(await listed({ failed: true }), ["failed"]);
  assertEquals(await listed({ failed: false }), ["ok"]);
  assertEquals(await listed({ status: 499 }), ["stopped"]);
  assertEquals((await store.summarize({ ...ALL, groupBy: [] }))[0]?.errors, 1);
});

add("an empty store has no usage", async (store) => {
  assertEquals(await store.summarize({ ...ALL, groupBy: [] }), []);
  assertEquals(await store.summarize({ ...ALL, groupBy: ["tag", "hour"] }), []);
  assertEquals(await store.prune(ROW_TIME), false);
});

/** Names that break a program which does not quote or escape, or that a database refuses. */
const HOSTILE = [
  "it's; DROP TABLE requests; --",
  '"quoted" \\ and $1 {a,b} [1]',
  "line\nbreak\r\ttab",
  "nul\0inside\0\0",
  "␀ and ␀0 and ␀1",
  "emoji 🦥, e\u0301, \u202e",
  "NULL",
  " ",
];

add("names, tags and models of any characters come back as they are", async (store) => {
  const rows = HOSTILE.map((name) =>
    usageRow({ key: name, model: name, provider: name, upstream: name, id: name, tags: [name] })
  );
  await writeRows(store, rows);
  const groups = await store.summarize({ ...ALL, groupBy: ["key", "model", "provider", "tag"] });
  assertEquals(
    groups.map(({ group, requests }) => [...group, requests].join("|")).sort(),
    HOSTILE.map((name) => [name, name, name, name, 1].join("|")).sort(),
  );
  for (const key of HOSTILE) {
    const own = await store.summarize({ ...ALL, groupBy: ["key"], key });
    assertEquals(own.map(({ group }) => group), [[key]]);
  }
});

add(
  "names of any length, half characters and numbers of any size are taken",
  async (store) => {
    const long = Array.from({ length: 4000 }, (_, index) => String.fromCharCode(0x4e00 + index));
    const name = long.join("");
    await writeRows(store, [
      usageRow({ key: name, model: name, provider: name, upstream: name, id: name, error: name }),
      usageRow({ model: "half \ud800", input: 10 ** 12, ms: 1e9, usd: 1e9 }),
    ]);
    const groups = await store.summarize({ ...ALL, groupBy: ["key"] });
    assertEquals(groups.map(({ requests }) => requests), [1, 1]);
    assertEquals((await store.summarize({ ...ALL, groupBy: [], key: name }))[0]?.requests, 1);
  },
);

add("names of models that do not exist are not groups", async (store) => {
  await writeRows(store, [
    usageRow({ model: "invented", provider: undefined, status: 404, error: "model_not_found" }),
    usageRow({ model: "gone", status: 404, error: "model_not_found" }),
  ]);
  const groups = await store.summarize({ ...ALL, groupBy: ["model"] });
  assertEquals(groups.map(({ group }) => group[0]).sort(), ["gone", null]);
});

add("every group of random rows is what the memory says", async (store) => {
  const random = new Random(7);
  const rows = Array.from({ length: 600 }, (_, index) =>
    usageRow({
      id: `req_${index}`,
      time: ROW_TIME + random.below(100) * HOUR_MS + (random.below(4) - 2) * QUARTER_MS,
      ...random.pick(HOLDERS),
      model: ["m", "n", '"; --', undefined][random.below(4)],
      provider: random.pick(["p", "q"]),
      tags: random.pick([[], ["x"], ["x", "y"], ["#", "-", ""]]),
      session: [undefined, "s", "-", "t'"][random.below(4)],
      endUser: [undefined, "u", undefined][random.below(3)],
      status: random.pick([200, 200, 500]),
      input: random.below(1000),
      ms: random.below(5000),
      firstTokenMs: [undefined, 3, 700][random.below(3)],
      usd: [0.25, 0.5, undefined][random.below(3)],
    }));
  const memory = new MemoryUsageStore();
  await writeRows(memory, rows);
  await writeRows(store, rows);
  const groupings: UsageGroup[][] = [
    ...[[], ["key"], ["model", "provider"], ["tag"], ["day", "key"], ["hour"], ["tag", "hour"]],
    ...[["session"], ["end_user", "model"], ["session", "hour"], ["day", "session", "key"]],
    ...[["team"], ["owner", "team", "day"], ["tag", "team"]],
  ] as UsageGroup[][];
  let groups = 0;
  const start = ROW_TIME - HOUR_MS / 2;
  const compare = async (
    from: number,
    to: number,
    groupBy: readonly UsageGroup[],
    filter: UsageFilter,
  ) => {
    const query = { from: start + from * HOUR_MS, to: start + to * HOUR_MS, groupBy, ...filter };
    const [found, expected] = await Promise.all(
      [store, memory].map(async (one) =>
        (await one.summarize(query)).map((group) => JSON.stringify(group)).sort()
      ),
    );
    assertEquals(found, expected, JSON.stringify(query));
    groups += expected?.length ?? 0;
  };
  for (const groupBy of groupings) {
    for (
      const [from, to] of [[0, 100], [3, 9], [13, 14], [13, 38], [5.25, 80.5], [3.5, 4]] as const
    ) {
      for (const key of [undefined, "a"]) await compare(from, to, groupBy, { key });
    }
  }
  assert(groups > 500);
  for (const filter of USAGE_FILTERS) {
    groups = 0;
    for (const groupBy of groupings.filter((names) => fits(names, filter))) {
      for (const [from, to] of [[0, 100], [13, 38.25]] as const) {
        await compare(from, to, groupBy, filter);
      }
    }
    assert(groups > 10, JSON.stringify(filter));
  }
});

type UsageFilter = Omit<UsageQuery, "from" | "to" | "groupBy">;

/** Keys with their teams and owners. */
const HOLDERS = [
  { key: "a", team: "search", owner: "Ada" },
  { key: "b", team: "search" },
  { key: "c'", team: '"; --', owner: "Bo" },
  { key: undefined },
];

const USAGE_FILTERS: readonly UsageFilter[] = [
  { model: "m" },
  { model: '"; --', key: "c'", provider: "q" },
  { label: { kind: "tag", label: "y" } },
  { label: { kind: "tag", label: "-" }, model: "n" },
  { label: { kind: "session", label: "t'" }, key: "b" },
  { label: { kind: "end_user", label: "u" } },
  { team: "search" },
  { team: "search", owner: "Ada", model: "m" },
  { zone: [{ since: 0, ms: 5.5 * HOUR_MS }] },
  { zone: [{ since: 0, ms: -3.5 * HOUR_MS }], team: "search" },
  { zone: zoneOffsets("Europe/Berlin", 0, ROW_TIME + 100 * HOUR_MS) },
  { zone: [{ since: 0, ms: 2 * HOUR_MS }] },
  { zone: [{ since: 0, ms: -11 * HOUR_MS }], model: "m" },
];

/** Whether the groups have no other kind of label than the filter. */
function fits(groupBy: readonly UsageGroup[], { label }: UsageFilter): boolean {
  return label === undefined ||
    groupBy.every((name) => name === label.kind || !["tag", "session", "end_user"].includes(name));
}

add("days are those of the offset, and a label counts a request once", async (store) => {
  const at = (hour: number) => Date.parse("2026-11-20T00:00:00Z") + hour * HOUR_MS;
  await writeRows(store, [
    usageRow({ time: at(21), tags: ["x", "y"] }),
    usageRow({ time: at(22), tags: ["x"] }),
    usageRow({ time: at(23), tags: ["y"], model: "other" }),
  ]);
  const range = { from: at(0), to: at(48), groupBy: ["day"] as const };
  const days = async (query: UsageFilter) =>
    (await store.summarize({ ...range, ...query }))
      .map(({ group: [day], requests }) => `${day} ${requests}`).sort();
  assertEquals(await days({}), ["2026-11-20 3"]);
  assertEquals(await days({ zone: [{ since: 0, ms: 2 * HOUR_MS }] }), [
    "2026-11-20 1",
    "2026-11-21 2",
  ]);
  assertEquals(await days({ zone: [{ since: 0, ms: -23 * HOUR_MS }] }), [
    "2026-11-19 2",
    "2026-11-20 1",
  ]);
  assertEquals(await days({ label: { kind: "tag", label: "x" } }), ["2026-11-20 2"]);
  assertEquals(await days({ label: { kind: "tag", label: "y" }, model: "other" }), [
    "2026-11-20 1",
  ]);
  assertEquals(await days({ label: { kind: "tag", label: "none" } }), []);
});

add(
  "sessions and end users beyond the bounds of a key and day are one group",
  async (store) => {
    const rows = Array.from(
      { length: 1100 },
      (_, index) => usageRow({ id: `req_${index}`, session: `s${index}`, endUser: `u${index}` }),
    );
    await writeRows(store, rows);
    await writeRows(store, [usageRow({ key: "b", session: "s1", endUser: "u1099" })]);
    for (const [name, most, total] of [["session", 300, 1100], ["end_user", 1000, 1100]] as const) {
      const groups = await store.summarize({ ...ALL, groupBy: [name], key: "a" });
      const others = groups.find(({ group }) => group[0] === "(other)");
      assertEquals([groups.length, others?.requests], [most + 1, total - most], name);
      const all = await store.summarize({ ...ALL, groupBy: [name, "key"] });
      assertEquals(all.filter(({ group }) => group[1] === "b").length, 1);
    }
  },
);

add("rows are removed by age, and their sums by day stay", async (store, name) => {
  if (name === "memory") return;
  const day = 24 * HOUR_MS;
  const times = [0, 1, 2, 3].map((days) => ROW_TIME - days * day);
  await writeRows(
    store,
    times.flatMap((time) =>
      Array.from({ length: 50 }, () => usageRow({ time, session: "s", endUser: "u" }))
    ),
  );
  while (await store.prune(ROW_TIME - 0.5 * day));
  for (const label of ["session", "end_user"] as const) {
    const query = { from: 0, to: ROW_TIME + 1, groupBy: [label] };
    assertEquals((await store.summarize(query)).map(({ requests }) => requests), [100], label);
  }
  const query = { from: ROW_TIME - 3 * day, to: ROW_TIME + 1 };
  const days = await store.summarize({ ...query, groupBy: ["day"] });
  assertEquals(days.map(({ group, requests }) => [...group, requests]).sort(), [
    ["2026-11-19", 50],
    ["2026-11-20", 50],
    ["2026-11-21", 50],
    ["2026-11-22", 50],
  ]);
  const hours = await store.summarize({ ...query, groupBy: ["hour"] });
  assertEquals(hours.map(({ group }) => group[0]).sort(), [
    "2026-11-21T10:00Z",
    "2026-11-22T10:00Z",
  ]);
  await writeRows(store, [usageRow()]);
  assertEquals((await store.summarize({ ...query, groupBy: [] }))[0]?.requests, 201);
});

add(
  "tags beyond 100 of a key and day are one group, and groups come in pages",
  async (store) => {
    const rows = Array.from(
      { length: 150 },
      (_, index) => usageRow({ id: `req_${index}`, tags: [`a${index}`, `b${index}`] }),
    );
    await writeRows(store, [...rows, usageRow({ key: "other", tags: ["c"] })]);
    const query = { from: 0, to: ROW_TIME + 1, groupBy: ["tag"] } as const;
    const all = await store.summarize(query);
    assertEquals(all.length, 102);
    const other = all.find(({ group }) => group[0] === "(other)");
    assertEquals(other?.requests, 100);
    const seen: unknown[] = [];
    for (let offset = 0; offset < 110; offset += 10) {
      const page = await store.summarize({ ...query, limit: 10, offset });
      assertEquals(page.length, offset === 100 ? 2 : 10);
      seen.push(...page.map(({ group }) => group[0]));
    }
    assertEquals(new Set(seen).size, 102);
    await writeRows(store, [usageRow({ tags: ["late"] })]);
    assertEquals((await store.summarize(query)).length, 102);
  },
);

add(
  "models of requests that were refused before one was found are no groups",
  async (store) => {
    const refused = { provider: undefined, attempts: 0, status: 400, error: "invalid_value" };
    await writeRows(store, [
      ...Array.from({ length: 20 }, (_, index) => usageRow({ ...refused, model: `x${index}` })),
      usageRow({ ...refused, status: 429, model: "known" }),
    ]);
    const found = await store.summarize({ from: 0, to: ROW_TIME + 1, groupBy: ["model"] });
    const counts = found.map(({ group, requests }) => [group[0], requests]);
    assertEquals(counts.sort(), [["known", 1], [null, 20]].sort());
  },
);
