/** Schemas for config.yaml's scalars: durations, sizes, integers, dates, keys and URLs. */

import * as z from "zod";

/** Characters that editors and web pages add to copied keys. */
const PASTE_HINT = "check for typographic quotes and invisible characters";

/** The JSON Schema of a scalar. */
interface ScalarSchema {
  readonly description?: string;
  readonly type: string | readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Marks a value in the JSON Schema as hidden. */
export const SECRET = { writeOnly: true } as const;

/** Lets editors accept references for any scalar. */
const OR_REFERENCE = "|\\$\\{";

/** A duration such as `500ms`, `10s`, `2m` or `1h`, at most 24 hours; parsed into milliseconds. */
export const duration = (description: string, min: "1ms" | "0s" = "1ms") =>
  scalar(
    (value) => inRange(readUnits(value, MILLISECONDS), min === "0s" ? 0 : 1, DAY_MS),
    `must be a duration from ${min} to 24h, such as '500ms', '10s', '2m' or '1h'`,
    { description, type: "string", pattern: `^\\d+(ms|s|m|h)$${OR_REFERENCE}` },
  );

/** A duration as in {@linkcode duration}, or a keyword. */
export const durationOr = <Word extends string>(word: Word, description: string) =>
  scalar<number | Word>(
    (value) => value === word ? word : inRange(readUnits(value, MILLISECONDS), 1, DAY_MS),
    `must be '${word}' or a duration from 1ms to 24h, such as '500ms', '10s', '2m' or '1h'`,
    { description, type: "string", pattern: `^(${word}|\\d+(ms|s|m|h))$${OR_REFERENCE}` },
  );

/** A share such as `5%`; parsed into a number above 0, at most 1. */
export const percent = (description: string) =>
  scalar(
    (value) => {
      const [, digits] = typeof value === "string"
        ? /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(value) ?? []
        : [];
      const share = Number(digits) / 100;
      return share > 0 && share <= 1 ? share : undefined;
    },
    "must be a share above 0% and up to 100%, such as '5%'",
    { description, type: "string", pattern: `^\\d{1,3}(\\.\\d{1,3})?%$${OR_REFERENCE}` },
  );

/** A number of days, such as `90d`; parsed into milliseconds. */
export const days = (description: string) =>
  scalar(
    (value) => inRange(readUnits(value, DAYS), DAY_MS, MAX_DAYS * DAY_MS),
    `must be a number of days from 1d to ${MAX_DAYS}d, such as '90d'`,
    { description, type: "string", pattern: `^\\d+d$${OR_REFERENCE}` },
  );

/** A size such as `32MiB`, `10MB` or a plain number; parsed into bytes. */
export const size = (description: string, min: 0 | 1 = 1) =>
  scalar(
    (value) => inRange(readInteger(value) ?? readUnits(value, BYTES), min),
    min === 0
      ? "must be a size such as '32MiB', '10MB' or 1048576, or 0"
      : "must be a size of at least one byte, such as '32MiB', '10MB' or 1048576",
    {
      description,
      type: ["string", "integer"],
      pattern: `^\\d+(B|[kK]B|KiB|MB|MiB|GB|GiB)?$${OR_REFERENCE}`,
      minimum: min,
    },
  );

/** An integer, or a string of digits, as from a variable. */
export const integer = (description: string, min: number, max?: number) =>
  scalar(
    (value) => inRange(readInteger(value), min, max),
    max === undefined
      ? `must be an integer of at least ${min}`
      : `must be an integer from ${min} to ${max}`,
    {
      description,
      type: ["integer", "string"],
      pattern: `^\\d+$${OR_REFERENCE}`,
      minimum: min,
      ...(max === undefined ? {} : { maximum: max }),
    },
  );

/** An amount such as `600`, `200k` or `2M`; parsed into a number of at least 1. */
export const amount = (description: string) =>
  scalar(
    (value) => inRange(readInteger(value) ?? readUnits(value, AMOUNTS), 1),
    "must be an amount of at least 1, such as 600, '200k' or '2M'",
    {
      description,
      type: ["integer", "string"],
      pattern: `^\\d+[kM]?$${OR_REFERENCE}`,
      minimum: 1,
    },
  );

/** A positive amount of US dollars. */
export const usd = (description: string) =>
  scalar(
    (value) => {
      const isNumber = typeof value === "string" && /^\d{1,9}(\.\d{1,6})?$/.test(value);
      const dollars = isNumber ? Number(value) : value;
      return typeof dollars === "number" && dollars > 0 && dollars <= MAX_USD ? dollars : undefined;
    },
    "must be a number of US dollars above 0 and up to 100000000, such as 250 or 0.5",
    { description, type: ["number", "string"], minimum: 0, maximum: MAX_USD },
  );

/** Budgets are counted in millionths of a dollar, in 48 bits. */
const MAX_USD = 100_000_000;

/** An integer, or `auto`. */
export const integerOrAuto = (description: string, min: number, max: number) =>
  scalar<number | "auto">(
    (value) => value === "auto" ? value : inRange(readInteger(value), min, max),
    `must be 'auto' or an integer from ${min} to ${max}`,
    {
      description,
      type: ["integer", "string"],
      pattern: `^(auto|\\d+)$${OR_REFERENCE}`,
      minimum: min,
      maximum: max,
    },
  );

/** A date such as `2026-03-05`, or Unix seconds; parsed into Unix seconds. */
export const timestamp = (description: string) =>
  scalar(
    (value) => inRange(readInteger(value) ?? readDate(value), 0),
    "must be a date such as '2026-03-05', or Unix seconds",
    {
      description,
      type: ["string", "integer"],
      pattern: `^\\d{4}-\\d{2}-\\d{2}$|^\\d+$${OR_REFERENCE}`,
      minimum: 0,
    },
  );

/** The text of a service key or admin key: the plain key, or `sha256:` and its digest. */
export const serviceKeyText = (description: string) =>
  keyText(z.string().trim().min(1), (key) => {
    if (key.startsWith("sha256:") && !DIGEST.test(key)) {
      return "must have 64 hexadecimal digits after 'sha256:'";
    }
    return /^[!-~]*$/.test(key)
      ? undefined
      : `must be printable ASCII without spaces; ${PASTE_HINT}`;
  }).meta({ ...SECRET, description });

/** A secret with at least 32 characters; an empty string means none. */
export const secret = (description: string) =>
  z.string().trim().refine((text) => text === "" || text.length >= MIN_SECRET_LENGTH, {
    error:
      `must have at least ${MIN_SECRET_LENGTH} characters, as printed by 'openssl rand -hex 32'`,
  }).meta({ ...SECRET, description });

const MIN_SECRET_LENGTH = 32;

/** A key given as its SHA-256 digest. */
export const DIGEST = /^sha256:([0-9a-f]{64})$/i;

/** A vendor's key. */
export const apiKey = keyText(z.string().trim(), (key) => {
  if (/^\$\w+$/.test(key)) {
    return "must use ${NAME}, with braces, to refer to an environment variable";
  }
  return /^[ -~]*$/.test(key) ? undefined : `must be printable ASCII; ${PASTE_HINT}`;
}).meta(SECRET);

/** Resource paths that users often paste along with the base URL. */
const RESOURCE_PATH = /(\/chat\/completions|\/messages|\/responses)\/*$/;

/** Whether a text is a URL without a scheme, such as `localhost:11434/v1`. */
function lacksScheme(text: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:\/|$)/i.test(text) &&
    URL.canParse(`https://${text}`);
}

/** A provider's base URL; trailing slashes are removed. */
export const baseUrl = z.string().refine(isBaseUrl, {
  error: ({ input }) =>
    lacksScheme(String(input))
      ? "needs a scheme: it must begin with 'https://' or 'http://'"
      : "must be an http or https URL without query, user name or password",
}).refine((url) => !RESOURCE_PATH.test(url), {
  error: ({ input }) =>
    `must not include '${RESOURCE_PATH.exec(String(input))?.[1]}': the gateway adds it`,
}).transform((url) => url.replace(/\/+$/, ""));

/** The ID of one model. Patterns are rejected: the gateway would send them to the vendor literally. */
export const modelId = z.string().min(1).refine((id) => !id.includes("*"), {
  error: "must be the ID of one model: patterns with '*' are not supported",
});

const MILLISECONDS = new Map([["ms", 1], ["s", 1000], ["m", 60_000], ["h", 3_600_000]]);
const DAY_MS = 86_400_000;
const DAYS = new Map([["d", DAY_MS]]);
/** The maximum number of days. */
const MAX_DAYS = 3650;

const AMOUNTS = new Map([
  ["k", 1000],
  ["M", 1000 ** 2],
]);

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
  schema: ScalarSchema,
) {
  return z.unknown().transform((input, context) => {
    const value = read(input);
    if (value !== undefined) return value;
    const isMissing = input === undefined;
    context.issues.push({ code: "custom", message: isMissing ? "is required" : message, input });
    return z.NEVER;
  }).meta({ ...schema });
}

/**
 * A pasted key. Surrounding white space is removed; quotes and `Bearer` are errors.
 *
 * @param errorOf the message for other errors in a key
 */
function keyText(text: z.ZodString, errorOf: (key: string) => string | undefined): z.ZodString {
  return text.check(({ value, issues }) => {
    const message = pasteError(value) ?? errorOf(value);
    if (message !== undefined) issues.push({ code: "custom", message, input: value });
  });
}

function pasteError(key: string): string | undefined {
  if (/^(["'`]).*\1$/.test(key)) {
    return "must not be enclosed in quotes: remove them where the key is set";
  }
  return /^bearer /i.test(key) ? "must be the key without 'Bearer'" : undefined;
}

function inRange(
  value: number | undefined,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
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
  // JavaScript parses April 31 as May 1: reject such dates.
  return date.toString() === "Invalid Date" || !date.toISOString().startsWith(value)
    ? undefined
    : date.getTime() / 1000;
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) &&
    url.username === "" && url.password === "";
}

/** A host name or an IP address, as the URL parser normalizes it. */
export const hostName = z.string().refine((text) => toHost(text) !== undefined, {
  error: "must be a host name or IP address, without scheme, port or path",
}).transform((text) => toHost(text) ?? text);

/** A host as the URL parser normalizes it, without brackets; undefined for anything else. */
function toHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*)\]$/, "$1");
  if (/[\s/\\?#@%*]/.test(host)) return undefined;
  const url = URL.parse(host.includes(":") ? `http://[${host}]` : `http://${host}`);
  return url?.hostname.replace(/^\[|\]$|\.$/g, "");
}
