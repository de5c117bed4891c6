/** Shared parts of vendors' image generation: sizes, readers of images, and masks. */

import { Buffer } from "node:buffer";
import { joinBytes } from "../../core/bytes.ts";
import { isObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { GatewayError } from "../../core/errors.ts";
import type { GeneratedImage, ImageCall } from "../../contract/media.ts";
import { converted, ignored } from "../../contract/support.ts";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import type { FormImage } from "../../contract/form.ts";

/** For fields that a vendor does not support. */
export const NO_FIELD = ignored("no such field");
/** For vendors that do not stream. */
export const AS_EVENTS = converted("one event for each image");
/** For vendors whose images are always data. */
export const ALWAYS_DATA = ignored("images are always base64");
export const AS_RATIO = converted("the nearest aspect ratio");

/** Pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** The requested size; undefined for `auto`. */
export function sizeOf({ request: { size } }: ImageCall): Size | undefined {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(size ?? "") ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Number(width), height: Number(height) };
}

/** The nearest of a vendor's aspect ratios, such as `16:9`; undefined without a size. */
export function aspectRatioOf(call: ImageCall, ratios: readonly string[]): string | undefined {
  const size = sizeOf(call);
  if (size === undefined || size.width === 0 || size.height === 0) return undefined;
  const requested = Math.log(size.width / size.height);
  const distance = (ratio: string) => {
    const [width = 1, height = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(width / height) - requested);
  };
  const [first = "1:1", ...others] = ratios;
  const nearest = others.reduce(
    (best, ratio) => distance(ratio) < distance(best) ? ratio : best,
    first,
  );
  call.changes.convert("size", `${size.width}x${size.height}`, nearest);
  return nearest;
}

/** Limits the number of images to the vendor's maximum per request. */
export function imagesOf(
  { request: { n }, changes }: ImageCall,
  most: number,
): number | undefined {
  if (n === undefined || n <= most) return n;
  changes.convert("n", n, most);
  return most;
}

/** @throws {GatewayError} `unsupported_operation` for a request with images. */
export function refuseEdits({ provider, request: { images } }: ImageCall): void {
  if (images === undefined) return;
  const message = `The provider '${provider.id}' does not edit images with this model`;
  throw new GatewayError("unsupported_operation", message, { param: "model" });
}

/** Images as base64; undefined unless all entries of a list are images. */
export function dataImages(list: unknown): readonly GeneratedImage[] | undefined {
  if (!Array.isArray(list) || list.length === 0 || !list.every(isText)) return undefined;
  return list.map((data) => ({ b64_json: data }));
}

/** The entries of OpenAI's list of images; undefined if one is not an image. */
export function readImages(list: unknown): readonly GeneratedImage[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const images: GeneratedImage[] = [];
  for (const entry of list) {
    const { b64_json, url, revised_prompt: revised } = isObject(entry) ? entry : {};
    const prompt = isText(revised) ? { revised_prompt: revised } : {};
    if (isText(b64_json)) images.push({ b64_json, ...prompt });
    else if (isText(url)) images.push({ url, ...prompt });
    else return undefined;
  }
  return images;
}

// Writes images as PNG: https://www.w3.org/TR/png-3/ (2025-06).

const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** Length, type and checksum of a chunk. */
/**
 * Writes gray pixels.
 *
 * @param lines one byte for each pixel; each line begins with its filter, 0 for none
 */
export function writeGrayPng(
  width: number,
  height: number,
  lines: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, 8);
  const chunks = [
    chunkOf("IHDR", new Uint8Array(header.buffer)),
    chunkOf("IDAT", deflateSync(lines)),
    chunkOf("IEND", new Uint8Array()),
  ];
  return Buffer.concat([PNG_SIGNATURE, ...chunks]);
}

function chunkOf(type: string, content: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(CHUNK_BYTES + content.length);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, content.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(content, 8);
  const end = 8 + content.length;
  view.setUint32(end, crc32(chunk.subarray(4, end)));
  return chunk;
}

// Masks of image edits. OpenAI's masks are images whose transparent pixels are edited; other
// vendors require images in black and white.
//
// PNG: https://www.w3.org/TR/png-3/ (2025-06).

/** The maximum size of masks that vendors accept: 2048 by 2048 pixels. */
const MAX_PIXELS = 4_194_304;
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12;
const HEADER_BYTES = 13;
/** Bytes per pixel of the color types with an alpha channel: gray and colored. */
const PIXEL_BYTES: ReadonlyMap<number, number> = new Map([[4, 2], [6, 4]]);

interface Image {
  readonly width: number;
  readonly height: number;
  readonly pixelBytes: number;
  /** The lines of pixels, each preceded by its filter. */
  readonly lines: Uint8Array;
}

/**
 * Converts a mask with an alpha channel to one in black and white. Exported for tests.
 *
 * @param edited the value of pixels that are edited: 0 is black, 255 is white
 * @returns undefined for anything but a PNG with 8 bits of alpha, without interlacing
 */
export function toBlackAndWhite(
  mask: Uint8Array,
  edited: 0 | 255,
): Uint8Array<ArrayBuffer> | undefined {
  const image = readPng(mask);
  if (image === undefined) return undefined;
  const { width, height, pixelBytes, lines } = image;
  const lineBytes = width * pixelBytes + 1;
  const gray = new Uint8Array(height * (width + 1));
  for (let line = 0; line < height; line++) {
    if (!unfilter(lines, line * lineBytes, lineBytes, pixelBytes, line === 0)) return undefined;
    for (let pixel = 0; pixel < width; pixel++) {
      const alpha = lines[line * lineBytes + (pixel + 1) * pixelBytes] ?? 0;
      gray[line * (width + 1) + pixel + 1] = alpha < 128 ? edited : 255 - edited;
    }
  }
  return writeGrayPng(width, height, gray);
}

function readPng(bytes: Uint8Array): Image | undefined {
  if (!PNG_SIGNATURE.every((byte, at) => bytes[at] === byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  let header: DataView | undefined;
  for (let at = PNG_SIGNATURE.length; at + CHUNK_BYTES <= bytes.length;) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (content.length < length) return undefined;
    if (type === "IHDR" && length === HEADER_BYTES) {
      header = new DataView(content.buffer, content.byteOffset, length);
    } else if (type === "IDAT") parts.push(content);
    at += CHUNK_BYTES + length;
  }
  return header && toImage(header, parts);
}

function toImage(header: DataView, parts: readonly Uint8Array[]): Image | undefined {
  const [width, height] = [header.getUint32(0), header.getUint32(4)];
  const pixelBytes = PIXEL_BYTES.get(header.getUint8(9));
  const isPlain = header.getUint8(8) === 8 && header.getUint8(12) === 0;
  if (pixelBytes === undefined || !isPlain || width * height > MAX_PIXELS) return undefined;
  const size = height * (width * pixelBytes + 1);
  if (size === 0) return undefined;
  try {
    const lines = inflateSync(joinBytes(parts), { maxOutputLength: size });
    return lines.length === size ? { width, height, pixelBytes, lines } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Restores a line of pixels in place; the lines above it must have been restored. Returns false for
 * unknown filters.
 */
function unfilter(
  bytes: Uint8Array,
  start: number,
  lineBytes: number,
  pixelBytes: number,
  isFirst: boolean,
): boolean {
  const filter = bytes[start] ?? 0;
  if (filter > 4) return false;
  if (filter === 0) return true;
  for (let at = start + 1; at < start + lineBytes; at++) {
    const hasLeft = at - start > pixelBytes;
    const left = hasLeft ? bytes[at - pixelBytes] ?? 0 : 0;
    const up = isFirst ? 0 : bytes[at - lineBytes] ?? 0;
    const corner = isFirst || !hasLeft ? 0 : bytes[at - lineBytes - pixelBytes] ?? 0;
    bytes[at] = (bytes[at] ?? 0) + predicted(filter, left, up, corner);
  }
  return true;
}

/** The prediction of a filter for a byte: https://www.w3.org/TR/png-3/#9Filter-types (2025-06). */
function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [byLeft, byUp] = [Math.abs(up - corner), Math.abs(left - corner)];
  const byCorner = Math.abs(left + up - 2 * corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

/** The content of an image as base64. */
export function base64Of({ bytes }: FormImage): string {
  return bytes.toBase64();
}

/** An image as a data URL. */
export function dataUrlOf(image: FormImage): string {
  return `data:${image.type};base64,${base64Of(image)}`;
}

/** The images to edit, up to the number that a vendor accepts; undefined for a new image. */
export function editedImages(
  { changes, request: { images } }: ImageCall,
  most: number,
): readonly FormImage[] | undefined {
  if (images === undefined || images.length <= most) return images;
  changes.convert("image", images.length, most);
  return images.slice(0, most);
}

/** For vendors that edit without masks. */
export function ignoreMask({ changes, request: { mask } }: ImageCall): void {
  if (mask !== undefined) changes.ignore("mask");
}

/**
 * The mask in black and white as base64; undefined without one.
 *
 * @param edited the value of pixels that are edited: 0 is black, 255 is white
 * @throws {GatewayError} `unsupported_content` for a mask that cannot be converted.
 */
export function maskOf(
  { provider, changes, request: { mask } }: ImageCall,
  edited: 0 | 255,
): string | undefined {
  if (mask === undefined) return undefined;
  const converted = toBlackAndWhite(mask.bytes, edited);
  if (converted === undefined) {
    const message = `The provider '${provider.id}' needs a mask in black and white, and the ` +
      "gateway converts only a PNG with an alpha channel of 8 bits and at most 4 megapixels";
    throw new GatewayError("unsupported_content", message, { param: "mask" });
  }
  changes.convert("mask");
  return converted.toBase64();
}
