/** The shared dependencies of the conversions of one request. */

import type { RequestFeatures } from "../request_features.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { OperationContext } from "../parsed_request.ts";
import type { ExplainableOperation } from "../operation.ts";
import { withFeaturedAnswers } from "./featured_operation.ts";
import { RequestImages } from "../../upstream/images/request_images.ts";

/** The dependencies of a conversion to a chat request. */
export interface ConversionDeps {
  /** The images downloaded for this request, shared by its attempts and created on first use. */
  readonly images: () => RequestImages;
  readonly features: RequestFeatures;
}

/** Creates the operation of a request from the body that features have processed. */
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
  let made: RequestImages | undefined;
  const images = () => made ??= new RequestImages(config.server.images, deps.download);
  const own = { images, features };
  return features.readsRequests || features.readsAnswers
    ? createFeatured(body, features, own, create)
    : create(body, own);
}

/** Creates the operation of any other request. */
export function createOperation<Body extends object>(
  context: OperationContext,
  body: Body,
  create: Create<Body, RequestFeatures>,
): ExplainableOperation | Promise<ExplainableOperation> {
  const { features } = context;
  return features.readsRequests || features.readsAnswers
    ? createFeatured(body, features, features, create)
    : create(body, features);
}

/** Creates an operation whose request or answers features read. */
async function createFeatured<Body extends object, Deps>(
  body: Body,
  features: RequestFeatures,
  deps: Deps,
  create: Create<Body, Deps>,
): Promise<ExplainableOperation> {
  const own = await features.request(body as JsonObject);
  return withFeaturedAnswers(await create(own as Body, deps), features);
}
