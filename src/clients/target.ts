/** The gateway that clients use: its address and its models. */

import { OTHER_CAPABILITIES } from "../contract/operations.ts";
import type { Config, ModelEntry } from "../config/config.ts";
import type { ClientModel, ClientTarget } from "./client.ts";

/** A gateway's models. */
export interface ModelSource {
  /** Models that support chat, without pinned forms. */
  readonly models: readonly ClientModel[];
  /** Finds a model by any of its names. */
  readonly find: (id: string) => ClientModel | undefined;
}

/** A configuration's models that meet a condition. */
export function modelsOfConfig(
  config: Config,
  isAllowed: (id: string) => boolean = () => true,
): ModelSource {
  const find = (id: string) => {
    const entry = isAllowed(id) ? config.find(id) : undefined;
    return entry && toClientModel(entry);
  };
  const models = config.models.filter(({ id, root, target }) =>
    isAllowed(id) && isForChats(id, root, target.model.facts)
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

/** Whether a model supports chat and the name is not a pinned form. */
export function isForChats(
  id: string,
  root: string,
  { dimensions, capabilities }: {
    readonly dimensions?: unknown;
    readonly capabilities?: unknown;
  },
): boolean {
  const known = new Map(Object.entries(capabilities ?? {}));
  const isOther = typeof dimensions === "number" ||
    [...OTHER_CAPABILITIES.keys()].some((name) => known.get(name) === true);
  return !isOther && !id.startsWith(`${root}@`);
}

/** The models selected for clients; the defaults if absent. */
interface Choice {
  readonly listed: readonly ClientModel[];
  readonly model?: ClientModel | undefined;
  readonly smallModel?: ClientModel | undefined;
}

/**
 * The target with the selected models; by default `smart` (or the first model) and `fast`.
 *
 * @param origin the gateway's address without `/v1`
 * @returns undefined without a model
 */
export function targetOf(origin: string, { listed, ...chosen }: Choice): ClientTarget | undefined {
  const named = (id: string) => listed.find((model) => model.id === id);
  const model = chosen.model ?? named("smart") ?? listed[0];
  if (model === undefined) return undefined;
  const smallModel = chosen.smallModel ?? named("fast") ?? model;
  const others = [model, smallModel].filter((one) => !listed.some(({ id }) => id === one.id));
  return {
    origin,
    base: `${origin}/v1`,
    model,
    smallModel,
    models: [...listed, ...new Set(others)],
  };
}
