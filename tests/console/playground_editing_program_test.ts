/** Messages and settings of the playground that a person changes, in a browser. */

import { assert, assertEquals } from "@std/assert";
import { seesText, textOf } from "./browser.ts";
import {
  click,
  openPlayground,
  pickModel,
  playgroundTests,
  press,
  read,
  send,
  setParameter,
  write,
} from "./playground_support.ts";

playgroundTests("editing in the playground in Chromium", {
  async "the keyboard alone is enough"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    const focused = "document.activeElement.getAttribute('aria-label') ?? " +
      "document.activeElement.textContent";
    await page.keyboard.press("Tab");
    assertEquals(await read(page, focused), "Skip to the content");
    await page.keyboard.press("Enter");
    assertEquals(await read(page, "document.activeElement.id"), "main");
    await page.focus("input[role=combobox]");
    for (const key of ["ArrowDown", "ArrowDown", "Enter"] as const) await page.keyboard.press(key);
    assertEquals(await read(page, "document.querySelector('[role=combobox]').value"), "mock-slow");
    await page.focus('textarea[aria-label="Message"]');
    await page.keyboard.type("By hand");
    await press(page, "Control", "Enter");
    await seesText(page, "You said:", ".answer");
    await press(page, "Control", "/");
    await seesText(page, "Send the message", "dialog");
    await page.keyboard.press("Escape");
    await page.waitForFunction("document.querySelector('dialog') === null");
    // The focus is back where it was.
    assertEquals(await read(page, focused), "Message");
  },

  async "messages are edited, run again, removed and cleared"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await send(page, "First");
    await seesText(page, "You said: First", ".answer");
    await click(page, "Edit this message");
    await page.click('textarea[aria-label="Edit the message"]', { count: 3 });
    await write(page, "Edit the message", "Changed");
    await click(page, "Save and run");
    await seesText(page, "You said: Changed", ".answer");
    assertEquals(await read(page, "document.querySelectorAll('.answer').length"), 1);
    await send(page, "Second");
    await seesText(page, "You said: Second");
    await click(page, "Remove this message and its answers");
    await page.waitForFunction("document.querySelectorAll('.turn').length === 1");
    await click(page, "Clear the conversation");
    await page.waitForSelector(".example-list");
  },

  async "a parameter out of its bounds is not sent, and says why"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await setParameter(page, "temperature", "3");
    await seesText(page, "Must be a number from 0 to 2", ".settings");
    await page.type("#tools", '[{"type" "function"}]');
    await seesText(page, "line 1 column 10", ".settings");
    await write(page, "Message", "Hello");
    await click(page, "Send");
    await seesText(page, "Correct 'temperature' in the parameters", ".composer");
    assertEquals(await read(page, "document.querySelectorAll('.answer').length"), 0);
  },

  async "copy as shows the request in three languages without the key"(visit) {
    const { page, gateway } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await write(page, "Message", "It's me");
    await click(page, "Copy as");
    await seesText(page, `curl '${gateway.url}/v1/chat/completions'`, "dialog");
    await seesText(page, "It's me", "dialog");
    await click(page, "Python");
    await seesText(page, 'os.environ["SLUICE_API_KEY"]', "dialog");
    await click(page, "TypeScript");
    await seesText(page, "process.env.SLUICE_API_KEY", "dialog");
    assert(!(await textOf(page, "dialog")).includes("sk-console"));
    await page.keyboard.press("Escape");
    await page.waitForFunction("document.querySelector('dialog') === null");
  },
});
