/** Reads the gateway's information about a request: response headers and explanation. */

/** The `x-sluice-*` headers of an answer. */
export function readReceiptHeaders(headers) {
  const number = (name) => {
    const text = headers.get(name);
    return text === null || text === "" ? null : Number(text);
  };
  return {
    requestId: headers.get("x-request-id"),
    provider: headers.get("x-sluice-provider"),
    model: headers.get("x-sluice-model"),
    attempts: number("x-sluice-attempts"),
    overheadMs: number("x-sluice-overhead-ms"),
    cost: number("x-sluice-cost-usd"),
    upstreamRequestId: headers.get("x-sluice-upstream-request-id"),
    cache: headers.get("x-sluice-cache"),
    ignored: listOf(headers.get("x-sluice-ignored")),
    converted: listOf(headers.get("x-sluice-converted")),
  };
}

function listOf(text) {
  if (text === null) return [];
  return text.split(", ").filter((entry) => entry !== "" && !/^and \d+ more$/.test(entry));
}

/**
 * The rows of a receipt from the headers only, for a request without an explanation.
 *
 * @returns {{ parameter: string, fate: string, change?: string }[]}
 */
export function rowsOfHeaders({ ignored, converted }) {
  const ignoredRows = ignored.map((parameter) => ({ parameter, fate: "ignored" }));
  const convertedRows = converted.map((entry) => {
    const space = entry.indexOf(" ");
    const arrow = entry.indexOf("->");
    if (space !== -1 && space < arrow) {
      return {
        parameter: entry.slice(0, space),
        fate: "converted",
        change: entry.slice(space + 1),
      };
    }
    return arrow === -1
      ? { parameter: entry, fate: "converted" }
      : { parameter: entry.slice(0, arrow), fate: "renamed", to: entry.slice(arrow + 2) };
  });
  return [...ignoredRows, ...convertedRows];
}

/**
 * The rows of an explanation, corrected by the headers of the actual request: the last attempt may
 * have omitted or renamed a parameter that the vendor refused.
 *
 * @param {any[]} rows
 * @param {any} headers null until the headers have arrived
 */
export function correctedRows(rows, headers) {
  if (headers === null) return rows;
  const real = new Map(rowsOfHeaders(headers).map((row) => [row.parameter, row]));
  const corrected = rows.map((row) => {
    const said = real.get(row.parameter);
    real.delete(row.parameter);
    return row.fate === "as is" && said !== undefined ? { ...said, rule: REFUSED } : row;
  });
  return [...corrected, ...real.values()];
}

const REFUSED = "the vendor rejected it unchanged";

/** The sort order: changed parameters come first. */
const FATES = ["ignored", "converted", "renamed", "added", "as is"];

/** The rows of a receipt in the order of importance. */
export function sortRows(rows) {
  return rows.toSorted((a, b) => FATES.indexOf(a.fate) - FATES.indexOf(b.fate));
}

/**
 * The target that answered, as the explanation describes it; else the first one.
 *
 * @param {{ targets: { provider: string, model: string }[] }} explanation
 * @param {{ provider: string, model: string } | null} answered
 */
export function indexOfTarget({ targets }, answered) {
  const found = targets.findIndex(({ provider, model }) =>
    provider === answered?.provider && model === answered?.model
  );
  return Math.max(0, found);
}

/**
 * The target that answered, such as `answered by east / small after 2 attempts`; the last target of
 * a failed request; empty while unknown.
 *
 * @param {{ target: { provider: string, model: string } | null, attempts: number | null, state:
 * string, headers?: { cache?: string | null } | null }} run
 */
export function answeredBy({ target, attempts, state, headers }) {
  if (state === "preview") return "";
  if (headers?.cache === "hit") return "answered by the response cache";
  if (target === null) return "";
  const name = `${target.provider} / ${target.model}`;
  if (state === "failed") {
    return attempts > 1 ? `failed at ${name} after ${attempts} attempts` : `failed at ${name}`;
  }
  return attempts > 1 ? `answered by ${name} after ${attempts} attempts` : `answered by ${name}`;
}

/** The maximum visible length of a member's text, in characters. An image can have millions. */
const MAX_TEXT_CHARS = 400;

/** A vendor's body as indented JSON with truncated texts. */
export function toShownJson(body) {
  return JSON.stringify(
    body,
    (_, value) =>
      typeof value === "string" && value.length > MAX_TEXT_CHARS
        ? `${value.slice(0, MAX_TEXT_CHARS / 2)}… (${value.length} characters)`
        : value,
    2,
  ) ?? "";
}
