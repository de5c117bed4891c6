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
    { kind: mock, models: [other, a-model-with-a-name-of-seventy-five-characters-that-needs-space] }
aliases:
  # For people.
  fast: [mock-echo, free] # in this order
  slow: { hedge: { after: 1s }, targets: [free, mock-echo@mock] }
`;

const LONG_NAME = "providers\n" +
  "a-provider-with-a-name-of-seventy-five-characters-that-needs-a-lot-of-space";

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

async function fill(page: Page, label: string, text: string, place = ".config-forms") {
  const input = await page.waitForSelector(`${place} ::-p-aria([name="${label}"])`);
  await input?.click({ count: 3 });
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  const select = await page.waitForSelector(`.config-forms ::-p-aria([name="${label}"])`);
  await select?.asElement()?.select(option);
}

/** The place of an element of the list on the screen. */
async function boxOf(page: Page, selector: string, index: number) {
  const { x, y, width, height } = await (await page.$$(selector))[index]?.boundingBox() ??
    { x: 0, y: 0, width: 0, height: 0 };
  return { x: x + width / 2, right: x + width, top: y, middle: y + height / 2, bottom: y + height };
}

/** Drags an entry of a list beyond another one, with the mouse or a finger. */
async function drag(page: Page, from: number, to: number, pointer: "mouse" | "touch") {
  await page.evaluate(
    `document.querySelector(".config-chain").scrollIntoView({ block: "center" })`,
  );
  const { x, middle } = await boxOf(page, ".config-chain .grip", from);
  const { top, bottom } = await boxOf(page, ".config-chain li", to);
  const y = to > from ? bottom - 2 : top + 2;
  if (pointer === "mouse") {
    await page.mouse.move(x, middle);
    await page.mouse.down();
    await page.mouse.move(x, y, { steps: 4 });
    await page.mouse.up();
  } else {
    await page.touchscreen.touchStart(x, middle);
    await page.touchscreen.touchMove(x, (middle + y) / 2);
    await page.touchscreen.touchMove(x, y);
    await page.touchscreen.touchEnd();
  }
}

/** Opens the settings of an entry, and returns a selector for them. */
async function openEntry(page: Page, index: number): Promise<string> {
  const entry = `.config-chain li:nth-child(${index + 1}) .config-entry`;
  await page.locator(`${entry} summary`).click();
  return `${entry}[open]`;
}

browserTests("the forms of the configuration", {
  config: CONFIG,
  tests: {
    "a chain is dragged, and its entries have weights and failures": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await seesText(page, "headers", ".config-forms");
      let text = await valueOf(page);
      await open(page, "Aliases", "aliases\nslow");
      const [list, reversed] = ["[free, mock-echo@mock]", "[mock-echo@mock, free]"];
      await drag(page, 0, 1, "mouse");
      text = await changes(page, text, list, reversed);
      await drag(page, 1, 0, "touch");
      text = await changes(page, text, reversed, list);
      // The focus is on the handle that was dragged.
      await page.waitForFunction(
        `document.activeElement.matches('[data-at="0"][data-control="grip"]')`,
      );
      await page.keyboard.press("ArrowDown");
      text = await changes(page, text, list, reversed);
      await page.waitForSelector('li[data-step="after a failure; as a hedge after 1s"]');
      const entry = await openEntry(page, 1);
      await page.locator(`${entry} label ::-p-text(rate limited)`).click();
      const objectOf = (members: string) => `[mock-echo@mock, { model: free, ${members} }]`;
      text = await changes(page, text, reversed, objectOf("when: [rate_limited]"));
      await page.locator(`${entry} label ::-p-text(timeout)`).click();
      text = await changes(page, text, "[rate_limited]", "[rate_limited, timeout]");
      await page.waitForSelector(
        'li[data-step="after rate limited, timeout; as a hedge after 1s"]',
      );
      await fill(page, "Weight", "3");
      text = await changes(page, text, "timeout] }", "timeout], weight: 3 }");
      await page.waitForSelector('li[data-step="or, by weighted"]');
      await page.locator(`${entry} label ::-p-text(rate limited)`).click();
      text = await changes(page, text, "[rate_limited, timeout]", "[timeout]");
      await page.select(".config-more", "balance");
      await choose(page, "balance", "p2c");
      text = await changes(page, text, "3 }] }", "3 }], balance: p2c }");
      await page.locator("::-p-aria(Discard)").click();
    },

    "settings that the text lacks are added with their types": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await seesText(page, "headers", ".config-forms");
      const text = await valueOf(page);
      await page.select(".config-more", "if_running");
      await choose(page, "if_running", "true");
      let next = await changes(page, text, "    models:\n", "    if_running: true\n    models:\n");
      await page.select(".config-more", "timeout.idle");
      await fill(page, "timeout.idle", "9s");
      next = await changes(
        page,
        next,
        "    models:\n",
        "    timeout:\n      idle: 9s\n    models:\n",
      );
      await choose(page, "if_running", "");
      await changes(page, next, "    if_running: true\n", "");
      await page.locator("::-p-aria(Discard)").click();
    },

    "a form changes the newest text, or says why it does not": async (visit) => {
      const { page } = visit;
      await openView(visit, "config");
      await seesText(page, "headers", ".config-forms");
      const text = await valueOf(page);
      /** Types into the text and the form, one directly after the other. */
      const typeBoth = (from: string, to: string, url: string) =>
        page.evaluate(`(() => {
          const change = (element, value, type) => {
            element.value = value;
            element.dispatchEvent(new Event(type, { bubbles: true }));
          };
          const area = document.querySelector("#config-text");
          const input = document.querySelector(".config-forms .field > input");
          change(area, area.value.replace(${JSON.stringify(from)}, ${JSON.stringify(to)}), "input");
          change(input, ${JSON.stringify(url)}, "change");
        })()`);
      await fill(page, "Base URL", "http://127.0.0.1:9/v1");
      const url = "base_url: http://127.0.0.1:9/v1\n";
      let next = await changes(page, text, "    models:\n", `    ${url}    models:\n`);
      await typeBoth("# Ask Ana", "# Ask Ben", "http://127.0.0.1:8/v1");
      next = await changes(page, next.replace("# Ask Ana", "# Ask Ben"), ":9/v1", ":8/v1");
      // What is typed stays while the form is drawn again.
      const input = await page.waitForSelector('.config-forms ::-p-aria([name="Base URL"])');
      await input?.click({ count: 3 });
      await page.keyboard.type("http://127.0.0.1:8/v2");
      await page.evaluate(`(() => {
        const area = document.querySelector("#config-text");
        area.value = area.value.replace("# Ask Ben", "# Ask Cem");
        area.dispatchEvent(new Event("input", { bubbles: true }));
      })()`);
      await seesText(page, "Reading", ".config-forms");
      await page.waitForSelector(".config-forms .loading", { hidden: true });
      await page.keyboard.press("Enter");
      next = await changes(page, next.replace("# Ask Ben", "# Ask Cem"), ":8/v1", ":8/v2");
      // The text has changed the same object.
      await typeBoth("kind: mock", "kind: openai", "http://127.0.0.1:7/v1");
      await seesText(page, "make the change again", ".config-forms .error-box");
      assertEquals(await valueOf(page), next.replace("kind: mock", "kind: openai"));
      assertEquals(
        await read(page, `document.querySelector(".config-forms .field > input").value`),
        "http://127.0.0.1:8/v2",
      );
      await fill(page, "Base URL", "http://127.0.0.1:7/v1");
      await changes(page, next.replace("kind: mock", "kind: openai"), ":8/v2", ":7/v1");
      await page.locator("::-p-aria(Discard)").click();
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
        if (section === "Providers") await page.select(".config-object select", LONG_NAME);
        await isAccessible(page);
        for (const width of [390, 1024]) {
          await page.setViewport({ width, height: 740 });
          assertEquals(await page.evaluate("document.documentElement.scrollWidth"), width);
          const card = await boxOf(page, ".config-forms", 0);
          const rights = await read<number[]>(
            page,
            `[...document.querySelectorAll(".config-forms :is(button, input, select, summary)")]
              .map((element) => element.getBoundingClientRect().right)`,
          );
          assertEquals(rights.filter((right) => right > card.right), [], `${section} at ${width}`);
        }
      }
    },

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
      await drag(page, 0, 1, "mouse");
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
      await fill(page, "Why", "more room", "dialog");
      await seesText(page, "Saved and in use.");
      await seesText(page, "more room", ".config-versions");
      const file = Deno.readTextFileSync(`${gateway.process.directory}/config.yaml`);
      for (const line of ["# Ask Ana", "headers: &h { x-team: search }", "# in this order"]) {
        assertStringIncludes(file, line);
      }
      const added = await gateway.call("/v1/models/new:%20one");
      await added.body?.cancel();
      assertEquals(added.status, 200);
    },
  },
});
