/**
 * Image models at Fireworks:
 * https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt (2026-11).
 */

import { isText, present } from "../../../core/json/values.ts";
import type { VendorAnswer } from "../../contract/adapter.ts";
import type { ImageApi, ImageBody } from "../../contract/images.ts";
import { converted, native } from "../../contract/support.ts";
import { memberOf } from "../../shared/embeddings.ts";
import {
  ALWAYS_DATA,
  AS_EVENTS,
  AS_RATIO,
  aspectRatioOf,
  dataImages,
  imagesOf,
  NO_FIELD,
  refuseEdits,
} from "../../shared/images.ts";

const RATIOS = ["1:1", "21:9", "16:9", "3:2", "5:4", "4:5", "2:3", "9:16", "9:21", "4:3", "3:4"];

/** Image generation by workflows, one image for each request. */
export const fireworksImages: ImageApi = {
  supports: {
    parameters: {
      n: converted("one image"),
      size: AS_RATIO,
      quality: NO_FIELD,
      style: NO_FIELD,
      background: NO_FIELD,
      moderation: NO_FIELD,
      output_format: NO_FIELD,
      output_compression: NO_FIELD,
      response_format: ALWAYS_DATA,
      stream: AS_EVENTS,
      partial_images: NO_FIELD,
      user: NO_FIELD,
    },
    extensions: { seed: native, guidance_scale: native, num_inference_steps: native },
  },
  adds: {},
  toRequest(call) {
    const { fields, model, provider, request } = call;
    refuseEdits(call);
    imagesOf(call, 1);
    return {
      url: `${provider.baseUrl}/workflows/${encodeURI(model.upstream)}/text_to_image`,
      // Without it the answer is an image file.
      headers: { accept: "application/json" },
      auth: { type: "bearer" },
      body: {
        prompt: request.prompt,
        ...present({ aspect_ratio: aspectRatioOf(call, RATIOS) }),
        ...fields,
      },
    };
  },
  toBody,
};

function toBody({ body }: VendorAnswer): ImageBody | undefined {
  const data = memberOf(body, "base64");
  const images = dataImages(isText(data) ? [data] : data);
  return images && { images };
}
