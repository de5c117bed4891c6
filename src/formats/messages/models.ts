/**
 * The list of models in Anthropic's shape.
 *
 * Shape: `ModelInfo` and `Page` of https://www.npmjs.com/package/@anthropic-ai/sdk (1.12.0,
 * 2026-11-20).
 */

import { invalidValue } from "../../core/invalid_value.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { ModelFacts } from "../../providers/contract/model_facts.ts";

/** A configured model. */
export interface ListedModel {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** How people see it, if known. */
  readonly label?: Pick<ModelFacts, "description" | "display_name"> | undefined;
  readonly target: { readonly model: { readonly facts: ModelFacts } };
}

/** The maximum and default number of models on a page. */
const MAX_PAGE = 1000;

/** One model. */
export function toModelInfo({ id, created, label, target }: ListedModel): JsonObject {
  const { context_window, max_output_tokens } = target.model.facts;
  return {
    type: "model",
    id,
    display_name: label?.display_name ?? id,
    ...(label?.description !== undefined && { description: label.description }),
    created_at: new Date(created * 1000).toISOString().replace(".000Z", "Z"),
    max_input_tokens: context_window ?? null,
    max_tokens: max_output_tokens ?? null,
    capabilities: null,
  };
}

/**
 * One page of the list: the models after `after_id`, or those before `before_id`.
 *
 * @throws {GatewayError} `invalid_value` for a limit out of range or an unknown ID.
 */
export function toModelPage(entries: readonly ListedModel[], query: URLSearchParams): JsonObject {
  const limit = readLimit(query.get("limit"));
  const after = indexOf(entries, query, "after_id");
  const before = indexOf(entries, query, "before_id");
  const rest = entries.slice(after === undefined ? 0 : after + 1, before);
  const page = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return {
    data: page.map(toModelInfo),
    has_more: page.length < rest.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function readLimit(text: string | null): number {
  if (text === null) return MAX_PAGE;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_PAGE) return limit;
  throw invalidValue("limit", `must be a whole number from 1 to ${MAX_PAGE}`);
}

function indexOf(
  entries: readonly ListedModel[],
  query: URLSearchParams,
  name: string,
): number | undefined {
  const id = query.get(name);
  if (id === null) return undefined;
  const index = entries.findIndex((entry) => entry.id === id);
  if (index === -1) throw invalidValue(name, "must be the ID of a model of this list");
  return index;
}
