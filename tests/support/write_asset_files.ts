/** Writes the list of the console's files: `deno task assets`. */

const FOLDER = new URL("../../src/console/", import.meta.url);

/** The list, which the task writes. */
export const LIST = new URL("asset_files.ts", FOLDER);

/** The file that is the page itself. */
const PAGE = "index.html";

/** Files of npm packages by their path below `assets/`: the name that code imports. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ["vendor/preact.js", "preact"],
  ["vendor/hooks.js", "preact/hooks"],
  ["vendor/htm.js", "htm"],
]);

/** The text of the list for the files that are there now. */
export function writeAssetFiles(): string {
  const own = filesBelow("").filter((path) => path !== PAGE).sort();
  const rows = [
    ...own.map((path) => row(path, `import("./assets/${path}", { with: { type: "text" } })`)),
    ...[...PACKAGES].map(([path, name]) =>
      row(path, `text(import("${name}", { with: { type: "text" } }))`)
    ),
  ];
  return `// deno-fmt-ignore-file
/**
 * The files of the console's page. Each is loaded with the first request for the page. This list is
 * written by \`deno task assets\`.
 */

/** Loads the text of a file. */
type LoadText = () => Promise<{ readonly default: string }>;

/** The page, whose links are relative to the other files. */
export const loadPage: LoadText = () => import("./assets/${PAGE}", { with: { type: "text" } });

/** The other files by path. The folder \`vendor\` holds files of npm packages. */
export const ASSET_FILES: ReadonlyMap<string, LoadText> = new Map<string, LoadText>([
${rows.join("\n")}
]);

/** The text of a package's module. The types of its import describe the module instead. */
async function text(imported: Promise<unknown>): Promise<{ readonly default: string }> {
  return await imported as { readonly default: string };
}
`;
}

function row(path: string, loading: string): string {
  return `  ["${path}", () => ${loading}],`;
}

/** The paths of all files in a folder of the page, relative to `assets/`. */
function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(`assets/${folder}`, FOLDER))].flatMap((entry) =>
    entry.isDirectory ? filesBelow(`${folder}${entry.name}/`) : [`${folder}${entry.name}`]
  );
}

if (import.meta.main) Deno.writeTextFileSync(LIST, writeAssetFiles());
