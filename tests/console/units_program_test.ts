/** Units besides tokens in the views of usage and of requests. */

import { assertEquals, assertMatch } from "@std/assert";
import { UNIT_NAMES } from "../../src/core/units.ts";
import { UNITS, usedUnits } from "../../src/console/assets/views/shared/units.js";
import { browserTests, hasRequests, openView, seesText, textOf } from "./browser.ts";

Deno.test("every unit of the ledger has a title and a text", () => {
  assertEquals(UNITS.map(({ id }) => id), [...UNIT_NAMES]);
  const entry = { searches: 1, images: 1200, characters: 0, seconds: 200.4 };
  assertEquals(
    usedUnits([null, entry]).map(({ id, title, text }) => [title, text(entry[id as "images"])]),
    [["Searches", "1"], ["Images", "1,200"], ["Audio", "3 min 20 s"]],
  );
});

browserTests("units in the console", {
  config: { providers: { mock: { kind: "mock", models: ["mock-echo"] } } },
  prepare: async (gateway) => {
    const model = "mock-echo";
    for (
      const [path, body] of [
        ["/v1/images/generations", { model, prompt: "a cat", n: 3 }],
        ["/v1/audio/speech", { model, input: "Hello", voice: "alloy" }],
        ["/v1/rerank", { model, query: "a", documents: ["a", "b"] }],
      ] as const
    ) await (await gateway.call(path, body)).body?.cancel();
    await hasRequests(gateway, 3);
  },
  tests: {
    "the view of usage has the units that were used": async (visit) => {
      const { page } = visit;
      await openView(visit, "usage?range=24h");
      await seesText(page, "mock-echo", "main section table");
      const totals = await textOf(page, ".figure-grid");
      assertMatch(totals, /Searches\s+1\b[^]*Images\s+3\b[^]*Characters spoken\s+5\b/);
      const heads = await textOf(page, "main section table thead");
      assertMatch(heads, /Searches\s+Images\s+Characters spoken\s+p50/);
      assertEquals(heads.includes("Audio"), false);
    },

    "a request has its units": async (visit) => {
      const { page } = visit;
      await openView(visit, "requests");
      await seesText(page, "3 shown");
      // The oldest is the last one.
      await page.locator("main tbody tr:last-child a").click();
      await seesText(page, "Images", ".details");
      const text = await textOf(page, ".details");
      assertMatch(text, /Images\s+3\b/);
      assertEquals(/Searches|Characters/.test(text), false);
    },
  },
});
