/** Downloads images that the vendor does not fetch itself, and inserts them as `data:` URLs. */

import type { StopSignal } from "../../core/stop_signal.ts";
import type { ChatRequest, ContentPart, Message } from "../../contract/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ImageRules } from "../../config/config.ts";
import { Budget, type Download, ImageRefusal } from "./download.ts";
import type { Adapter } from "../../contract/adapter.ts";
import { contentPath } from "../../providers/shared/messages.ts";
import { sniffMediaType } from "../../apis/media.ts";

type Messages = ChatRequest["messages"];
type Sources = Adapter["imageSources"];

/** The maximum number of parallel downloads for one request. */
const MAX_PARALLEL_DOWNLOADS = 4;
/**
 * The maximum number of downloads for one request, so that no host is flooded through the gateway.
 */
const MAX_IMAGES = 100;
/**
 * The maximum total size of the images in one request, as a multiple of the maximum size of one
 * image.
 */
const MAX_TOTAL_SIZES = 2;

/** Whether a request has an image that the vendor does not fetch itself. */
export function needsImages(messages: Messages, sources: Sources): boolean {
  return messages.some(({ content }) =>
    Array.isArray(content) && content.some((part) => foreignUrlOf(part, sources) !== undefined)
  );
}

/** A gray pixel instead of an image, for requests that are not sent. Exported for tests. */
export const PLACEHOLDER = "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

/** A copy of the messages with {@linkcode PLACEHOLDER} for the images that the vendor does not fetch. */
export function withPlaceholders(messages: Messages, sources: Sources): Messages {
  return replaced(messages, sources, () => PLACEHOLDER);
}

/** The images in one request. Each URL is fetched once, regardless of the number of targets. */
export class RequestImages {
  readonly #rules: ImageRules;
  readonly #download: Download;
  /** By URL: the image as a `data:` URL, or the reason why it cannot be downloaded. */
  readonly #known = new Map<string, string | ImageRefusal>();
  #budget: Budget | undefined;

  constructor(rules: ImageRules, download: Download) {
    this.#rules = rules;
    this.#download = download;
  }

  /**
   * A copy of the messages with `data:` URLs for the images that the vendor does not fetch.
   *
   * @throws {GatewayError} `unsupported_content` with the path of an image that cannot be
   * downloaded; the signal's reason when it is aborted.
   */
  async fill(messages: Messages, sources: Sources, signal: StopSignal): Promise<Messages> {
    const paths = pathsOf(messages, sources);
    for (const [url, path] of paths) {
      const known = this.#known.get(url);
      if (known instanceof ImageRefusal) throw refused(url, path, known);
    }
    const missing = [...paths].filter(([url]) => !this.#known.has(url));
    await this.#getAll(missing, signal);
    return replaced(messages, sources, (url) => this.#known.get(url));
  }

  /** The first failure aborts the other downloads. */
  async #getAll(missing: readonly (readonly [string, string])[], signal: StopSignal) {
    const [tooMany] = missing.slice(MAX_IMAGES);
    if (tooMany !== undefined) {
      const why = new ImageRefusal(`a request may have ${MAX_IMAGES} images that are fetched`);
      throw refused(...tooMany, why);
    }
    const stop = new AbortController();
    const leave = () => stop.abort(signal.reason);
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    const queue = missing.values();
    const work = async () => {
      try {
        for (const [url, path] of queue) await this.#get(url, path, stop.signal);
      } catch (thrown) {
        stop.abort(thrown);
      }
    };
    await Promise.all(Array.from({ length: MAX_PARALLEL_DOWNLOADS }, work));
    signal.removeEventListener("abort", leave);
    stop.signal.throwIfAborted();
  }

  async #get(url: string, path: string, signal: StopSignal): Promise<void> {
    signal.throwIfAborted();
    const rules = this.#rules;
    this.#budget ??= new Budget(MAX_TOTAL_SIZES * rules.maxSize);
    try {
      const bytes = await this.#download(url, rules, this.#budget, signal);
      this.#known.set(url, toDataUrl(bytes));
    } catch (thrown) {
      if (!(thrown instanceof ImageRefusal)) throw thrown;
      this.#known.set(url, thrown);
      throw refused(url, path, thrown);
    }
  }
}

function replaced(
  messages: Messages,
  sources: Sources,
  toData: (url: string) => string | ImageRefusal | undefined,
): Messages {
  const inline = (part: ContentPart): ContentPart => {
    const foreign = foreignUrlOf(part, sources);
    const url = foreign === undefined ? undefined : toData(foreign);
    if (part.type !== "image_url" || typeof url !== "string") return part;
    return { ...part, image_url: { ...part.image_url, url } };
  };
  return messages.map((message): Message => {
    const { content } = message;
    return Array.isArray(content) ? { ...message, content: content.map(inline) } : message;
  });
}

/** The URL of an image that this vendor does not fetch. The adapter handles other schemes. */
function foreignUrlOf(part: ContentPart, sources: Sources): string | undefined {
  if (part.type !== "image_url") return undefined;
  const { url } = part.image_url;
  const scheme = /^https?(?=:)/i.exec(url)?.[0].toLowerCase();
  if (scheme === undefined || sources.own?.test(url)) return undefined;
  return scheme === "https" && sources.https || scheme === "http" && sources.http ? undefined : url;
}

/** The path of each URL's first use, for the URLs to download. */
function pathsOf(messages: Messages, sources: Sources): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  messages.forEach(({ content }, turn) => {
    if (!Array.isArray(content)) return;
    content.forEach((part, index) => {
      const url = foreignUrlOf(part, sources);
      if (url !== undefined && !paths.has(url)) paths.set(url, contentPath(turn, index));
    });
  });
  return paths;
}

/** The type comes from the bytes, because servers' content types are often wrong. */
function toDataUrl(bytes: Uint8Array): string {
  const data = bytes.toBase64();
  const type = sniffMediaType(data);
  if (!type?.startsWith("image/")) {
    throw new ImageRefusal("it is not a PNG, JPEG, GIF or WebP file");
  }
  return `data:${type};base64,${data}`;
}

/** Names only the host of the URL, as written in the request. */
function refused(url: string, path: string, why: ImageRefusal): GatewayError {
  const host = /^https?:\/\/(?:[^/?#]*@)?([^/?#]{1,253})/i.exec(url)?.[1];
  const where = host === undefined ? "" : ` at '${host}'`;
  return new GatewayError("unsupported_content", `Cannot fetch the image${where}: ${why.message}`, {
    param: path,
    cause: why,
  });
}
