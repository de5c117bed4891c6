/** Models side by side: the fastest and the cheapest answer, and settings of one model. */

import { assert, assertEquals } from "@std/assert";
import { addColumn, removeRun } from "../../src/console/assets/views/playground/actions.js";
import { bestOf } from "../../src/console/assets/views/playground/comparison.js";
import { Run } from "../../src/console/assets/views/playground/run.js";
import { getState, resetState, setState } from "../../src/console/assets/views/playground/store.js";
import { isAccessible } from "./accessible.ts";
import { seesText } from "./browser.ts";
import {
  click,
  openPlayground,
  pickModel,
  playgroundTests,
  read,
  send,
  setParameter,
  write,
} from "./playground_support.ts";
import { until } from "../support/elapse.ts";

function run(total: number | null, cost: number | null, state = "done") {
  return { isOpen: state === "streaming", state, timing: { total }, cost };
}

Deno.test("the fastest and the cheapest are known when all have ended and differ", () => {
  const best = (...columns: ReturnType<typeof run>[][]) => Object.values(bestOf(columns));
  assertEquals(best([run(9, 1)], [run(5, 2)]), [1, 0]);
  // All requests of an answer count.
  assertEquals(best([run(3, 1), run(3, 1)], [run(5, 3)]), [1, 0]);
  assertEquals(best([run(9, 1)], [run(5, 2, "streaming")]), [-1, -1]);
  assertEquals(best([run(9, 1)], [run(5, 2)], [run(1, 0, "streaming")]), [-1, -1]);
  assertEquals(best([run(9, 1)], [run(1, 0, "failed")]), [-1, -1]);
  assertEquals(best([run(9, 1)], [run(1, 0, "stopped")], [run(5, 2)]), [2, 0]);
  assertEquals(best([run(9, null)], [run(5, 2)]), [1, -1]);
  assertEquals(best([run(5, 2)], [run(5, 2)], [run(6, 3)]), [-1, -1]);
  assertEquals(best([run(9, 1)]), [-1, -1]);
  // An answer that was written by hand took no time.
  assertEquals(best([run(null, null, "written")], [run(5, 2)]), [-1, -1]);
});

Deno.test("a new column has a copy of the history, whose tool results are separate", () => {
  resetState();
  const columnAt = (index: number) => getState().columns[index]?.id ?? 0;
  const first = columnAt(0);
  const answered = new Run({ model: "a", body: {}, headers: {} });
  answered.fold.addCompletion({ choices: [{ message: { content: "Seen." } }] });
  Object.assign(answered, { state: "done", record: {}, endedAt: answered.startedAt + 5 });
  answered.answerTool("call_1", "sunny");
  setState({
    turns: [{ id: 1, user: { text: "Hi", images: [] }, runs: new Map([[first, [answered]]]) }],
  });
  addColumn([{ id: "b" }]);
  const second = columnAt(1);
  const runsOf = (column: number) => {
    const [turn] = getState().turns as unknown as { runs: Map<number, Run[]> }[];
    return turn?.runs.get(column) ?? [];
  };
  const [copy] = runsOf(second);
  assertEquals([copy?.toMessage()?.content, copy?.timing.total, copy?.requestId], [
    ...["Seen.", 5, answered.requestId],
  ]);
  copy?.answerTool("call_1", "rainy");
  assertEquals([...answered.toolAnswers.values(), ...copy?.toolAnswers.values() ?? []], [
    ...["sunny", "rainy"],
  ]);
  removeRun(1, second, copy);
  assertEquals([runsOf(first).length, runsOf(second).length], [1, 0]);
  // The end of an open answer is not known yet.
  answered.state = "streaming";
  addColumn([{ id: "c" }]);
  assertEquals(getState().columns.length, 2);
  answered.state = "done";
  resetState();
});

/** Where an element is, in pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
}

const MARKED = `[...document.querySelectorAll(".answer")].map((answer) =>
  [...answer.querySelectorAll(".badge.good")].map((badge) => badge.innerText).join())`;

playgroundTests("comparing and editing in Chromium", {
  async "the fastest and the cheapest answer are marked once both have ended"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-slow");
    await send(page, "Alone");
    await seesText(page, "You said: Alone", ".answer");
    await click(page, "Clear the conversation");
    await click(page, "Compare");
    await pickModel(page, "mock-echo", 1);
    await send(page, "Both of you");
    await page.waitForFunction("document.querySelectorAll('.answer .figures').length === 2");
    await page.waitForFunction(`document.querySelector(".composer .primary") !== null`);
    await page.waitForFunction(`${MARKED}[1] !== ""`);
    const marked: string[] = await read(page, MARKED);
    assertEquals(marked[1]?.includes("fastest"), true);
    assertEquals(marked[0]?.includes("fastest"), false);
  },

  async "a new column begins with the history of the first one"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "plain");
    await send(page, "First");
    await seesText(page, "Seen.", ".answer");
    await click(page, "Compare");
    await pickModel(page, "markdown", 1);
    await seesText(page, "Seen.", ".answer-column:nth-child(2)");
    await send(page, "Second");
    await page.waitForFunction("document.querySelectorAll('.answer').length === 4");
    const bodyOf = (name: string) => vendor.bodies.findLast(({ model }) => model === name);
    await until(() => bodyOf("markdown") !== undefined && bodyOf("plain").messages.length === 3);
    assertEquals(bodyOf("markdown").messages, bodyOf("plain").messages);
    // An answer that is removed from one column stays in the other.
    await page.waitForFunction(`document.querySelector(".composer .primary") !== null`);
    await page.click(".answer-column:nth-child(2) [aria-label='Remove this answer']");
    await page.waitForFunction("document.querySelectorAll('.answer').length === 3");
    await seesText(page, "Seen.", ".answer-column:nth-child(1)");
  },

  async "columns stay in their places, and answers begin and end on the same lines"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await send(page, "Only the first one");
    await seesText(page, "You said: Only the first one", ".answer");
    await click(page, "Compare");
    await pickModel(page, "plain", 1);
    await send(page, "Many words, so that one answer is much longer. ".repeat(9));
    await page.waitForFunction("document.querySelectorAll('.answer .figures').length === 4");
    await page.waitForFunction(`document.querySelector(".composer .primary") !== null`);
    const boxes = () =>
      read<[Box, Box, Box, Box]>(
        page,
        `[...document.querySelectorAll(".answer")].map((answer) => answer.getBoundingClientRect())
          .map(({ left, top, bottom, width }) => ({ left, top, bottom, width }))`,
      );
    const [before, copied, first, second] = await boxes();
    assertEquals([before.left, before.width], [first.left, first.width]);
    assertEquals([copied.left, copied.width], [second.left, second.width]);
    assert(second.left >= first.left + first.width);
    assertEquals([second.top, second.bottom, second.width], [first.top, first.bottom, first.width]);
    await page.setViewport({ width: 390, height: 844 });
    await page.waitForFunction("innerWidth === 390");
    const [, , above, below] = await boxes();
    assert(below.top >= above.bottom);
    assert(above.width > 300 && below.width === above.width);
  },

  async "Escape ends the editing of a message, and not the answer"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "endless");
    await send(page, "Go on");
    await seesText(page, "more more", ".answer");
    await click(page, "Edit this message");
    await page.waitForSelector("textarea[aria-label='Edit the message']");
    await page.type("textarea[aria-label='Edit the message']", " and on");
    await page.keyboard.press("Escape");
    await page.waitForSelector("textarea[aria-label='Edit the message']", { hidden: true });
    assertEquals(
      await read(page, `document.querySelector(".turn .plain-text").innerText`),
      "Go on",
    );
    assertEquals((await page.$$(".composer .danger")).length, 1);
    await page.keyboard.press("Escape");
    await seesText(page, "stopped", ".answer .badge");
  },

  async "a model has its own settings, which are sent, shown and kept"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "plain");
    await click(page, "Compare");
    await pickModel(page, "markdown", 1);
    await page.type("#system", "Be kind");
    await setParameter(page, "temperature", "1");
    await click(page, "Settings of model 2");
    await page.waitForSelector("dialog[open] .parameter");
    const [temperature, tokens] = await page.$$("dialog .parameter input:not([type=range])");
    await temperature?.type("0.2");
    await tokens?.type("x");
    await seesText(page, "Must be a whole number", "dialog");
    await click(page, "Done");
    await write(page, "Message", "Hi");
    await click(page, "Send");
    await seesText(page, "Correct 'max_tokens'", ".composer [role=alert]");
    await click(page, "Settings of model 2: temperature 0.2, max_tokens x");
    await page.waitForSelector("dialog[open] .parameter");
    await (await page.$$("dialog .parameter input:not([type=range])"))[1]?.press("Backspace");
    await (await page.$$("dialog .parameter input:not([type=range])"))[1]?.type("7");
    await (await page.$$("dialog [type=checkbox]"))[1]?.click();
    await seesText(page, "", "dialog textarea");
    await page.type("dialog textarea", "!");
    await click(page, "Done");
    await seesText(page, "temperature 0.2", ".model-column:nth-child(2) .own");
    await click(page, "Send");
    await page.waitForFunction("document.querySelectorAll('.answer .figures').length === 2");
    const bodyOf = (name: string) => vendor.bodies.findLast(({ model }) => model === name);
    await until(() => bodyOf("plain") !== undefined && bodyOf("markdown") !== undefined);
    assertEquals(bodyOf("plain").temperature, 1);
    assertEquals(bodyOf("plain").max_tokens, undefined);
    assertEquals(bodyOf("plain").messages[0].content, "Be kind");
    assertEquals([bodyOf("markdown").temperature, bodyOf("markdown").max_tokens], [0.2, 7]);
    assertEquals(bodyOf("markdown").messages[0].content, "Be kind!");
    await page.waitForFunction(`sessionStorage.getItem("sluice.playground")?.includes("Be kind!")`);
    await page.reload();
    await seesText(page, "max_tokens 7", ".model-column:nth-child(2) .own");
  },

  async "a comparison is accessible in both themes, and fits a phone"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await click(page, "Compare");
    await setParameter(page, "max_tokens", "40");
    await click(page, "Settings of model 2");
    await page.waitForSelector("dialog .check");
    await page.evaluate(`[...document.querySelectorAll("dialog .check input")].at(-1).click()`);
    await page.waitForSelector("dialog textarea");
    await isAccessible(page);
    await click(page, "Done");
    await send(page, "Hello");
    await page.waitForFunction("document.querySelectorAll('.answer .figures').length === 2");
    await isAccessible(page);
    await click(page, "Receipt");
    await seesText(page, "POST", ".receipt");
    await isAccessible(page);
    for (const width of [390, 1920]) {
      await page.setViewport({ width, height: 844 });
      assertEquals(await read(page, "document.documentElement.scrollWidth"), width);
    }
  },
});
