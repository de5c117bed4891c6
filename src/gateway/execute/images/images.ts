/** Image generation. */

import { OTHER_OPERATIONS } from "../../../contract/operations.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { FormImage } from "../../../contract/form.ts";
import {
  IMAGE_PARAMETERS,
  type ImageBody,
  type ImageCall,
  type ImageRequest,
} from "../../../contract/media.ts";
import type { OperationKind } from "../../operation_kind.ts";
import type { Usage } from "../../../contract/chat.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import { UNITS } from "../../../core/units.ts";
import {
  COMPLETED,
  ImageStreamReader,
  readEditRequest,
  readImageRequest,
  type ReadImages,
  readJsonEdit,
  writeImageEvents,
  writeImages,
} from "../../../apis/images/images.ts";
import { readUsage } from "../../../apis/responses/native_answers.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import { inputUsage, toTables, type UnaryKind, unaryRequest } from "../unary/unary_operation.ts";

const API: ApiKind = { format: "images", idPrefix: "", operation: "images" };

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readImages(body: unknown): ParsedRequest {
  return toParsedRequest(readImageRequest(body));
}

/**
 * Reads a form with images to edit.
 *
 * @throws {GatewayError} `invalid_value` with the name of the first faulty field in `param`.
 */
function readEdits(fields: JsonObject, images: readonly FormImage[]): ParsedRequest {
  return toParsedRequest(readEditRequest(fields, images));
}

/**
 * Reads the same as JSON, with images as data URLs.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`;
 * `unsupported_content` for other images.
 */
function readJsonEdits(body: unknown): ParsedRequest {
  return toParsedRequest(readJsonEdit(body));
}

function toParsedRequest(read: ReadImages): ParsedRequest {
  return unaryRequest(API, read, read.request.stream === true, () => IMAGES);
}

/**
 * The maximum number of tokens of an image, for models that are billed by tokens: the largest one
 * of high quality (https://platform.openai.com/docs/guides/image-generation, 2026-11).
 */
const MAX_IMAGE_TOKENS = 6240;

/** The estimated tokens of an image to edit, with high fidelity (2026-11). */
const IMAGE_INPUT_TOKENS = 4500;

const IMAGES: UnaryKind<ImageRequest, ImageBody> = {
  name: "images",
  structural: new Set(["prompt", "images", "mask"]),
  apiOf: ({ images }) => images,
  isDefault,
  estimate: ({ prompt, images = [], n = 1 }, family) => ({
    input: countInput(prompt).tokens(family) + images.length * IMAGE_INPUT_TOKENS,
    maxOutput: n * MAX_IMAGE_TOKENS,
    units: { images: n },
  }),
  write: (body, call, { id, now }) => ({
    text: writeImages(body, now),
    ...summaryOf(body, call, id),
  }),
  streams: {
    isAsked: ({ stream }) => stream === true,
    createReader: ({ model }) => new ImageStreamReader(model.upstream),
    write: (body, call, { id, now }) => ({
      text: writeImageEvents(body, typeOf(call.request), now),
      ...summaryOf(body, call, id),
    }),
  },
};

function typeOf({ images }: ImageRequest): string {
  return images === undefined ? COMPLETED.made : COMPLETED.edited;
}

function summaryOf({ images, usage }: ImageBody, { model }: ImageCall, id: string) {
  const tokens: Usage = readUsage(usage) ?? inputUsage(0);
  const units = { [UNITS]: { images: images.length } };
  return { id, model: model.upstream, usage: { ...tokens, ...units } };
}

/** Values that are the default of every vendor. */
function isDefault(name: string, value: unknown): boolean {
  switch (name) {
    case "n":
      return value === 1;
    case "stream":
      return value === false;
    case "partial_images":
      return value === 0;
    case "response_format":
      return value === "b64_json";
    default:
      return value === "auto";
  }
}

/** Notes that are not specific to a kind. */
const USUAL_NOTES = new Set(["no such field", "one event for each image"]);

/** The placeholder image of an explanation. */
const EXPLAINED_IMAGE: readonly FormImage[] = [{
  name: "image",
  filename: "image.png",
  type: "image/png",
  bytes: new Uint8Array(0),
}];

/** Image generation. Some of the models also support chat. */
export const images: OperationKind = {
  name: "images",
  noun: "image generation",
  endpoints: [
    { path: "/v1/images/generations", explainedAs: "images", read: readImages },
    {
      path: "/v1/images/edits",
      explainedAs: "image_edits",
      read: (body) => readEdits(isObject(body) ? body : {}, EXPLAINED_IMAGE),
      readFiles: readEdits,
      readJson: readJsonEdits,
    },
  ],
  models: OTHER_OPERATIONS.images,
  support: {
    group: { member: "images", title: "Image generation" },
    parameters: IMAGE_PARAMETERS,
    contentMember: "contents",
    contents: [],
    tablesOf: ({ images: api }) => api && toTables(api),
    isUsual: ({ note = "" }) => USUAL_NOTES.has(note),
  },
};
