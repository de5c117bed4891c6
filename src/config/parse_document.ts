/**
 * Validates a document in steps: the validator cannot pause, so long lists are validated
 * separately.
 */

import type { z } from "zod";
import { isObject, type JsonObject } from "../contract/chat.ts";
import type { Steps } from "../core/steps.ts";
import type { Issue } from "../core/validation_messages.ts";
import { serviceKeyEntry } from "./keys.ts";
import { type ConfigEntry, modelItem } from "./schema.ts";
import type { Path } from "./positions.ts";
import { isPattern } from "./model_patterns.ts";

/**
 * The number of list items that are validated with the document, and the number in each subsequent
 * step.
 */
const MAX_AT_ONCE = 100;

/** A validated document, or its issues. */
export interface ParsedDocument {
  /** Undefined if there are issues. */
  readonly entry: ConfigEntry | undefined;
  readonly issues: readonly PlacedIssue[];
}

/** An issue, and the path of the value that was validated. */
interface PlacedIssue {
  readonly issue: Issue;
  readonly path: Path;
}

/** The list items that are validated separately. */
interface LongList {
  readonly path: Path;
  readonly items: readonly unknown[];
  readonly schema: z.ZodType;
  /** Whether an item must stay in the document for checks on the whole list. */
  readonly stays: (item: unknown, index: number) => boolean;
}

/** Validates a document whose references are resolved. */
export function* parseInSteps(
  document: JsonObject,
  schema: z.ZodType<ConfigEntry>,
  context?: z.core.ParseContext<Issue>,
): Steps<ParsedDocument> {
  const lists = longLists(document);
  // Compiling the validators takes longer than validating one document with them.
  const once = { ...context, jitless: true };
  const { data, error } = schema.safeParse(withoutLists(document, lists), once);
  yield;
  const issues: PlacedIssue[] = (error?.issues ?? []).map((issue) => ({ issue, path: [] }));
  for (const { items, path, schema, stays } of lists) {
    const parsed: unknown[] = [];
    for (const [index, item] of items.entries()) {
      if (index % MAX_AT_ONCE === 0) yield;
      if (stays(item, index)) continue;
      const { data, error } = schema.safeParse(item, context);
      parsed.push(data);
      for (const issue of error?.issues ?? []) issues.push({ issue, path: [...path, index] });
    }
    if (data !== undefined) merge(listAt(data, path), items, parsed, stays);
  }
  return { entry: issues.length === 0 ? data : undefined, issues };
}

/** The keys of `server.keys`, and the models of each provider. */
function longLists({ server, providers }: JsonObject): LongList[] {
  const isFirst = (_: unknown, index: number) => index < MAX_AT_ONCE;
  const keys: LongList[] = isObject(server) && isLong(server.keys)
    ? [{ path: ["server", "keys"], items: server.keys, schema: serviceKeyEntry, stays: isFirst }]
    : [];
  const models = Object.entries(isObject(providers) ? providers : {}).flatMap(
    ([id, provider]): LongList[] =>
      isObject(provider) && isLong(provider.models)
        ? [{
          path: ["providers", id, "models"],
          items: provider.models,
          schema: modelItem,
          stays: (item, index) => isFirst(item, index) || isPattern(item),
        }]
        : [],
  );
  return [...keys, ...models];
}

function isLong(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 2 * MAX_AT_ONCE;
}

/** A copy of the document with the remaining items. */
function withoutLists(document: JsonObject, lists: readonly LongList[]): JsonObject {
  let copy: JsonObject = document;
  for (const { items, path, stays } of lists) copy = replaced(copy, path, items.filter(stays));
  return copy;
}

function replaced(value: unknown, [name = "", ...rest]: Path, by: unknown): JsonObject {
  const object = isObject(value) ? value : {};
  const member = rest.length === 0 ? by : replaced(object[String(name)], rest, by);
  // Defines even names such as `__proto__` as own properties.
  return Object.fromEntries(
    Object.entries(object).map(([own, value]) => [own, own === name ? member : value]),
  );
}

function listAt(value: unknown, path: Path): unknown[] {
  let found = value;
  for (const name of path) found = isObject(found) ? found[String(name)] : undefined;
  return Array.isArray(found) ? found : [];
}

/** Puts all validated items into the list, in document order. */
function merge(
  list: unknown[],
  items: readonly unknown[],
  parsed: readonly unknown[],
  stays: LongList["stays"],
): void {
  const kept = list.splice(0);
  let [fromKept, fromParsed] = [0, 0];
  for (const [index, item] of items.entries()) {
    list.push(stays(item, index) ? kept[fromKept++] : parsed[fromParsed++]);
  }
}
