/**
 * The files of the console's page as the server sends them: read with the first request for the
 * page, and compressed with the first request for each file.
 */

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { ASSET_FILES, loadPage } from "./asset_files.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** One file of the page. */
export class Asset {
  readonly contentType: string;
  readonly #text: string;
  #plain: Bytes | undefined;
  #gzip: Bytes | undefined;

  constructor(path: string, text: string) {
    const extension = path.slice(path.lastIndexOf(".") + 1);
    this.contentType = CONTENT_TYPES.get(extension) ?? "text/plain; charset=utf-8";
    this.#text = text;
  }

  get plain(): Bytes {
    return this.#plain ??= new TextEncoder().encode(this.#text);
  }

  get gzip(): Bytes {
    return this.#gzip ??= new Uint8Array(gzipSync(this.plain, { level: 9 }));
  }
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ["html", "text/html; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["svg", "image/svg+xml"],
]);

/** All files of the page. */
export interface Assets {
  /** The hash of all files. It is a part of their paths. */
  readonly hash: string;
  readonly page: Asset;
  /** By the path after `/console/<hash>/`. */
  readonly files: ReadonlyMap<string, Asset>;
}

let loading: Promise<Assets> | undefined;

/** Loads all files on the first call. */
export function loadAssets(): Promise<Assets> {
  return loading ??= readAssets().catch((thrown) => {
    loading = undefined;
    throw thrown;
  });
}

/** The characters of a hash: 96 bits. */
const HASH_CHARS = 16;

async function readAssets(): Promise<Assets> {
  const paths = [...ASSET_FILES.keys()];
  const [html = "", ...texts] = await Promise.all(
    [loadPage, ...ASSET_FILES.values()].map(async (load) => (await load()).default),
  );
  const contents = new Map(paths.map((path, index) => [path, adapted(path, texts[index] ?? "")]));
  const page = withOneSheet(html, contents);
  const all = [page, ...[...contents].flat()].join("\0");
  const hash = createHash("sha256").update(all).digest("base64url").slice(0, HASH_CHARS);
  const modules = ENTRIES.flatMap((entry) => [...modulesOf(entry, contents)]);
  return {
    hash,
    page: new Asset("index.html", withLinks(page, `/console/${hash}`, new Set(modules))),
    files: new Map([...contents].map(([path, text]) => [path, new Asset(path, text)])),
  };
}

/** The path of the file that has all style sheets. */
const ALL_SHEETS = "all.css";

/** The page with one style sheet in place of several, which are joined and added to the files. */
function withOneSheet(html: string, contents: Map<string, string>): string {
  const sheets: string[] = [];
  const page = html.replaceAll(
    / *<link rel="stylesheet" href="\.\/([^"]+)">\n/g,
    (_, path: string) => {
      sheets.push(contents.get(path) ?? "");
      return sheets.length === 1 ? `<link rel="stylesheet" href="./${ALL_SHEETS}">\n` : "";
    },
  );
  contents.set(ALL_SHEETS, sheets.join("\n"));
  return page;
}

/** The files of packages, by the name that modules import. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ["preact", "vendor/preact.js"],
  ["preact/hooks", "vendor/hooks.js"],
  ["htm", "vendor/htm.js"],
]);

/** Comments that begin a line: a sixth of what browsers would load. */
const COMMENTS = /^[ \t]*(?:\/\*[^]*?\*\/|\/\/.*)\n/gm;

/** A file as browsers need it: they import by path only, and do not read comments. */
function adapted(path: string, content: string): string {
  const root = "../".repeat(path.split("/").length - 1) || "./";
  const isOwn = !path.startsWith("vendor/") && /\.(?:js|css)$/.test(path);
  return (isOwn ? content.replace(COMMENTS, "") : content).replace(
    /^\/\/# sourceMappingURL=.*$/m,
    "",
  )
    .replace(/\bfrom *"([a-z/]+)"/g, (found, name: string) => {
      const file = PACKAGES.get(name);
      return file === undefined ? found : `from "${root}${file}"`;
    });
}

/** The modules that a first visit needs: the frame, and the view that it shows. */
const ENTRIES: readonly string[] = ["main.js", "views/playground/index.js"];

/** The page with absolute links, and with links that load all modules at once. */
function withLinks(html: string, base: string, modules: Iterable<string>): string {
  const preloads = [...modules].map((path) => `<link rel="modulepreload" href="${base}/${path}">`);
  return html.replaceAll(/(href|src)="\.\//g, `$1="${base}/`)
    .replace("</head>", `${preloads.join("\n")}\n</head>`);
}

const STATIC_IMPORT = /\b(?:import|export)\s*(?:[\w*{][^"';]*?from\s*)?"(\.[^"]+)"/g;

/** A module and those that it imports statically, by path. */
function modulesOf(entry: string, contents: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const path of found) {
    for (const [, specifier = ""] of (contents.get(path) ?? "").matchAll(STATIC_IMPORT)) {
      found.add(new URL(specifier, `file:///${path}`).pathname.slice(1));
    }
  }
  return found;
}
