/** The playground with hostile and with very long answers. */

import { assert, assertEquals } from "@std/assert";
import { seesText, textOf } from "./browser.ts";
import {
  click,
  openPlayground,
  pickModel,
  playgroundTests,
  type PlaygroundVisit,
  read,
  send,
} from "./playground_support.ts";
import { HOSTILE } from "./vendor.ts";

/** What the page may never contain, wherever a hostile text is shown. */
const FORBIDDEN = "[...document.querySelectorAll('[onerror], [onload], #app script, " +
  '#app img:not([src^="data:image/"]), a[href^="javascript:" i], a[href^="data:" i]\')].length';

async function isSafe({ page }: PlaygroundVisit): Promise<void> {
  assertEquals(await read(page, FORBIDDEN), 0);
}

/** The longest work of the browser without a pause that this test allows, in milliseconds. */
const MAX_TASK_MS = 100;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  /** The time that the thread computed, in microseconds: a busy machine does not count. */
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly url?: string } };
}

playgroundTests("the playground with hostile and long answers in Chromium", {
  async "model names, answers, tool calls and messages of vendors are text"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await (await page.$("input[role=combobox]"))?.click();
    await seesText(page, HOSTILE, "[role=listbox]");
    await isSafe(visit);
    await page.keyboard.press("Escape");
    await pickModel(page, HOSTILE);
    assertEquals(await read(page, "document.querySelector('[role=combobox]').value"), HOSTILE);
    await click(page, "Example");
    await send(page, HOSTILE);
    await seesText(page, `"city": ${JSON.stringify(HOSTILE)}`, ".tool-call");
    await seesText(page, "<script>alert(2)</script>", ".answer .content");
    await page.click(".reasoning summary");
    await seesText(page, HOSTILE, ".reasoning");
    await click(page, "Receipt");
    await seesText(page, "hostile", ".receipt");
    await isSafe(visit);
    await page.type(".tool-call textarea", HOSTILE);
    await click(page, "Send the result");
    await page.waitForFunction("document.querySelectorAll('.answer').length === 2");
    await click(page, "Copy as");
    await seesText(page, "<img src=x", "dialog");
    await isSafe(visit);
  },

  async "error messages of vendors are text"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "refused");
    await send(page, "Hello");
    await seesText(page, HOSTILE, ".answer .error-box");
    await isSafe(visit);
  },

  async "an unknown model with a hostile name is an error of the API"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, `none${HOSTILE}`);
    await seesText(page, "unknown model", ".model-row");
    await send(page, "Hello");
    await seesText(page, "model_not_found", ".answer .error-box");
    await isSafe(visit);
  },

  async "an answer of 200 kB blocks no frame for 100 ms"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "long");
    await page.tracing.start({ categories: ["toplevel", "devtools.timeline"] });
    await send(page, "Write a lot");
    await page.waitForFunction(
      "document.querySelector('.answer .content').textContent.includes('the-end')",
    );
    await seesText(page, "Total", ".figures");
    const trace = JSON.parse(new TextDecoder().decode(await page.tracing.stop()));
    const events: TraceEvent[] = trace.traceEvents;
    const tasks = events.filter(({ name, ph }) => ph === "X" && name.endsWith("RunTask"));
    const longest = Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
    assert(tasks.length > 100 && longest > 0, `${tasks.length} tasks`);
    assert(longest < MAX_TASK_MS, `a task of ${longest} ms`);
    const length: number = await read(
      page,
      "document.querySelector('.answer .content').textContent.length",
    );
    assert(length > 150_000, `${length} characters`);
    // The end of the answer is in sight.
    assert((await textOf(page, ".answer .content")).trimEnd().endsWith("the-end"));
  },

  async "the page is as wide as a phone without sideways scroll"(visit) {
    const { page } = visit;
    await page.setViewport({ width: 375, height: 700 });
    await openPlayground(visit);
    const isWide = "document.documentElement.scrollWidth > innerWidth";
    await pickModel(page, HOSTILE);
    await send(page, `${"x".repeat(300)} ${HOSTILE}`);
    await seesText(page, "alert(2)", ".answer .content");
    assertEquals(await read(page, isWide), false);
    for (const panel of ["Parameters", "Receipt", "Messages"]) {
      await click(page, panel);
      await page.waitForSelector(`::-p-aria(${panel})[aria-pressed="true"]`);
      assertEquals(await read(page, isWide), false, panel);
      const cut = await read(
        page,
        "[...document.querySelectorAll('.chat-panel, .side-panel')].filter((panel) => " +
          "panel.scrollWidth > panel.clientWidth).map((panel) => panel.className)",
      );
      assertEquals(cut, [], panel);
    }
  },
});
