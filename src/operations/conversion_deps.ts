/** The dependencies that the conversions of one request share. */

import { ownerOf } from "../config/config.ts";
import type { CallerRequest } from "../gateway/feature.ts";
import { type Interceptions, NO_INTERCEPTIONS, startFeatures } from "../gateway/interceptions.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { OperationContext } from "../routing/model_request.ts";
import type { ExplainableOperation } from "../routing/operation.ts";
import { withFeaturedAnswers } from "./featured_operation.ts";
import { RequestImages } from "../upstream/images/request_images.ts";

/** The dependencies of a conversion to a chat request. */
export interface ConversionDeps {
  /** The images downloaded for this request; kept between attempts. */
  readonly images: RequestImages;
  readonly interceptions: Interceptions;
}

/** A request in a caller format. */
type FormattedRequest = Pick<CallerRequest, "api" | "model" | "body" | "stream" | "headers">;

/** How the operation of a request is created for the body that the features leave. */
type Create<Body, Deps> = (
  body: Body,
  deps: Deps,
) => ExplainableOperation | Promise<ExplainableOperation>;

/** A request whose body is known. */
type BodyRequest<Body> = FormattedRequest & { readonly body: Body };

/** Creates the operation of a chat, or of a request that may become one. */
export function createChatOperation<Body extends object>(
  context: OperationContext,
  request: BodyRequest<Body>,
  create: Create<Body, ConversionDeps>,
): ExplainableOperation | Promise<ExplainableOperation> {
  const { config, deps } = context;
  const interceptions = toInterceptions(context, request);
  const images = new RequestImages(config.server.images, deps.download);
  return toFeatured(request.body, interceptions, { images, interceptions }, create);
}

/** Creates the operation of any other request. */
export function createOperation<Body extends object>(
  context: OperationContext,
  request: BodyRequest<Body>,
  create: Create<Body, Interceptions>,
): ExplainableOperation | Promise<ExplainableOperation> {
  const interceptions = toInterceptions(context, request);
  return toFeatured(request.body, interceptions, interceptions, create);
}

/** Creates an operation; at once without a feature that reads requests or answers. */
function toFeatured<Body extends object, Deps>(
  body: Body,
  features: Interceptions,
  deps: Deps,
  create: Create<Body, Deps>,
): ExplainableOperation | Promise<ExplainableOperation> {
  if (!features.readsRequests && !features.readsAnswers) return create(body, deps);
  return features.request(body as JsonObject)
    .then((own) => create(own as Body, deps))
    .then((operation) => withFeaturedAnswers(operation, features));
}

/** What the features of the plan do with a request. */
function toInterceptions(
  { key, bytes, options, plan, session }: OperationContext,
  request: FormattedRequest,
): Interceptions {
  const features = plan.features(request.api);
  if (features.length === 0) return NO_INTERCEPTIONS;
  return startFeatures(features, request.body, () => ({
    ...request,
    key: key.name,
    owner: ownerOf(key),
    session,
    bytes,
    options,
  }));
}
