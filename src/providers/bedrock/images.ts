/**
 * Image models on AWS Bedrock, by `InvokeModel`: Amazon's and Stability's.
 *
 * Shapes: https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-image.html and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-stability-diffusion.html
 * (2026-11).
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, present } from "../../core/json/values.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ImageApi, ImageBody, ImageCall } from "../../contract/media.ts";
import { converted, ignored, native, nativeAs } from "../../contract/support.ts";
import {
  ALWAYS_DATA,
  AS_EVENTS,
  aspectRatioOf,
  base64Of,
  dataImages,
  editedImages,
  ignoreMask,
  imagesOf,
  maskOf,
  NO_FIELD,
  refuseEdits,
  sizeOf,
} from "../shared/images.ts";
import type { ResourceOf } from "./embeddings.ts";
import type { TargetModel, VendorAnswer } from "../../contract/vendor_request.ts";

// Image edits on AWS Bedrock.
//
// Shapes: https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html,
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-diffusion-3-text-image.html
// and https://docs.aws.amazon.com/bedrock/latest/userguide/stable-image-services.html (2026-11).

/** The maximum number of images that a variation starts from. */
const MAX_VARIED = 5;
/** How much an image changes, 0 to 1. */
const USUAL_STRENGTH = 0.7;

/**
 * The task type for Amazon's models: with a mask, its black pixels are repainted; otherwise
 * variations are generated.
 */
function toAmazonEdit(call: ImageCall): JsonObject {
  const { prompt: text, mask, size } = call.request;
  if (mask === undefined) {
    const images = editedImages(call, MAX_VARIED)?.map(base64Of) ?? [];
    return { taskType: "IMAGE_VARIATION", imageVariationParams: { images, text } };
  }
  if (size !== undefined && size !== "auto") call.changes.ignore("size");
  const [image] = editedImages(call, 1)?.map(base64Of) ?? [];
  const params = { image, maskImage: maskOf(call, 0), text };
  return { taskType: "INPAINTING", inPaintingParams: params };
}

/**
 * An edit by Stability's models.
 *
 * @throws {GatewayError} `unsupported_operation` for models that create images from text only.
 */
function toStabilityEdit(call: ImageCall): JsonObject {
  const { fields, model: { base, upstream }, changes, request: { prompt, size } } = call;
  const name = `${base} ${upstream}`;
  const isGenerator = /sd3|ultra/.test(name);
  if (!isGenerator && !/inpaint|control-|style-guide/.test(name)) refuseEdits(call);
  if (size !== undefined && size !== "auto") changes.ignore("size");
  const [image] = editedImages(call, 1)?.map(base64Of) ?? [];
  if (!isGenerator) {
    if (!/inpaint/.test(name)) ignoreMask(call);
    const mask = /inpaint/.test(name) ? maskOf(call, 255) : undefined;
    const { strength, ...others } = fields;
    if (strength !== undefined) changes.ignore("strength");
    return { prompt, image, ...(mask !== undefined && { mask }), ...others };
  }
  ignoreMask(call);
  if (fields.strength === undefined) changes.add("strength");
  const mode = /sd3/.test(name) ? { mode: "image-to-image" } : {};
  return { prompt, image, ...mode, strength: USUAL_STRENGTH, ...fields };
}

const STABILITY_RATIOS = ["1:1", "16:9", "21:9", "2:3", "3:2", "4:5", "5:4", "9:16", "9:21"];
/** The maximum number of images per request to Amazon's models. */
const MAX_AMAZON = 5;

/** Image generation on Bedrock. */
export function bedrockImages(resourceOf: ResourceOf): ImageApi {
  return {
    supports: {
      parameters: {
        n: converted("Amazon: numberOfImages, at most 5; Stability: one image"),
        size: converted("Amazon: width and height; Stability: the nearest aspect ratio"),
        quality: converted("Amazon: standard or premium"),
        style: NO_FIELD,
        background: NO_FIELD,
        moderation: NO_FIELD,
        output_format: nativeAs("Stability"),
        output_compression: NO_FIELD,
        response_format: ALWAYS_DATA,
        stream: AS_EVENTS,
        partial_images: NO_FIELD,
        user: NO_FIELD,
      },
      extensions: {
        seed: native,
        negative_prompt: nativeAs("Stability"),
        strength: nativeAs("Stability"),
      },
    },
    adds: { strength: "0.7: Stability's models require it for edits" },
    supportFor: (model) =>
      isStability(model) ? { quality: ignored("Amazon only") } : {
        output_format: ignored("Stability only"),
        negative_prompt: ignored("Stability only"),
        strength: ignored("Stability only"),
      },
    toRequest(call) {
      return {
        url: `${resourceOf(call)}/invoke`,
        headers: {},
        auth: { type: "sigv4", service: "bedrock", region: String(call.provider.options.region) },
        body: isStability(call.model) ? toStability(call) : toAmazon(call),
      };
    },
    toBody,
  };
}

function isStability({ base, upstream }: TargetModel): boolean {
  return /stability/.test(base) || /stability/.test(upstream);
}

function toStability(call: ImageCall): JsonObject {
  imagesOf(call, 1);
  if (call.request.images !== undefined) return toStabilityEdit(call);
  return {
    prompt: call.request.prompt,
    ...present({ aspect_ratio: aspectRatioOf(call, STABILITY_RATIOS) }),
    ...call.fields,
  };
}

function toAmazon(call: ImageCall): JsonObject {
  const { images, n, prompt } = call.request;
  const task = images === undefined
    ? { taskType: "TEXT_IMAGE", textToImageParams: { text: prompt } }
    : toAmazonEdit(call);
  const size = task.taskType === "INPAINTING" ? undefined : sizeOf(call);
  const numberOfImages = imagesOf(call, MAX_AMAZON);
  if (n !== undefined && n === numberOfImages) call.changes.rename("n", "numberOfImages");
  if (size !== undefined) call.changes.rename("size", "width+height");
  const config = present({ numberOfImages, ...size, quality: qualityOf(call), ...call.fields });
  return {
    ...task,
    ...(Object.keys(config).length > 0 && { imageGenerationConfig: config }),
  };
}

const PREMIUM: ReadonlySet<string> = new Set(["hd", "high", "premium"]);

function qualityOf({ request: { quality }, changes }: ImageCall): string | undefined {
  if (quality === undefined || quality === "auto") return undefined;
  const word = PREMIUM.has(quality) ? "premium" : "standard";
  if (word !== quality) changes.convert("quality");
  return word;
}

/** @throws {GatewayError} `content_filter` for filtered images. */
function toBody({ body }: VendorAnswer): ImageBody | undefined {
  if (!isObject(body)) return undefined;
  const { images: list, error, finish_reasons: reasons } = body;
  const images = Array.isArray(list) ? dataImages(list.filter((data) => isText(data))) : undefined;
  if (images !== undefined) return { images };
  const [reason] = [error, ...(Array.isArray(reasons) ? reasons : [])].filter(isText);
  if (reason === undefined) return undefined;
  throw new GatewayError("content_filter", `The provider made no image: ${reason}`);
}
