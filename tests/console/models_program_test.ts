/**
 * The view of the models: facts, routes, breakers as they are now, and many names; and the settings of
 * clients.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { untilReply } from "../support/elapse.ts";
import { browserTests, hasRequests, openView, PATIENCE_MS, seesText, textOf } from "./browser.ts";

/** 50 providers with 10 models each; each second model is at two of them. */
const MANY = Object.fromEntries(
  Array.from({ length: 50 }, (_, provider) => [`pool-${provider}`, {
    kind: "mock",
    models: Array.from({ length: 10 }, (_, index) => ({
      ...{ id: `model-${provider}-${index}`, upstream: "mock-echo", context_window: 1000 + index },
      prices: { input: provider / 10, output: index },
    })),
  }]),
);
/** Milliseconds for the fastest search, and for each one on a machine that runs other tests too. */
const MAX_BEST_MS = 1000;
const MAX_SEARCH_MS = 4000;

const CONFIG = {
  providers: {
    east: {
      kind: "mock",
      models: [
        {
          id: "good",
          upstream: "mock-echo",
          context_window: 128_000,
          prices: { input: 1, output: 2 },
        },
        { id: "<img src=x>", upstream: "mock-echo", description: "</td><script>" },
      ],
    },
    west: { kind: "mock", retries: 0, models: [{ id: "bad", upstream: "mock-500" }, "mock-think"] },
    north: { kind: "mock", models: [{ id: "good", upstream: "mock-slow" }] },
  },
  aliases: {
    best: {
      targets: [
        [{ model: "good@east", weight: 3 }, { model: "bad", weight: 1 }],
        { model: "mock-think", when: ["context_length"] },
      ],
      balance: "weighted",
      description: "What we use",
    },
    "any-*": "good",
  },
};

/** The text of the row of a name, with single spaces. */
function rowOf(name: string): string {
  return `[...document.querySelectorAll("main tbody tr")]
    .find((row) => row.querySelector("a").innerText === ${JSON.stringify(name)})
    ?.innerText.replace(/\\s+/g, " ")`;
}

browserTests("the console's view of the models", {
  config: CONFIG,
  tests: {
    "it shows every name with its facts and attempts": async (visited) => {
      const { page, gateway } = visited;
      const messages = [{ role: "user", content: "Hi" }];
      for (const model of ["good", "good", ...Array(5).fill("bad")]) {
        await (await gateway.call("/v1/chat/completions", { model, messages })).body?.cancel();
      }
      await hasRequests(gateway, 7);
      await openView(visited, "models");
      await page.waitForFunction(`${rowOf("bad")} !== undefined`);
      assertMatch(
        String(await page.evaluate(rowOf("good"))),
        /^good – OK east \$1\.00 \$2\.00 128k .* 100 % 2 $/,
      );
      assertMatch(
        String(await page.evaluate(rowOf("bad"))),
        /^bad – Failing west .* 0 % \d+ $/,
      );
      assertMatch(
        String(await page.evaluate(rowOf("good@north"))),
        /^good@north Pinned Unused north/,
      );
      assertMatch(
        String(await page.evaluate(rowOf("best"))),
        /^best Alias .* east, west → west/,
      );
      assertMatch(String(await page.evaluate(rowOf("any-*"))), /^any-\* Pattern \S+ east/);
      assertEquals(await page.$$('img[src="x"]'), []);
      assertMatch(String(await page.evaluate(rowOf("<img src=x>"))), /^<img src=x>/);
    },

    "an alias is a graph with its weights, conditions and breakers of now": async (visited) => {
      const { page, gateway } = visited;
      await openView(visited, "models/best");
      await seesText(page, "What we use", ".model-details");
      const steps = await page.$$eval(
        ".route-step",
        (found) =>
          found.map((step) =>
            (step as unknown as { innerText: string }).innerText.replace(/\s+/g, " ")
          ),
      );
      assertMatch(
        steps[0] ?? "",
        /^first 2 equals: by weight mock-echo .*east \(mock\) · 75 %.* mock-500 .*west \(mock\) · 25 %/,
      );
      assertMatch(steps[1] ?? "", /^after context length mock-think/);
      assertEquals(steps.length, 2);
      const messages = [{ role: "user", content: "Hi" }];
      // A breaker is open for 30 seconds; a page that is later than that sees the next ones.
      await untilReply(async () => {
        for (let count = 0; count < 6; count++) {
          const body = { model: "bad", messages };
          await (await gateway.call("/v1/chat/completions", body)).body?.cancel();
        }
        const shown = await textOf(page, ".route-target.broken");
        return shown.includes("Open") && shown.includes("tries again in");
      }, PATIENCE_MS);
      await gateway.call("/v1/admin/providers/west/reset", {}).then((done) => done.body?.cancel());
      await page.waitForFunction(`document.querySelector(".route-target.broken") === null`);
    },

    "the search finds names, providers and vendors' names; columns sort": async (visited) => {
      const { page } = visited;
      await openView(visited, "models");
      await page.waitForSelector("main tbody tr");
      const names = () =>
        page.$$eval(
          "main tbody th a",
          (found) => found.map((link) => (link as unknown as { innerText: string }).innerText),
        );
      await page.locator('input[type="search"]').fill("mock-slow north");
      await seesText(page, "1 of 8 names");
      assertEquals(await names(), ["good@north"]);
      await page.click('input[type="search"]', { count: 3 });
      await page.keyboard.press("Backspace");
      await seesText(page, "8 of 8 names");
      await page.locator("::-p-aria(Aliases)").click();
      await page.waitForFunction(`document.querySelectorAll("main tbody tr").length === 1`);
      assertEquals(await names(), ["best"]);
      await page.locator("::-p-aria(All)").click();
      await page.locator("thead th:nth-child(4) button").click();
      await page.waitForFunction(`document.querySelector('th[aria-sort="descending"]') !== null`);
      assertMatch((await names())[0] ?? "", /^(good|bad|best|any)/);
    },

    "'Try' opens the playground with the model": async (visited) => {
      const { page } = visited;
      await openView(visited, "models");
      await page.waitForSelector("main tbody tr");
      await page.locator("::-p-aria(Actions: mock-think)").click();
      await page.locator("::-p-aria(Try)").click();
      await page.waitForFunction(
        `document.querySelector("input[role=combobox]")?.value === "mock-think"`,
      );
    },

    "a service key sees the names that it may use, and its own attempts": async (visited) => {
      const { page } = visited;
      await openView(visited, "models", {});
      await seesText(page, "The names that your key may use, and where they go.");
      await page.waitForFunction(`${rowOf("good")} !== undefined`);
    },

    "an unknown name in the address is said to be unknown": async (visited) => {
      await openView(visited, "models/nothing");
      await seesText(visited.page, "There is no model nothing.");
    },
  },
});

browserTests("the console's view of many models", {
  config: { providers: MANY, aliases: { first: "model-0-0" } },
  tests: {
    "500 models of 50 providers stay fluent": async (visited) => {
      const { page } = visited;
      await openView(visited, "models");
      await seesText(page, "501 of 501 names");
      await page.waitForSelector('table[aria-rowcount="502"]');
      assert((await page.$$("main tbody tr")).length < 100);
      const search = async (text: string, shown: string) => {
        const ms = await page.evaluate(`new Promise((resolve) => {
          const input = document.querySelector('input[type="search"]');
          const begun = performance.now();
          input.value = ${JSON.stringify(text)};
          input.dispatchEvent(new Event("input", { bubbles: true }));
          const check = () => document.querySelector('.row > [role=status]').innerText.trim() ===
            ${
          JSON.stringify(shown)
        } ? resolve(performance.now() - begun) : requestAnimationFrame(check);
          check();
        })`);
        assert(Number(ms) < MAX_SEARCH_MS, `${text} took ${ms} ms`);
        return Math.round(Number(ms));
      };
      const times = [
        await search("pool-7", "10 of 501 names"),
        await search("", "501 of 501 names"),
        await search("model-4 echo", "110 of 501 names"),
      ];
      assert(Math.min(...times) < MAX_BEST_MS, `the fastest search took ${Math.min(...times)} ms`);
      assertMatch(await textOf(page, "main"), /model-4/);
    },
  },
});

browserTests("the console's view of clients", {
  config: { providers: { mock: { kind: "mock", models: ["smart", "fast"] } } },
  tests: {
    "it shows what a client is set to for this address, and copies it": async (visit) => {
      const { page } = visit;
      await openView(visit, "clients");
      await seesText(page, "ANTHROPIC_BASE_URL");
      await page.select("select", "codex");
      await seesText(page, 'model_provider = "sluice"');
      const text = await textOf(page, ".code-box");
      assertStringIncludes(text, `base_url = "${new URL(page.url()).origin}/v1"`);
      await page.evaluate(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
      );
      await page.locator("::-p-aria(Copy settings for Codex)").click();
      await page.waitForFunction("window.copied !== undefined");
      assertEquals(String(await page.evaluate("window.copied")).trim(), text.trim());
    },

    "the details of a model lead to the settings with that model": async (visit) => {
      const { page } = visit;
      await openView(visit, "models/fast");
      await page.locator("::-p-aria(Copy settings for a client)").click();
      await seesText(page, "With the model fast");
      await seesText(page, '"model": "fast"', ".code-box");
      await page.locator("::-p-aria(Use the usual one)").click();
      await seesText(page, '"model": "smart"', ".code-box");
      await page.evaluate(`location.hash = "#/clients?model=none"`);
      await seesText(page, "must be a model of GET /v1/models", ".error-box");
    },

    "another operating system has other paths, and clients without a file have steps": async (
      visit,
    ) => {
      const { page } = visit;
      await openView(visit, "clients");
      await seesText(page, "settings.json");
      await page.locator("::-p-aria(Windows)").click();
      await seesText(page, "%USERPROFILE%\\.claude\\settings.json");
      await page.select("select", "cursor");
      await seesText(page, "What to enter");
      await seesText(page, "Copy settings for Cursor");
    },
  },
});
