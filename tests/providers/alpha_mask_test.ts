/** Masks with transparent pixels become masks in black and white. */

import { assertEquals } from "@std/assert";
import { toBlackAndWhite } from "../../src/providers/shared/images.ts";
import { encodePng, grayPixels } from "../support/png.ts";

const FILTERS = [0, 1, 2, 3, 4, 4, 3, 2, 1, 0];
const WIDTH = 7;

/** Colors that vary, and an alpha that is transparent where `isOpen` says so. */
function pixelsOf(colors: number, isOpen: (pixel: number) => boolean): Uint8Array {
  const pixels: number[] = [];
  for (let pixel = 0; pixel < WIDTH * FILTERS.length; pixel++) {
    for (let color = 0; color < colors; color++) pixels.push((pixel * 37 + color * 91) % 256);
    pixels.push(isOpen(pixel) ? (pixel * 53) % 128 : 128 + (pixel * 29) % 128);
  }
  return Uint8Array.from(pixels);
}

const isOpen = (pixel: number) => pixel % 5 === 0 || pixel % 11 === 3;
const EXPECTED = Array.from({ length: WIDTH * FILTERS.length }, (_, pixel) => isOpen(pixel));

for (const [colorType, colors] of [[6, 3], [4, 1]] as const) {
  for (const edited of [0, 255] as const) {
    Deno.test(`toBlackAndWhite() reads every filter: color type ${colorType}, edited ${edited}`, () => {
      const pixels = pixelsOf(colors, isOpen);
      const png = encodePng({ width: WIDTH, colorType, filters: FILTERS, pixels });
      const mask = grayPixels(toBlackAndWhite(png, edited) ?? new Uint8Array());
      assertEquals(mask.width, WIDTH);
      assertEquals(mask.pixels, EXPECTED.map((open) => open ? edited : 255 - edited));
    });
  }
}

Deno.test("toBlackAndWhite() takes nothing but PNG with an alpha channel of 8 bits", () => {
  const pixels = pixelsOf(3, isOpen);
  const valid = { width: WIDTH, colorType: 6, filters: FILTERS, pixels };
  const png = encodePng(valid);
  const changed = (at: number, value: number) => {
    const copy = png.slice();
    copy[at] = value;
    return copy;
  };
  const faults = {
    "no PNG": new TextEncoder().encode("GIF89a and more bytes than a header"),
    "empty": new Uint8Array(),
    "no alpha": encodePng({ ...valid, colorType: 2 }),
    "16 bits": encodePng({ ...valid, bits: 16 }),
    "interlaced": encodePng({ ...valid, interlaced: 1 }),
    "unknown filter": encodePng({ ...valid, filters: [7, ...FILTERS.slice(1)] }),
    "a greater width": changed(19, WIDTH + 1),
    "a smaller height": changed(23, FILTERS.length - 1),
    "too many pixels": changed(16, 1),
  };
  for (const [name, bytes] of Object.entries(faults)) {
    assertEquals(toBlackAndWhite(bytes, 0), undefined, name);
  }
  // Without the checksum of the last pixels, and the end.
  for (let end = 0; end < png.length - 16; end++) {
    assertEquals(toBlackAndWhite(png.subarray(0, end), 0), undefined, `cut at ${end}`);
  }
});
