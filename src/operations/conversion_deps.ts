/** The dependencies that the conversions of one request share. */

import type { CallerFormat } from "../chat/caller_format.ts";
import { ownerOf } from "../config/config.ts";
import type { CallerRequest } from "../gateway/feature.ts";
import { intercept, type Interceptions } from "../gateway/interceptions.ts";
import type { OperationContext } from "../routing/model_request.ts";
import { RequestImages } from "../upstream/images/request_images.ts";

/** The dependencies of a conversion to a chat request. */
export interface ConversionDeps {
  /** The images downloaded for this request; kept between attempts. */
  readonly images: RequestImages;
  readonly interceptions: Interceptions;
}

/** A request in a caller format. */
interface FormattedRequest extends Pick<CallerRequest, "model" | "body" | "stream" | "headers"> {
  readonly format: Pick<CallerFormat, "name" | "idPrefix">;
}

/** The dependencies of the conversions of one request. */
export function toConversionDeps(
  { key, config, deps, bytes, options, session }: OperationContext,
  { format: { name, idPrefix }, ...request }: FormattedRequest,
): ConversionDeps {
  return {
    images: new RequestImages(config.server.images, deps.download),
    interceptions: intercept(
      deps.interceptors,
      {
        ...request,
        format: name,
        idPrefix,
        key: key.name,
        owner: ownerOf(key),
        session,
        bytes,
        options,
      },
      config,
    ),
  };
}
