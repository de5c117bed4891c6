/** The view of usage: totals, the chart, groups, unknown cost and CSV. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  ADMIN_KEY,
  browserSteps,
  hasRequests,
  openView,
  seesText,
  type Served,
  SERVICE_KEY,
  startGateway,
  textOf,
  type Visit,
} from "./browser.ts";
import { ConsoleVendor } from "./vendor.ts";

/** The cost of `unknown` is unknown: its vendor is none of the catalog. */
const configOf = (baseUrl: string) =>
  `server:
  port: 0
  keys: [{ name: console, key: ${SERVICE_KEY} }]
  admin_keys: [{ name: ops, key: ${ADMIN_KEY}, edit_config: true }]
providers:
  mock:
    kind: mock
    models:
      - { id: priced, upstream: mock-echo, prices: { input: 1000, output: 2000 } }
  local: # ours
    kind: openai
    base_url: ${baseUrl}
    api_key: none
    models:
      - other # not used
      - unknown # no price yet
aliases:
  ours: [unknown@local]
`;
const ATTACK = '<img src="x" onerror="alert(1)">';

async function send(gateway: Served, model: string, tags: string): Promise<void> {
  const body = { model, messages: [{ role: "user", content: "Hi" }], stream: true };
  const response = await gateway.call("/v1/chat/completions", body, { "x-sluice-tags": tags });
  await response.body?.cancel();
}

const USAGE_ROW = (name: string) =>
  `[...document.querySelectorAll("main section tbody tr")].map((row) => row.innerText)
    .find((row) => row.startsWith(${JSON.stringify(name)}))`;

/** Starts a gateway with three requests, one of them without a price. */
async function start(owned: AsyncDisposableStack): Promise<{ gateway: Served }> {
  const vendor = owned.use(new ConsoleVendor());
  const gateway = owned.use(await startGateway(configOf(vendor.baseUrl)));
  await send(gateway, "priced", "team:search");
  await send(gateway, "priced", "team:search");
  await send(gateway, "ours", ATTACK);
  await hasRequests(gateway, 3);
  return { gateway };
}

const STEPS: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
  "the totals and a chart are shown; an unknown cost is not 0": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?show=cost&range=24h");
    await seesText(page, "Cost per hour");
    const totals = await textOf(page, ".figure-grid");
    assertMatch(totals, /Requests\s+3/);
    // Two requests of one input and three output tokens each at $1,000 and $2,000 per million.
    assertMatch(totals, /Cost\s+≥ \$0\.0140\s+1 with an unknown price/);
    const cells = String(await page.evaluate(USAGE_ROW("ours")));
    assertMatch(cells, /unknown/);
    assertMatch(String(await page.evaluate(USAGE_ROW("priced"))), /\$0\.0140/);
    const legend = await textOf(page, ".legend");
    assertMatch(legend, /priced\s+\$0\.0140/);
    assertMatch(legend, /ours\s+unknown/);
    await page.waitForSelector(".plot path.series-1");
    const bar = await page.evaluate(
      `(() => {
          const { width, height } = document.querySelector(".plot path.series-1").getBBox();
          return [width, height];
        })()`,
    ) as number[];
    assert(bar.every((size) => size > 10), `the bar has ${bar}`);
  },

  "the pointer shows the values of a time": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?range=24h&show=requests");
    await seesText(page, "Requests per hour");
    await seesText(page, "Times in UTC", ".chart");
    await page.waitForSelector(".plot path");
    const box = await (await page.$(".plot"))?.boundingBox() ?? { x: 0, y: 0, width: 0 };
    // The last hour is at the right end.
    await page.mouse.move(box.x + box.width - 16, box.y + 100);
    await seesText(page, ":00 UTC", ".chart figcaption");
    await page.locator(".chart summary").click();
    await seesText(page, "Time, UTC", ".chart table");
    const rows = await page.evaluate(`document.querySelectorAll(".chart tbody tr").length`);
    assertEquals(rows, 24);
  },

  "groups and figures are chosen, and kept in the address": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?range=7d");
    await seesText(page, "Cost per day");
    await page.locator('::-p-aria([name="Tag"][role="button"])').click();
    await seesText(page, "team:search", "main section table");
    await page.locator("::-p-aria(Tokens)").click();
    await seesText(page, "Tokens per day");
    assertEquals(await page.evaluate("location.hash"), "#/usage?range=7d&by=tag&show=tokens");
    await seesText(page, ATTACK, ".legend");
    assertEquals(await page.$$('img[src="x"]'), []);
    await page.select('[aria-label="Prefix of tags"]', "team");
    await page.waitForFunction(
      `${USAGE_ROW("search").replace("startsWith", "includes")} !== undefined`,
    );
    await page.select('[aria-label="Then by"]', "model");
    await page.waitForFunction(
      `[...document.querySelectorAll("main section tbody tr.sub")].length === 1`,
    );
    assertEquals(
      await page.evaluate("location.hash"),
      "#/usage?range=7d&by=tag&then=model&prefix=team&show=tokens",
    );
  },

  "a filter reports its requests only, and leads to them": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?range=24h");
    await seesText(page, "priced", "main section table");
    await page.locator("#usage-model").fill("priced");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      `/Requests\\s+2\\b/.test(document.querySelector(".figure-grid").innerText)`,
    );
    assertEquals(await page.evaluate("location.hash"), "#/usage?range=24h&model=priced");
    // Sums have tags or end users.
    await page.locator("#usage-tag").fill("team:search");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      `![...document.querySelectorAll(".choices button")].some((button) =>
          button.innerText === "End user")`,
    );
    await page.locator("main section tbody th a").click();
    await seesText(page, "2 shown");
    assertMatch(
      String(await page.evaluate("location.hash")),
      /^#\/requests\?model=priced&tag=team%3Asearch&from=[^&]+&to=[^&]+$/,
    );
  },

  "a time of the chart leads to its requests": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?range=24h&show=requests");
    await seesText(page, "Requests per hour");
    await page.waitForSelector(".plot path");
    const box = await (await page.$(".plot"))?.boundingBox() ?? { x: 0, y: 0, width: 0 };
    await page.mouse.click(box.x + box.width - 16, box.y + 100);
    await seesText(page, "3 shown");
    assertMatch(String(await page.evaluate("location.hash")), /^#\/requests\?from=[^&]+&to=/);
  },

  "the month has a forecast, and durations are lines": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage");
    await seesText(page, "has cost at least $0.0140 so far", "h1");
    await seesText(page, "A forecast needs three full days");
    await seesText(page, "1 model has no price", ".to-do");
    await seesText(page, "ours at local, 1 request", ".to-do");
    await openView(visit, "usage?range=7d");
    await seesText(page, "Last 7 days: at least $0.0140", "h1");
    await page.locator('::-p-aria([name="Duration"][role="button"])').click();
    await seesText(page, "Duration per day");
    assertMatch(
      await textOf(page, ".legend"),
      /p95\s+[\d.]+ m?s\s+p50\s+[\d.]+ m?s\s+First token/,
    );
    await page.waitForSelector('.plot.lines path.series-1[d^="M"]');
  },

  "times are those of the zone, and days, too": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?range=24h&zone=Asia/Tokyo");
    await seesText(page, "Times in Asia/Tokyo", ".chart");
    await page.locator(".chart summary").click();
    await page.waitForSelector(".chart tbody tr");
    const last = `[...document.querySelectorAll(".chart tbody tr")].at(-1).innerText`;
    const now = new Date(Date.now() + 9 * 3_600_000).toISOString();
    assertMatch(
      String(await page.evaluate(last)),
      new RegExp(`^${now.slice(0, 10)} \\d\\d:00`),
    );
    await openView(visit, "usage?range=7d&show=requests&zone=Asia/Tokyo");
    await page.locator(".chart summary").click();
    await page.waitForSelector(".chart tbody tr");
    const cells = String(await page.evaluate(last)).split(/\s+/);
    assertEquals(cells[0], now.slice(0, 10));
    assertEquals(cells.slice(1).map(Number).reduce((sum, value) => sum + value, 0), 3);
  },

  "the report is printed without controls, and fits the paper": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?model=priced");
    await seesText(page, "priced", "main section table");
    await page.waitForSelector(".plot path");
    await page.emulateMediaType("print");
    await page.setViewport({ width: 700, height: 900 });
    const shown = await page.evaluate(
      `[".top-bar", ".view-tools", ".filters", ".no-print", ".only-print", ".chart",
          "main section table thead", "main section table tfoot"]
          .map((selector) => document.querySelector(selector).getClientRects().length > 0)`,
    );
    assertEquals(shown, [false, false, false, false, true, true, true, true]);
    const left = await page.evaluate(`document.querySelector("main").getBoundingClientRect().left`);
    assertEquals(left, 0);
    assertMatch(
      await textOf(page, ".only-print"),
      /^\d+ \w+ \d{4}, .* UTC to .* UTC, model priced$/,
    );
    const width = await page.evaluate("document.documentElement.scrollWidth");
    assertEquals(width, 700);
    const pdf = await page.pdf({ format: "A4" });
    assert(pdf.length > 5000);
    assert(new TextDecoder("latin1").decode(pdf).match(/\/Type \/Page\b/g)?.length === 1);
  },

  "columns are sorted": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage");
    await seesText(page, "priced", "main section table");
    const first = `document.querySelector("main section tbody th").innerText`;
    await page.waitForFunction(`${first} === "priced"`);
    const requests = "::-p-xpath(//main//section//th//button[contains(., 'Requests')])";
    await page.locator(requests).click();
    await seesText(page, "↓", "main section th[aria-sort=descending]");
    await page.locator(requests).click();
    await page.waitForFunction(`${first} === "ours"`);
    await seesText(page, "↑", "main section th[aria-sort=ascending]");
  },

  "CSV is downloaded": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?range=24h&show=requests");
    await seesText(page, "Requests per hour");
    // What the page saves: the name of the file, and its content.
    await page.evaluate(
      `globalThis.saved = new Promise((resolve) => {
          URL.createObjectURL = (blob) => {
            HTMLAnchorElement.prototype.click = function () {
              resolve(blob.text().then((text) => this.download + "\\n" + text));
            };
            return "blob:saved";
          };
        });
        // The promise itself would be waited for.
        undefined;`,
    );
    await page.locator("::-p-aria(CSV, 2 rows)").click();
    const [name, head, ...rows] = String(await page.evaluate("globalThis.saved")).split(/\r?\n/);
    assertMatch(name ?? "", /^usage_\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d_model\.csv$/);
    assertMatch(head ?? "", /^model,requests,errors,/);
    assert(rows.some((row) => /^priced,2,0,/.test(row)), rows.join("\n"));
    assertMatch(rows.at(-2) ?? "", /^Total,3,0,/);
  },

  "the bill says what each provider bills": async (visit) => {
    const { page } = visit;
    await openView(visit, "usage?range=24h");
    await page.locator("::-p-aria(By bill)").click();
    await seesText(page, "Everything that was paid for was used");
    await seesText(page, "mock", '[aria-label="Cost by provider"] tbody');
    assertEquals(await page.evaluate("location.hash"), "#/usage?range=24h&tab=bill");
  },

  "a service key sees its own usage": async (visit) => {
    await openView(visit, "usage", {});
    await seesText(visit.page, "Your key's usage.");
    await seesText(visit.page, "priced", "main section table");
    assertEquals(await visit.page.$$("::-p-aria(Key)"), []);
  },

  "a price is set in the configuration, on the line of its model": async (visit) => {
    const { page, gateway } = visit;
    await openView(visit, "usage?range=24h");
    await page.locator("::-p-aria(Set a price of ours at local)").click();
    const type = async (label: string, text: string) =>
      await page.locator(`dialog ::-p-aria(${label})`).fill(text);
    await type("US dollars per million input tokens", "0.5");
    await type("US dollars per million output tokens", "2");
    await page.locator("dialog ::-p-aria(Review the change)").click();
    await seesText(page, "unknown, prices: { input: 0.5, output: 2 }", "dialog");
    await page.locator("dialog ::-p-aria(Save and load)").click();
    await seesText(page, "Requests will have a cost from now on.", ".to-do");
    const { text } = await (await gateway.call("/v1/admin/config")).json();
    const afterSecrets = (yaml: string) => yaml.slice(yaml.indexOf("- other # not used"));
    assertEquals(
      afterSecrets(text),
      afterSecrets(gateway.config).replace(
        "- unknown # no price yet",
        "- { id: unknown, prices: { input: 0.5, output: 2 } } # no price yet",
      ),
    );
    await send(gateway, "ours", "priced");
    await hasRequests(gateway, 4);
    const { data } = await (await gateway.call("/v1/admin/requests?model=ours&limit=1")).json();
    assert(data[0].cost_usd > 0);
  },
};

browserSteps("the console's view of usage", STEPS, start);
