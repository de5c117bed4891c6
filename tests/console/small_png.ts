/** Makes a picture of a page small: at most 256 colors, which is enough for text and flat areas. */

import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE_BYTES = 8;
const MAX_COLORS = 256;

/** A picture of 8 bits for each of three or four channels, as Chromium writes it. */
interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, as one number. */
  readonly pixels: Uint32Array;
}

/** Writes a PNG with fewer colors. Rare colors become the nearest of the frequent ones. */
export function toSmallPng(png: Uint8Array): Uint8Array {
  const { width, height, pixels } = decode(png);
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colors = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color);
  const palette = colors.slice(0, MAX_COLORS);
  const indexes = new Map(palette.map((color, index) => [color, index]));
  for (const color of colors.slice(MAX_COLORS)) indexes.set(color, nearest(color, palette));
  const lines = new Uint8Array(height * (width + 1));
  for (let at = 0; at < pixels.length; at++) {
    lines[at + Math.floor(at / width) + 1] = indexes.get(pixels[at] ?? 0) ?? 0;
  }
  const head = new Uint8Array(13);
  const view = new DataView(head.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // 8 bits, with a palette.
  head.set([8, 3], 8);
  return concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk("IHDR", head),
    chunk("PLTE", Uint8Array.from(palette.flatMap(channels))),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", new Uint8Array()),
  ]);
}

function decode(png: Uint8Array): Picture {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const data: Uint8Array[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length; at += view.getUint32(at) + 12) {
    const type = new TextDecoder().decode(png.subarray(at + 4, at + 8));
    if (type === "IDAT") data.push(png.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  const size = png[25] === 6 ? 4 : 3;
  const bytes = unfilter(inflateSync(concat(data)), width * size, height, size);
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at++) {
    const [red = 0, green = 0, blue = 0] = bytes.subarray(at * size, at * size + 3);
    pixels[at] = red << 16 | green << 8 | blue;
  }
  return { width, height, pixels };
}

/** Undoes the filters of lines (https://www.w3.org/TR/png-3/#9Filters). */
function unfilter(filtered: Uint8Array, length: number, height: number, size: number): Uint8Array {
  const bytes = new Uint8Array(length * height);
  for (let line = 0; line < height; line++) {
    const filter = filtered[line * (length + 1)] ?? 0;
    for (let x = 0; x < length; x++) {
      const at = line * length + x;
      const left = x < size ? 0 : bytes[at - size] ?? 0;
      const up = line === 0 ? 0 : bytes[at - length] ?? 0;
      const corner = x < size || line === 0 ? 0 : bytes[at - length - size] ?? 0;
      const before = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      bytes[at] = (filtered[line * (length + 1) + 1 + x] ?? 0) + before;
    }
  }
  return bytes;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(guess - value));
  if (toLeft! <= toUp! && toLeft! <= toCorner!) return left;
  return toUp! <= toCorner! ? up : corner;
}

function nearest(color: number, palette: readonly number[]): number {
  let best = 0;
  let least = Infinity;
  const wanted = channels(color);
  for (const [index, candidate] of palette.entries()) {
    const distance = channels(candidate)
      .reduce((sum, value, channel) => sum + (value - (wanted[channel] ?? 0)) ** 2, 0);
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function channels(color: number): number[] {
  return [color >> 16, color >> 8 & 255, color & 255];
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = concat([new TextEncoder().encode(type), data]);
  const bytes = new Uint8Array(body.length + 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(body, 4);
  view.setUint32(body.length + 4, crc32(body));
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
