/** The view of requests as an explorer: time, parts of texts, thresholds, order, newer ones, CSV. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "puppeteer-core";
import { browserTests, hasRequests, openView, seesText, type Served, textOf } from "./browser.ts";
import { read } from "./playground_support.ts";

/** The requests before the first test. */
const SENT = 60;

async function send(gateway: Served, model: string, id?: string): Promise<void> {
  const body = { model, messages: [{ role: "user", content: "Hi" }] };
  const response = await gateway.call(
    "/v1/chat/completions",
    body,
    id === undefined ? {} : { "x-request-id": id },
  );
  await response.body?.cancel();
}

/** Adds filters as words. */
async function filter(page: Page, words: string): Promise<void> {
  await page.locator(".filter-line > input").click();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
}

/** The filters that are set. */
function chips(page: Page): Promise<string[]> {
  return read(page, `[...document.querySelectorAll(".chip > span")].map(({ title }) => title)`);
}

/** The text of a cell of each row. */
function column(page: Page, name: string): Promise<string[]> {
  return read(
    page,
    `(() => {
      const heads = [...document.querySelectorAll("main thead th")].map((head) =>
        head.innerText.replace(/[↑↓]/, "").trim());
      const index = heads.indexOf(${JSON.stringify(name)});
      return [...document.querySelectorAll("main tbody tr:not(.gap)")].map((row) =>
        row.children[index].innerText.trim());
    })()`,
  );
}

function toMs(text: string): number {
  const [, number = "", unit] = /^([\d.]+) (ms|s)$/.exec(text) ?? [];
  return Number(number) * (unit === "s" ? 1000 : 1);
}

browserTests("the console's explorer of requests", {
  config: {
    providers: {
      mock: {
        kind: "mock",
        models: [
          { id: "chat-priced", upstream: "mock-echo", prices: { input: 1000, output: 1000 } },
          { id: "chat-free", upstream: "mock-echo", prices: { input: 0, output: 0 } },
          { id: "slow", upstream: "mock-slow" },
          "mock-500",
        ],
        retries: 0,
      },
    },
  },
  prepare: async (gateway) => {
    for (let count = 0; count < SENT - 3; count++) await send(gateway, "chat-free");
    await send(gateway, "chat-priced", "incident-4711-a");
    await send(gateway, "slow");
    await send(gateway, "mock-500");
    await hasRequests(gateway, SENT);
  },
  tests: {
    "a part of a text is found, and a whole value only as such": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await filter(page, "model:PRICED");
      await seesText(page, "1 shown");
      assertEquals(await read(page, "location.hash"), "#/requests?model=*PRICED*&range=24h");
      assertEquals(await column(page, "Model"), ["chat-priced"]);
      // The values of the last 30 days are offered, not only those that are shown.
      await page.locator(".filter-line > input").click();
      await page.keyboard.type("model:");
      await page.waitForSelector('#filter-words option[value="model:chat-free"]');
      await page.keyboard.type("slow");
      await page.keyboard.press("Enter");
      await seesText(page, "1 shown");
      assertEquals(await read(page, "location.hash"), "#/requests?model=slow&range=24h");
    },

    "a request is found by the start of its ID": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await filter(page, "incident-47");
      await seesText(page, "1 shown");
      assertEquals(await column(page, "Model"), ["chat-priced"]);
      await filter(page, "incident-48");
      await seesText(page, "No request matches these filters");
    },

    "thresholds of duration and cost leave out the others, and wrong ones are said": async (
      visit,
    ) => {
      const { page } = visit;
      await openView(visit, "requests");
      await filter(page, "cost>0.0001");
      await seesText(page, "1 shown");
      assertEquals(await column(page, "Model"), ["chat-priced"]);
      await filter(page, "cost>cheap");
      await seesText(page, "A cost is a number", ".filter-bar");
      await page.evaluate(`document.querySelector(".filter-line > input").select()`);
      await page.keyboard.press("Backspace");
      await page.locator("::-p-aria(Remove cost>0.0001)").click();
      await seesText(page, "50 shown");
      await filter(page, "duration>1h status:ok");
      await seesText(page, "No request matches these filters");
      assertEquals(
        await read(page, "location.hash"),
        "#/requests?status=ok&min_ms=3600000&range=24h",
      );
      assertEquals(await chips(page), ["status:ok", "ms>3600000"]);
      // Backspace in the empty field removes the last filter.
      await page.locator(".filter-line > input").click();
      await page.keyboard.press("Backspace");
      await seesText(page, "50 shown");
      assertEquals(await chips(page), ["status:ok"]);
    },

    "badges of the path are filters, and so are the buttons for the usual ones": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await seesText(page, "50 shown");
      await page.locator("::-p-aria(Failed)").click();
      await seesText(page, "1 shown");
      assertEquals(await column(page, "Model"), ["mock-500"]);
      await page.locator("::-p-aria(Cache)").click();
      await seesText(page, "No request matches these filters");
      assertEquals(await chips(page), ["status:error", "path:cache"]);
      await page.locator("::-p-aria(Cache)").click();
      await page.locator("::-p-aria(Failed)").click();
      await seesText(page, "50 shown");
    },

    "the histogram counts all requests, and shows a part of the time by keys": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests?range=15m");
      await seesText(page, `${SENT} requests, 1 failed`, ".histogram");
      await page.focus(".histogram-bars");
      // The newest interval may be empty, so the selection is extended to the whole time.
      await page.keyboard.press("End");
      await seesText(page, " from ", ".histogram");
      await page.keyboard.down("Shift");
      await page.keyboard.press("Home");
      await page.keyboard.up("Shift");
      await seesText(page, `${SENT} requests, 1 failed from`, ".histogram");
      await page.keyboard.press("Escape");
      await page.waitForFunction(
        `!document.querySelector(".histogram figcaption").innerText.includes(" from ")`,
      );
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await seesText(page, "No requests in this period");
      const hash = String(await read(page, "location.hash"));
      assertMatch(hash, /^#\/requests\?from=[^&]+&to=[^&]+$/);
      const query = new URLSearchParams(hash.split("?")[1]);
      const length = Date.parse(query.get("to") ?? "") - Date.parse(query.get("from") ?? "");
      assertEquals(length, 15_000);
      await page.locator("::-p-aria(Zoom out)").click();
      await page.waitForFunction(`location.hash !== ${JSON.stringify(hash)}`);
      await page.locator(".menu.range summary").click();
      await page.locator('.menu.range [data-range="15m"]').click();
      await seesText(page, "50 shown");
    },

    "dragging over the histogram shows that time": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests?range=1h");
      await seesText(page, `${SENT} requests, 1 failed`, ".histogram");
      const box = await (await page.$(".histogram-bars"))?.boundingBox() ??
        { x: 0, y: 0, width: 0, height: 0 };
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.1, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.4, y, { steps: 5 });
      await page.mouse.up();
      await seesText(page, "No requests in this period");
      await seesText(page, "0 requests, 0 failed", ".histogram");
      // A click alone selects, and changes nothing yet.
      await openView(visit, "requests?range=1h");
      await seesText(page, `${SENT} requests, 1 failed`, ".histogram");
      await page.mouse.click(box.x + box.width * 0.2, y);
      await seesText(page, "0 requests, 0 failed from", ".histogram");
      assertEquals(await read(page, "location.hash"), "#/requests?range=1h");
      await page.locator("::-p-aria(Show only this)").click();
      await seesText(page, "No requests in this period");
    },

    "all requests of the time are sorted, not only those that are shown": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await seesText(page, "50 shown");
      const sortBy = (name: string) =>
        page.evaluate(
          `[...document.querySelectorAll("button.sort")].find((button) =>
            button.innerText.startsWith(${JSON.stringify(name)})).click()`,
        );
      await sortBy("Duration");
      await seesText(page, "All requests in this period");
      await page.waitForSelector('main :not(.stale) > .tbl th[aria-sort="descending"]');
      const times = (await column(page, "Duration")).map(toMs);
      assertEquals(times.length, SENT);
      assertEquals(times, times.toSorted((one, other) => other - one));
      assertEquals((await column(page, "Model"))[0], "slow");
      assertEquals(await read(page, "location.hash"), "#/requests?range=24h&sort=ms");
      assert(await read(page, `document.querySelector(".live-button").disabled`));
      await sortBy("Duration");
      await page.waitForSelector('main :not(.stale) > .tbl th[aria-sort="ascending"]');
      const rising = (await column(page, "Duration")).map(toMs);
      assertEquals(rising, rising.toSorted((one, other) => one - other));
      // The order is in the address, and requests without a cost have no place in it.
      await page.reload();
      await seesText(page, "All requests in this period");
      await sortBy("Cost");
      await seesText(page, "Requests without this value are left out");
      await page.waitForSelector('main :not(.stale) > .tbl th[aria-sort="descending"]');
      assertEquals((await column(page, "Model"))[0], "chat-priced");
      await sortBy("Model");
      await page.waitForSelector('main :not(.stale) > .tbl th[aria-sort="ascending"]');
      const models = await column(page, "Model");
      assertEquals(models.length, SENT);
      assertEquals(models, models.toSorted());
      await sortBy("Time");
      await seesText(page, "50 shown");
      assertEquals(await read(page, "location.hash"), "#/requests?range=24h");
    },

    "the heads of the table stay visible": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests?sort=ms");
      await seesText(page, `${SENT} shown`);
      const offset = await read(
        page,
        `(() => {
          const box = document.querySelector(".tbl.tall");
          box.scrollTop = 400;
          const head = box.querySelector("thead th");
          return [box.scrollTop, head.getBoundingClientRect().top - box.getBoundingClientRect().top -
            box.clientTop];
        })()`,
      );
      assertEquals(offset, [400, 0]);
    },

    "newer requests appear by themselves, and only then": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "requests?model=live-*");
      await seesText(page, "No request matches these filters");
      await page.locator("::-p-aria(Live)").click();
      await page.waitForSelector('.live-button[aria-pressed="true"]');
      await send(gateway, "live-1");
      await seesText(page, "1 shown");
      await send(gateway, "live-2");
      await seesText(page, "2 shown");
      assertEquals(await column(page, "Model"), ["live-2", "live-1"]);
      await page.locator("::-p-aria(Live)").click();
      await page.waitForSelector('.live-button[aria-pressed="false"]');
    },

    "the requests of the filters are saved as CSV": async (visit) => {
      const { page } = visit;
      await page.evaluateOnNewDocument(
        `globalThis.saved = new Promise((resolve) => {
          const create = URL.createObjectURL;
          URL.createObjectURL = (blob) => {
            resolve(blob.text());
            return create.call(URL, blob);
          };
        });`,
      );
      await openView(visit, "requests?model=chat-free");
      await seesText(page, "50 shown");
      await page.locator('[aria-keyshortcuts="Alt+Shift+D"]').click();
      const lines = (await read<string>(page, "globalThis.saved")).trimEnd().split("\n");
      assertEquals(lines.length, SENT - 3 + 1);
      assertMatch(lines[0] ?? "", /^id,time,key,tags,model,/);
      assert(lines.slice(1).every((line) => line.includes(",chat-free,")));
    },

    "a request leads to its model in the playground": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests?model=slow");
      await page.locator("main tbody tr a").click();
      await page.locator("::-p-aria(Open its model in the playground)").click();
      await page.waitForFunction(
        `[...document.querySelectorAll("main input")].some((input) => input.value === "slow")`,
      );
      await page.waitForFunction(`location.hash === "#/playground"`);
      assert(!(await textOf(page)).includes("cannot be loaded"));
    },
  },
});
