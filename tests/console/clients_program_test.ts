/** The view of clients: the settings of each, and their copy. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { browserTests, openView, seesText, textOf } from "./browser.ts";

browserTests("the console's view of clients", {
  config: { providers: { mock: { kind: "mock", models: ["smart", "fast"] } } },
  tests: {
    "it shows what a client is set to for this address, and copies it": async (visit) => {
      const { page } = visit;
      await openView(visit, "clients");
      await seesText(page, "ANTHROPIC_BASE_URL");
      await page.select("select", "codex");
      await seesText(page, 'model_provider = "sluice"');
      const text = await textOf(page, ".code-box");
      assertStringIncludes(text, `base_url = "${new URL(page.url()).origin}/v1"`);
      await page.evaluate(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
      );
      await page.locator("::-p-aria(Copy settings for Codex)").click();
      await page.waitForFunction("window.copied !== undefined");
      assertEquals(String(await page.evaluate("window.copied")).trim(), text.trim());
    },

    "the details of a model lead to the settings with that model": async (visit) => {
      const { page } = visit;
      await openView(visit, "models/fast");
      await page.locator("::-p-aria(Copy settings for a client)").click();
      await seesText(page, "With the model fast");
      await seesText(page, '"model": "fast"', ".code-box");
      await page.locator("::-p-aria(Use the usual one)").click();
      await seesText(page, '"model": "smart"', ".code-box");
      await page.evaluate(`location.hash = "#/clients?model=none"`);
      await seesText(page, "must be a model of GET /v1/models", ".error-box");
    },

    "another operating system has other paths, and clients without a file have steps": async (
      visit,
    ) => {
      const { page } = visit;
      await openView(visit, "clients");
      await seesText(page, "settings.json");
      await page.locator("::-p-aria(Windows)").click();
      await seesText(page, "%USERPROFILE%\\.claude\\settings.json");
      await page.select("select", "cursor");
      await seesText(page, "What to enter");
      await seesText(page, "Copy settings for Cursor");
    },
  },
});
