/** The built site in a browser, without a network: search, dark mode, and pages at three widths. */

import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { CHROMIUM, launchBrowser } from "../console/browser.ts";
import { needs } from "../support/needs.ts";

/** Where `deno task site` and the generator have written the site. */
const FOLDER = fileURLToPath(new URL("../../dist/site/.vitepress/dist", import.meta.url));

const TYPES: ReadonlyMap<string, string> = new Map([
  ["html", "text/html"],
  ["js", "text/javascript"],
  ["css", "text/css"],
  ["json", "application/json"],
  ["png", "image/png"],
]);

/** Words that the search must find, each on another page. */
const WORDS = ["drain_delay", "max_price_exceeded", "sentinel", "hedge", "pgbouncer"];

function isBuilt(): boolean {
  try {
    return Deno.statSync(`${FOLDER}/index.html`).isFile;
  } catch {
    return false;
  }
}

/** Serves the files of the site as a static host would. */
async function serveFile(request: Request): Promise<Response> {
  const path = decodeURIComponent(new URL(request.url).pathname);
  for (const name of [path, `${path}.html`, `${path}index.html`]) {
    const body = await Deno.readFile(FOLDER + name).catch(() => undefined);
    if (body === undefined) continue;
    const type = TYPES.get(name.split(".").at(-1) ?? "") ?? "application/octet-stream";
    return new Response(body, { headers: { "content-type": type } });
  }
  return new Response(null, { status: 404 });
}

/** Opens a page of the site in a window of a width, and collects requests to other hosts. */
async function open(browser: Browser, url: string, width: number, scheme = "light") {
  const page = await browser.newPage();
  const others: string[] = [];
  page.on("request", (sent) => {
    if (!/^(?:data|blob):/.test(sent.url()) && !sent.url().startsWith(new URL(url).origin)) {
      others.push(sent.url());
    }
  });
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(url, { waitUntil: "networkidle0" });
  return { page, others };
}

/** Searches a word, and waits until the first result is a page with that word. */
async function search(page: Page, word: string): Promise<void> {
  await page.click(".VPNavBarSearch button");
  await page.waitForSelector(".VPLocalSearchBox input");
  await page.$eval(".VPLocalSearchBox input", (input, word) => {
    input.value = word;
    input.dispatchEvent(new Event("input"));
  }, word);
  await page.waitForFunction(`(async () => {
    const found = document.querySelector(".VPLocalSearchBox a.result");
    const text = found === null ? "" : await (await fetch(found.href)).text();
    return text.toLowerCase().includes("${word}");
  })()`);
}

const missing = [
  ...(CHROMIUM === undefined ? ["Chromium"] : []),
  ...(isBuilt() ? [] : ["the site in dist/site"]),
].join(" and ");

Deno.test({
  ...needs(missing, missing === "", "the built site works offline, in the dark, at three widths"),
  async fn(t) {
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, serveFile);
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const browser = await launchBrowser();
    try {
      await t.step("the search finds five words without a network", async () => {
        for (const word of WORDS) {
          const { page, others } = await open(browser, `${origin}/docs/`, 1280);
          await search(page, word);
          assertEquals(others, []);
          await page.close();
        }
      });
      for (
        const [width, path, scheme] of [
          [390, "/", "light"],
          [820, "/docs/guides/production", "dark"],
          [1440, "/docs/reference/config/server", "light"],
          [390, "/docs/comparison", "dark"],
        ] as const
      ) {
        await t.step(`${path} fits into ${width} pixels, ${scheme}`, async () => {
          const { page } = await open(browser, origin + path, width, scheme);
          const isDark = await page.$("html.dark") !== null;
          const overflow = Number(
            await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
          );
          assertEquals([isDark, overflow <= 0], [scheme === "dark", true], `overflow ${overflow}`);
          if (Deno.env.has("SITE_PICTURES")) {
            const name = `${Deno.env.get("SITE_PICTURES")}/${width}_${scheme}.png`;
            await Deno.writeFile(name, await page.screenshot());
          }
          await page.close();
        });
      }
    } finally {
      await browser.close();
    }
  },
});
