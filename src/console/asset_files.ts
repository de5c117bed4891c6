// deno-fmt-ignore-file
/**
 * The files of the console's page. Each is loaded with the first request for the page. `deno task
 * assets` writes them and this list from the folder `assets`.
 */

/** Loads the text of a file. */
type LoadText = () => Promise<{ readonly default: string }>;

/** The page, whose links are relative to the other files. */
export const loadPage: LoadText = () =>
  import("./files/index.html", { with: { type: "text" } });

/** The other files by path. */
export const ASSET_FILES: ReadonlyMap<string, LoadText> = new Map<string, LoadText>([
  ["all.css", () => import("./files/all.css", { with: { type: "text" } })],
  ["icon.svg", () => import("./files/icon.svg", { with: { type: "text" } })],
  ["main.js", () => import("./files/main.js", { with: { type: "text" } })],
  ["reports.js", () => import("./files/reports.js", { with: { type: "text" } })],
  ["shared1.js", () => import("./files/shared1.js", { with: { type: "text" } })],
  ["shared2.js", () => import("./files/shared2.js", { with: { type: "text" } })],
  ["shared3.js", () => import("./files/shared3.js", { with: { type: "text" } })],
  ["tools.js", () => import("./files/tools.js", { with: { type: "text" } })],
]);

/** The digests of the folder `assets` and of the written files. Exported for tests. */
export const DIGESTS = {
  sources: "FzRjAEmzCXpLhwgACYPkUSgpwynwY8mWqZ1JGGlGMsc",
  files: "6hCoPsHBe-PNHpv_XlzK8Ver_0Fq_qVCBno4XHw9kZI",
} as const;
