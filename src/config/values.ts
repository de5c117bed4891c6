/** Scalars of config.yaml: durations, sizes, integers, dates, each with its own words. */

import { z } from "zod";

/** The part of JSON Schema that a scalar says about itself. */
interface Describing {
  readonly description?: string;
  readonly type: string | readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** In an editor, text that refers to a variable passes for any kind of value. */
const OR_REFERENCE = "|\\$\\{";

/** Milliseconds from `500ms`, `10s`, `2m` or `1h`. */
export const duration = (description: string, least: "1ms" | "0s" = "1ms") =>
  scalar(
    (value) => within(readUnits(value, MILLISECONDS), least === "0s" ? 0 : 1, DAY),
    `must be a duration from ${least} to 24h, such as '500ms', '10s', '2m' or '1h'`,
    { description, type: "string", pattern: `^\\d+(ms|s|m|h)$${OR_REFERENCE}` },
  );

/** Bytes from `32MiB`, `10MB` or a plain number. */
export const size = (description: string) =>
  scalar(
    (value) => within(readInteger(value) ?? readUnits(value, BYTES), 1),
    "must be a size of at least one byte, such as '32MiB', '10MB' or 1048576",
    {
      description,
      type: ["string", "integer"],
      pattern: `^\\d+(B|[kK]B|KiB|MB|MiB|GB|GiB)?$${OR_REFERENCE}`,
      minimum: 1,
    },
  );

/** An integer, or the same in digits, as a variable gives it. */
export const integer = (description: string, least: number, most?: number) =>
  scalar(
    (value) => within(readInteger(value), least, most),
    most === undefined
      ? `must be an integer of at least ${least}`
      : `must be an integer from ${least} to ${most}`,
    {
      description,
      type: ["integer", "string"],
      pattern: `^\\d+$${OR_REFERENCE}`,
      minimum: least,
      ...(most === undefined ? {} : { maximum: most }),
    },
  );

/** An integer, or `auto` where the machine is to say. */
export const integerOrAuto = (description: string, least: number, most: number) =>
  scalar<number | "auto">(
    (value) => value === "auto" ? value : within(readInteger(value), least, most),
    `must be 'auto' or an integer from ${least} to ${most}`,
    {
      description,
      type: ["integer", "string"],
      pattern: `^(auto|\\d+)$${OR_REFERENCE}`,
      minimum: least,
      maximum: most,
    },
  );

/** Unix seconds, from a number or a date. */
export const moment = (description: string) =>
  scalar(
    (value) => within(readInteger(value) ?? readDate(value), 0),
    "must be a date such as '2026-03-05', or Unix seconds",
    {
      description,
      type: ["string", "integer"],
      pattern: `^\\d{4}-\\d{2}-\\d{2}$|^\\d+$${OR_REFERENCE}`,
      minimum: 0,
    },
  );

const MILLISECONDS = new Map([["ms", 1], ["s", 1000], ["m", 60_000], ["h", 3_600_000]]);
const DAY = 86_400_000;
const BYTES = new Map([
  ["B", 1],
  ["kB", 1000],
  ["KB", 1000],
  ["KiB", 1024],
  ["MB", 1000 ** 2],
  ["MiB", 1024 ** 2],
  ["GB", 1000 ** 3],
  ["GiB", 1024 ** 3],
]);

function scalar<Value = number>(
  read: (value: unknown) => Value | undefined,
  message: string,
  describing: Describing,
) {
  return z.unknown().transform((input, context) => {
    const value = read(input);
    if (value !== undefined) return value;
    const missing = input === undefined;
    context.issues.push({ code: "custom", message: missing ? "is required" : message, input });
    return z.NEVER;
  }).meta({ ...describing });
}

function within(
  value: number | undefined,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  return value !== undefined && value >= least && value <= most ? value : undefined;
}

function readInteger(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? Number(number) : undefined;
}

function readUnits(value: unknown, units: ReadonlyMap<string, number>): number | undefined {
  if (typeof value !== "string") return undefined;
  const [, digits, unit = ""] = /^(\d+)([A-Za-z]+)$/.exec(value) ?? [];
  const factor = units.get(unit);
  return factor === undefined ? undefined : Number(digits) * factor;
}

function readDate(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const date = new Date(`${value}T00:00:00Z`);
  // A 31st of April is read as the 1st of May: such a date was never meant.
  return date.toString() === "Invalid Date" || !date.toISOString().startsWith(value)
    ? undefined
    : date.getTime() / 1000;
}
