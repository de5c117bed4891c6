/**
 * The sources of the facts about vendors: the citations in the comments of their files.
 *
 * A citation is an address, or the name of another source, and the date as of which it was read:
 * `(https://vendor.example/docs, 2026-11-20)`, `https://vendor.example/docs (2026-11)`, `(observed
 * 2026-08)`. Several addresses may share the date that follows them.
 */

import { adapters } from "../../src/providers/registry.ts";

export interface Citation {
  readonly vendor: string;
  /** The file with the fact, below src. */
  readonly file: string;
  readonly source: string;
  /** A year, a month, or a day. */
  readonly checked: string;
}

const SOURCE = new URL("../../src/", import.meta.url);

/** The vendors of files outside vendor folders. */
const VENDOR_OF_FILE = new Map([
  ["contract/chat.ts", "openai"],
  ["providers/shared/strict_schema.ts", "openai"],
]);

/** The vendors of Claude. */
const CLAUDE = "providers/shared/claude/";

/**
 * The citations of all files, ordered by vendor, file and source.
 *
 * @throws {Error} for an address without a date, and for a citation in a file of no vendor.
 */
export function readCitations(): Citation[] {
  const files = ["contract/chat.ts", ...filesBelow("providers/")];
  const all = files.flatMap((file) => {
    const citations = citationsIn(Deno.readTextFileSync(new URL(file, SOURCE)));
    return citations.map((citation) => ({ vendor: vendorOf(file), file, ...citation }));
  });
  const unique = new Map(all.map((citation) => [keyOf(citation), citation]));
  return [...unique].sort(([a], [b]) => a < b ? -1 : 1).map(([, citation]) => citation);
}

/**
 * The citations in the comments of a file.
 *
 * @throws {Error} for an address without a date.
 */
export function citationsIn(code: string): Pick<Citation, "source" | "checked">[] {
  return commentsOf(code).flatMap((comment) => {
    const citations: Pick<Citation, "source" | "checked">[] = [];
    let pending: string[] = [];
    for (const { 0: match, index, groups: { url, date } = {} } of comment.matchAll(TOKENS)) {
      if (url !== undefined) pending.push(url.replace(/[.:]$/, ""));
      if (date === undefined) continue;
      const sources = pending.length > 0 ? pending : [wordsBefore(comment, index)];
      citations.push(...sources.filter(ages).map((source) => ({ source, checked: match })));
      pending = [];
    }
    if (pending.some(ages)) throw new Error(`A citation without a date: ${pending.join(", ")}`);
    return citations;
  });
}

/** URLs, and dates at the end of a bracket or a part of it. */
const TOKENS = /(?<url>https:\/\/[^\s,;)]+)|\b(?<date>20\d\d(?:-\d\d){0,2})(?=[);])/g;

/** Standards, which do not change. */
function ages(source: string): boolean {
  return !source.startsWith("https://www.rfc-editor.org/");
}

/** The comments on separate lines, each as one line of text. */
function commentsOf(code: string): string[] {
  const comments = code.match(/^ *\/\*[^]*?\*\/|(?:^ *\/\/.*\n)+/gm) ?? [];
  return comments.map((comment) => comment.replaceAll(/^ *(?:\/\*\*?|\*\/|\*|\/\/) ?/gm, ""))
    .map((text) => text.replaceAll(/\s+/g, " "));
}

/** The text of a bracket before its date; a date by itself follows an observation. */
function wordsBefore(comment: string, end: number): string {
  const bracket = comment.slice(0, end).replace(/^[^]*[(;]/, "");
  return bracket.replace(/[\s,]+$/, "").trim() || "observed";
}

function vendorOf(file: string): string {
  const [, name = "", row] = /^providers\/(\w+)\/(?:vendors\/([a-z]+))?/.exec(file) ?? [];
  // The format itself is OpenAI's.
  const folder = row ?? (name === "openai_compatible" ? "openai" : name);
  const vendor = VENDOR_OF_FILE.get(file) ?? (file.startsWith(CLAUDE) ? "anthropic" : undefined) ??
    (adapters.has(folder) ? folder : name === "shared" ? "several" : undefined);
  if (vendor === undefined) throw new Error(`A citation in a file of no vendor: ${file}`);
  return vendor;
}

/** The TypeScript files of a folder of src and its subfolders. */
function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, SOURCE))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}${name}/`) : [`${folder}${name}`]
  ).filter((file) => file.endsWith(".ts"));
}

function keyOf({ vendor, file, source, checked }: Citation): string {
  return [vendor, file, source, checked].join("\n");
}
