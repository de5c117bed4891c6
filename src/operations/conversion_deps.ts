/** The dependencies that the conversions of one request share. */

import type { Interceptions } from "../gateway/interceptions.ts";
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

/** How the operation of a request is created for the body that the features leave. */
type Create<Body, Deps> = (
  body: Body,
  deps: Deps,
) => ExplainableOperation | Promise<ExplainableOperation>;

/** Creates the operation of a chat, or of a request that may become one. */
export function createChatOperation<Body extends object>(
  context: OperationContext,
  body: Body,
  create: Create<Body, ConversionDeps>,
): ExplainableOperation | Promise<ExplainableOperation> {
  const { config, deps, features } = context;
  const images = new RequestImages(config.server.images, deps.download);
  return toFeatured(body, features, { images, interceptions: features }, create);
}

/** Creates the operation of any other request. */
export function createOperation<Body extends object>(
  context: OperationContext,
  body: Body,
  create: Create<Body, Interceptions>,
): ExplainableOperation | Promise<ExplainableOperation> {
  const { features } = context;
  return toFeatured(body, features, features, create);
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
