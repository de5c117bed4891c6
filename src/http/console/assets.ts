/**
 * The files of the console's page as the server sends them: hashed and compressed once, with the
 * first request for the page.
 */

import { ASSET_FILES, loadPage } from "./asset_files.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** One file of the page. */
export interface Asset {
  readonly contentType: string;
  readonly plain: Bytes;
  readonly gzip: Bytes;
  /** The hash of the content, for entity tags. */
  readonly hash: string;
}

/** All files of the page. */
export interface Assets {
  readonly page: Asset;
  /** By the path after `/console/`: the hash of all files, then the path of the file. */
  readonly files: ReadonlyMap<string, Asset>;
}

let loading: Promise<Assets> | undefined;

/** Loads all files with the first call. */
export function loadAssets(): Promise<Assets> {
  return loading ??= readAssets().catch((thrown) => {
    loading = undefined;
    throw thrown;
  });
}

async function readAssets(): Promise<Assets> {
  const paths = [...ASSET_FILES.keys()];
  const [html, ...texts] = await Promise.all(
    [loadPage, ...ASSET_FILES.values()].map(async (load) => (await load()).default),
  );
  const contents = new Map(paths.map((path, index) => [path, adapted(path, texts[index] ?? "")]));
  const base = await hashOf(encode([...contents].flat().join("\0") + html));
  const assets = await Promise.all(
    [...contents].map(async ([path, content]) =>
      [`${base}/${path}`, await toAsset(path, content)] as const
    ),
  );
  const page = withLinks(html ?? "", `/console/${base}`, modulesOf("main.js", contents));
  return { page: await toAsset("index.html", page), files: new Map(assets) };
}

/** The files of packages, by the name that modules import. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ["preact", "vendor/preact.js"],
  ["preact/hooks", "vendor/hooks.js"],
  ["htm", "vendor/htm.js"],
]);

/** A file as browsers need it: they import by path only. */
function adapted(path: string, content: string): string {
  const root = "../".repeat(path.split("/").length - 1) || "./";
  return content.replace(/^\/\/# sourceMappingURL=.*$/m, "")
    .replace(/\bfrom *"([a-z/]+)"/g, (found, name: string) => {
      const file = PACKAGES.get(name);
      return file === undefined ? found : `from "${root}${file}"`;
    });
}

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

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ["html", "text/html; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["svg", "image/svg+xml"],
]);

async function toAsset(path: string, content: string): Promise<Asset> {
  const plain = encode(content);
  const extension = path.slice(path.lastIndexOf(".") + 1);
  return {
    contentType: CONTENT_TYPES.get(extension) ?? "text/plain; charset=utf-8",
    plain,
    gzip: await compress(plain),
    hash: await hashOf(plain),
  };
}

function encode(text: string): Bytes {
  return new TextEncoder().encode(text);
}

async function compress(bytes: Bytes): Promise<Bytes> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The characters of a hash: 96 bits. */
const HASH_CHARS = 16;

async function hashOf(bytes: Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return digest.toBase64({ alphabet: "base64url" }).slice(0, HASH_CHARS);
}
