/**
 * Edits by Imagen's models for them, which are on Vertex AI only:
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api-edit (2026-11).
 */

import type { JsonObject } from "../../core/json/object.ts";
import type { ImageCall } from "../contract/images.ts";
import { base64Of, editedImages, maskOf } from "../shared/image_edits.ts";
import { refuseEdits } from "../shared/images.ts";

/** The most images of one edit. */
const MAX_EDITED = 4;

/** The members of an instance and of the parameters that make a generation an edit. */
interface ImagenEdit {
  readonly instance: JsonObject;
  readonly parameters: JsonObject;
}

/**
 * The images of an edit, and the mask, whose white pixels are painted.
 *
 * @throws {GatewayError} `unsupported_operation` for models that do not edit.
 */
export function toImagenEdit(call: ImageCall): ImagenEdit {
  const { base, upstream } = call.model;
  const { images, size } = call.request;
  if (images === undefined) return { instance: {}, parameters: {} };
  if (!/capability/.test(`${base} ${upstream}`)) refuseEdits(call);
  if (size !== undefined && size !== "auto") call.receipt.ignore("size");
  const raw = editedImages(call, MAX_EDITED)?.map((image, index) => ({
    referenceType: "REFERENCE_TYPE_RAW",
    referenceId: index + 1,
    referenceImage: { bytesBase64Encoded: base64Of(image) },
  })) ?? [];
  const mask = maskOf(call, 255);
  if (mask === undefined) return { instance: { referenceImages: raw }, parameters: {} };
  const reference = {
    referenceType: "REFERENCE_TYPE_MASK",
    referenceId: raw.length + 1,
    referenceImage: { bytesBase64Encoded: mask },
    maskImageConfig: { maskMode: "MASK_MODE_USER_PROVIDED" },
  };
  return {
    instance: { referenceImages: [...raw, reference] },
    parameters: { editMode: "EDIT_MODE_INPAINT_INSERTION" },
  };
}
