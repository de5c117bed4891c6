/**
 * The files of the console as the server sends them: loaded with the first request for the page,
 * and compressed with the first request for each file.
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
  const contents = new Map(paths.map((path, index) => [path, texts[index] ?? ""]));
  const all = [html, ...[...contents].flat()].join("\0");
  const hash = createHash("sha256").update(all).digest("base64url").slice(0, HASH_CHARS);
  const page = html.replaceAll(/(href|src)="\.\//g, `$1="/console/${hash}/`);
  return {
    hash,
    page: new Asset("index.html", page),
    files: new Map([...contents].map(([path, text]) => [path, new Asset(path, text)])),
  };
}
