/** Keys as rows of a table, the same in every SQL store. */

import { keySettings } from "../../config/keys.ts";
import type { KeyChanges, StoredKey } from "./key_store.ts";

/** The columns of a key. Settings are JSON; times are integers. */
export const KEY_COLUMNS = [
  "id",
  "name",
  "prefix",
  "hash",
  "pepper",
  "models",
  "limits",
  "budget",
  "expires",
  "created",
  "revoked",
  "previous",
  "priority",
  "weight",
] as const;

/** The value of a column. */
export type KeyValue = string | number | null;

/** The values of {@linkcode KEY_COLUMNS}. */
export function toKeyValues(key: StoredKey): KeyValue[] {
  const { models, limits, budget, expires, priority, weight } = key.settings ?? {};
  return [
    ...[key.id, key.name, key.prefix, key.hash, key.pepper],
    ...[toJson(models), toJson(limits), toJson(budget), expires ?? null],
    ...[key.created, key.revoked ?? null, toPreviousJson(key.previous)],
    ...[priority ?? null, weight ?? null],
  ];
}

/** Reads a row. */
export function toStoredKey(row: Readonly<Record<string, unknown>>): StoredKey {
  const { models, limits, budget, expires, priority, weight } = row;
  const settings = keySettings.safeParse({
    ...(models !== null && { models: fromJson(models) }),
    ...(limits !== null && { limits: fromJson(limits) }),
    ...(budget !== null && { budget: fromJson(budget) }),
    ...(expires !== null && { expires: Number(expires) }),
    ...(priority !== null && { priority }),
    ...(weight !== null && { weight: Number(weight) }),
  });
  return {
    id: String(row.id),
    name: String(row.name),
    prefix: String(row.prefix),
    hash: String(row.hash),
    pepper: String(row.pepper),
    settings: settings.data,
    created: Number(row.created),
    revoked: row.revoked === null ? undefined : Number(row.revoked),
    previous: [fromJson(row.previous) ?? []].flat() as unknown as StoredKey["previous"],
  };
}

/** The columns that changes set, with their values. */
export function toChangedColumns(
  { settings = {}, hash, previous, revoked }: KeyChanges,
): [(typeof KEY_COLUMNS)[number], KeyValue][] {
  const changed: [(typeof KEY_COLUMNS)[number], KeyValue][] = [];
  for (const name of ["models", "limits", "budget"] as const) {
    if (settings[name] !== undefined) changed.push([name, toJson(settings[name])]);
  }
  for (const name of ["expires", "priority", "weight"] as const) {
    if (settings[name] !== undefined) changed.push([name, settings[name]]);
  }
  if (hash !== undefined) {
    changed.push(["prefix", hash.prefix], ["hash", hash.hash], ["pepper", hash.pepper]);
    changed.push(["previous", toPreviousJson(previous)]);
  }
  if (revoked !== undefined) changed.push(["revoked", revoked]);
  return changed;
}

/** One text as earlier versions wrote it, several as a list. */
function toPreviousJson(previous: StoredKey["previous"] = []): string | null {
  return previous.length > 1 ? JSON.stringify(previous) : toJson(previous[0]);
}

function toJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

function fromJson(value: unknown): unknown {
  return value === null ? undefined : JSON.parse(String(value));
}
