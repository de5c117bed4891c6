/** Shared parts of image edits by vendors that take images in JSON. */

import { GatewayError } from "../../core/errors.ts";
import type { FormImage } from "../contract/form.ts";
import type { ImageCall } from "../contract/images.ts";
import { toBlackAndWhite } from "./alpha_mask.ts";

/** The content of an image as base64. */
export function base64Of({ bytes }: FormImage): string {
  return bytes.toBase64();
}

/** An image as a data URL. */
export function dataUrlOf(image: FormImage): string {
  return `data:${image.type};base64,${base64Of(image)}`;
}

/** The images that are edited, at most as many as a vendor takes; undefined for a new image. */
export function editedImages(
  { receipt, request: { images } }: ImageCall,
  most: number,
): readonly FormImage[] | undefined {
  if (images === undefined || images.length <= most) return images;
  receipt.convert("image", images.length, most);
  return images.slice(0, most);
}

/** For vendors that edit without masks. */
export function ignoreMask({ receipt, request: { mask } }: ImageCall): void {
  if (mask !== undefined) receipt.ignore("mask");
}

/**
 * The mask in black and white as base64; undefined without one.
 *
 * @param edited the value of pixels that are edited: 0 is black, 255 is white
 * @throws {GatewayError} `unsupported_content` for a mask that cannot be converted.
 */
export function maskOf(
  { provider, receipt, request: { mask } }: ImageCall,
  edited: 0 | 255,
): string | undefined {
  if (mask === undefined) return undefined;
  const converted = toBlackAndWhite(mask.bytes, edited);
  if (converted === undefined) {
    const message = `The provider '${provider.id}' needs a mask in black and white, and the ` +
      "gateway converts only a PNG with an alpha channel of 8 bits and at most 4 megapixels";
    throw new GatewayError("unsupported_content", message, { param: "mask" });
  }
  receipt.convert("mask");
  return converted.toBase64();
}
