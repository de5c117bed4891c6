/**
 * The images API: reads generations and edits, as forms or JSON; writes answers and event streams.
 */

import {
  anyOf,
  BINARY,
  FORM,
  integer,
  JSON_TYPE,
  jsonOrEvents,
  listOf,
  object,
  text,
  toSchema,
} from "../openapi.ts";
import {
  IMAGE_PARAMETERS,
  type ImageBody,
  type ImageCall,
  type ImageRequest,
} from "../../contract/media.ts";
import { countInput } from "../chat/token_estimate.ts";
import { inputUsage, type ReadUnary, type UnaryApi } from "../operation.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { FormImage } from "../../contract/form.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";
import * as z from "zod";
import { UNITS } from "../../core/units.ts";
import type { Usage } from "../../contract/chat.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import type { NativeStreamReader } from "../native_answers.ts";
import { parseEvent } from "../stream_record.ts";
import { readUsage } from "../responses/native_answers.ts";

// Writes the answer of `POST /v1/images/generations`, or its stream of events:
// https://platform.openai.com/docs/api-reference/images/object and
// https://platform.openai.com/docs/api-reference/images-streaming (2026-11).

/** The events with a complete image, for generations and for edits. */
const COMPLETED = { made: "image_generation.completed", edited: "image_edit.completed" };

/** @param now Unix seconds, for an answer without a time */
function writeImages({ created, images, usage, extra }: ImageBody, now: number): string {
  return JSON.stringify({
    created: created ?? now,
    ...extra,
    data: images,
    ...(usage && { usage }),
  });
}

/** The events of an answer that was not streamed: one for each image. */
function writeImageEvents(
  { created, images, usage, extra }: ImageBody,
  type: string,
  now: number,
): string {
  return images.map((image, index) => {
    const event = {
      type,
      ...image,
      created_at: created ?? now,
      ...extra,
      // The usage is that of all images.
      ...(usage && index === images.length - 1 && { usage }),
    };
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  }).join("");
}

// Reads the body of `POST /v1/images/generations`: https://platform.openai.com/docs/api-reference/images/create (2026-11).

const MAX_MADE = 10;
const MAX_PARTIAL_IMAGES = 3;

const word = z.string().min(1);

/** The members of a request that a schema checks. */
const imageRequest = z.looseObject({
  ...modelMembers,
  prompt: z.string().min(1),
  n: z.int().min(1).max(MAX_MADE).nullish(),
  size: z.string().regex(/^(?:auto|\d{1,5}x\d{1,5})$/, {
    error: "must be 'auto', or a width and a height such as '1024x1024'",
  }).nullish(),
  quality: word.nullish(),
  style: word.nullish(),
  background: word.nullish(),
  moderation: word.nullish(),
  output_format: word.nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  response_format: z.enum(["b64_json", "url"]).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(MAX_PARTIAL_IMAGES).nullish(),
  user: z.string().nullish(),
});

/** Fields of a form that are numbers or flags in JSON. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...["n", "output_compression", "partial_images"],
  // Vendors' own fields.
  ...["seed", "strength", "steps", "guidance_scale", "safety_tolerance"],
]);
const FORM_NUMBER = /^-?\d{1,16}(?:\.\d{1,16})?(?:[eE][+-]?\d{1,3})?$/;
const SWITCHES: ReadonlySet<string> = new Set(["stream", "prompt_upsampling"]);

/**
 * Checks a form of `POST /v1/images/edits`:
 * https://platform.openai.com/docs/api-reference/images/createEdit (2026-11).
 *
 * @throws {GatewayError} `invalid_value` with the name of the first faulty field in `param`.
 */
function readEditRequest(form: JsonObject, files: readonly FormImage[]): ReadImages {
  const members = Object.entries(form).map(([name, value]) => [name, toMember(name, value)]);
  const { request } = readImageRequest(Object.fromEntries(members));
  const other = files.find(({ name }) => name !== "image" && name !== "mask");
  if (other !== undefined) throw invalidValue(other.name.slice(0, 100), "must not be a file");
  const images = files.filter(({ name }) => name === "image");
  const [mask] = files.filter(({ name }) => name === "mask");
  if (images.length === 0) throw invalidValue("image", "is required");
  return { request: { ...request, images, ...(mask && { mask }) }, models: undefined };
}

function toMember(name: string, value: unknown): unknown {
  if (NUMBERS.has(name) && FORM_NUMBER.test(String(value))) return Number(value);
  return SWITCHES.has(name) && (value === "true" || value === "false") ? value === "true" : value;
}

type ReadImages = ReadUnary<ImageRequest, ImageBody>;

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readImageRequest(body: unknown): ReadImages {
  const { models, ...members } = readFields(readObject(body), imageRequest);
  return {
    request: withoutNulls(members) as unknown as ImageRequest,
    models: models ?? undefined,
  };
}

// Reads the JSON body of `POST /v1/images/edits`, whose images are data URLs:
// https://developers.openai.com/api/reference/resources/images/methods/edit (2026-11).

const MAX_EDITED = 16;

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`;
 * `unsupported_content` for an image that is not a data URL.
 */
function readJsonEdit(body: unknown): ReadImages {
  const { images: list, mask: reference, ...fields } = readObject(body);
  const { request, models } = readImageRequest(fields);
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_EDITED) {
    throw invalidValue("images", `must be a list of 1 to ${MAX_EDITED} images`);
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

const PARTIAL: ReadonlySet<unknown> = new Set([
  "image_generation.partial_image",
  "image_edit.partial_image",
]);
const WHOLE: ReadonlySet<unknown> = new Set(Object.values(COMPLETED));

const NO_TOKENS: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Counts whole images, and reads their usage. */
class ImageStreamReader implements NativeStreamReader {
  started = false;
  complete = false;
  /** A stream with several images has an event for each. */
  readonly endsWithStream = true;
  readonly outputChars = 0;
  readonly summary;
  #images = 0;
  #tokens: Usage | undefined;

  constructor(model: string) {
    this.summary = { id: "", model, finishReasons: [] };
  }

  get usage(): Usage | undefined {
    if (this.#images === 0) return undefined;
    return { ...(this.#tokens ?? NO_TOKENS), [UNITS]: { images: this.#images } };
  }

  push({ event, data }: Frame): { readonly error: unknown } | undefined {
    // Images are long, and only the last event has other members.
    if (PARTIAL.has(event)) return void (this.started = true);
    const body = parseEvent(data);
    if (isObject(body.error)) return { error: body };
    if (PARTIAL.has(body.type)) this.started = true;
    if (!WHOLE.has(body.type)) return undefined;
    this.started = this.complete = true;
    this.#images++;
    this.#tokens = readUsage(body.usage) ?? this.#tokens;
    return undefined;
  }
}

/**
 * The maximum number of tokens of an image, for models that are billed by tokens: the largest one
 * of high quality (https://platform.openai.com/docs/guides/image-generation, 2026-11).
 */
const MAX_IMAGE_TOKENS = 6240;

/** The estimated tokens of an image to edit, with high fidelity (2026-11). */
const IMAGE_INPUT_TOKENS = 4500;

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

/** An image as a data URL. */
const IMAGE_REFERENCE = object({ image_url: text });

const ANSWERS = {
  answers: jsonOrEvents("Images"),
  events: "ImageEvent",
  schemas: {
    Images: object({ created: integer, data: listOf(object({}, { b64_json: text, url: text })) }, {
      usage: object({}),
    }),
    ImageEvent: object({ type: text }, { b64_json: text, partial_image_index: integer }),
  },
};

/** Image generation. Some of the models also support chat. */
export const images: UnaryApi<ImageRequest, ImageBody> = {
  name: "images",
  noun: "image generation",
  title: "Image generation",
  endpoints: [
    {
      path: "/v1/images/generations",
      mirror: "deployments",
      explainedAs: "images",
      schema: imageRequest,
      describe: () => ({
        tag: "Media",
        summary: "Create images",
        request: ["ImageRequest", toSchema(imageRequest)],
        ...ANSWERS,
        example: { prompt: "A cat" },
      }),
      read: readImageRequest,
    },
    {
      path: "/v1/images/edits",
      explainedAs: "image_edits",
      mirror: "deployments",
      schema: imageRequest,
      describe: () => ({
        tag: "Media",
        summary: "Edit images",
        body: [
          FORM,
          object({ model: text, prompt: text, image: anyOf(BINARY, listOf(BINARY)) }, {
            mask: BINARY,
            n: text,
            size: text,
            stream: text,
          }),
        ],
        otherBody: [
          JSON_TYPE,
          object({ model: text, prompt: text, images: listOf(IMAGE_REFERENCE) }, {
            mask: IMAGE_REFERENCE,
          }),
        ],
        ...ANSWERS,
        example: { prompt: "Add a hat", image: "@cat.png" },
      }),
      read: (body) => readEditRequest(isObject(body) ? body : {}, EXPLAINED_IMAGE),
      readFiles: readEditRequest,
      readJson: readJsonEdit,
    },
  ],
  parameters: IMAGE_PARAMETERS,
  usualNotes: USUAL_NOTES,
  structural: new Set(["prompt", "images", "mask"]),
  apiOf: ({ apis }) => apis.images,
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
