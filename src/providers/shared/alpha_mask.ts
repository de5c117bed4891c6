/**
 * Masks of image edits. OpenAI's masks are images whose transparent pixels are edited; other vendors
 * take images in black and white.
 *
 * PNG: https://www.w3.org/TR/png-3/ (2025-06).
 */

import { inflateSync } from "node:zlib";
import { joined, PNG_SIGNATURE, writeGrayPng } from "./png.ts";

/** Vendors take no larger masks: 2048 by 2048 pixels. */
const MAX_PIXELS = 4_194_304;
/** Length, type and checksum of a chunk. */
const CHUNK_BYTES = 12;
const HEADER_BYTES = 13;
/** Bytes of a pixel by the color types with an alpha channel: gray, and colored. */
const PIXEL_BYTES: ReadonlyMap<number, number> = new Map([[4, 2], [6, 4]]);

interface Image {
  readonly width: number;
  readonly height: number;
  readonly pixelBytes: number;
  /** The lines of pixels, each after its filter. */
  readonly lines: Uint8Array;
}

/**
 * Converts a mask with an alpha channel to one in black and white.
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
    const lines = inflateSync(joined(parts), { maxOutputLength: size });
    return lines.length === size ? { width, height, pixelBytes, lines } : undefined;
  } catch {
    return undefined;
  }
}

/** Restores a line of pixels in place, after the lines above it. Returns false for unknown filters. */
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

/** What a filter predicts for a byte: https://www.w3.org/TR/png-3/#9Filter-types (2025-06). */
function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [byLeft, byUp] = [Math.abs(up - corner), Math.abs(left - corner)];
  const byCorner = Math.abs(left + up - 2 * corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
