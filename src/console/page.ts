/** Serves the console's page and its files to browsers. */

import { ifNoneMatch } from "@std/http/etag";
import { acceptsEncodings } from "@std/http/negotiation";
import { GatewayError } from "../core/errors.ts";
import { createHash } from "node:crypto";
import process from "node:process";
import { ASSET_FILES, loadPage } from "./asset_files.ts";

/** The page loads nothing from other origins, runs no inline script and cannot be framed. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; " +
  "connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

const PAGE_HEADERS = {
  "cache-control": "no-cache",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};
const ASSET_HEADERS = { "cache-control": "public, max-age=31536000, immutable" };

/** The response to a request for the page or one of its files. */
interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** Answers a request for the page. */
export async function sendPage(request: Request): Promise<FileAnswer> {
  const { hash, page } = await loadAssets();
  return withVary(send(request, page, hash, PAGE_HEADERS), "accept, accept-encoding");
}

/**
 * Answers a request for a file of the page. Its path contains the hash of all files, so it never
 * changes.
 *
 * @throws {GatewayError} `route_not_found` for a file that does not exist in this version.
 */
export async function sendAsset(
  request: Request,
  params: ReadonlyMap<string, string>,
): Promise<FileAnswer> {
  const { files, hash } = await loadAssets();
  const found = files.get(params.get("file") ?? "");
  if (found === undefined || params.get("hash") !== hash) {
    throw new GatewayError("route_not_found", "Unknown console file; reload the page");
  }
  return withVary(send(request, found, hash, ASSET_HEADERS), "accept-encoding");
}

/** @param hash the hash of all files: a path's content never changes under the same hash */
function send(
  request: Request,
  asset: Asset,
  hash: string,
  headers: Readonly<Record<string, string>>,
): FileAnswer {
  const isCompressed = acceptsGzip(request);
  // The compressed and plain forms are different representations, so their strong ETags differ.
  const etag = isCompressed ? `"${hash}-gzip"` : `"${hash}"`;
  const shared = {
    ...headers,
    etag,
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
  };
  if (!ifNoneMatch(request.headers.get("if-none-match"), etag)) {
    return { status: 304, headers: shared, body: null };
  }
  const body = isCompressed ? asset.gzip : asset.plain;
  return {
    status: 200,
    headers: {
      ...shared,
      "content-type": asset.contentType,
      "content-length": String(body.length),
      ...(isCompressed && { "content-encoding": "gzip" }),
    },
    body,
  };
}

/** Whether a client prefers gzip. A client without the header receives the plain file. */
export function acceptsGzip(request: Request): boolean {
  if (!request.headers.get("accept-encoding")) return false;
  const preferred: unknown = acceptsEncodings(request, "gzip", "identity");
  return preferred === "gzip";
}

function withVary(response: FileAnswer, vary: string): FileAnswer {
  return { ...response, headers: { ...response.headers, vary } };
}

type Bytes = Uint8Array<ArrayBuffer>;

/** One file of the page. */
class Asset {
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
    // Loaded on use, because it takes time.
    const { gzipSync } = process.getBuiltinModule("node:zlib");
    return this.#gzip ??= new Uint8Array(gzipSync(this.plain, { level: 9 }));
  }
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ["html", "text/html; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["svg", "image/svg+xml"],
]);

/** All the page's files. */
interface Assets {
  /** The hash of all files. It is part of their paths. */
  readonly hash: string;
  readonly page: Asset;
  /** By the path after `/console/<hash>/`. */
  readonly files: ReadonlyMap<string, Asset>;
}

let loading: Promise<Assets> | undefined;

/** Loads all files on the first call. */
function loadAssets(): Promise<Assets> {
  return loading ??= readAssets().catch((thrown) => {
    loading = undefined;
    throw thrown;
  });
}

/** The number of characters in a hash: 96 bits. */
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
