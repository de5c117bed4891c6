/** What features do with answers that are stored, and fetched later. */

import type { Config, ServiceKey } from "../../config/config.ts";
import { responses } from "../../formats/responses/format.ts";
import type { ApiKind } from "../../gateway/feature.ts";
import { type Interceptions, NO_INTERCEPTIONS, startRequest } from "../../gateway/interceptions.ts";
import type { Plans } from "../../gateway/plan.ts";

const STORED: ApiKind = {
  format: responses.name,
  idPrefix: responses.idPrefix,
  operation: "chat",
  asksNoModel: true,
};

/** What its features start with: its body is not known any more. */
const STORED_REQUEST = { models: { model: "" }, caller: { api: STORED, body: {} }, stream: false };

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
  const plan = plans.find(model, config);
  if (plan === undefined) return NO_INTERCEPTIONS;
  return startRequest(STORED_REQUEST, { key, plan, bytes: 0 });
}
