/** The dependencies that the conversions of one request share. */

import { ownerOf } from "../config/config.ts";
import type { CallerRequest } from "../interceptors/contract.ts";
import { intercept, type Interceptions } from "../interceptors/interceptions.ts";
import type { OperationContext } from "../routing/model_request.ts";
import { RequestImages } from "../upstream/images/request_images.ts";

/** The dependencies of a conversion to a chat request. */
export interface ConversionDeps {
  /** The images downloaded for this request; kept between attempts. */
  readonly images: RequestImages;
  readonly interceptions: Interceptions;
}

/** The dependencies of the conversions of one request. */
export function toConversionDeps(
  { key, config, deps, bytes, options, session }: OperationContext,
  request: Pick<CallerRequest, "format" | "model" | "body" | "stream" | "headers">,
): ConversionDeps {
  return {
    images: new RequestImages(config.server.images, deps.download),
    interceptions: intercept(
      deps.interceptors,
      { ...request, key: key.name, owner: ownerOf(key), session, bytes, options },
      config,
    ),
  };
}
