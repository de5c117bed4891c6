/** What axe-core finds in a page. */

import { assertEquals } from "@std/assert";
import axe from "axe-core";
import type { Page } from "puppeteer-core";

/** The rules that depend on the theme. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** What axe-core finds, from moderate on; by all rules unless some are given. */
async function audit(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = JSON.stringify({
    resultTypes: ["violations"],
    ...(rules && { runOnly: { type: "rule", values: rules } }),
  });
  const result = await page.evaluate(
    `axe.run(${options}).then(({ violations }) => JSON.stringify(violations))`,
  );
  const violations = JSON.parse(String(result)) as axe.Result[];
  return violations.filter(({ impact }) => impact !== "minor")
    .map(({ id, nodes }) =>
      `${id}: ${
        nodes.map(({ html, any }) =>
          `${html.slice(0, 200)} ${any.map(({ message }) => message).join("; ")}`
        ).join("\n  ")
      }`
    );
}

/** Checks the page as it is now, in both themes. */
export async function isAccessible(page: Page): Promise<void> {
  for (const [value, rules] of [["light"], ["dark", COLOR_RULES]] as const) {
    await page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value },
      // A color that is changing has no contrast to measure.
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    assertEquals(await audit(page, rules), [], `in the ${value} theme`);
  }
}
