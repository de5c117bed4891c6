/** Starts the features of a plan for a request. */

import { NO_FEATURES, RequestFeatures } from "./request_features.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { Principal } from "../identity/principal.ts";
import type { CallerRequest, FormatRequest, RequestFeature, Wakes } from "./feature.ts";
import type { ModelPlan } from "./plan.ts";

/** Creates the hooks of a plan's features for a request. Explanations call it too. */
export function startRequest(started: StartedRequest, context: StartContext): RequestFeatures {
  const { api, body } = started.caller;
  let entries: RequestFeature[] | undefined;
  let request: CallerRequest | undefined;
  for (const feature of context.plan.features(api)) {
    const { wakes } = feature;
    if (wakes !== undefined && !isAwake(wakes, body, context)) continue;
    const entry = feature.start(request ??= toCallerRequest(started, context));
    if (entry === undefined) continue;
    (entries ??= []).push(entry);
    if (entry.session !== undefined) request = { ...request, session: entry.session };
  }
  return entries === undefined ? NO_FEATURES : new RequestFeatures(entries);
}

function toCallerRequest(
  { caller, models: { model }, stream }: StartedRequest,
  { principal: { id: owner, key }, bytes, chosen, options, sent }: StartContext,
): CallerRequest {
  return { ...caller, chosen, model, stream, sent, key: key.name, owner, bytes, options };
}

function isAwake(wakes: Wakes, body: JsonObject, { chosen, sent }: WakingRequest): boolean {
  if (wakes.body?.(body)) return true;
  if (wakes.balance !== undefined && chosen?.balance === wakes.balance) return true;
  if (wakes.headers === undefined || sent === undefined) return false;
  for (const name of wakes.headers) if (sent.headers.get(name) !== null) return true;
  return false;
}

/** The dependencies of a plan's features, other than the request. */
interface StartContext extends Pick<CallerRequest, "bytes" | "chosen" | "options" | "sent"> {
  readonly principal: Principal;
  readonly plan: Pick<ModelPlan, "features">;
}

/** The parts of a request that features start with. */
interface StartedRequest {
  readonly models: { readonly model: string };
  readonly caller: FormatRequest;
  readonly stream: boolean;
}

/** The properties other than the body that may activate a feature. */
type WakingRequest = Pick<CallerRequest, "chosen" | "sent">;
