/** What one config.yaml changes about another one, by names. */

import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../../chat/chat.ts";
import { shortened } from "../../core/shortened.ts";
import type { ConfigChange } from "./calls.ts";

/** The longest value of a change, in UTF-16 units. */
const MAX_VALUE_CHARS = 300;

/** A name with its value in one section. */
type Named = ReadonlyMap<string, unknown>;
type Sections = ReadonlyMap<ConfigChange["section"], Named>;

/**
 * Compares two documents whose references are not resolved.
 *
 * @param before the one in use
 */
export function changesBetween(before: unknown, after: unknown): ConfigChange[] {
  const [old, next] = [sectionsOf(before), sectionsOf(after)];
  return [...next].flatMap(([section, named]) => {
    const earlier = old.get(section) ?? new Map<string, unknown>();
    const names = new Set([...earlier.keys(), ...named.keys()]);
    return [...names].flatMap((name): ConfigChange[] => {
      const [one, other] = [earlier.get(name), named.get(name)];
      if (isDeepStrictEqual(one, other)) return [];
      const change = !earlier.has(name) ? "added" : !named.has(name) ? "removed" : "changed";
      return [{
        ...{ section, name, change },
        ...(change !== "added" && { before: toText(one) }),
        ...(change !== "removed" && { after: toText(other) }),
      }];
    });
  });
}

function sectionsOf(document: unknown): Sections {
  const { providers, aliases, pins, limits, server, ...others } = isObject(document)
    ? document
    : {};
  const { keys, admin_keys: admins, ...settings } = isObject(server) ? server : {};
  return new Map<ConfigChange["section"], Named>([
    ["providers", new Map(membersOf(providers).map(([id, entry]) => [id, withoutModels(entry)]))],
    ["models", new Map(membersOf(providers).flatMap(([id, entry]) => modelsOf(id, entry)))],
    ["aliases", new Map(membersOf(aliases))],
    ["pins", new Map(membersOf(pins))],
    ["limits", new Map(membersOf(limits))],
    ["keys", namedKeys(keys)],
    ["admin_keys", namedKeys(admins)],
    ["settings", new Map(leavesOf({ ...others, server: settings }))],
  ]);
}

function membersOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function withoutModels(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { models: _, ...rest } = entry;
  return rest;
}

function modelsOf(provider: string, entry: unknown): [string, unknown][] {
  const models = isObject(entry) && Array.isArray(entry.models) ? entry.models : [];
  return models.map((model: unknown) => {
    const id = isObject(model) ? String(model.id ?? "?") : String(model);
    return [`${id}@${provider}`, model];
  });
}

function namedKeys(list: unknown): Named {
  if (!Array.isArray(list)) return new Map();
  return new Map(list.map((key: unknown, index) => [
    isObject(key) ? String(key.name ?? index) : String(index),
    key,
  ]));
}

/** The members of other sections by their paths, two levels deep. */
function leavesOf(sections: JsonObject): [string, unknown][] {
  return Object.entries(sections).flatMap(([section, value]): [string, unknown][] =>
    isObject(value)
      ? Object.entries(value).map(([name, member]) => [`${section}.${name}`, member])
      : [[section, value]]
  );
}

function toText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return shortened(text, MAX_VALUE_CHARS);
}
