/**
 * The view of savings: amounts by capability, what is unknown, groups, and how to turn each on; units
 * besides tokens in usage and requests; and the figures of all views against SQL over the ledger.
 */

import { DatabaseSync } from "node:sqlite";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { UNITS, usedUnits } from "../../src/console/assets/lib/units.js";
import { UNIT_NAMES } from "../../src/core/units.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import { usageRow, writeRows } from "../support/usage_rows.ts";
import type { Page } from "puppeteer-core";
import { count, percent, short, usd } from "../../src/console/assets/lib/format.js";
import {
  browserSteps,
  browserTests,
  hasRequests,
  openView,
  seesText,
  type Served,
  textOf,
} from "./browser.ts";
import { HOLDERS, startBusyGateway } from "./busy_gateway.ts";

const directory = Deno.makeTempDirSync({ prefix: "sluice-" });
Deno.test.afterAll(() => Deno.removeSync(directory, { recursive: true }));
const path = `${directory}/savings.db`;

const ATTACK = '<img src="x" onerror="alert(1)">';
const PRICED = { id: "priced", upstream: "mock-echo", prices: { input: 1000, output: 2000 } };

/** Requests of the last minutes. */
function rows() {
  const time = Date.now() - 60_000;
  const row = (members: Parameters<typeof usageRow>[0]) =>
    usageRow({ time, cachedInput: 0, usd: 1, input: 1000, ...members });
  return [
    row({ key: "web", model: "coder", cachedInput: 800, savedUsd: 4, cacheWriteUsd: 0.5 }),
    row({ key: "web", model: "coder", cachedInput: 600, savedUsd: 3, affinity: "hit" }),
    row({ key: "web", model: "coder", affinity: "new" }),
    row({ key: "web", model: "coder", cachedInput: 100, usd: undefined }),
    row({ key: ATTACK, model: "evals", provider: undefined, responseCache: "hit", savedUsd: 2 }),
    row({ key: ATTACK, model: "evals", responseCache: "miss" }),
    row({ key: "batch", model: "any", priceOrdered: true, priceOrderUsd: 1.5 }),
    row({ key: "batch", model: "any", hedged: true, hedgeUsd: 0.25 }),
  ];
}

const CARD = (title: string) =>
  `[...document.querySelectorAll(".saving")].map((card) => card.innerText)
    .find((text) => text.startsWith(${JSON.stringify(title)}))`;

const ROW = (name: string) =>
  `[...document.querySelectorAll("main table tbody tr")].map((row) => row.innerText)
    .find((row) => row.startsWith(${JSON.stringify(name)}))`;

browserTests("the console's view of savings", {
  config: {
    store: `sqlite:${path}`,
    providers: { mock: { kind: "mock", models: ["mock-echo", PRICED] } },
    aliases: { stored: { targets: ["priced"], cache: { ttl: "1h" } } },
  },
  prepare: async (gateway) => {
    const store = new SqliteUsageStore(path);
    await writeRows(store, rows());
    await store.close();
    const body = {
      ...{ model: "stored", temperature: 0 },
      messages: [{ role: "user", content: "Hi" }],
    };
    for (let count = 0; count < 2; count++) {
      const response = await gateway.call("/v1/chat/completions", body);
      await response.body?.cancel();
    }
    await hasRequests(gateway, 10);
  },
  tests: {
    "each capability shows what it saved or cost, and what is unknown": async (visit) => {
      const { page } = visit;
      await openView(visit, "savings?range=24h");
      await seesText(page, "Prompt caching");
      const textOfCard = async (title: string) => String(await page.evaluate(CARD(title)));
      // $7 of the vendor's cache, $2 and the second request of the response cache, $1.5 by price.
      assertMatch(await textOf(page, ".figure-grid"), /Saved, net\s+\$10\.2\d\s/);
      assertMatch(await textOf(page, ".figure-grid"), /1 with an unknown price/);
      const prompt = await textOfCard("Prompt caching");
      assertMatch(prompt, /\$7\.00\s+saved, less the cost of writes/);
      assertMatch(prompt, /Reads saved\s+\$7\.50\s+Writes cost\s+\$0\.5000/);
      assertMatch(prompt, /Unknown price\s+1 request, not included/);
      const sessions = await textOfCard("Sessions that stay");
      assertMatch(sessions, /\$3\.00\s+of what prompt caching saved/);
      assertMatch(sessions, /Cached, if stayed\s+60 %/);
      assertMatch(await textOfCard("Cheapest first"), /\$1\.50\s+saved[^]*Estimated/);
      const cache = await textOfCard("Response cache");
      assertMatch(cache, /\$2\.0\d\s+saved[^]*Hits\s+2, 50 %\s+Misses\s+2/);
      assertMatch(await textOfCard("Hedges"), /\$0\.2500\s+spent/);
    },

    "a capability that nothing used says how to turn it on": async (visit) => {
      const { page } = visit;
      await openView(visit, "savings?range=24h");
      await seesText(page, "Queue");
      const queue = String(await page.evaluate(CARD("Queue")));
      assertMatch(queue, /No request used it in this period/);
      assertMatch(queue, /routing:\s+queue: \{ max_wait: 20s \}/);
      const used = String(await page.evaluate(CARD("Hedges")));
      assert(!used.includes("routing:"), used);
    },

    "without requests, every capability says how to turn it on": async (visit) => {
      const { page } = visit;
      await openView(visit, "savings?from=2020-01-01&to=2020-01-02");
      await seesText(page, "No request has ended in this period.");
      assertEquals((await page.$$(".saving pre")).length, 6);
      assertEquals((await page.$$("main table")).length, 0);
    },

    "savings are grouped by alias, provider or key, and sorted": async (visit) => {
      const { page } = visit;
      await openView(visit, "savings?range=24h");
      await seesText(page, "coder", "main table");
      const coder = String(await page.evaluate(ROW("coder")));
      assertMatch(
        coder,
        /^coder\s+\$7\.00 and unknown\s+\$7\.00\s+–\s+–\s+–\s+38 %\s+4\s+≥ \$3\.00/,
      );
      assertMatch(
        String(await page.evaluate(ROW("any"))),
        /^any\s+\$1\.25\s[^]*\$1\.50\s+\$0\.2500\s[^]*\$2\.00/,
      );
      const first = `document.querySelector("main table tbody th").innerText`;
      await page.waitForFunction(`${first} === "coder"`);
      await page.locator("::-p-aria(Hedges cost)").click();
      await page.waitForFunction(`${first} === "any"`);
      await page.locator("::-p-aria(Key)").click();
      await seesText(page, "alert(1)", "main table");
      assertEquals(await page.evaluate("location.hash"), "#/savings?range=24h&by=key");
      assertEquals(await page.$$('img[src="x"]'), []);
    },

    "a service key sees its own savings": async (visit) => {
      const { page } = visit;
      await openView(visit, "savings?range=24h&by=key", {});
      await seesText(page, "Requests from your key.");
      await seesText(page, "stored", "main table");
      assertEquals(await page.evaluate(ROW("coder")), undefined);
      assertEquals(await page.$$("::-p-aria(Key)"), []);
    },
  },
});

Deno.test("every unit of the ledger has a title and a text", () => {
  assertEquals(UNITS.map(({ id }) => id), [...UNIT_NAMES]);
  const entry = { searches: 1, images: 1200, characters: 0, seconds: 200.4 };
  assertEquals(
    usedUnits([null, entry]).map(({ id, title, text }) => [title, text(entry[id as "images"])]),
    [["Searches", "1"], ["Images", "1,200"], ["Audio", "3 min 20 s"]],
  );
});

browserTests("units in the console", {
  config: { providers: { mock: { kind: "mock", models: ["mock-echo"] } } },
  prepare: async (gateway) => {
    const model = "mock-echo";
    for (
      const [path, body] of [
        ["/v1/images/generations", { model, prompt: "a cat", n: 3 }],
        ["/v1/audio/speech", { model, input: "Hello", voice: "alloy" }],
        ["/v1/rerank", { model, query: "a", documents: ["a", "b"] }],
      ] as const
    ) await (await gateway.call(path, body)).body?.cancel();
    await hasRequests(gateway, 3);
  },
  tests: {
    "the view of usage has the units that were used": async (visit) => {
      const { page } = visit;
      await openView(visit, "usage?range=24h");
      await seesText(page, "mock-echo", "main section table");
      const totals = await textOf(page, ".figure-grid");
      assertMatch(totals, /Searches\s+1\b[^]*Images\s+3\b[^]*Characters spoken\s+5\b/);
      const heads = await textOf(page, "main section table thead");
      assertMatch(heads, /Searches\s+Images\s+Characters spoken\s+p50/);
      assertEquals(heads.includes("Audio"), false);
    },

    "a request has its units": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await seesText(page, "3 shown");
      // The oldest is the last one.
      await page.locator("main tbody tr:last-child a").click();
      await seesText(page, "Images", ".details");
      const text = await textOf(page, ".details");
      assertMatch(text, /Images\s+3\b/);
      assertEquals(/Searches|Characters/.test(text), false);
    },
  },
});

/** What the ledger has, by SQL over its single rows. */
function readRows(gateway: Served, sql: string, ...values: number[]) {
  const [, path = ""] = /sqlite:([^'"\s]+)/.exec(gateway.config) ?? [];
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare(sql).all(...values) as Record<string, number>[];
}

const SUMS = `COUNT(*) AS requests, SUM(usd) AS usd, SUM(input) AS input, SUM(output) AS output,
  SUM(cached_input) AS cached, SUM(status <> 499 AND (status >= 400 OR error IS NOT NULL)) AS errors,
  SUM(saved_usd) - SUM(hedge_usd) AS saved`;

const now = new Date();
const MONTH = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
const TODAY = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());

/** The figure with this name, as the page shows it. */
async function figure(page: Page, name: string): Promise<string> {
  return String(
    await page.evaluate(
      `[...document.querySelectorAll("main dl > div")]
        .find((one) => one.querySelector("dt").innerText.trim() === ${JSON.stringify(name)})
        ?.querySelector(".figure-value, .figure-big").innerText.trim()`,
    ),
  );
}

/** The cells of the rows of a table by the name of the row, as the page shows them. */
async function cellsOf(page: Page, table: string): Promise<Record<string, string[]>> {
  return await page.evaluate(
    `Object.fromEntries([...document.querySelectorAll(${JSON.stringify(table)})].map((row) => [
      (row.querySelector("th [title]")?.title ?? row.querySelector("th").innerText).trim(),
      [...row.querySelectorAll("td")].map(({ innerText }) => innerText.trim()),
    ]))`,
  ) as Record<string, string[]>;
}

browserSteps("the figures of the console and SQL over the ledger", {
  async "usage and its groups"(visited) {
    const { page, gateway } = visited;
    await openView(visited, "usage?range=month&by=team");
    await seesText(page, "payments", "main section table");
    const [sums = {}] = readRows(gateway, `SELECT ${SUMS} FROM requests WHERE time >= ?`, MONTH);
    assertEquals(await figure(page, "Cost"), `≥ ${usd(sums.usd)}`);
    const shown = [["Requests", count], ["Errors", count], ["Input tokens", short]] as const;
    const values = [sums.requests, sums.errors, sums.input];
    for (const [index, [name, text]] of shown.entries()) {
      assertEquals(await figure(page, name), text(values[index]), name);
    }
    const teams = readRows(
      gateway,
      `SELECT team, ${SUMS} FROM requests WHERE time >= ? AND team IS NOT NULL GROUP BY team`,
      MONTH,
    );
    const cells = await cellsOf(page, "main section .tbl tbody tr[data-row]");
    for (const team of teams) {
      const [cost = "", , requests] = cells[String(team.team)] ?? [];
      assertEquals([cost.replace("≥ ", ""), requests], [usd(team.usd), count(team.requests)]);
    }
    // Six, but for the first half hour of a month.
    assert(teams.length > 0);
  },

  async "savings"(visited) {
    const { page, gateway } = visited;
    await openView(visited, "savings?range=month");
    await seesText(page, "Prompt caching");
    const [sums = {}] = readRows(gateway, `SELECT ${SUMS} FROM requests WHERE time >= ?`, MONTH);
    assertEquals(await figure(page, "Saved, net"), usd(sums.saved));
    assertEquals(await figure(page, "Requests"), count(sums.requests));
    assertEquals(await figure(page, "Cached input"), percent(sums.cached, sums.input));
    const models = readRows(
      gateway,
      `SELECT model, ${SUMS} FROM requests
        WHERE time >= ? AND (provider IS NOT NULL OR response_cache = 'hit') GROUP BY model`,
      MONTH,
    );
    const cells = await cellsOf(page, "main .tbl tbody tr[data-row]");
    for (const { model, requests, saved } of models) {
      const [net = ""] = cells[String(model)] ?? [];
      if (Number(saved) > 0) assertEquals(net.replace(" and unknown", ""), usd(saved), `${model}`);
      assert((cells[String(model)] ?? []).includes(count(requests)), `${model}`);
    }
  },

  async "keys"(visited) {
    const { page, gateway } = visited;
    await openView(visited, "keys");
    await seesText(page, "over 90 %");
    const cells = await cellsOf(page, "main .tbl tbody tr[data-row]");
    const keys = readRows(
      gateway,
      `SELECT key, ${SUMS} FROM requests WHERE time >= ? GROUP BY key`,
      MONTH,
    );
    const budgets = new Set(HOLDERS.flatMap(({ name, usd }) => usd === undefined ? [] : [name]));
    for (const { key, usd: spent } of keys.filter(({ key }) => budgets.has(String(key)))) {
      assert((cells[String(key)] ?? []).includes(usd(spent)), `${key} ${cells[String(key)]}`);
    }
  },

  async "overview and providers"(visited) {
    const { page, gateway } = visited;
    await openView(visited, "overview?range=7d");
    await seesText(page, "UTC", "main dl");
    const from = TODAY - 6 * 86_400_000;
    const [week = {}] = readRows(gateway, `SELECT ${SUMS} FROM requests WHERE time >= ?`, from);
    assertEquals(await figure(page, "Spent, the last 7 days"), usd(week.usd));
    const health = await (await gateway.call("/v1/admin/health")).json();
    // A row with one attempt has no list of attempts.
    const failed = readRows(
      gateway,
      `SELECT COUNT(*) AS failures FROM requests, json_each(requests.attempt_rows) AS attempt
        WHERE attempt.value LIKE '%azure-westeurope%' AND attempt.value LIKE '%upstream_error%'`,
    );
    const azure = health.targets.find(({ provider }: { provider: string }) =>
      provider === "azure-westeurope"
    );
    assertEquals(azure.incident.failures, failed[0]?.failures);
    await openView(visited, "status");
    await seesText(page, `${failed[0]?.failures} of ${failed[0]?.failures} failed since then`);
  },
}, async (owned) => ({ gateway: await startBusyGateway(owned) }));
