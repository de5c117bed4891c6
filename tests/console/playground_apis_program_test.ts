/** The playground asks the Messages and the Responses API, and embeddings. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { isAccessible } from "./accessible.ts";
import { browserTests, openView, seesText, type Visit } from "./browser.ts";
import { click, pickModel, read, send, setParameter, write } from "./playground_support.ts";

const TOOLS = JSON.stringify([{ type: "function", function: { name: "weather" } }]);

/** Opens the playground; returns the requests to models, without explanations. */
async function open(visited: Visit): Promise<{ path: string; body: Record<string, unknown> }[]> {
  const { page, gateway } = visited;
  await openView(visited, "playground", {});
  await page.waitForSelector(".example-list");
  const sent: { path: string; body: Record<string, unknown> }[] = [];
  page.on("request", (request) => {
    if (request.method() !== "POST" || request.headers()["x-sluice-explain"] !== undefined) return;
    const path = request.url().slice(gateway.url.length);
    sent.push({ path, body: JSON.parse(request.postData() ?? "{}") });
  });
  return sent;
}

/** Chooses an API, and waits for what it loads. */
async function chooseApi(page: Page, api: string): Promise<void> {
  await page.select("select[aria-label=API]", api);
  if (api === "embeddings") await page.waitForSelector("textarea[aria-label=Texts]");
  else await page.waitForNetworkIdle({ idleTime: 100 });
}
const lastAnswer = ".turn:last-of-type .answer:last-of-type";

browserTests("other APIs in the playground in Chromium", {
  config: {
    providers: {
      mock: {
        kind: "mock",
        models: [
          { id: "mock-echo", prices: { input: 1, output: 2 } },
          { id: "mock-embed", capabilities: { embeddings: true } },
        ],
      },
    },
  },
  tests: {
    "Messages and Responses are streamed, continued after a tool, and have receipts": async (
      visit,
    ) => {
      const { page } = visit;
      const sent = await open(visit);
      await pickModel(page, "mock-echo");
      await page.type("#system", "Be kind");
      for (const [api, path] of [["messages", "/v1/messages"], ["responses", "/v1/responses"]]) {
        await chooseApi(page, api ?? "");
        await send(page, `By ${api}`);
        await seesText(page, `You said: By ${api}`, lastAnswer);
        await seesText(page, "Cost", `${lastAnswer} .figures`);
        assertEquals(sent.at(-1)?.path, path);
        // The receipt explains this request.
        await seesText(page, "answered", ".receipt-panel .sent-requests");
      }
      const [first, second] = sent.map(({ body }) => body);
      // Messages requires a maximum: it is a setting that the person sees.
      assertEquals([first?.max_tokens, second?.max_output_tokens], [1024, 1024]);
      assertEquals([first?.system, second?.instructions], ["Be kind", "Be kind"]);
      const input = second?.input as { content: string }[];
      assertEquals(input.map(({ content }) => content), [
        ...["By messages", "You said: By messages", "By responses"],
      ]);
      await page.evaluate(`(() => {
        const field = document.querySelector("#tools");
        field.value = ${JSON.stringify(TOOLS)};
        field.dispatchEvent(new Event("input", { bubbles: true }));
      })()`);
      for (const api of ["messages", "responses"]) {
        await chooseApi(page, api);
        await send(page, `Use weather by ${api}`);
        await seesText(page, "weather", `${lastAnswer} .tool-call`);
        await write(page, "Result of weather", "cold");
        await click(page, "Send the result");
        await page.waitForFunction(
          `document.querySelectorAll(".turn:last-of-type .answer").length === 2 &&
            document.querySelector(".composer .primary") !== null`,
        );
        assert(JSON.stringify(sent.at(-1)?.body).includes('"cold"'));
        assertEquals(await page.$$(".error-box"), []);
        await page.evaluate(
          `[...document.querySelectorAll(".turn textarea")].forEach((field) => field.remove())`,
        );
      }
      await page.waitForFunction(
        `sessionStorage.getItem("sluice.playground")?.includes('"api":"responses"')`,
      );
      await page.reload();
      await seesText(page, "You said: By messages", ".turn");
      assertEquals(
        await read(page, `document.querySelector("select[aria-label=API]").value`),
        "responses",
      );
    },

    "what an API does not have is refused, and the request is copied for its client": async (
      visit,
    ) => {
      const { page } = visit;
      const sent = await open(visit);
      await pickModel(page, "mock-echo");
      await setParameter(page, "seed", "7");
      await chooseApi(page, "messages");
      await send(page, "Hello");
      await seesText(page, "seed: the Messages API does not have it", ".composer [role=alert]");
      assertEquals(sent, []);
      await click(page, "Clear 2");
      await setParameter(page, "max_tokens", "20");
      await click(page, "Copy as");
      await seesText(page, "/v1/messages'", "dialog .code-box");
      await click(page, "Python");
      await seesText(page, "from anthropic import Anthropic", "dialog .code-box");
      await seesText(page, "max_tokens=20", "dialog .code-box");
    },

    "embeddings show dimensions, a table of cosines and a receipt": async (visit) => {
      const { page } = visit;
      const sent = await open(visit);
      await chooseApi(page, "embeddings");
      await write(page, "Texts", "the cat sat on the mat\nthe cat sat on a mat\n<b>prices</b>");
      await page.type("[aria-label=dimensions]", "x");
      await click(page, "Embed");
      await seesText(page, "dimensions: Must be a whole number", ".embeddings [role=alert]");
      assertEquals(sent, []);
      await page.keyboard.press("Tab");
      await page.focus("[aria-label=dimensions]");
      await page.keyboard.press("Backspace");
      await click(page, "Embed");
      await seesText(page, "Most alike: 1 and 2", ".embeddings");
      assertEquals(sent.length, 1);
      assertEquals(Object.keys(sent[0]?.body ?? {}), ["model", "input"]);
      const rows: string[][] = await read(
        page,
        `[...document.querySelectorAll(".cosines tbody tr")]
          .map((row) => [...row.children].map(({ innerText }) => innerText))`,
      );
      assertEquals(rows.map(([name]) => name), [
        ...["1: the cat sat on the mat", "2: the cat sat on a mat", "3: <b>prices</b>"],
      ]);
      assertEquals(rows.map((row, at) => row[at + 1]), ["1.000", "1.000", "1.000"]);
      assertEquals(rows[0]?.[2], rows[1]?.[1]);
      await seesText(page, "64", ".embeddings .figures");
      await seesText(page, "/embeddings", ".receipt-panel .sent-requests");
      await isAccessible(page);
      await page.waitForFunction(`!document.querySelector(".embeddings .primary").disabled`);
      await click(page, "Copy as");
      await seesText(page, "/v1/embeddings'", "dialog .code-box");
      await page.keyboard.press("Escape");
      for (const width of [390, 1920]) {
        await page.setViewport({ width, height: 844 });
        assertEquals(await read(page, "document.documentElement.scrollWidth"), width);
      }
    },
  },
});
