/** The view of the state: live figures, breakers, disabled providers and a stale configuration. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { ADMIN_KEY, browserTests, openView, seesText, textOf } from "./browser.ts";

const PROVIDERS = {
  mock: { kind: "mock", models: ["mock-echo", "mock-hang"] },
  broken: { kind: "mock", models: ["mock-500"], retries: 0 },
  second: { kind: "mock", models: ["mock-503"], retries: 0 },
  absent: { kind: "openai", api_key: "${SLUICE_NO_SUCH_KEY}", models: ["gpt"] },
};
const CHAT = "/v1/chat/completions";

function chat(model: string) {
  return { model, messages: [{ role: "user", content: "Hi" }] };
}

browserTests("the console's view of the state", {
  config: { providers: PROVIDERS, aliases: { rescued: ["mock-503", "mock-echo"] } },
  tests: {
    "it is live: requests in flight appear and disappear without a reload": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "status");
      await seesText(page, "Live", ".live-mark");
      const inFlight = `document.querySelector(".figure-grid .figure-value").innerText`;
      await page.waitForFunction(`${inFlight} === "0"`);
      const caller = new AbortController();
      const hanging = gateway.call(CHAT, chat("mock-hang"), {}, caller.signal).catch(() => {});
      await page.waitForFunction(`${inFlight} === "1"`);
      caller.abort();
      await hanging;
      await page.waitForFunction(`${inFlight} === "0"`);
    },

    "a provider without credentials is shown with its reason": async (visit) => {
      await openView(visit, "status");
      await seesText(visit.page, "Disabled providers");
      const row = "section[aria-labelledby=disabled-title] tbody tr";
      assertMatch(await textOf(visit.page, row), /absent\s+openai\s+.*SLUICE_NO_SUCH_KEY/);
    },

    "a breaker that opens is shown, and an admin resets it": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "status");
      const row = `[...document.querySelectorAll("section[aria-labelledby=providers-title] tr")]
        .find((row) => row.innerText.startsWith("broken")).innerText.replace(/\\s+/g, " ")`;
      await page.waitForFunction(`/^broken Unused/.test(${row})`);
      await seesText(page, "3 providers, no problem", "h1");
      for (let count = 0; count < 12; count++) {
        await (await gateway.call(CHAT, chat("mock-500"))).body?.cancel();
      }
      await page.waitForFunction(`/^broken Failing [\\d:]+ .* Open/.test(${row})`);
      await seesText(page, "Providers: 1 failing", "h1");
      await seesText(page, "broken failing since ", ".problems");
      await seesText(page, "12 of 12 failed since then, none was rescued", ".problems");
      await seesText(page, "mock-500: breaker open", ".problems");
      await page.locator('main th a[href="#/status/broken"]').click();
      await seesText(page, "mock-500", "dialog");
      await seesText(page, "Open", "dialog");
      await page.keyboard.press("Escape");
      await page.locator("::-p-aria(Actions: broken)").click();
      await page.locator("::-p-aria(Reset…)").click();
      await page.locator("dialog button.primary").click();
      await seesText(page, "Cleared: 1 breakers", "dialog");
      await page.locator("dialog .row.end button").click();
      // Its failures are still those of a moment ago.
      await page.waitForFunction(
        `/^broken Failing [\\d:]+ /.test(${row}) && !/Open/.test(${row})`,
      );
    },

    "attempts are counted where they failed, and problems come first": async (visit) => {
      const { page, gateway } = visit;
      for (let count = 0; count < 5; count++) {
        await (await gateway.call(CHAT, chat("rescued"))).body?.cancel();
      }
      await openView(visit, "status");
      const rows =
        `[...document.querySelectorAll("section[aria-labelledby=providers-title] tbody tr")]
        .map((row) => row.innerText.replace(/\\s+/g, " "))`;
      const texts = `${rows}.join("|")`;
      await page.waitForFunction(`/second Failing .*5 5, 100 % 5 /.test(${texts})`);
      const order = await page.evaluate(`${rows}.map((text) => text.split(" ")[0])`);
      assertEquals((order as string[]).at(-1), "mock");
      await seesText(page, "5 of 5 failed since then, 5 rescued by another attempt", ".problems");
      const bars = await page.$$("section[aria-labelledby=providers-title] .history span.bad");
      assertEquals(bars.length > 0, true);
      await page.locator("section[aria-labelledby=providers-title] a.failure").click();
      await seesText(page, "Whole request", ".details");
    },

    "a service key sees no reset": async (visit) => {
      await openView(visit, "status", {});
      await seesText(visit.page, "Providers");
      await seesText(visit.page, "mock");
      await visit.page.locator("::-p-aria(Actions: mock)").click();
      await visit.page.waitForSelector(".row-menu [role=menuitem]");
      assert(!(await textOf(visit.page, ".row-menu")).includes("Reset"));
    },

    "a configuration that is not valid is shown with its faults, as text": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "status");
      await seesText(page, "Valid");
      const name = '<img src="x" onerror="alert(1)">';
      const good = gateway.config;
      gateway.process.write("config.yaml", JSON.stringify({ ...JSON.parse(good), [name]: 1 }));
      gateway.process.signal("SIGHUP");
      await seesText(page, "The changed configuration is not valid");
      await seesText(page, name, ".faults");
      assertEquals(await page.$$('img[src="x"]'), []);
      gateway.process.write("config.yaml", good);
      gateway.process.signal("SIGHUP");
      await page.waitForFunction(`document.querySelector("#config-faults") === null`);
    },

    "a gateway that ends is shown as not live, with the error": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "status", { service: "", admin: ADMIN_KEY });
      await seesText(page, "Live", ".live-mark");
      gateway.process.signal("SIGKILL");
      await seesText(page, "Not live", ".live-mark");
      await seesText(page, "Cannot connect to the gateway", ".error-box");
      assertMatch(await textOf(page, "main"), /mock/);
    },
  },
});
