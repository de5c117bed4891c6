/** Scalars of config.yaml: durations, sizes, integers, dates, keys, URLs, each with its own words. */

import { z } from "zod";

/** What editors and web pages put into a key that is copied from them. */
const LOOK_FOR = "look for typographic quotes and invisible characters";

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

/** A key that callers present. */
export const serviceKeyText = (description: string) =>
  keyText(z.string().trim().min(1), (key) => {
    if (key.startsWith("sha256:") && !DIGEST.test(key)) {
      return "must have 64 hexadecimal digits after 'sha256:'";
    }
    return /^[!-~]*$/.test(key) ? undefined : `must be printable ASCII without spaces; ${LOOK_FOR}`;
  }).describe(description);

/** A key that is given by its digest. */
export const DIGEST = /^sha256:([0-9a-f]{64})$/i;

/** A vendor's key. */
export const apiKey = keyText(z.string().trim(), (key) => {
  if (/^\$\w+$/.test(key)) {
    return "is not looked up in the environment unless it is written ${NAME}";
  }
  return /^[ -~]*$/.test(key) ? undefined : `must be printable ASCII; ${LOOK_FOR}`;
});

/** The paths of vendors' APIs, which are often copied with the URL. */
const RESOURCE = /(\/chat\/completions|\/messages|\/responses)\/*$/;

/** Where a vendor is reached, without a slash at its end. */
export const baseUrl = z.string().refine(isBaseUrl, {
  error: "must be an http or https URL without query, user name or password",
}).refine((url) => !RESOURCE.test(url), {
  error: ({ input }) =>
    `must end before '${RESOURCE.exec(String(input))?.[1]}', which the gateway adds`,
}).transform((url) => url.replace(/\/+$/, ""));

/** The ID of one model: a pattern would be sent to the vendor as a name. */
export const modelId = z.string().min(1).refine((id) => !id.includes("*"), {
  error: "must be the ID of one model: patterns with '*' are not supported",
});

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

/**
 * A key as it is pasted: white space around it is dropped, other things that come
 * with a paste are faults.
 *
 * @param faultOf what else is wrong with a key
 */
function keyText(text: z.ZodString, faultOf: (key: string) => string | undefined): z.ZodString {
  return text.check(({ value, issues }) => {
    const message = pasteFault(value) ?? faultOf(value);
    if (message !== undefined) issues.push({ code: "custom", message, input: value });
  });
}

function pasteFault(key: string): string | undefined {
  if (/^(["'`]).*\1$/.test(key)) return "must not be in quotes: remove them where the key is set";
  return /^bearer /i.test(key) ? "must be the key alone, without 'Bearer'" : undefined;
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

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) &&
    url.username === "" && url.password === "";
}
