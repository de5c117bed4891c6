/** The frame of the console: the command palette, keys of actions, first views, and alerts. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import {
  ADMIN_KEY,
  browserTests,
  hasRequests,
  isLoaded,
  openView,
  seesText,
  SERVICE_KEY,
  textOf,
} from "./browser.ts";
import { press, read } from "./playground_support.ts";

/** Opens the palette and writes into it. */
async function find(page: Page, text: string): Promise<string[]> {
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
  await page.waitForSelector("dialog.palette[open] input:focus");
  await page.keyboard.type(text);
  return await options(page);
}

function options(page: Page): Promise<string[]> {
  return read(
    page,
    `[...document.querySelectorAll("#palette-list li > span:first-child")].map((entry) =>
      entry.innerText)`,
  );
}

async function chord(page: Page, code: string): Promise<void> {
  await page.keyboard.down("Alt");
  await page.keyboard.down("Shift");
  await page.keyboard.press(code as "KeyA");
  await page.keyboard.up("Shift");
  await page.keyboard.up("Alt");
}

browserTests("the console's frame", {
  config: {
    providers: {
      mock: { kind: "mock", models: ["mock-echo", "mock-slow"], retries: 0 },
      broken: { kind: "mock", models: ["mock-500"], retries: 0 },
    },
  },
  prepare: async (gateway) => {
    const body = { model: "mock-echo", messages: [{ role: "user", content: "Hi" }] };
    for (let count = 0; count < 3; count++) {
      const response = await gateway.call("/v1/chat/completions", body);
      await response.body?.cancel();
    }
    await hasRequests(gateway, 3);
  },
  tests: {
    "the palette leads to views, models, keys and requests": async (visit) => {
      const { page } = visit;
      await openView(visit, "status");
      assertEquals((await find(page, "savi"))[0], "Savings");
      await page.keyboard.press("Enter");
      await isLoaded(page, "savings");
      await find(page, "slow");
      await page.waitForFunction(
        `document.querySelector("#palette-list")?.innerText.includes("mock-slow: try")`,
      );
      assertEquals(await options(page), [
        ...["mock-slow: try", "mock-slow: requests", "mock-slow: usage"],
        "Requests whose ID begins with slow",
      ]);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await seesText(page, "No request matches these filters");
      assertEquals(await read(page, "location.hash"), "#/requests?model=mock-slow&range=24h");
      await find(page, "console usage");
      await page.waitForFunction(
        `document.querySelector("#palette-list")?.innerText.includes("console: usage")`,
      );
      await page.keyboard.press("Enter");
      await isLoaded(page, "usage");
      assertEquals(await read(page, "location.hash"), "#/usage?key=console&range=month");
      const [last = ""] = await find(page, "req-abcd");
      assertEquals(last, "Requests whose ID begins with req-abcd");
      await page.keyboard.press("Enter");
      await isLoaded(page, "requests");
      assertEquals(await read(page, `document.querySelector(".chip > span").title`), "id:req-abcd");
    },

    "the palette runs actions of the view, and Escape leaves it": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await seesText(page, "3 shown");
      assertEquals((await find(page, "live"))[0], "Live");
      await page.keyboard.press("Enter");
      await page.waitForSelector('.live-button[aria-pressed="true"]');
      assertEquals(await find(page, "zzz"), []);
      await seesText(page, "Nothing found", "dialog");
      await page.keyboard.press("Escape");
      await page.waitForFunction(`document.querySelector("dialog") === null`);
    },

    "each action has a key, which the list of shortcuts shows": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await seesText(page, "3 shown");
      await chord(page, "KeyL");
      await page.waitForSelector('.live-button[aria-pressed="true"]');
      await chord(page, "KeyL");
      await page.waitForSelector('.live-button[aria-pressed="false"]');
      await chord(page, "KeyF");
      await page.waitForSelector(".filter-line > input:focus");
      await page.locator("main tbody tr:nth-child(1) a").click();
      await seesText(page, "Whole request", ".details");
      await chord(page, "KeyJ");
      await page.waitForSelector("tr[data-current]:nth-child(2)");
      await seesText(page, "Whole request", ".details");
      await chord(page, "KeyK");
      await page.waitForSelector("tr[data-current]:nth-child(1)");
      await seesText(page, "Whole request", ".details");
      await chord(page, "KeyX");
      await page.waitForFunction(`document.querySelector(".details") === null`);
      await press(page, "Control", "/");
      await seesText(page, "Keyboard shortcuts", "dialog");
      const listed = await textOf(page, "dialog .shortcuts");
      for (const action of ["Refresh", "Live", "CSV", "Add a filter", "Next row", "Usage"]) {
        assert(listed.includes(action), action);
      }
      await page.keyboard.press("Escape");
      await page.waitForFunction(`document.querySelector("dialog") === null`);
      await chord(page, "Digit5");
      await isLoaded(page, "usage");
      await chord(page, "KeyF");
      await page.waitForSelector("#usage-model:focus");
    },

    "each action of the playground has a key": async (visit) => {
      const { page } = visit;
      await openView(visit, "playground");
      await page.waitForSelector(".example-list");
      await chord(page, "KeyC");
      await page.waitForFunction(`document.querySelectorAll("[role=combobox]").length === 2`);
      await chord(page, "KeyY");
      await seesText(page, "SLUICE_API_KEY", "dialog");
      await page.keyboard.press("Escape");
      await page.waitForFunction(`document.querySelector("dialog") === null`);
    },

    "a view that was opened while the gateway was away recovers by itself": async (
      { page, gateway, problems },
    ) => {
      await page.setRequestInterception(true);
      let isAway = true;
      page.on("request", (request) => {
        if (isAway && request.url().endsWith("/reports.js")) void request.abort();
        else void request.continue();
      });
      await openView({ page, gateway, problems }, "models");
      await page.evaluate(`location.hash = "#/savings"`);
      await seesText(page, "This view cannot be loaded");
      isAway = false;
      await seesText(page, "Saved, net");
    },

    "code of a view that is missing after an upgrade is said, with a button to reload": async (
      { page, gateway, problems },
    ) => {
      await page.setRequestInterception(true);
      let isUpgraded = true;
      page.on("request", (request) => {
        const isMissing = isUpgraded && request.url().endsWith("/reports.js");
        if (isMissing) void request.respond({ status: 404 });
        else void request.continue();
      });
      await openView({ page, gateway, problems }, "models");
      await page.evaluate(`location.hash = "#/usage"`);
      await seesText(page, "This view cannot be loaded");
      isUpgraded = false;
      await page.locator("::-p-aria(Reload the page)").click();
      await seesText(page, "By bill");
    },

    "an admin begins with the state, a developer with the playground": async (
      { page, gateway },
    ) => {
      await page.goto(gateway.url);
      await page.locator("#sign-in-key").fill(SERVICE_KEY);
      await page.keyboard.press("Enter");
      await isLoaded(page, "playground");
      await page.locator("::-p-aria(Sign out)").click();
      await page.goto(gateway.url);
      await page.locator("#sign-in-key").fill(`${ADMIN_KEY} ${SERVICE_KEY}`);
      await page.keyboard.press("Enter");
      await isLoaded(page, "overview");
    },

    "a failing target is said in every view, and in the title of the tab": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "usage");
      await seesText(page, "By bill");
      assertEquals(await read(page, "document.title"), "Usage – Sluice");
      const body = { model: "mock-500", messages: [{ role: "user", content: "Hi" }] };
      for (let count = 0; count < 12; count++) {
        const response = await gateway.call("/v1/chat/completions", body);
        await response.body?.cancel();
      }
      await page.reload();
      await seesText(page, "1\nopen alert", ".alerts summary");
      await page.locator(".alerts summary").click();
      await seesText(page, "Failing: mock-500 at broken", ".alerts");
      assertEquals(await read(page, "document.title"), "(1) Usage – Sluice");
      // The playground takes the rest of the window, whatever is above it.
      await page.evaluate(`location.hash = "#/playground"`);
      await isLoaded(page, "playground");
      await page.waitForSelector(".alerts");
      assertEquals(
        await read(
          page,
          `[document.querySelector(".composer").getBoundingClientRect().bottom <= innerHeight,
            document.documentElement.scrollHeight - innerHeight]`,
        ),
        [true, 0],
      );
      // The menu is still open.
      await page.locator(".alerts a").click();
      await isLoaded(page, "status");
      assertEquals(await page.$$(".alerts[open]"), []);
      assertEquals(await read(page, "document.title"), "(1) Providers – Sluice");
    },

    "the range and the zone stay while the view changes, and are in the address": async (visit) => {
      const { page } = visit;
      const hash = () => read(page, "location.hash");
      await openView(visit, "requests");
      assertEquals(await hash(), "#/requests?range=24h");
      await page.locator(".menu.range summary").click();
      await page.locator('[data-range="last-month"]').click();
      await page.waitForFunction(`location.hash === "#/requests?range=last-month"`);
      await page.locator(".menu.zones summary").click();
      await page.locator('[data-zone="Asia/Kolkata"]').click();
      await seesText(page, "Kolkata", ".menu.zones summary");
      const seen = "#/requests?range=last-month&zone=Asia%2FKolkata";
      assertEquals(await hash(), seen);
      await page.evaluate(`location.hash = "#/models"`);
      await isLoaded(page, "models");
      assertEquals(await page.$$(".menu.range"), []);
      await page.evaluate(`location.hash = "#/requests?status=error"`);
      await seesText(page, "Last month", ".menu.range summary");
      const link = "#/requests?status=error&range=last-month&zone=Asia%2FKolkata";
      assertEquals(await hash(), link);
      // A link says its own range, and going back shows the earlier one.
      await page.evaluate(`location.hash = "#/requests?range=7d"`);
      await seesText(page, "Last 7 days", ".menu.range summary");
      await page.goBack();
      await seesText(page, "Last month", ".menu.range summary");
      assertEquals(await hash(), link);
      // Two times in the zone of the tab.
      await page.locator(".menu.range summary").click();
      await page.locator('[data-range="custom"]').click();
      await page.locator("#range-from").fill("2026-10-01T05:30:00");
      await page.locator("#range-to").fill("2026-10-02T05:30:00");
      await page.keyboard.press("Enter");
      await seesText(page, "1 Oct, 05:30 – 2 Oct, 05:30", ".menu.range summary");
      const query = new URLSearchParams(String(await hash()).split("?")[1]);
      assertEquals(query.get("from"), "2026-10-01T00:00:00.000Z");
      // The overview's costs are those of the range; the strip has no cells of that day.
      await page.evaluate(`location.hash = "#/overview"`);
      await seesText(page, "Spent, 1 Oct, 05:30 – 2 Oct, 05:30", ".overview-figures");
      await seesText(page, "Share of failed attempts, the last 24 hours", "main");
      await page.locator(".menu.range summary").click();
      await page.locator('[data-range="1h"]').click();
      await seesText(page, "Share of failed attempts, the last hour", "main");
      await seesText(page, "Spent, the last hour", ".overview-figures");
    },
  },
});
