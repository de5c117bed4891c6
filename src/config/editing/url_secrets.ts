/** The parts of URLs that may be secrets. */

/** A part of a text: its start and its end. */
export type Range = readonly [start: number, end: number];

/** Text without a space or quote around `://`. */
const URL_TEXT = /[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>]*/gi;

/** The parts of all URLs in a prose text that may be secrets. */
export function secretsOfUrls(text: string): readonly Range[] {
  return [...text.matchAll(URL_TEXT)].flatMap(({ 0: url, index }) =>
    secretsOfUrl(url).map(([start, end]): Range => [index + start, index + end])
  );
}

/**
 * The parts of a value that may be secrets, if it is a URL: the password, or the name if there is
 * none, and the values of the query. All of the login if the text cannot be parsed.
 */
export function secretsOfUrl(value: string): readonly Range[] {
  const scheme = value.indexOf("://");
  if (scheme === -1) return [];
  const start = scheme + "://".length;
  const login = loginOf(value, start);
  const query = queryOf(value, login?.[1] ?? start);
  const ranges = [...(login === undefined ? [] : [login]), ...query];
  return isClean(value, ranges) ? ranges : [[start, value.length]];
}

function loginOf(value: string, start: number): Range | undefined {
  const parsed = URL.parse(value);
  if (parsed !== null && parsed.username + parsed.password === "") return undefined;
  const rest = value.slice(start);
  const authority = parsed === null ? rest : rest.slice(0, endOf(rest, /[/\\?#]/));
  const at = authority.lastIndexOf("@");
  if (at === -1) return undefined;
  const colon = authority.indexOf(":");
  const hasPassword = colon !== -1 && colon < at - 1;
  return [start + (hasPassword ? colon + 1 : 0), start + at];
}

function queryOf(value: string, start: number): readonly Range[] {
  const mark = value.indexOf("?", start);
  if (mark === -1) return [];
  const ranges: Range[] = [];
  let at = mark + 1;
  for (const part of value.slice(at).split(/[&#]/)) {
    const equals = part.indexOf("=");
    if (part.length > equals + 1) ranges.push([at + equals + 1, at + part.length]);
    at += part.length + 1;
  }
  return ranges;
}

/** Whether the rest of a URL, parsed again, has no login and no query. */
function isClean(value: string, ranges: readonly Range[]): boolean {
  let rest = value;
  for (const [start, end] of ranges.toReversed()) rest = rest.slice(0, start) + rest.slice(end);
  const url = URL.parse(rest);
  if (url === null) return !rest.includes("@") || ranges.length > 0;
  return url.password === "" && [...url.searchParams.values()].every((text) => text === "");
}

function endOf(text: string, mark: RegExp): number {
  const index = text.search(mark);
  return index === -1 ? text.length : index;
}
