/**
 * Estimates the tokens of requests: for limits, which are checked before the vendor counts, for
 * vendors without a counter, and for answers without usage.
 */

import { TokenCounter, type TokenFamily } from "../../core/tokens/token_counter.ts";

/** UTF-16 units per token if only the length of a text is known. */
const CHARS_PER_TOKEN = 4;
/** Tokens that frame a message or a tool. */
const PER_MESSAGE = 4;
const PER_TOOL = 8;
/** Tokens of the punctuation around a JSON member. */
const PER_MEMBER = 1.5;

/** The kind of a medium, by which vendors count its tokens. */
type MediaKind = "image" | "audio" | "video" | "document" | "text";

/** The approximate number of base64 UTF-16 units per token, and the bounds of the estimate. */
interface MediaSize {
  readonly charsPerToken: number;
  readonly min: number;
  readonly max: number;
}

/**
 * An image costs the same regardless of its size in bytes. A second of audio is about 32 kB and 10
 * to 32 tokens. A PDF page is about 100 kB and 2,500 tokens, and vendors accept up to 100 pages.
 */
const MEDIA: Readonly<Record<MediaKind, MediaSize>> = {
  image: { charsPerToken: Infinity, min: 1500, max: 1500 },
  audio: { charsPerToken: 1000, min: 100, max: 300_000 },
  video: { charsPerToken: 1000, min: 1500, max: 1_000_000 },
  document: { charsPerToken: 40, min: 1000, max: 300_000 },
  // Four characters of base64 encode three characters of text.
  text: { charsPerToken: CHARS_PER_TOKEN * 4 / 3, min: 0, max: Infinity },
};

/** The members of content parts with a medium, or with an object that contains it. */
const MEDIA_MEMBERS: ReadonlyMap<string, MediaKind> = new Map([
  ["image_url", "image"],
  ["video_url", "video"],
  ["input_audio", "audio"],
  ["file", "document"],
  ["file_data", "document"],
  ["file_url", "document"],
  ["file_id", "document"],
  ["document_url", "document"],
  ["source", "document"],
  ["result", "image"],
]);
/** The members that hold the arguments of tool calls: vendors show them to models as text. */
const ARGUMENTS: ReadonlySet<string> = new Set(["arguments", "input"]);
/** The members of such an object that hold the medium: its data, or a reference to it. */
const DATA_MEMBERS = ["file_data", "data", "url", "file_id"];

/** The media types of files that vendors read as text. */
const TEXT_TYPE =
  /^(?:data:)?(?:text\/|application\/(?:[\w.-]{1,40}\+)?(?:json|xml|yaml|javascript|x-(?:ndjson|sh|tex|yaml))\b)/i;

/**
 * Estimates the tokens of a text from its length in UTF-16 units, for texts that are not stored.
 */
export function tokensOfChars(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/**
 * Estimates the input tokens of a request from all text in it. Only members that the format defines
 * as media count as such: the time is proportional to the number of values, and bounded for the
 * length of texts.
 *
 * @param content messages and other content
 * @param definitions lists of tools, and schemas, which hold no media
 */
export function countInput(content: unknown, definitions: readonly unknown[] = []): TokenCounter {
  const counter = new TokenCounter();
  addInput(content, counter);
  for (const definition of definitions) {
    if (Array.isArray(definition)) counter.addTokens(PER_TOOL * definition.length);
    countJson(definition, counter);
  }
  return counter;
}

/** The estimated input tokens for a model family, counted on first use. */
export function inputEstimate(count: () => TokenCounter): (family: TokenFamily) => number {
  let counter: TokenCounter | undefined;
  return (family) => (counter ??= count()).tokens(family);
}

/** Adds the tokens of messages and other content. */
export function addInput(content: unknown, counter: TokenCounter): void {
  visit(content, counter, (name, inner, holder) => {
    const tokens = mediaTokens(name, inner, holder);
    if (tokens !== undefined) counter.addTokens(tokens);
    else if (ARGUMENTS.has(name)) countJson(inner, counter);
    else return false;
    return true;
  });
}

/** Adds a value that models see as JSON, with the names of its members. */
function countJson(root: unknown, counter: TokenCounter): void {
  visit(root, counter, (name) => {
    counter.addTokens(PER_MEMBER);
    counter.add(name);
    return false;
  });
}

/**
 * Adds all text in a value.
 *
 * @param counts counts a member; false if the text in it is to be counted
 */
function visit(
  root: unknown,
  counter: TokenCounter,
  counts: (name: string, inner: unknown, holder: object) => boolean,
): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") counter.add(value);
    else if (typeof value === "number") counter.addTokens(1);
    else if (Array.isArray(value)) { for (const entry of value) pending.push(entry); }
    else if (typeof value === "object" && value !== null) {
      if ("role" in value) counter.addTokens(PER_MESSAGE);
      for (const name in value) {
        const inner = (value as Record<string, unknown>)[name];
        if (!counts(name, inner, value)) pending.push(inner);
      }
    }
  }
}

/** The token count of a media part; undefined for any other member. */
function mediaTokens(name: string, value: unknown, part: object): number | undefined {
  const kind = MEDIA_MEMBERS.get(name);
  // A content part names its type.
  if (kind === undefined || !("type" in part) || typeof part.type !== "string") return undefined;
  if (name === "result" && part.type !== "image_generation_call") return undefined;
  if (typeof value === "string") return tokensOfMedium(value, mediumOf(value, kind, part.type));
  if (typeof value !== "object" || value === null) return undefined;
  const holder = value as Record<string, unknown>;
  const data = DATA_MEMBERS.map((member) => holder[member]).find((one) => typeof one === "string");
  // A document may hold its text, or content parts.
  if (typeof data !== "string" || holder.type === "text") return undefined;
  const type = typeof holder.media_type === "string" ? holder.media_type : data;
  return tokensOfMedium(data, mediumOf(type, kind, part.type));
}

/**
 * The kind of a medium: by its media type, otherwise by its member.
 *
 * @param type a media type, or a data URL
 */
function mediumOf(type: string, kind: MediaKind, part: string): MediaKind {
  if (TEXT_TYPE.test(type)) return "text";
  const [, top] = /^(?:data:)?(image|audio|video)\//i.exec(type) ?? [];
  if (top !== undefined) return top.toLowerCase() as MediaKind;
  return part.includes("image") ? "image" : kind;
}

function tokensOfMedium(data: string, kind: MediaKind): number {
  const { charsPerToken, min, max } = MEDIA[kind];
  return Math.min(max, Math.max(min, Math.ceil(data.length / charsPerToken)));
}
