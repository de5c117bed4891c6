/** JSON whose numbers are written as they were read. */

/** Functions of the runtime that its types lack. */
interface RawJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

const json = JSON as unknown as RawJson;

/**
 * A number within a list or an object that JavaScript may write in another way: -0, a fraction that
 * ends in 0, an exponent, 16 or more characters, or less than a millionth.
 */
const MAY_CHANGE =
  /[:,[]\s*(?:-0[\s,\]}]|-?\d+(?:\.\d*0[\s,\]}]|(?:\.\d+)?[eE][+-]?\d)|-?\d[\d.]{15}|-?0\.0{6})/g;

/**
 * The position before the first number that JavaScript may write in another way, or -1. Only numbers
 * within lists and objects are found. Much faster than `JSON.parse`.
 */
export function findChangingNumber(text: string, start = 0): number {
  MAY_CHANGE.lastIndex = start;
  return MAY_CHANGE.exec(text)?.index ?? -1;
}

/**
 * Parses JSON. A number that JavaScript would write in another way becomes a value that
 * `JSON.stringify` and `toJsonText` write unchanged.
 */
export function parseExactly(text: string): unknown {
  // The search finds numbers only within lists and objects.
  if (/[{[]/.test(text) && findChangingNumber(text) === -1) return JSON.parse(text);
  return json.parse(
    text,
    (_, value, { source }) =>
      typeof value === "number" && source !== undefined ? toExactNumber(value, source) : value,
  );
}

/** A number, or for one that JavaScript would write in another way, a value that keeps its text. */
export function toExactNumber(value: number, text: string): unknown {
  return String(value) === text ? value : json.rawJSON(text);
}

/** Whether a value is a number that keeps its text. */
export function isExactNumber(value: unknown): boolean {
  return json.isRawJSON(value);
}

/** The number of a value that keeps its text; any other value as it is. */
export function toPlainNumber(value: unknown): unknown {
  return isExactNumber(value) ? Number((value as { readonly rawJSON: string }).rawJSON) : value;
}
