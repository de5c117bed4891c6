/**
 * Google's image models: Gemini by `generateContent`, Imagen by `predict`.
 *
 * Shapes: https://ai.google.dev/gemini-api/docs/image-generation,
 * https://ai.google.dev/gemini-api/docs/imagen and
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api (2026-11).
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, present } from "../../core/json/values.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ImageApi, ImageBody, ImageCall } from "../../contract/media.ts";
import type { OperationCall } from "../../contract/operation_api.ts";
import { converted, ignored } from "../../contract/support.ts";
import { memberOf } from "../shared/embeddings.ts";
import {
  ALWAYS_DATA,
  AS_EVENTS,
  AS_RATIO,
  aspectRatioOf,
  base64Of,
  dataImages,
  editedImages,
  imagesOf,
  maskOf,
  NO_FIELD,
  refuseEdits,
} from "../shared/images.ts";
import { readBlock } from "./answer.ts";
import { readUsage } from "../../apis/gemini/usage.ts";
import type {
  Auth,
  TargetModel,
  VendorAnswer,
  VendorRequest,
} from "../../contract/vendor_request.ts";

// Edits by Imagen's edit models, which only Vertex AI serves:
// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api-edit (2026-11).

/** The maximum number of images per edit. */
const MAX_EDITED = 4;

/** The members of an instance and of the parameters that make a generation an edit. */
interface ImagenEdit {
  readonly instance: JsonObject;
  readonly parameters: JsonObject;
}

/**
 * The images to edit, and the mask, whose white pixels are painted.
 *
 * @throws {GatewayError} `unsupported_operation` for models that do not edit.
 */
function toImagenEdit(call: ImageCall): ImagenEdit {
  const { base, upstream } = call.model;
  const { images, size } = call.request;
  if (images === undefined) return { instance: {}, parameters: {} };
  if (!/capability/.test(`${base} ${upstream}`)) refuseEdits(call);
  if (size !== undefined && size !== "auto") call.changes.ignore("size");
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

/** The URL of a model before the method, and the credentials of its requests. */
export interface GoogleModels {
  resource(call: Pick<OperationCall, "model" | "provider">): string;
  auth(call: Pick<OperationCall, "provider">): Auth;
}

const MODALITIES = "generationConfig.responseModalities";
const GEMINI_RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const IMAGEN_RATIOS = ["1:1", "3:4", "4:3", "9:16", "16:9"];
/** The maximum number of images per request to Imagen. */
const MAX_IMAGEN = 4;

/** Image generation by Google. */
export function googleImages(api: GoogleModels): ImageApi {
  return {
    supports: {
      parameters: {
        n: converted("Imagen: sampleCount, at most 4; Gemini: one image"),
        size: AS_RATIO,
        quality: NO_FIELD,
        style: NO_FIELD,
        background: NO_FIELD,
        moderation: NO_FIELD,
        output_format: converted("Imagen: outputOptions.mimeType"),
        output_compression: converted("Imagen: outputOptions.compressionQuality"),
        response_format: ALWAYS_DATA,
        stream: AS_EVENTS,
        partial_images: NO_FIELD,
        user: NO_FIELD,
      },
      extensions: {},
    },
    adds: { [MODALITIES]: "TEXT and IMAGE: older models require them" },
    supportFor: (model) =>
      isImagen(model)
        ? {}
        : { output_format: ignored("Imagen only"), output_compression: ignored("Imagen only") },
    toRequest: (call) => isImagen(call.model) ? toPredict(call, api) : toGenerate(call, api),
    toBody: (answer, call) => isImagen(call.model) ? fromPredict(answer) : fromGenerate(answer),
  };
}

function isImagen({ base, upstream }: TargetModel): boolean {
  return /imagen/.test(base) || /imagen/.test(upstream);
}

function toPredict(call: ImageCall, { resource, auth }: GoogleModels): VendorRequest {
  const edit = toImagenEdit(call);
  const { images, prompt, n, output_format: format, output_compression: quality } = call.request;
  const count = imagesOf(call, MAX_IMAGEN);
  if (n !== undefined && count === n) call.changes.rename("n", "sampleCount");
  if (format !== undefined) call.changes.rename("output_format", "outputOptions.mimeType");
  if (quality !== undefined) {
    call.changes.rename("output_compression", "outputOptions.compressionQuality");
  }
  const outputOptions = present({
    mimeType: format === undefined ? undefined : `image/${format}`,
    compressionQuality: quality,
  });
  const parameters = present({
    sampleCount: count,
    aspectRatio: images === undefined ? aspectRatioOf(call, IMAGEN_RATIOS) : undefined,
    ...edit.parameters,
    outputOptions: Object.keys(outputOptions).length > 0 ? outputOptions : undefined,
  });
  return {
    url: `${resource(call)}:predict`,
    headers: {},
    auth: auth(call),
    body: {
      instances: [{ prompt, ...edit.instance }],
      ...(Object.keys(parameters).length > 0 && { parameters }),
    },
  };
}

function toGenerate(call: ImageCall, { resource, auth }: GoogleModels): VendorRequest {
  imagesOf(call, 1);
  call.changes.add(MODALITIES);
  const aspectRatio = aspectRatioOf(call, GEMINI_RATIOS);
  const { images = [], mask, prompt } = call.request;
  if (mask !== undefined) call.changes.ignore("mask");
  const inline = images.map(({ type, bytes }) => ({
    inlineData: { mimeType: type, data: bytes.toBase64() },
  }));
  return {
    url: `${resource(call)}:generateContent`,
    headers: {},
    auth: auth(call),
    body: {
      contents: [{ role: "user", parts: [...inline, { text: prompt }] }],
      generationConfig: present({
        responseModalities: ["TEXT", "IMAGE"],
        imageConfig: aspectRatio === undefined ? undefined : { aspectRatio },
      }),
    },
  };
}

/** @throws {GatewayError} `content_filter` if all images were filtered. */
function fromPredict({ body }: VendorAnswer): ImageBody | undefined {
  const list = memberOf(body, "predictions");
  const entries = Array.isArray(list) ? list : [];
  const images = dataImages(
    entries.map((entry) => memberOf(entry, "bytesBase64Encoded")).filter((data) => isText(data)),
  );
  if (images !== undefined) return { images };
  const reason = entries.map((entry) => memberOf(entry, "raiFilteredReason")).find(isText);
  if (reason !== undefined || isObject(body)) throw filtered(reason);
  return undefined;
}

/** @throws {GatewayError} `content_filter` for a blocked prompt or image. */
function fromGenerate({ body }: VendorAnswer): ImageBody | undefined {
  if (!isObject(body)) return undefined;
  const candidates = Array.isArray(body.candidates) ? body.candidates : [];
  const parts = candidates.flatMap((candidate) => {
    const found = memberOf(memberOf(candidate, "content"), "parts");
    return Array.isArray(found) ? found : [];
  });
  const dataOf = (found: readonly unknown[]) =>
    found.map((part) => memberOf(memberOf(part, "inlineData"), "data")).filter((data) =>
      isText(data)
    );
  const isDraft = (part: unknown) => memberOf(part, "thought") === true;
  const drawn = dataOf(parts.filter((part) => !isDraft(part)));
  // Sometimes the last draft is the only image.
  const images = dataImages(
    drawn.length > 0 ? drawn : dataOf(parts.filter(isDraft)).slice(-1),
  );
  if (images !== undefined) return { images, usage: toMediaUsage(body.usageMetadata) };
  const text = parts.map((part) => memberOf(part, "text")).find(isText);
  throw refusedAnswer(body, "image", text);
}

/** The error for an answer without content. */
export function refusedAnswer(body: JsonObject, noun: string, said?: string): GatewayError {
  const candidates = Array.isArray(body.candidates) ? body.candidates : [];
  const reason = candidates.map((candidate) => memberOf(candidate, "finishReason")).find(isText);
  return filtered(readBlock(body)?.message ?? said ?? reason, noun);
}

function filtered(reason: string | undefined, noun = "image"): GatewayError {
  const detail = reason === undefined ? "" : `: ${reason}`;
  return new GatewayError("content_filter", `The provider made no ${noun}${detail}`);
}

/** Token counts as OpenAI names them for images and audio. */
export function toMediaUsage(counts: unknown): JsonObject | undefined {
  const usage = readUsage(counts);
  return usage && {
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
    total_tokens: usage.total_tokens,
  };
}
