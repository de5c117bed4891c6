/** The dependencies that the conversions of one request share. */

import { ownerOf } from "../config/config.ts";
import type { CallerRequest } from "../gateway/feature.ts";
import { type Interceptions, startFeatures } from "../gateway/interceptions.ts";
import type { OperationContext } from "../routing/model_request.ts";
import { RequestImages } from "../upstream/images/request_images.ts";

/** The dependencies of a conversion to a chat request. */
export interface ConversionDeps {
  /** The images downloaded for this request; kept between attempts. */
  readonly images: RequestImages;
  readonly interceptions: Interceptions;
}

/** A request in a caller format. */
type FormattedRequest = Pick<CallerRequest, "api" | "model" | "body" | "stream" | "headers">;

/** The dependencies of the conversions of one request. */
export function toConversionDeps(
  { key, config, deps, bytes, options, plan, session }: OperationContext,
  request: FormattedRequest,
): ConversionDeps {
  return {
    images: new RequestImages(config.server.images, deps.download),
    interceptions: startFeatures(plan.features(request.api), request.body, () => ({
      ...request,
      key: key.name,
      owner: ownerOf(key),
      session,
      bytes,
      options,
    })),
  };
}
