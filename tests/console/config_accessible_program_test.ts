/** The states of the view of the configuration: accessible in both themes, and as wide as a phone. */

import { assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { isAccessible } from "./accessible.ts";
import { ADMIN_KEY, browserTests, openView, seesText } from "./browser.ts";

const PHONE = { width: 375, height: 740 };
const DESKTOP = { width: 1280, height: 800 };

/** Checks the page as it is now. */
async function isGood(page: Page): Promise<void> {
  await isAccessible(page);
  await page.setViewport(PHONE);
  const width = await page.evaluate("document.documentElement.scrollWidth");
  assertEquals(width, PHONE.width);
  await page.setViewport(DESKTOP);
}

/** Writes at the end of the text. */
async function write(page: Page, text: string): Promise<void> {
  await page.evaluate(`(() => {
    const area = document.querySelector("#config-text");
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
    document.execCommand("insertText", false, ${JSON.stringify(text)});
  })()`);
}

browserTests("the states of the view of the configuration", {
  config: `server:
  port: 0
  keys: [{ name: console, key: sk-console-0123456789 }]
  admin_keys: [{ name: ops, key: ${ADMIN_KEY}, edit_config: true }]
providers:
  mock: { kind: mock, models: [mock-echo] }
aliases:
  a-long-name-of-an-alias-that-needs-the-whole-width-of-a-phone: mock-echo
`,
  tests: {
    "problems, changes, suggestions and dialogs are accessible": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await seesText(page, "No problems");
      await write(page, "  fast: mock-ecko\npi");
      await page.waitForSelector("#config-options li");
      await seesText(page, "Line 10", ".config-problems");
      await isGood(page);
      await page.keyboard.press("Escape");
      await page.locator("::-p-aria(Discard)").click();
      await write(page, "  quick: mock-echo\n");
      await seesText(page, "quick", ".config-changes");
      await page.locator("::-p-aria(Review and save)").click();
      await seesText(page, "quick", "dialog .config-changes");
      await isGood(page);
      await page.locator("dialog button.primary").click();
      await seesText(page, "Saved and in use.");
      await page.locator(".config-versions button").click();
      await page.waitForSelector("dialog .line-diff");
      await isGood(page);
      await page.keyboard.press("Escape");
      await page.locator('button[aria-label="Test mock"]').click();
      await seesText(page, "Cost", "dialog");
      await page.locator("dialog button.primary").click();
      await seesText(page, "mock-echo answered", "dialog");
      await isGood(page);
    },
  },
});
