/** Several answers of each model, settings of one model, and the estimate before sending. */

import { assert, assertEquals } from "@std/assert";
import { isAccessible } from "./accessible.ts";
import { browserTests, openView, seesText, SERVICE_KEY, textOf } from "./browser.ts";
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

const COUNT = "select[aria-label='Answers of each model']";
const ended = `document.querySelector(".composer .primary") !== null`;

playgroundTests("several answers of each model in Chromium", {
  async "each model writes several answers, with their medians; one is chosen and kept"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "mock-echo");
    await click(page, "Compare");
    await pickModel(page, "plain", 1);
    await page.select(COUNT, "3");
    await send(page, "Hello you");
    await seesText(page, "3 of 3", ".medians tbody tr:nth-child(1)");
    await seesText(page, "3 of 3", ".medians tbody tr:nth-child(2)");
    await page.waitForFunction(ended);
    assertEquals(vendor.bodies.filter(({ model }) => model === "plain").length, 3);
    // 3 tokens in at 1 dollar per million, 5 out at 2 dollars; the other model has no price.
    const cells: string[] = await read(
      page,
      `[...document.querySelectorAll(".medians tbody tr:first-child td")]
        .map(({ innerText }) => innerText)`,
    );
    const [, , , output, cost, sum] = cells;
    const each = Number(cost?.slice(1));
    assert(Number(output) > 0 && each > 0, cells.join());
    assertEquals(Number(sum?.slice(1)).toFixed(6), (3 * each).toFixed(6));
    assertEquals((await textOf(page, ".medians .sum")).includes("3 unknown"), true);
    const selected = `document.querySelector(".receipt-panel a.mono").innerText`;
    const first = await read(page, selected);
    await page.evaluate(
      `document.querySelector("[aria-label='Answers of plain'] button:nth-child(2)").click()`,
    );
    await page.waitForFunction(`${selected} !== ${JSON.stringify(first)}`);
    const pressed = `[...document.querySelectorAll(".run-choice button[aria-pressed=true]")]
      .map(({ innerText }) => innerText)`;
    assertEquals(await read(page, pressed), ["1", "2"]);
    await page.waitForFunction(
      `sessionStorage.getItem("sluice.playground")?.includes('"at":1')`,
    );
    await page.reload();
    await seesText(page, "3 of 3", ".medians tbody tr:nth-child(2)");
    assertEquals(await read(page, pressed), ["1", "2"]);
    assertEquals(await read(page, `document.querySelector("${COUNT}").value`), "3");
    // The next message continues with the chosen answer, once for each of its answers.
    await page.select(COUNT, "1");
    await send(page, "And now?");
    await page.waitForFunction(`document.querySelectorAll(".turn").length === 2 && ${ended}`);
    const { messages } = vendor.bodies.at(-1);
    assertEquals(messages.map(({ content }: { content: string }) => content), [
      ...["Hello you", "Seen.", "And now?"],
    ]);
  },

  async "the answers of a model are written one after another, and Stop ends all of them"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "endless");
    await page.select(COUNT, "3");
    const before = vendor.bodies.length;
    await send(page, "Go on");
    await seesText(page, "more more", ".answer");
    await page.evaluate(`document.querySelector(".run-choice button:nth-child(3)").click()`);
    await seesText(page, "After the answer before it", ".answer");
    await click(page, "Stop");
    await seesText(page, "stopped", ".answer .badge");
    await page.waitForFunction(ended);
    await seesText(page, "0 of 3", ".medians tbody");
    assertEquals(vendor.bodies.length, before + 1);
  },

  async "a model has its own settings, which are sent, shown, kept and shared"(visit) {
    const { page, vendor } = visit;
    await openPlayground(visit);
    await pickModel(page, "plain");
    await click(page, "Compare");
    await pickModel(page, "markdown", 1);
    await page.type("#system", "Be kind");
    await setParameter(page, "temperature", "1");
    await click(page, "Settings of model 2");
    await page.waitForSelector("dialog[open] .parameter");
    const [temperature, tokens] = await page.$$("dialog .parameter input");
    await temperature?.type("0.2");
    await tokens?.type("x");
    await seesText(page, "Must be a whole number", "dialog");
    await click(page, "Done");
    await write(page, "Message", "Hi");
    await click(page, "Send");
    await seesText(page, "Correct 'max_tokens'", ".composer [role=alert]");
    await click(page, "Settings of model 2: temperature 0.2, max_tokens x");
    await page.waitForSelector("dialog[open] .parameter");
    await (await page.$$("dialog .parameter input"))[1]?.press("Backspace");
    await (await page.$$("dialog .parameter input"))[1]?.type("7");
    await (await page.$$("dialog [type=checkbox]"))[1]?.click();
    await seesText(page, "", "dialog textarea");
    await page.type("dialog textarea", "!");
    await click(page, "Done");
    await seesText(page, "temperature 0.2", ".model-column:nth-child(2) .facts");
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
    await seesText(page, "max_tokens 7", ".model-column:nth-child(2) .facts");
    // A link says what it brings before it is opened, and opening sends nothing.
    await page.evaluate(
      `navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve(); }`,
    );
    await click(page, "Save and open");
    await click(page, "Copy a link");
    await seesText(page, "The link is copied", "dialog");
    const link = await read<string>(page, "globalThis.copied");
    await page.keyboard.press("Escape");
    const sent = vendor.bodies.length;
    await page.evaluate(`sessionStorage.removeItem("sluice.playground")`);
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(link).hash)}`);
    await seesText(page, "temperature 0.2 (model 2)", "dialog");
    await click(page, "Open it");
    await seesText(page, "own system message", ".model-column:nth-child(2) .facts");
    assertEquals(vendor.bodies.length, sent);
  },
});

browserTests("the estimate before sending in Chromium", {
  config: {
    server: {
      keys: [{ name: "console", key: SERVICE_KEY, budget: { usd: 0.01, per: "total" } }],
    },
    providers: {
      mock: {
        kind: "mock",
        models: [
          { id: "mock-echo", prices: { input: 1, output: 2 }, max_output_tokens: 1000 },
          { id: "mock-slow", prices: { input: 5, output: 20 }, max_output_tokens: 1000 },
        ],
      },
    },
  },
  tests: {
    "tokens, cost and the budget are estimated for all models and answers": async (visit) => {
      const { page, gateway } = visit;
      await openView(visit, "playground", {});
      await page.waitForSelector(".example-list");
      await pickModel(page, "mock-echo");
      const explained: string[] = [];
      page.on("request", (request) => {
        const url = request.url().slice(gateway.url.length);
        if (request.method() === "POST") {
          explained.push(`${url} ${request.headers()["x-sluice-explain"] ?? "sent"}`);
        }
      });
      await click(page, "Estimate");
      await seesText(page, "Write a message", ".estimate");
      assertEquals(explained, []);
      await write(page, "Message", "Hello");
      // 500 tokens of output are expected of a model that has not answered yet: $0.001 for each.
      await seesText(page, "$0.00100", ".estimate tbody");
      await seesText(page, "1,000", ".estimate tbody");
      await seesText(page, "Budget: $0.01", ".estimate .badge.good");
      await page.select(COUNT, "5");
      await seesText(page, "5 requests", ".estimate tfoot");
      await seesText(page, "$0.0050", ".estimate tfoot");
      await page.select(COUNT, "10");
      await seesText(page, "It would use up the budget", ".estimate .badge.bad");
      await page.select(COUNT, "1");
      await click(page, "Compare");
      await pickModel(page, "mock-slow", 1);
      await seesText(page, "It would use up the budget", ".estimate .badge.bad");
      await setParameter(page, "max_tokens", "300");
      await seesText(page, "$0.006", ".estimate tbody");
      await seesText(page, "Budget: $0.01", ".estimate .badge.good");
      await isAccessible(page);
      assert(explained.length >= 3);
      assertEquals(new Set(explained), new Set(["/v1/chat/completions true"]));
    },

    // After it: answers change what is expected of a model.
    "comparisons of all kinds are accessible in both themes, and fit a phone": async (visit) => {
      const { page } = visit;
      await openView(visit, "playground", {});
      await page.waitForSelector(".example-list");
      await pickModel(page, "mock-echo");
      await click(page, "Compare");
      await page.select(COUNT, "2");
      await setParameter(page, "max_tokens", "40");
      await click(page, "Settings of model 2");
      await page.waitForSelector("dialog .check");
      await page.evaluate(`[...document.querySelectorAll("dialog .check input")].at(-1).click()`);
      await page.waitForSelector("dialog textarea");
      await isAccessible(page);
      await page.keyboard.press("Escape");
      await send(page, "Hello");
      await seesText(page, "2 of 2", ".medians tbody tr:last-child");
      await click(page, "Differences");
      await seesText(page, "The same text", ".differences");
      await click(page, "Fold the answer of mock-echo");
      await isAccessible(page);
      for (const width of [390, 1920]) {
        await page.setViewport({ width, height: 844 });
        assertEquals(await read(page, "document.documentElement.scrollWidth"), width);
      }
    },
  },
});
