/** JSON whose numbers are written as they were read. */

/** What the runtime has, and its types lack. */
interface RawJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

const json = JSON as unknown as RawJson;

/** What is in every text with a number that JavaScript would write in another way. */
const MAY_CHANGE = /\d[eE]|-0|[\d.]{16}|\.\d*0(?!\d)/;

/**
 * Parses JSON. A number that JavaScript would write in another way becomes a value that
 * `JSON.stringify` and `toJsonText` write unchanged.
 */
export function parseExactly(text: string): unknown {
  if (!MAY_CHANGE.test(text)) return JSON.parse(text);
  return json.parse(
    text,
    (_, value, { source }) =>
      typeof value === "number" && source !== undefined && JSON.stringify(value) !== source
        ? json.rawJSON(source)
        : value,
  );
}

/** Whether a value is such a number. */
export function isExactNumber(value: unknown): boolean {
  return json.isRawJSON(value);
}
