/** Different texts of one JSON value, and random splits of texts. */

import type { Random } from "./random.ts";

const SPACES = ["", "", "", " ", "\n", "\r\n", "\t", "  \n  "];

/** The text of a value with random white space and escape sequences. */
export function spelled(random: Random, value: unknown): string {
  const space = () => random.pick(SPACES);
  const around = (text: string) => `${space()}${text}${space()}`;
  if (typeof value === "string") return around(spelledString(random, value));
  if (typeof value === "number") return around(Object.is(value, -0) ? "-0" : spelledNumber(value));
  if (Array.isArray(value)) {
    return around(`[${value.map((entry) => spelled(random, entry)).join(",") || space()}]`);
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) =>
      `${around(spelledString(random, name))}:${spelled(random, member)}`
    );
    return around(`{${members.join(",") || space()}}`);
  }
  return around(JSON.stringify(value));
}

/** Splits a text into pieces, some of which are empty. */
export function cutAnywhere(random: Random, text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + random.below(6);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function spelledNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 100 ? `${value}.0e0` : JSON.stringify(value);
}

function spelledString(random: Random, value: string): string {
  const units = value.split("").map((unit) => {
    const written = JSON.stringify(unit).slice(1, -1);
    const code = unit.charCodeAt(0);
    if (unit === "/" && random.chance(0.5)) return "\\/";
    return random.chance(0.2) ? `\\u${code.toString(16).padStart(4, "0")}` : plain(unit, written);
  });
  return `"${units.join("")}"`;
}

/** A half of a character stands for itself only beside its other half, which comes out here too. */
function plain(unit: string, written: string): string {
  return written.startsWith("\\ud") ? unit : written;
}
