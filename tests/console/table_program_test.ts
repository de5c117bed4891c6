/** The console's table with 10,000 rows and names of 75 characters, at three widths. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { isAccessible } from "./accessible.ts";
import { browserTests, openView } from "./browser.ts";

const ROWS = 10_000;
const WIDTHS = [390, 1024, 1440];
/** Milliseconds of the page's thread for a way through all rows, on a busy machine. */
const MAX_CPU_MS = 3000;

/** Sets `tableModules`: the served files have the modules under no name. */
async function bundleTable(): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const root = new URL("../../", import.meta.url).href;
    const library = `${root}src/console/assets/lib/`;
    await Deno.writeTextFile(
      `${folder}/entry.js`,
      `import { html, render } from "${library}preact.js";
       import { Table } from "${library}table.js";
       globalThis.tableModules = { html, render, Table };`,
    );
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--quiet", "--platform", "browser", "--format", "iife"],
        ...["--config", new URL("deno.json", root).pathname, `${folder}/entry.js`],
      ],
    }).output();
    assertEquals(code, 0);
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const MODULES = await bundleTable();

/** Renders a table in place of a view. Its actions are noted in `globalThis.done`. */
const RENDER = `(async () => {
  const { html, render, Table } = globalThis.tableModules;
  const name = "customer-support-assistant-for-the-region-europe-west-and-realtime-";
  const rows = Array.from({ length: ${ROWS} }, (_, at) => ({
    id: name + String(at).padStart(8, "0"), at, cost: at % 7 === 0 ? null : at / 100,
    note: "x".repeat(30), nothing: null,
  }));
  const columns = [
    { id: "name", title: "Name", of: (row) => row.id, isRisingFirst: true },
    { id: "at", title: "Number", of: (row) => row.at, isNumber: true, card: "b" },
    { id: "cost", title: "Cost", of: (row) => row.cost, isNumber: true, card: "d" },
    { id: "nothing", title: "Nothing", of: (row) => row.nothing },
    ...Array.from({ length: 6 }, (_, at) => ({ id: "note" + at, title: "Note " + at,
      of: (row) => row.note, ...(at === 0 && { card: "c" }) })),
  ];
  globalThis.done = [];
  const main = document.querySelector("main");
  render(null, document.getElementById("app"));
  document.getElementById("app").replaceChildren(main);
  main.replaceChildren();
  render(html\`<div class="view"><header class="top-bar"></header><h1>Rows</h1>
    <\${Table} label="Rows" rows=\${rows} columns=\${columns} idOf=\${(row) => row.id}
      hrefOf=\${(row) => "#/opened/" + row.at} order=\${{ id: "at", isRising: true }}
      onClose=\${() => done.push("closed")}
      actionsOf=\${(row) => [
        { text: "Edit", run: () => done.push("edit " + row.at) },
        { text: "Open", href: "#/opened/" + row.at },
        { text: "Revoke", run: () => done.push("revoke " + row.at), isDanger: true },
      ]} /></div>\`, main);
})()`;

const FIRST = "main tbody tr:not(.gap)";

async function shows(visited: Parameters<typeof openView>[0], width: number): Promise<Page> {
  const { page } = visited;
  await page.setViewport({ width, height: 800 });
  await openView(visited, "models");
  await page.evaluate(MODULES);
  await page.evaluate(RENDER);
  await page.waitForSelector(".tbl tbody tr");
  return page;
}

const done = (page: Page) => page.evaluate("globalThis.done.join()") as Promise<string>;

/** Presses `j` again as soon as the page has rendered, before it has painted. */
const REPEAT = `(async () => {
  for (let press = 0; press < 3; press++) {
    const event = new KeyboardEvent("keydown", { key: "j", bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
    await Promise.resolve();
  }
})()`;

/** Presses a key, and waits until the focused row has a number. */
async function pressTo(page: Page, key: "j" | "k", number: number): Promise<void> {
  await page.keyboard.press(key);
  await isFocused(page, number);
}

async function isFocused(page: Page, number: number): Promise<void> {
  await page.waitForFunction(
    `document.activeElement?.closest("tr")?.dataset.row.endsWith("${
      String(number).padStart(8, "0")
    }")`,
  );
}

/** Whether what can be used in a row is inside of the window, and nothing lies above it. */
const REACHABLE = `(() => {
  const buttons = [...document.querySelectorAll(".tbl tbody .act button")].filter((button) => {
    const { top, bottom } = button.getBoundingClientRect();
    return top > 160 && bottom < 700;
  });
  return buttons.length > 3 && buttons.every((button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && right <= innerWidth && button.contains(at);
  });
})()`;

browserTests("the console's table", {
  config: { providers: { one: { kind: "mock", models: ["a"] } } },
  tests: {
    ...Object.fromEntries(WIDTHS.map((width) => [
      `at ${width} px, each action can be reached and 10,000 rows stay fluent`,
      async (visited: Parameters<typeof openView>[0]) => {
        const page = await shows(visited, width);
        assertEquals(await page.evaluate(REACHABLE), true, "actions in the beginning");
        assertEquals(
          await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
          true,
          "the page is not wider than the window",
        );
        const session = await page.createCDPSession();
        await session.send("Performance.enable", { timeDomain: "threadTicks" });
        await page.evaluate(`(async () => {
          const box = document.querySelector(".tbl");
          const scroller = box.scrollHeight > box.clientHeight + 1 ? box : document.documentElement;
          for (let at = 0; at <= 40; at++) {
            scroller.scrollTop = scroller.scrollHeight * at / 40;
            await new Promise(requestAnimationFrame);
          }
        })()`);
        const last = String(ROWS - 1).padStart(8, "0");
        await page.waitForFunction(
          `document.querySelector(".tbl tbody tr:nth-last-child(2)").dataset.row.endsWith("${last}")`,
        );
        const rows = await page.$$eval(FIRST, (found) => found.length);
        assert(rows < 120, `${rows} rows are rendered`);
        const { metrics } = await session.send("Performance.getMetrics");
        const cpu = 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Infinity);
        assert(cpu < MAX_CPU_MS, `it took ${cpu.toFixed(0)} ms`);
        assertEquals(await page.evaluate(REACHABLE), true, "actions at the end");
        await isAccessible(page);
      },
    ])),

    "the menu of a row is used by keys": async (visited) => {
      const page = await shows(visited, 1024);
      await page.focus(`${FIRST} .act button`);
      await page.keyboard.press("Enter");
      await page.waitForSelector(".row-menu:popover-open [role=menuitem]:focus");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      assertEquals(await done(page), "revoke 0");
      assertEquals(await page.$(".row-menu"), null);
      assertEquals(
        await page.evaluate(`document.activeElement.matches(".act button")`),
        true,
        "the focus returns",
      );
      await page.keyboard.press("Enter");
      await page.waitForSelector(".row-menu:popover-open");
      await page.keyboard.press("Escape");
      assertEquals(await page.$(".row-menu"), null);
      assertEquals(await done(page), "revoke 0");
    },

    "j and k move, Enter opens, Escape closes": async (visited) => {
      const page = await shows(visited, 1440);
      await pressTo(page, "j", 0);
      for (let row = 1; row <= 40; row++) await pressTo(page, "j", row);
      await page.evaluate(REPEAT);
      await isFocused(page, 43);
      await pressTo(page, "k", 42);
      const isSeen = await page.evaluate(`(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        return top >= 44 && bottom <= innerHeight;
      })()`);
      assertEquals(isSeen, true, "the row under the cursor is visible");
      await page.keyboard.press("Enter");
      await page.waitForFunction(`location.hash === "#/opened/42"`);
      await page.keyboard.press("Escape");
      assertEquals(await done(page), "closed");
    },

    "each column sorts, absent values are last, and an empty column is hidden": async (visited) => {
      const page = await shows(visited, 1440);
      const heads = await page.$$eval(
        ".tbl thead th",
        (found) => found.map((head) => (head as unknown as { innerText: string }).innerText.trim()),
      );
      assert(!heads.some((text) => text.startsWith("Nothing")), heads.join());
      assertEquals(await page.$$eval(".tbl thead .sort", (found) => found.length), 9);
      await page.locator(".tbl thead th:nth-child(3) .sort").click();
      await page.waitForSelector('.tbl thead th:nth-child(3)[aria-sort="descending"]');
      await page.waitForFunction(
        `document.querySelector(${JSON.stringify(FIRST)}).innerText.includes("99.99")`,
      );
    },
  },
});
