/**
 * Words for what zod finds: a path and a sentence, the same for a caller's
 * request and for config.yaml.
 */

import type { z } from "zod";

/** One fault, as zod reports it. */
export type Issue = z.core.$ZodIssue;

/** `["messages", 2, "content"]` as `messages[2].content`. */
export function pathOf(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? String(step) : `.${String(step)}`;
  }
  return text;
}

/** UTF-16 units of a path, and of a name in it, that a message shows. */
const MAX_PATH_LENGTH = 100;

/** The same, shortened: names in it may come from a caller. */
export function shortPathOf(path: readonly PropertyKey[]): string {
  const text = pathOf(
    path.slice(0, MAX_PATH_LENGTH).map((step) =>
      typeof step === "string" ? step.slice(0, MAX_PATH_LENGTH) : step
    ),
  );
  return text.length > MAX_PATH_LENGTH ? `${text.slice(0, MAX_PATH_LENGTH)}…` : text;
}

/** The first fault, followed into the branch of a union that came nearest to fitting. */
export function worstIssue(issues: readonly Issue[]): Issue {
  const [first] = issues;
  if (first === undefined) {
    throw new TypeError("A failed check reports at least one fault");
  }
  return nearest(first);
}

/** Follows a union's fault into the branch that got furthest before it failed. */
export function nearest(issue: Issue): Issue {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  let deepest: Issue | undefined;
  for (const branch of issue.errors) {
    const [inner] = branch;
    if (inner === undefined) continue;
    const found = nearest(inner);
    if (found.path.length > (deepest?.path.length ?? 0)) deepest = found;
  }
  if (deepest === undefined) return issue;
  return { ...deepest, path: [...issue.path, ...deepest.path] };
}

/** A fault in words that say what is allowed, without the path. */
export function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${named(issue.expected)}`;
    case "too_small":
      return issue.origin === "array" || issue.origin === "string"
        ? `must not be empty`
        : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "array"
        ? `must have at most ${issue.maximum} entries`
        : `must be at most ${issue.maximum}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values)}`;
    case "invalid_union":
      return issue.input === undefined ? "is required" : unionSentence(issue);
    case "unrecognized_keys":
      return `unknown: ${issue.keys.map((key) => `'${key}'`).join(", ")}`;
    default:
      return issue.message;
  }
}

/**
 * The candidate that a name was most likely meant to be: it differs in case
 * alone, or in at most a third of its characters.
 */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  // A caller chooses the name, and the distance costs the product of both lengths.
  if (name.length > 100) return undefined;
  let nearest: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const limit = Math.floor(Math.max(name.length, candidate.length) / 3);
    if (Math.abs(name.length - candidate.length) > limit) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance > limit || distance >= least) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to another. */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap && column > 1 ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
      ));
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}

const ARTICLES = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["int", "an integer"],
  ["boolean", "true or false"],
  ["array", "an array"],
  ["object", "an object"],
  ["record", "an object"],
]);

function named(expected: string): string {
  return ARTICLES.get(expected) ?? expected;
}

function oneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

/** Joins what each branch wanted; a union told apart by a field names that field's values. */
function unionSentence(
  issue: Extract<Issue, { code: "invalid_union" }>,
): string {
  if ("options" in issue && Array.isArray(issue.options)) {
    return `must be ${oneOf(issue.options)}`;
  }
  const wanted = new Set<string>();
  for (const branch of issue.errors) {
    const [inner] = branch;
    if (inner !== undefined) {
      wanted.add(sentenceOf(inner).replace(/^must be /, ""));
    }
  }
  return wanted.size === 0 ? "has no known form" : `must be ${[...wanted].join(" or ")}`;
}
