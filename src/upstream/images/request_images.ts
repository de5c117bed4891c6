/** Images that a vendor would not fetch itself: the gateway does, and puts their bytes in place. */

import type { ChatRequest, ContentPart, Message } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ImageRules } from "../../config/config.ts";
import { Budget, type Download, ImageRefusal } from "./download.ts";
import type { Adapter } from "../../providers/contract/adapter.ts";
import { contentPath, sniffMediaType } from "../../providers/shared/turns.ts";

type Messages = ChatRequest["messages"];
type Sources = Adapter["imageSources"];

/** Downloads at a time, for one request. */
const AT_A_TIME = 4;
/** Downloads in all, for one request: nobody's host is to be flooded through the gateway. */
const MOST_IMAGES = 100;
/** How many times the largest image all of one request may have together. */
const TOGETHER = 2;

/** Whether a request has an image that the vendor would not fetch. */
export function needsImages(messages: Messages, sources: Sources): boolean {
  return messages.some(({ content }) =>
    Array.isArray(content) && content.some((part) => foreignUrlOf(part, sources) !== undefined)
  );
}

/** Stands for an image in what is not sent: one grey pixel. */
export const PLACEHOLDER = "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

/** A copy of the messages with {@linkcode PLACEHOLDER} where the vendor would not fetch. */
export function withPlaceholders(messages: Messages, sources: Sources): Messages {
  return replaced(messages, sources, () => PLACEHOLDER);
}

/** The images of one request. Each URL is fetched once, however many targets are tried. */
export class RequestImages {
  readonly #rules: ImageRules;
  readonly #download: Download;
  /** By URL: the image as a `data:` URL, or why it cannot be had. */
  readonly #known = new Map<string, string | ImageRefusal>();
  #budget: Budget | undefined;

  constructor(rules: ImageRules, download: Download) {
    this.#rules = rules;
    this.#download = download;
  }

  /**
   * A copy of the messages with `data:` URLs where the vendor would not fetch.
   *
   * @throws {GatewayError} `unsupported_content` with the path of an image that cannot be had;
   * the signal's own reason when it was aborted.
   */
  async fill(messages: Messages, sources: Sources, signal: AbortSignal): Promise<Messages> {
    const paths = pathsOf(messages, sources);
    for (const [url, path] of paths) {
      const known = this.#known.get(url);
      if (known instanceof ImageRefusal) throw refused(url, path, known);
    }
    const missing = [...paths].filter(([url]) => !this.#known.has(url));
    await this.#getAll(missing, signal);
    return replaced(messages, sources, (url) => this.#known.get(url));
  }

  /** The first image that cannot be had ends the download of the others. */
  async #getAll(missing: readonly (readonly [string, string])[], signal: AbortSignal) {
    const [tooMany] = missing.slice(MOST_IMAGES);
    if (tooMany !== undefined) {
      const why = new ImageRefusal(`a request may have ${MOST_IMAGES} images that are fetched`);
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
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    signal.removeEventListener("abort", leave);
    stop.signal.throwIfAborted();
  }

  async #get(url: string, path: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const rules = this.#rules;
    this.#budget ??= new Budget(TOGETHER * rules.maxSize);
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

/** The URL of an image that this vendor would not fetch. Other schemes are the adapter's affair. */
function foreignUrlOf(part: ContentPart, sources: Sources): string | undefined {
  if (part.type !== "image_url") return undefined;
  const { url } = part.image_url;
  const scheme = /^https?(?=:)/i.exec(url)?.[0].toLowerCase();
  if (scheme === undefined || sources.own?.test(url)) return undefined;
  return scheme === "https" && sources.https || scheme === "http" && sources.http ? undefined : url;
}

/** Where each URL to fetch stands first. */
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

/** By its bytes: servers' content types are often wrong, and vendors look for themselves. */
function toDataUrl(bytes: Uint8Array): string {
  const data = bytes.toBase64();
  const type = sniffMediaType(data);
  if (!type?.startsWith("image/")) {
    throw new ImageRefusal("it is not a PNG, JPEG, GIF or WebP file");
  }
  return `data:${type};base64,${data}`;
}

/** Names the host as the caller did, and nothing else of the address. */
function refused(url: string, path: string, why: ImageRefusal): GatewayError {
  const host = /^https?:\/\/(?:[^/?#]*@)?([^/?#]{1,253})/i.exec(url)?.[1];
  const where = host === undefined ? "" : ` at '${host}'`;
  return new GatewayError("unsupported_content", `Cannot fetch the image${where}: ${why.message}`, {
    param: path,
    cause: why,
  });
}
