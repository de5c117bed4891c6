/** The playground in a browser, in front of a gateway with the mock provider and a vendor. */

import { assert, assertEquals } from "@std/assert";
import { PATIENCE_MS, seesText, textOf } from "./browser.ts";
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

/** A PNG of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5E" +
  "rkJggg==";

/** Adds files to the page's event of this kind, as a person who pastes or drops them. */
function transfer(kind: "paste" | "drop", type: string, base64: string): string {
  return `(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(base64)}), (char) => char.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], "pixel.png", { type: ${JSON.stringify(type)} }));
    const area = document.querySelector('textarea[aria-label="Message"]');
    area.dispatchEvent(${
    kind === "paste"
      ? "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })"
      : "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })"
  });
  })()`;
}

playgroundTests("the playground in Chromium", {
  async "signs in, shows a model's facts, and streams a first answer with its figures"(visit) {
    const { page, gateway } = visit;
    await page.goto(`${gateway.url}/`);
    await page.type("#sign-in-key", "sk-wrong");
    await page.click("button[type=submit]");
    await seesText(page, "invalid_api_key", ".error-box");
    assertEquals(await read(page, "sessionStorage.length"), 0);
    await page.click("#sign-in-key", { count: 3 });
    await page.type("#sign-in-key", "sk-console-0123456789");
    await page.click("button[type=submit]");
    await seesText(page, "8.2k", ".model-row");
    await seesText(page, "$1.00 in, $2.00 out", ".model-row");
    await send(page, "Hello **you**");
    await seesText(page, "You said: Hello you", ".answer");
    assertEquals(await textOf(page, ".answer strong"), "you");
    await seesText(page, "First token", ".figures");
    await seesText(page, "2 in, 4 out", ".figures");
    await seesText(page, "$0.00001", ".figures");
    await seesText(page, "stop", ".answer .badge");
    assertEquals(await read(page, "localStorage.length + document.cookie.length"), 0);
  },

  async "stop closes the connection to the vendor"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "endless");
    await send(page, "Go on");
    await seesText(page, "more more", ".answer");
    await page.keyboard.press("Escape");
    await seesText(page, "stopped", ".answer");
    const timer = AbortSignal.timeout(PATIENCE_MS);
    await Promise.race([
      vendor.closed,
      new Promise((_, reject) => timer.addEventListener("abort", () => reject(timer.reason))),
    ]);
    // The text stays, and the next message can be sent.
    assert((await textOf(page, ".answer .content")).startsWith("more more"));
    await pickModel(page, "plain");
    await send(page, "And now?");
    await seesText(page, "Seen.");
  },

  async "compares models side by side"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await click(page, "Compare");
    await pickModel(page, "mock-slow", 1);
    await click(page, "Compare");
    await pickModel(page, "thinking", 2);
    await send(page, "One two three four");
    await page.waitForFunction(
      "[...document.querySelectorAll('.answer')].filter((answer) => " +
        "/Tokens\\s|Total/.test(answer.innerText) && answer.innerText.includes('stop')).length === 3",
    );
    const answers: string[] = await read(
      page,
      "[...document.querySelectorAll('.answer')].map((answer) => answer.innerText)",
    );
    assert(answers[0]?.includes("You said: One two three four"));
    assert(answers[1]?.includes("Tokens/s"), answers[1]);
    assert(answers[2]?.includes("Reasoning") && answers[2].includes("Four."), answers[2]);
    assert(!answers[2]?.includes("First I count"));
    await page.click(".reasoning summary");
    await seesText(page, "First I count. Then I answer.", ".reasoning");
    const tops: number[] = await read(
      page,
      "[...document.querySelectorAll('.answer')].map((answer) => answer.getBoundingClientRect().top)",
    );
    assertEquals(new Set(tops).size, 1);
  },

  async "a tool call is answered by hand, and the model continues"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await click(page, "Example");
    await send(page, "What is the weather? Use get_weather.");
    await seesText(page, "get_weather", ".tool-call");
    await write(page, "Result of get_weather", "21 degrees");
    await click(page, "Send the result");
    await seesText(page, "The tool answered: 21 degrees");
    // The next message has the whole conversation before it.
    await send(page, "Thanks");
    await page.waitForFunction("document.querySelectorAll('.answer').length === 3");
    await click(page, "Receipt");
    await seesText(page, '"tool_call_id": "call_mock"', ".vendor-request");
  },

  async "images are pasted, dropped, bounded, removed and sent"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "plain");
    await page.evaluate(transfer("paste", "image/png", PIXEL));
    await page.waitForFunction("document.querySelectorAll('.editor img').length === 1");
    await page.evaluate(transfer("drop", "image/png", PIXEL));
    await page.waitForFunction("document.querySelectorAll('.editor img').length === 2");
    await page.evaluate(transfer("drop", "text/html", PIXEL));
    await seesText(page, "'pixel.png' is text/html: use PNG, JPEG, WebP or GIF");
    await page.click('[aria-label="Remove pixel.png"]');
    await page.waitForFunction("document.querySelectorAll('.editor img').length === 1");
    await page.waitForFunction("document.querySelector('.editor .fault') === null");
    await page.evaluate(transfer("drop", "image/png", btoa("Just a text.")));
    await seesText(page, "'pixel.png' is not an image", ".editor .fault");
    await send(page, "What is this?");
    await seesText(page, "Seen.", ".answer");
    await page.waitForFunction("document.querySelector('.editor .fault') === null");
    assertEquals(vendor.bodies.at(-1).messages[0].content, [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ]);
    const loaded =
      "[...document.querySelectorAll('.turn img')].every((image) => image.naturalWidth)";
    assert(await read(page, loaded));
  },

  async "the receipt shows rules, the targets and the vendor's request"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "fast");
    await seesText(page, "alias of mock-500", ".model-row");
    await setParameter(page, "seed", "7");
    await send(page, "Who answers?");
    await seesText(page, "You said: Who answers?", ".answer");
    await click(page, "Receipt");
    await seesText(page, "mock / mock-echo", '.receipt [aria-label="Route"]');
    await seesText(page, "seed\nignored\n\nthe answer is always the same", ".receipt-rows");
    await seesText(page, '"model": "mock-echo"', ".vendor-request");
    assert(!(await textOf(page, ".vendor-request")).includes('"seed"'));
    // The other target of the alias can be looked at too.
    await page.click(".targets li:first-child button");
    await seesText(page, '"model": "mock-500"', ".vendor-request");
    await seesText(page, "answered by mock / mock-echo after 4 attempts", ".answer .answered");
  },

  async "a preview sends nothing, and a refused parameter is shown as the API says it"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "plain");
    await write(page, "Message", "Only look");
    const before = vendor.bodies.length;
    await click(page, "Preview");
    await seesText(page, '"content": "Only look"', ".vendor-request");
    await seesText(page, "nothing was sent", ".receipt");
    assertEquals(vendor.bodies.length, before);
    await pickModel(page, "mock-echo");
    await setParameter(page, "max_tokens", "1000");
    await click(page, "Preview");
    await seesText(page, "Cost at most\n$0.002", ".receipt");
    await setParameter(page, "seed", "7");
    await page.select(`aria/x-sluice-strict[role="combobox"]`, "true");
    await page.focus('textarea[aria-label="Message"]');
    await click(page, "Send");
    await seesText(page, "The provider does not support 'seed'", ".answer .error-box");
    await seesText(page, "unsupported_parameter", ".answer .error-box");
    await seesText(page, "param\nseed", ".answer .error-box");
    await click(page, "Receipt");
    await seesText(page, "Nothing is sent", ".receipt");
    assertEquals(await page.$$(".receipt .vendor-request"), []);
  },

  async "a pinned name that is not in the list has its facts"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo@mock");
    await seesText(page, "$1.00 in, $2.00 out; 8.2k", ".chip-facts");
    await send(page, "Hello");
    await seesText(page, "You said: Hello", ".answer");
  },

  async "a stream that breaks keeps its text and says why it ended"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-cut");
    await send(page, "one two three four five six seven eight");
    await seesText(page, "The answer was cut off", ".answer .error-box");
    assert((await textOf(page, ".answer .content")).startsWith("You said: one two"));
  },

  async "the receipt says what the vendor refused"(visit) {
    const { page } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-picky");
    await page.select(`aria/response_format[role="combobox"]`, "json_object");
    await setParameter(page, "max_tokens", "20");
    await send(page, "Say hello.");
    await seesText(page, "You said: Say hello.", ".answer");
    await click(page, "Receipt");
    await seesText(page, "response_format\nignored", ".receipt-rows");
    await seesText(page, "max_tokens\nrenamed", ".receipt-rows");
  },
});
