/** Forms for providers, aliases, keys and limits change only their lines of the text. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "puppeteer-core";
import { isAccessible } from "./accessible.ts";
import { ADMIN_KEY, browserTests, openView, seesText } from "./browser.ts";
import { read } from "./playground_support.ts";

const CONFIG = `# Ask Ana before you change it.
server:
  port: 0
  keys:
    - { name: console, key: sk-console-0123456789 } # the only one
  admin_keys: [{ name: ops, key: ${ADMIN_KEY}, edit_config: true }]
providers:
  mock: # offline
    kind: mock
    headers: &h { x-team: search }
    models:
      - mock-echo # first
      # second
      - free
  a-provider-with-a-name-of-seventy-five-characters-that-needs-a-lot-of-space:
    { kind: mock, models: [other] }
aliases:
  # For people.
  fast: [mock-echo, free] # in this order
  slow: { hedge: { after: 1s }, targets: [free, mock-echo@mock] }
`;

const valueOf = (page: Page) => read<string>(page, `document.querySelector("#config-text").value`);

/** Waits until a change is in the text of the editor, which is otherwise the same. */
async function changes(page: Page, before: string, from: string, to: string): Promise<string> {
  const wanted = before.replace(from, to);
  await page.waitForFunction(
    (text: string) =>
      // deno-lint-ignore no-explicit-any
      (globalThis as any).document.querySelector("#config-text").value === text,
    {},
    wanted,
  );
  return wanted;
}

/** Chooses a section and an object. */
async function open(page: Page, section: string, object?: string): Promise<void> {
  await page.locator(`.config-forms .choices button ::-p-text(${section})`).click();
  if (object !== undefined) await page.select(".config-object select", object);
}

async function fill(page: Page, label: string, text: string): Promise<void> {
  const input = await page.waitForSelector(`.config-forms ::-p-aria([name="${label}"])`);
  await input?.click({ count: 3 });
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

/** Drags an entry of a list to the place of another one. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  await page.evaluate(`(() => {
    const entries = document.querySelectorAll(".config-chain li");
    const send = (index, type) =>
      entries[index].dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true }));
    send(${from}, "dragstart");
    if (send(${to}, "dragover")) throw new Error("The entry cannot be dropped");
    send(${to}, "drop");
  })()`);
}

browserTests("the forms of the configuration", {
  config: CONFIG,
  tests: {
    "each form changes its lines, and the result is saved": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "config");
      await seesText(page, "headers", ".config-forms");
      await seesText(page, "Lines 8–14", ".config-forms");
      let text = await valueOf(page);

      await page.locator('[aria-label="Move free up"]').click();
      text = await changes(
        page,
        text,
        "      - mock-echo # first\n      # second\n      - free\n",
        "      # second\n      - free\n      - mock-echo # first\n",
      );
      await fill(page, "Base URL", "http://127.0.0.1:9/v1");
      text = await changes(
        page,
        text,
        "    models:\n",
        "    base_url: http://127.0.0.1:9/v1\n    models:\n",
      );
      await page.locator('.config-forms [aria-label="Remove free"]').click();
      text = await changes(page, text, "      # second\n      - free\n", "");
      await fill(page, "One more: Models", "free");
      text = await changes(page, text, "mock-echo # first\n", "mock-echo # first\n      - free\n");

      await open(page, "Aliases");
      await page.locator('[aria-label="Move mock-echo down"]').click();
      text = await changes(page, text, "[mock-echo, free]", "[free, mock-echo]");
      await drag(page, 0, 1);
      text = await changes(page, text, "[free, mock-echo]", "[mock-echo, free]");
      await open(page, "Aliases", "aliases\nslow");
      await fill(page, "hedge.after", "2s");
      text = await changes(page, text, "after: 1s", "after: 2s");
      await open(page, "Aliases", "");
      await fill(page, "Name", "slow");
      await seesText(page, "The text has it already.", ".config-forms");
      await fill(page, "Name", "new: one");
      await fill(page, "First target", "free");
      text = await changes(
        page,
        text,
        "mock-echo@mock] }\n",
        'mock-echo@mock] }\n  "new: one": free\n',
      );

      await open(page, "Keys");
      await fill(page, "Budget in USD", "250");
      text = await changes(
        page,
        text,
        " } # the only one",
        ", budget: { usd: 250, per: month } } # the only one",
      );
      await open(page, "Limits");
      await fill(page, "Requests per minute", "60");
      const limits = "limits:\n  requests_per_minute: 60\n";
      text = await changes(page, text, text, text + limits);

      await page.locator("::-p-aria(Review and save)").click();
      await page.waitForSelector("dialog button.primary:not(:disabled)");
      await page.locator("dialog button.primary").click();
      await seesText(page, "Saved and in use.");
      const file = Deno.readTextFileSync(`${gateway.process.directory}/config.yaml`);
      for (const line of ["# Ask Ana", "headers: &h { x-team: search }", "# in this order"]) {
        assertStringIncludes(file, line);
      }
      assertEquals((await gateway.call("/v1/models/new:%20one")).status, 200);
    },

    "what a form cannot change stays, and it says so": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await seesText(page, "headers", ".config-forms");
      await open(page, "Keys");
      await seesText(page, "Budget", ".config-forms");
      await page.locator("::-p-aria(Remove from the text)").click();
      await seesText(page, "The list needs an entry", ".config-forms .error-box");
    },

    "forms are accessible, and as wide as a phone": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      for (const section of ["Providers", "Aliases", "Keys", "Limits"]) {
        await open(page, section);
        await page.waitForSelector(".config-forms .field input");
        await isAccessible(page);
        for (const width of [390, 1024]) {
          await page.setViewport({ width, height: 740 });
          assertEquals(await page.evaluate("document.documentElement.scrollWidth"), width);
        }
      }
    },
  },
});
