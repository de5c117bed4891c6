/** `GET /v1/models` and `GET /v1/models/{model_id}`. */

import { unknownModel } from "../../routing/fallback_chain.ts";
import type { ModelEntry } from "../../config/config.ts";
import { type Draft, json, type RouteContext } from "./route.ts";

export function listModels(_: Request, { config, key }: RouteContext): Draft {
  const allowed = config.models.filter((entry) => config.isAllowed(key, entry.id));
  return json({ object: "list", data: allowed.map(toModel) });
}

/** @throws {GatewayError} `model_not_found`, also for a model that the key may not see. */
export function retrieveModel(_: Request, { config, key, params }: RouteContext): Draft {
  const id = params.get("model_id") ?? "";
  const entry = config.isAllowed(key, id) ? config.find(id) : undefined;
  if (entry === undefined) throw unknownModel(id, "model", key, config);
  return json(toModel(entry));
}

function toModel({ id, root, created, target }: ModelEntry) {
  const { context_window, max_output_tokens, capabilities } = target.model.facts;
  return {
    id,
    object: "model",
    created,
    owned_by: target.provider.adapter.kind,
    permission: [],
    root,
    parent: null,
    context_window,
    max_output_tokens,
    capabilities,
  };
}
