/**
 * Reads the JSON body of `POST /v1/images/edits`, whose images are data URLs:
 * https://developers.openai.com/api/reference/resources/images/methods/edit (2026-11).
 */

import { GatewayError } from "../../core/errors.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import { isObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { FormImage } from "../../providers/contract/form.ts";
import { readObject } from "../read_fields.ts";
import { readImageRequest, type ReadImages } from "./request.ts";

const MAX_IMAGES = 16;

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`;
 * `unsupported_content` for an image that is no data URL.
 */
export function readJsonEdit(body: unknown): ReadImages {
  const { images: list, mask: reference, ...fields } = readObject(body);
  const { request, models } = readImageRequest(fields);
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_IMAGES) {
    throw invalidValue("images", `must be a list of 1 to ${MAX_IMAGES} images`);
  }
  const images = list.map((entry, index) => toImage(entry, "image", `images[${index}]`));
  const mask = reference === undefined || reference === null
    ? undefined
    : toImage(reference, "mask", "mask");
  return { request: { ...request, images, ...(mask && { mask }) }, models };
}

function toImage(reference: unknown, name: string, path: string): FormImage {
  const { file_id: id, image_url: url } = isObject(reference) ? reference : {};
  if (isText(id)) throw notKept(`${path}.file_id`);
  if (!isText(url)) throw invalidValue(`${path}.image_url`, "is required");
  const [head, type = ""] = /^data:(image\/[\w.+-]{1,40});base64,/.exec(url) ?? [];
  if (head === undefined) throw notKept(`${path}.image_url`);
  const filename = `${name}.${type.replace(/^image\/|\W.*$/g, "")}`;
  return { name, filename, type, bytes: decoded(url.slice(head.length), `${path}.image_url`) };
}

function decoded(base64: string, path: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    throw invalidValue(path, "must be base64 after its comma");
  }
}

function notKept(path: string): GatewayError {
  const message = "Images that are edited must be sent as data URLs of base64, or as a form";
  return new GatewayError("unsupported_content", message, { param: path });
}
