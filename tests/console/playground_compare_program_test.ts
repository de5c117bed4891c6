/** The fastest and the cheapest answer of a comparison, and Escape while a message is edited. */

import { assert, assertEquals } from "@std/assert";
import { bestOf } from "../../src/console/assets/views/playground/comparison.js";
import { seesText } from "./browser.ts";
import {
  click,
  openPlayground,
  pickModel,
  playgroundTests,
  read,
  send,
} from "./playground_support.ts";

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

  async "columns stay in their places, and answers begin and end on the same lines"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await send(page, "Only the first one");
    await seesText(page, "You said: Only the first one", ".answer");
    await click(page, "Compare");
    await pickModel(page, "plain", 1);
    await send(page, "Many words, so that one answer is much longer. ".repeat(9));
    await page.waitForFunction("document.querySelectorAll('.answer .figures').length === 3");
    await page.waitForFunction(`document.querySelector(".composer .primary") !== null`);
    const boxes = () =>
      read<[Box, Box, Box]>(
        page,
        `[...document.querySelectorAll(".answer")].map((answer) => answer.getBoundingClientRect())
          .map(({ left, top, bottom, width }) => ({ left, top, bottom, width }))`,
      );
    const [before, first, second] = await boxes();
    // The turn before the comparison has its answer in the first column.
    assertEquals([before.left, before.width], [first.left, first.width]);
    assert(second.left >= first.left + first.width);
    assertEquals([second.top, second.bottom, second.width], [first.top, first.bottom, first.width]);
    await page.setViewport({ width: 390, height: 844 });
    await page.waitForFunction("innerWidth === 390");
    const [, above, below] = await boxes();
    assert(below.top >= above.bottom);
    assert(above.width > 300 && below.width === above.width);
  },

  async "answers and the panels beside them are folded, and stay so after a reload"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await send(page, "Fold me");
    await seesText(page, "You said: Fold me", ".answer");
    const isShown = (selector: string) =>
      read<boolean>(page, `document.querySelector("${selector}").getClientRects().length > 0`);
    await click(page, "Fold the answer of mock-echo");
    await page.waitForSelector(".answer-body", { hidden: true });
    assertEquals(await isShown(".answer .figures"), true);
    await click(page, "Unfold the answer of mock-echo");
    await page.waitForSelector(".answer-body", { visible: true });
    const width = "document.querySelector('.chat-panel').clientWidth";
    const narrow = await read<number>(page, width);
    await click(page, "Hide the settings");
    await page.waitForSelector(".settings-panel", { hidden: true });
    await click(page, "Hide the receipt");
    await page.waitForSelector(".receipt-panel", { hidden: true });
    const whole = await read<number>(page, "document.querySelector('main').clientWidth");
    assertEquals(await read<number>(page, width), whole);
    assert(narrow < whole);
    await page.waitForFunction(`sessionStorage.getItem("sluice.playground")?.includes("receipt")`);
    await page.reload();
    await seesText(page, "You said: Fold me", ".answer");
    assertEquals([await isShown(".settings-panel"), await isShown(".receipt-panel")], [
      false,
      false,
    ]);
    // A receipt that the person asks for is shown.
    await click(page, "Receipt");
    await page.waitForSelector(".receipt-panel", { visible: true });
    assertEquals(await isShown(".settings-panel"), false);
  },

  async "the words that differ between two answers are marked, as text"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await click(page, "Compare");
    await pickModel(page, "plain", 1);
    await send(page, "Seen <b>once</b>");
    await page.waitForFunction("document.querySelectorAll('.answer .figures').length === 2");
    await click(page, "Differences");
    await seesText(page, "words only in the first", ".differences");
    const marks = () =>
      read<string[][]>(
        page,
        `["del", "ins"].map((tag) => [...document.querySelectorAll(".differences " + tag)]
          .map(({ innerText }) => innerText.trim()))`,
      );
    assertEquals(await marks(), [["You said:", "<b>once</b>"], ["."]]);
    // Nothing of it became an element: only texts and marks.
    assertEquals(
      await read(
        page,
        `[...document.querySelectorAll(".differences .plain-text *")]
          .every(({ tagName }) => tagName === "DEL" || tagName === "INS")`,
      ),
      true,
    );
    // The same answer on both sides.
    const second = `document.querySelectorAll(".differences option")[1].value`;
    await page.select("select[aria-label='First answer']", await read(page, second));
    await seesText(page, "The same text", ".differences");
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
});
