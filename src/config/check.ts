/** Validates a document against the schema and turns zod's issues into readable messages. */

import type { z } from "zod";
import { GatewayError } from "../core/errors.ts";
import { isObject } from "../contract/chat.ts";
import { readChatRequest } from "../apis/chat/read_request.ts";
import type { Steps } from "../core/steps.ts";
import { type Issue, sentenceOf } from "../core/validation_messages.ts";
import { crossCheck, modelsOf, suggestionFor } from "./cross_checks.ts";
import { rawTextAt } from "./references.ts";
import { parseInSteps } from "./parse_document.ts";
import { type ConfigEntry, providerOfAnyKind } from "./schema.ts";
import type { Path, PlacedError } from "./positions.ts";

/**
 * Finds all errors in a document whose references have been resolved.
 *
 * @param raw the document before that; messages quote only this one, since resolved values may be
 * secret
 */
export function* checkDocument(
  document: unknown,
  raw: unknown,
  schema: z.ZodType<ConfigEntry>,
): Steps<PlacedError[]> {
  if (!isObject(document)) return [{ path: [], message: NO_MAPPING }];
  const { issues } = yield* parseInSteps(document, schema, PARSE_CONTEXT);
  const crossed = yield* crossCheck(document, raw);
  yield;
  return [
    ...issues.flatMap(({ issue, path }) => toErrors(issue, raw, path)),
    ...crossed,
    ...checkParams(document),
  ];
}

const NO_MAPPING = "The file must be a mapping with 'providers'; 'sluice init' prints an example";

/** Zod reports all unknown keys of one object in one issue; this separates their messages. */
const SEPARATOR = "\n";

/** The sections in LiteLLM's config.yaml (https://docs.litellm.ai/docs/proxy/configs, 2026-11). */
const OF_LITELLM: ReadonlySet<string> = new Set([
  ...["model_list", "litellm_settings", "general_settings", "router_settings"],
  ...["environment_variables", "guardrails", "mcp_servers"],
]);
const LITELLM =
  "belongs to a LiteLLM configuration: the guide docs/guides/moving.md describes what to write " +
  "instead";

const PARSE_CONTEXT: z.core.ParseContext<Issue> = {
  reportInput: true,
  error: (issue) => {
    if (issue.code !== "unrecognized_keys") return undefined;
    const known = Object.keys((issue.inst as z.ZodObject | undefined)?.shape ?? {});
    const isRoot = known.includes("providers");
    return issue.keys.map((key) =>
      isRoot && OF_LITELLM.has(key) ? LITELLM : `is not a known key${suggestionFor(key, known)}`
    ).join(SEPARATOR);
  },
};

function toErrors(issue: Issue, raw: unknown, parent: Path = []): PlacedError[] {
  const path = [...parent, ...issue.path];
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
      return issue.issues.flatMap((inner) => toErrors(inner, raw, path));
    case "invalid_union":
      return "discriminator" in issue
        ? kindErrors(issue, path, raw)
        : branchErrors(issue, path, raw);
    default:
      return [{ path, message: sentenceOf(issue) }];
  }
}

type UnionIssue = Extract<Issue, { code: "invalid_union" }>;

/** For a missing or unknown kind, validates the members that all kinds share. */
function kindErrors(issue: UnionIssue, path: Path, raw: unknown): PlacedError[] {
  const provider = isObject(issue.input) ? issue.input : {};
  const { kind } = provider;
  const kinds = "options" in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
  const problem = kind === undefined
    ? "is required"
    : typeof kind === "string"
    ? `unknown kind '${rawTextAt(raw, path)}'`
    : "must be a string";
  const common = providerOfAnyKind.safeParse(provider, PARSE_CONTEXT);
  return [
    { path, message: `${problem}${suggestionFor(kindWithin(String(kind ?? ""), kinds), kinds)}` },
    ...(common.error?.issues ?? []).flatMap((inner) => toErrors(inner, raw, path.slice(0, -1))),
  ];
}

/** The kind contained in a longer name such as `vertex_ai` or `aws-bedrock`; otherwise the name. */
function kindWithin(name: string, kinds: readonly string[]): string {
  return name.toLowerCase().split(/[-_. ]/).find((word) => kinds.includes(word)) ?? name;
}

/** If the value's type matches exactly one branch, reports all errors in that branch. */
function branchErrors(issue: UnionIssue, path: Path, raw: unknown): PlacedError[] {
  const matching = issue.errors.filter((issues) =>
    !issues.some(({ code, path }) =>
      path.length === 0 &&
      (code === "invalid_type" || (code === "invalid_value" && typeof issue.input !== "string"))
    )
  );
  const [branch] = matching;
  if (typeof issue.input === "string" && issue.errors.some(wantsList)) {
    const list = `a list, such as [${rawTextAt(raw, path) ?? "a, b"}]`;
    const isWord = branch?.every(({ code }) => code === "invalid_value") ?? true;
    if (isWord) {
      return [{ path, message: `${sentenceOf(issue).replace(" or an array", "")} or ${list}` }];
    }
  }
  return branch !== undefined && matching.length === 1
    ? branch.flatMap((inner) => toErrors(inner, raw, path))
    : [{ path, message: sentenceOf(issue) }];
}

/** Whether one form of a value is a list. */
function wantsList(issues: readonly Issue[]): boolean {
  return issues.some((one) =>
    one.path.length === 0 && one.code === "invalid_type" && one.expected === "array"
  );
}

/** Validates models' `params` by reading a chat request that contains them. */
function checkParams(document: unknown): PlacedError[] {
  return modelsOf(document).flatMap(({ model, path }) => {
    if (!isObject(model) || !isObject(model.params)) return [];
    return paramErrors(model.params).map(({ name, message }) => ({
      path: [...path, "params", name],
      message,
    }));
  });
}

/** Request fields that only clients may set. */
const CLIENT_ONLY_FIELDS = ["model", "models", "messages", "stream", "stream_options"];

function paramErrors(params: Readonly<Record<string, unknown>>) {
  return Object.entries(params).flatMap(([name, value]) => {
    if (CLIENT_ONLY_FIELDS.includes(name)) {
      return [{ name, message: "cannot be a default: only the client can set it" }];
    }
    const message = requestError({ [name]: structuredClone(value) });
    return message === undefined ? [] : [{ name, message }];
  });
}

function requestError(params: Readonly<Record<string, unknown>>): string | undefined {
  try {
    readChatRequest({ model: "any", messages: [{ role: "user", content: "" }], ...params });
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}
