/** What features do with answers that are stored, and fetched later. */

import { type Config, ownerOf, type ServiceKey } from "../../config/config.ts";
import { responses } from "../../formats/responses/format.ts";
import type { ApiKind } from "../../gateway/feature.ts";
import {
  type Interceptions,
  NO_INTERCEPTIONS,
  startFeatures,
} from "../../gateway/interceptions.ts";
import type { Plans } from "../../gateway/plan.ts";

const STORED: ApiKind = {
  format: responses.name,
  idPrefix: responses.idPrefix,
  operation: "chat",
  asksNoModel: true,
};

/** Who asks, and the plans of models. */
interface StoredContext {
  readonly key: ServiceKey;
  readonly config: Config;
  readonly deps: { readonly plans: Plans };
}

/**
 * The features that see an answer of a model.
 *
 * @param model a name of the model that answered
 */
export function storedFeatures(
  model: string,
  { key, config, deps: { plans } }: StoredContext,
): Interceptions {
  const features = plans.find(model, config)?.features(STORED) ?? [];
  if (features.length === 0) return NO_INTERCEPTIONS;
  const { name } = key;
  const request = {
    api: STORED,
    body: {},
    stream: false,
    key: name,
    owner: ownerOf(key),
    bytes: 0,
  };
  return startFeatures(features, request.body, () => request);
}
