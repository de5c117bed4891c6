/** Source maps with lines only: each position leads to the same file and line as before. */

import { assertEquals } from "@std/assert";
import { toLineMap } from "../../scripts/line_map.ts";

Deno.test("a line map keeps the first position of each line, and names the sources anew", () => {
  const map = {
    version: 3,
    sources: ["/home/a.ts", "/home/b.ts"],
    names: ["x", "y"],
    mappings: toMappings([
      [[0, 0, 0, 7], [4, 0, 0, 30, 1], [9], [70, 0, 4, 2], [90, 1, 4, 2, 0], [5000, 0, 40_000, 0]],
      [],
      [[0, 0, 40_000, 9], [8, 0, 40_000, 12], [9, 0, 39_999, 0], [10, 0, 40_000, 0]],
    ]),
  };
  assertEquals(toLineMap(map, (source) => source.slice("/home/".length)), {
    version: 3,
    sources: ["a.ts", "b.ts"],
    names: [],
    mappings: toMappings([
      [[0, 0, 0, 0], [70, 0, 4, 0], [90, 1, 4, 0], [5000, 0, 40_000, 0]],
      [],
      [[0, 0, 40_000, 0], [9, 0, 39_999, 0], [10, 0, 40_000, 0]],
    ]),
  });
});

/** Encodes positions of each line: column, source, its line, its column and a name, each from 0. */
function toMappings(lines: readonly (readonly (readonly number[])[])[]): string {
  const last = [0, 0, 0, 0, 0];
  return lines.map((positions) => {
    last[0] = 0;
    return positions.map((position) =>
      position.map((value, index) => {
        const step = value - (last[index] ?? 0);
        last[index] = value;
        return toDigits(step);
      }).join("")
    ).join(",");
  }).join(";");
}

/** A number in the digits of source maps, of which the least one is first. */
function toDigits(number: number): string {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const values = (2 * Math.abs(number) + (number < 0 ? 1 : 0)).toString(32).split("").reverse()
    .map((digit) => parseInt(digit, 32));
  return values.map((value, index) => digits[index < values.length - 1 ? value + 32 : value])
    .join("");
}
