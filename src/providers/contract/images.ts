/** The contract of image generation: a text becomes images. */

import type { JsonObject } from "../../core/json/object.ts";
import type { FormImage } from "./form.ts";
import type { OperationApi, OperationCall, OperationRequest } from "./operation_api.ts";

/** A validated request for images. */
export interface ImageRequest extends OperationRequest {
  readonly prompt: string;
  readonly n?: number;
  /** Width and height, such as `1024x1024`, or `auto`. */
  readonly size?: string;
  readonly quality?: string;
  readonly response_format?: "b64_json" | "url";
  readonly output_format?: string;
  readonly output_compression?: number;
  readonly stream?: boolean;
  readonly partial_images?: number;
  /** The images that are edited; absent for a new image. */
  readonly images?: readonly FormImage[];
  /** Where the first image is edited: where the mask is transparent. */
  readonly mask?: FormImage;
}

/** Every field that the gateway knows, in the order in which tables print it. */
export const IMAGE_PARAMETERS = [
  "n",
  "size",
  "quality",
  "style",
  "background",
  "moderation",
  "output_format",
  "output_compression",
  "response_format",
  "stream",
  "partial_images",
  "user",
] as const;
export type ImageParameter = (typeof IMAGE_PARAMETERS)[number];

/** One image: its data or its address. */
export type GeneratedImage =
  & { readonly revised_prompt?: string }
  & ({ readonly b64_json: string } | { readonly url: string });

/** The content of one answer. */
export interface ImageBody {
  readonly images: readonly GeneratedImage[];
  /** Unix seconds. */
  readonly created?: number | undefined;
  /** Token counts as OpenAI names them for images. */
  readonly usage?: JsonObject | undefined;
  /** Further members of the vendor's answer. */
  readonly extra?: JsonObject | undefined;
}

export type ImageCall = OperationCall<ImageRequest>;
export type ImageApi = OperationApi<ImageRequest, ImageBody, ImageParameter>;
