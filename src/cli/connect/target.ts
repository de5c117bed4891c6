/** The gateway that a client is pointed at: its address and its models. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import type { Config, ModelEntry } from "../../config/config.ts";
import { didYouMean } from "../../core/validation_messages.ts";
import { entriesOf } from "../admin_output.ts";
import { UsageError } from "../usage_error.ts";
import type { ClientModel, ClientTarget } from "./client.ts";

/** The models of a gateway. */
export interface ModelSource {
  /** Models that answer chats, without the forms that name a provider. */
  readonly models: readonly ClientModel[];
  /** Finds a model by any of its names. */
  readonly find: (id: string) => ClientModel | undefined;
}

/** The models of a configuration. */
export function modelsOfConfig(config: Config): ModelSource {
  const find = (id: string) => {
    const entry = config.find(id);
    return entry && toClientModel(entry);
  };
  const models = config.models.filter(({ id, root, target }) =>
    isForChats(id, root, target.model.facts)
  );
  return { models: models.map(toClientModel), find };
}

function toClientModel({ id, target, label }: ModelEntry): ClientModel {
  const { context_window, max_output_tokens, capabilities } = target.model.facts;
  return {
    id,
    name: label?.display_name ?? id,
    contextWindow: context_window,
    maxOutputTokens: max_output_tokens,
    vision: capabilities?.vision,
  };
}

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

function isForChats(
  id: string,
  root: string,
  facts: { readonly dimensions?: unknown; readonly capabilities?: unknown },
): boolean {
  const { dimensions, capabilities } = facts;
  const isEmbedding = typeof dimensions === "number" ||
    (isObject(capabilities) && capabilities.embeddings === true);
  return !isEmbedding && !id.startsWith(`${root}@`);
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
  const listed = options.get("models")?.split(",").map((id) => find(id.trim())) ?? source.models;
  const choose = (option: string, usual: string) => {
    const id = options.get(option);
    return id === undefined ? listed.find((model) => model.id === usual) : find(id);
  };
  const model = choose("model", "smart") ?? listed[0];
  if (model === undefined) throw new UsageError("The gateway has no model that answers chats");
  const smallModel = choose("small-model", "fast") ?? model;
  const chosen = [model, smallModel].filter((one) => !listed.some(({ id }) => id === one.id));
  return {
    origin,
    base: `${origin}/v1`,
    model,
    smallModel,
    models: [...listed, ...new Set(chosen)],
  };
}
