/** Checks a document against the schema, and puts what zod finds into the words of the house. */

import type { z } from "zod";
import { GatewayError } from "../core/errors.ts";
import { isObject } from "../chat/chat.ts";
import { readChatRequest } from "../chat/read_request.ts";
import { type Issue, sentenceOf } from "../core/validation_messages.ts";
import { crossCheck, hint, modelsOf } from "./cross_checks.ts";
import { writtenAt } from "./references.ts";
import type { Path, PlacedFault } from "./config_errors.ts";
import { providerOfAnyKind } from "./schema.ts";

/**
 * Every fault of a document whose references are filled in.
 *
 * @param raw the document before that: only its text is quoted, for what was filled in may be secret
 */
export function checkDocument(document: unknown, raw: unknown, schema: z.ZodType): PlacedFault[] {
  const { error } = schema.safeParse(document, PARSING);
  return [
    ...(error?.issues ?? []).flatMap((issue) => toFaults(issue, raw)),
    ...crossCheck(document, raw),
    ...checkParams(document),
  ];
}

/** Unknown keys are told apart by line: zod reports those of one object together. */
const SEPARATOR = "\n";

const PARSING: z.core.ParseContext<Issue> = {
  reportInput: true,
  error: (issue) => {
    if (issue.code !== "unrecognized_keys") return undefined;
    const known = Object.keys((issue.inst as z.ZodObject | undefined)?.shape ?? {});
    return issue.keys.map((key) => `is not a known key${hint(key, known)}`).join(SEPARATOR);
  },
};

function toFaults(issue: Issue, raw: unknown, above: Path = []): PlacedFault[] {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys": {
      const messages = issue.message.split(SEPARATOR);
      return issue.keys.map((key, index) => ({
        path: [...path, key],
        message: messages[index] ?? "is not a known key",
        isOfName: true,
      }));
    }
    case "invalid_key":
      return issue.issues.flatMap((inner) => toFaults(inner, raw, path));
    case "invalid_union":
      return "discriminator" in issue
        ? kindFaults(issue, path, raw)
        : branchFaults(issue, path, raw);
    default:
      return [{ path, message: sentenceOf(issue) }];
  }
}

type UnionIssue = Extract<Issue, { code: "invalid_union" }>;

/** The kind is missing or unknown; what every kind has in common can still be checked. */
function kindFaults(issue: UnionIssue, path: Path, raw: unknown): PlacedFault[] {
  const provider = isObject(issue.input) ? issue.input : {};
  const { kind } = provider;
  const kinds = "options" in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
  const problem = kind === undefined
    ? "is required"
    : typeof kind === "string"
    ? `unknown kind '${writtenAt(raw, path)}'`
    : "must be a string";
  const common = providerOfAnyKind.safeParse(provider, PARSING);
  return [
    { path, message: `${problem}${hint(kindWithin(String(kind ?? ""), kinds), kinds)}` },
    ...(common.error?.issues ?? []).flatMap((inner) => toFaults(inner, raw, path.slice(0, -1))),
  ];
}

/** The kind that a longer name has in it, as in `vertex_ai` or `aws-bedrock`; else the name. */
function kindWithin(name: string, kinds: readonly string[]): string {
  return name.toLowerCase().split(/[-_. ]/).find((word) => kinds.includes(word)) ?? name;
}

/** When the value's type fits one branch alone, all of that branch's faults are meant. */
function branchFaults(issue: UnionIssue, path: Path, raw: unknown): PlacedFault[] {
  const fitting = issue.errors.filter((issues) =>
    !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0)
  );
  const [branch] = fitting;
  return branch !== undefined && fitting.length === 1
    ? branch.flatMap((inner) => toFaults(inner, raw, path))
    : [{ path, message: sentenceOf(issue) }];
}

/** Default params are request fields, so a request that holds them must pass. */
function checkParams(document: unknown): PlacedFault[] {
  return modelsOf(document).flatMap(({ model, path }) => {
    if (!isObject(model) || !isObject(model.params)) return [];
    return paramFaults(model.params).map(({ name, message }) => ({
      path: [...path, "params", name],
      message,
    }));
  });
}

/** What makes a request that one, and no other, cannot be a default. */
const OF_THE_CALLER = ["model", "models", "messages", "stream", "stream_options"];

function paramFaults(params: Readonly<Record<string, unknown>>) {
  return Object.entries(params).flatMap(([name, value]) => {
    if (OF_THE_CALLER.includes(name)) return [{ name, message: "is for the caller to say" }];
    const message = requestFault({ [name]: structuredClone(value) });
    return message === undefined ? [] : [{ name, message }];
  });
}

function requestFault(params: Readonly<Record<string, unknown>>): string | undefined {
  try {
    readChatRequest({ model: "any", messages: [{ role: "user", content: "" }], ...params });
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}
