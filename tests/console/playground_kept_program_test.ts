/** What the playground keeps while the page is loaded again, and how it shows an answer. */

import { assert, assertEquals } from "@std/assert";
import { openView, seesText, SERVICE_KEY, textOf } from "./browser.ts";
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

const KEPT = `sessionStorage.getItem("sluice.playground") ?? ""`;

playgroundTests("what the playground keeps in Chromium", {
  async "a reload keeps conversation, models, settings and the receipt"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await click(page, "Compare");
    await pickModel(page, "thinking", 1);
    await page.type("#system", "Be kind");
    await setParameter(page, "top_p", "0.5");
    await send(page, "Hello **you**");
    await seesText(page, "You said: Hello you", ".answer");
    await seesText(page, "Four.");
    await write(page, "Message", "A draft");
    await page.waitForFunction(`${KEPT}.includes("A draft")`);
    await page.reload();
    await seesText(page, "You said: Hello you", ".answer");
    assertEquals(await textOf(page, ".answer strong"), "you");
    await seesText(page, "First token", ".answer .figures");
    await seesText(page, "answered by mock / mock-echo", ".answer .answered");
    const fields: string[] = await read(
      page,
      `[...document.querySelectorAll("[role=combobox], #system, [aria-label=Message]")]
        .map(({ value }) => value)`,
    );
    assertEquals(fields, ["mock-echo", "thinking", "A draft", "Be kind"]);
    await click(page, "Receipt");
    await seesText(page, "mock / mock-echo", ".receipt");
    await seesText(page, "Bodies are not kept", ".receipt");
    // The next message has the conversation before it.
    await pickModel(page, "plain", 1);
    await click(page, "Send");
    await page.waitForFunction("document.querySelectorAll('.answer').length === 4");
    await seesText(page, "Seen.");
    const { messages, top_p } = vendor.bodies.at(-1);
    assertEquals(top_p, 0.5);
    assertEquals(
      messages.map(({ role }: { role: string }) => role),
      ["system", "user", "assistant", "user"],
    );
    assertEquals(messages.at(-1).content, "A draft");
  },

  async "an answer that is being written is kept as stopped"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "endless");
    await send(page, "Go on");
    await seesText(page, "more more", ".answer");
    await page.reload();
    await seesText(page, "stopped", ".answer .badge");
    await seesText(page, "more more", ".answer");
  },

  async "signing out forgets everything"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await send(page, "A secret");
    await seesText(page, "You said: A secret", ".answer");
    await page.waitForFunction(`${KEPT}.includes("A secret")`);
    await page.locator("::-p-aria(Sign out)").click();
    await seesText(page, "Sign in");
    await new Promise((resolve) => setTimeout(resolve, 600));
    assertEquals(await read(page, KEPT), "");
    await page.type("#sign-in-key", SERVICE_KEY);
    await page.click("button[type=submit]");
    await page.waitForSelector(".example-list");
  },

  async "what is kept and cannot be read is left out"(visit) {
    const { page } = visit;
    await page.evaluateOnNewDocument(`sessionStorage.setItem("sluice.playground", '{"x":1}')`);
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await send(page, "Still works");
    await seesText(page, "You said: Still works", ".answer");
  },

  async "Markdown has tasks, alignment, struck words, formulas, directions and code to copy"(
    visit,
  ) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "markdown");
    await send(page, "Show all");
    await seesText(page, "const b = 2;", ".answer");
    const all = (selector: string, what: string) =>
      read<unknown[]>(page, `[...document.querySelectorAll(".answer ${selector}")].map(${what})`);
    assertEquals(await all("s", "({ innerText }) => innerText"), ["old"]);
    assertEquals(await all(".formula", "({ innerText }) => innerText"), ["x_1 * y_2", "a_b_c"]);
    assertEquals(await all(".content em", "() => 1"), []);
    assertEquals(await all("li input", "({ checked, disabled }) => [checked, disabled]"), [
      [false, true],
      [true, true],
    ]);
    assertEquals(await all("td", "({ style }) => style.textAlign"), ["left", "center", "right"]);
    const direction = `[...document.querySelectorAll(".answer p")]
      .filter((block) => block.innerText.includes("שלום"))
      .map((block) => getComputedStyle(block).direction)`;
    assertEquals(await read(page, direction), ["rtl"]);
    await page.evaluate(
      `navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve(); };`,
    );
    await page.click(".answer .copy-code");
    await seesText(page, "Copied", ".answer .copy-code");
    assertEquals(await read(page, "globalThis.copied"), "const a = 1;\nconst b = 2;\n");
  },

  async "arguments that are not an object are marked, and a sent result cannot be changed"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "bad-call");
    await send(page, "Call it");
    await seesText(page, "arguments are not a JSON object", ".tool-call");
    const placeholder = await read<string>(
      page,
      `document.querySelector(".tool-call textarea").placeholder`,
    );
    assertEquals(placeholder, 'Result, such as { "temperature": 21 }');
    await write(page, "Result of get_weather", "none");
    await pickModel(page, "plain");
    await click(page, "Send the result");
    await seesText(page, "Seen.");
    assert(await read(page, `document.querySelector(".tool-call textarea").readOnly`));
  },

  async "a request that its client stopped is shown as that"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "endless");
    await send(page, "Go on");
    await seesText(page, "more more", ".answer");
    await page.keyboard.press("Escape");
    await seesText(page, "stopped", ".answer");
    await openView(visit, "requests?status=499", {});
    await seesText(page, "499", "main tbody");
  },

  async "with an admin key alone, the console begins with the overview"(visit) {
    const { page, gateway } = visit;
    await page.goto(`${gateway.url}/`);
    await page.type("#sign-in-key", "sk-admin-console-0123456789");
    await page.click("button[type=submit]");
    await seesText(page, "What is expensive");
    assertEquals(await page.$$("#sign-in-key"), []);
  },
});
