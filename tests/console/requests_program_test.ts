/** The views of requests and sessions: lists, filters, more pages, and one of each with its attempts. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "puppeteer-core";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import { usageRow, writeRows } from "../support/usage_rows.ts";
import { isAccessible } from "./accessible.ts";
import { ADMIN_KEY, browserTests, hasRequests, openView, seesText, textOf } from "./browser.ts";
import type { Served } from "./browser.ts";

const CHAT = "/v1/chat/completions";
/** Texts that a page must show as text. They are in names that callers choose. */
const ATTACK = '<img src="x" onerror="alert(1)">';
const ATTACKS = [ATTACK, "<script>alert(2)</script>", "javascript:alert(3)", "'\"--></td>"];

async function send(gateway: Served, model: string, tags = "team:search"): Promise<void> {
  const body = { model, messages: [{ role: "user", content: "Hi" }] };
  const response = await gateway.call(CHAT, body, { "x-sluice-tags": tags });
  await response.body?.cancel();
}

function countRows(page: Page): Promise<unknown> {
  return page.evaluate(`document.querySelectorAll("main tbody tr").length`);
}

/** The cells of the first row with this text. */
async function rowWith(page: Page, text: string): Promise<string> {
  return String(
    await page.evaluate(
      `[...document.querySelectorAll("main tbody tr")]
        .find((row) => row.textContent.includes(${JSON.stringify(text)}))?.innerText`,
    ),
  );
}

browserTests("the console's view of requests", {
  config: {
    providers: {
      mock: { kind: "mock", models: ["mock-echo", "mock-flaky", "mock-429"], retries: 1 },
      down: { kind: "mock", models: ["mock-500"], retries: 0 },
    },
    aliases: { chain: ["mock-500", "mock-429", "mock-echo"] },
  },
  prepare: async (gateway) => {
    for (let count = 0; count < 60; count++) await send(gateway, "mock-echo");
    for (const attack of ATTACKS) await send(gateway, attack, attack.replaceAll(",", ""));
    await send(gateway, "mock-500", "team:batch");
    await send(gateway, "chain");
    await hasRequests(gateway, 60 + ATTACKS.length + 2);
  },
  tests: {
    "the newest come first, and more are loaded on demand": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await seesText(page, "50 shown");
      assertMatch(await textOf(page, "main tbody tr"), /200\s+chain\s+mock\s+console\s+Fallback/);
      assertMatch(
        await rowWith(page, "mock-echo"),
        /200\s.*mock\s+console\s.*ms\s.*1\s+3\s.*\$0/s,
      );
      await page.locator("::-p-aria(Load more)").click();
      await seesText(page, "66 shown");
      assertEquals(await countRows(page), 66);
      assertEquals(await page.$$("::-p-aria(Load more)"), []);
    },

    "filters are applied, kept in the address and cleared": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await seesText(page, "50 shown");
      await page.locator(".filter-line > input").fill("status:error");
      await page.keyboard.press("Enter");
      await seesText(page, "5 shown");
      await page.locator(".filter-line > input").fill("tag:team:batch");
      await page.keyboard.press("Enter");
      await seesText(page, "1 shown");
      assertMatch(await rowWith(page, "mock-500"), /502/);
      assertEquals(
        await page.evaluate("location.hash"),
        "#/requests?status=error&tag=team%3Abatch&range=24h",
      );
      await page.reload();
      await seesText(page, "1 shown");
      await page.locator(".filter-line > input").fill("model:no-such-model");
      await page.keyboard.press("Enter");
      await seesText(page, "No request matches these filters");
      await page.locator(".filter-line > .button").click();
      await seesText(page, "50 shown");
    },

    "one request shows its row and its attempts on a timeline": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests?model=chain");
      await seesText(page, "1 shown");
      await page.locator("main tbody tr a").click();
      await seesText(page, "Timeline", ".details");
      await seesText(page, "Whole request", ".details");
      const text = await textOf(page, ".details");
      assertMatch(text, /1\. mock-500 at down/);
      assertMatch(text, /\d\. mock-429 at mock/);
      assertMatch(text, /\d\. mock-echo at mock/);
      assertMatch(text, /500|502/);
      assertMatch(text, /429\s+rate_limited/);
      assertMatch(text, /then the next target/);
      assertMatch(text, /Cost\s+\$0/);
      assertMatch(text, /team:search/);
      const bars = await page.evaluate(
        `[...document.querySelectorAll(".attempt-bar")].map((bar) => bar.offsetWidth)`,
      ) as number[];
      assert(bars.length >= 4 && bars.every((width) => width > 0), JSON.stringify(bars));
      // The address opens the same request again.
      await page.reload();
      await seesText(page, "Whole request", ".details");
      await page.locator(".details header a.close").click();
      await page.waitForFunction(`document.querySelector(".details") === null`);
    },

    "the values of a request lead to all requests that have them": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests?model=mock-500");
      await seesText(page, "1 shown");
      await page.locator("main tbody tr a").click();
      await seesText(page, "Whole request", ".details");
      await page.locator('.details a[href="#/requests?tag=team%3Abatch&range=24h"]').click();
      await page.waitForFunction(`document.querySelector(".details") === null`);
      await page.waitForSelector('.chip > [title="tag:team:batch"]');
      await seesText(page, "1 shown");
    },

    "an unknown request is an error as the API says it": async (visit) => {
      await openView(visit, "requests/req_none", { service: "", admin: ADMIN_KEY });
      await seesText(visit.page, "Unknown request 'req_none'", ".error-box");
      await seesText(visit.page, "request_not_found", ".error-box");
    },

    "a service key sees its own requests, without the filter of keys": async (visit) => {
      await openView(visit, "requests?status=error", {});
      await seesText(visit.page, "5 shown");
      await visit.page.locator(".filter-line > input").fill("key");
      assertEquals(await visit.page.$$('#filter-words option[value="key:"]'), []);
    },

    "models and tags of callers are shown as text": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests?status=404");
      await seesText(page, `${ATTACKS.length} shown`);
      for (const attack of ATTACKS) assertMatch(await rowWith(page, attack), /404/);
      for (let row = 1; row <= ATTACKS.length; row++) {
        await page.locator(`main tbody tr:nth-child(${row}) a`).click();
        await page.waitForFunction(
          `document.querySelector("tr[data-current]:nth-child(${row})") !== null &&
            document.querySelector(".details a[href*=tag]") !== null`,
        );
      }
      await openView(visit, `requests?tag=${encodeURIComponent(ATTACK)}`);
      await seesText(page, "1 shown");
      assertEquals(await page.$$('img[src="x"], main script, main a[href^="javascript"]'), []);
    },
  },
});

const directory = await Deno.makeTempDir({ prefix: "sluice-" });
Deno.test.afterAll(() => Deno.remove(directory, { recursive: true }));

const LONG = "sess_notebook_2026-11-of-the-customer-support-assistant-with-a-long-context-run7";

async function writeSessions(): Promise<void> {
  const store = new SqliteUsageStore(`${directory}/sessions.db`);
  const now = Date.now();
  const turn = (session: string, at: number, provider: string, usd: number) =>
    usageRow({
      ...{
        id: `req_${session.slice(0, 6)}_${at}`,
        time: now - 600_000 + at * 60_000,
        key: "console",
      },
      ...{
        session,
        provider,
        usd,
        input: 1000 * at,
        cachedInput: 900 * (at - 1),
        firstTokenMs: 300,
      },
      affinity: at === 1 ? "new" : at === 3 ? "moved" : "hit",
    });
  await writeRows(store, [
    ...[1, 2, 3, 4].map((at) => turn("sess_a", at, at < 3 ? "us" : "eu", 0.01)),
    turn(LONG, 1, "us", 0.5),
  ]);
  await store.close();
}

await writeSessions();

browserTests("the console's view of sessions", {
  config: {
    store: `sqlite:${directory}/sessions.db`,
    keep: "90d",
    providers: { us: { kind: "mock", models: ["m"] }, eu: { kind: "mock", models: ["n"] } },
  },
  tests: {
    "the most expensive come first, and one shows its requests in order": async (visit) => {
      const { page } = visit;
      await openView(visit, "sessions");
      await seesText(page, "2 sessions", "main");
      const text = (await textOf(page, "main tbody")).replace(/\s+/g, " ");
      const hour = "(\\d+ \\w+, )?\\d\\d:\\d\\d";
      assertMatch(
        text,
        new RegExp(`-run7 1 ${hour} 1k 0 % – \\$0\\.5000 sess_a 4 ${hour} 10k 54 % 1 \\$0\\.0400`),
      );
      await page.locator("main th button.sort ::-p-text(Last)").click();
      await page.waitForSelector('main th[aria-sort="descending"] ::-p-text(Last)');
      await page.locator('input[aria-label="Add a filter"]').fill("cost>0.1 moves>x");
      await page.keyboard.press("Enter");
      await seesText(page, "'moves>' needs a number", ".filter-bar .fault");
      await page.locator('input[aria-label="Add a filter"]').fill("moves>0 sess");
      await page.keyboard.press("Enter");
      await seesText(page, "1 session", "main");
      assertEquals(
        await page.evaluate("location.hash"),
        "#/sessions?id=sess&moves=0&range=24h",
      );
      await page.locator("::-p-aria(Remove moves>0)").click();
      await seesText(page, "2 sessions", "main");
      await page.locator('main th a[href^="#/sessions/sess_a?"]').click();
      await seesText(page, "4 requests in 3 min; moved once, $0.0400", ".details");
      await seesText(page, "54 % of 10,000 input tokens came from the prompt cache", ".details");
      const turns = await page.$$eval(
        ".details tbody tr",
        (rows) =>
          rows.map((row) =>
            (row as unknown as { innerText: string }).innerText.replace(/\s+/g, " ").trim()
          ),
      );
      assertEquals(turns.map((turn) => turn.split(" ").slice(0, 3).join(" ").trim()), [
        ...["1 us 1k", "2 us 2k", "3 Moved eu", "4 eu 4k"],
      ]);
      await isAccessible(page);
      await page.keyboard.press("Escape");
      await page.waitForFunction(`document.querySelector(".details") === null`);
    },

    "a request of a session is a step away, on a phone, too": async (visit) => {
      const { page } = visit;
      await page.setViewport({ width: 390, height: 800 });
      await openView(visit, "sessions/sess_a");
      await seesText(page, "moved once", ".details");
      assertEquals(await page.evaluate("document.documentElement.scrollWidth"), 390);
      await isAccessible(page);
      await page.locator(".details tbody tr:nth-child(1) a").click();
      await seesText(page, "Whole request", ".details");
    },

    "a service key sees its own sessions": async (visit) => {
      await openView(visit, "sessions", {});
      await seesText(visit.page, "2 sessions", "main");
    },
  },
});
