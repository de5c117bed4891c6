/**
 * Edits of images on AWS Bedrock.
 *
 * Shapes: https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-diffusion-3-text-image.html
 * and https://docs.aws.amazon.com/bedrock/latest/userguide/stable-image-services.html (2026-11).
 */

import type { JsonObject } from "../../core/json/object.ts";
import type { ImageCall } from "../contract/images.ts";
import { base64Of, editedImages, ignoreMask, maskOf } from "../shared/image_edits.ts";
import { refuseEdits } from "../shared/images.ts";

/** The most images that a variation starts from. */
const MAX_VARIED = 5;
/** How much an image changes, 0 to 1. */
const USUAL_STRENGTH = 0.7;

/** A task of Amazon's models: the black pixels of a mask are painted, else the images are varied. */
export function toAmazonEdit(call: ImageCall): JsonObject {
  const { prompt: text, mask, size } = call.request;
  if (mask === undefined) {
    const images = editedImages(call, MAX_VARIED)?.map(base64Of) ?? [];
    return { taskType: "IMAGE_VARIATION", imageVariationParams: { images, text } };
  }
  if (size !== undefined && size !== "auto") call.receipt.ignore("size");
  const [image] = editedImages(call, 1)?.map(base64Of) ?? [];
  const params = { image, maskImage: maskOf(call, 0), text };
  return { taskType: "INPAINTING", inPaintingParams: params };
}

/**
 * An edit by Stability's models.
 *
 * @throws {GatewayError} `unsupported_operation` for models that make images from texts only.
 */
export function toStabilityEdit(call: ImageCall): JsonObject {
  const { fields, model: { base, upstream }, receipt, request: { prompt, size } } = call;
  const name = `${base} ${upstream}`;
  const isGenerator = /sd3|ultra/.test(name);
  if (!isGenerator && !/inpaint|control-|style-guide/.test(name)) refuseEdits(call);
  if (size !== undefined && size !== "auto") receipt.ignore("size");
  const [image] = editedImages(call, 1)?.map(base64Of) ?? [];
  if (!isGenerator) {
    if (!/inpaint/.test(name)) ignoreMask(call);
    const mask = /inpaint/.test(name) ? maskOf(call, 255) : undefined;
    const { strength, ...others } = fields;
    if (strength !== undefined) receipt.ignore("strength");
    return { prompt, image, ...(mask !== undefined && { mask }), ...others };
  }
  ignoreMask(call);
  if (fields.strength === undefined) receipt.add("strength");
  const mode = /sd3/.test(name) ? { mode: "image-to-image" } : {};
  return { prompt, image, ...mode, strength: USUAL_STRENGTH, ...fields };
}
