/** Shared parts of vendors' image generation: sizes, and readers of images. */

import { isObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { GatewayError } from "../../core/errors.ts";
import type { GeneratedImage, ImageCall } from "../contract/images.ts";
import { converted, ignored } from "../contract/support.ts";

/** For fields that a vendor lacks. */
export const NO_FIELD = ignored("no such field");
/** For vendors that do not stream. */
export const AS_EVENTS = converted("one event for each image");
/** For vendors whose images are always data. */
export const ALWAYS_DATA = ignored("images are always base64");
export const AS_RATIO = converted("the nearest aspect ratio");

/** Pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size that a request asks for; undefined for `auto`. */
export function sizeOf({ request: { size } }: ImageCall): Size | undefined {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(size ?? "") ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Number(width), height: Number(height) };
}

/** The nearest one of a vendor's aspect ratios, such as `16:9`; undefined without a size. */
export function aspectRatioOf(call: ImageCall, ratios: readonly string[]): string | undefined {
  const size = sizeOf(call);
  if (size === undefined || size.width === 0 || size.height === 0) return undefined;
  const asked = Math.log(size.width / size.height);
  const distance = (ratio: string) => {
    const [width = 1, height = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(width / height) - asked);
  };
  const [first = "1:1", ...others] = ratios;
  const nearest = others.reduce(
    (best, ratio) => distance(ratio) < distance(best) ? ratio : best,
    first,
  );
  call.receipt.convert("size", `${size.width}x${size.height}`, nearest);
  return nearest;
}

/** At most as many images as a vendor makes at once. */
export function imagesOf({ request: { n }, receipt }: ImageCall, most: number): number | undefined {
  if (n === undefined || n <= most) return n;
  receipt.convert("n", n, most);
  return most;
}

/** @throws {GatewayError} `unsupported_operation` for a request with images. */
export function refuseEdits({ provider, request: { images } }: ImageCall): void {
  if (images === undefined) return;
  const message = `The provider '${provider.id}' does not edit images with this model`;
  throw new GatewayError("unsupported_operation", message, { param: "model" });
}

/** Images as base64; undefined unless all of a list are. */
export function dataImages(list: unknown): readonly GeneratedImage[] | undefined {
  if (!Array.isArray(list) || list.length === 0 || !list.every(isText)) return undefined;
  return list.map((data) => ({ b64_json: data }));
}

/** The entries of OpenAI's list of images; undefined if one is not an image. */
export function readImages(list: unknown): readonly GeneratedImage[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const images: GeneratedImage[] = [];
  for (const entry of list) {
    const { b64_json, url, revised_prompt: revised } = isObject(entry) ? entry : {};
    const prompt = isText(revised) ? { revised_prompt: revised } : {};
    if (isText(b64_json)) images.push({ b64_json, ...prompt });
    else if (isText(url)) images.push({ url, ...prompt });
    else return undefined;
  }
  return images;
}
