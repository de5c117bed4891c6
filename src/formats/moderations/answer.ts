/** Writes the answer of `POST /v1/moderations`: https://platform.openai.com/docs/api-reference/moderations/object (2026-11). */

import { isObject, type JsonObject } from "../../core/json/object.ts";

/** An answer before it is written. */
export interface ModerationAnswer {
  readonly id: string;
  readonly model: string;
  readonly results: readonly JsonObject[];
  /** Further members of the vendor's answer. */
  readonly extra: JsonObject;
}

/** The text of an answer. A result without `flagged` is flagged if any of its categories is. */
export function writeModeration({ id, model, results, extra }: ModerationAnswer): string {
  return JSON.stringify({ id, model, results: results.map(withFlag), ...extra });
}

function withFlag(result: JsonObject): JsonObject {
  if (typeof result.flagged === "boolean") return result;
  const { categories } = result;
  const flags = isObject(categories) ? Object.values(categories) : [];
  return { flagged: flags.includes(true), ...result };
}
