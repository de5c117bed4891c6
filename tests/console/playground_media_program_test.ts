/** Images, speech, transcriptions and rankings of the playground, in a browser. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { isAccessible } from "./accessible.ts";
import { browserTests, openView, seesText, type Visit } from "./browser.ts";
import { click, read } from "./playground_support.ts";

const free = { input: 0, output: 0 };
const MODELS = [
  { id: "mock-echo", prices: { input: 1, output: 2 } },
  { id: "painter", capabilities: { images: true }, prices: { ...free, image: 0.04 } },
  { id: "speaker", capabilities: { speech: true }, prices: { ...free, million_characters: 15 } },
  { id: "listener", capabilities: { transcription: true }, prices: { ...free, minute: 0.006 } },
  { id: "ranker", capabilities: { rerank: true } },
  { id: "embedder", capabilities: { embeddings: true } },
];

/** Opens a kind; returns the requests for answers, by path. */
async function open(visited: Visit, kind: string): Promise<string[]> {
  const { page, gateway } = visited;
  await openView(visited, "playground", {});
  const paths: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") paths.push(request.url().slice(gateway.url.length));
  });
  await click(page, kind);
  await page.waitForSelector(".media");
  return paths;
}

/** The names in the list of models. */
async function offered(page: Page): Promise<string[]> {
  await (await page.$("input[role=combobox]"))?.click();
  await page.waitForSelector("[role=option]");
  const names = await read<string[]>(
    page,
    `[...document.querySelectorAll("[role=option] > span:first-child")]
      .map(({ innerText }) => innerText)`,
  );
  await page.keyboard.press("Escape");
  return names;
}

/** Writes into the field of a name. */
async function fill(page: Page, name: string, text: string): Promise<void> {
  const field = await page.waitForSelector(`aria/${name}[role="textbox"]`);
  await field?.type(text);
}

browserTests("media in the playground in Chromium", {
  config: { providers: { mock: { kind: "mock", models: MODELS } } },
  tests: {
    "only models that chat are offered for chat, and kinds exist where models do": async (
      visit,
    ) => {
      const { page } = visit;
      await openView(visit, "playground", {});
      await page.waitForSelector("[aria-label=Kind]");
      const kinds = `[...document.querySelectorAll("[aria-label=Kind] button")]
        .map(({ innerText }) => innerText)`;
      assertEquals(await read(page, kinds), [
        ...["Chat", "Image", "Speech", "Transcription", "Rerank"],
      ]);
      assertEquals(await offered(page), ["mock-echo"]);
      await page.goto(`${visit.gateway.url}/#/playground?model=ranker`);
      await page.waitForSelector(".media[aria-label=Rerank]");
      await page.goto(`${visit.gateway.url}/#/playground?model=embedder`);
      await seesText(page, "nothing to try with embedder", ".playground .notice");
    },

    "an image is created, with its price and its request, and the fields stay": async (visit) => {
      const { page } = visit;
      const paths = await open(visit, "Image");
      await seesText(page, "$0.04 per image", ".chip-facts");
      await click(page, "Create");
      await seesText(page, "Must not be empty", ".media-form");
      assertEquals(paths, []);
      await fill(page, "prompt", "A lighthouse");
      await fill(page, "n", "2");
      await click(page, "Create");
      await page.waitForFunction(
        `[...document.querySelectorAll(".media-images img")]
          .filter(({ alt, naturalWidth }) => alt === "A lighthouse" && naturalWidth > 0).length === 2`,
      );
      assertEquals(paths, ["/v1/images/generations"]);
      await seesText(page, "mock / painter", ".media-answer .figures");
      await isAccessible(page);
      await click(page, "Copy as");
      await seesText(page, "/v1/images/generations'", "dialog .code-box");
      await click(page, "Close");
      for (const width of [390, 1024, 1920]) {
        await page.setViewport({ width, height: 844 });
        assertEquals(await read(page, "document.documentElement.scrollWidth"), width);
      }
      await page.waitForFunction(
        `sessionStorage.getItem("sluice.playground")?.includes("A lighthouse")`,
      );
      await page.reload();
      await page.waitForFunction(
        `document.querySelector(".media textarea")?.value === "A lighthouse"`,
      );
      await page.waitForFunction(
        `[...document.querySelectorAll(".media-images img")]
          .filter(({ naturalWidth }) => naturalWidth > 0).length === 2`,
      );
      await seesText(page, "mock / painter", ".media-answer .figures");
    },

    "a text is spoken, played and offered as a file": async (visit) => {
      const { page } = visit;
      const paths = await open(visit, "Speech");
      await fill(page, "input", "Good morning");
      await click(page, "Speak");
      await page.waitForSelector(`::-p-aria(Play):not([disabled])`);
      await seesText(page, "audio/wav", ".media-answer");
      await click(page, "Play");
      assert(
        await read(page, `document.querySelector("a[download=speech]").href.startsWith("blob:")`),
      );
      await page.waitForFunction(
        `sessionStorage.getItem("sluice.playground")?.includes("audio/wav;")`,
      );
      await page.reload();
      await page.waitForSelector(`::-p-aria(Play):not([disabled])`);
      await seesText(page, "audio/wav", ".media-answer");
      assertEquals(paths, ["/v1/audio/speech"]);
      await isAccessible(page);
    },

    "a file is transcribed": async (visit) => {
      const { page } = visit;
      const paths = await open(visit, "Transcription");
      await click(page, "Transcribe");
      await seesText(page, "Choose a file", ".media-form .fault");
      const path = await Deno.makeTempFile({ suffix: ".mp3" });
      try {
        await Deno.writeFile(path, new Uint8Array(64));
        const input = await page.waitForSelector<"input[type=file]">("input[type=file]");
        await input?.uploadFile(path);
        await seesText(page, "64 B", ".media-form .hint");
        await click(page, "Transcribe");
        await page.waitForSelector(".media-answer .plain-text");
        await page.waitForSelector(".media-answer .figures");
      } finally {
        await Deno.remove(path);
      }
      assertEquals(paths, ["/v1/audio/transcriptions"]);
      assertEquals(await page.$$(".error-box"), []);
      await isAccessible(page);
    },

    "documents are ranked, as texts, and a refusal is shown": async (visit) => {
      const { page } = visit;
      const paths = await open(visit, "Rerank");
      await fill(page, "query", "lighthouse");
      await fill(page, "documents", "a harbor\na <b>lighthouse</b>");
      await click(page, "Rank");
      await seesText(page, "a <b>lighthouse</b>", ".media-ranking tbody tr:first-child");
      assertEquals(paths, ["/v1/rerank"]);
      await isAccessible(page);
      await page.evaluate(`fetch = () => Promise.resolve(Response.json(
        { error: { message: "No <i>credit</i>", type: "rate_limit_error" } }, { status: 429 }))`);
      await click(page, "Rank");
      await seesText(page, "No <i>credit</i>", ".media-answer .error-box");
    },
  },
});
