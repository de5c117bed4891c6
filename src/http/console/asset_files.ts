/** The files of the console's page. Each is loaded with the first request for the page. */

/** Loads the text of a file. */
type LoadText = () => Promise<{ readonly default: string }>;

/** The page, whose links are relative to the other files. */
export const loadPage: LoadText = () => import("./assets/index.html", { with: { type: "text" } });

/** The other files by path. The folder `vendor` holds files of npm packages. */
export const ASSET_FILES: ReadonlyMap<string, LoadText> = new Map<string, LoadText>([
  ["styles.css", () => import("./assets/styles.css", { with: { type: "text" } })],
  ["main.js", () => import("./assets/main.js", { with: { type: "text" } })],
  ["lib/preact.js", () => import("./assets/lib/preact.js", { with: { type: "text" } })],
  ["lib/uplot.js", () => import("./assets/lib/uplot.js", { with: { type: "text" } })],
  ["vendor/preact.js", () => text(import("preact", { with: { type: "text" } }))],
  ["vendor/hooks.js", () => text(import("preact/hooks", { with: { type: "text" } }))],
  ["vendor/htm.js", () => text(import("htm", { with: { type: "text" } }))],
  ["vendor/uplot.js", () => import("uplot/dist/uPlot.iife.min.js", { with: { type: "text" } })],
  ["vendor/uplot.css", () => import("uplot/dist/uPlot.min.css", { with: { type: "text" } })],
]);

/** The text of a package's module. The types of its import describe the module instead. */
async function text(imported: Promise<unknown>): Promise<{ readonly default: string }> {
  return await imported as { readonly default: string };
}
