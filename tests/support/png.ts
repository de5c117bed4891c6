/** PNG images for tests of masks. */

import { crc32, deflateSync, inflateSync } from "node:zlib";

/** How a pixel's bytes are filtered: https://www.w3.org/TR/png-3/#9Filter-types (2025-06). */
function predicted(filter: number, a: number, b: number, c: number): number {
  if (filter === 4) {
    const p = a + b - c;
    const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
  }
  return [0, a, b, Math.floor((a + b) / 2)][filter] ?? 0;
}

/** Encodes lines of pixels; each line has the filter of its position. */
export function encodePng(
  { width, colorType, filters, pixels, bits = 8, interlaced = 0 }: {
    readonly width: number;
    /** 4 for gray with alpha, 6 for colors with alpha. */
    readonly colorType: number;
    readonly filters: readonly number[];
    readonly pixels: Uint8Array;
    readonly bits?: number;
    readonly interlaced?: number;
  },
): Uint8Array<ArrayBuffer> {
  const size = colorType === 6 ? 4 : colorType === 4 ? 2 : 1;
  const lines: number[] = [];
  for (const [line, filter] of filters.entries()) {
    lines.push(filter);
    for (let at = 0; at < width * size; at++) {
      const value = (row: number, column: number) =>
        row < 0 || column < 0 ? 0 : pixels[row * width * size + column] ?? 0;
      const guess = predicted(
        filter,
        value(line, at - size),
        value(line - 1, at),
        at < size ? 0 : value(line - 1, at - size),
      );
      lines.push((value(line, at) - guess) & 255);
    }
  }
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, filters.length);
  header.setUint8(8, bits);
  header.setUint8(9, colorType);
  header.setUint8(12, interlaced);
  const content = deflateSync(Uint8Array.from(lines));
  const half = Math.floor(content.length / 2);
  return Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...chunk("IHDR", new Uint8Array(header.buffer)),
    ...chunk("tEXt", new TextEncoder().encode("Title\0mask")),
    ...chunk("IDAT", content.subarray(0, half)),
    ...chunk("IDAT", content.subarray(half)),
    ...chunk("IEND", new Uint8Array()),
  ]);
}

function chunk(type: string, content: Uint8Array): number[] {
  const body = Uint8Array.from([...new TextEncoder().encode(type), ...content]);
  const number = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
  return [...number(content.length), ...body, ...number(crc32(body))];
}

/** The gray pixels of a PNG without filters, with a check of its checksums. */
export function grayPixels(png: Uint8Array): { width: number; pixels: readonly number[] } {
  const view = new DataView(png.buffer, png.byteOffset, png.length);
  let width = 0;
  const parts: number[] = [];
  for (let at = 8; at < png.length;) {
    const length = view.getUint32(at);
    const type = new TextDecoder().decode(png.subarray(at + 4, at + 8));
    const content = png.subarray(at + 8, at + 8 + length);
    if (view.getUint32(at + 8 + length) !== crc32(png.subarray(at + 4, at + 8 + length))) {
      throw new Error(`Wrong checksum of ${type}`);
    }
    if (type === "IHDR") {
      width = view.getUint32(at + 8);
      if (view.getUint16(at + 16) !== 0x0800) throw new Error("Not gray with 8 bits");
    }
    if (type === "IDAT") parts.push(...content);
    at += 12 + length;
  }
  const lines = [...inflateSync(Uint8Array.from(parts))];
  return { width, pixels: lines.filter((_, at) => at % (width + 1) !== 0) };
}
