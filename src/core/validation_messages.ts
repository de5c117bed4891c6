/**
 * Converts zod's validation errors, for requests and for config.yaml, into messages with a path and
 * a sentence.
 */

import { shortened } from "./text.ts";
import * as z from "zod";
import { isObject, type JsonObject } from "./json/object.ts";

/** A fault found across an object's members. */
export interface MemberFault {
  /** The path to the fault; the object itself if omitted. */
  readonly path?: PropertyKey[];
  readonly message: string;
}

/** A zod validation error. */
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

/** The maximum length of a path, and of a name in it, in a message, in UTF-16 units. */
const MAX_PATH_LENGTH = 100;

/** Shortens the path, whose names may come from a caller. */
export function shortPathOf(path: readonly PropertyKey[]): string {
  const text = pathOf(
    path.slice(0, MAX_PATH_LENGTH).map((step) =>
      typeof step === "string" ? step.slice(0, MAX_PATH_LENGTH) : step
    ),
  );
  return shortened(text, MAX_PATH_LENGTH);
}

/** The first error; for a union, the error of the branch that matches best. */
export function worstIssue(issues: readonly Issue[]): Issue {
  const [first] = issues;
  if (first === undefined) {
    throw new TypeError("A failed validation has at least one error");
  }
  return nearest(first);
}

/** For a union's error, the error of the branch with the longest valid path. Exported for tests. */
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

/** A sentence that states the allowed values, without the path. */
export function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${named(issue.expected)}`;
    case "too_small":
      return issue.origin === "array" || issue.origin === "string"
        ? `must not be empty`
        : `must be at least ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "array") return `must have at most ${issue.maximum} entries`;
      return issue.origin === "string"
        ? `must have at most ${issue.maximum} characters`
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
 * The most similar candidate: one that differs only in letter case, or in at most a third of its
 * characters. Takes bounded time, regardless of the number of candidates.
 *
 * @param isAllowed whether a similar candidate may be suggested. Default: all may
 */
export function didYouMean(
  name: string,
  candidates: Iterable<string>,
  isAllowed: (candidate: string) => boolean = () => true,
): string | undefined {
  // The time is proportional to the product of both lengths, and callers choose the name.
  if (name.length > 100) return undefined;
  let nearest: string | undefined;
  let shortest = Infinity;
  let steps = 0;
  const lower = name.toLowerCase();
  for (const candidate of candidates) {
    const limit = Math.floor(Math.max(name.length, candidate.length) / 3);
    if (Math.abs(name.length - candidate.length) > limit) continue;
    steps += name.length * candidate.length;
    if (steps > MAX_STEPS) break;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance > limit || distance >= shortest || !isAllowed(candidate)) continue;
    nearest = candidate;
    shortest = distance;
    if (distance === 0) break;
  }
  return nearest;
}

/** The maximum number of character pairs that are compared; later candidates are skipped. */
const MAX_STEPS = 100_000;

/**
 * The edit distance between two texts, counting insertions, deletions, replacements and swaps of
 * neighbors.
 */
// The standard library's function counts a swap as two edits, and allocates 4.4 MB when loaded.
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

/** Joins the sentences for all branches; for a discriminated union, lists the valid values. */
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

/**
 * The schema with a check across members, which runs even if other members have errors, so that all
 * errors are reported at once. Zod would skip its built-in checks after the first fault.
 *
 * @param faultsOf finds the faults; members may be missing or of any type
 */
export function withCheck<Schema extends z.ZodType>(
  schema: Schema,
  faultsOf: (members: JsonObject) => Iterable<MemberFault>,
): Schema {
  return schema.superRefine((value, context) => {
    if (!isObject(value)) return;
    for (const { path = [], message } of faultsOf(value)) {
      context.addIssue({ code: "custom", path, message });
    }
  }, { when: () => true });
}
