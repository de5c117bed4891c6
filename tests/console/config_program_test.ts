/** The view of the configuration: shown, completed, checked, saved, rolled back, and tested providers; its states. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Page } from "puppeteer-core";
import { isAccessible } from "./accessible.ts";
import { ADMIN_KEY, browserTests, openView, seesText, type Served, textOf } from "./browser.ts";
import { read } from "./playground_support.ts";
import { untilReply } from "../support/elapse.ts";

const ATTACK = '<img src="x" onerror="alert(1)">';
const SECRET = "sk-literal-0123456789abcdef";

const PROVIDERS = {
  mock: {
    kind: "mock",
    models: [{ id: "mock-echo", prices: { input: 1000, output: 2000 } }, "free"],
  },
  broken: { kind: "mock", models: ["mock-500"], retries: 0 },
  absent: { kind: "openai", api_key: "${SLUICE_NO_SUCH_KEY}", models: ["gpt"] },
};

/** A text with comments, as a person writes it. */
function toYaml(canEdit: boolean): string {
  return `# The configuration of the tests.
server:
  port: 0
  keys: [{ name: console, key: sk-console-0123456789 }]
  admin_keys:
    - { name: ops, key: ${ADMIN_KEY}, edit_config: ${canEdit} }
providers:
  mock: ${JSON.stringify(PROVIDERS.mock)}
  broken: ${JSON.stringify(PROVIDERS.broken)}
  absent: ${JSON.stringify(PROVIDERS.absent)}
  vendor: { kind: openai, api_key: ${SECRET}, models: [gpt-5.4] }
# ${ATTACK}
aliases:
  fast: mock-echo
`;
}

const valueOf = (page: Page) => read<string>(page, `document.querySelector("#config-text").value`);

/** Replaces text in the editor, as pasting does. */
async function replace(page: Page, from: string, to: string): Promise<void> {
  const isDone = await page.evaluate(`(() => {
    const area = document.querySelector("#config-text");
    const start = area.value.indexOf(${JSON.stringify(from)});
    area.focus();
    area.setSelectionRange(start, start + ${from.length});
    return start >= 0 && document.execCommand("insertText", false, ${JSON.stringify(to)});
  })()`);
  assertEquals(isDone, true, `'${from}' is in the editor`);
}

/** Waits until the check has this result beside the text. */
const sees = (page: Page, text: string) => seesText(page, text, ".config-side");

function fileOf({ process }: Served): string {
  return Deno.readTextFileSync(`${process.directory}/config.yaml`);
}

browserTests("the console's view of the configuration", {
  config: toYaml(true),
  tests: {
    "the configuration is shown without its secrets": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await sees(page, "No problems");
      const text = await valueOf(page);
      assertStringIncludes(text, "# The configuration of the tests.");
      assertStringIncludes(text, "${SLUICE_NO_SUCH_KEY}");
      for (const secret of [SECRET, ADMIN_KEY, "sk-console-0123456789"]) {
        assert(!(await page.content()).includes(secret) && !text.includes(secret));
      }
      await seesText(page, "In use since");
      await seesText(page, "possible");
      assertEquals(await page.$$('img[src="x"]'), []);
    },

    "names and values are completed from the schema by the keyboard": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await sees(page, "No problems");
      await replace(page, "  port: 0\n", "  port: 0\n  cons");
      await page.waitForSelector("#config-options li");
      assertStringIncludes(await textOf(page, "#config-options"), "Whether GET / shows");
      assertEquals(
        await read(
          page,
          `document.querySelector("#config-text").getAttribute(
          "aria-activedescendant")`,
        ),
        "config-option-0",
      );
      await page.keyboard.press("Enter");
      assertStringIncludes(await valueOf(page), "\n  console: \n".replace(" \n", " "));
      await page.keyboard.down("Control");
      await page.keyboard.press("Space");
      await page.keyboard.up("Control");
      await seesText(page, "off", "#config-options");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      assertMatch(await valueOf(page), /\n {2}console: (on|off) {2}keys/);
      await page.keyboard.press("Enter");
      // The new line has the indentation of the one before.
      assertMatch(await valueOf(page), /\n {2}console: (on|off)\n {4}keys/);
      await page.locator("::-p-aria(Discard)").click();
      assertStringIncludes(await valueOf(page), "  port: 0\n  keys");
    },

    "problems have lines, which lead to the text": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await sees(page, "No problems");
      await replace(page, "fast: mock-echo", "fast: mock-ecko");
      await sees(page, "did you mean 'mock-echo'?");
      assertEquals(await textOf(page, ".yaml-lines span"), "14");
      await page.locator(".config-problems button").click();
      await page.waitForFunction(
        `(({ value = "", selectionStart, selectionEnd }) =>
          value.slice(selectionStart, selectionEnd) === "mock-ecko")(document.activeElement)`,
      );
      await page.locator("::-p-aria(Review and save)").click();
      await seesText(page, "did you mean 'mock-echo'?", "dialog");
      assertEquals(
        await read(page, `document.querySelector("dialog button.primary").disabled`),
        true,
      );
      await page.keyboard.press("Escape");
      await page.locator("::-p-aria(Discard)").click();
      await sees(page, "No problems");
    },

    "a change is reviewed, saved, used and rolled back": async (visit) => {
      const { page, gateway } = visit;
      const before = fileOf(gateway);
      await openView(visit, "config");
      await sees(page, "No problems");
      await replace(page, "  fast: mock-echo", "  quick: mock-echo\n  fast: free");
      await sees(page, "quick");
      await page.locator("::-p-aria(Review and save)").click();
      await seesText(page, "Alias", "dialog .config-changes");
      assertMatch(
        await textOf(page, "dialog .config-changes"),
        /fast\s+changed\s+mock-echo\s+free\s.*quick\s+added\s+mock-echo/s,
      );
      const lines = "dialog .line-diff :is(.removed, .added) code";
      assertEquals(
        await read(
          page,
          `[...document.querySelectorAll("${lines}")].map(({ innerText }) => innerText)`,
        ),
        ["-   fast: mock-echo", "+   quick: mock-echo", "+   fast: free"],
      );
      await page.locator("dialog button.primary").click();
      await seesText(page, "Saved and in use.");
      await sees(page, "None yet.");
      assertEquals(
        fileOf(gateway),
        before.replace("  fast: mock-echo", "  quick: mock-echo\n  fast: free"),
      );
      const models = await (await gateway.call("/v1/models")).text();
      assert(models.includes('"quick"'));

      await page.locator(".config-versions button").click();
      await seesText(page, "replaced by ops", "dialog");
      await page.locator("dialog button.primary").click();
      await page.locator("::-p-aria(Review and save)").click();
      await seesText(page, "removed", "dialog .config-changes");
      await page.locator("dialog button.primary").click();
      await seesText(page, "Saved and in use.");
      assertEquals(fileOf(gateway), before);
      assertEquals((await page.$$(".config-versions li")).length, 2);
    },

    "a change of somebody else is not overwritten": async (visit) => {
      const { page, gateway } = visit;
      const before = fileOf(gateway);
      await openView(visit, "config");
      await sees(page, "No problems");
      await replace(page, "fast: mock-echo", "fast: free");
      gateway.process.write("config.yaml", before.replace("# The", "# All of the"));
      await page.locator("::-p-aria(Review and save)").click();
      await seesText(page, "changed", "dialog .config-changes");
      await page.locator("dialog button.primary").click();
      await seesText(page, "The file has changed since it was shown", "dialog .error-box");
      assertStringIncludes(fileOf(gateway), "# All of the");
      await page.locator("::-p-aria(Compare with the file as it is now)").click();
      await page.waitForFunction(`document.querySelector("dialog") === null`);
      assertStringIncludes(await valueOf(page), "fast: free");
      await page.locator("::-p-aria(Review and save)").click();
      // The other change is a part of the difference now.
      await seesText(page, "All of the", "dialog .line-diff");
      await page.keyboard.press("Escape");
      await page.locator("::-p-aria(Discard)").click();
      assertStringIncludes(await valueOf(page), "# All of the");
      gateway.process.write("config.yaml", before);
      // The next test begins with this text in use.
      await untilReply(async () => {
        const { text } = await (await gateway.call("/v1/admin/config")).json();
        return !text.includes("All of the");
      });
    },

    "a file that is not used is said, and repaired": async (visit) => {
      const { page, gateway } = visit;
      const before = fileOf(gateway);
      gateway.process.write("config.yaml", before.replace("aliases:", "aliasses:"));
      await gateway.process.logged("The previous configuration stays in use");
      await openView(visit, "config");
      await seesText(page, "The file is not used");
      await seesText(page, "did you mean 'aliases'?", ".faults");
      assertStringIncludes(await valueOf(page), "aliasses:");
      await page.locator("::-p-aria(Edit the text that is in use)").click();
      await sees(page, "No problems");
      await page.locator("::-p-aria(Review and save)").click();
      await seesText(page, "It changes nothing in the current configuration", "dialog");
      await page.locator("dialog button.primary").click();
      await seesText(page, "Saved and in use.");
      assertEquals(fileOf(gateway), before);
    },

    "a provider is tested with one token, and its cost is shown before": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "config");
      await page.locator('button[aria-label="Test mock"]').click();
      await seesText(page, "at most $0.0220", "dialog");
      const rows = async () =>
        (await (await gateway.call("/v1/admin/requests")).json()).data.length;
      assertEquals(await rows(), 0);
      await page.locator("dialog button.primary").click();
      await seesText(page, "mock-echo answered", "dialog");
      assertMatch(
        await textOf(page, "dialog .config-state"),
        /Status\s+200\s+Latency\s+[\d.]+ m?s/,
      );
      await page.select("#test-model", "free");
      await seesText(page, "Cost: at most $0", "dialog");
      await page.keyboard.press("Escape");
      await page.locator('button[aria-label="Test broken"]').click();
      await seesText(page, "Cost", "dialog");
      await page.locator("dialog button.primary").click();
      await seesText(page, "Failed after", "dialog .error-box");
      await seesText(page, "502", "dialog .error-box");
      await page.keyboard.press("Escape");
      assertEquals(
        await read(page, `document.querySelector('[aria-label="Test absent"]').disabled`),
        true,
      );
    },
  },
});

browserTests("the console's view of the configuration without the right to save", {
  config: toYaml(false),
  tests: {
    "it says why, checks the text, and offers to copy it": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await sees(page, "No problems");
      await seesText(page, "it needs 'edit_config: true'");
      await replace(page, "fast: mock-echo", "fast: free");
      await sees(page, "free");
      await page.locator("::-p-aria(Review the changes)").click();
      await seesText(page, "changed", "dialog .config-changes");
      assertEquals(await page.$$("dialog button.primary"), []);
      await page.keyboard.press("Escape");
      await page.waitForSelector("::-p-aria(Download)");
      await page.locator("::-p-aria(Discard)").click();
    },

    "without an admin key, the view asks for it": async (visit) => {
      await openView(visit, "config", {});
      await seesText(visit.page, "The configuration needs an admin key");
    },
  },
});

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
