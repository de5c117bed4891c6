/**
 * Writes the files of the console as browsers load them: `deno task assets`. The modules of
 * `src/console/assets` become a few minified ones, so that a first visit takes few requests.
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);
const SOURCES = new URL("src/console/assets/", ROOT);
const WRITTEN = new URL("src/console/files/", ROOT);
const LIST = new URL("src/console/asset_files.ts", ROOT);

/** The views of each written module. With one for each view, a visit loads 18 files. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  reports: ["overview", "requests", "sessions", "status", "usage", "savings", "keys"],
  tools: ["playground", "models", "clients", "config"],
};

/** The packages whose versions the written files depend on. */
const PACKAGES = ["preact", "preact/hooks", "htm"];

/** What the written files are made from, and what they are, as the list records it. */
export interface Digests {
  readonly sources: string;
  readonly files: string;
}

/** The digests as they should be. */
export function readDigests(): Digests {
  const manifest = JSON.parse(Deno.readTextFileSync(new URL("deno.json", ROOT)));
  const versions = PACKAGES.map((name) => [name, manifest.imports[name]] as const);
  return {
    sources: digestOf([...textsBelow(SOURCES), ...versions]),
    files: digestOf(textsBelow(WRITTEN)),
  };
}

function digestOf(entries: readonly (readonly [string, string])[]): string {
  return createHash("sha256").update(JSON.stringify(entries)).digest("base64url");
}

/** The paths and the texts of all files of a folder, sorted. */
function textsBelow(folder: URL): (readonly [string, string])[] {
  return pathsBelow(folder, "").sort()
    .map((path) => [path, Deno.readTextFileSync(new URL(path, folder))] as const);
}

function pathsBelow(root: URL, folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) =>
    isDirectory ? pathsBelow(root, `${folder}${name}/`) : [`${folder}${name}`]
  );
}

/** Writes all files and their list. */
async function write(): Promise<void> {
  await Deno.remove(WRITTEN, { recursive: true }).catch(() => {});
  await Deno.mkdir(WRITTEN);
  const html = readSource("index.html");
  const sheets = [...html.matchAll(SHEET)].map(([, path = ""]) => readSource(path));
  writeFile("all.css", sheets.join("\n").replace(COMMENTS, "").replace(LINE_ENDS, " "));
  writeFile("icon.svg", readSource("icon.svg"));
  const modules = await bundle();
  for (const [path, text] of modules) writeFile(path, text);
  writeFile("index.html", toPage(html, importsOf(modules.get("main.js") ?? "")));
  Deno.writeTextFileSync(LIST, toList(readDigests()));
}

const SHEET = / *<link rel="stylesheet" href="\.\/([^"]+)">\n/g;
const COMMENTS = /^[ \t]*\/\*[^]*?\*\/\n/gm;
const LINE_ENDS = /\s*\n\s*/g;

function readSource(path: string): string {
  return Deno.readTextFileSync(new URL(path, SOURCES));
}

function writeFile(path: string, text: string): void {
  Deno.writeTextFileSync(new URL(path, WRITTEN), text);
}

/** The page with one style sheet, and with links that load the modules of each visit at once. */
function toPage(html: string, modules: readonly string[]): string {
  const preloads = ["main.js", ...modules]
    .map((path) => `    <link rel="modulepreload" href="./${path}">\n`).join("");
  let sheets = 0;
  return html
    .replace(SHEET, () => sheets++ === 0 ? `    <link rel="stylesheet" href="./all.css">\n` : "")
    .replace("  </head>", `${preloads}  </head>`);
}

/** Bundles the modules. @returns the texts by path */
async function bundle(): Promise<ReadonlyMap<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-console-" });
  try {
    await writeGrouped(`${folder}/assets/`);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--quiet", "--minify", "--platform", "browser", "--format", "esm"],
        ...["--code-splitting", "--config", fileURLToPath(new URL("deno.json", ROOT))],
        ...["--outdir", `${folder}/out`, `${folder}/assets/main.js`],
      ],
    }).output();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
    return withStableNames(
      new Map(
        [...Deno.readDirSync(`${folder}/out`)].map(({ name }) =>
          [name, Deno.readTextFileSync(`${folder}/out/${name}`)] as const
        ),
      ),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Copies the sources, with one module for each group of views. */
async function writeGrouped(folder: string): Promise<void> {
  for (const [path, text] of textsBelow(SOURCES)) {
    await Deno.mkdir(folder + path.replace(/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(folder + path, grouped(path, text));
  }
  await Deno.mkdir(`${folder}groups`);
  for (const [group, views] of Object.entries(GROUPS)) {
    const lines = views.map((view) => `export * as ${view} from "../views/${view}/index.js";\n`);
    await Deno.writeTextFile(`${folder}groups/${group}.js`, lines.join(""));
  }
}

const VIEW_IMPORT = /import\("\.\.\/views\/(\w+)\/index\.js"\)/g;

/** A source whose imports of views are those of their groups. */
function grouped(path: string, text: string): string {
  // It is small, and as a module of its own it would divide the shared ones further.
  if (path === "lib/shell.js") {
    const changed = text.replace('import("./palette.js")', "Promise.resolve(palette)");
    if (changed === text) throw new Error("lib/shell.js does not load the palette");
    return `import * as palette from "./palette.js";\n${changed}`;
  }
  return text.replace(VIEW_IMPORT, (_, view: string) => {
    const [group] = Object.entries(GROUPS).find(([, views]) => views.includes(view)) ?? [];
    if (group === undefined) throw new Error(`No group has the view '${view}'`);
    return `import("../groups/${group}.js").then((all) => all.${view})`;
  });
}

/** The files with names that do not depend on their content: paths have a hash of all files. */
function withStableNames(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const sizes = [...files].toSorted(([, one], [, other]) => other.length - one.length);
  const names = new Map<string, string>();
  let chunks = 0;
  for (const [name] of sizes) {
    const [, stem = ""] = /^(.+)-[A-Z0-9]{8}\.js$/.exec(name) ?? [];
    names.set(name, stem === "" ? name : stem === "chunk" ? `shared${++chunks}.js` : `${stem}.js`);
  }
  const renamed = (text: string) =>
    text.replace(/"\.\/([\w-]+\.js)"/g, (_, name: string) => `"./${names.get(name) ?? name}"`);
  return new Map(
    [...files].map(([name, text]) => [names.get(name) ?? name, renamed(text)] as const),
  );
}

/** The modules that a module imports statically. */
function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)].map(([, name = ""]) => name);
}

function toList({ sources, files }: Digests): string {
  const rows = pathsBelow(WRITTEN, "").filter((path) => path !== "index.html").sort()
    .map((path) => `  ["${path}", () => import("./files/${path}", { with: { type: "text" } })],`);
  return `// deno-fmt-ignore-file
/**
 * The files of the console's page. Each is loaded with the first request for the page. \`deno task
 * assets\` writes them and this list from the folder \`assets\`.
 */

/** Loads the text of a file. */
type LoadText = () => Promise<{ readonly default: string }>;

/** The page, whose links are relative to the other files. */
export const loadPage: LoadText = () =>
  import("./files/index.html", { with: { type: "text" } });

/** The other files by path. */
export const ASSET_FILES: ReadonlyMap<string, LoadText> = new Map<string, LoadText>([
${rows.join("\n")}
]);

/** The digests of the folder \`assets\` and of the written files. Exported for tests. */
export const DIGESTS = {
  sources: "${sources}",
  files: "${files}",
} as const;
`;
}

if (import.meta.main) await write();
