/** The models of the gateway that options choose. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import type { ClientModel, ClientTarget } from "../../clients/client.ts";
import { isForChats, type ModelSource, targetOf } from "../../clients/target.ts";
import { didYouMean } from "../../core/validation_messages.ts";
import { entriesOf } from "../admin_output.ts";
import { UsageError } from "../usage_error.ts";

/** The models in the answer of `GET /v1/models`. */
export function modelsOfAnswer(answer: JsonObject): ModelSource {
  const entries = entriesOf(answer);
  const all = entries.map((entry): ClientModel => ({
    id: String(entry.id),
    name: typeof entry.display_name === "string" ? entry.display_name : String(entry.id),
    contextWindow: numberOf(entry.context_window),
    maxOutputTokens: numberOf(entry.max_output_tokens),
    vision: isObject(entry.capabilities) ? booleanOf(entry.capabilities.vision) : undefined,
  }));
  const forChats = entries.map((entry) => isForChats(String(entry.id), String(entry.root), entry));
  return {
    models: all.filter((_, index) => forChats[index]),
    find: (id) => all.find((model) => model.id === id),
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function booleanOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/**
 * The target with the models that the options choose.
 *
 * @param origin the address of the gateway without `/v1`
 * @throws {UsageError} when the gateway has no such model.
 */
export function toTarget(
  origin: string,
  source: ModelSource,
  options: ReadonlyMap<string, string>,
): ClientTarget {
  const find = (id: string): ClientModel => {
    const model = source.find(id);
    if (model !== undefined) return model;
    const near = didYouMean(id, source.models.map((known) => known.id));
    const hint = near === undefined ? "" : `; did you mean '${near}'?`;
    throw new UsageError(`The gateway has no model '${id}'${hint}`);
  };
  const choose = (option: string) => {
    const id = options.get(option);
    return id === undefined ? undefined : find(id);
  };
  const target = targetOf(origin, {
    listed: options.get("models")?.split(",").map((id) => find(id.trim())) ?? source.models,
    model: choose("model"),
    smallModel: choose("small-model"),
  });
  if (target === undefined) throw new UsageError("The gateway has no model that answers chats");
  return target;
}
