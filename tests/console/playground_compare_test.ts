/** The fastest and the cheapest answer of a comparison, and Escape while a message is edited. */

import { assertEquals } from "@std/assert";
import { bestOf } from "../../src/http/console/assets/views/playground/comparison.js";
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
