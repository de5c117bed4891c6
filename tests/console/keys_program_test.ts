/** The view of keys: create, copy, limit, rotate and revoke. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { isAccessible } from "./accessible.ts";
import { ADMIN_KEY, browserTests, hasRequests, openView, seesText, textOf } from "./browser.ts";
import type { Served } from "./browser.ts";

const ATTACK = '<img src="x" onerror="alert(1)">';
const PRICED = { id: "priced", upstream: "mock-echo", prices: { input: 1000, output: 2000 } };
const MOCK = { mock: { kind: "mock", models: ["mock-echo", PRICED] } };
/** SQLite's files; the tests remove them at their end. */
const directory = Deno.makeTempDirSync({ prefix: "sluice-" });
Deno.test.afterAll(() => Deno.removeSync(directory, { recursive: true }));

/** The status of a request with a key. */
async function statusWith(gateway: Served, key: string, model = "mock-echo"): Promise<number> {
  const body = { model, messages: [{ role: "user", content: "Hi" }] };
  const headers = { authorization: `Bearer ${key}` };
  const response = await gateway.call("/v1/chat/completions", body, headers);
  await response.body?.cancel();
  return response.status;
}

/** Creates a key on its page, and returns its text. */
async function create(page: Page, name: string): Promise<string> {
  await page.locator("::-p-aria(Create key)").click();
  // The first field has the focus.
  await page.waitForSelector("#key-name:focus");
  await page.keyboard.type(name);
  await page.locator("#key-team").fill("search");
  await page.locator("#key-owner").fill("Ada Osei");
  await page.locator("#key-requests_per_minute").fill("100");
  await page.locator("#key-usd").fill("12.5");
  await page.locator("#key-expires").fill("2999-12-31");
  await page.locator("form button[type=submit]").click();
  await page.waitForSelector("[data-secret=key]");
  const text = await textOf(page, "[data-secret=key]");
  // Neither a key, nor a click, nor a link closes what is shown once.
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 400);
  await page.evaluate(`location.hash = "#/usage"`);
  await seesText(page, "The key will not be shown again", "dialog");
  await page.locator("::-p-aria(Stay)").click();
  await page.waitForFunction(`document.querySelector("dialog") === null`);
  assertEquals(await textOf(page, "[data-secret=key]"), text);
  await seesText(page, "It may use all models, up to $12.50 a month, until 2999-12-31.");
  await seesText(page, `export SLUICE_API_KEY=${text}`);
  await page.locator("::-p-aria(I have copied it)").click();
  await page.waitForFunction(`location.hash === "#/keys"`);
  return text;
}

/** The text of a rotated key, which a dialog shows once. */
async function shownKey(page: Page): Promise<string> {
  await page.waitForSelector("[data-secret=key]");
  // Neither Escape nor a click beside it closes what is shown once.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 400);
  const text = await textOf(page, "[data-secret=key]");
  await page.locator("dialog .row.end button").click();
  await page.waitForFunction(`document.querySelector("dialog") === null`);
  return text;
}

/** Chooses an action of a row. */
async function act(page: Page, name: string, action: string): Promise<void> {
  await page.waitForFunction(`${rowOf(name)} !== undefined`);
  await page.evaluate(`${rowOf(name)}.querySelector(".act button").click()`);
  await page.waitForSelector("[role=menu]");
  await page.evaluate(
    `[...document.querySelectorAll("[role=menuitem]")]
      .find((item) => item.innerText === ${JSON.stringify(action)}).click()`,
  );
}

function rowOf(name: string): string {
  return `[...document.querySelectorAll("main tbody tr")]
    .find((row) => row.querySelector("th")?.textContent.trim().startsWith(${
    JSON.stringify(name)
  }))`;
}

browserTests("the console's view of keys", {
  config: { store: `sqlite:${directory}/keys.db`, providers: MOCK },
  tests: {
    "typed text survives Escape and a click beside it, and a long name keeps the actions": async (
      visit,
    ) => {
      const { page, gateway } = visit;
      const name = `prod-${"customer-support-assistant-".repeat(3)}1`;
      await (await gateway.call("/v1/admin/keys", { name })).body?.cancel();
      await page.setViewport({ width: 1440, height: 900 });
      await openView(visit, "keys");
      await page.waitForFunction(`${rowOf(name)} !== undefined`);
      const actions = `${rowOf(name)}.querySelector(".act button")`;
      for (const width of [1440, 1024, 390]) {
        await page.setViewport({ width, height: 900 });
        const right = await page.evaluate(`${actions}.getBoundingClientRect().right`);
        assert(Number(right) <= width, `${right} of ${width}`);
      }
      await page.setViewport({ width: 1440, height: 900 });
      await page.locator("::-p-aria(Create key)").click();
      await page.waitForSelector("#key-name:focus");
      await page.keyboard.type("half");
      await page.keyboard.press("Escape");
      await page.mouse.click(5, 400);
      await page.locator("::-p-aria(Cancel)").click();
      await seesText(page, "Your input will be lost", "dialog");
      await page.locator("::-p-aria(Stay)").click();
      assertEquals(
        await page.$eval("#key-name", (field) => (field as unknown as { value: string }).value),
        "half",
      );
      await page.locator("::-p-aria(Cancel)").click();
      await page.locator("::-p-aria(Leave)").click();
      await seesText(page, "none with a budget", "h1");
    },

    "a key is created, shown once, limited, rotated and revoked": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "keys");
      await seesText(page, "config.yaml", "main tbody");
      const text = await create(page, "web");
      assertMatch(text, /^sk-sluice-/);
      assertEquals(await statusWith(gateway, text), 200);
      const row = `${rowOf("web")}?.innerText ?? ""`;
      await page.waitForFunction(`/100 requests\\/min/.test(${row})`);
      assertMatch(
        String(await page.evaluate(row)),
        /search\s+Ada Osei\s+0 %\s+of \$12\.50 a month\s.*active/s,
      );
      assert(!(await page.content()).includes(text), "the key is still in the page");

      await act(page, "web", "Edit");
      await page.locator("#key-models").fill("gpt-*\nmock-*");
      await page.locator("#key-concurrent").fill("2");
      await page.locator("#key-usd").fill(" ");
      await page.locator("dialog button[type=submit]").click();
      await page.waitForFunction(`/2 concurrent/.test(${row})`);
      await page.evaluate(`${rowOf("web")}.querySelector("th a").click()`);
      await seesText(page, "gpt-*, mock-*", "aside");
      await seesText(page, "31 Dec 2999", "aside");
      await page.locator("nav.crumb a").click();

      await act(page, "web", "Rotate");
      await page.locator("#rotate-overlap").fill("0s");
      await page.locator("dialog button[type=submit]").click();
      const rotated = await shownKey(page);
      assertNotEquals(rotated, text);
      assertEquals([await statusWith(gateway, text), await statusWith(gateway, rotated)], [
        401,
        200,
      ]);

      await act(page, "web", "Revoke");
      await seesText(page, "This cannot be undone", "dialog");
      assertEquals(await statusWith(gateway, rotated), 200);
      await page.locator("dialog button[type=submit]").click();
      await page.waitForFunction(`${rowOf("web")} === undefined`);
      assertEquals(await statusWith(gateway, rotated), 401);
      await page.locator(".view-tools input[type=checkbox]").click();
      await page.waitForFunction(`/revoked/.test(${row})`);
    },

    "a budget that is used up is shown before a request finds out": async (visit) => {
      const { page, gateway } = visit;
      const budget = { usd: 0.005, per: "day" };
      const created = await gateway.call("/v1/admin/keys", { name: "spent", budget });
      const { key } = await created.json();
      // Two input and four output tokens cost $0.01.
      assertEquals(await statusWith(gateway, key, "priced"), 200);
      await hasRequests(gateway, 1);
      await openView(visit, "keys");
      await seesText(page, "1 of ", "h1");
      await seesText(page, "over 90 % of its budget", "h1");
      const row = String(await page.evaluate(`${rowOf("spent")}.innerText`));
      assertMatch(row, /used up\s+of \$0\.005000 a day/);
      const today = new Date().toISOString().slice(0, 10);
      assert(row.includes(today), row);
      assertEquals(
        await page.evaluate(`${rowOf("spent")}.querySelectorAll(".meter.bad").length`),
        1,
      );
      assertEquals(await statusWith(gateway, key, "priced"), 429);
    },

    "a team has a page with the budgets and the keys that belong to it": async (visit) => {
      const { page, gateway } = visit;
      for (const name of ["blue-1", "blue-2"]) {
        const budget = { usd: 5, per: "month" };
        const body = { name, team: "the blue/team", owner: "Ada Osei", budget };
        await (await gateway.call("/v1/admin/keys", body)).body?.cancel();
      }
      await openView(visit, "keys");
      await page.locator("main tbody td a ::-p-text(the blue/team)").click();
      await seesText(page, "the blue/team: 2 keys", "h1");
      await seesText(page, "$0 of $10.00 spent", ".key-facts");
      const names = await page.$$eval(
        "main tbody th",
        (heads) => heads.map((head) => (head as unknown as { innerText: string }).innerText.trim()),
      );
      assertEquals(names.toSorted(), ["blue-1", "blue-2"]);
      await isAccessible(page);
      await page.locator('.view-tools a[href^="#/usage?team="]').click();
      await page.waitForFunction(`location.hash.includes("team=the+blue%2Fteam")`);
    },

    "a key is found by a part of its name, or by its text": async (visit) => {
      const { page, gateway } = visit;
      const texts: string[] = [];
      for (const name of ["Batch-7", "batch-8"]) {
        const created = await gateway.call("/v1/admin/keys", { name });
        texts.push(String((await created.json()).key));
      }
      const asked: string[] = [];
      page.on("request", (request) => void asked.push(request.url()));
      await openView(visit, "keys");
      await seesText(page, "batch-8", "main tbody");
      const names = `[...document.querySelectorAll("main :not(.stale) > .tbl tbody th")]
        .map((head) => head.innerText.split("\\n")[0].trim()).join()`;
      await page.locator("::-p-aria(Search keys)").fill("BATCH");
      await page.waitForFunction(`${names} === "Batch-7,batch-8"`);
      await page.locator("::-p-aria(Search keys)").fill(texts[1] ?? "");
      await page.waitForFunction(`${names} === "batch-8"`);
      // The secret part of a key stays in the page.
      const secret = (texts[1] ?? "").slice(18);
      assert(secret.length > 20 && !asked.some((url) => url.includes(secret)), asked.join("\n"));
      await page.locator("::-p-aria(Search keys)").fill("no such key");
      await seesText(page, "No key has this text");
      await page.locator("::-p-aria(Search keys)").click({ count: 3 });
      await page.keyboard.press("Backspace");
      await page.waitForFunction(`${names}.includes("console")`);
    },

    "what the API refuses is shown, and the form stays": async (visit) => {
      const { page } = visit;
      await openView(visit, "keys");
      await page.locator("::-p-aria(Create key)").click();
      await page.locator("#key-name").fill("console");
      await page.locator("form button[type=submit]").click();
      await seesText(page, "A key in config.yaml has this name", "form .error-box");
      await page.locator("#key-name").fill("other");
      await page.locator("#key-tokens_per_minute").fill("many");
      await page.locator("form button[type=submit]").click();
      await seesText(page, "limits.tokens_per_minute", "form .error-box");
    },

    "several keys are changed and revoked together": async (visit) => {
      const { page, gateway } = visit;
      for (const name of ["one", "two", "three"]) {
        await (await gateway.call("/v1/admin/keys", { name })).body?.cancel();
      }
      await openView(visit, "keys");
      for (const name of ["one", "two", "console"]) {
        await page.waitForFunction(`${rowOf(name)} !== undefined`);
        await page.evaluate(`${rowOf(name)}.querySelector("input").click()`);
      }
      await seesText(page, "3 selected", ".bulk");
      await page.locator("::-p-aria(Change team)").click();
      await seesText(page, "1 of them is in config.yaml", "dialog");
      await page.locator("#bulk-team").fill("support");
      await page.locator("dialog button[type=submit]").click();
      await page.waitForFunction(`/support/.test(${rowOf("two")}.innerText)`);
      await page.waitForFunction(`document.querySelector("dialog") === null`);
      assert(!String(await page.evaluate(`${rowOf("three")}.innerText`)).includes("support"));
      await page.locator(".bulk button.danger").click();
      await page.locator("dialog button[type=submit]").click();
      await page.waitForFunction(`${rowOf("one")} === undefined && ${rowOf("two")} === undefined`);
      await page.waitForFunction(`${rowOf("three")} !== undefined`);
    },

    "a key's name is shown as text": async (visit) => {
      const { page } = visit;
      await openView(visit, "keys");
      await create(page, ATTACK);
      await page.waitForFunction(`${rowOf(ATTACK)} !== undefined`);
      await act(page, ATTACK, "Revoke");
      await seesText(page, `Revoke ${ATTACK}`, "dialog");
      assertEquals(await page.$$('img[src="x"]'), []);
    },

    "without an admin key, the view asks for it": async (visit) => {
      const { page } = visit;
      await openView(visit, "keys", {});
      await seesText(page, "Managing keys needs an admin key");
      await page.locator("::-p-aria(Enter the admin key)").click();
      await page.locator("dialog #sign-in-key").fill("sk-wrong-0123456789");
      await page.locator("dialog button[type=submit]").click();
      await page.waitForSelector("dialog .error-box");
      await page.locator("dialog #sign-in-key").fill(ADMIN_KEY);
      await page.locator("dialog button[type=submit]").click();
      await seesText(page, "Create key");
      await seesText(page, "config.yaml", "main tbody");
    },
  },
});

browserTests("the console's view of keys without a store", {
  config: { providers: MOCK },
  tests: {
    "it says what is missing": async (visit) => {
      await openView(visit, "keys");
      await seesText(visit.page, "Creating keys at run time needs a store");
    },
  },
});
